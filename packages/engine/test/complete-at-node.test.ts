/** @module Completing what is open at a node, while several processes move the run. */
import { memoryStore, type RunStore } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFile } from "../../persist/test/temporary.ts";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const ANN = { id: "ann" };

/** A person, as often as they say "again". */
const ROUNDS = flow(
  "rounds",
  [
    ["begin", "start"],
    ["h", "human", { outcomes: ["again", "done"] }],
    ["z", "end"],
  ],
  [
    ["begin", "h"],
    ["h", "h", "again"],
    ["h", "z", "done"],
  ],
);

const STORES: readonly (readonly [name: string, make: () => RunStore])[] = [
  ["memory", memoryStore],
  [
    "SQLite",
    () => {
      const store = sqliteStore({ path: temporaryFile() });
      onTestFinished(() => store.close());
      return store;
    },
  ],
];

describe.each(STORES)("completing at a node, on %s", (_name, makeStore) => {
  it("[D20.9] means what is open there now, though another process has moved the run since this one looked", async () => {
    const store = makeStore();
    const [a, b] = [testEngine({ store }), testEngine({ store })];
    accepted(await a.engine.deploy(ROUNDS));
    accepted(await a.engine.start({ workflow: "rounds", id: "r" }));
    const complete = ({ engine }: typeof a, outcome: string) =>
      engine.run("r").complete({ node: "h", by: ANN, outcome });
    // Each of them remembers the run as it was before the other one went on with it.
    for (const kit of [b, a, b, a, a, b]) accepted(await complete(kit, "again"));
    expect(accepted(await a.engine.run("r").state()).items).toMatchObject([{ id: "h.7" }]);
    accepted(await complete(a, "done"));
    expect(await complete(b, "done")).toMatchObject({ kind: "refused" });
    expect(await complete(a, "done")).toMatchObject({ kind: "refused" });
    expect((await a.engine.audit()).isSound).toBe(true);
  });

  it("[D20.9] is for one of those who try at the same time: nobody has seen what opens behind it", async () => {
    const { engine } = testEngine({ store: makeStore() });
    accepted(await engine.deploy(ROUNDS));
    accepted(await engine.start({ workflow: "rounds", id: "r" }));
    const twice = ["ann", "ann", "bob"].map((id) =>
      engine.run("r").complete({ node: "h", by: { id }, outcome: "again" }),
    );
    const answers = await Promise.all(twice);
    expect(answers.map(({ kind }) => kind)).toEqual(["done", "refused", "refused"]);
    expect(accepted(await engine.run("r").state()).sequence).toBe(2);
  });

  it("[D20.9] is done once under a command id, whichever process hears of it again", async () => {
    const store = makeStore();
    const [a, b] = [testEngine({ store }), testEngine({ store })];
    accepted(await a.engine.deploy(ROUNDS));
    accepted(await a.engine.start({ workflow: "rounds", id: "r" }));
    const order = { node: "h", by: ANN, outcome: "again", commandId: "c1" };
    accepted(await b.engine.run("r").complete(order));
    const again = accepted(await a.engine.run("r").complete(order));
    expect(again).toMatchObject({ kind: "done" });
    expect(accepted(await b.engine.run("r").state()).sequence).toBe(2);
  });
});
