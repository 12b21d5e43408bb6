/** @module What an operator's input does inside a turn: suspend and resume, edit D, put tokens elsewhere, skip a node. */
import {
  canPlay,
  commitMutation,
  type Data,
  diff,
  type Json,
  jsonBytes,
  nodeIdOf,
  type OpenItem,
  patchBytes,
  placesTokens,
  playable,
  type RunState,
  type StepRecord,
  type TransitionIndex,
  turnBase,
} from "@tessera/core";
import { changeData, type Draft, record } from "./draft.ts";
import type { InputEvent, InputPayload, InputRefusal } from "./turn.ts";

/** What a suspended run takes: everything that begins nothing. */
const WHILE_SUSPENDED: ReadonlySet<string> = new Set([
  "resume",
  "cancel",
  "edit",
  "migrate",
  "result",
  "child-status",
]);

/**
 * Why a run takes no such input now, null if it does: it is suspended, or it is not and was to be resumed.
 *
 * @definition D9.22
 */
export function suspensionRefusal({ suspension }: RunState, kind: string): InputRefusal | null {
  if (suspension === undefined) {
    if (kind !== "resume") return null;
    return { kind: "refused", code: "stale", message: "the run is not suspended", facts: {} };
  }
  if (WHILE_SUSPENDED.has(kind)) return null;
  const message = `the run is suspended by "${suspension.by}"`;
  return { kind: "refused", code: "suspended", message, facts: { ...suspension } };
}

/** The state that a turn of this input begins on (D3.6); the same one for every input but an operator's. */
export function begunState(state: RunState, { input, payload }: InputEvent, at: number): RunState {
  const isOther = !placesTokens(input.kind) && input.kind !== "suspend" && input.kind !== "resume";
  if (isOther) return state;
  const steps = payload?.placing === undefined ? [] : [payload.placing];
  const { suspension: _before, ...rest } = state;
  return { ...rest, ...turnBase(state, { input, steps, at }) };
}

/**
 * Records the first step of a turn that puts tokens elsewhere, and then the change of D that comes with it. What it does
 * to G passes the gate, or nothing happens.
 */
export function placeTokens(
  draft: Draft,
  step: StepRecord,
  values: NonNullable<InputPayload["patch"]>,
): InputRefusal | null {
  const { mutation } = step;
  if (mutation !== undefined) {
    const gate = commitMutation(draft.graph, mutation, draft.env.bodies.constraints);
    if (gate.kind !== "committed") {
      const violations = gate.violations.map(({ code }) => code);
      return refuse("the objects of the graph violate its constraints", { violations });
    }
    draft.graph = gate.graph;
    draft.mutations.push(mutation);
    draft.bytes += jsonBytes(mutation as unknown as Json);
  }
  record(draft, step);
  return Object.keys(values).length === 0 ? null : editData(draft, values);
}

/**
 * An operator's change of D, valid by the declared types and schemas and within the limits; a pass key is its verifier's
 * alone. Anything else is refused.
 */
export function editData(draft: Draft, values: NonNullable<InputPayload["patch"]>): InputRefusal | null {
  const { env, plan } = draft;
  const passKeys = Object.keys(values).filter((key) => plan.passKeys.has(key));
  if (passKeys.length > 0) return refuse("a pass key is written by its verifier alone", { keys: passKeys });
  const invalid = env.bodies.validate(values);
  if (invalid !== null) return refuse(invalid.message, { ...invalid.facts, code: invalid.code });
  const kept = Object.entries(draft.data).filter(([key]) => !Object.hasOwn(values, key));
  const set = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  const next: Data = Object.fromEntries([...kept, ...set]);
  const patch = diff(draft.data, next);
  const { dataBytesMax, eventBytesMax } = env.limits;
  if (patchBytes(patch) > eventBytesMax)
    return refuse("the change is larger than the limit", { eventBytesMax });
  if (jsonBytes(next, dataBytesMax) > dataBytesMax)
    return refuse("the data are larger than the limit", { dataBytesMax });
  changeData(draft, next, patch);
  return null;
}

/**
 * The transitions by which what an intervention holds leaves its node: finish(n, o) where its token is at rest, else
 * those of the step that the intervention keeps from firing.
 */
export function waysOut({ plan, game }: Draft, item: OpenItem): readonly TransitionIndex[] {
  const { program } = plan;
  const finish = program.finish.get(plan.nodeIndex.get(item.node) ?? -1) ?? [];
  if (item.kind !== "intervention" || finish.some((t) => canPlay(game, t))) return finish;
  const held = playable(game).find((t) => nodeIdOf(program, t) === item.node);
  return held === undefined ? [] : (program.groups[program.groupOf[held] ?? -1] ?? [held]);
}

function refuse(message: string, facts: InputRefusal["facts"]): InputRefusal {
  return { kind: "refused", code: "invalid-data", message, facts };
}
