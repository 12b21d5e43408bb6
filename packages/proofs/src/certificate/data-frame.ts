/** @module A workflow as a checker of its data sees it: tables, what empties keys, what nodes may write. */
import {
  type CompiledWorkflow,
  type Condition,
  type Data,
  DONE,
  type Hash,
  type Marking,
  makeProgram,
  type Outcome,
  type Program,
  type TransitionIndex,
} from "@tessera/core";
import { blockMembers, entersLoop, FAIL, loopOf, orJoinRules } from "@tessera/gateways";
import { type Writes, writesOf } from "../data-level/answers-of-nodes.ts";
import type { Questions } from "../data-level/conditions-read.ts";

/** What a checker steps through: a workflow whose answers leave the data that `answersTo` lists. */
export interface World {
  readonly program: Program;
  readonly compiled: Extract<Program["compiled"], { readonly kind: "workflow" }>;
  readonly guards: readonly (Condition | null)[];
  readonly open: ReadonlySet<Condition>;
  /** Keys that a transition empties. */
  readonly clears: ReadonlyMap<TransitionIndex, readonly string[]>;
  readonly answersTo: (node: number, outcome: Outcome, before: Data) => readonly Answered[];
}

/** Data that an answer leaves. `isSure`: whatever values the data before stand for, there is such an answer. */
export interface Answered {
  readonly data: Data;
  readonly isSure: boolean;
}

/** A marking with data. */
export interface PlainState {
  readonly marking: Marking;
  readonly data: Data;
}

/** What a workflow is for a checker, but for what its answers leave. */
export type Frame = Omit<World, "answersTo">;

/** The tables of the workflow; leaves of `open` are not decided. */
export function frameOf(compiled: CompiledWorkflow, questions: Questions, open: World["open"]): Frame {
  const { definition, graph, net } = compiled;
  const clears = new Map<TransitionIndex, readonly string[]>();
  const loops = definition.nodes.flatMap((node, index) => {
    const loop = loopOf(node);
    return loop === null ? [] : [{ node, index, loop, inside: blockMembers(graph, node, loop) }];
  });
  net.transitions.forEach(({ origin }, t) => {
    if (origin === undefined) return;
    const keys = loops.flatMap(({ node, index, loop, inside }) => {
      const isFail = origin.node === index && origin.phase === "step" && origin.outcome === FAIL;
      return isFail || entersLoop(graph, node, inside, origin) ? [loop.passKey] : [];
    });
    if (keys.length > 0) clears.set(t, keys);
  });
  const program = makeProgram("sha256:" as Hash, compiled, orJoinRules(compiled));
  return { program, compiled, guards: questions.guards, open, clears };
}

/** What an answer may write: which keys, of what form, and whether it may take a value away. */
export interface Writable extends Omit<Writes, "keys"> {
  readonly has: (key: string) => boolean;
}

/** What the node may write under the outcome. Only verifiers write the keys of the verdicts of loops. */
export function writesAt(
  { compiled }: Frame,
  questions: Questions,
  index: number,
  outcome: Outcome,
): Writable {
  const node = compiled.definition.nodes[index]!;
  const verdict = node.kind === "verifier" ? node.meta?.passKey : undefined;
  if (typeof verdict === "string") {
    const fields = [{ key: verdict, type: "boolean", isOptional: false }] as const;
    return { has: (key) => key === verdict && outcome === DONE, fields, mayUnset: false };
  }
  const { keys, fields, mayUnset } = writesOf(
    questions,
    compiled.kinds[index]!.body(node),
    node,
    index,
    outcome,
  );
  const has = (key: string) => !questions.passKeys.has(key) && (keys === null || keys.includes(key));
  return { has, fields, mayUnset };
}
