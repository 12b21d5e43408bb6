/**
 * @module A process run to its end with scripted answers: whoever is asked says what leads on, whatever waits is woken.
 *
 * Ports answer `done`; people and outside systems take the first outcome; a condition that is text holds the first two times
 * it is asked and not after that, so that loops end, and so does a flow of an exclusive gateway that has none; the data make the first comparison of each key true; a message or
 * signal comes when nothing else can happen, then the clock goes to the next time that something is due.
 */
import { testEngine } from "@tessera/engine/testing";
import { memoryStore } from "@tessera/persist";

/** Answers of one run, and steps of one run, before it counts as one that goes on for ever. */
const ANSWERS_MAX = 120;
const STEPS_MAX = 4_000;
const SCRIPT = { id: "script" };

/**
 * Runs the definitions of a file, those that no other calls, all at once.
 *
 * @param {readonly import("@tessera/core").WorkflowDefinition[]} given
 * @returns {Promise<{ kind: "completed" | "waits" | "goes on" } | { kind: "fails", code: string }>}
 */
export async function runScripted(given) {
  const definitions = given.map(scriptChoices);
  const nodes = definitions.flatMap((definition) => definition.nodes);
  const called = new Set(nodes.flatMap(calledBy));
  const known = new Set(definitions.map(({ id }) => id));
  const ports = nodes.flatMap(({ meta }) => (typeof meta?.port === "string" ? [meta.port] : []));
  const asked = new Map();
  const evaluate = (text) => {
    asked.set(text, (asked.get(text) ?? 0) + 1);
    return { kind: "value", value: asked.get(text) <= 2 };
  };
  const conditions = definitions.flatMap(({ arcs }) => arcs.flatMap(({ guard }) => leaves(guard)));
  const multis = nodes.flatMap(({ meta }) => leaves(meta?.multi?.completion));
  const languages = [...conditions, ...multis].flatMap(({ language }) => language ?? []);
  const test = testEngine({
    // The runs are those that are started here: a process that times start would begin more of them on the way.
    store: { ...memoryStore(), startTimers: async () => [] },
    ports: Object.fromEntries(ports.map((port) => [port, () => undefined])),
    conditions: Object.fromEntries(languages.map((language) => [language, evaluate])),
    limits: { stepsMax: STEPS_MAX },
    authorize: () => true,
    // Many of these models are unsound: here they run all the same.
    prover: async () => ({ obligations: [], labels: null, assumptions: [] }),
  });
  try {
    for (const id of called) if (!known.has(id)) await deployed(test, emptyWorkflow(id));
    for (const definition of definitions) await deployed(test, definition);
    const data = dataFor(definitions, [...conditions, ...multis]);
    const runs = [];
    for (const { id } of definitions.filter(({ id }) => !called.has(id))) {
      const run = await test.engine.start({ workflow: id, id: `run:${id}`, data });
      if (run.kind === "refused") return { kind: "fails", code: `start: ${run.code}` };
      runs.push(run);
    }
    return await drive(test, runs);
  } finally {
    await test.engine.close();
  }
}

async function deployed(test, definition) {
  const answer = await test.engine.deploy(definition);
  if (answer.kind === "refused")
    throw new Error(
      `${definition.id}: ${answer.code} ${answer.message} ${JSON.stringify(answer.facts).slice(0, 400)}`,
    );
}

async function drive(test, runs) {
  for (let answers = 0; answers < ANSWERS_MAX; answers += 1) {
    await test.settle();
    const views = await viewsOf(runs);
    const failed = views.find(({ status }) => status === "failed");
    if (failed !== undefined) return { kind: "fails", code: failed.terminal?.trouble?.code ?? "?" };
    if (views.every(({ status }) => status === "completed" || status === "cancelled"))
      return { kind: "completed" };
    if (!(await answerOne(test))) return { kind: "waits" };
  }
  return { kind: "goes on" };
}

async function viewsOf(runs) {
  const views = [];
  for (const run of runs) {
    const view = await run.state();
    if (view.kind === "run") views.push(view);
  }
  return views;
}

