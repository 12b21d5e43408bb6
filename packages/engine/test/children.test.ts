/** @module Called runs: hand-over and return, labels, versions; and two steps in a row, by arc and by call. */
import { type Constraint, type JsonObject, objectsOf, type WorkflowDefinition } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accepted, type Engine } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const caller = (
  meta: JsonObject = {},
  id = "caller",
  workflow = "child",
  outcomes: readonly string[] = ["done"],
): WorkflowDefinition =>
  flow(
    id,
    [
      ["c", "subprocess", { workflow, outcomes: [...outcomes], ...meta }],
      ...[...outcomes, "error", "cancelled"].map(
        (label) => [`end-${label}`, "end", { outcome: label }] as const,
      ),
    ],
    [...outcomes, "error", "cancelled"].map((label) => ["c", `end-${label}`, label] as const),
  );
const child = flow(
  "child",
  [
    ["h", "human"],
    ["z", "end"],
  ],
  [["h", "z"]],
);

async function deployAll(engine: Engine, ...definitions: readonly WorkflowDefinition[]) {
  for (const definition of definitions) accepted(await engine.deploy(definition));
}

describe("hand-over and return", () => {
  it("[D20.16] [C20-67] [C20-68] data cross by the mappings only, one token comes back", async () => {
    const { engine, settle } = testEngine({
      functions: { inc: ({ data }) => ({ patch: { y: Number(data["x"]) + 1, private: 1 } }) },
    });
    const adder = flow(
      "child",
      [
        ["f", "transform", { function: "inc" }],
        ["z", "end"],
        ["e", "end", { outcome: "error" }],
      ],
      [
        ["f", "z"],
        ["f", "e", "error"],
      ],
    );
    await deployAll(engine, adder, caller({ inputs: { x: "a" }, outputs: { b: "y", nothing: "absent" } }));
    const run = accepted(await engine.start({ workflow: "caller", id: "p", data: { a: 1, secret: 2 } }));
    await settle();
    expect(await run.result()).toMatchObject({
      status: "completed",
      outcomes: ["done"],
      data: { a: 1, secret: 2, b: 2 },
    });
    expect(await engine.run("p/c.1").result()).toMatchObject({ data: { x: 1, y: 2, private: 1 } });
    expect(accepted(await engine.run("p/c.1").state())).toMatchObject({
      parent: { run: "p", item: "c.1" },
      graph: "p",
    });
    expect((await engine.runs({ limit: 9, parent: "p" })).rows.map((row) => row.run)).toEqual(["p/c.1"]);
  });

  it("[D20.16] [C20-68] [HZ-57] the outcome is the label under which the child ended", async () => {
    const { engine, settle } = testEngine();
    const review = flow(
      "child",
      [
        ["h", "human", { outcomes: ["yes", "no"] }],
        ["y", "end", { outcome: "good" }],
        ["n", "end", { outcome: "bad" }],
      ],
      [
        ["h", "y", "yes"],
        ["h", "n", "no"],
      ],
    );
    await deployAll(engine, review, caller({}, "caller", "child", ["good", "bad"]));
    for (const [answer, label] of [
      ["yes", "good"],
      ["no", "bad"],
    ] as const) {
      const run = accepted(await engine.start({ workflow: "caller", id: answer }));
      await settle();
      accepted(
        await engine.workItems.complete({ task: `${answer}/c.1/h.1`, by: { id: "ann" }, outcome: answer }),
      );
      await settle();
      expect(await run.result()).toMatchObject({ outcomes: [label] });
    }
  });

  it("[D20.16] [C20-69] a child that fails is the caller's error, with the reason", async () => {
    const { engine, settle } = testEngine();
    const failing = flow(
      "child",
      [
        ["t", "timer", { key: "when" }],
        ["z", "end"],
        ["e", "end"],
      ],
      [
        ["t", "z"],
        ["t", "e", "error", { guard: { key: "none", op: "is", value: 1 } }],
      ],
    );
    const proof = await engine.deploy(failing, {
      accept: ["O1", "O3", "O5", "O7"].map((obligation) => ({ obligation, reason: "test", by: "test" })),
    });
    expect(proof.kind).toBe("deployed");
    await deployAll(engine, caller());
    const run = accepted(await engine.start({ workflow: "caller", id: "p" }));
    await settle();
    expect(await run.result()).toMatchObject({ outcomes: ["error"] });
    const { events } = accepted(await engine.history("p"));
    expect(
      events.find((event) => event.kind === "step" && event.node === "c" && event.outcome === "error"),
    ).toMatchObject({ trouble: { code: "CALL_FAILED", facts: { run: "p/c.1", cause: "TIMER_INVALID" } } });
  });

  it("[D20.16] [C20-69] a child that is cancelled is the caller's cancelled", async () => {
    const { engine, settle } = testEngine();
    await deployAll(engine, child, caller());
    const run = accepted(await engine.start({ workflow: "caller", id: "p" }));
    await settle();
    accepted(await engine.run("p/c.1").cancel({ by: { id: "op" } }));
    await settle();
    expect(await run.result()).toMatchObject({ outcomes: ["cancelled"] });
  });

  it("[D20.16] a call whose input does not satisfy the child's schema is the caller's error", async () => {
    const { engine, settle } = testEngine();
    await deployAll(engine, { ...child, data: { x: { type: "number" } } }, caller({ inputs: { x: "a" } }));
    const run = accepted(await engine.start({ workflow: "caller", id: "p", data: { a: "text" } }));
    await settle();
    expect(await run.result()).toMatchObject({ outcomes: ["error"] });
    expect(await engine.run("p/c.1").result({ timeoutMs: 0 })).toMatchObject({
      kind: "unfinished",
      reason: "not-found",
    });
  });

  it("[D20.16] the child writes the graph of its caller", async () => {
    const { engine, settle, store } = testEngine({
      functions: {
        make: ({ node }) => ({
          mutation: {
            create: [{ id: `by-${node.id}`, type: "t", payload: {}, links: [] }],
            update: [],
            delete: [],
          },
        }),
      },
    });
    const maker = flow(
      "child",
      [
        ["f", "transform", { function: "make" }],
        ["z", "end"],
        ["e", "end", { outcome: "error" }],
      ],
      [
        ["f", "z"],
        ["f", "e", "error"],
      ],
    );
    const both = flow(
      "caller",
      [
        ["g", "transform", { function: "make" }],
        ["c", "subprocess", { workflow: "child", outcomes: ["done"] }],
        ["z", "end"],
      ],
      [
        ["g", "c"],
        ["g", "c", "error"],
        ["c", "z"],
        ["c", "z", "error"],
        ["c", "z", "cancelled"],
      ],
    );
    await deployAll(engine, maker, both);
    await engine.start({ workflow: "caller", id: "p" });
    await settle();
    expect((await store.graph("default", "p")).sequence).toBe(2);
    expect(await engine.audit()).toMatchObject({ isSound: true, graphs: [{ graph: "p", turns: 2 }] });
  });

  it.each([
    ["note", "done", ["note"]],
    ["draft", "error", []],
  ])(
    "[D20.16] [HZ-55] the child works in the world of its caller, behind the same gate: %s ends %s",
    async (id, label, objects) => {
      const noDrafts: Constraint = {
        name: "noDrafts",
        version: 1,
        class: "semantic",
        scope: { kind: "object" },
        check: (_, { written }) => (written.includes("draft") ? [{ message: "no drafts", facts: {} }] : []),
      };
      const { engine, settle, store } = testEngine({
        constraints: [noDrafts],
        functions: {
          make: () => ({
            patch: { made: id },
            mutation: { create: [{ id, type: "t", payload: {}, links: [] }], update: [], delete: [] },
          }),
          look: ({ graph }) => ({ patch: { seen: objectsOf(graph).map((object) => object.id) } }),
        },
      });
      const maker = flow(
        "child",
        [
          ["f", "transform", { function: "make" }],
          ["z", "end"],
          ["e", "end", { outcome: "error" }],
        ],
        [
          ["f", "z"],
          ["f", "e", "error"],
        ],
        { constraints: ["noDrafts"] },
      );
      const looker = flow(
        "caller",
        [
          ["c", "subprocess", { workflow: "child", outcomes: ["done"], outputs: { made: "made" } }],
          ["after", "transform", { function: "look" }],
          ["after error", "transform", { function: "look" }],
          ["end-done", "end", { outcome: "done" }],
          ["end-error", "end", { outcome: "error" }],
        ],
        [
          ["c", "after"],
          ["c", "after error", "error"],
          ["c", "after error", "cancelled"],
          ["after", "end-done"],
          ["after", "end-error", "error"],
          ["after error", "end-error"],
          ["after error", "end-error", "error"],
        ],
      );
      await deployAll(engine, maker, looker);
      const run = accepted(await engine.start({ workflow: "caller", id: "p" }));
      await settle();
      const end = await run.result();
      expect(end).toMatchObject({ kind: "ended", outcomes: [label] });
      expect(end.kind === "ended" && end.data["seen"]).toEqual(objects);
      expect(objectsOf((await store.graph("default", "p")).graph).map((object) => object.id)).toEqual(
        objects,
      );
    },
  );

  it("[D20.16] a called workflow stays on the version to which the caller was pinned", async () => {
    const { engine, settle } = testEngine();
    await deployAll(engine, child, caller());
    accepted(
      await engine.deploy(
        flow(
          "child",
          [
            ["other", "wait"],
            ["z", "end"],
          ],
          [["other", "z"]],
        ),
      ),
    );
    accepted(await engine.start({ workflow: "caller", id: "p" }));
    await settle();
    expect(accepted(await engine.run("p/c.1").state()).items).toMatchObject([{ node: "h" }]);
  });
});

