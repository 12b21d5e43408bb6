/** Keys of D that the branches of a block merge. */
import type { HandlerResult, InlineContext, Json, JsonObject } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { type BareOptions, bareRun, result, starting } from "./host.ts";

import { type Answer, block, played, staged } from "./stage-run.ts";

describe("[D21.10] keys of D that branches merge", () => {
  const merging = (
    merge: JsonObject,
    answers: readonly (readonly [string, Answer])[],
    data: JsonObject = {},
    options: BareOptions = {},
    meta: JsonObject = {},
  ) => {
    const made = played(block({ ...meta, merge }), answers, { ...options, data });
    return { data: made.run.state.data, troubles: made.troubles, ends: made.ends, run: made.run };
  };
  const k = (value: Json): Answer => ({ patch: { k: value } });

  it("[D21.10] [C20-37] sum adds what each branch added, append what each appended, max takes the greatest", () => {
    const both = (a: Json, b: Json) =>
      [
        ["a", k(a)],
        ["b", k(b)],
      ] as const;
    for (const [rule, found, a, b, expected] of [
      ["sum", 10, 11, 15, 16],
      ["sum", undefined, 1, 5, 6],
      ["sum", 10, 9, 10, 9],
      ["append", [0], [0, 1], [0, 2, 3], [0, 1, 2, 3]],
      ["append", undefined, [1], [2], [1, 2]],
      ["max", 3, 1, 2, 3],
      ["max", undefined, -1, -2, -1],
      ["max", 3, 1, 7, 7],
    ] as const) {
      const data = found === undefined ? {} : { k: found as Json };
      for (const order of [both(a as Json, b as Json), both(a as Json, b as Json).toReversed()]) {
        const made = merging({ k: rule }, order, data);
        expect([rule, made.data, made.troubles]).toEqual([rule, { k: expected }, []]);
      }
    }
  });

  it("[D21.10] [C20-37] last is the value of the last branch in the document, whoever came first", () => {
    for (const order of [
      ["a", "b"],
      ["b", "a"],
    ] as const) {
      const answers = order.map((node) => [node, k(node)] as const);
      expect(merging({ k: "last" }, answers, {}, {}, staged).data).toEqual({ k: "b" });
    }
    expect(
      merging(
        { k: "last" },
        [
          ["b", {}],
          ["a", k("a")],
        ],
        { k: 0 },
        {},
        staged,
      ).data,
    ).toEqual({ k: "a" });
  });

  it("[D21.10] [D21.7] a branch that writes the value which is there has written: last and a function see it", () => {
    const both = [
      ["a", k("a")],
      ["b", k("o")],
    ] as const;
    expect(merging({ k: "last" }, both, { k: "o" }, {}, staged).data).toEqual({ k: "o" });
    // Most votes: two of three branches say what was there.
    const functions = {
      most: ({ data }: InlineContext): HandlerResult => {
        const votes = data["values"] as readonly boolean[];
        return { patch: { k: votes.filter((vote) => vote).length * 2 > votes.length } };
      },
    };
    const votes = [
      ["a", k(true)],
      ["b", k(false)],
      ["c", k(false)],
    ] as const;
    const voted = played(block({ merge: { k: { function: "most" } } }, ["a", "b", "c"]), votes, {
      functions,
      data: { k: false },
    });
    expect([voted.run.state.data, voted.troubles]).toEqual([{ k: false }, []]);
    // What nobody reads of a key that no block merges, or that is not declared, stays without a record.
    const { run } = played(block({ merge: { k: "sum" } }), [["a", { patch: { other: 1 } }]], {
      data: { k: 1, other: 1 },
    });
    expect(run.records.at(-1)?.steps[0]).not.toHaveProperty("staged");
  });

  it("[D21.7] [D4.11] a key of the merge that a node does not declare is refused, also with the value which is there", () => {
    const made = block({ merge: { k: "last" }, stage: true });
    const declared = {
      ...made,
      nodes: made.nodes.map((node) => (node.id === "a" ? { ...node, writes: ["other"] } : node)),
    };
    const { troubles } = played(declared, [["a", k(1)]], { data: { k: 1 } });
    expect(troubles).toEqual(["FOOTPRINT"]);
  });

  it("[D21.10] [C20-37] a registered function answers for what was there and what the branches made of it", () => {
    const seen: Json[] = [];
    const functions = {
      f: ({ data }: InlineContext): HandlerResult => {
        seen.push(JSON.parse(JSON.stringify(data)));
        return { patch: { k: (data["values"] as readonly number[]).length } };
      },
    };
    const made = merging(
      { k: { function: "f" } },
      [
        ["b", k("y")],
        ["a", k("x")],
      ],
      { k: "o" },
      { functions },
    );
    expect([made.data, seen]).toEqual([{ k: 2 }, [{ base: "o", values: ["x", "y"] }]]);
    for (const [body, code] of [
      [() => ({ patch: { l: 1 } }), "MERGE_INVALID"],
      [() => ({ patch: 1 }), "BODY_INVALID"],
      [
        () => {
          throw new Error("no");
        },
        "BODY_THREW",
      ],
    ] as const) {
      const bad = merging(
        { k: { function: "f" } },
        [
          ["a", k(1)],
          ["b", {}],
        ],
        { k: 0 },
        { functions: { f: body as never } },
      );
      expect([bad.troubles, bad.ends, bad.data]).toEqual([[code], ["bad"], { k: 0 }]);
    }
    const missing = merging({ k: { function: "f" } }, [
      ["a", k(1)],
      ["b", {}],
    ]);
    expect(missing.run.state.items).toMatchObject([
      { kind: "intervention", node: "j", reason: { code: "FUNCTION_MISSING" } },
    ]);
    expect(missing.run.state.overlays).toHaveLength(1);
  });

  it("[D21.10] [C20-37] values that a rule cannot merge are refused, and D is as it was", () => {
    for (const [rule, found, value] of [
      ["sum", 1, "x"],
      ["sum", "x", 1],
      ["max", 1, null],
      ["append", [1], [2]],
      ["append", [1], "x"],
      ["append", "x", [1]],
    ] as const) {
      const made = merging(
        { k: rule },
        [
          ["a", k(value as Json)],
          ["b", {}],
        ],
        { k: found as Json },
      );
      expect([rule, made.troubles, made.ends, made.data]).toEqual([
        rule,
        ["MERGE_INVALID"],
        ["bad"],
        { k: found },
      ]);
    }
  });

  it("[D21.7] [D21.4] [C20-37] a key of the merge stays in its branch until the join; other keys do not", () => {
    const run = bareRun(block({ merge: { k: "sum" } }));
    run.take(starting({ k: 1 }));
    const answer = (node: string, patch: { readonly [key: string]: Json }) =>
      run.take({ input: result(run.item(node)).input, payload: { patch } });
    const { record } = answer("a", { k: 4, other: true });
    expect(run.state.data).toEqual({ k: 1, other: true });
    expect(run.state.overlays).toMatchObject([{ block: "j", base: { k: 1 }, values: { k: 4 } }]);
    expect(record.steps[0]).toMatchObject({
      patch: { ops: [{ kind: "set", path: ["other"], value: true }] },
      staged: [{ block: "j", base: { k: 1 }, patch: { ops: [{ path: ["k"] }] } }],
    });
    answer("b", {});
    expect(run.state.data).toEqual({ k: 4, other: true });
  });

  it("[D21.10] [C20-37] nobody wrote: nothing is merged", () => {
    const made = merging(
      { k: "sum" },
      [
        ["a", {}],
        ["b", {}],
      ],
      { k: 1 },
    );
    expect([made.data, made.ends]).toEqual([{ k: 1 }, ["end"]]);
    expect(made.run.records.flatMap(({ steps }) => steps.flatMap(({ dropped = [] }) => dropped))).toEqual([]);
  });
});
