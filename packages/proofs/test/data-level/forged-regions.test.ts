/** @module Listed values and patterns of numbers, forged by hand where places are parts, may be missing, or are compared. */
import type { ConditionData, DataType, Json, JsonObject, WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import type { ListedPlace } from "../../src/certificate/data-places.ts";
import { type ListedCases, regionTrouble } from "../../src/certificate/data-regions.ts";
import { end, gateway, human, start, workflow } from "../workflow-text.ts";
import { casesOf, equals, flow, forger, is, lessThan, type Types } from "./forged-lists.ts";

const REGION = "has no value, or too few, in a region";
const place = (
  key: string,
  values: readonly (Json | undefined)[],
  ...path: (string | number)[]
): ListedPlace => ({ key, path, values });

/** The trouble with lists that are all made by hand. */
function trouble(
  compiled: ReturnType<typeof flow>,
  places: readonly ListedPlace[],
  more: Partial<ListedCases> = {},
): string | null {
  return regionTrouble(compiled, { places, open: [], patterns: [], ...more });
}

describe("[D23.11] parts of an object", () => {
  it("[D23.11] each is asked what is asked of it, and not what is asked of another", () => {
    const compiled = flow([is("o", 1, ["a"]), is("o", 2, ["b"])], {});
    const good = [place("o", [1, 0, undefined], "a"), place("o", [2, 0, undefined], "b")];
    expect(trouble(compiled, good)).toBeNull();
    expect(trouble(compiled, [place("o", [1, 0, undefined], "a"), place("o", [1, 0, undefined], "b")])).toBe(
      `"o.b" ${REGION}`,
    );
    expect(forger(compiled).trouble(casesOf(compiled).places)).toBeNull();
  });

  it("[D23.11] a name with a comma is no path of two names", () => {
    const compiled = flow([is("o", 1, ["a,b"]), is("o", 2, ["a", "b"])], {});
    const joined = place("o", [1, 0, undefined], "a,b");
    const nested = place("o", [2, 0, undefined], "a", "b");
    expect(trouble(compiled, [joined, nested])).toBeNull();
    expect(trouble(compiled, [nested, joined])).toBeNull();
    expect(forger(compiled).trouble(casesOf(compiled).places)).toBeNull();
    const missing = "a decided condition asks what is not listed";
    expect(trouble(compiled, [joined])).toBe(missing);
    expect(trouble(compiled, [nested])).toBe(missing);
  });

  it("[D23.11] may hold anything, whatever the declaration of the whole says", () => {
    const compiled = flow([is("o", 1, ["a"])], { o: { type: "object" } });
    expect(trouble(compiled, [place("o", [1, {}, undefined], "a")])).toBeNull();
    expect(trouble(compiled, [place("o", [{}, undefined], "a")])).toBe(`"o.a" ${REGION}`);
    expect(trouble(compiled, [place("o", [1, undefined], "a")])).toBe(`"o.a" ${REGION}`);
  });
});

describe("[D23.11] what is left open", () => {
  it("[D23.11] is neither asked nor listed, the leaves beside it are", () => {
    const compiled = flow([{ key: "name", op: "contains", value: "a" }, is("x", 1)], {
      name: { type: "string" },
      x: { type: "number" },
    });
    const x = place("x", [1, 2]);
    expect(trouble(compiled, [x], { open: [0] })).toBeNull();
    expect(trouble(compiled, [x], { open: [0, 1] })).toBe('"x" lists two values that answer alike');
    expect(trouble(compiled, [x], { open: [1] })).not.toBeNull();
    expect(trouble(compiled, [x])).not.toBeNull();
  });
});

describe("[D23.11] a value that is listed twice", () => {
  const texts: Types = { a: { type: "string" }, b: { type: "string" } };

  it("[D23.11] counts once: two places that are compared need two", () => {
    const compiled = flow([equals("a", "b")], texts);
    const both = (values: readonly string[]) => trouble(compiled, [place("a", values), place("b", values)]);
    expect(both(["", "x", "y"])).toBeNull();
    for (const values of [
      ["", "x", "x"],
      ["", "x", "y", "x"],
      ["", "", "x", "y"],
    ])
      expect(both(values)).toBe('"a" lists a value twice');
  });

  it("[D23.11] is the same with its keys in another order", () => {
    const compiled = flow([equals("a", "b")], { a: { type: "object" }, b: { type: "object" } });
    const both = (values: readonly Json[]) => trouble(compiled, [place("a", values), place("b", values)]);
    expect(both([{ p: 1, q: 2 }, { p: 1 }])).toBeNull();
    expect(
      both([
        { p: 1, q: 2 },
        { q: 2, p: 1 },
      ]),
    ).toBe('"a" lists a value twice');
  });
});

describe("[D23.11] places beside some that are compared", () => {
  it("[D23.11] need one value for each answer, and no more", () => {
    const compiled = flow([equals("a", "b"), is("x", 1)], {
      a: { type: "string" },
      b: { type: "string" },
      x: { type: "number" },
    });
    const pair = [place("a", ["", "x", "y"]), place("b", ["", "x", "y"])];
    expect(trouble(compiled, [...pair, place("x", [1, 2])])).toBeNull();
    expect(trouble(compiled, [place("x", [1, 2]), ...pair])).toBeNull();
    expect(trouble(compiled, [...pair, place("x", [1, 2, 0])])).toBe(
      '"x" lists two values that answer alike',
    );
    expect(trouble(compiled, [...pair, place("x", [1])])).toBe(`"x" ${REGION}`);
  });

  it("[D23.11] of a key that lists null, null is one value and none at all another", () => {
    const kind: DataType = { type: "any", values: [null, "red"] };
    const types: Types = { kind, name: { type: "any" } };
    const compiled = flow([equals("kind", "name"), { key: "kind", op: "isAssigned" }], types);
    const honest = forger(compiled);
    expect(honest.trouble(honest.cases.places)).toBeNull();
    for (const gone of [null, undefined, "red"])
      expect(honest.values("kind", (all) => all.filter((value) => value !== gone))).toBe(`"kind" ${REGION}`);
  });

  it("[D23.11] a listed value is there with its keys in any order", () => {
    const kind: DataType = { type: "object", values: [{ p: 1, q: 2 }, { p: 2 }] };
    const compiled = flow([equals("kind", "name")], { kind, name: { type: "object" } });
    const honest = forger(compiled);
    expect(honest.trouble(honest.cases.places)).toBeNull();
    expect(honest.values("kind", () => [{ p: 2 }, { q: 2, p: 1 }])).toBeNull();
  });

  it("[D23.11] a part of a key that lists its values has as constants what these have there", () => {
    const types: Types = {
      o: { type: "object", values: [{ a: 1 }, { a: 2, b: 3 }, { b: 4 }] },
      x: { type: "number" },
    };
    for (const guard of [
      { key: "o", path: ["a"], op: "is", valueOf: "x" },
      { key: "x", op: "is", valueOf: "o", valuePath: ["a"] },
      { key: "x", op: "lessThan", valueOf: "o", valuePath: ["a"] },
    ]) {
      const compiled = flow([guard], types);
      const o = place("o", types["o"]!.values!);
      const kept = [0, 1, 1.5, 2, 3];
      expect(trouble(compiled, [o, place("x", kept)])).toBeNull();
      for (const gone of kept)
        expect(
          trouble(compiled, [
            o,
            place(
              "x",
              kept.filter((value) => value !== gone),
            ),
          ]),
        ).toBe(`"x" ${REGION}`);
      expect(forger(compiled).trouble(casesOf(compiled).places)).toBeNull();
    }
  });

  it("[D23.11] a place that may be without a value does not make another be so", () => {
    const compiled = flow([equals("a", "n")], { n: { type: "any" } });
    const honest = forger(compiled);
    expect(honest.valuesOf("a")).toContain(undefined);
    expect(honest.valuesOf("n")).not.toContain(undefined);
    expect(honest.trouble(honest.cases.places)).toBeNull();
  });
});

describe("[D23.11] regions of what somebody asks the type of", () => {
  const form = (field: JsonObject): WorkflowNode => ({
    ...human("ask"),
    meta: { form: { x: field } },
  });
  const below = { key: "x", op: "lessThan", value: 4 };

  it("[D23.11] a number that a form wants whole has fractions, too, between constants and beside them", () => {
    const compiled = flow([below, { key: "x", op: "greaterThan", value: 0 }], { x: { type: "number" } }, [
      form({ type: "integer" }),
    ]);
    const all = [0, 4, -1, 5, 2, -0.5, 4.5, 0.5];
    // 0 and -1 answer alike, as 4 and 5 do, and -0.5 as no integer.
    const kept = [-1, 5, 2, -0.5, 4.5, 0.5];
    expect(trouble(compiled, [place("x", kept)])).toBeNull();
    expect(trouble(compiled, [place("x", all)])).toBe('"x" lists two values that answer alike');
    for (const gone of kept)
      expect(
        trouble(compiled, [
          place(
            "x",
            kept.filter((value) => value !== gone),
          ),
        ]),
        String(gone),
      ).toBe(`"x" ${REGION}`);
  });

  it("[D23.11] also where constants are far apart, or large", () => {
    for (const value of [1e300, -1e300, 1.7e308, -1.7e308, Number.MAX_VALUE / 2]) {
      const compiled = flow([{ key: "x", op: "lessThan", value }], { x: { type: "number" } });
      expect(trouble(compiled, [place("x", [0, value])]) === null).toBe(value > 0);
      const sides = value > 0 ? [0, value] : [value, -1.75e308];
      expect(trouble(compiled, [place("x", sides)])).toBeNull();
      for (const one of sides) expect(trouble(compiled, [place("x", [one])])).toBe(`"x" ${REGION}`);
    }
    const wide = flow(
      [
        { key: "x", op: "atLeast", value: -1e300 },
        { key: "x", op: "lessThan", value: 4 },
      ],
      { x: { type: "number" } },
      [form({ type: "integer" })],
    );
    const kept = [-1.1e300, -1, -0.5, 4, 4.5];
    expect(trouble(wide, [place("x", kept)])).toBeNull();
    for (const gone of kept)
      expect(
        trouble(wide, [
          place(
            "x",
            kept.filter((value) => value !== gone),
          ),
        ]),
        String(gone),
      ).toBe(`"x" ${REGION}`);
  });

  it("[D23.11] what the prover lists has fractions, too, beside constants next to integers, and large ones", () => {
    const whole = (value: number) =>
      flow([{ key: "x", op: "lessThan", value }], { x: { type: "number" } }, [form({ type: "integer" })]);
    for (const value of [2 ** 40, 2 ** 50 + 0.75, 2 ** 51 - 9, 0.5 - 2 ** 50, 1 - 2 ** -53, 2 ** -53 - 1])
      expect(forger(whole(value)).trouble(casesOf(whole(value)).places), String(value)).toBeNull();
    // Where there are few fractions beside an integer nothing is decided.
    for (const value of [2 ** 51 - 2, 2 ** 52 + 5, -(2 ** 52) - 5, 2 ** 53])
      expect(() => casesOf(whole(value)), String(value)).toThrow("too large a number");
  });

  it("[D23.11] values of a form are the same with their keys in any order", () => {
    const compiled = flow(
      [{ key: "x", op: "isOneOf", value: [{ q: 2, p: 1 }, { p: 2 }] }],
      { x: { type: "object" } },
      [form({ type: "object", values: [{ p: 1, q: 2 }, { p: 2 }] })],
    );
    expect(trouble(compiled, [place("x", [{ p: 2 }, {}])])).toBeNull();
    expect(trouble(compiled, [place("x", [{ q: 2, p: 1 }, {}])])).toBeNull();
    expect(forger(compiled).trouble(casesOf(compiled).places)).toBeNull();
  });
});

describe("[D23.11] orders", () => {
  const NUMBERS: Types = { x: { type: "number" }, y: { type: "number" } };
  const ORDER = "is compared by order with what is no number";
  const pairs = (values: readonly number[]) => values.flatMap((a) => values.map((b) => [a, b]));
  const ordered = (compiled: ReturnType<typeof flow>, tuples: readonly (readonly (number | undefined)[])[]) =>
    trouble(compiled, [place("x", [0, 1]), place("y", [0, 1])], { patterns: [{ places: [0, 1], tuples }] });

  it("[D23.11] need patterns at each of the constants, from wherever these are asked", () => {
    const three = { key: "x", op: "is", value: 3 };
    const asked = flow([lessThan("x", "y"), three], NUMBERS);
    expect(ordered(flow([lessThan("x", "y")], NUMBERS), pairs([0, 1]))).toBeNull();
    for (const guards of [
      [lessThan("x", "y"), three],
      [lessThan("x", "y"), { ...three, key: "y" }],
      [lessThan("x", "y"), { key: "y", op: "isOneOf", value: ["three", 3] }],
    ]) {
      const compiled = flow(guards, NUMBERS);
      expect(ordered(compiled, pairs([1, 2, 3, 4, 5])), JSON.stringify(guards)).toBeNull();
      expect(ordered(compiled, pairs([1, 2]))).toMatch(/^"x" stands in no pattern/u);
    }
    expect(ordered(asked, pairs([1, 2, 4, 5]))).toMatch(/^"x" stands in no pattern/u);
  });

  it("[D23.11] of a key that a decision reads have its numbers as constants, and no texts", () => {
    const pick: WorkflowNode = {
      id: "pick",
      kind: "decision",
      meta: { key: "y", branches: { "3": "done", three: "done" }, default: true },
    };
    const guard = lessThan("x", "y") as ConditionData;
    const compiled = workflow(
      [start, pick, gateway("fork"), end],
      [
        "start -> pick",
        "pick -> fork",
        "pick: default -> fork",
        { from: "fork", to: "end", guard },
        { from: "fork", to: "end", default: true },
      ],
      NUMBERS,
    );
    expect(ordered(compiled, pairs([1, 2, 3, 4, 5]))).toBeNull();
    expect(ordered(compiled, pairs([1, 2, 4, 5]))).toMatch(/^"x" stands in no pattern/u);
  });

  it("[D23.11] of integers are patterns of integers, of numbers need not be", () => {
    const integers = flow([lessThan("x", "y")], { x: { type: "integer" }, y: { type: "integer" } });
    const typed = '"x" has a pattern that the declarations do not allow';
    expect(ordered(integers, pairs([0, 1]))).toBeNull();
    expect(ordered(integers, pairs([0, 0.5]))).toBe(typed);
    expect(ordered(flow([lessThan("x", "y")], NUMBERS), pairs([0, 0.5]))).toBeNull();
    // Between 0 and 2 there is one integer, and there are many numbers.
    const bounds = [
      { key: "x", op: "greaterThan", value: 0 },
      { key: "x", op: "lessThan", value: 2 },
    ];
    const sparse = pairs([-2, -1, 0, 1, 2, 3, 4]);
    const types = { x: { type: "integer" }, y: { type: "integer" } } as const;
    expect(ordered(flow([lessThan("x", "y"), ...bounds], types), sparse)).toBeNull();
    expect(ordered(flow([lessThan("x", "y"), ...bounds], NUMBERS), sparse)).toMatch(
      /^"x" stands in no pattern/u,
    );
  });

  it("[D23.11] have patterns without a value just where a place may be without one", () => {
    const compiled = flow([lessThan("x", "y"), { key: "y", op: "isAssigned" }], NUMBERS);
    const some = [...pairs([0, 1]), [0, undefined]];
    expect(ordered(compiled, some)).toBeNull();
    expect(ordered(compiled, pairs([0, 1]))).toMatch(/^"x" stands in no pattern/u);
    expect(ordered(compiled, [...some, [undefined, 0]])).toBe(
      '"x" has a pattern that the declarations do not allow',
    );
  });

  it("[D23.11] of what is not declared are no orders of numbers", () => {
    for (const types of [undefined, {}, { x: { type: "number" } }, { y: { type: "number" } }] as const) {
      const compiled = flow([lessThan("x", "y")], types);
      expect(casesOf(compiled).open).toEqual([0]);
      expect(ordered(compiled, pairs([0, 1]))).toBe(`"x" ${ORDER}`);
      expect(
        ordered(compiled, [...pairs([0, 1]), [0, undefined], [undefined, 0], [undefined, undefined]]),
      ).toBe(`"x" ${ORDER}`);
    }
  });

  it("[D23.11] of what a form wants otherwise than it is declared are no orders of numbers", () => {
    const asking = (field: JsonObject): WorkflowNode => ({ ...human("ask"), meta: { form: { y: field } } });
    const free = flow([lessThan("x", "y")], NUMBERS, [asking({ type: "number" })]);
    expect(casesOf(free).open).toEqual([]);
    expect(ordered(free, pairs([0, 1]))).toBeNull();
    const elsewhere: WorkflowNode = {
      ...human("ask"),
      meta: { form: { z: { type: "integer", values: [1] } } },
    };
    expect(ordered(flow([lessThan("x", "y")], NUMBERS, [elsewhere]), pairs([0, 1]))).toBeNull();
    for (const field of [
      { type: "integer" },
      { type: "number", values: [0, 1] },
      { type: "number", optional: true },
      { type: "any" },
    ]) {
      const compiled = flow([lessThan("x", "y")], NUMBERS, [asking(field)]);
      expect(casesOf(compiled).open, JSON.stringify(field)).toEqual([0]);
      expect(ordered(compiled, pairs([-1, 0, 1, 2])), JSON.stringify(field)).toBe(
        '"x" is compared by order, and a form wants it otherwise',
      );
    }
  });

  it("[D23.11] to a constant that is large are below it and above it, too", () => {
    for (const value of [1e300, -1e300]) {
      const compiled = flow([lessThan("x", "y"), { key: "x", op: "lessThan", value }], NUMBERS);
      const beside = [-1.3e300, -1.2e300, value, 1.2e300, 1.3e300];
      expect(ordered(compiled, pairs(beside))).toBeNull();
      for (const gone of [
        (one: number) => one < value,
        (one: number) => one > value,
        (one: number) => one === value,
      ])
        expect(ordered(compiled, pairs(beside.filter((one) => !gone(one))))).toMatch(
          /^"x" stands in no pattern/u,
        );
    }
    const far = [
      { key: "x", op: "lessThan", value: -1.7e308 },
      { key: "x", op: "lessThan", value: 1.7e308 },
    ];
    const compiled = flow([lessThan("x", "y"), ...far], NUMBERS);
    const all = [-1.75e308, -1.72e308, -1.7e308, 0, 1, 1.7e308, 1.72e308, 1.75e308];
    expect(ordered(compiled, pairs(all))).toBeNull();
    expect(ordered(compiled, pairs(all.filter((one) => one !== 0 && one !== 1)))).not.toBeNull();
  });
});

describe("[D23.11] without declarations", () => {
  it("[D23.11] a key has any value, or none", () => {
    const compiled = flow([is("x", 1)]);
    expect(trouble(compiled, [place("x", [1, "a", undefined])])).toBeNull();
    expect(trouble(compiled, [place("x", [1, "a"])])).toBe(`"x" ${REGION}`);
    expect(trouble(compiled, [place("x", [1, undefined])])).toBe(`"x" ${REGION}`);
  });
});
