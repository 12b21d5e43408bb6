/** @module Looking back: history, replay to every turn, and an audit that finds what was tampered with. */
import type { Json, TurnRecord } from "@tessera/core";
import { memoryStore, type RunStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted, type History } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";
import { lived } from "./lived-run.ts";

describe("history", () => {
  it("[D9.11] [C20-79] [C20-12] tells who did what, when, turn by turn without a gap", async () => {
    const { engine } = await lived();
    const { events, next } = accepted(await engine.history("r"));
    expect(next).toBeNull();
    const inputs = events.filter((event) => event.kind === "input");
    expect(inputs.map(({ sequence, by, input }) => [sequence, input.kind, by])).toEqual([
      [1, "start", "app"],
      [2, "attempt-failed", null],
      [3, "claim", "ann"],
      [4, "complete", "ann"],
      [5, "result", null],
      [6, "timer", null],
      [7, "timer", null],
    ]);
    expect(events.find((event) => event.kind === "step" && event.node === "f")).toMatchObject({
      outcome: "done",
      arcs: ["f -> n"],
      patch: { ops: [{ kind: "set", path: ["f"], value: 1 }] },
      mutation: { create: [{ id: "o" }] },
    });
    for (const [index, event] of events.entries())
      expect(event.at).toBeGreaterThanOrEqual(events[index - 1]?.at ?? 0);
  });

  it("[D9.11] comes in pages of turns", async () => {
    const { engine } = await lived();
    const all = accepted(await engine.history("r")).events;
    const seen = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: History = accepted(await engine.history("r", { after, turns: 2 }));
      seen.push(...page.events);
      after = page.next;
    }
    expect(seen).toEqual(all);
    expect(await engine.history("nowhere")).toMatchObject({ code: "not-found" });
  });

  it("[D9.11] says that a turn was erased, by whom and why, and nothing of what it was", async () => {
    const { engine, store } = await lived();
    expect(await store.erase("default", "r", 4, "officer", "right to be forgotten", 5)).toBe("erased");
    const { events } = accepted(await engine.history("r"));
    expect(events.filter(({ sequence }) => sequence === 4)).toMatchObject([
      { kind: "erased", by: "officer", reason: "right to be forgotten" },
    ]);
  });
});

/** A store whose third turn was changed by hand, so that it can no longer be read. */
function unreadable(store: RunStore): RunStore {
  return {
    ...store,
    journal: async (...args) =>
      (await store.journal(...args)).map((row) => (row.sequence === 3 ? { ...row, record: null } : row)),
  };
}

describe("a turn that is not what was written", () => {
  it("[D9.11] [D9.12] is shown as that, not as erased, and stops a replay", async () => {
    const { store } = await lived();
    const { engine } = testEngine({ store: unreadable(store) });
    const { events } = accepted(await engine.history("r"));
    expect(events.filter(({ sequence }) => sequence === 3)).toMatchObject([{ kind: "unreadable" }]);
    expect(await engine.replay("r", { at: 2 })).toMatchObject({ kind: "run", sequence: 2 });
    expect(await engine.replay("r")).toMatchObject({ code: "invalid", facts: { sequence: 3 } });
  });
});

describe("replay", () => {
  it("[D9.12] [D3.1] [HZ-54] O14: the fold of the journal is the stored state, after every turn", async () => {
    const store = memoryStore();
    const { engine } = await lived(store);
    const stored = accepted(await engine.run("r").state());
    expect(accepted(await engine.replay("r"))).toEqual(stored);
    for (let at = 1; at <= stored.sequence; at += 1) {
      const replayed = accepted(await engine.replay("r", { at }));
      expect(replayed.sequence).toBe(at);
      const loaded = await store.load("default", "r", at);
      expect(loaded?.snapshot === null || (loaded?.snapshot.sequence ?? 0) <= at).toBe(true);
    }
    expect(accepted(await engine.replay("r", { at: 1 }))).toMatchObject({
      status: "running",
      data: { a: 1 },
    });
    expect(accepted(await engine.replay("r", { at: 0 }))).toMatchObject({ sequence: 0, data: {} });
  });

  it("[D9.12] there is no turn after the last one, no run that is not there, no way past an erased turn", async () => {
    const { engine, store } = await lived();
    expect(await engine.replay("r", { at: 99 })).toMatchObject({ code: "not-found", facts: { turns: 7 } });
    expect(await engine.replay("nowhere")).toMatchObject({ code: "not-found" });
    await store.erase("default", "r", 4, "officer", "asked", 5);
    expect(await engine.replay("r", { at: 3 })).toMatchObject({ kind: "run", sequence: 3 });
    expect(await engine.replay("r")).toMatchObject({ code: "erased", facts: { sequence: 4 } });
  });
});

/** A store that lies: rows of the journal are changed on their way out. */
function lying(store: RunStore, change: (record: TurnRecord) => TurnRecord): RunStore {
  return {
    ...store,
    journal: async (...args) =>
      (await store.journal(...args)).map((row) =>
        row.record === null ? row : { ...row, record: change(row.record) },
      ),
  };
}

