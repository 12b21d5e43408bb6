/** @module Cases of data and what answers leave of them, by hand: several keys, orders of integers, keys without a value. */
import type { Data, DataType, Json, WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { type CaseWorld, standingOf, worldOfCases } from "../../src/certificate/data-cases.ts";
import { frameOf } from "../../src/certificate/data-frame.ts";
import { questionsOf } from "../../src/data-level/conditions-read.ts";
import { domainOf } from "../../src/data-level/domain.ts";
import { human } from "../workflow-text.ts";
import { flow, is, lessThan, type Types } from "./forged-lists.ts";

const NODE = 1;
function worldWith(node: WorkflowNode, guards: readonly object[], types: Types): CaseWorld {
  const compiled = flow(guards, types, [node]);
  const found = domainOf(questionsOf(compiled));
  if (found.kind !== "domain") throw new Error(found.reason);
  return worldOfCases(frameOf(compiled, found.domain), found.domain);
}
const asking = (writes: readonly string[], form?: Readonly<Record<string, Json>>): WorkflowNode => ({
  ...human("ask"),
  writes,
  ...(form === undefined ? {} : { meta: { form } }),
});
/** Each case that is left, as text, with a mark where it is sure. */
const left = ({ world }: CaseWorld, before: Data) =>
  world
    .answersTo(NODE, "done", before)
    .map(({ data, isSure }) => `${JSON.stringify(data)}${isSure ? "!" : "?"}`);

describe("[D23.1] cases", () => {
  it("[D23.1] are all combinations of values, each once", () => {
    const types = { a: { type: "boolean" }, b: { type: "string", values: ["p", "q", "r"] } } as const;
    const { cases } = worldWith(asking([]), [is("a", true), is("b", "p"), is("b", "q")], types);
    expect(cases.map((data) => `${data["a"]} ${data["b"]}`).sort()).toEqual([
      "false p",
      "false q",
      "false r",
      "true p",
      "true q",
      "true r",
    ]);
  });

  it("[D23.1] of two orders and a key beside them: each pattern with each", () => {
    const number: DataType = { type: "number" };
    const types: Types = { a: number, b: number, c: number, d: number, e: { type: "boolean" } };
    const { cases } = worldWith(asking([]), [lessThan("d", "a"), lessThan("b", "c"), is("e", true)], types);
    const sign = (data: Data, one: string, other: string) =>
      Math.sign(Number(data[one]) - Number(data[other]));
    const names = cases.map((data) => `${sign(data, "a", "d")} ${sign(data, "b", "c")} ${data["e"]}`);
    expect(new Set(names).size).toBe(18);
    expect(names).toHaveLength(18);
  });
});

describe("[D23.3] an answer leaves", () => {
  const types: Types = { a: { type: "boolean" }, b: { type: "boolean" } };
  const guards = [is("a", true), is("b", true)];

  it("[D23.3] what it does not write as it was", () => {
    const world = worldWith(asking(["a"]), guards, types);
    expect(left(world, { a: true, b: false }).sort()).toEqual([
      '{"a":false,"b":false}!',
      '{"a":true,"b":false}!',
    ]);
    expect(left(worldWith(asking([]), guards, types), { a: true, b: false })).toEqual([
      '{"a":true,"b":false}!',
    ]);
    expect(left(worldWith(asking(["a", "b"]), guards, types), { a: true, b: false })).toHaveLength(4);
  });

  it("[D23.3] of what it writes only what it may, whatever else it leaves", () => {
    const world = worldWith(asking(["a"], { a: { type: "boolean", values: [true] } }), guards, types);
    expect(left(world, { a: false, b: false })).toEqual(['{"a":true,"b":false}!']);
    const both = asking(["a", "b"], {
      a: { type: "boolean", values: [true] },
      b: { type: "boolean", values: [false], optional: true },
    });
    expect(left(worldWith(both, guards, types), { a: false, b: true }).sort()).toEqual([
      '{"a":true,"b":false}!',
      '{"a":true,"b":true}!',
    ]);
    expect(left(worldWith(both, guards, types), { a: false, b: false })).toEqual(['{"a":true,"b":false}!']);
  });
});

describe("[D23.1] always room among integers", () => {
  const integer: DataType = { type: "integer" };
  const bounds = [
    { key: "x", op: "greaterThan", value: 0 },
    { key: "x", op: "lessThan", value: 20 },
  ];
  /** Where a number is: at a constant, or in which gap. */
  const place = (value: Json | undefined) => {
    if (typeof value !== "number") return "none";
    if (value === 0 || value === 20) return String(value);
    return value < 0 ? "low" : value > 20 ? "high" : "mid";
  };
  /** Of a case, given by places and signs: how x can be after it is written, and whether surely. */
  function rooms(world: CaseWorld, isBefore: (data: Data) => boolean): readonly string[] {
    const before = world.cases.find(isBefore);
    if (before === undefined) throw new Error("no such case");
    const found = world.world.answersTo(NODE, "done", before).map(({ data, isSure }) => {
      const [x, y] = [Number(data["x"]), Number(data["y"])];
      const sign = Number.isNaN(x - y) ? "" : x < y ? " less" : x > y ? " more" : " same";
      return `${place(data["x"])}${sign}: ${isSure ? "sure" : "maybe"}`;
    });
    return [...found].sort();
  }

  it("[D23.1] is at constants, at another value, alone in a gap, and beyond all; not beside another one in a gap", () => {
    const world = worldWith(asking(["x"]), [lessThan("x", "y"), ...bounds], { x: integer, y: integer });
    expect(rooms(world, ({ y }) => place(y) === "mid")).toEqual(
      [
        "low less: sure",
        "0 less: sure",
        "mid less: maybe",
        "mid same: sure",
        "mid more: maybe",
        "20 more: sure",
        "high more: sure",
      ].sort(),
    );
    expect(rooms(world, ({ y }) => place(y) === "high")).toEqual(
      [
        "low less: sure",
        "0 less: sure",
        "mid less: sure",
        "20 less: sure",
        "high less: maybe",
        "high same: sure",
        "high more: sure",
      ].sort(),
    );
    expect(rooms(world, ({ y }) => place(y) === "low")).toEqual(
      [
        "low less: sure",
        "low same: sure",
        "low more: maybe",
        "0 more: sure",
        "mid more: sure",
        "20 more: sure",
        "high more: sure",
      ].sort(),
    );
  });

  it("[D23.1] is beside one that has no value, and for what is taken away", () => {
    const assigned = [
      { key: "y", op: "isAssigned" },
      { key: "x", op: "isAssigned" },
    ];
    const types: Types = { x: integer, y: integer };
    const job: WorkflowNode = { id: "ask", kind: "human", writes: ["x"], meta: {} };
    const world = worldWith(job, [lessThan("x", "y"), ...bounds, ...assigned], types);
    expect(rooms(world, ({ x, y }) => place(y) === "none" && place(x) === "mid")).toEqual(
      ["low: sure", "0: sure", "mid: sure", "20: sure", "high: sure"].sort(),
    );
    // Without a value before, it may stay so, whatever the other is.
    expect(rooms(world, ({ x, y }) => place(y) === "mid" && place(x) === "none")).toContain("none: sure");
    expect(rooms(world, ({ x, y }) => place(y) === "none" && place(x) === "none")).toContain("none: sure");
  });

  it("[D23.1] must be in each order that is written", () => {
    const types: Types = { u: integer, v: integer, x: integer, y: integer };
    const world = worldWith(asking(["u", "x"]), [lessThan("u", "v"), lessThan("x", "y"), ...bounds], types);
    const before = world.cases.find(
      ({ u, v, x, y }) => Number(u) < Number(v) && place(y) === "mid" && place(x) === "low",
    )!;
    const answers = world.world.answersTo(NODE, "done", before);
    const sure = (isAsked: (data: Data) => boolean) =>
      answers.filter(({ data }) => isAsked(data)).map(({ isSure }) => isSure);
    const isBeside = ({ x, y }: Data) => place(x) === "mid" && x !== y;
    expect(sure(isBeside).length).toBeGreaterThan(3);
    expect(sure(isBeside).every((one) => !one)).toBe(true);
    expect(sure((data) => !isBeside(data)).length).toBeGreaterThan(3);
    expect(sure((data) => !isBeside(data)).every((one) => one)).toBe(true);
  });
});

describe("[D23.1] how values stand to each other and to constants", () => {
  const isAlike = (
    one: readonly (Json | undefined)[],
    other: readonly (Json | undefined)[],
    constants: number[],
  ) => standingOf(one, constants) === standingOf(other, constants);

  it.each<readonly [readonly (Json | undefined)[], readonly (Json | undefined)[], boolean]>([
    [[1, 2], [3, 4], true],
    [[1, 2], [2, 1], false],
    [[1, 1], [1, 2], false],
    [[1, undefined], [1, 2], false],
    [[undefined, 1], [1, undefined], false],
    [[undefined, 1], [undefined, 3], true],
    [[undefined, undefined], [undefined, undefined], true],
    [[undefined, undefined], [undefined, 1], false],
    [[7, undefined], [4, undefined], true],
    [[9, undefined], [10, undefined], false],
    [[10, 9], [11, 9], false],
    [[11, 9], [12, 9], true],
    [[11, 9], [12, -9], true],
    [[], [], true],
  ])("[D23.1] %j and %j beside 10 are alike: %j", (one, other, alike) => {
    expect(isAlike(one, other, [10])).toBe(alike);
    expect(isAlike(other, one, [10])).toBe(alike);
  });

  it("[D23.1] constants tell nothing of what is missing", () => {
    expect(isAlike([undefined], [undefined], [])).toBe(true);
    expect(isAlike([undefined], [0], [])).toBe(false);
    expect(isAlike([5], [6], [])).toBe(true);
    expect(isAlike([5], [6], [5])).toBe(false);
  });
});
