import {
  type BodyKind,
  type Json,
  type JsonObject,
  type KindSpec,
  kindTable,
  type WorkflowNode,
} from "@tessera/core";
import { describe, expect, it } from "vitest";
import { CODES, decisionOutcome, endLabel, STANDARD_KINDS, stepFragment } from "../src/index.ts";
import { arcs, compiledOf, fired, issuesOf, marked, netOf, node, playOf, workflow } from "./workflow-text.ts";

const kind = (name: string): KindSpec => {
  const found = STANDARD_KINDS.get(name);
  if (found === undefined) throw new Error(name);
  return found;
};

const of = (name: string, meta?: JsonObject): WorkflowNode =>
  node("n", name, meta === undefined ? {} : { meta });

/** n between a gateway and an end; every label of n leads to the end. */
function around(n: WorkflowNode) {
  const labels = STANDARD_KINDS.get(n.kind)?.alphabet(n) ?? [];
  return workflow(
    [node("g", "gateway"), n, node("e", "end")],
    [...arcs("g -> n, g -> e"), ...labels.map((outcome) => ({ from: "n", to: "e", outcome }))],
  );
}

const codesOf = (n: WorkflowNode) => issuesOf(around(n)).map((text) => text.replace("nodes.1.", ""));

describe("[D6.9] the standard kinds", () => {
  it("[D6.9] [C20-04] are the thirteen of 20.2, the verifier, catch and throw, each under its name, at version 1", () => {
    expect([...STANDARD_KINDS.keys()].sort()).toEqual(
      "agent catch collect decision end gateway human integration start subprocess throw timer tool transform verifier wait".split(
        " ",
      ),
    );
    for (const [name, spec] of STANDARD_KINDS) expect([spec.name, spec.version]).toEqual([name, 1]);
  });

  const table: readonly (readonly [string, JsonObject | undefined, BodyKind, readonly string[]])[] = [
    ["start", undefined, "route", ["done"]],
    ["end", undefined, "route", []],
    ["gateway", undefined, "route", ["done"]],
    ["decision", undefined, "route", ["done"]],
    ["decision", { key: "k", branches: { a: "x", b: "y", c: "x" } }, "inline", ["x", "y", "error"]],
    ["decision", { key: "k", branches: { a: "x" }, default: true }, "inline", ["x", "default"]],
    ["decision", { key: "k", branches: { a: "x" }, default: false }, "inline", ["x", "error"]],
    [
      "decision",
      { loop: { id: "l", budget: 1, passKey: "p", proves: "x", body: [] } },
      "inline",
      ["pass", "fail", "exhausted", "error"],
    ],
    ["human", undefined, "work-item", ["done"]],
    ["human", { outcomes: ["yes", "no"] }, "work-item", ["yes", "no"]],
    ["human", { outcomes: ["yes"], deadline: "PT1H" }, "work-item", ["yes", "expired"]],
    ["collect", { form: {} }, "work-item", ["done"]],
    ["collect", { form: {}, deadline: "PT1H" }, "work-item", ["done", "expired"]],
    ["wait", undefined, "external", ["done"]],
    ["wait", { outcomes: ["a", "b"], deadline: "P1D" }, "external", ["a", "b", "expired"]],
    ["timer", { duration: "PT1H" }, "timer", ["done"]],
    ["timer", { key: "k" }, "timer", ["done", "error"]],
    ["transform", undefined, "inline", ["done", "error"]],
    ["transform", { outcomes: ["a", "error"] }, "inline", ["a", "error"]],
    ["verifier", { passKey: "ok" }, "inline", ["done", "error"]],
    ["tool", undefined, "job", ["done", "error"]],
    ["tool", { outcomes: ["a"], deadline: "PT1M" }, "job", ["a", "error", "expired"]],
    ["integration", undefined, "job", ["done", "error"]],
    ["agent", undefined, "job", ["done", "error"]],
    ["agent", { turnsMax: 3 }, "job", ["done", "exhausted", "error"]],
    ["agent", { orchestration: {} }, "job", ["done", "exhausted", "error"]],
    ["subprocess", { workflow: "w" }, "child", ["done", "error", "cancelled"]],
    ["subprocess", { workflow: "w", outcomes: ["a"] }, "child", ["a", "error", "cancelled"]],
    ["subprocess", { entry: "x" }, "scope", ["done"]],
    ["subprocess", { entry: "x", outcomes: ["a", "b"] }, "scope", ["a", "b"]],
  ];
  for (const [name, meta, body, alphabet] of table) {
    it(`[D6.9] [C20-33] ${name} ${JSON.stringify(meta ?? {})}: who chooses, and among what`, () => {
      expect(kind(name).body(of(name, meta))).toBe(body);
      expect(kind(name).alphabet(of(name, meta))).toEqual(alphabet);
    });
  }

  it("[D6.9] labels come from meta only, whatever is written there", () => {
    const odd: readonly Json[] = [null, 3, "abc", [], [1, "a"], { a: 1 }];
    for (const value of odd) {
      for (const name of ["decision", "human", "tool", "subprocess"]) {
        const alphabet = kind(name).alphabet(
          of(name, { branches: value, outcomes: value, key: "k", entry: "x" }),
        );
        expect(alphabet.every((label) => typeof label === "string")).toBe(true);
      }
    }
    expect(kind("decision").alphabet(of("decision", { branches: null, key: "k" }))).toEqual(["error"]);
    expect(kind("decision").alphabet(of("decision", { branches: { a: 1, b: "y" }, key: "k" }))).toEqual([
      "y",
      "error",
    ]);
  });

  it("[D6.9] each kind but start, end and scopes compiles between a gateway and an end", () => {
    for (const [name, meta] of table) {
      if (["start", "end"].includes(name) || meta?.entry !== undefined || meta?.loop !== undefined) continue;
      const extra =
        name === "timer" || name === "verifier" || name === "collect" || name === "subprocess"
          ? meta
          : (meta ?? {});
      const n = of(name, extra ?? {});
      expect(codesOf(n)).toEqual([]);
      const { net } = compiledOf(around(n));
      const phases = new Set(
        net.transitions.filter(({ origin }) => origin?.node === 1).map(({ origin }) => origin?.phase),
      );
      const isResting = !["route", "inline"].includes(kind(name).body(n));
      expect([...phases]).toEqual(isResting ? ["start", "finish"] : ["step"]);
      expect(net.places.some(({ origin }) => origin?.kind === "rest")).toBe(isResting);
    }
  });

  it("[D6.9] [C20-04] a further kind is registered beside them and used", () => {
    const seal: KindSpec = {
      name: "seal",
      version: 1,
      body: () => "inline",
      alphabet: () => ["sealed", "refused"],
      validate: () => [],
      fragment: stepFragment,
    };
    const kinds = kindTable([seal], STANDARD_KINDS);
    const definition = workflow(
      [node("s", "seal"), node("e", "end"), node("f", "end")],
      arcs("s:sealed -> e, s:refused -> f"),
    );
    expect(issuesOf(definition)).toContain("WF003 nodes.0.kind");
    expect(issuesOf(definition, kinds)).toEqual([]);
    const sealed = fired(playOf(definition, kinds), { node: "s", outcome: "sealed" }, "e");
    expect(marked(sealed)).toEqual({ "e.end": 1 });
    expect(kinds.size).toBe(STANDARD_KINDS.size + 1);
  });
});