describe("sequence", () => {
  it("[D20.17] [C20-72] two steps in a row give the same G and D by arc and by call", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("add", "double", "note"), { minLength: 1, maxLength: 3 }),
        fc.array(fc.constantFrom("add", "double", "note"), { minLength: 1, maxLength: 3 }),
        fc.nat({ max: 5 }),
        async (first, second, n) => {
          const functions = {
            add: ({ data }: { data: JsonObject }) => ({ patch: { n: Number(data["n"]) + 1 } }),
            double: ({ data }: { data: JsonObject }) => ({ patch: { n: Number(data["n"]) * 2 } }),
            note: ({ data, node }: { data: JsonObject; node: { id: string } }) => ({
              mutation: {
                create: [{ id: node.id, type: "t", payload: { n: data["n"] ?? null }, links: [] }],
                update: [],
                delete: [],
              },
            }),
          };
          const part = (prefix: string, names: readonly string[]) =>
            names.map((name, index) => [`${prefix}${index}`, "transform", { function: name }] as const);
          const chain = (nodes: readonly (readonly [string, ...unknown[]])[]) =>
            nodes
              .slice(1)
              .flatMap(([id], index) => [
                [nodes[index]?.[0] ?? "", id] as const,
                [nodes[index]?.[0] ?? "", id, "error"] as const,
              ]);
          const a = part("a", first);
          const b = part("b", second);
          const z = [["z", "end"]] as const;
          const byArc = flow("arc", [...a, ...b, ...z], chain([...a, ...b, ...z]));
          const inner = (id: string, nodes: typeof a) => flow(id, [...nodes, ...z], chain([...nodes, ...z]));
          const call = (id: string, workflow: string) =>
            [
              id,
              "subprocess",
              { workflow, outcomes: ["done"], inputs: { n: "n" }, outputs: { n: "n" } },
            ] as const;
          const calls = [call("ca", "wa"), call("cb", "wb")];
          const arcs = ["done", "error", "cancelled"].flatMap((label) => [
            ["ca", "cb", label] as const,
            ["cb", "z", label] as const,
          ]);
          const byCall = flow("call", [...calls, ...z], arcs);
          const { engine, settle, store } = testEngine({ functions: functions as never });
          await deployAll(engine, inner("wa", a), inner("wb", b), byArc, byCall);
          const results = [];
          for (const workflow of ["arc", "call"]) {
            const run = accepted(await engine.start({ workflow, id: workflow, data: { n } }));
            await settle();
            results.push([
              await run.result().then((end) => (end.kind === "ended" ? end.data : null)),
              (await store.graph("default", workflow)).graph,
            ]);
          }
          expect(results[1]).toEqual(results[0]);
        },
      ),
      { numRuns: 15 },
    );
  });
});
