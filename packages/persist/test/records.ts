/** @module Generated records, items, states and mutations, for the properties of this package. */
import type {
  Hash,
  Json,
  JsonObject,
  Mutation,
  OpenItem,
  Overlay,
  PatchOp,
  ProductObject,
  RunState,
  SentEvent,
  StagedChange,
  StepRecord,
  Subscription,
  Terminal,
  Trouble,
  TurnInput,
  TurnRecord,
} from "@tessera/core";
import fc from "fast-check";

/** Any well-formed text; some that trip up writers of JSON. */
const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "grapheme-ascii", maxLength: 8 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constantFrom("__proto__", "10", "2", '"\\', "\u2028", "\u{1F600}", "") },
);

/** Whole numbers, small, large and negative. */
const whole = fc.oneof(fc.nat(40), fc.maxSafeInteger());

/** Moments: near each other as in a run, far apart, and between two ms. */
const moment = fc.oneof(
  fc.integer({ min: 1_700_000_000_000, max: 1_700_000_090_000 }),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** A JSON value; objects in any order of their keys. */
const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false, 0, -1.5, 1e21, 5e-324),
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc
    .array(fc.tuple(text, tie("value")), { maxLength: 3 })
    .map(Object.fromEntries) as fc.Arbitrary<JsonObject>,
})).value;

/** A JSON object. */
const object: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(text, json), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries) as JsonObject);

const trouble: fc.Arbitrary<Trouble> = fc.record(
  { code: text, message: text, facts: object },
  { requiredKeys: ["code", "message"] },
);

const modes = fc.subarray(["waiting_human", "waiting_ide", "waiting_external", "waiting_timer"] as const);

/** A generator for every member of T, optional ones too: a new member without one is a type error. */
type Every<T> = { readonly [K in keyof T]-?: fc.Arbitrary<Exclude<T[K], undefined>> };

const isTrue = fc.constant(true as const);
const subscription: fc.Arbitrary<Subscription> = fc.record(
  {
    event: text,
    on: fc.constantFrom("timer" as const, "message" as const, "signal" as const),
    name: text,
    key: text,
    dueAt: moment,
    remaining: whole,
    repeat: text,
    isBeside: isTrue,
    isFull: isTrue,
  } satisfies Every<Subscription>,
  { requiredKeys: ["event", "on"] },
);
const sent: fc.Arbitrary<SentEvent> = fc.record(
  {
    on: fc.constantFrom("message" as const, "signal" as const),
    name: text,
    key: text,
    data: object,
    ttlMs: whole,
  } satisfies Every<SentEvent>,
  { requiredKeys: ["on", "name", "data"] },
);

/** An open item with any of its members. */
const item: fc.Arbitrary<OpenItem> = fc.record(
  {
    id: text,
    kind: fc.constantFrom<OpenItem["kind"]>(
      "job",
      "work-item",
      "timer",
      "external",
      "child",
      "event",
      "intervention",
    ),
    node: text,
    openedAt: moment,
    turn: whole,
    dueAt: moment,
    remaining: whole,
    repeat: text,
    assignee: text,
    assignees: fc.array(text, { maxLength: 2 }),
    candidateGroups: fc.array(text, { maxLength: 2 }),
    attempt: whole,
    childId: text,
    child: fc.record({
      sequence: whole,
      status: fc.constantFrom("running" as const, "waiting" as const),
      modes,
    }),
    outcomes: fc.array(text, { maxLength: 2 }),
    reason: trouble,
    subscriptions: fc.array(subscription, { maxLength: 2 }),
    event: text,
    instance: whole,
    instances: fc.record({ total: whole, opened: whole, completed: whole }),
    data: object,
    host: text,
  } satisfies Every<OpenItem>,
  { requiredKeys: ["id", "kind", "node", "openedAt"] },
);

const path = fc.array(fc.oneof(text, whole), { minLength: 1, maxLength: 3 });
const op: fc.Arbitrary<PatchOp> = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), path, value: json }),
  fc.record({ kind: fc.constant("unset" as const), path }),
  fc.record({
    kind: fc.constant("splice" as const),
    path,
    index: whole,
    remove: whole,
    insert: fc.array(json, { maxLength: 2 }),
  }),
);

const links = fc.array(fc.record({ to: text, rel: text }, { requiredKeys: ["to"] }), { maxLength: 2 });
const productObject: fc.Arbitrary<ProductObject> = fc.record({
  id: text,
  type: text,
  payload: object,
  links,
});
const mutation: fc.Arbitrary<Mutation> = fc.record({
  create: fc.array(productObject, { maxLength: 2 }),
  update: fc.array(fc.record({ id: text, payload: object, links }, { requiredKeys: ["id"] }), {
    maxLength: 2,
  }),
  delete: fc.array(text, { maxLength: 2 }),
});

const terminal: fc.Arbitrary<Terminal> = fc.oneof(
  fc.record({ kind: fc.constant("failed" as const), trouble }),
  fc.record({ kind: fc.constant("cancelled" as const), by: text, reason: text }, { requiredKeys: ["kind"] }),
);

const definition = fc.constantFrom(`sha256:${"d".repeat(64)}` as Hash, `sha256:${"0".repeat(64)}` as Hash);

