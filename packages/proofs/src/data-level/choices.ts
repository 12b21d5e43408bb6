/** @module The choices that a state of the product offers, each with everything that it can lead to. */
import { DONE, ERROR, EXPIRED, type Outcome, type TransitionIndex, type WorkflowNode } from "@tessera/core";
import { canFail, decisionOutcome, eventsOf, FAIL, loopOf, PASS } from "@tessera/gateways";
import { allowedCells, isAnsweredByPerson, isWrittenBy, type Writes, writesOf } from "./answers-of-nodes.ts";
import { combinations } from "./combinations.ts";
import { dataOf } from "./domain.ts";
import { besideChoices } from "./handlers.ts";
import { endChoices } from "./held-blocks.ts";
import { beginningOf, doneChoices } from "./instances.ts";
import { type Choice, type Leaving, leave, plain, untold } from "./leaving.ts";
import { cellOf, cleared, type MarkingFacts, outcomeOf, type Stepper } from "./stepper.ts";
import { slotsTouched } from "./told-answers.ts";

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
  const beside: Offer = { isOrdered: isQuiet, choices: besideChoices(stepper, facts, cells) };
  return [...automatic, ...answers, beside].filter(({ choices }) => choices.length > 0);
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
    case "start": {
      const own = stepper.instances.get(origin.node);
      if (own !== undefined) return [beginningOf(leaving, origin.node, own.multi, first, cells)];
      return [plain(leaving, origin.node, first, cells)];
    }
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
  const end = stepper.ends.get(origin.node);
  if (end !== undefined && node.kind !== "decision")
    return endChoices(leaving, origin.node, end, DONE, cells);
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
  const end = stepper.ends.get(index);
  if (end !== undefined && outcome === PASS) return endChoices(leaving, index, end, PASS, cells);
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
    const isWrong = outcome === ERROR && isGoingWrong(trigger, node);
    // What ends inside are not there to say; under error the token that rests around them leaves for events alone.
    const isOfScope = kind.body(node) === "scope";
    if (isOfScope && (outcome === ERROR ? !isWrong : !isOpen)) return [];
    const own = stepper.instances.get(index);
    if (own !== undefined && outcome === DONE) return doneChoices(leaving, index, own, cells);
    const answers = written(leaving, index, outcome, cells);
    const isUnasked = isWrong || (outcome === EXPIRED && node.meta?.deadline !== undefined);
    if (!isUnasked || !isAnsweredByPerson(kind.body(node), node, outcome)) return answers;
    // Nobody fills a form then, or can be asked again. A run does not say who gave the label.
    const manner = { isSure: outcome !== ERROR, isPlayable: false };
    return [...answers, leave(leaving, index, outcome, cells, cells, manner)];
  });
}

/** Can an event of the node go wrong that is awaited there? One beside the token comes once. */
function isGoingWrong({ stepper, facts, group }: Leaving, node: WorkflowNode): boolean {
  const isArmed = (label: Outcome) =>
    group.some((t) => facts.enabled.has(t) && outcomeOf(stepper, t) === label);
  return eventsOf(node).some(
    (event) => canFail(event) && (event.isInterrupting || event.handler !== null || isArmed(event.id)),
  );
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
  const unfree: Choice[] = [];
  const mayStay = (slot: number) => isLeftOut(leaving.stepper, writes, slot);
  const isWritten = isWrittenBy(domain, writes);
  for (const { cells, isRoom, isFree } of combinations(domain, allowed, before, mayStay, isWritten)) {
    const isPlayable = isSure && isRoom;
    const manner = { isPerson, isPlayable, isSure: isPlayable && isFree };
    const choice = leave(leaving, index, outcome, cells, before, manner);
    if (choice.results.some(({ kind }) => kind !== "refused") || choice.gap !== null) choices.push(choice);
    if (!isFree) unfree.push(choice);
  }
  return [...choices, ...bounded(unfree, slotsTouched(domain, isWritten))];
}

/**
 * Where the other keys may forbid what a case tells of leaves, an answer leads to one of several cases for sure: those that
 * agree in the slots that nothing ties to these leaves.
 */
function bounded(choices: readonly Choice[], touched: ReadonlySet<number>): readonly Choice[] {
  const alike = new Map<string, [Choice, ...Choice[]]>();
  for (const choice of choices) {
    const key = choice.cells.filter((_, slot) => !touched.has(slot)).join();
    const found = alike.get(key);
    if (found === undefined) alike.set(key, [choice]);
    else found.push(choice);
  }
  return [...alike.values()].map((some) => {
    const isSure = some.every(({ isPlayable }) => isPlayable);
    return untold(some, { isSure, isPlayable: false, isGapSure: false });
  });
}

/** May the answer leave the key of the slot as it is: is it no field of a form, or one that may be left out? */
function isLeftOut({ domain }: Stepper, { fields, mayUnset }: Writes, slot: number): boolean {
  const { key } = domain.slots[slot]!.reference;
  if (fields === null) return !mayUnset;
  return fields.some((field) => field.key === key && field.isOptional);
}
