/** @module The turns, items and effects that the contract's cases are made of. */
import type {
  Hash,
  JsonObject,
  Mutation,
  OpenItem,
  ProductObject,
  RunState,
  StepRecord,
} from "@tessera/core";
import type { CommitResult, EffectCommand, NewRun, RunStore, Turn } from "../store.ts";

/** A case of the contract: a sentence and what shows it. The store is empty, and the case's own. */
export interface Case {
  readonly name: string;
  readonly show: (store: RunStore) => Promise<void>;
}

/** What a sample turn may say; the rest is the least that makes a turn. */
export interface TurnSketch
  extends Partial<
    Pick<Turn, "tenant" | "status" | "modes" | "dedupe" | "fence" | "effects" | "takes" | "sends" | "indexed">
  > {
  readonly run: string;
  /** The sequence that the turn expects; 0 creates the run. */
  readonly expect: number;
  readonly at?: number;
  readonly data?: JsonObject;
  readonly steps?: readonly StepRecord[];
  readonly created?: Partial<NewRun>;
  readonly graph?: { readonly id: string; readonly expect: number; readonly mutations: readonly Mutation[] };
  readonly set?: readonly OpenItem[];
  readonly closed?: readonly string[];
  readonly hasSnapshot?: boolean;
  readonly definition?: Hash;
  readonly isPaused?: boolean;
}

/** The hash of the definition that all sample runs have. */
export const DEFINITION: Hash = `sha256:${"d".repeat(64)}` as Hash;

/** A turn. */
export function turn(sketch: TurnSketch): Turn {
  const { tenant = "default", run, expect, status = "waiting", modes = ["waiting_human"] } = sketch;
  const { takes, sends, indexed } = sketch;
  const { dedupe, fence, graph, effects = { add: [], done: [] } } = sketch;
  const sequence = expect + 1;
  const input = expect === 0 ? { kind: "start", data: sketch.data ?? {} } : { kind: "continue" };
  const mutated = graph?.mutations.map((mutation) => ({ mutation })) ?? [];
  return {
    tenant,
    run,
    definition: sketch.definition ?? DEFINITION,
    expect,
    record: {
      semantics: 1,
      sequence,
      at: sketch.at ?? 1_000 * sequence,
      input: input as Turn["record"]["input"],
      steps: [...(sketch.steps ?? []), ...mutated],
    },
    status,
    modes,
    ...(expect === 0 ? { created: { workflow: "order", graph: `g-${run}`, ...sketch.created } } : {}),
    ...(dedupe === undefined ? {} : { dedupe }),
    ...(fence === undefined ? {} : { fence }),
    ...(takes === undefined ? {} : { takes }),
    ...(sends === undefined ? {} : { sends }),
    ...(indexed === undefined ? {} : { indexed }),
    ...(graph === undefined ? {} : { graph }),
    ...(sketch.hasSnapshot === true ? { snapshot: stateAt(sequence, sketch.data ?? {}) } : {}),
    items: {
      set: sketch.set ?? [],
      closed: sketch.closed ?? [],
      ...(sketch.isPaused === undefined ? {} : { isPaused: sketch.isPaused }),
    },
    effects,
  };
}

/** A state to be kept as a snapshot. */
export function stateAt(sequence: number, data: JsonObject): RunState {
  return {
    definition: DEFINITION,
    status: "waiting",
    modes: ["waiting_human"],
    marking: [0, 1, 0],
    data,
    items: [],
    sequence,
    stepCount: sequence,
    visits: [sequence, 0, 0],
    dataBytesBound: 2,
    terminal: null,
  };
}

/** An open item; a work item unless told otherwise. */
export function item(id: string, more: Partial<OpenItem> = {}): OpenItem {
  return { id, kind: "work-item", node: "approve", openedAt: 1_000, ...more };
}

/** An effect of `run`, a job unless told otherwise. */
export function effect(id: string, more: Partial<EffectCommand> = {}): EffectCommand {
  return { id, kind: "job", item: "1.0", availableAt: 1_000, payload: { call: id }, ...more };
}

/** An object of a graph with links to `to`. */
export function object(id: string, payload: JsonObject = {}, to: readonly string[] = []): ProductObject {
  return { id, type: "thing", payload, links: to.map((target) => ({ to: target })) };
}

/** A mutation. */
export function mutation(change: Partial<Mutation>): Mutation {
  return { create: [], update: [], delete: [], ...change };
}

/** Commits one turn. */
export async function commit(store: RunStore, sketch: TurnSketch): Promise<CommitResult> {
  const [result] = await store.commit([turn(sketch)]);
  if (result === undefined) throw new Error("commit answered nothing");
  return result;
}

/** Commits turns one after the other, each of which must be taken. */
export async function history(store: RunStore, sketches: readonly TurnSketch[]): Promise<void> {
  for (const sketch of sketches) {
    const result = await commit(store, sketch);
    if (result.kind !== "ok") throw new Error(`${sketch.run} ${sketch.expect}: ${JSON.stringify(result)}`);
  }
}

/** The kinds of results, as text: what a group came to. */
export function kinds(results: readonly CommitResult[]): string {
  return results
    .map((result) => (result.kind === "conflict" ? `conflict:${result.on}` : result.kind))
    .join(" ");
}
