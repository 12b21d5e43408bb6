/** @module The choices that a state of the product offers, each with everything that it can lead to. */
import { DONE, ERROR, type Outcome, type TransitionIndex } from "@tessera/core";
import { decisionOutcome, EXHAUSTED, eventsOf, FAIL, loopOf, PASS } from "@tessera/gateways";
import { waysOn } from "./answers.ts";
import { allowedCells, isAnsweredByPerson, type Writes, writesOf } from "./answers-of-nodes.ts";
import { combinations } from "./combinations.ts";
import { dataOf } from "./domain.ts";
import {
  cellOf,
  cleared,
  fireBranch,
  type MarkingFacts,
  outcomeOf,
  type Result,
  type Stepper,
} from "./stepper.ts";

/**
 * What the world chooses at a node: an outcome with new values. `results`: everything that it can lead to, more than one
 * only where open conditions decide. `isSure`: it can be so; else it is for what is outside the model to say (an error of
 * a timer). `isProvision`: D does not allow it; the outcome is there because O5 asks for it.
 */
export interface Choice {
  readonly node: number;
  readonly outcome: Outcome | null;
  /** The case that the answer leaves, before routing. */
  readonly cells: readonly number[];
  readonly isSure: boolean;
  readonly isProvision: boolean;
  readonly results: readonly Result[];
  /** Why no arc can be taken under the outcome, on some way or, with `isGapSure`, on every one. */
  readonly gap: string | null;
  readonly isGapSure: boolean;
}

/** The choices at one token. `isOrdered`: the engine lets them come now; others need that an input comes between. */
export interface Offer {
  readonly isOrdered: boolean;
  readonly choices: readonly Choice[];
}

/**
 * The offers of the state: its automatic groups, of which the first one in document order is the engine's, and, by the
 * engine only when there is none, every answer to what rests.
 *
 * @definition D23.3
 */
export function offersAt(stepper: Stepper, facts: MarkingFacts, cells: readonly number[]): readonly Offer[] {
  const automatic = facts.automatic.map(
    ({ first, group }, index): Offer => ({
      isOrdered: index === 0,
      choices: automaticChoices({ stepper, facts, group }, first, cells),
    }),
  );
  const isQuiet = facts.automatic.length === 0;
  const answers = facts.resting.map(
    (node): Offer => ({
      isOrdered: isQuiet,
      choices: answerChoices(stepper, facts, node, cells),
    }),
  );
  return [...automatic, ...answers].filter(({ choices }) => choices.length > 0);
}

/** Where a token leaves: the marking and the transitions of which one fires. */
interface Leaving {
  readonly stepper: Stepper;
  readonly facts: MarkingFacts;
  readonly group: readonly TransitionIndex[];
  /** Where one that cannot be taken leaves under error, if not by the same group. */
  readonly repair?: readonly TransitionIndex[];
}

function automaticChoices(
  leaving: Leaving,
  first: TransitionIndex,
  before: readonly number[],
): readonly Choice[] {
  const { stepper } = leaving;
  const { compiled } = stepper;
  const origin = compiled.net.transitions[first]!.origin!;
  const node = compiled.definition.nodes[origin.node]!;
  const cells = cleared(stepper, first, before);
  switch (origin.phase) {
    case "start":
    case "enter":
      return [plain(leaving, origin.node, first, cells)];
    case "settle":
      return [plain(leaving, origin.node, first, before)];
    case "leave":
    case "raise":
      return [leave(leaving, origin.node, origin.outcome ?? DONE, before, before)];
    default:
  }
  if (node.kind === "end") return [plain(leaving, origin.node, first, before)];
  const alphabet = compiled.kinds[origin.node]!.alphabet(node);
  if (node.kind === "start" && eventsOf(node).length > 0)
    return alphabet.map((outcome) => leave(leaving, origin.node, outcome, before, before));
  if (node.kind === "throw")
    return alphabet.map((outcome) =>
      leave(leaving, origin.node, outcome, before, before, { isSure: outcome !== ERROR }),
    );
  if (compiled.kinds[origin.node]!.body(node) !== "inline")
    return [leave(leaving, origin.node, DONE, cells, cells)];
  return node.kind === "decision"
    ? decisionChoices(leaving, origin.node, cells)
    : bodyChoices(leaving, origin.node, alphabet, cells);
}

