/** @module Random small workflows that wait: for people, jobs, times, messages, called runs and handlers, with what they write. */
import type {
  Arc,
  ConditionData,
  DataType,
  JsonObject,
  WorkflowDefinition,
  WorkflowNode,
} from "@tessera/core";
import fc from "fast-check";

/** What the workflows ask, which keys they have, and which of them an answer writes. */
export interface Asking {
  readonly guard: fc.Arbitrary<ConditionData>;
  readonly written: fc.Arbitrary<readonly string[]>;
  readonly data: Readonly<Record<string, DataType>>;
  /** What a form takes that takes less than the declaration. */
  readonly narrow: Readonly<Record<string, DataType>>;
}

/** What may come while a token rests. `isNarrow`: the form takes less than the declaration. */
interface Task {
  readonly kind: "human" | "tool" | "wait" | "call";
  readonly writes: readonly string[];
  readonly form: "none" | "whole" | "narrow" | "optional";
  readonly events: readonly Event[];
  readonly guard: ConditionData | null;
  /** How often a workflow is called, if it is. */
  readonly instances: 1 | 2;
  /** When the time of a person is over: not at all, by the clock, or also because somebody says so. */
  readonly deadline: "none" | "clock" | "listed";
  readonly hasError: boolean;
  readonly errorGuard: ConditionData | null;
}

interface Event {
  readonly on: "timer" | "message" | "signal";
  readonly manner: "interrupting" | "beside" | "handled";
  readonly writes: readonly string[];
  readonly guard: ConditionData | null;
}

type Part =
  | { readonly kind: "task"; readonly task: Task }
  | { readonly kind: "catch"; readonly events: readonly Event[] }
  | {
      readonly kind: "choice";
      readonly guards: readonly ConditionData[];
      readonly hasDefault: boolean;
      readonly isOr: boolean;
      readonly inner: Task | null;
    }
  | { readonly kind: "both"; readonly tasks: readonly Task[] }
  | { readonly kind: "pass"; readonly through: "timer" | "throw" }
  | {
      readonly kind: "scope";
      readonly task: Task;
      readonly event: Event | null;
      /** The guard of the end of its own label, and of the arc of what is raised before the other end. */
      readonly guard: ConditionData;
      readonly raised: ConditionData | null;
      readonly isTerminated: boolean;
    }
  | { readonly kind: "again"; readonly task: Task; readonly guard: ConditionData };

/** A sequence of parts that wait for what the world brings. */
export function eventfulWorkflow(asking: Asking): fc.Arbitrary<WorkflowDefinition> {
  const parts = fc.array(partOf(asking), { minLength: 1, maxLength: 3 });
  const isBegun = fc.integer({ min: 0, max: 4 }).map((number) => number === 0);
  return fc.tuple(parts, isBegun).map(([all, isByEvents]) => inARow(all, asking, isByEvents));
}

function partOf({ guard, written }: Asking): fc.Arbitrary<Part> {
  const event: fc.Arbitrary<Event> = fc.record({
    on: fc.constantFrom("timer", "message", "signal"),
    manner: fc.constantFrom("interrupting", "interrupting", "beside", "handled", "handled"),
    writes: written,
    guard: fc.option(guard, { freq: 1 }),
  });
  const task: fc.Arbitrary<Task> = fc.record({
    kind: fc.constantFrom("human", "tool", "wait", "call"),
    writes: written,
    form: fc.constantFrom("none", "none", "whole", "narrow", "optional"),
    events: fc.oneof(fc.constant([]), fc.array(event, { minLength: 1, maxLength: 1 })),
    guard: fc.option(guard, { freq: 2 }),
    instances: fc.constantFrom(1, 1, 2),
    deadline: fc.constantFrom("none", "none", "clock", "listed"),
    hasError: fc.integer({ max: 3, min: 0 }).map((number) => number > 0),
    errorGuard: fc.option(guard, { freq: 1 }),
  });
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("task" as const), task }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("catch" as const),
        // Of two times that are the same the second one never comes.
        events: fc
          .array(event, { minLength: 1, maxLength: 2 })
          .filter((events) => events.filter(({ on }) => on === "timer").length < 2),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("choice" as const),
        guards: fc.array(guard, { minLength: 1, maxLength: 3 }),
        hasDefault: fc.boolean(),
        isOr: fc.boolean(),
        inner: fc.option(task),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("both" as const), tasks: fc.tuple(task, task) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("again" as const), task, guard }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("pass" as const),
        through: fc.constantFrom("timer" as const, "throw" as const),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("scope" as const),
        task,
        event: fc.option(event),
        guard,
        raised: fc.option(guard),
        isTerminated: fc.boolean(),
      }),
    },
  );
}

