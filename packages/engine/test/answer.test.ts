/** @module What a body answers, and what of it takes effect. */
import type { Json } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { flow, single } from "./definitions.ts";
import { bareRun, result, starting } from "./host.ts";

describe("bodies", () => {
  const transform = (meta = {}) => single("w", ["f", "transform", meta]);
  const after = (functions: Parameters<typeof bareRun>[1]) => {
    const run = bareRun(transform(), functions);
    const { record } = run.take(starting({ x: 1 }));
    return { run, step: record.steps.find(({ node }) => node === "f") };
  };

  it("[D20.5] [C20-33] a transform may change its draft, answer a patch, or both", () => {
    const { run } = after({
      functions: {
        f: ({ data }) => {
          data["y"] = [1];
          return { patch: { x: undefined, z: "z" } };
        },
      },
    });
    expect(run.state).toMatchObject({ status: "completed", data: { y: [1], z: "z" } });
  });

  it.each([
    [
      "a throw",
      () => {
        throw new Error("no");
      },
      "BODY_THREW",
    ],
    ["a promise", async () => undefined, "BODY_INVALID"],
    ["a number", () => 7, "BODY_INVALID"],
    ["an unknown member", () => ({ data: {} }), "BODY_INVALID"],
    ["a label that is no text", () => ({ outcome: 1 }), "BODY_INVALID"],
    ["a label with a lone surrogate", () => ({ outcome: "\ud800" }), "BODY_INVALID"],
    ["a patch that is no object", () => ({ patch: [1] }), "BODY_INVALID"],
    ["a patch with __proto__", () => ({ patch: JSON.parse('{"__proto__": 1}') }), "BODY_INVALID"],
    ["a value that is no JSON", () => ({ patch: { x: new Date(0) } }), "DATA_INVALID"],
    [
      "a cycle",
      () => {
        const x: Record<string, unknown> = {};
        x["x"] = x;
        return { patch: { x } };
      },
      "DATA_INVALID",
    ],
    ["a malformed mutation", () => ({ mutation: { create: 1 } }), "BODY_INVALID"],
    [
      "a mutation that breaks references",
      () => ({
        mutation: {
          create: [{ id: "a", type: "t", payload: {}, links: [{ to: "b" }] }],
          update: [],
          delete: [],
        },
      }),
      "GATE_REJECTED",
    ],
    ["a label without an arc", () => ({ outcome: "elsewhere" }), "NO_ARC"],
  ])("[D20.5] [C20-17] [C20-11] %s takes the error outcome and changes nothing", (_, body, code) => {
    const { run, step } = after({ functions: { f: body as never } });
    expect(step).toMatchObject({ outcome: "error", trouble: { code } });
    expect(run.state).toMatchObject({ status: "completed", data: { x: 1 } });
    expect(run.graph.objects).toBeUndefined();
  });

  it("[D20.5] [C20-17] without an error arc the run fails with the reason", () => {
    const definition = flow(
      "w",
      [
        ["f", "transform"],
        ["z", "end"],
      ],
      [["f", "z"]],
    );
    const run = bareRun(definition, {
      functions: {
        f: () => {
          throw new Error("no");
        },
      },
    });
    run.take(starting());
    expect(run.state.terminal).toMatchObject({
      kind: "failed",
      trouble: { code: "BODY_THREW", message: "no", facts: { node: "f" } },
    });
  });

  it("[D20.5] [C20-34] a key that the node does not declare to write is refused", () => {
    const definition = flow(
      "w",
      [
        ["f", "transform", {}, { writes: ["a"] }],
        ["z", "end"],
        ["e", "end"],
      ],
      [
        ["f", "z"],
        ["f", "e", "error"],
      ],
    );
    const run = bareRun(definition, { functions: { f: () => ({ patch: { a: 1, b: 2 } }) } });
    const { record } = run.take(starting());
    expect(record.steps[0]).toMatchObject({
      outcome: "error",
      trouble: { code: "FOOTPRINT", facts: { keys: ["b"] } },
    });
    expect(run.state.data).toEqual({});
  });

  it("[D20.5] a node that says what it reads sees nothing else", () => {
    const definition = flow(
      "w",
      [
        ["f", "transform", {}, { reads: ["a"], writes: ["seen"] }],
        ["z", "end"],
      ],
      [["f", "z"]],
    );
    const run = bareRun(definition, {
      functions: {
        f: ({ data }) => ({
          patch: { seen: [Object.keys(data), data["b"] ?? null, "b" in data, { ...data }] as Json },
        }),
      },
    });
    run.take(starting({ a: 1, b: 2 }));
    expect(run.state.data["seen"]).toEqual([["a"], null, false, { a: 1 }]);
  });

  it("[D20.5] values are held against their types and schemas", () => {
    const run = bareRun(transform(), {
      functions: { f: () => ({ patch: { x: 2 } }) },
      validate: (patch) => ("x" in patch ? { code: "SCHEMA_INVALID", message: "x" } : null),
    });
    const { record } = run.take(starting());
    expect(record.steps[1]).toMatchObject({ trouble: { code: "SCHEMA_INVALID" } });
  });

  it.each([
    ["DATA_LIMIT", { dataBytesMax: 40 }],
    ["EVENT_LIMIT", { eventBytesMax: 40 }],
  ])("[D20.5] %s: more than the limit is the node's error", (code, limits) => {
    const run = bareRun(transform(), {
      limits,
      functions: { f: () => ({ patch: { x: "0123456789012345678901234567890123456789" } }) },
    });
    const { record } = run.take(starting());
    expect(record.steps[1]).toMatchObject({ outcome: "error", trouble: { code } });
  });

  it("[D20.5] what a body put into D is D's own: the body may keep and change it", () => {
    const kept: Json[] = [1];
    const run = bareRun(transform(), { functions: { f: () => ({ patch: { list: kept } }) } });
    run.take(starting());
    kept.push(2);
    expect(run.state.data["list"]).toEqual([1]);
  });

  it("[D9.1] a function that is not registered is an intervention, not a failure; retried when it is there", () => {
    const functions: Record<string, () => undefined> = {};
    const run = bareRun(transform());
    run.take(starting());
    expect(run.state).toMatchObject({
      status: "waiting",
      modes: ["waiting_human"],
      items: [{ kind: "intervention", node: "f", reason: { code: "FUNCTION_MISSING" } }],
    });
    run.take({ input: { kind: "retry", item: run.item("f").id, by: "op", reason: "look again" } });
    expect(run.item("f")).toMatchObject({ id: "f.2", kind: "intervention" });
    functions["f"] = () => undefined;
    expect(run.state.status).toBe("waiting");
  });

  it("[D9.1] a predicate that is not registered holds the token before the node, and refuses an answer behind it", () => {
    const guard = { predicate: "isFine" };
    const before = bareRun(
      flow(
        "w",
        [
          ["g", "gateway"],
          ["z", "end"],
        ],
        [["g", "z", "done", { guard }]],
      ),
    );
    before.take(starting());
    expect(before.item("g")).toMatchObject({ kind: "intervention", reason: { code: "COND104" } });
    const behind = bareRun(
      flow(
        "w",
        [
          ["t", "tool"],
          ["z", "end"],
          ["e", "end"],
        ],
        [
          ["t", "z", "done", { guard }],
          ["t", "e", "error"],
        ],
      ),
    );
    behind.take(starting());
    expect(behind.turn(result(behind.item("t")))).toMatchObject({ kind: "refused", code: "unavailable" });
    expect(behind.item("t").kind).toBe("job");
  });
});
