/** @module The shapes of what the journal and its snapshots keep. The order of the members is the format: see codec. */
import type {
  ChildStatus,
  InstanceCounts,
  JsonObject,
  Link,
  Mutation,
  ObjectUpdate,
  OpenItem,
  Overlay,
  Patch,
  PatchOp,
  ProductObject,
  RunState,
  SentEvent,
  StagedChange,
  StepRecord,
  Subscription,
  Suspension,
  Terminal,
  Trouble,
  TurnInput,
  TurnRecord,
} from "@tessera/core";
import {
  constant,
  counts,
  flag,
  hash,
  integer,
  list,
  may,
  members,
  moment,
  need,
  nullable,
  oneOf,
  record,
  type Shape,
  slot,
  step,
  text,
  union,
} from "./shape.ts";

const trouble: Shape<Trouble> = record<Trouble>({
  code: need(text),
  message: need(text),
  facts: may(members),
});

const mode: Shape<ChildStatus["modes"][number]> = oneOf({
  waiting_human: "h",
  waiting_ide: "d",
  waiting_external: "e",
  waiting_timer: "t",
});

const child: Shape<ChildStatus> = record<ChildStatus>({
  sequence: need(integer),
  status: need(oneOf({ running: "r", waiting: "w" })),
  modes: need(list(mode)),
});

const subscription: Shape<Subscription> = record<Subscription>({
  event: need(text),
  on: need(oneOf({ timer: "t", message: "m", signal: "s" })),
  name: may(text),
  key: may(text),
  dueAt: may(moment),
  remaining: may(integer),
  repeat: may(text),
  isBeside: may(flag),
  isFull: may(flag),
});

const instanceCounts: Shape<InstanceCounts> = record<InstanceCounts>({
  total: need(integer),
  opened: need(integer),
  completed: need(integer),
});

/** An open item, in a turn, in a snapshot or alone. */
export const ITEM: Shape<OpenItem> = record<OpenItem>({
  id: need(text),
  kind: need(
    oneOf({
      job: "j",
      "work-item": "w",
      timer: "t",
      external: "e",
      child: "c",
      event: "v",
      intervention: "i",
    }),
  ),
  node: need(text),
  openedAt: need(moment),
  turn: may(integer),
  childId: may(text),
  dueAt: may(moment),
  outcomes: may(list(text)),
  assignees: may(list(text)),
  candidateGroups: may(list(text)),
  assignee: may(text),
  attempt: may(integer),
  child: may(child),
  reason: may(trouble),
  repeat: may(text),
  remaining: may(integer),
  subscriptions: may(list(subscription)),
  event: may(text),
  instance: may(integer),
  instances: may(instanceCounts),
  data: may(members),
  host: may(text),
});

const op: Shape<PatchOp> = union<PatchOp>({
  set: ["s", { path: need(list(step)), value: need(slot) }],
  unset: ["u", { path: need(list(step)) }],
  splice: [
    "p",
    { path: need(list(step)), index: need(integer), remove: need(integer), insert: need(list(slot)) },
  ],
});

const patch: Shape<Patch> = record<Patch>({ version: need(constant(1)), ops: need(list(op)) });

const links: Shape<readonly Link[]> = list(record<Link>({ to: need(text), rel: may(text) }));

/** An object of a product graph, in a mutation or alone. */
export const OBJECT: Shape<ProductObject> = record<ProductObject>({
  id: need(text),
  type: need(text),
  payload: need(members),
  links: need(links),
});

const mutation: Shape<Mutation> = record<Mutation>({
  create: need(list(OBJECT)),
  update: need(list(record<ObjectUpdate>({ id: need(text), payload: may(members), links: may(links) }))),
  delete: need(list(text)),
});

const terminal: Shape<Terminal> = union<Terminal>({
  failed: ["f", { trouble: need(trouble) }],
  cancelled: ["x", { by: may(text), reason: may(text) }],
});

const operator = { by: need(text), reason: need(text) };
const personal = { item: need(text), by: need(text), to: may(text), reason: may(text), toGroup: may(text) };