const input: fc.Arbitrary<TurnInput> = fc.oneof(
  fc.record(
    { kind: fc.constant("start" as const), data: object, by: text, event: text },
    { requiredKeys: ["kind", "data"] },
  ),
  fc.constant<TurnInput>({ kind: "continue" }),
  fc.record(
    { kind: fc.constant("result" as const), item: text, outcome: text, trouble },
    { requiredKeys: ["kind", "item", "outcome"] },
  ),
  fc.record({
    kind: fc.constant("attempt-failed" as const),
    item: text,
    attempt: whole,
    trouble,
    retryAt: moment,
  }),
  fc.record({ kind: fc.constant("complete" as const), item: text, outcome: text, by: text }),
  fc.record(
    {
      kind: fc.constantFrom("claim" as const, "release" as const, "reassign" as const),
      item: text,
      by: text,
      to: text,
      reason: text,
      toGroup: text,
    },
    { requiredKeys: ["kind", "item", "by"] },
  ),
  fc.record({ kind: fc.constant("timer" as const), item: text, dueAt: moment }),
  fc.record(
    {
      kind: fc.constant("event" as const),
      item: text,
      event: text,
      on: fc.constantFrom("message" as const, "signal" as const),
      name: text,
      message: text,
    },
    { requiredKeys: ["kind", "item", "event", "on", "name"] },
  ),
  fc.record({ kind: fc.constant("child-status" as const), item: text, childSequence: whole }),
  fc.record({ kind: fc.constant("retry" as const), item: text, by: text, reason: text }),
  fc.record({ kind: fc.constant("cancel" as const), by: text, reason: text }, { requiredKeys: ["kind"] }),
  fc.record({
    kind: fc.constantFrom("edit" as const, "suspend" as const, "resume" as const),
    by: text,
    reason: text,
  }),
  fc.record({ kind: fc.constant("skip" as const), item: text, outcome: text, by: text, reason: text }),
  fc.record({ kind: fc.constant("reroute" as const), item: text, to: text, by: text, reason: text }),
  fc.record({
    kind: fc.constant("migrate" as const),
    from: definition,
    to: definition,
    visits: fc.array(whole, { maxLength: 3 }),
    by: text,
    reason: text,
  }),
  fc.record({
    kind: fc.constant("fork" as const),
    run: text,
    at: whole,
    head: definition,
    data: object,
    visits: fc.array(whole, { maxLength: 3 }),
    by: text,
    reason: text,
  }),
);

const step: fc.Arbitrary<StepRecord> = fc.record(
  {
    node: text,
    fired: fc.array(whole, { maxLength: 3 }),
    outcome: text,
    patch: fc.record({ version: fc.constant(1 as const), ops: fc.array(op, { maxLength: 3 }) }),
    mutation,
    opened: fc.array(item, { maxLength: 2 }),
    closed: fc.array(text, { maxLength: 2 }),
    changed: fc.array(item, { maxLength: 2 }),
    trouble,
    marking: fc.array(whole, { maxLength: 4 }),
    sent: fc.array(sent, { maxLength: 2 }),
    staged: fc.array(
      fc.record(
        {
          block: text,
          branch: fc.integer({ min: -1, max: 9 }),
          base: object,
          patch: fc.record({ version: fc.constant(1 as const), ops: fc.array(op, { maxLength: 2 }) }),
          mutation,
        } satisfies Every<StagedChange>,
        { requiredKeys: ["block", "branch"] },
      ),
      { maxLength: 2 },
    ),
    dropped: fc.array(text, { maxLength: 2 }),
  } satisfies Every<StepRecord>,
  { requiredKeys: [] },
);

/** A turn's record, of every kind of input and with any of its members. */
export const record: fc.Arbitrary<TurnRecord> = fc.record(
  {
    semantics: whole,
    sequence: whole,
    at: moment,
    seed: text,
    input,
    steps: fc.array(step, { maxLength: 3 }),
    terminal,
  } satisfies Every<TurnRecord>,
  { requiredKeys: ["semantics", "sequence", "at", "input", "steps"] },
);

/** A state between turns. */
export const state: fc.Arbitrary<RunState> = fc.record(
  {
    definition: fc.constant(`sha256:${"d".repeat(64)}` as Hash),
    status: fc.constantFrom(
      "running" as const,
      "waiting" as const,
      "completed" as const,
      "failed" as const,
      "cancelled" as const,
    ),
    modes,
    marking: fc.array(fc.nat(3), { maxLength: 6 }),
    data: object,
    items: fc.array(item, { maxLength: 2 }),
    sequence: whole,
    stepCount: whole,
    visits: fc.array(whole, { maxLength: 4 }),
    dataBytesBound: whole,
    terminal: fc.option(terminal),
    suspension: fc.record({ by: text, reason: text, at: moment }),
    overlays: fc.array(
      fc.record({
        block: text,
        branch: fc.integer({ min: -1, max: 9 }),
        base: object,
        values: object,
        mutation,
      } satisfies Every<Overlay>),
      { maxLength: 2 },
    ),
  } satisfies Every<RunState>,
  {
    requiredKeys: [
      "definition",
      "status",
      "modes",
      "marking",
      "data",
      "items",
      "sequence",
      "stepCount",
      "visits",
      "dataBytesBound",
      "terminal",
    ],
  },
);

/** The same value with the keys of every object in reverse order. */
export function reordered<T>(value: T): T {
  if (Array.isArray(value)) return value.map(reordered) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reordered(member)]),
  ) as T;
}
