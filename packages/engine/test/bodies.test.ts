/** @module What the application registers: predicates, expression languages, schemas, constraints; and bare nets. */
import type { Constraint, Json } from "@tessera/core";
import { memoryStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted, type EngineOptions } from "../src/index.ts";
import { type TestOptions, testEngine } from "../src/testing.ts";
import { flow, single } from "./definitions.ts";

const guarded = (guard: object) =>
  flow(
    "w",
    [
      ["s", "gateway"],
      ["yes", "end", { outcome: "yes" }],
      ["no", "end", { outcome: "no" }],
    ],
    [
      ["s", "yes", "done", { guard: guard as never }],
      ["s", "no", "done", { default: true }],
    ],
  );

async function outcomeOf(guard: object, options: TestOptions, data: { readonly [key: string]: Json }) {
  const { engine } = testEngine(options);
  accepted(await engine.deploy(guarded(guard)));
  const run = accepted(await engine.start({ workflow: "w", data }));
  const { outcomes, terminal } = accepted(await run.state());
  return terminal?.kind === "failed" ? terminal.trouble.code : outcomes[0];
}

describe("guards", () => {
  it("[D20.6] a predicate of the application decides", async () => {
    const options = {
      predicates: { isLarge: (data: { readonly [key: string]: Json }) => Number(data["n"]) > 5 },
    };
    expect(await outcomeOf({ predicate: "isLarge" }, options, { n: 6 })).toBe("yes");
    expect(await outcomeOf({ predicate: "isLarge" }, options, { n: 5 })).toBe("no");
  });

  it("[D20.6] an expression language of the application decides", async () => {
    const conditions: NonNullable<EngineOptions["conditions"]> = {
      tiny: { version: "2", run: (text, data) => ({ kind: "value", value: data[text] === true }) },
    };
    expect(await outcomeOf({ language: "tiny", text: "a" }, { conditions }, { a: true })).toBe("yes");
    expect(await outcomeOf({ language: "tiny", text: "a" }, { conditions }, { b: true })).toBe("no");
  });

  it("[D20.6] an evaluator is asked with the recorded time of the turn, and with no other", async () => {
    const asked: number[] = [];
    const conditions: NonNullable<EngineOptions["conditions"]> = {
      tiny: (_text, _data, now) => {
        asked.push(now);
        return { kind: "value", value: now === Date.UTC(2031, 0, 1) };
      },
    };
    const test = testEngine({ conditions, startAt: Date.UTC(2031, 0, 1) });
    accepted(await test.engine.deploy(guarded({ language: "tiny", text: "a" })));
    const run = accepted(await test.engine.start({ workflow: "w" }));
    const view = accepted(await run.state());
    expect([view.outcomes, asked]).toEqual([["yes"], [Date.UTC(2031, 0, 1)]]);
  });

  it.each<readonly [string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["answers no boolean", () => "yes"],
  ])("[D20.6] a predicate that %s is trouble, not false", async (_, run) => {
    expect(await outcomeOf({ predicate: "p" }, { predicates: { p: run as () => boolean } }, {})).toBe(
      "COND105",
    );
  });

  it("[D9.1] an evaluator of another version than the pinned one is not asked", async () => {
    const store = memoryStore();
    const version = (number: number): NonNullable<EngineOptions["conditions"]> => ({
      tiny: { version: number, run: () => ({ kind: "value", value: true }) },
    });
    const first = testEngine({ store, conditions: version(1) });
    const { hash } = accepted(await first.engine.deploy(guarded({ language: "tiny", text: "a" })));
    const second = testEngine({ store, conditions: version(2) });
    const run = accepted(await second.engine.start({ workflow: { hash } }));
    expect(accepted(await run.state())).toMatchObject({
      items: [{ kind: "intervention", reason: { code: "COND103" } }],
    });
  });
});

describe("schemas", () => {
  const schema = (validate: (value: unknown) => unknown) =>
    ({ "~standard": { version: 1, vendor: "test", validate } }) as never;

  it.each<readonly [string, (value: unknown) => unknown, string]>([
    ["finds an issue", () => ({ issues: [{ message: "\ud800 too small" }] }), "SCHEMA_INVALID"],
    ["is asynchronous", async () => ({ value: 1 }), "SCHEMA_ASYNC"],
    [
      "rejects later",
      async () => {
        throw new Error("late");
      },
      "SCHEMA_ASYNC",
    ],
    [
      "throws",
      () => {
        throw new Error("no");
      },
      "SCHEMA_THREW",
    ],
  ])("[D20.5] a schema that %s refuses the value", async (_, validate, code) => {
    const { engine } = testEngine({ schemas: { n: schema(validate) } });
    accepted(await engine.deploy(single("w", ["h", "human"], ["done"])));
    expect(await engine.start({ workflow: "w", data: { n: 1 } })).toMatchObject({
      code: "invalid-data",
      facts: { code },
    });
    const run = accepted(await engine.start({ workflow: "w", data: { m: 1 } }));
    expect(await run.complete({ node: "h", by: { id: "ann" }, data: { n: 2 } })).toMatchObject({
      code: "invalid-data",
      facts: { code },
    });
    accepted(await run.complete({ node: "h", by: { id: "ann" }, data: { m: 2 } }));
  });
});

