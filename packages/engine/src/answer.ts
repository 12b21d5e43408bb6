/** @module From a body's answer to a change of D and G: schema, footprint, gate, all or nothing. */
import {
  commitMutation,
  type Data,
  ERROR,
  formatIssue,
  type Json,
  type JsonObject,
  jsonBytes,
  type Mutation,
  type Patch,
  patchBytes,
  type ProductGraph,
  recordPatch,
  type Trouble,
} from "@tessera/core";
import { decisionOutcome, loopOf } from "@tessera/gateways";
import { metaText, type Plan } from "./plan.ts";
import type { BodyAnswer, StepEnvironment } from "./turn.ts";

/** The effect of a step that passed every check, or the trouble that undid it. */
export type Effect =
  | { readonly kind: "effect"; readonly outcome: string; readonly data: Data; readonly patch: Patch | null; readonly mutation: Mutation | null; readonly graph: ProductGraph }
  | { readonly kind: "trouble"; readonly trouble: Trouble };

/** D and G before a step. */
export interface Before {
  readonly data: Data;
  readonly dataBytesBound: number;
  readonly graph: ProductGraph;
}

/** The values that an answer sets, or the trouble that made it no answer. */
type Draft = { [key: string]: Json };

/**
 * Applies an answer to D and G: the recipe's and the patch's changes of D, within the node's declared writes, never a
 * pass key except by its verifier, valid by schema, within the size limit; then the mutation through the gate.
 * A refusal leaves D and G as they were. Cost: the changed part of D, the touched part of G.
 *
 * @definition D20.5
 */
export function acceptAnswer(
  plan: Plan,
  node: number,
  before: Before,
  recipe: (draft: Draft) => BodyAnswer | Trouble,
  env: StepEnvironment,
): Effect {
  let answer: BodyAnswer | Trouble = {};
  let result: ReturnType<typeof recordPatch<Data>>;
  try {
    result = recordPatch(before.data, (draft) => {
      answer = recipe(draft as Draft);
      if (!isTrouble(answer)) setKeys(draft as Draft, answer.patch ?? {});
      return undefined;
    });
  } catch (error) {
    return troubled("BODY_THREW", messageOf(error));
  }
  if (!result.ok) return troubled("DATA_INVALID", result.issues.map(formatIssue).join("; "));
  const recorded = result.value;
  if (isTrouble(answer)) return { kind: "trouble", trouble: answer };
  const { outcome = "done", mutation } = answer as BodyAnswer;
  const changed = changedKeys(recorded.patch);
  const refusal =
    footprintTrouble(plan, node, changed) ?? valueTrouble(recorded.next, changed, env) ?? sizeTrouble(before, recorded, env);
  if (refusal !== null) return { kind: "trouble", trouble: refusal };
  const patch = changed.length === 0 ? null : recorded.patch;
  if (mutation === undefined) return { kind: "effect", outcome, data: recorded.next, patch, mutation: null, graph: before.graph };
  const gate = commitMutation(before.graph, mutation, env.bodies.constraints);
  if (gate.kind === "rejected") {
    const violations = gate.violations.map((violation) => ({ constraint: violation.constraint, message: violation.message }));
    return troubled("GATE_REJECTED", "the mutation violates the constraints of the graph", { violations });
  }
  return { kind: "effect", outcome, data: recorded.next, patch, mutation, graph: gate.graph };
}