describe("audit", () => {
  it("[D9.13] [C20-73] finds nothing in what the engine wrote", async () => {
    const { engine } = await lived();
    expect(await engine.audit()).toEqual({
      kind: "audit",
      isSound: true,
      runs: [{ run: "r", verdict: "ok", turns: 7, prunedTo: 0, findings: [] }],
      graphs: [{ graph: "r", verdict: "ok", turns: 1, findings: [] }],
    });
    expect(await engine.audit({ runs: ["r", "nowhere"] })).toMatchObject({ runs: [{ run: "r" }] });
  });

  it("[D9.13] says that payloads are erased, and calls it no break", async () => {
    const { engine, store } = await lived();
    await store.erase("default", "r", 4, "officer", "asked", 5);
    expect(await engine.audit()).toMatchObject({
      isSound: true,
      runs: [{ verdict: "erased", findings: [] }],
      graphs: [{ verdict: "erased" }],
    });
  });

  const cases: readonly (readonly [
    name: string,
    tamper: (store: RunStore) => RunStore,
    check: string,
    sequence: number | null,
  ])[] = [
    [
      "a payload that was changed",
      (store) => ({
        ...store,
        journal: async (...args) =>
          (await store.journal(...args)).map((row) =>
            row.sequence === 3 ? { ...row, payload: new Uint8Array([1]) } : row,
          ),
      }),
      "chain",
      3,
    ],
    [
      "a turn that was left out",
      (store) => ({
        ...store,
        journal: async (...args) => (await store.journal(...args)).filter(({ sequence }) => sequence !== 2),
      }),
      "chain",
      2,
    ],
    [
      "turns that were cut off",
      (store) => ({
        ...store,
        journal: async (...args) => (await store.journal(...args)).filter(({ sequence }) => sequence < 7),
      }),
      "chain",
      7,
    ],
    [
      "a step that the definition does not allow",
      (store) =>
        lying(store, (record) =>
          record.sequence === 4
            ? { ...record, steps: record.steps.map((step) => ({ ...step, fired: [0] })) }
            : record,
        ),
      "fold",
      4,
    ],
    [
      "an item that was claimed twice",
      (store) =>
        lying(store, (record) =>
          record.input.kind === "complete"
            ? { ...record, input: { kind: "claim", item: record.input.item, by: "eve" } }
            : record,
        ),
      "lifecycle",
      4,
    ],
    [
      "data that are not those of the turns",
      (store) =>
        lying(store, (record) =>
          record.input.kind === "start" ? { ...record, input: { ...record.input, data: { a: 2 } } } : record,
        ),
      "state",
      7,
    ],
    [
      "a status that was set by hand",
      (store) => ({
        ...store,
        runs: async (query) => {
          const page = await store.runs(query);
          return { ...page, rows: page.rows.map((row) => ({ ...row, status: "waiting" as const })) };
        },
      }),
      "status",
      7,
    ],
    [
      "an item that nobody opened",
      (store) => ({
        ...store,
        items: async (query) => ({
          rows: [
            {
              tenant: "default",
              run: "r",
              workflow: "w",
              businessKey: null,
              item: { id: "x.1", kind: "work-item", node: "h", openedAt: 0 },
            },
          ],
          next: null,
          query,
        }),
      }),
      "items",
      7,
    ],
    [
      "a definition that is not there",
      (store) => ({ ...store, definition: async () => null }),
      "definition",
      null,
    ],
    [
      "a definition that was changed",
      (store) => ({
        ...store,
        definition: async (hash) => {
          const row = await store.definition(hash);
          return row === null ? null : { ...row, definition: { ...row.definition, label: "changed" } };
        },
      }),
      "storage",
      null,
    ],
  ];
  for (const [name, tamper, check, sequence] of cases) {
    it(`[D9.13] O14, O15, O16: ${name} is found, with the turn`, async () => {
      const { store } = await lived();
      const audit = await testEngine({ store: tamper(store) }).engine.audit();
      expect(audit.isSound).toBe(false);
      expect(audit.runs[0]).toMatchObject({ verdict: "broken" });
      expect(audit.runs[0]?.findings[0]).toMatchObject({ check, sequence });
    });
  }

  it("[D9.13] [D20.17] [C20-73] a graph that is not the fold of its mutations is found", async () => {
    const { store } = await lived();
    const forged: RunStore = {
      ...store,
      graphJournal: async (...args) =>
        (await store.graphJournal(...args)).map((row) => ({
          ...row,
          mutations: (row.mutations ?? []).map((mutation) => ({ ...mutation, create: [] })),
        })),
    };
    const audit = await testEngine({ store: forged }).engine.audit();
    expect(audit).toMatchObject({
      isSound: false,
      runs: [{ verdict: "ok" }],
      graphs: [{ verdict: "broken", findings: [{ check: "graph" }] }],
    });
  });

  it("[D9.13] audits every run of a tenant, page by page", async () => {
    const { engine } = testEngine();
    accepted(
      await engine.deploy(
        flow(
          "w",
          [
            ["h", "human"],
            ["z", "end"],
          ],
          [["h", "z"]],
        ),
      ),
    );
    for (let index = 0; index < 230; index += 1)
      accepted(await engine.start({ workflow: "w", id: `r${index}` }));
    const audit = await engine.audit();
    expect(audit.runs).toHaveLength(230);
    expect(audit.isSound).toBe(true);
  });
});

it("[D9.11] facts of a history are JSON", async () => {
  const { engine } = await lived();
  const { events } = accepted(await engine.history("r"));
  expect(JSON.parse(JSON.stringify(events)) as Json).toEqual(events as unknown as Json);
});
