/** @module What a definition asks of its data, read by the checker: by hand, node by node and leaf by leaf. */
import { type Arc, type ConditionData, type Json, parseCondition, type WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { answerAt, askedOf, constantsOf, type Leaf, placesOf } from "../../src/certificate/data-asked.ts";
import { end, gateway, human, start, workflow } from "../workflow-text.ts";
import { flow, is } from "./forged-lists.ts";

const EVERY: readonly (Json | undefined)[] = [undefined, null, true, 0, 1.5, "", "a", [], [1], {}, { p: 1 }];
const LOOP = { id: "l", budget: 1, passKey: "ok", proves: "fine", body: ["head", "verify"] };

function leaf(condition: object): Leaf {
  const parsed = parseCondition(condition as ConditionData);
  if (!parsed.ok) throw new Error(JSON.stringify(condition));
  return parsed.value as Leaf;
}

describe("[D23.11] the leaves of guards", () => {
  it("[D23.11] are read in the order of the arcs, through all that combines them", () => {
    const compiled = flow(
      [
        is("a", 1),
        { all: [is("b", 1), { not: { any: [is("c", 1), { language: "feel", text: "x" }] } }] },
        { not: is("d", 1) },
      ],
      {},
    );
    const keys = askedOf(compiled).leaves.map((one) =>
      one.kind === "opaque" ? "opaque" : placesOf(one)[0]!.key,
    );
    expect(keys).toEqual(["a", "b", "c", "opaque", "d"]);
    expect(askedOf(flow([], {})).leaves).toEqual([]);
  });

  it("[D23.11] read one place or two, or none that is known", () => {
    const places = (condition: object) => placesOf(leaf(condition)).map(({ key, path }) => [key, ...path]);
    expect(places(is("a", 1, ["p"]))).toEqual([["a", "p"]]);
    expect(places({ key: "a", op: "isAssigned" })).toEqual([["a"]]);
    expect(places({ key: "a", op: "matches", value: "x" })).toEqual([["a"]]);
    expect(places({ key: "a", op: "is", valueOf: "b", valuePath: ["q"] })).toEqual([["a"], ["b", "q"]]);
    expect(places({ language: "feel", text: "a > b" })).toEqual([]);
    expect(places({ predicate: "a" })).toEqual([]);
  });

  it("[D23.11] know constants: of a list its members, of another place none", () => {
    const constants = (condition: object) => constantsOf(leaf(condition));
    expect(constants(is("a", 1))).toEqual([1]);
    expect(constants(is("a", [1, 2]))).toEqual([[1, 2]]);
    for (const op of ["isOneOf", "isNoneOf"])
      expect(constants({ key: "a", op, value: [1, 2] })).toEqual([1, 2]);
    expect(constants({ key: "a", op: "is", valueOf: "b" })).toEqual([]);
    expect(constants({ key: "a", op: "isOneOf", valueOf: "b" })).toEqual([]);
    expect(constants({ key: "a", op: "isAssigned" })).toEqual([]);
    expect(constants({ key: "a", op: "matches", value: "x" })).toEqual([]);
    expect(constants({ predicate: "a" })).toEqual([]);
  });

  it("[D23.11] answer where only one place has a value", () => {
    const one = is("o", 1, ["p", "q"]);
    const at = (path: readonly string[], value: Json | undefined) =>
      answerAt(leaf(one), { key: "o", path }, value);
    expect(at(["p", "q"], 1)).toBe(true);
    expect(at(["p", "q"], 2)).toBe(false);
    expect(at(["p"], { q: 1 })).toBe(true);
    expect(at([], { p: { q: 1 } })).toBe(true);
    expect(at([], { q: { p: 1 } })).toBe(false);
    const assigned = leaf({ key: "o", path: ["p"], op: "isAssigned" });
    expect(answerAt(assigned, { key: "o", path: ["p"] }, undefined)).toBe(false);
    expect(answerAt(assigned, { key: "o", path: ["p"] }, null)).toBe(
      answerAt(assigned, { key: "o", path: [] }, { p: null }),
    );
    expect(answerAt(assigned, { key: "o", path: ["p"] }, 5)).toBe(true);
    expect(answerAt(assigned, { key: "other", path: ["p"] }, 5)).toBe(false);
    const ordered = leaf({ key: "o", op: "lessThan", value: 3 });
    expect(answerAt(ordered, { key: "o", path: [] }, 2)).toBe(true);
    expect(answerAt(ordered, { key: "o", path: [] }, 3)).toBe(false);
    expect(answerAt(ordered, { key: "o", path: [] }, "2")).toBe("error");
    expect(answerAt(ordered, { key: "o", path: [] }, undefined)).toBe("error");
  });
});

describe("[D23.11] the questions of nodes", () => {
  it("[D23.11] a form asks of each field whether a value fills it, by its type and its values", () => {
    const fields: readonly (readonly [
      field: Json,
      fills: (value: Json) => boolean,
      type: string,
      isFree: boolean,
    ])[] = [
      ["string", (value) => typeof value === "string", "string", true],
      [{ type: "integer" }, (value) => value === 0, "integer", true],
      [{ type: "number", optional: true }, (value) => typeof value === "number", "number", false],
      [{ type: "number", optional: false }, (value) => typeof value === "number", "number", true],
      [{ type: "boolean" }, (value) => value === true, "boolean", true],
      [{ type: "array" }, (value) => Array.isArray(value), "array", true],
      [{ type: "object" }, (value) => ["{}", '{"p":1}'].includes(JSON.stringify(value)), "object", true],
      [{ type: "any" }, () => true, "any", true],
      [
        { type: "any", values: [null, [1]] },
        (value) => ["null", "[1]"].includes(JSON.stringify(value)),
        "any",
        false,
      ],
      [{ type: "string", values: ["a", 0] }, (value) => value === "a", "string", false],
      [{ type: "string", values: [] }, () => false, "string", false],
      [{ type: "string", values: "a" }, (value) => typeof value === "string", "string", true],
      // Malformed: of any type, and nothing else that it says counts.
      [null, () => true, "any", true],
      [7, () => true, "any", true],
      [{}, () => true, "any", true],
      ["text", () => true, "any", true],
      [{ type: "text", values: ["a"], optional: true }, () => true, "any", true],
    ];
    for (const [field, fills, type, isFree] of fields) {
      const node: WorkflowNode = { ...human("ask"), meta: { form: { f: field } } };
      const [asked, ...more] = askedOf(flow([], {}, [node])).ofForms;
      expect(more).toEqual([]);
      const given = (field ?? {}) as { readonly values?: Json };
      const constants = type !== "any" || isFree === false ? given.values : [];
      expect(asked, JSON.stringify(field)).toMatchObject({
        key: "f",
        type,
        isFree,
        constants: Array.isArray(constants) ? constants : [],
      });
      for (const value of EVERY)
        expect(asked!.ask(value), `${JSON.stringify(field)} ${JSON.stringify(value)}`).toBe(
          value !== undefined && fills(value),
        );
    }
  });

  it("[D23.11] every node that has a form asks, and none whose form is no object", () => {
    const formed = (id: string, form: Json): WorkflowNode => ({ ...human(id), meta: { form } });
    const compiled = flow([], {}, [
      formed("one", { p: "string", q: "number" }),
      human("none"),
      formed("two", { r: "any" }),
    ]);
    expect(askedOf(compiled).ofForms.map(({ key }) => key)).toEqual(["p", "q", "r"]);
    expect(askedOf(compiled).ofKeys).toEqual([]);
    // Nobody compiles these; a checker reads on.
    for (const form of [[1], "text", null, 5] as const) {
      const { definition, kinds } = compiled;
      const nodes = definition.nodes.map((node) => (node.id === "one" ? formed("one", form) : node));
      const asked = askedOf({ ...compiled, definition: { ...definition, nodes }, kinds });
      expect(asked.ofForms.map(({ key }) => key)).toEqual(["r"]);
    }
  });

  it("[D23.11] a decision by key asks which branch a value selects, and knows texts, and numbers that are written so", () => {
    const pick: WorkflowNode = {
      id: "pick",
      kind: "decision",
      meta: {
        key: "tier",
        branches: { gold: "done", "3": "done", "03": "low", Infinity: "low", "1e3": "low", "-1.5": "done" },
        default: true,
      },
    };
    const compiled = workflow(
      [start, pick, end],
      ["start -> pick", "pick -> end", "pick: low -> end", "pick: default -> end"],
      {},
    );
    const [asked, ...more] = askedOf(compiled).ofKeys;
    expect(more).toEqual([]);
    expect(asked!.key).toBe("tier");
    expect([...asked!.constants].map((one) => JSON.stringify(one)).sort()).toEqual(
      ['"-1.5"', '"03"', '"1e3"', '"3"', '"Infinity"', '"gold"', "-1.5", "3", "3"].sort(),
    );
    for (const [value, outcome] of [
      ["gold", "done"],
      [3, "done"],
      ["3", "done"],
      ["03", "low"],
      [1000, "default"],
      [-1.5, "done"],
      [null, "default"],
      [undefined, "default"],
    ] as const)
      expect(asked!.ask(value), String(value)).toBe(outcome);
    // A decision by guards, and one that is no decision, ask nothing of a key.
    const plain = workflow(
      [start, { id: "pick", kind: "decision" }, end],
      ["start -> pick", { from: "pick", to: "end", default: true }],
      {},
    );
    expect(askedOf(plain).ofKeys).toEqual([]);
  });

  it("[D23.11] several instances ask whether there is a list, and whether it has members; those that are counted do not", () => {
    const call = (multi: object): WorkflowNode => ({
      id: "call",
      kind: "subprocess",
      meta: { workflow: "w", multi: multi as never },
    });
    const asked = (multi: object) =>
      askedOf(
        workflow(
          [start, call(multi), gateway("merge"), end],
          [
            "start -> call",
            "call -> merge",
            "call: error -> merge",
            "call: cancelled -> merge",
            "merge -> end",
          ],
          {},
        ),
      ).ofKeys;
    const [one, ...more] = asked({ mode: "parallel", collection: "items" });
    expect(more).toEqual([]);
    expect(one).toMatchObject({ key: "items", constants: [[]] });
    const answers = EVERY.map((value) => one!.ask(value));
    const isList = (value: Json | undefined) => Array.isArray(value);
    const groups = new Set(answers);
    expect(groups.size).toBe(3);
    EVERY.forEach((value, at) => {
      const empty = one!.ask([]);
      const full = one!.ask(["x", "y"]);
      expect(answers[at] === empty).toBe(isList(value) && (value as Json[]).length === 0);
      expect(answers[at] === full).toBe(isList(value) && (value as Json[]).length > 0);
    });
    expect(asked({ mode: "parallel", count: 2 })).toEqual([]);
  });

  it("[D23.11] a loop and its verifier ask for the verdict: true, false, or none", () => {
    const compiled = workflow(
      [
        start,
        gateway("head"),
        { id: "verify", kind: "verifier", meta: { passKey: "ok" } },
        { id: "decide", kind: "decision", meta: { loop: LOOP } },
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
    const asked = askedOf(compiled);
    expect([...asked.passKeys]).toEqual(["ok"]);
    expect(asked.ofKeys.map(({ key, constants }) => [key, constants])).toEqual([
      ["ok", []],
      ["ok", []],
    ]);
    for (const { ask } of asked.ofKeys) {
      expect(ask(true)).toBe(true);
      expect(ask(false)).toBe(false);
      for (const value of EVERY.filter((one) => typeof one !== "boolean")) expect(ask(value)).toBe("none");
    }
    const lone = workflow(
      [start, { id: "verify", kind: "verifier", meta: { passKey: "fine" } }, end],
      ["start -> verify", "verify -> end", "verify: error -> end"],
    );
    expect(askedOf(lone).ofKeys.map(({ key }) => key)).toEqual(["fine"]);
    expect([...askedOf(lone).passKeys]).toEqual([]);
  });
});

describe("[D23.11] of other nodes nothing is asked", () => {
  const compiled = flow([], {}, [human("ask")]);
  /** What is asked with the person's node in another form, which need not be one that compiles. */
  function keysAsked(more: Partial<WorkflowNode>, body = "inline"): readonly string[] {
    const { definition, kinds } = compiled;
    const nodes = definition.nodes.map((node) => (node.id === "ask" ? { ...node, ...more } : node));
    const bodied = kinds.map((kind) => ({ ...kind, body: () => body })) as unknown as typeof kinds;
    return askedOf({ ...compiled, definition: { ...definition, nodes }, kinds: bodied }).ofKeys.map(
      ({ key }) => key,
    );
  }
  const keyed = { key: "tier", branches: { gold: "done" } };

  it("[D23.11] a verdict is asked of verifiers that name a key", () => {
    expect(keysAsked({ kind: "verifier", meta: { passKey: "ok" } })).toEqual(["ok"]);
    expect(keysAsked({ kind: "tool", meta: { passKey: "ok" } })).toEqual([]);
    expect(keysAsked({ kind: "verifier", meta: { passKey: 5 } })).toEqual([]);
    expect(keysAsked({ kind: "verifier", meta: {} })).toEqual([]);
  });

  it("[D23.11] a branch is asked of decisions that the engine makes, by a key, not by a loop", () => {
    expect(keysAsked({ kind: "decision", meta: keyed })).toEqual(["tier"]);
    expect(keysAsked({ kind: "decision", meta: { key: "tier" } })).toEqual(["tier"]);
    expect(keysAsked({ kind: "gateway", meta: keyed })).toEqual([]);
    expect(keysAsked({ kind: "decision", meta: keyed }, "work-item")).toEqual([]);
    expect(keysAsked({ kind: "decision", meta: { ...keyed, key: 5 } })).toEqual([]);
    expect(keysAsked({ kind: "decision", meta: { ...keyed, loop: LOOP } })).toEqual(["ok"]);
  });
});
