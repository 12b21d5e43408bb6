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
import { blockMembers, entersLoop, FAIL, loopOf, multiOf, orJoinRules } from "@tessera/gateways";
import { type Writes, writesOf } from "../data-level/answers-of-nodes.ts";
import type { Questions } from "../data-level/conditions-read.ts";
import type { Domain } from "../data-level/domain.ts";
import { type Beside, besideOf } from "./data-beside.ts";
import { type BlockEnd, endsOf } from "./data-ends.ts";
import { type Several, severalOf } from "./data-instances.ts";

/** What a checker steps through: a workflow whose answers leave the data that `answersTo` lists. */
export interface World {
  readonly program: Program;
  readonly compiled: Extract<Program["compiled"], { readonly kind: "workflow" }>;
  readonly guards: readonly (Condition | null)[];
  readonly open: ReadonlySet<Condition>;
  /** Keys that a transition empties. */
  readonly clears: ReadonlyMap<TransitionIndex, readonly string[]>;
  /** Keys that are asked. */
  readonly asked: ReadonlySet<string>;
  /** Handlers whose open runs are counted, nodes with several instances, ends of blocks that hold back. */
  readonly beside: readonly Beside[];
  readonly several: ReadonlyMap<number, Several>;
  readonly ends: ReadonlyMap<number, BlockEnd>;
  readonly answersTo: (node: number, outcome: Outcome, before: Data) => readonly Answered[];
}

/** Data that an answer leaves. `isSure`: whatever values the data before stand for, there is such an answer. */
export interface Answered {
  readonly data: Data;
  readonly isSure: boolean;
}

/** A marking with data, and how many runs of each counted handler are open. */
export interface PlainState {
  readonly marking: Marking;
  readonly data: Data;
  readonly open: readonly number[];
}

/** What a workflow is for a checker, but for what its answers leave. */
export type Frame = Omit<World, "answersTo">;

/** The tables of the workflow; leaves of `domain.open` are not decided. */
export function frameOf(
  compiled: CompiledWorkflow,
  { questions, open, slotsOfKey }: Pick<Domain, "questions" | "open" | "slotsOfKey">,
): Frame {
  const { definition, graph, net } = compiled;
  const clears = new Map<TransitionIndex, readonly string[]>();
  const loops = definition.nodes.flatMap((node, index) => {
    const loop = loopOf(node);
    return loop === null ? [] : [{ node, index, loop, inside: blockMembers(graph, node, loop) }];
  });
  net.transitions.forEach(({ origin }, t) => {
    if (origin === undefined) return;
    const keys = loops.flatMap(({ node, index, loop, inside }) => {
      const isFail = origin.node === index && origin.outcome === FAIL;
      return isFail || entersLoop(graph, node, inside, origin) ? [loop.passKey] : [];
    });
    if (keys.length > 0) clears.set(t, keys);
  });
  const program = makeProgram("sha256:" as Hash, compiled, orJoinRules(compiled));
  const asked = new Set(slotsOfKey.keys());
  const mayWrite = (node: number, outcome: Outcome, key: string) =>
    writesAt({ compiled }, questions, node, outcome).has(key);
  return {
    program,
    compiled,
    guards: questions.guards,
    open,
    clears,
    asked,
    beside: besideOf(compiled, asked, mayWrite),
    several: severalOf(compiled, mayWrite),
    ends: endsOf(compiled, questions.forms, mayWrite),
  };
}

/** What an answer may write: which keys, of what form, and whether it may take a value away. */
export interface Writable extends Omit<Writes, "keys"> {
  readonly has: (key: string) => boolean;
}

/** What the node may write under the outcome. Only verifiers write the keys of the verdicts of loops. */
export function writesAt(
  { compiled }: Pick<Frame, "compiled">,
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
  const results = multiOf(node)?.results ?? null;
  if (results !== null && outcome === DONE) {
    const fields = [{ key: results, type: "array", isOptional: false }] as const;
    return { has: (key) => key === results, fields, mayUnset: false };
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