describe("[D6.9] [C20-05] what kinds demand of meta", () => {
  it("[D6.9] KIND001 a key that the kind requires", () => {
    expect(codesOf(of("collect"))).toEqual(["KIND001 meta.form"]);
    expect(codesOf(of("verifier"))).toEqual(["KIND001 meta.passKey"]);
    expect(codesOf(of("human"))).toEqual([]);
  });

  const texts: readonly Json[] = [3, "", "  ", null, []];
  const lists: readonly Json[] = [[], "a", ["a", "a"], ["a", ""], [1], null];
  const objects: readonly Json[] = [[], null, "x", 1];
  const counts: readonly Json[] = [-1, 1.5, "1", null];
  const flags: readonly Json[] = ["true", 0, null];
  const wrong: readonly (readonly [string, string, readonly Json[], JsonObject])[] = [
    ["human", "outcomes", lists, {}],
    ["human", "assignees", lists, {}],
    ["human", "candidateGroups", lists, {}],
    ["human", "title", texts, {}],
    ["human", "deadline", texts, {}],
    ["human", "form", objects, {}],
    ["collect", "form", objects, {}],
    ["collect", "assignees", lists, { form: {} }],
    ["wait", "outcomes", lists, {}],
    ["wait", "deadline", texts, {}],
    ["wait", "assignees", lists, {}],
    ["wait", "candidateGroups", lists, {}],
    ["timer", "duration", texts, {}],
    ["timer", "date", texts, {}],
    ["timer", "cycle", texts, {}],
    ["timer", "key", texts, {}],
    ["transform", "function", texts, {}],
    ["transform", "outcomes", lists, {}],
    ["verifier", "function", texts, { passKey: "ok" }],
    ["verifier", "passKey", texts, {}],
    ["tool", "port", texts, {}],
    ["tool", "outcomes", lists, {}],
    ["tool", "deadline", texts, {}],
    ["tool", "timeout", texts, {}],
    ["tool", "retry", objects, {}],
    ["tool", "inputs", objects, {}],
    ["integration", "connector", texts, {}],
    ["agent", "orchestration", objects, {}],
    ["agent", "ideCapable", flags, {}],
    ["agent", "turnsMax", counts, {}],
    ["subprocess", "workflow", texts, {}],
    ["subprocess", "outcomes", lists, { workflow: "w" }],
    ["subprocess", "inputs", [{ a: "" }, { a: 1 }, [], null], { workflow: "w" }],
    ["subprocess", "outputs", [{ a: "" }, [], null], { workflow: "w" }],
    ["decision", "key", texts, { branches: { a: "x" } }],
    ["decision", "branches", [{ a: 1 }, { a: "" }, [], null, "x"], { key: "k" }],
    ["decision", "default", flags, { key: "k", branches: { a: "x" } }],
    ["end", "outcome", texts, {}],
    ["end", "terminate", flags, {}],
  ];
  for (const [name, key, values, meta] of wrong) {
    it(`[D6.9] KIND002 ${key} of ${name} has its type`, () => {
      for (const value of values) {
        const n = of(name, { ...meta, [key]: value });
        expect(kind(name).validate(n, compiledOf(workflow([node("e", "end")], [])).graph)).toContainEqual(
          expect.objectContaining({ code: "KIND002", path: ["meta", key] }),
        );
      }
    });
  }

  it("[D6.9] KIND003 a key that the kind does not know, but documentation and position are free", () => {
    for (const [name, meta] of [
      ["human", {}],
      ["collect", { form: {} }],
      ["wait", {}],
      ["timer", { duration: "P1D" }],
      ["transform", {}],
      ["verifier", { passKey: "ok" }],
      ["tool", {}],
      ["integration", {}],
      ["agent", {}],
      ["subprocess", { workflow: "w" }],
      ["decision", {}],
      ["gateway", {}],
    ] as const) {
      expect(codesOf(of(name, { ...meta, dedline: "P1D" }))).toEqual(["KIND003 meta.dedline"]);
      expect(codesOf(of(name, { ...meta, documentation: "text", position: { x: 1 } }))).toEqual([]);
    }
    const [found] = kind("gateway").validate(
      of("gateway", { x: 1 }),
      compiledOf(workflow([node("e", "end")], [])).graph,
    );
    expect(found?.facts).toEqual({ known: ["stage", "merge", "activation"] });
    const ends = workflow(
      [node("s", "start", { meta: { x: 1 } }), node("e", "end", { meta: { y: 1 } })],
      arcs("s -> e"),
    );
    expect(issuesOf(ends)).toEqual(["KIND003 nodes.0.meta.x", "KIND003 nodes.1.meta.y"]);
  });

  it("[D6.9] [HZ-42] a choice asks nobody: no form of it calls a port, and what a model needs it does not know", () => {
    for (const [name, meta] of [
      ["gateway", {}],
      ["decision", {}],
      ["decision", { key: "k", branches: { a: "done" }, default: true }],
    ] as const) {
      expect(["route", "inline"]).toContain(kind(name).body(of(name, meta)));
      for (const key of ["port", "model", "confidence", "orchestration", "outcomes"])
        expect(codesOf(of(name, { ...meta, [key]: "x" }))).toContain(`KIND003 meta.${key}`);
    }
    expect(kind("agent").body(of("agent", { outcomes: ["a", "b"] }))).toBe("job");
    expect(codesOf(of("agent", { port: "ranker", outcomes: ["a", "b"] }))).toEqual([]);
  });

  it("[D6.9] KIND004 nothing leads into a start", () => {
    const definition = workflow(
      [node("s", "start"), node("t", "transform"), node("e", "end")],
      arcs("s -> t, t:error -> s, t -> e"),
    );
    expect(issuesOf(definition)).toEqual(["KIND004 nodes.0"]);
  });

  it("[D6.9] KIND005 nothing leads out of an end", () => {
    const definition = workflow([node("g", "gateway"), node("e", "end")], arcs("g -> e, e -> g"));
    expect(issuesOf(definition)).toEqual(["KIND005 nodes.1", "WF005 arcs.1.outcome"]);
  });

  it("[D6.9] KIND006 a decision has one form", () => {
    const loop = { id: "l", budget: 1, passKey: "p", proves: "x", body: ["g"] };
    expect(codesOf(of("decision", { key: "k" }))).toEqual(["KIND006 meta"]);
    expect(codesOf(of("decision", { branches: { a: "x" } }))).toEqual(["KIND006 meta"]);
    expect(codesOf(of("decision", { default: true }))).toEqual(["KIND006 meta.default"]);
    const both = issuesOf(around(of("decision", { key: "k", branches: { a: "x" }, loop })));
    expect(both).toContain("KIND006 nodes.1.meta");
  });

  it("[D6.9] KIND007 a timer has one time", () => {
    expect(codesOf(of("timer"))).toEqual(["KIND007 meta"]);
    expect(codesOf(of("timer", { date: "2030-01-01", duration: "P1D" }))).toEqual(["KIND007 meta"]);
    for (const name of ["date", "duration", "cycle", "key"])
      expect(codesOf(of("timer", { [name]: "x" }))).toEqual([]);
  });

  it("[D6.9] KIND008 a subprocess is called, or embedded with an entry that merges, ends and their labels", () => {
    expect(codesOf(of("subprocess"))).toEqual(["KIND008 meta"]);
    expect(codesOf(of("subprocess", { workflow: "w", entry: "g" }))).toEqual(["KIND008 meta"]);
    const embedded = (meta: JsonObject, ...inner: readonly WorkflowNode[]) =>
      issuesOf(workflow([node("n", "subprocess", { meta }), node("e", "end"), ...inner], arcs("n -> e")));
    const inside = (id: string, kindName: string, change: Partial<WorkflowNode> = {}) =>
      node(id, kindName, { scope: "n", ...change });
    expect(embedded({ entry: "x" }, inside("x", "end"))).toEqual([]);
    expect(embedded({ entry: "e" })).toEqual(["KIND008 nodes.0.meta.entry", "KIND008 nodes.0.meta.entry"]);
    expect(embedded({ entry: "x" }, inside("x", "end", { join: "all" }))).toEqual([
      "KIND008 nodes.0.meta.entry",
    ]);
    expect(embedded({ entry: "x" }, inside("x", "gateway"))).toEqual(["KIND008 nodes.0.meta.entry"]);
    const labelled = inside("x", "end", { meta: { outcome: "odd" } });
    expect(embedded({ entry: "x" }, labelled)).toEqual(["KIND008 nodes.0.meta.outcomes"]);
    expect(embedded({ entry: "x", outcomes: ["odd", "done"] }, labelled)).toEqual([]);
  });

  it("[D6.9] every code that a kind can give is in the table, with a sentence", () => {
    for (const code of [
      "GATE001",
      "GATE002",
      ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap((n) => [`KIND00${n}`, `LOOP00${n}`]),
      ...[1, 2, 3, 4, 5, 6, 7].map((n) => `BLOCK00${n}`),
    ]) {
      expect(CODES[code]).toMatch(/^[A-Z].*\.$/u);
    }
    expect(Object.keys(CODES)).toHaveLength(31);
  });
});

