/** @module When data are a case of other data: everything that a workflow asks answers on both alike, one question at a time. */
import type { Arc, ConditionData, Data, WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { isCaseOf, isSeen } from "../../src/certificate/data-same.ts";
import { questionsOf } from "../../src/data-level/conditions-read.ts";
import { domainOf } from "../../src/data-level/domain.ts";
import { end, gateway, human, start, workflow } from "../workflow-text.ts";

const when = (guard: object): Arc => ({ from: "fork", to: "end", guard: guard as ConditionData });

/** A workflow that asks `guards`, with more nodes in its way, and its domain. */
function domainWith(
  guards: readonly object[],
  between: readonly WorkflowNode[] = [],
  more: readonly Arc[] = [],
) {
  const way = ["start", ...between.map(({ id }) => id), "fork"];
  const arcs = way.slice(1).map((to, at) => `${way[at]} -> ${to}`);
  const compiled = workflow(
    [start, ...between, gateway("fork"), end],
    [...arcs, ...guards.map(when), ...more, { from: "fork", to: "end", default: true }],
    {
      x: { type: "number" },
      y: { type: "number" },
      size: { type: "number" },
      colour: { type: "string" },
      items: { type: "any" },
    },
  );
  const found = domainOf(questionsOf(compiled));
  if (found.kind !== "domain") throw new Error(found.reason);
  return found.domain;
}

const BASE: Data = { x: 1, y: 5, size: 3, colour: "red", items: [] };

describe("[D23.6] data are a case of others", () => {
  const leaf = domainWith([{ key: "x", op: "lessThan", value: 2 }]);
  it.each<readonly [what: string, domain: typeof leaf, other: Data, isCase: boolean]>([
    ["of themselves", leaf, {}, true],
    ["where what is not asked differs", leaf, { y: 7, colour: "blue" }, true],
    ["where a leaf answers alike", leaf, { x: 0 }, true],
    ["not where a leaf answers otherwise", leaf, { x: 2 }, false],
    ["not where a leaf has no answer", leaf, { x: "one" }, false],
    [
      "not where a key is there that was not",
      domainWith([{ key: "o", op: "is", value: "k" }]),
      { o: "z" },
      false,
    ],
    [
      "where one value or another that is not asked for is there",
      domainWith([{ key: "colour", op: "is", value: "blue" }]),
      { colour: "green" },
      true,
    ],
    [
      "not where numbers stand otherwise to a constant, though leaves answer alike",
      domainWith([
        { key: "x", op: "lessThan", valueOf: "y" },
        { key: "y", op: "greaterThan", value: 0 },
      ]),
      { x: -1 },
      false,
    ],
    [
      "where numbers stand alike to each other and to the constants",
      domainWith([
        { key: "x", op: "lessThan", valueOf: "y" },
        { key: "y", op: "greaterThan", value: 0 },
      ]),
      { x: 2, y: 3 },
      true,
    ],
  ])("[D23.6] %s", (_, domain, other, isCase) => {
    expect(isCaseOf(domain, { ...BASE, ...other }, BASE)).toBe(isCase);
    expect(isCaseOf(domain, BASE, { ...BASE, ...other })).toBe(isCase);
  });

  it("[D23.6] an open leaf is not asked", () => {
    const expression = { kind: "opaque", language: "feel", text: "x > 1" };
    const open = domainWith([{ language: "feel", text: "x > 1" }]);
    expect([...open.open].length, JSON.stringify(expression)).toBe(1);
    expect(isCaseOf(open, { ...BASE, x: 0 }, BASE)).toBe(true);
  });

  it("[D23.6] a decision by key asks which branch it selects", () => {
    const decision: WorkflowNode = {
      id: "pick",
      kind: "decision",
      meta: { key: "colour", branches: { red: "a", rose: "a", blue: "b" }, default: true },
    };
    const arcs = ["a", "b", "default"].map((outcome): Arc => ({ from: "pick", to: "fork", outcome }));
    const compiled = workflow(
      [start, decision, gateway("fork"), end],
      ["start -> pick", ...arcs, "fork -> end"],
      { colour: { type: "string" } },
    );
    const found = domainOf(questionsOf(compiled));
    if (found.kind !== "domain") throw new Error(found.reason);
    const colours = (one: string, other: string) =>
      isCaseOf(found.domain, { colour: one }, { colour: other });
    expect(colours("red", "rose")).toBe(true);
    expect(colours("green", "black")).toBe(true);
    expect(colours("red", "blue")).toBe(false);
    expect(colours("blue", "black")).toBe(false);
  });

  it("[D23.6] several instances ask whether there is a list, and whether it has members", () => {
    const call: WorkflowNode = {
      id: "call",
      kind: "subprocess",
      meta: { workflow: "w", multi: { mode: "parallel", collection: "items" } },
    };
    const domain = domainWith([], [call]);
    const lists = (one: Data, other: Data) => isCaseOf(domain, one, other);
    expect(lists({ items: [1] }, { items: ["a", "b"] })).toBe(true);
    expect(lists({ items: 1 }, { items: "a" })).toBe(true);
    expect(lists({ items: [] }, { items: [1] })).toBe(false);
    expect(lists({ items: [] }, { items: 1 })).toBe(false);
  });

  it("[D23.6] a form asks whether its field is filled", () => {
    const form = { size: { type: "integer" }, note: { type: "string", optional: true } };
    const domain = domainWith(
      [{ key: "size", op: "lessThan", value: 9 }],
      [{ ...human("ask"), meta: { form } }],
    );
    const sizes = (one: unknown, other: unknown) =>
      isCaseOf(domain, { size: one } as Data, { size: other } as Data);
    expect(sizes(3, 4)).toBe(true);
    expect(sizes(3.5, 4.5)).toBe(true);
    expect(sizes(3, 3.5)).toBe(false);
    expect(isCaseOf(domain, { size: 3, note: "a" }, { size: 3, note: "b" })).toBe(true);
    // Of a key of which nothing but forms asks a case says nothing.
    expect(isCaseOf(domain, { size: 3, note: 1 }, { size: 3, note: "b" })).toBe(true);
    expect(isCaseOf(domain, { size: 3 }, { size: 3, note: "b" })).toBe(true);
  });

  it("[D23.6] a loop asks for its verdict: true, false, or none", () => {
    const loop = { id: "l", budget: 1, passKey: "ok", proves: "fine", body: ["head", "verify"] };
    const compiled = workflow(
      [
        start,
        gateway("head"),
        { id: "verify", kind: "verifier", meta: { passKey: "ok" } },
        { id: "decide", kind: "decision", meta: { loop } },
        end,
      ],
      [
        "start -> head",
        "head -> verify",
        "verify -> decide",
        "verify: error -> decide",
        "decide: fail -> head",
        ...["pass", "exhausted", "error"].map((outcome): Arc => ({ from: "decide", to: "end", outcome })),
      ],
    );
    const found = domainOf(questionsOf(compiled));
    if (found.kind !== "domain") throw new Error(found.reason);
    const verdicts = (one: Data, other: Data) => isCaseOf(found.domain, one, other);
    expect(verdicts({ ok: true }, { ok: true })).toBe(true);
    expect(verdicts({ ok: 1 }, { ok: "no" })).toBe(true);
    expect(verdicts({ ok: true }, { ok: false })).toBe(false);
    expect(verdicts({ ok: true }, { ok: 1 })).toBe(false);
    expect(verdicts({ ok: false }, { ok: 1 })).toBe(false);
  });
});

describe("[D23.6] data are those that a run states", () => {
  it("[D23.6] what conditions read of them is just that", () => {
    const domain = domainWith([{ key: "x", op: "lessThan", value: 2 }]);
    expect(isSeen(domain, BASE, { x: 1 })).toBe(true);
    expect(isSeen(domain, BASE, { x: 2 })).toBe(false);
    expect(isSeen(domain, BASE, {})).toBe(false);
    expect(isSeen(domain, BASE, { x: 1, y: 5 })).toBe(false);
    expect(isSeen(domain, { y: 5 }, {})).toBe(true);
  });
});
