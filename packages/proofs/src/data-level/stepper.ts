/** @module The steps of a workflow with its data: who chooses, what is written, which arcs are taken. Fires by D1.4. */
import {
  arcOutcome,
  type CompiledWorkflow,
  fire,
  type Hash,
  invariant,
  isEnabled,
  isFinal,
  type Marking,
  makeProgram,
  type Outcome,
  type Program,
  type TransitionIndex,
} from "@tessera/core";
import { blockMembers, entersLoop, FAIL, loopOf, orJoinRules } from "@tessera/gateways";
import { type BlockEnd, blockEnds } from "./block-ends.ts";
import type { Domain } from "./domain.ts";
import { type CountedHandler, countedHandlers } from "./handlers.ts";
import { type Instances, instancesOf } from "./instance-tables.ts";

/** What a step leads to. `failed`: no arc can be taken and none under error. `refused`: a person has to answer otherwise. */
export type Result =
  | {
      readonly kind: "state";
      readonly marking: Marking;
      readonly cells: readonly number[];
      readonly fired: readonly TransitionIndex[];
      readonly outcome: Outcome | null;
    }
  | { readonly kind: "failed"; readonly trouble: string }
  | { readonly kind: "refused" };

/** A marking with what it enables. `automatic`: the groups that go by themselves, each with its first transition. */
export interface MarkingFacts {
  readonly marking: Marking;
  readonly isFinal: boolean;
  readonly enabled: ReadonlySet<TransitionIndex>;
  readonly automatic: readonly {
    readonly first: TransitionIndex;
    readonly group: readonly TransitionIndex[];
  }[];
  /** Nodes at which a token rests. */
  readonly resting: readonly number[];
}

/** The tables of a workflow that its steps need. */
export interface Stepper {
  readonly compiled: CompiledWorkflow;
  readonly domain: Domain;
  readonly program: Program;
  /** Slots that a transition empties: it carries a token into a loop, or back to its body. */
  readonly clears: ReadonlyMap<TransitionIndex, readonly number[]>;
  /** Arcs by node and outcome. */
  readonly arcsOf: (node: number, outcome: Outcome) => readonly number[];
  /** Handlers that a case counts, behind its slots. */
  readonly handlers: readonly CountedHandler[];
  readonly instances: ReadonlyMap<number, Instances>;
  readonly ends: ReadonlyMap<number, BlockEnd>;
  readonly factsOf: (marking: Marking) => MarkingFacts;
}

/** The tables of `compiled` over the cases of `domain`. */
export function stepperOf(compiled: CompiledWorkflow, domain: Domain): Stepper {
  const { definition, graph, net } = compiled;
  // The program's hash is that of a stored definition; nothing here reads it.
  const program = makeProgram("sha256:" as Hash, compiled, orJoinRules(compiled));
  const loops = definition.nodes.flatMap((node, index) => {
    const loop = loopOf(node);
    return loop === null ? [] : [{ node, index, loop, inside: blockMembers(graph, node, loop) }];
  });
  const clears = new Map<TransitionIndex, readonly number[]>();
  net.transitions.forEach(({ origin }, t) => {
    if (origin === undefined) return;
    const keys = loops.filter(({ node, index, inside }) => {
      const isFail = origin.node === index && origin.phase === "step" && origin.outcome === FAIL;
      return isFail || entersLoop(graph, node, inside, origin);
    });
    const slots = keys.flatMap(({ loop }) => domain.slotsOfKey.get(loop.passKey) ?? []);
    if (slots.length > 0) clears.set(t, slots);
  });
  const known = new Map<string, MarkingFacts>();
  return {
    compiled,
    domain,
    program,
    clears,
    handlers: countedHandlers(compiled, domain),
    instances: instancesOf(compiled, domain),
    ends: blockEnds(compiled, domain.questions),
    arcsOf: (node, outcome) =>
      (graph.outgoing[node] ?? []).filter((arc) => arcOutcome(definition.arcs[arc]!) === outcome),
    factsOf: (marking) => {
      const key = marking.join(",");
      const facts = known.get(key) ?? markingFacts(program, marking);
      known.set(key, facts);
      return facts;
    },
  };
}

function markingFacts(program: Program, marking: Marking): MarkingFacts {
  const { net, rules, automatic, groups, groupOf, restNode } = program;
  const enabled = new Set(net.transitions.map((_, t) => t).filter((t) => isEnabled(net, marking, t, rules)));
  const seen = new Set<number>();
  const first = [...enabled].filter((t) => {
    const isNew = automatic[t] === 1 && !seen.has(groupOf[t]!);
    if (isNew) seen.add(groupOf[t]!);
    return isNew;
  });
  return {
    marking,
    isFinal: isFinal(net, marking),
    enabled,
    automatic: first.map((t) => ({ first: t, group: groups[groupOf[t]!]! })),
    resting: [...restNode].filter(([place]) => (marking[place] ?? 0) > 0).map(([, node]) => node),
  };
}

/** The case after the verdicts that `t` clears are gone. */
export function cleared(
  { domain, clears }: Stepper,
  t: TransitionIndex,
  cells: readonly number[],
): readonly number[] {
  const slots = clears.get(t) ?? [];
  if (slots.length === 0) return cells;
  return cells.map((cell, slot) => (slots.includes(slot) ? cellOf(domain, slot, undefined) : cell));
}

/** The index of a value that the slot distinguishes. */
export function cellOf({ slots }: Domain, slot: number, value: boolean | undefined): number {
  const cell = slots[slot]!.values.indexOf(value);
  invariant(cell >= 0, "D23.1", () => ({ slot, value: String(value) }));
  return cell;
}

/** Fires `transition` and, behind an OR split, the moves of its chain that take `chain` and skip the others. */
export function fireBranch(
  { program }: Stepper,
  marking: Marking,
  transition: TransitionIndex,
  chain: readonly number[],
): { readonly marking: Marking; readonly fired: readonly TransitionIndex[] } {
  const { net, rules, chains } = program;
  const fired: TransitionIndex[] = [];
  let now = marking;
  const go = (t: TransitionIndex): void => {
    const result = fire(net, now, t, rules);
    invariant(result.kind === "fired", "D23.3", () => ({ transition: net.transitions[t]?.id ?? t }));
    now = result.marking;
    fired.push(t);
  };
  go(transition);
  if (chain.length === 0) return { marking: now, fired };
  const head = net.transitions[transition]!.post.find(([place]) => chains.has(place))?.[0] ?? -1;
  let rest = chain.length;
  for (const link of chains.get(head) ?? []) {
    const isTaken = chain.includes(link.arc);
    if (isTaken) rest -= 1;
    const isLast = isTaken && rest === 0 && link.stop.length > 0;
    const moves = isLast ? link.stop : isTaken ? link.take : link.skip;
    if (!isTaken && moves.length === 0) continue;
    const move = moves.find((t) => isEnabled(net, now, t, rules));
    invariant(move !== undefined, "D6.2", () => ({ arc: link.arc, chain: [...chain] }));
    go(move);
    if (isLast) break;
  }
  return { marking: now, fired };
}

/** The label of a transition. */
export function outcomeOf({ program }: Stepper, t: TransitionIndex): Outcome | undefined {
  return program.net.transitions[t]?.origin?.outcome;
}