/** The decision of a loop takes its verdict, one by key the value; an error that D does not give is a provision. */
function decisionChoices(leaving: Leaving, index: number, cells: readonly number[]): readonly Choice[] {
  const { stepper } = leaving;
  const node = stepper.compiled.definition.nodes[index]!;
  const loop = loopOf(node);
  const key = loop?.passKey ?? (typeof node.meta?.key === "string" ? node.meta.key : "");
  const data = dataOf(stepper.domain, cells);
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  const verdict = value === true ? PASS : value === false ? FAIL : ERROR;
  const outcome = loop === null ? decisionOutcome(node, value) : verdict;
  const chosen = leave(leaving, index, outcome, cells, cells);
  const alphabet = stepper.compiled.kinds[index]!.alphabet(node);
  if (outcome === ERROR || !alphabet.includes(ERROR)) return [chosen];
  return [chosen, leave(leaving, index, ERROR, cells, cells, { isProvision: true })];
}

/** A function of the application: every outcome with every value that it may write; a verifier writes its verdict. */
function bodyChoices(
  leaving: Leaving,
  index: number,
  alphabet: readonly Outcome[],
  cells: readonly number[],
): readonly Choice[] {
  const { compiled, domain } = leaving.stepper;
  const node = compiled.definition.nodes[index]!;
  const passKey = node.kind === "verifier" ? node.meta?.passKey : undefined;
  if (typeof passKey === "string") {
    const slots = domain.slotsOfKey.get(passKey) ?? [];
    const verdict = (value: boolean) =>
      cells.map((cell, slot) => (slots.includes(slot) ? cellOf(domain, slot, value) : cell));
    const values = slots.length === 0 ? [cells] : [verdict(true), verdict(false)];
    return [
      ...values.map((after) => leave(leaving, index, DONE, after, cells)),
      leave(leaving, index, ERROR, cells, cells),
    ];
  }
  return alphabet.flatMap((outcome) => written(leaving, index, outcome, cells));
}

function answerChoices(
  stepper: Stepper,
  facts: MarkingFacts,
  index: number,
  cells: readonly number[],
): readonly Choice[] {
  const { compiled, program } = stepper;
  const node = compiled.definition.nodes[index]!;
  const kind = compiled.kinds[index]!;
  const finish: Leaving = { stepper, facts, group: program.finish.get(index) ?? [] };
  const trigger: Leaving = { ...finish, group: program.trigger.get(index) ?? [], repair: finish.group };
  return kind.alphabet(node).flatMap((outcome) => {
    const event = eventsOf(node).find(({ id }) => id === outcome);
    if (event?.on === "escalation") return [];
    const leaving = event !== undefined && !event.isInterrupting ? trigger : finish;
    const isOpen = leaving.group.some((t) => facts.enabled.has(t) && outcomeOf(stepper, t) === outcome);
    if (!isOpen && (leaving === trigger || stepper.arcsOf(index, outcome).length > 0)) return [];
    if (!isOpen && kind.body(node) === "scope") return [];
    return written(leaving, index, outcome, cells);
  });
}

/** The outcome with every combination of values that it may leave. */
function written(
  leaving: Leaving,
  index: number,
  outcome: Outcome,
  before: readonly number[],
): readonly Choice[] {
  const { compiled, domain } = leaving.stepper;
  const node = compiled.definition.nodes[index]!;
  const body = compiled.kinds[index]!.body(node);
  const writes = writesOf(domain.questions, body, node, index, outcome);
  const allowed = allowedCells(domain, writes);
  const isPerson = isAnsweredByPerson(body, node, outcome);
  const isSure = outcome !== ERROR || !["timer", "event", "scope"].includes(body);
  const choices: Choice[] = [];
  const mayStay = (slot: number) => isLeftOut(leaving.stepper, writes, slot);
  for (const { cells, isRoom } of combinations(domain, allowed, before, mayStay)) {
    const choice = leave(leaving, index, outcome, cells, before, { isPerson, isSure: isSure && isRoom });
    if (choice.results.some(({ kind }) => kind !== "refused") || choice.gap !== null) choices.push(choice);
  }
  return choices;
}