interface Drawing {
  readonly asking: Asking;
  readonly add: (kind: string, hint: string, more?: Partial<WorkflowNode>) => string;
  readonly link: (from: string, to: string, more?: Partial<Arc>) => void;
}

/** `isByEvents`: a message or a signal begins the run. */
function inARow(parts: readonly Part[], asking: Asking, isByEvents: boolean): WorkflowDefinition {
  const nodes: WorkflowNode[] = [];
  const arcs: Arc[] = [];
  const add: Drawing["add"] = (kind, hint, more = {}) => {
    const id = `${hint}${nodes.length}`;
    nodes.push({ id, kind, ...more });
    return id;
  };
  const link: Drawing["link"] = (from, to, more = {}) => void arcs.push({ from, to, ...more });
  const events: readonly JsonObject[] = ["message", "signal"].map((on) => ({ id: on, on, name: on }));
  const start = add("start", "start", isByEvents ? { meta: { events } } : {});
  let before = isByEvents ? add("gateway", "begun") : start;
  for (const { id } of isByEvents ? events : []) link(start, before, { outcome: String(id) });
  for (const one of parts) before = drawn(one, before, { add, link, asking });
  link(before, add("end", "end"));
  return { format: 1, kind: "workflow", id: "w", entry: "start0", nodes, arcs, data: asking.data };
}

const guarded = (one: ConditionData | null): Partial<Arc> => (one === null ? {} : { guard: one });

function drawn(one: Part, before: string, drawing: Drawing): string {
  const { add, link } = drawing;
  switch (one.kind) {
    case "task":
      return drawTask(one.task, before, drawing);
    case "catch": {
      const events = one.events.map((each, at) => eventOf({ ...each, manner: "interrupting" }, at));
      const node = add("catch", "catch", { meta: { events } });
      const out = add("gateway", "out");
      link(before, node);
      for (const [at, each] of one.events.entries())
        link(node, out, { outcome: `e${at}`, ...guarded(each.guard) });
      if (one.events.some(({ on, writes }) => on !== "timer" && writes.length > 0))
        link(node, out, { outcome: "error" });
      return out;
    }
    case "choice": {
      const split = add("gateway", "choice", one.isOr ? { split: "or" } : {});
      const out = add("gateway", "merge", one.isOr ? { join: "or" } : {});
      link(before, split);
      const ways = [...one.guards.map(guarded), ...(one.hasDefault ? [{ default: true } as const] : [])];
      ways.forEach((way, at) => {
        const first = add("gateway", "way");
        link(split, first, way);
        link(at === 0 && one.inner !== null ? drawTask(one.inner, first, drawing) : first, out);
      });
      return out;
    }
    case "both": {
      const split = add("gateway", "split", { split: "all" });
      const join = add("gateway", "join", { join: "all" });
      link(before, split);
      for (const each of one.tasks) link(drawTask(each, split, drawing), join);
      return join;
    }
    case "pass": {
      const meta: JsonObject =
        one.through === "timer" ? { duration: "PT1H" } : { on: "signal", name: "thrown" };
      const node = add(one.through, one.through, { meta });
      link(before, node);
      return node;
    }
    case "scope":
      return drawScope(one, before, drawing);
    case "again": {
      const head = add("gateway", "head");
      link(before, head);
      const last = drawTask(one.task, head, drawing);
      const decide = add("decision", "decide");
      const out = add("gateway", "out");
      link(last, decide);
      link(decide, head, { guard: one.guard });
      link(decide, out, { default: true });
      return out;
    }
  }
}

const KIND = { human: "human", tool: "tool", wait: "wait", call: "subprocess" } as const;
const mapped = (keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.map((key) => [key, `own ${key}`]));

function eventOf({ on, manner, writes }: Event, at: number): JsonObject {
  const time = on === "timer" ? { duration: "PT1H" } : { name: `n${at}` };
  const payload = on === "timer" || manner === "handled" ? {} : { payload: mapped(writes) };
  const handler = manner === "handled" ? { workflow: "h", outputs: mapped(writes), openMax: 1 } : {};
  const beside = manner === "interrupting" ? {} : { interrupting: false };
  return { id: `e${at}`, on, ...time, ...payload, ...beside, ...handler };
}

function formOf({ form, writes }: Task, { data, narrow }: Asking): JsonObject {
  const fields = writes.map((key): readonly [string, JsonObject] => {
    const { type } = data[key]!;
    const less = form === "narrow" ? { ...narrow[key] } : {};
    return [key, { type, ...less, ...(form === "optional" ? { optional: true } : {}) } as JsonObject];
  });
  return Object.fromEntries(fields);
}