/** One answer to whatever is open, in all runs, called ones too; false if nothing can be answered. */
async function answerOne(test) {
  const rows = (await test.engine.runs({ limit: 100 })).rows;
  const open = [];
  for (const { run, status } of rows) {
    if (status !== "waiting" && status !== "running") continue;
    const view = await test.engine.run(run).state();
    if (view.kind === "run") open.push(...view.items.map((item) => ({ run, item })));
  }
  for (const { run, item } of open) {
    if (item.kind !== "work-item" && item.kind !== "external") continue;
    const done = await test.engine.run(run).complete({ node: item.node, by: SCRIPT });
    if (done.kind === "done") return true;
  }
  for (const { item } of open) {
    const [first] = (item.subscriptions ?? []).filter(({ on }) => on === "message" || on === "signal");
    if (first !== undefined && (await wake(test, first))) return true;
  }
  const times = open.flatMap(({ item }) => (item.dueAt === undefined ? [] : [item.dueAt]));
  const next = Math.min(...times);
  if (!Number.isFinite(next)) return false;
  await test.clock.advance(Math.max(1, next - test.clock.now()));
  return true;
}

async function wake(test, { on, name, key }) {
  const sent =
    on === "message"
      ? await test.engine.publish({ name, ...(key === undefined ? {} : { key }) })
      : await test.engine.signal({ name });
  return sent.kind !== "refused";
}

/** Choices that the model leaves open, flows of an exclusive gateway without condition, are asked of the script. */
function scriptChoices(definition) {
  const isOpen = (arc) => arc.guard === undefined && arc.default === undefined;
  const groups = new Map();
  const nodes = new Map(definition.nodes.map((node) => [node.id, node]));
  definition.arcs.forEach((arc, index) => {
    const { split } = nodes.get(arc.from) ?? {};
    const how = typeof split === "string" ? split : (split?.[arc.outcome ?? "done"] ?? "first");
    if (how !== "first" || !isOpen(arc)) return;
    const key = JSON.stringify([arc.from, arc.outcome]);
    groups.set(key, [...(groups.get(key) ?? []), index]);
  });
  const scripted = new Set([...groups.values()].flatMap((indices) => indices.slice(0, -1)));
  const arcs = definition.arcs.map((arc, index) => {
    return scripted.has(index)
      ? { ...arc, guard: { language: "script", text: `${arc.from} ${arc.to}` } }
      : arc;
  });
  return { ...definition, arcs };
}

function calledBy({ meta }) {
  const events = Array.isArray(meta?.events) ? meta.events : [];
  return [meta?.workflow, ...events.map(({ workflow }) => workflow)].filter((id) => typeof id === "string");
}

function emptyWorkflow(id) {
  return {
    format: 1,
    kind: "workflow",
    id,
    entry: "s",
    nodes: [
      { id: "s", kind: "start" },
      { id: "e", kind: "end" },
    ],
    arcs: [{ from: "s", to: "e" }],
  };
}

/** The comparisons and texts in a condition. */
function leaves(condition) {
  if (condition === undefined || condition === null) return [];
  const inner = condition.all ?? condition.any ?? (condition.not === undefined ? undefined : [condition.not]);
  return inner === undefined ? [condition] : inner.flatMap(leaves);
}

/** Data with which the first comparison of each key holds, times and lists where a node reads them. */
function dataFor(definitions, conditions) {
  const data = {};
  for (const { key, path, op, value } of conditions) {
    if (key === undefined || Object.hasOwn(data, key)) continue;
    const fitting = valueFor(op, value);
    data[key] = (path ?? []).reduceRight((inner, step) => ({ [step]: inner }), fitting);
  }
  for (const { id, meta, kind } of definitions.flatMap(({ nodes }) => nodes)) {
    if (kind === "timer" && typeof meta?.key === "string") data[meta.key] ??= "PT1S";
    for (const event of Array.isArray(meta?.events) ? meta.events : [])
      if (typeof event.key === "string") data[event.key] ??= event.on === "timer" ? "PT1S" : id;
    if (typeof meta?.multi?.collection === "string") data[meta.multi.collection] ??= [1, 2];
    if (kind === "decision" && typeof meta?.key === "string")
      data[meta.key] ??= Object.keys(meta.branches)[0];
  }
  return data;
}

function valueFor(op, value) {
  switch (op) {
    case "greaterThan":
      return typeof value === "number" ? value + 1 : `${value}~`;
    case "lessThan":
      return typeof value === "number" ? value - 1 : "";
    case "contains":
      return typeof value === "string" ? value : [value];
    case "isOneOf":
      return Array.isArray(value) ? value[0] : null;
    case "isNot":
    case "isNoneOf":
      return "something else";
    default:
      return value ?? true;
  }
}
