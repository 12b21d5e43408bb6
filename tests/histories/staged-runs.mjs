// What is recorded of blocks that hold back: a staged block with another in it, that merges keys; a refused merge and its
// repair; a run in the middle of a block; a staged loop.
import { applyTurn, compile, graphJson, initialState, makeProgram } from "@tessera/core";
import { accepted } from "@tessera/engine";
import { testEngine } from "@tessera/engine/testing";
import { STANDARD_KINDS } from "@tessera/gateways";

const gate = (id, more = {}) => ({ id, kind: "gateway", ...more });
const job = (id) => ({ id, kind: "tool", reads: ["seed"], writes: ["log", "total"] });
const way = (from, to, outcome) => ({ from, to, ...(outcome === undefined ? {} : { outcome }) });

const BLOCKS = {
  format: 1,
  kind: "workflow",
  id: "blocks",
  entry: "begin",
  nodes: [
    { id: "begin", kind: "start" },
    gate("split", { split: "all" }),
    job("a"),
    gate("inner", { split: "all" }),
    job("b"),
    { id: "c", kind: "human", reads: [], writes: [] },
    gate("innerJoin", { join: "all", meta: { stage: true } }),
    gate("behind"),
    gate("join", { join: "all", meta: { stage: true, merge: { log: "append", total: "sum" } } }),
    { id: "repair", kind: "human", reads: [], writes: [] },
    { id: "end", kind: "end" },
    { id: "lost", kind: "end", meta: { outcome: "lost", terminate: true } },
  ],
  arcs: [
    way("begin", "split"),
    way("split", "a"),
    way("split", "inner"),
    way("inner", "b"),
    way("inner", "c"),
    way("b", "innerJoin"),
    way("c", "innerJoin"),
    way("innerJoin", "behind"),
    way("innerJoin", "behind", "error"),
    way("behind", "join"),
    way("a", "join"),
    way("join", "end"),
    way("join", "repair", "error"),
    way("repair", "end"),
    way("a", "lost", "error"),
    way("b", "lost", "error"),
  ],
};

const LOOP = {
  format: 1,
  kind: "workflow",
  id: "round",
  entry: "begin",
  nodes: [
    { id: "begin", kind: "start" },
    gate("again"),
    { id: "write", kind: "tool", reads: ["seed"], writes: ["rounds"] },
    { id: "judge", kind: "verifier", reads: ["rounds", "seed"], meta: { passKey: "isGood" } },
    {
      id: "loop",
      kind: "decision",
      meta: { loop: { id: "loop", budget: 2, passKey: "isGood", proves: "enough rounds", stage: true, body: ["again", "write", "judge"] } },
    },
    { id: "help", kind: "human", reads: [], writes: [] },
    { id: "end", kind: "end" },
    { id: "lost", kind: "end", meta: { outcome: "lost", terminate: true } },
  ],
  arcs: [
    way("begin", "again"),
    way("again", "write"),
    way("write", "judge"),
    way("judge", "loop"),
    way("loop", "end", "pass"),
    way("loop", "again", "fail"),
    way("loop", "help", "exhausted"),
    way("loop", "lost", "error"),
    way("help", "end"),
    way("write", "lost", "error"),
    way("judge", "lost", "error"),
  ],
};

const thing = (id, n) => ({ id, type: "thing", payload: { n }, links: [] });
const make = (...created) => ({ create: created, update: [], delete: [] });

/** The definitions and, for each run, its records, the state and the graph that they fold to. */
export async function recordRuns() {
  const kit = testEngine({
    startAt: Date.parse("2026-01-05T08:00:00Z"),
    functions: { judge: ({ data }) => data.rounds >= data.seed },
    ports: {
      a: ({ data }) => ({ patch: { log: ["a"], total: 2 }, mutation: make(thing("shared", data.seed), thing("a", 1)) }),
      b: () => ({ patch: { log: ["b"], total: 3 }, mutation: make(thing("shared", 0), thing("b", 1)) }),
      write: ({ data }) => ({
        patch: { rounds: (data.rounds ?? 0) + 1 },
        mutation: make(thing(`draft-${data.rounds ?? 0}`, data.seed)),
      }),
    },
  });
  const definitions = {};
  const accept = ["O7", "O9"].map((obligation) => ({ obligation, reason: "for the record", by: "recorder" }));
  for (const definition of [BLOCKS, LOOP]) {
    const { hash } = accepted(await kit.engine.deploy(definition, { accept }));
    definitions[hash] = (await kit.store.definition(hash)).definition;
  }
  // 0: both say the same of what they share; 1: they do not; 2 stays in the block.
  for (const seed of [0, 1, 2]) accepted(await kit.engine.start({ workflow: "blocks", id: `blocks-${seed}`, data: { seed } }));
  for (const seed of [1, 2, 9]) accepted(await kit.engine.start({ workflow: "round", id: `round-${seed}`, data: { seed } }));
  await kit.settle();
  for (const node of ["c", "repair", "help"]) {
    const { rows } = await kit.engine.workItems.list({ limit: 100 });
    for (const item of rows.filter((row) => row.node === node && row.run !== "blocks-2"))
      accepted(await kit.engine.workItems.complete({ task: item.id, by: { id: "kim" } }));
    await kit.settle();
  }
  const runs = [];
  for (const { run, definition } of (await kit.engine.runs({ limit: 100 })).rows) {
    const rows = await kit.store.journal("default", run, 0, 1000);
    const { row } = await kit.store.load("default", run);
    const { status, modes, data, items, sequence, stepCount, terminal, marking } = accepted(await kit.engine.run(run).state());
    const { graph } = await kit.store.graph("default", run);
    const overlays = folded(definition, definitions[definition], rows).overlays;
    const end = { status, modes, data, items, sequence, stepCount, terminal, marking, graph: graphJson(graph), ...(overlays && { overlays }) };
    const payloads = rows.map(({ payload }) => Buffer.from(payload).toString("base64"));
    runs.push({ run, definition, head: row.head, records: rows.map(({ record }) => record), payloads, end });
  }
  await kit.engine.close();
  return { definitions, runs: runs.sort((left, right) => (left.run < right.run ? -1 : 1)) };
}

function folded(hash, definition, rows) {
  const compiled = compile(definition, STANDARD_KINDS);
  const program = makeProgram(hash, compiled.value);
  return rows.reduce((state, { record }) => applyTurn(program, state, record).state, initialState(program));
}
