/** @module Lists of values that are said to stand for all data, with one thing wrong: refused, and for what reason. */
import type { CompiledWorkflow, DataType, WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import type { ListedPlace } from "../../src/certificate/data-places.ts";
import { regionTrouble } from "../../src/certificate/data-regions.ts";
import { end, human, start, workflow } from "../workflow-text.ts";
import { casesOf, equals, flow, forger, is, lessThan, type Types } from "./forged-lists.ts";

const REGION = "has no value, or too few, in a region";
const TYPE = "has a value that the declarations do not allow";

/** Every value is needed: without it a region has none. */
function expectNeeded(compiled: CompiledWorkflow, key: string, reason = REGION): void {
  const { cases, trouble, values, valuesOf } = forger(compiled);
  expect(trouble(cases.places)).toBeNull();
  for (const gone of valuesOf(key).keys())
    expect(values(key, (all) => all.toSpliced(gone, 1))).toBe(`"${key}" ${reason}`);
}

describe("[D23.11] what a place may hold", () => {
  it("[D23.11] a truth value is listed as both, and is there", () => {
    const compiled = flow([is("flag", true)], { flag: { type: "boolean" } });
    expect(forger(compiled).valuesOf("flag")).toEqual([false, true]);
    expectNeeded(compiled, "flag");
    expect(forger(compiled).values("flag", (all) => [...all, undefined])).toBe(`"flag" ${TYPE}`);
    expect(forger(compiled).values("flag", () => [true, 1])).toBe(`"flag" ${TYPE}`);
  });

  it("[D23.11] one of its listed values", () => {
    const compiled = flow([is("kind", "red")], {
      kind: { type: "string", values: ["red", "blue", "green"] },
    });
    const forged = forger(compiled);
    expect(forged.values("kind", () => ["red", "black"])).toBe(`"kind" ${TYPE}`);
    expect(forged.values("kind", () => ["red", "green"])).toBeNull();
    expect(forged.values("kind", () => ["blue", "green"])).not.toBeNull();
    expect(forged.values("kind", () => ["red", "blue", "green"])).toContain("answer alike");
  });

  it("[D23.11] a value of its type", () => {
    const types = { n: { type: "integer" }, x: { type: "number" }, o: { type: "object" } } as const;
    const compiled = flow([is("n", 1), is("x", 1), is("o", 1, ["size"])], types);
    const forged = forger(compiled);
    expect(forged.values("n", () => [1, 1.5])).toBe(`"n" ${TYPE}`);
    expect(forged.values("x", () => [1, 1.5])).toBeNull();
    expect(forged.values("x", () => [1, "1"])).toBe(`"x" ${TYPE}`);
    // Of a part nothing is declared, and it may be missing.
    expect(forged.values("o", (all) => [...all, null])).toContain("answer alike");
    expect(forged.valuesOf("o")).toContain(undefined);
    expectNeeded(compiled, "n");
    expectNeeded(compiled, "x");
  });

  it("[D23.11] nothing, only where it may: not declared, asked by isAssigned, a verdict", () => {
    const missing = (key: string, compiled: CompiledWorkflow) =>
      forger(compiled).valuesOf(key).includes(undefined);
    const types: Types = { x: { type: "number" } };
    const assigned = flow([is("x", 1), { key: "x", op: "isAssigned" }], types);
    expect(missing("x", assigned)).toBe(true);
    expectNeeded(assigned, "x");
    const free = flow([is("y", 1)], types);
    expect(missing("y", free)).toBe(true);
    expectNeeded(free, "y");
    const plain = forger(flow([is("x", 1), { key: "o", path: ["x"], op: "isAssigned" }], types));
    expect(plain.values("x", (all) => [...all, undefined])).toBe(`"x" ${TYPE}`);
  });
});

describe("[D23.11] which places are listed", () => {
  const types: Types = { x: { type: "number" }, o: { type: "object" }, text: { type: "string" } };
  const form = { text: { type: "string" } };
  const compiled = flow([is("x", 1), is("o", 1, ["a"])], types, [{ ...human("ask"), meta: { form } }]);
  const forged = forger(compiled);

  it("[D23.11] each once, and none beside a part of it", () => {
    const place = (key: string, ...path: (string | number)[]): ListedPlace => ({
      key,
      path,
      values: [1, 2, undefined],
    });
    expect(forged.and(place("x"))).toBe('"x" is listed with a part of it, or twice');
    expect(forged.and(place("o", "a"))).toBe('"o" is listed with a part of it, or twice');
    expect(forged.and(place("o"))).toBe('"o" is listed with a part of it, or twice');
    expect(forged.and(place("o", "a", "b"))).toBe('"o" is listed with a part of it, or twice');
    const { cases, trouble } = forged;
    expect(trouble([place("o", "a", "b"), ...cases.places])).toBe(
      '"o" is listed with a part of it, or twice',
    );
    // Another part is another place, if nobody needs it: nothing tells its values apart.
    const lone = (path: readonly string[]) => forged.and({ key: "o", path, values: [1, undefined] });
    expect(lone(["b"])).toBeNull();
    expect(lone(["b", "a"])).toBeNull();
  });

  it("[D23.11] parts only of objects, by name", () => {
    const part = (key: string, ...path: (string | number)[]) =>
      forged.and({ key, path, values: [1, undefined] });
    expect(part("text", "a")).toBe('parts of "text" are no places');
    expect(part("o", "b", 0)).toBe('parts of "o" are no places');
    expect(part("o", 0)).toBe('parts of "o" are no places');
    expect(part("p", "a")).toBeNull();
    const torn = flow([is("x", 1)], types, [
      {
        ...human("ask"),
        meta: { form: { o: { type: "object" }, p: { type: "string" }, q: { type: "any" } } },
      },
    ]);
    const tear = (key: string) => forger(torn).and({ key, path: ["a"], values: [1, undefined] });
    expect(tear("o")).toBeNull();
    expect(tear("q")).toBeNull();
    expect(tear("p")).toBe('parts of "p" are no places');
  });

  it("[D23.11] all that are asked", () => {
    expect(forged.without("x")).toBe("a decided condition asks what is not listed");
    expect(forged.without("o")).toBe("a decided condition asks what is not listed");
    const pick: WorkflowNode = {
      id: "pick",
      kind: "decision",
      meta: { key: "tier", branches: { gold: "done" }, default: true },
    };
    const keyed = workflow(
      [start, pick, end],
      ["start -> pick", "pick: done -> end", "pick: default -> end"],
      {},
    );
    expect(forger(keyed).without("tier")).toBe('"tier" is asked, and not listed');
    const two = forger(flow([lessThan("x", "y")], { x: { type: "number" }, y: { type: "number" } }));
    expect(two.without("y")).toBe("a decided condition asks what is not listed");
    expect(two.without("x")).toBe("a decided condition asks what is not listed");
  });

  it("[D23.11] the whole of what lists its values, also where a part of it is asked", () => {
    const listed = flow([is("o", 1, ["a"])], { o: { type: "object", values: [{ a: 1 }, { a: 2 }] } });
    expect(forger(listed).cases.places).toEqual([{ key: "o", path: [], values: [{ a: 1 }, { a: 2 }] }]);
    expectNeeded(listed, "o");
    // Of what does not, a part is not told by the whole.
    const whole = flow([is("o", 1, ["a"])], { o: { type: "object" } });
    const { cases, trouble } = forger(whole);
    expect(trouble([{ ...cases.places[0]!, path: [] }])).toBe("a decided condition asks what is not listed");
  });
});

describe("[D23.11] which conditions their places decide", () => {
  const types: Types = {
    x: { type: "number" },
    name: { type: "string" },
    other: { type: "string" },
    kind: { type: "string", values: ["red", "blue"] },
    list: { type: "array", values: [["red"], []] },
  };
  const decide = (guard: object) => {
    const compiled = flow([guard], types);
    const cases = casesOf(compiled);
    const keys = [...new Set(JSON.stringify(guard).match(/"(?:x|name|other|kind|list)"/gu))].map((one) =>
      one.slice(1, -1),
    );
    const places = keys.map((key): ListedPlace => ({ key, path: [], values: types[key]!.values ?? [] }));
    return {
      isOpen: cases.open.length > 0,
      trouble: regionTrouble(compiled, { ...cases, places, open: [] }),
    };
  };
  const taken = "a condition is taken for decided that its places do not decide";

  it.each([
    ["contains", { key: "name", op: "contains", value: "a" }],
    ["matches", { key: "name", op: "matches", value: "^a" }],
    ["isOneOf what another place holds", { key: "name", op: "isOneOf", valueOf: "list" }],
    ["isNoneOf what another place holds", { key: "name", op: "isNoneOf", valueOf: "list" }],
  ])("[D23.11] %s is open", (_, guard) => {
    expect(decide(guard)).toEqual({ isOpen: true, trouble: taken });
  });

  it.each([
    ["an order", { key: "x", op: "lessThan", value: 1 }],
    ["an equality", { key: "name", op: "is", valueOf: "other" }],
    ["one of some", { key: "name", op: "isOneOf", value: ["a", "b"] }],
    ["none of some", { key: "name", op: "isNoneOf", value: ["a"] }],
    ["whether it is assigned", { key: "name", op: "isAssigned" }],
    ["anything, of values that are listed", { key: "kind", op: "contains", value: "e" }],
    ["anything between two that list theirs", { key: "kind", op: "isOneOf", valueOf: "list" }],
  ])("[D23.11] %s is decided", (_, guard) => {
    const { isOpen, trouble } = decide(guard);
    expect({ isOpen, isTaken: trouble === taken }).toEqual({ isOpen: false, isTaken: false });
  });
});

describe("[D23.11] places that are compared with each other", () => {
  const texts: Types = {
    a: { type: "string" },
    b: { type: "string" },
    kind: { type: "string", values: ["red", "blue"] },
  };

  it("[D23.11] list values in each region, as many as there are places, the same at both", () => {
    const compiled = flow([equals("a", "b")], texts);
    const { valuesOf, values, trouble, cases } = forger(compiled);
    expect(valuesOf("a")).toEqual(valuesOf("b"));
    expect(valuesOf("a")).toHaveLength(3);
    expect(trouble(cases.places)).toBeNull();
    expect(values("a", (all) => all.slice(1))).not.toBeNull();
    expect(values("a", (all) => [...all, "more"])).toBe(
      '"a" has a value that a place which it is compared with lacks',
    );
    const both = cases.places.map((place) => ({ ...place, values: [...place.values, "more"] }));
    expect(trouble(both)).toBeNull();
    expect(trouble(both.map((place) => ({ ...place, values: place.values.slice(-1) })))).not.toBeNull();
  });

  it("[D23.11] a value that the other may not have, or none at all, need not be listed there", () => {
    const compiled = flow([equals("a", "n")], { a: { type: "any" }, n: { type: "number" } });
    const { valuesOf, cases, trouble } = forger(compiled);
    expect(trouble(cases.places)).toBeNull();
    expect(valuesOf("a").some((value) => typeof value === "string")).toBe(true);
    expect(valuesOf("n").every((value) => typeof value === "number")).toBe(true);
    const free = forger(flow([equals("a", "n")], { n: { type: "number" } }));
    expect(free.trouble(free.cases.places)).toBeNull();
    expect(free.valuesOf("a")).toContain(undefined);
    expect(free.valuesOf("n")).not.toContain(undefined);
  });

  it("[D23.11] with the listed values of one as constants of the other, on either side", () => {
    for (const guard of [equals("a", "kind"), equals("kind", "a")]) {
      const compiled = flow([guard], texts);
      const { valuesOf, values } = forger(compiled);
      for (const one of ["red", "blue"]) {
        expect(valuesOf("a")).toContain(one);
        expect(values("a", (all) => all.filter((value) => value !== one))).toBe(`"a" ${REGION}`);
        expect(values("kind", (all) => all.filter((value) => value !== one))).toBe(`"kind" ${REGION}`);
      }
    }
  });

  it("[D23.11] by order only where all are numbers, or all integers", () => {
    const REASON = "is compared by order with what is no number";
    const ordered = (x: DataType["type"], y: DataType["type"]) => {
      const compiled = flow([lessThan("x", "y")], { x: { type: x }, y: { type: y } });
      const open = casesOf(compiled).open.length > 0;
      const place = (key: string): ListedPlace => ({ key, path: [], values: [0, 1] });
      return {
        open,
        trouble: regionTrouble(compiled, { places: [place("x"), place("y")], open: [], patterns: [] }),
      };
    };
    const none = '"x" is compared by order, and no patterns are listed';
    expect(ordered("number", "number")).toEqual({ open: false, trouble: none });
    expect(ordered("integer", "integer")).toEqual({ open: false, trouble: none });
    for (const [x, y] of [
      ["number", "integer"],
      ["integer", "number"],
      ["string", "string"],
      ["any", "any"],
      ["number", "string"],
    ] as const)
      expect(ordered(x, y), `${x} ${y}`).toEqual({ open: true, trouble: `"x" ${REASON}` });
    const parts = flow([{ key: "o", path: ["a"], op: "lessThan", valueOf: "x" }], {
      o: { type: "object" },
      x: { type: "number" },
    });
    const places = [
      { key: "o", path: ["a"], values: [0] },
      { key: "x", path: [], values: [0] },
    ];
    expect(regionTrouble(parts, { places, open: [], patterns: [] })).toBe(`"o.a" ${REASON}`);
  });

  it("[D23.11] what another key is asked is no question about this one", () => {
    const rating: WorkflowNode = {
      ...human("ask"),
      meta: { form: { rating: { type: "integer", values: [1, 5] } } },
    };
    const compiled = flow(
      [is("x", 3), is("rating", 3)],
      { x: { type: "number" }, rating: { type: "number" } },
      [rating],
    );
    const { valuesOf } = forger(compiled);
    // Whether it is 3, and no more, is asked of x; of the rating also whether it fills the form.
    expect(valuesOf("x")).toHaveLength(2);
    expect(valuesOf("rating")).toHaveLength(3);
    expectNeeded(compiled, "x");
    expectNeeded(compiled, "rating");
  });
});
