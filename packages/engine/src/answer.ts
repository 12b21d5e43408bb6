/** @module From a body's answer to a change of D and G: schema, footprint, gate, all or nothing. */
import {
  applyMutation,
  commitMutation,
  type Data,
  formatIssue,
  InvariantViolation,
  type Issue,
  type Json,
  type JsonObject,
  jsonBytes,
  type Mutation,
  type Outcome,
  type Patch,
  type ProductGraph,
  patchBytes,
  type Result,
  recordKeys,
  recordPatch,
  type Trouble,
} from "@tessera/core";
import { decisionOutcome, loopOf } from "@tessera/gateways";
import { type Answer, type Reading, readBodyAnswer } from "./body-answer.ts";
import { claimTrouble, visibleGraph } from "./graph-claim.ts";
import { isMergedAround, stageTrouble } from "./held.ts";
import { metaText, type Plan } from "./plan.ts";
import { thrownText } from "./trouble.ts";
import type { StepEnvironment } from "./turn.ts";

/** The effect of a step that passed every check, or the trouble that undid it. */
export type Effect =
  | {
      readonly kind: "effect";
      readonly outcome: Outcome;
      readonly data: Data;
      readonly patch: Patch | null;
      /** Keys that were written with the values which they had, where a block around the node merges them. */
      readonly same?: readonly string[];
      readonly mutation: Mutation | null;
      readonly graph: ProductGraph;
    }
  | { readonly kind: "trouble"; readonly trouble: Trouble };

/** D and G before a step. */
export interface Before {
  readonly data: Data;
  readonly dataBytesBound: number;
  readonly graph: ProductGraph;
  /** What the branch of the node has proposed, where its block holds mutations back until its end. */
  readonly proposed?: Mutation;
}

/** The values that an answer sets. */
type Draft = { [key: string]: Json };

/** The effect of a body that changes nothing. */
export function plainEffect(before: Before, outcome: Outcome): Effect & { readonly kind: "effect" } {
  return { kind: "effect", outcome, data: before.data, patch: null, mutation: null, graph: before.graph };
}

/**
 * Applies an answer, or a body that gives one, to D and G: the body's and the patch's changes of D, within the node's
 * declared writes, never a pass key except by its verifier, valid by schema, within the size limit; then the mutation
 * through the gate.
 * A refusal leaves D and G as they were. Cost: the changed part of D, the touched part of G.
 *
 * @definition D20.5
 */
export function acceptAnswer(
  plan: Plan,
  node: number,
  before: Before,
  body: Answer | ((draft: Draft) => Reading),
  env: StepEnvironment,
): Effect {
  const { reading, result } = draftAnswer(before.data, body);
  if (reading.kind === "trouble") return reading;
  if (!result.ok) return troubled("DATA_INVALID", result.issues.map(formatIssue).join("; "));
  const { outcome, mutation } = reading.answer;
  const { next, patch } = result.value;
  const changed = changedKeys(patch);
  const same = Object.keys(reading.answer.patch).filter((key) => {
    return Object.hasOwn(next, key) && !changed.includes(key) && isMergedAround(plan, node, key);
  });
  const refusal =
    footprintTrouble(plan, node, [...changed, ...same]) ??
    eventTrouble(patch, mutation, env) ??
    (mutation === null ? null : claimTrouble(plan, node, before, mutation)) ??
    env.bodies.validate(valuesOf(next, changed)) ??
    sizeTrouble(before, { next, patch }, env);
  if (refusal !== null) return { kind: "trouble", trouble: refusal };
  const effect = {
    kind: "effect",
    outcome,
    data: next,
    patch: changed.length === 0 ? null : patch,
    ...(same.length === 0 ? {} : { same }),
    mutation,
  } as const;
  if (mutation === null) return { ...effect, graph: before.graph };
  if (before.proposed !== undefined) {
    const trouble = stageTrouble(before.graph, before.proposed, mutation);
    if (trouble !== null) return { kind: "trouble", trouble };
    return { ...effect, graph: applyMutation(before.graph, mutation) };
  }
  const gate = commitMutation(before.graph, mutation, env.bodies.constraints);
  if (gate.kind === "committed") return { ...effect, graph: gate.graph };
  const violations = gate.violations.map(({ code, constraint, message, facts }) => {
    return { code, constraint, message, facts };
  });
  return troubled("GATE_REJECTED", "the mutation violates the constraints of the graph", { violations });
}

/**
 * Sets what an answer sets, or runs a body on a draft of D. What the body throws is trouble of the run; what core throws
 * is a bug of ours.
 */
function draftAnswer(
  data: Data,
  body: Answer | ((draft: Draft) => Reading),
): {
  readonly reading: Reading;
  readonly result: Result<{ readonly next: Data; readonly patch: Patch }, readonly Issue[]>;
} {
  let reading: Reading = troubled("BODY_INVALID", "the body did not run");
  try {
    if (typeof body !== "function") {
      return { reading: { kind: "answer", answer: body }, result: recordKeys(data, body.patch) };
    }
    const result = recordPatch<Data>(data, (draft) => {
      reading = guarded(() => body(draft as Draft));
      if (reading.kind === "answer") setKeys(draft as Draft, reading.answer.patch);
      return undefined;
    });
    return { reading, result };
  } catch (error) {
    if (error instanceof InvariantViolation) throw error;
    const trouble = troubled("DATA_INVALID", `the data cannot be recorded: ${thrownText(error)}`);
    return { reading: trouble, result: { ok: false, issues: [] } };
  }
}

function guarded(recipe: () => Reading): Reading {
  try {
    return recipe();
  } catch (error) {
    return troubled("BODY_THREW", thrownText(error));
  }
}