describe("[D20.7] decision by key", () => {
  const decision = (meta: JsonObject) => of("decision", { key: "k", ...meta });
  const branches = { gold: "fast", "3": "three", true: "yes", "": "empty", constructor: "odd" };

  it("[D20.7] [C20-21] takes the branch of the value, compared as text", () => {
    const n = decision({ branches });
    expect(decisionOutcome(n, "gold")).toBe("fast");
    expect(decisionOutcome(n, "3")).toBe("three");
    expect(decisionOutcome(n, 3)).toBe("three");
    expect(decisionOutcome(n, true)).toBe("yes");
    expect(decisionOutcome(n, "")).toBe("empty");
    expect(decisionOutcome(n, "constructor")).toBe("odd");
  });

  it("[D20.7] [C20-21] outside the domain of beta: the default if there is one, else error", () => {
    const outside: readonly (Json | undefined)[] = [
      undefined,
      null,
      "silver",
      "toString",
      4,
      false,
      [],
      ["gold"],
      { gold: 1 },
    ];
    for (const value of outside) {
      expect(decisionOutcome(decision({ branches: { gold: "fast" } }), value)).toBe("error");
      expect(decisionOutcome(decision({ branches: { gold: "fast" }, default: true }), value)).toBe("default");
      expect(decisionOutcome(decision({}), value)).toBe("error");
    }
    for (const value of [null, undefined, [], {}]) {
      const named = decision({ branches: { null: "a", undefined: "b", "": "c", "[object Object]": "d" } });
      expect(decisionOutcome(named, value)).toBe("error");
    }
    expect(decisionOutcome(decision({ branches: null }), "gold")).toBe("error");
    expect(decisionOutcome(decision({ branches: { gold: 3 } }), "gold")).toBe("error");
  });

  it("[D20.7] [C20-21] every label that can come out is in the alphabet", () => {
    for (const meta of [{ branches: { a: "x", b: "y" } }, { branches: { a: "x" }, default: true }]) {
      const alphabet = kind("decision").alphabet(decision(meta));
      for (const value of ["a", "b", "c", null, 1])
        expect(alphabet).toContain(decisionOutcome(decision(meta), value));
    }
  });
});