/** Runs the inline body of `node`: a keyed or loop decision, a verifier, a transform. */
export function runInline(plan: Plan, node: number, before: Before, env: StepEnvironment): Effect | { readonly kind: "missing"; readonly name: string } {
  const definition = plan.nodes[node];
  if (definition === undefined || plan.bodies[node] !== "inline") {
    return { kind: "effect", outcome: "done", data: before.data, patch: null, mutation: null, graph: before.graph };
  }
  if (definition.kind === "decision") {
    const loop = loopOf(definition);
    const value = before.data[loop?.passKey ?? metaText(definition, "key") ?? ""];
    const outcome = loop === null ? decisionOutcome(definition, value) : verdictOutcome(value);
    if (outcome !== ERROR || loop === null) {
      return { kind: "effect", outcome, data: before.data, patch: null, mutation: null, graph: before.graph };
    }
    return troubled("VERDICT_MISSING", `the verdict "${loop.passKey}" of loop "${loop.id}" is missing or not boolean`);
  }
  const name = metaText(definition, "function") ?? definition.id;
  const body = env.bodies.functions.get(name);
  if (body === undefined) return { kind: "missing", name };
  const passKey = definition.kind === "verifier" ? metaText(definition, "passKey") : undefined;
  return acceptAnswer(plan, node, before, (data) => readAnswer(body({ data, graph: before.graph, node: definition, now: env.now }), passKey), env);
}

/** pass and not pass; whether a failed round is `fail` or `exhausted` is the counters' to say. */
function verdictOutcome(value: Json | undefined): string {
  if (value === true) return "pass";
  return value === false ? "fail" : ERROR;
}

function readAnswer(answer: BodyAnswer | boolean | undefined, passKey: string | undefined): BodyAnswer | Trouble {
  if (passKey !== undefined) {
    if (typeof answer === "boolean") return { patch: { [passKey]: answer } };
    return { code: "VERDICT_INVALID", message: "a verifier answers true or false" };
  }
  if (answer === undefined) return {};
  if (typeof answer === "object" && answer !== null && !("then" in answer)) return answer;
  return { code: "BODY_INVALID", message: "an inline body answers { outcome, patch, mutation } synchronously" };
}

function footprintTrouble(plan: Plan, node: number, changed: readonly string[]): Trouble | null {
  const definition = plan.nodes[node];
  const own = definition?.kind === "verifier" ? metaText(definition, "passKey") : undefined;
  const verdicts = changed.filter((key) => plan.passKeys.has(key) && key !== own);
  if (verdicts.length > 0) return { code: "PASS_KEY", message: "only a verifier writes a pass key", facts: { keys: verdicts } };
  const allowed = plan.writes[node] ?? null;
  const outside = allowed === null ? [] : changed.filter((key) => !allowed.has(key) && key !== own);
  if (outside.length === 0) return null;
  return { code: "FOOTPRINT", message: `"${definition?.id}" wrote keys that it does not declare`, facts: { keys: outside } };
}

function valueTrouble(data: Data, changed: readonly string[], env: StepEnvironment): Trouble | null {
  return env.bodies.validate(Object.fromEntries(changed.map((key) => [key, Object.hasOwn(data, key) ? data[key] : undefined])));
}
/** The bound grows by each patch's size; only when it passes the limit is D counted. */
function sizeTrouble(before: Before, after: { readonly next: Data; readonly patch: Patch }, env: StepEnvironment): Trouble | null {
  const { dataBytesMax } = env.limits;
  if (before.dataBytesBound + patchBytes(after.patch) <= dataBytesMax) return null;
  const bytes = jsonBytes(after.next, dataBytesMax);
  return bytes <= dataBytesMax ? null : { code: "DATA_LIMIT", message: "the data would outgrow the limit", facts: { dataBytesMax } };
}

/** The top-level keys that a patch touches, without repetition. */
export function changedKeys(patch: Patch): readonly string[] {
  return [...new Set(patch.ops.map((op) => String(op.path[0])))];
}

function setKeys(draft: Draft, patch: { readonly [key: string]: Json | undefined }): void {
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) delete draft[key];
    else draft[key] = value;
  }
}

function isTrouble(answer: BodyAnswer | Trouble): answer is Trouble {
  return "code" in answer;
}

function troubled(code: string, message: string, facts?: JsonObject): Effect {
  return { kind: "trouble", trouble: facts === undefined ? { code, message } : { code, message, facts } };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
