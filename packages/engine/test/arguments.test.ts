/** Requests of programs that no compiler checks: refused by the name of what is wrong, whatever it is. */
import { createEngine, type Engine } from "@tessera/engine";
import { memoryStore } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import { describe, expect, it } from "vitest";
import { applicationDatabase } from "../../persist/test/temporary.ts";

const WORKFLOW = {
  format: 1,
  kind: "workflow",
  id: "ask",
  entry: "ask",
  nodes: [
    { id: "ask", kind: "human" },
    { id: "end", kind: "end" },
  ],
  arcs: [{ from: "ask", to: "end" }],
} as const;

const BY = { id: "ann" };

/** Operations by what is wrong with them. */
const WRONG: readonly (readonly [name: string, (engine: Engine, loose: Loose) => Promise<unknown>])[] = [
  ["task", (_, { complete }) => complete()],
  ["task", (_, { complete }) => complete({ task: 5, by: BY })],
  ["by.id", (_, { complete }) => complete({ task: "a/ask.1" })],
  ["by.id", (_, { complete }) => complete({ task: "a/ask.1", by: { id: 5 } })],
  ["by.id", (_, { complete }) => complete({ task: "a/ask.1", by: "ann" })],
  ["tenant", (_, { complete }) => complete({ task: "a/ask.1", by: BY, tenant: 5 })],
  ["commandId", (_, { complete }) => complete({ task: "a/ask.1", by: BY, commandId: 5 })],
  ["task", (_, { claim }) => claim({ task: null, by: BY })],
  ["task", (_, { release }) => release({ by: BY })],
  ["task", (_, { reassign }) => reassign({ task: 5, by: BY, to: "eve" })],
  ["to", (_, { reassign }) => reassign({ task: "a/ask.1", by: BY, to: 5 })],
  ["task", (_, { retry }) => retry()],
  ["by.id", (engine) => engine.run("a").cancel({ by: {} as never })],
  ["node", (engine) => engine.run("a").complete({ node: 5 as never, by: BY })],
  ["by.id", (engine) => engine.run("a").complete({ node: "ask" } as never)],
  ["task", async (engine) => engine.transaction((tx) => tx.complete({ task: 5, by: BY } as never))],
  ["workflow", (_, { start }) => start()],
  ["workflow", (_, { start }) => start({ workflow: 5 })],
  ["workflow", (_, { start }) => start({ workflow: null })],
  ["id", (_, { start }) => start({ workflow: "ask", id: 5 })],
  ["tenant", (_, { start }) => start({ workflow: "ask", tenant: 5 })],
];

type Loose = Readonly<
  Record<
    "complete" | "claim" | "release" | "reassign" | "retry" | "start",
    (request?: unknown) => Promise<unknown>
  >
>;

describe("a request that is not of its type", () => {
  it.each([
    ["memory", () => memoryStore()],
    ["SQLite", () => sqliteStore({ database: applicationDatabase() })],
  ])("is refused by the name of what is wrong, and nothing is done: %s", async (_, makeStore) => {
    const engine = createEngine({ store: makeStore() });
    await engine.deploy(WORKFLOW);
    await engine.start({ workflow: "ask", id: "a" });
    const loose = { ...engine.workItems, start: engine.start } as unknown as Loose;
    for (const [name, ask] of WRONG) {
      expect(await ask(engine, loose)).toMatchObject({ kind: "refused", code: "invalid", facts: { name } });
    }
    expect(await engine.run("a").state()).toMatchObject({ sequence: 1, status: "waiting" });
    expect(await engine.workItems.complete({ task: "a/ask.1", by: BY })).toMatchObject({ kind: "done" });
    await engine.close();
  });

  it("is refused by the store where it is handed on: StoreError misuse", async () => {
    const engine = createEngine({ store: memoryStore() });
    const misuse = expect.objectContaining({ name: "StoreError", code: "misuse" });
    await expect(engine.run(5 as never).state()).rejects.toEqual(misuse);
    await expect(engine.history(5 as never)).rejects.toEqual(misuse);
    await engine.close();
  });
});