describe("[D6.6] ends", () => {
  it("[D6.6] have the label done, or the one that meta states", () => {
    expect(endLabel(of("end"))).toBe("done");
    expect(endLabel(of("end", { outcome: "rejected" }))).toBe("rejected");
    expect(endLabel(of("end", { outcome: 3 }))).toBe("done");
  });

  it("[D6.6] [C20-81] [C20-33] keep the token on the end place, for every way in", () => {
    const net = netOf(workflow([node("t", "transform"), node("e", "end")], arcs("t -> e, t:error -> e")));
    const ends = net.transitions.filter(({ origin }) => origin?.node === 1);
    expect(
      ends.map(({ id, post, reset, origin }) => [id, post, reset, origin?.consumed, origin?.outcome]),
    ).toEqual([
      ["e.step<0:done", [[3, 1]], [], [0], "done"],
      ["e.step<1:done", [[3, 1]], [], [1], "done"],
    ]);
    expect(net.finals).toEqual({ kind: "ends", ends: [3] });
  });

  it("[D6.6] a terminate end empties everything else first", () => {
    const definition = workflow(
      [
        node("s", "gateway", { split: "all" }),
        node("w", "wait"),
        node("t", "end", { meta: { terminate: true } }),
        node("e", "end"),
      ],
      arcs("s -> w, s -> t, w -> e"),
    );
    const play = fired(playOf(definition), "s", { node: "w", phase: "start" }, "t");
    expect(marked(play)).toEqual({ "t.end": 1 });
  });
});