/** The effect of an inline body, or the name of the function that is not registered. */
export type InlineResult = Effect | { readonly kind: "missing"; readonly name: string };

/** Runs the inline body of `node`: a keyed or loop decision, a verifier, a transform. */
export function runInline(plan: Plan, node: number, before: Before, env: StepEnvironment): InlineResult {
  const definition = plan.nodes[node];
  if (definition === undefined || plan.bodies[node] !== "inline") return plainEffect(before, "done");
  if (definition.kind === "decision") return decide(definition, before);
  const name = metaText(definition, "function") ?? definition.id;
  const body = env.bodies.functions.get(name);
  if (body === undefined) return { kind: "missing", name };
  const passKey = definition.kind === "verifier" ? metaText(definition, "passKey") : undefined;
  const recipe = (data: Draft): Reading => {
    const visible = plan.visible[node] ?? null;
    const view = visible === null ? data : viewOf(data, visible);
    const graph = visibleGraph(plan, node, before.data, before.graph);
    const value: unknown = body({ data: view, graph, node: definition, now: env.at });
    return passKey === undefined ? readBodyAnswer(value) : readVerdict(value, passKey);
  };
  return acceptAnswer(plan, node, before, recipe, env);
}

/** D as a node sees it that declares what it reads: the other keys are not there. */
export function viewOf<T extends object>(data: T, visible: ReadonlySet<string>): T {
  const sees = (key: string | symbol): boolean => typeof key !== "string" || visible.has(key);
  return new Proxy(data, {
    get: (target, key) => (sees(key) ? Reflect.get(target, key) : undefined),
    has: (target, key) => sees(key) && Reflect.has(target, key),
    ownKeys: (target) => Reflect.ownKeys(target).filter(sees),
    getOwnPropertyDescriptor: (target, key) =>
      sees(key) ? Reflect.getOwnPropertyDescriptor(target, key) : undefined,
  });
}

function decide(definition: Plan["nodes"][number], before: Before): Effect {
  const loop = loopOf(definition);
  const key = loop?.passKey ?? metaText(definition, "key") ?? "";
  const value = Object.hasOwn(before.data, key) ? before.data[key] : undefined;
  if (loop === null) return plainEffect(before, decisionOutcome(definition, value));
  // Whether a failed round is `fail` or `exhausted` is the counters' to say.
  if (typeof value === "boolean") return plainEffect(before, value ? "pass" : "fail");
  return troubled(
    "VERDICT_MISSING",
    `the verdict "${loop.passKey}" of loop "${loop.id}" is missing or no boolean`,
  );
}

function readVerdict(value: unknown, passKey: string): Reading {
  if (typeof value === "boolean") {
    return { kind: "answer", answer: { outcome: "done", patch: { [passKey]: value }, mutation: null } };
  }
  readBodyAnswer(value);
  return troubled("VERDICT_INVALID", "a verifier answers true or false");
}

function footprintTrouble(plan: Plan, node: number, changed: readonly string[]): Trouble | null {
  const definition = plan.nodes[node];
  const own = definition?.kind === "verifier" ? metaText(definition, "passKey") : undefined;
  const verdicts = changed.filter((key) => plan.passKeys.has(key) && key !== own);
  if (verdicts.length > 0) {
    return { code: "PASS_KEY", message: "only its verifier writes a pass key", facts: { keys: verdicts } };
  }
  const allowed = own === undefined ? (plan.writes[node] ?? null) : new Set([own]);
  const outside = allowed === null ? [] : changed.filter((key) => !allowed.has(key));
  if (outside.length === 0) return null;
  const message = `"${definition?.id}" wrote keys that it does not declare`;
  return { code: "FOOTPRINT", message, facts: { keys: outside } };
}

function eventTrouble(patch: Patch, mutation: Mutation | null, env: StepEnvironment): Trouble | null {
  const { eventBytesMax } = env.limits;
  const mutationBytes = mutation === null ? 0 : jsonBytes(mutation as unknown as Json, eventBytesMax);
  if (patchBytes(patch) + mutationBytes <= eventBytesMax) return null;
  return { code: "EVENT_LIMIT", message: "the step changes more than the limit", facts: { eventBytesMax } };
}

/** The bound grows by each patch's size; only when it passes the limit is D counted. */
function sizeTrouble(
  before: Before,
  after: { readonly next: Data; readonly patch: Patch },
  env: StepEnvironment,
): Trouble | null {
  const { dataBytesMax } = env.limits;
  if (before.dataBytesBound + patchBytes(after.patch) <= dataBytesMax) return null;
  if (jsonBytes(after.next, dataBytesMax) <= dataBytesMax) return null;
  return { code: "DATA_LIMIT", message: "the data would outgrow the limit", facts: { dataBytesMax } };
}

/** The top-level keys that a patch touches, without repetition. */
export function changedKeys(patch: Patch): readonly string[] {
  return [...new Set(patch.ops.map((op) => String(op.path[0])))];
}

function valuesOf(data: Data, keys: readonly string[]): { readonly [key: string]: Json | undefined } {
  return Object.fromEntries(keys.map((key) => [key, Object.hasOwn(data, key) ? data[key] : undefined]));
}

function setKeys(draft: Draft, patch: { readonly [key: string]: Json | undefined }): void {
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) delete draft[key];
    else draft[key] = value;
  }
}

function troubled(
  code: string,
  message: string,
  facts?: JsonObject,
): Effect & Reading & { readonly kind: "trouble" } {
  return { kind: "trouble", trouble: facts === undefined ? { code, message } : { code, message, facts } };
}
