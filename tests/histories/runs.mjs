// What is recorded: runs over loops, OR subsets, timers, people, called workflows, failures, cancellation, bare nets.
import { accepted } from "@tessera/engine";
import { answers, scriptedPort, testEngine, throws } from "@tessera/engine/testing";
import { CHILD, PROCESS } from "../durability/process.mjs";

const OR = {
  format: 1,
  kind: "workflow",
  id: "papers",
  entry: "begin",
  nodes: [
    { id: "begin", kind: "start" },
    { id: "split", kind: "gateway", split: "or" },
    { id: "a", kind: "human" },
    { id: "b", kind: "human" },
    { id: "c", kind: "wait" },
    { id: "meet", kind: "gateway", join: "or" },
    { id: "pick", kind: "decision", meta: { key: "size", branches: { small: "small", large: "large" }, default: true } },
    { id: "small", kind: "end", meta: { outcome: "small" } },
    { id: "large", kind: "end", meta: { outcome: "large" } },
    { id: "other", kind: "end", meta: { outcome: "other" } },
  ],
  arcs: [
    { from: "begin", to: "split" },
    { from: "split", to: "a", guard: { key: "a", op: "is", value: true } },
    { from: "split", to: "b", guard: { key: "b", op: "is", value: true } },
    { from: "split", to: "c", default: true },
    { from: "a", to: "meet" },
    { from: "b", to: "meet" },
    { from: "c", to: "meet" },
    { from: "meet", to: "pick" },
    { from: "pick", to: "small", outcome: "small" },
    { from: "pick", to: "large", outcome: "large" },
    { from: "pick", to: "other", outcome: "default" },
  ],
};

const NET = {
  format: 1,
  kind: "net",
  id: "net",
  places: [{ id: "i", initial: 1 }, { id: "p" }, { id: "q" }, { id: "o" }],
  transitions: [
    { id: "fork", pre: [["i", 1]], post: [["p", 1], ["q", 1]] },
    { id: "left", pre: [["p", 1], ["q", 1]], post: [["o", 1]] },
    { id: "right", pre: [["q", 1], ["p", 1]], post: [["o", 1]] },
    { id: "again", pre: [["p", 1], ["q", 1]], post: [["i", 1]] },
  ],
};

const labels = (definition) => {
  const ends = definition.nodes?.filter(({ kind, scope }) => kind === "end" && scope === undefined) ?? [];
  return ends.length;
};

/** The definitions and, for each run, its records as the store gives them and the state that they fold to. */
export async function recordRuns() {
  const kit = makeEngine();
  const definitions = {};
  for (const definition of [CHILD, PROCESS, OR, NET]) {
    const accept = ["O7", "O12"].map((obligation) => ({ obligation, reason: `${labels(definition)} ends, for the record`, by: "recorder" }));
    const { hash } = accepted(await kit.engine.deploy(definition, { accept }));
    // As stored: the normal form is what the hash covers and what was compiled.
    definitions[hash] = (await kit.store.definition(hash)).definition;
  }
  await play(kit);
  const page = await kit.engine.runs({ limit: 100 });
  const runs = [];
  for (const { run, definition } of page.rows) {
    const rows = await kit.store.journal("default", run, 0, 1000);
    const { snapshot: _, row } = await kit.store.load("default", run);
    const view = accepted(await kit.engine.run(run).state());
    const { status, modes, data, items, sequence, stepCount, terminal, marking } = view;
    const end = { status, modes, data, items, sequence, stepCount, terminal, marking };
    const payloads = rows.map(({ payload }) => Buffer.from(payload).toString("base64"));
    runs.push({ run, definition, head: row.head, records: rows.map(({ record }) => record), payloads, end });
  }
  await kit.engine.close();
  return { definitions, runs: runs.sort((left, right) => (left.run < right.run ? -1 : 1)) };
}

function makeEngine() {
  const fine = (patch) => scriptedPort([answers({ patch })]).port;
  return testEngine({
    startAt: Date.parse("2026-01-05T08:00:00Z"),
    functions: {
      prepare: ({ data }) => ({ patch: { total: 0, rounds: 0, base: data.seed * 10 } }),
      judge: ({ data }) => data.rounds >= data.seed,
      again: ({ data }) => ({ patch: { rounds: data.rounds + 1 } }),
    },
    ports: {
      left: fine({ left: 1 }),
      left2: fine({ left: [1, { deep: "value" }] }),
      right: ({ data }) => (data.seed === 9 ? throws("no") && Promise.reject(new Error("no")) : { patch: { right: true } }),
      attempt: ({ data }) => ({ patch: { tried: data.rounds } }),
      work: fine({ made: 7 }),
      last: fine({ total: 12.5 }),
    },
  });
}

async function play({ engine, clock, settle }) {
  for (const seed of [0, 1, 2, 3, 4, 9]) accepted(await engine.start({ workflow: "process", id: `process-${seed}`, data: { seed } }));
  const subsets = [[false, false], [true, false], [false, true], [true, true]];
  for (const [index, [a, b]] of subsets.entries()) {
    accepted(await engine.start({ workflow: "papers", id: `papers-${index}`, businessKey: "paper", data: { a, b, size: ["small", "large", "huge", 3][index] } }));
  }
  for (const choices of [[], ["left"], ["again", "right"]]) {
    accepted(await engine.start({ workflow: "net", id: `net-${choices.length}`, data: choices.length === 0 ? {} : { choices } }));
  }
  await settle();
  await engine.run("papers-3").cancel({ by: { id: "boss" }, reason: "not needed" });
  for (let round = 0; round < 20; round += 1) {
    const { rows } = await engine.workItems.list({ limit: 100 });
    const open = rows.filter(({ kind, outcomes }) => (kind === "work-item" || kind === "external") && outcomes.length > 0);
    if (open.length === 0 && round > 5) break;
    for (const item of open) {
      if (item.kind === "work-item" && item.node === "a") await engine.workItems.claim({ task: item.id, by: { id: "kim" } });
      const outcome = item.outcomes.includes("yes") ? "yes" : item.outcomes[0];
      await engine.workItems.complete({ task: item.id, by: { id: "kim" }, outcome, data: { [`by_${item.node}`]: "kim" } });
    }
    await settle();
    await clock.advance("PT1S");
  }
}