function drawTask(one: Task, before: string, { add, link, asking }: Drawing): string {
  const { kind, writes } = one;
  const events = one.events.map(eventOf);
  const called =
    one.instances === 1 ? { outputs: mapped(writes) } : { multi: { mode: "parallel", count: one.instances } };
  // Of two times the later one never comes.
  const isTimed = one.events.some(({ on }) => on === "timer");
  const hasDeadline = !isTimed && (kind === "human" || kind === "wait") && one.deadline !== "none";
  const hasForm = kind === "human" && one.form !== "none";
  const meta: JsonObject = {
    ...(events.length === 0 ? {} : { events }),
    ...(hasForm ? { form: formOf(one, asking) } : {}),
    ...(hasDeadline ? { deadline: "PT9H" } : {}),
    ...(hasDeadline && one.deadline === "listed" ? { outcomes: ["done", "expired"] } : {}),
    ...(kind === "call" ? { workflow: "w", ...called } : {}),
  };
  const all = [...new Set([...writes, ...one.events.flatMap((each) => each.writes)])];
  // A form says what people write; events write besides.
  const node = add(KIND[kind], kind, { writes: all, ...(Object.keys(meta).length === 0 ? {} : { meta }) });
  const out = add("gateway", "out");
  link(before, node);
  link(node, out, guarded(one.guard));
  for (const [at, each] of one.events.entries()) linkEvent(each, at, node, out, { add, link });
  const isFailing = kind === "tool" || kind === "call" || one.events.some(isBringing);
  if (isFailing && one.hasError) link(node, out, { outcome: "error", ...guarded(one.errorGuard) });
  if (kind === "call") link(node, out, { outcome: "cancelled" });
  if (hasDeadline) link(node, out, { outcome: "expired", ...guarded(one.errorGuard) });
  return out;
}

const side = fc.record({
  key: fc.constant("x"),
  op: fc.constantFrom("greaterThan", "atLeast", "lessThan", "is", "isNot"),
  value: fc.constant(0),
});
const listed = fc.record({
  key: fc.constant("c"),
  op: fc.constantFrom("is", "isNot"),
  value: fc.constantFrom("a", "b"),
});

/** Those that ask of a number and of a word. */
export const waitingWorkflow: fc.Arbitrary<WorkflowDefinition> = eventfulWorkflow({
  guard: fc.oneof(side, side, listed) as fc.Arbitrary<ConditionData>,
  written: fc.constantFrom([], ["x"], ["c"], ["x", "c"]),
  data: { x: { type: "number" }, c: { type: "string", values: ["a", "b", "z"] } },
  narrow: { x: { type: "number", values: [0, 1] }, c: { type: "string", values: ["a", "z"] } },
});

/** Somebody works inside, and the scope ends under one of two labels. */
function drawScope(
  { task, event, guard, raised, isTerminated }: Part & { readonly kind: "scope" },
  before: string,
  drawing: Drawing,
): string {
  const { add, link } = drawing;
  const up: JsonObject = { id: "up", on: "escalation", name: "up", interrupting: false };
  const events = [...(event === null ? [] : [eventOf(event, 0)]), ...(raised === null ? [] : [up])];
  const meta = { entry: "", outcomes: ["done", "early"], ...(events.length === 0 ? {} : { events }) };
  const scope = add("subprocess", "scope", { meta });
  const inside: Drawing = { ...drawing, add: (kind, hint, more) => add(kind, hint, { scope, ...more }) };
  meta.entry = inside.add("gateway", "entry");
  const choice = inside.add("gateway", "fork");
  link(drawTask(task, meta.entry, inside), choice);
  const more = isTerminated ? { terminate: true } : {};
  link(choice, inside.add("end", "early", { meta: { outcome: "early", ...more } }), { guard });
  const end = inside.add("end", "inner");
  const way =
    raised === null ? end : inside.add("throw", "raise", { meta: { on: "escalation", name: "up" } });
  link(choice, way, { default: true });
  if (raised !== null) link(way, end);
  const out = add("gateway", "out");
  link(before, scope);
  for (const outcome of ["done", "early"]) link(scope, out, { outcome });
  if (raised !== null) link(scope, add("end", "side"), { outcome: "up", guard: raised });
  if (event !== null) linkEvent(event, 0, scope, out, { add, link });
  if (event !== null && task.hasError && isBringing(event)) link(scope, out, { outcome: "error" });
  return out;
}

/** Does the event go on along arcs, and write? */
function isBringing({ on, manner, writes }: Event): boolean {
  return on !== "timer" && manner !== "handled" && writes.length > 0;
}

/** The arcs of an event that goes on along arcs. */
function linkEvent(
  { manner, guard }: Event,
  at: number,
  node: string,
  out: string,
  { add, link }: Pick<Drawing, "add" | "link">,
): void {
  if (manner === "handled") return;
  link(node, manner === "interrupting" ? out : add("end", "side"), { outcome: `e${at}`, ...guarded(guard) });
}