describe("constraints", () => {
  it("[D20.5] [C20-16] gate every mutation of every workflow, in the turn and from a port", async () => {
    const few: Constraint = {
      name: "few",
      version: 1,
      class: "semantic",
      scope: { kind: "object" },
      check: (_, touched) =>
        touched.written.includes("third") ? [{ message: "two are enough", facts: {} }] : [],
    };
    const create = (id: string) => ({
      mutation: { create: [{ id, type: "t", payload: {}, links: [] }], update: [], delete: [] },
    });
    const { engine, settle, store } = testEngine({
      constraints: [few],
      functions: { f: () => create("first") },
      ports: { t: () => create("third") },
    });
    const definition = flow(
      "w",
      [
        ["f", "transform"],
        ["t", "tool"],
        ["z", "end"],
        ["e", "end", { outcome: "refused" }],
      ],
      [
        ["f", "t"],
        ["f", "e", "error"],
        ["t", "z"],
        ["t", "e", "error"],
      ],
      { constraints: ["few"] },
    );
    accepted(await engine.deploy(definition));
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    await settle();
    expect(await run.result()).toMatchObject({ outcomes: ["refused"] });
    expect((await store.graph("default", "r")).sequence).toBe(1);
    const { events } = accepted(await engine.history("r"));
    const trouble = events.flatMap((event) =>
      event.kind === "step" && event.trouble ? [event.trouble] : [],
    );
    expect(trouble).toMatchObject([
      { code: "GATE_REJECTED", facts: { violations: [{ constraint: "few" }] } },
    ]);
  });
});

describe("bare nets", () => {
  const net = {
    format: 1,
    kind: "net",
    id: "n",
    places: [{ id: "i", initial: 1 }, { id: "m" }, { id: "o" }],
    transitions: [
      { id: "a", pre: [["i", 1]], post: [["m", 1]] },
      { id: "b", pre: [["i", 1]], post: [["m", 1]] },
      { id: "c", pre: [["m", 1]], post: [["o", 1]] },
    ],
  };

  it("[D9.3] are proved, and run to their end by given or seeded choices", async () => {
    const { engine } = testEngine();
    const { obligations } = accepted(await engine.deploy(net));
    expect(obligations.map(({ id, verdict }) => `${id} ${verdict}`)).toContain("O1 holds");
    const given = accepted(await engine.start({ workflow: "n", id: "given", data: { choices: ["b"] } }));
    expect(await given.result()).toMatchObject({ status: "completed", outcomes: [], data: { choices: [] } });
    const { events } = accepted(await engine.history("given"));
    expect(events.flatMap((event) => (event.kind === "step" ? event.fired : []))).toEqual(["b", "c"]);
    accepted(await engine.start({ workflow: "n", id: "seeded" }));
    expect(accepted(await engine.replay("seeded"))).toMatchObject({ status: "completed", marking: { o: 1 } });
    expect(await engine.audit()).toMatchObject({ isSound: true });
  });

  it("[C20-80] are refused with the witness when they are not sound", async () => {
    const { engine } = testEngine();
    const stuck = {
      ...net,
      transitions: [
        ...net.transitions,
        {
          id: "d",
          pre: [["m", 1]],
          post: [
            ["m", 1],
            ["o", 1],
          ],
        },
      ],
    };
    expect(await engine.deploy(stuck as never)).toMatchObject({ code: "unproved" });
  });

  it("[D20.16] can be called", async () => {
    const { engine, settle } = testEngine();
    accepted(await engine.deploy(net));
    const caller = flow(
      "w",
      [
        ["c", "subprocess", { workflow: "n", outcomes: ["done"] }],
        ["z", "end"],
      ],
      [
        ["c", "z"],
        ["c", "z", "error"],
        ["c", "z", "cancelled"],
      ],
    );
    accepted(await engine.deploy(caller));
    const run = accepted(await engine.start({ workflow: "w" }));
    await settle();
    expect(await run.result()).toMatchObject({ status: "completed", outcomes: ["done"] });
  });
});
