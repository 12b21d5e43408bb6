/** @module The two processes of the comparison as Tessera workflows, and an engine that runs whole instances of them. */
import { accepted, createEngine, taskId } from "@tessera/engine";

const upTo = (count) => Array.from({ length: count }, (_, index) => index);

function workflow(id, middle, arcs) {
  return {
    format: 1,
    kind: "workflow",
    id,
    entry: "start",
    nodes: [
      { id: "start", kind: "start" },
      ...middle,
      { id: "end", kind: "end" },
      ...(arcs.some(([, to]) => to === "broken")
        ? [{ id: "broken", kind: "end", meta: { terminate: true } }]
        : []),
    ],
    arcs: arcs.map(([from, to, outcome]) => ({ from, to, ...(outcome === undefined ? {} : { outcome }) })),
  };
}

const META = { tool: { port: "work" }, transform: { function: "work" }, human: {} };

/** `kind`: `tool` calls a port outside the turn; `transform` a function inside it; `human` waits for a person. */
function task(id, kind) {
  return { id, kind, meta: META[kind] };
}

/** What comes of trouble in a task; a person makes none. */
function onTrouble(id, kind) {
  return kind === "human" ? [] : [[id, "broken", "error"]];
}

/** start, `tasks` tasks one after the other, end. */
export function sequence(tasks, kind) {
  const ids = upTo(tasks).map((index) => `task${index}`);
  const path = ["start", ...ids, "end"];
  const arcs = [
    ...path.slice(1).map((id, index) => [path[index], id]),
    ...ids.flatMap((id) => onTrouble(id, kind)),
  ];
  return workflow(
    `sequence-${kind}`,
    ids.map((id) => task(id, kind)),
    arcs,
  );
}

/** start, fork into `branches` tasks, join, end. */
export function forkJoin(branches, kind) {
  const ids = upTo(branches).map((index) => `task${index}`);
  const gateways = [
    { id: "fork", kind: "gateway", split: "all" },
    { id: "join", kind: "gateway", join: "all" },
  ];
  const arcs = [
    ["start", "fork"],
    ...ids.flatMap((id) => [["fork", id], [id, "join"], ...onTrouble(id, kind)]),
    ["join", "end"],
  ];
  return workflow(`fork-join-${kind}`, [...gateways, ...ids.map((id) => task(id, kind))], arcs);
}

/** A person who is asked again and again: every answer is a turn. */
export function askAgain() {
  const ask = { id: "ask", kind: "human", meta: { outcomes: ["again", "enough"] } };
  return workflow(
    "ask-again",
    [ask],
    [
      ["start", "ask"],
      ["ask", "ask", "again"],
      ["ask", "end", "enough"],
    ],
  );
}

/** A new run of `askAgain` with `data`; `turn(patch)` answers once, and the cost of that is what is measured. */
export async function asking(engine, name, id, data = {}) {
  accepted(await engine.start({ workflow: name, id, data }));
  let visit = 0;
  return {
    async turn(patch = {}) {
      visit += 1;
      const task = taskId(id, `ask.${visit}`);
      accepted(await engine.workItems.complete({ task, by: { id: "ann" }, outcome: "again", data: patch }));
    },
  };
}

/** An engine over `store` whose jobs and functions answer at once. */
export function benchEngine(store, options = {}) {
  const nothing = () => undefined;
  return createEngine({ store, ports: { work: nothing }, functions: { work: nothing }, ...options });
}

/** A fork of ten jobs has more markings than a proof searches by default; what is measured here is running, not proving. */
const ACCEPTED = ["O1", "O2", "O3", "O4"].map((obligation) => ({
  obligation,
  reason: "sound by construction: one fork, one join",
  by: "bench",
}));

/** Deploys `definition`, proved or not; its name. */
export async function deployed(engine, definition) {
  return accepted(await engine.deploy(definition, { accept: ACCEPTED })).name;
}

/** Deploys `definition`; a unit is an instance, started and waited for; `parallel` of them are under way at a time. */
export async function instancesOf(engine, definition, parallel = 1) {
  const name = await deployed(engine, definition);
  const instance = async () => {
    const run = accepted(await engine.start({ workflow: name }));
    const end = await run.result();
    if (end.status !== "completed")
      throw new Error(`a run of ${name} ended ${end.status}: ${JSON.stringify(end.trouble)}`);
  };
  return {
    async run(count) {
      await inParallel(parallel, count, instance);
      return count;
    },
  };
}

/** Does `work` `count` times, `parallel` at a time. */
export async function inParallel(parallel, count, work) {
  let begun = 0;
  const worker = async () => {
    while (begun < count) {
      begun += 1;
      await work();
    }
  };
  await Promise.all(upTo(Math.min(parallel, count)).map(worker));
}