/** May the answer leave the key of the slot as it is: is it no field of a form, or one that may be left out? */
function isLeftOut({ domain }: Stepper, { fields, mayUnset }: Writes, slot: number): boolean {
  const { key } = domain.slots[slot]!.reference;
  if (fields === null) return !mayUnset;
  return fields.some((field) => field.key === key && field.isOptional);
}

function plain(
  { stepper, facts }: Leaving,
  node: number,
  t: TransitionIndex,
  cells: readonly number[],
): Choice {
  const { marking, fired } = fireBranch(stepper, facts.marking, t, []);
  const results: readonly Result[] = [{ kind: "state", marking, cells, fired, outcome: null }];
  return {
    node,
    outcome: null,
    cells,
    isSure: true,
    isProvision: false,
    results,
    gap: null,
    isGapSure: false,
  };
}

interface Manner {
  readonly isSure?: boolean;
  readonly isProvision?: boolean;
  readonly isPerson?: boolean;
}

/**
 * The token leaves under `outcome` with the case `after`; where no arc can be taken, under error with the case `before`;
 * where that has no arc either, the run fails, or the person who answered has to answer otherwise.
 */
function leave(
  leaving: Leaving,
  node: number,
  outcome: Outcome,
  after: readonly number[],
  before: readonly number[],
  { isSure = true, isProvision = false, isPerson = false }: Manner = {},
): Choice {
  const ways = branchesOf(leaving, node, outcome === FAIL ? [FAIL, EXHAUSTED] : [outcome], after);
  const troubles = ways.filter((way) => way.kind === "failed");
  const { group, repair = group } = leaving;
  const repaired =
    outcome === ERROR ? troubles : branchesOf({ ...leaving, group: repair }, node, [ERROR], before);
  const results = ways.flatMap((way): readonly Result[] => {
    if (way.kind !== "failed") return [way];
    if (outcome === ERROR) return isPerson ? [{ kind: "refused" }] : [way];
    return repaired.map((result): Result => {
      if (result.kind !== "failed") return result;
      return isPerson ? { kind: "refused" } : way;
    });
  });
  const gap = troubles[0]?.trouble ?? null;
  const isGapSure = gap !== null && troubles.length === ways.length && isSure && !isProvision;
  return { node, outcome, cells: after, isSure, isProvision, results: unique(results), gap, isGapSure };
}

type Way = Exclude<Result, { readonly kind: "refused" }>;

/** The transitions by which a token can leave under the first of `labels` that has one; `failed` where none has. */
function branchesOf(
  { stepper, facts, group }: Leaving,
  node: number,
  labels: readonly Outcome[],
  cells: readonly number[],
): readonly Way[] {
  const [label, ...rest] = labels;
  if (label === undefined) return [];
  const { compiled, domain, arcsOf } = stepper;
  const candidates = group.filter((t) => facts.enabled.has(t) && outcomeOf(stepper, t) === label);
  if (candidates.length === 0 && rest.length > 0)
    return branchesOf({ stepper, facts, group }, node, rest, cells);
  const further = (trouble: string): readonly Way[] =>
    rest.length > 0
      ? branchesOf({ stepper, facts, group }, node, rest, cells)
      : [{ kind: "failed", trouble }];
  return waysOn(compiled, domain, node, arcsOf(node, label), label, dataOf(domain, cells)).flatMap((way) => {
    if (way.kind === "trouble") return further(way.trouble);
    const chosen = (t: TransitionIndex) => compiled.net.transitions[t]?.origin?.chosen ?? [];
    const own = candidates.find((t) => String(chosen(t)) === String(way.arcs));
    const head = candidates.find((t) => chosen(t).length === 0);
    const transition = own ?? head;
    if (transition === undefined) return further(`no arc is open under "${label}"`);
    const { marking, fired } = fireBranch(
      stepper,
      facts.marking,
      transition,
      own === undefined ? way.arcs : [],
    );
    const failed = fired.filter((t) => outcomeOf(stepper, t) === FAIL);
    const next = failed.reduce<readonly number[]>((now, t) => cleared(stepper, t, now), cells);
    return [{ kind: "state", marking, cells: next, fired, outcome: label }];
  });
}

function unique(results: readonly Result[]): readonly Result[] {
  const seen = new Set<string>();
  return results.filter((result) => {
    const key = JSON.stringify(result);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}