const input: Shape<TurnInput> = union<TurnInput>({
  start: ["s", { data: need(members), by: may(text), event: may(text) }],
  continue: ["g", {}],
  result: ["r", { item: need(text), outcome: need(text), trouble: may(trouble) }],
  "attempt-failed": [
    "a",
    { item: need(text), attempt: need(integer), trouble: need(trouble), retryAt: need(moment) },
  ],
  hold: ["o", { item: need(text), trouble: need(trouble) }],
  complete: ["c", { item: need(text), outcome: need(text), by: need(text) }],
  claim: ["m", personal],
  release: ["l", personal],
  reassign: ["e", personal],
  timer: ["t", { item: need(text), dueAt: need(moment) }],
  event: [
    "v",
    {
      item: need(text),
      event: need(text),
      on: need(oneOf({ message: "m", signal: "s" })),
      name: need(text),
      message: may(text),
    },
  ],
  "child-status": ["h", { item: need(text), childSequence: need(integer) }],
  retry: ["y", { item: need(text), by: need(text), reason: need(text) }],
  cancel: ["x", { by: may(text), reason: may(text) }],
  edit: ["d", operator],
  suspend: ["z", operator],
  resume: ["u", operator],
  skip: ["k", { item: need(text), outcome: need(text), ...operator }],
  reroute: ["w", { item: need(text), to: need(text), ...operator }],
  migrate: ["q", { from: need(hash), to: need(hash), visits: need(list(integer)), ...operator }],
  fork: [
    "f",
    {
      run: need(text),
      at: need(integer),
      head: need(hash),
      data: need(members),
      visits: need(list(integer)),
      ...operator,
    },
  ],
});

const sent: Shape<SentEvent> = record<SentEvent>({
  on: need(oneOf({ message: "m", signal: "s" })),
  name: need(text),
  key: may(text),
  data: need(members),
  ttlMs: may(integer),
});

const staged: Shape<StagedChange> = record<StagedChange>({
  block: need(text),
  branch: need(integer),
  base: may(members),
  patch: may(patch),
  mutation: may(mutation),
});

const recordedStep: Shape<StepRecord> = record<StepRecord>({
  node: may(text),
  fired: may(list(integer)),
  outcome: may(text),
  patch: may(patch),
  opened: may(list(ITEM)),
  closed: may(list(text)),
  changed: may(list(ITEM)),
  trouble: may(trouble),
  mutation: may(mutation),
  marking: may(list(integer)),
  sent: may(list(sent)),
  staged: may(list(staged)),
  dropped: may(list(text)),
});

/** The payload of an effect. */
export const PAYLOAD: Shape<{ readonly payload: JsonObject }> = record<{ readonly payload: JsonObject }>({
  payload: need(members),
});

/** A turn. Its own time is written as it is; the other times in it as differences to it. */
export const RECORD: Shape<TurnRecord> = record<TurnRecord>({
  semantics: need(integer),
  sequence: need(integer),
  at: need(origin()),
  input: need(input),
  steps: need(list(recordedStep)),
  seed: may(text),
  terminal: may(terminal),
});

/** A state between turns. */
export const STATE: Shape<RunState> = record<RunState>({
  definition: need(hash),
  status: need(oneOf({ running: "r", waiting: "w", completed: "c", failed: "f", cancelled: "x" })),
  modes: need(list(mode)),
  marking: need(counts),
  data: need(members),
  items: need(list(ITEM)),
  sequence: need(integer),
  stepCount: need(integer),
  visits: need(list(integer)),
  dataBytesBound: need(integer),
  terminal: need(nullable(terminal)),
  suspension: may(record<Suspension>({ by: need(text), reason: need(text), at: need(moment) })),
  overlays: may(
    list(
      record<Overlay>({
        block: need(text),
        branch: need(integer),
        base: need(members),
        values: need(members),
        mutation: need(mutation),
      }),
    ),
  ),
});

/** A moment that becomes the base of those written after it. */
function origin(): Shape<number> {
  return {
    absent: "null",
    write: (value, sink) => {
      moment.write(value, sink);
      sink.base = Number.isSafeInteger(value) ? value : 0;
    },
    read: (tree, source) => {
      const value = moment.read(tree, source);
      source.base = Number.isSafeInteger(value) ? (value as number) : 0;
      return value;
    },
  };
}
