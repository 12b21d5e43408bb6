import {
  formatIssue,
  type Issue,
  type Json,
  parseDefinition,
  parseWorkflow,
  type WorkflowDefinition,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { describe, expect, it } from "vitest";
import { MEMBERS_MAX } from "../src/definition-shape.ts";
import { SCOPE_DEPTH_MAX } from "../src/parse-load.ts";

const SOUND = {
  format: 1,
  kind: "workflow",
  id: "order",
  entry: "in",
  nodes: [
    { id: "in", kind: "start" },
    { id: "size", kind: "decision" },
    { id: "out", kind: "end" },
  ],
  arcs: [
    { from: "in", to: "size" },
    { from: "size", to: "out", guard: { key: "amount", op: "atLeast", value: 100 } },
    { from: "size", to: "out", default: true },
  ],
  data: { amount: { type: "number" } },
} satisfies WorkflowDefinition;

type Changed = { readonly [member: string]: unknown };

function issuesOf(change: Changed): readonly Issue[] {
  const parsed = parseWorkflow({ ...SOUND, ...change }, STANDARD_KINDS);
  return parsed.ok ? [] : parsed.issues;
}

/** Code and path of each issue, and of each warning. */
function found(change: Changed): readonly string[] {
  return issuesOf(change).map(({ code, path }) => `${code} ${path.join(".")}`);
}

function warned(change: Changed): readonly Issue[] {
  return parseWorkflow({ ...SOUND, ...change }, STANDARD_KINDS).warnings;
}

const node = (change: Changed) => ({ nodes: [...SOUND.nodes.slice(0, 2), { ...SOUND.nodes[2], ...change }] });
const lastArc = (change: Changed) => ({ arcs: [...SOUND.arcs.slice(0, 2), { ...SOUND.arcs[2], ...change }] });

describe("parseWorkflow", () => {
  it("[D12.2] gives the definition, without issues and warnings", () => {
    const parsed = parseWorkflow(SOUND, STANDARD_KINDS);
    expect(parsed).toEqual({ ok: true, value: SOUND, warnings: [] });
  });

  it("[D12.2] gives a frozen copy in which keys stand in code-unit order", () => {
    const parsed = parseWorkflow(SOUND, STANDARD_KINDS);
    if (!parsed.ok) throw new Error("refused");
    expect(Object.keys(parsed.value)).toEqual(["arcs", "data", "entry", "format", "id", "kind", "nodes"]);
    expect(Object.isFrozen(parsed.value.nodes[0])).toBe(true);
    expect(Object.isFrozen(parsed.value.data)).toBe(true);
    expect(Object.isFrozen(SOUND.nodes)).toBe(false);
    expect(parsed.value.nodes).not.toBe(SOUND.nodes);
  });

  it("[D12.2] reports issues of form, of the graph, of guards and of data at once", () => {
    const broken = {
      ...SOUND,
      lable: "x",
      nodes: [...SOUND.nodes, { id: "far", kind: "humen" }],
      arcs: [
        ...SOUND.arcs.slice(0, 2),
        { from: "size", to: "nowhere" },
        { from: "in", to: "out", guard: {} },
      ],
      data: { amount: { type: "number", values: ["ten"] } },
    };
    const parsed = parseWorkflow(broken, STANDARD_KINDS);
    const codes = parsed.ok ? [] : parsed.issues.map(({ code }) => code);
    expect(codes).toEqual(["COND002", "WF022", "WF003", "WF006", "WF010", "WF030", "WF029"]);
  });

  it("[D12.2] says nothing of the graph while a member on which it depends is malformed", () => {
    expect(found({ ...node({ kind: 7 }), arcs: [] })).toEqual(["WF021 nodes.2.kind"]);
    expect(found({ ...lastArc({ outcom: "x" }), entry: "nowhere" })).toEqual(["WF022 arcs.2.outcom"]);
  });
});

describe("issues of form", () => {
  it("WF020 is not JSON", () => {
    expect(found({ label: undefined })).toEqual(["WF020 label"]);
    expect(found({ nodes: [new Map()] })).toEqual(["WF020 nodes.0"]);
    const cyclic: Record<string, unknown> = { ...SOUND };
    cyclic["data"] = cyclic;
    expect(found(cyclic)).toEqual(["WF020 data.data"]);
  });

  it("WF021 wrong type", () => {
    for (const wrong of [null, 3, "x", [], true]) {
      expect(parseDefinition(wrong, STANDARD_KINDS)).toMatchObject({
        ok: false,
        issues: [{ code: "WF021", path: [] }],
      });
    }
    expect(found({ label: 1 })).toEqual(["WF021 label"]);
    expect(found({ nodes: {} })).toEqual(["WF021 nodes"]);
    expect(found(node({ split: 1 }))).toEqual(["WF021 nodes.2.split"]);
    expect(found(node({ meta: [] }))).toEqual(["WF021 nodes.2.meta"]);
    expect(issuesOf({ id: null })[0]?.message).toBe("here stands a text, not null");
  });

  it("WF022 unknown member, with the member that was meant", () => {
    const [issue] = issuesOf({ ...SOUND, descripton: "x" });
    expect(issue).toMatchObject({
      code: "WF022",
      path: ["descripton"],
      facts: { suggestion: "description" },
    });
    expect(formatIssue(issue as Issue)).toBe(
      'WF022 at $.descripton: unknown member "descripton": did you mean "description"?',
    );
    expect(issuesOf({ zzz: 1 })[0]?.facts).not.toHaveProperty("suggestion");
    expect(found(JSON.parse('{ "__proto__": 1, "constructor": 2 }'))).toEqual([
      "WF022 __proto__",
      "WF022 constructor",
    ]);
  });

  it("WF023 missing member", () => {
    const { entry: _, ...rest } = SOUND;
    expect(parseWorkflow(rest, STANDARD_KINDS)).toMatchObject({
      issues: [{ code: "WF023", facts: { missing: "entry" } }],
    });
    expect(found({ arcs: [{}] })).toEqual(["WF023 arcs.0", "WF023 arcs.0"]);
  });

  it("[BR-101] WF024 refuses names that are empty, too long or have control characters, and no others", () => {
    const renamed = (id: string) => {
      const arcs = SOUND.arcs.map((arc) => ({ ...arc, ...(arc.to === "out" ? { to: id } : {}) }));
      return { ...node({ id }), arcs };
    };
    const astral = "\u{1f600}";
    for (const id of [
      "Start.1",
      "täsk-ü_2",
      "_x",
      "a b",
      "__proto__",
      "constructor",
      "x".repeat(256),
      astral.repeat(256),
    ]) {
      expect([id, found(renamed(id))]).toEqual([id, []]);
    }
    for (const id of [
      "",
      "  ",
      "\u00a0",
      "a\nb",
      "\u0085",
      "\u2028",
      "\u007f",
      "x".repeat(257),
      astral.repeat(257),
    ]) {
      expect([id, found(renamed(id))]).toEqual([
        id,
        ["WF024 nodes.2.id", "WF024 arcs.1.to", "WF024 arcs.2.to"],
      ]);
    }
  });

  it("WF025 none of the possible values", () => {
    expect(found({ format: 2 })).toEqual(["WF025 format"]);
    expect(found(lastArc({ default: false }))).toEqual(["WF025 arcs.2.default"]);
    expect(issuesOf(node({ join: "ALL" }))).toMatchObject([
      {
        code: "WF025",
        message: '"ALL" is none of "any", "all", "or": did you mean "all"?',
        facts: { suggestion: "all" },
      },
    ]);
    expect(found({ data: { amount: { type: "money" } } })).toEqual(["WF025 data.amount.type"]);
    expect(parseDefinition({ ...SOUND, kind: "graph" }, STANDARD_KINDS)).toMatchObject({
      issues: [{ code: "WF025", path: ["kind"] }],
    });
  });

  it("WF026 too many members", () => {
    const many = Array.from({ length: MEMBERS_MAX + 1 }, (_, i) => ({ id: `n${i}`, kind: "end" }));
    expect(found({ nodes: many })).toEqual(["WF026 nodes"]);
    const table = Object.fromEntries(many.map(({ id }) => [id, "all"]));
    expect(found(node({ split: table }))).toEqual(["WF026 nodes.2.split"]);
  });

  it("WF027 a member twice", () => {
    expect(found(node({ reads: ["amount", "b", "amount"] }))).toEqual(["WF027 nodes.2.reads.2"]);
    expect(
      found({
        data: {
          amount: {
            type: "any",
            values: [
              { a: 1, b: 2 },
              { b: 2, a: 1 },
            ],
          },
        },
      }),
    ).toEqual(["WF027 data.amount.values.1"]);
  });

  it("WF028 number out of range, in nets", () => {
    const net = {
      format: 1,
      kind: "net",
      id: "n",
      transitions: [{ id: "t", pre: [["p", 0]], post: [["p", 1.5]] }],
    };
    const parsed = parseDefinition({ ...net, places: [{ id: "p", initial: 2_147_483_648 }] }, STANDARD_KINDS);
    expect(parsed.ok ? [] : parsed.issues.map(({ code, path }) => `${code} ${path.join(".")}`)).toEqual([
      "WF028 places.0.initial",
      "WF028 transitions.0.pre.0.1",
      "WF028 transitions.0.post.0.1",
    ]);
  });

  it("DATA003 the data key __proto__", () => {
    expect(found({ data: JSON.parse('{ "__proto__": { "type": "any" } }') })).toEqual([
      "DATA003 data.__proto__",
    ]);
  });
});

describe("issues of loading", () => {
  it("WF029 a possible value of another type", () => {
    const values = (type: string, ...list: readonly Json[]) =>
      found({ data: { amount: { type, values: list } } });
    expect(values("integer", 1, 1.5)).toEqual(["WF029 data.amount.values.1"]);
    expect(values("array", [], {})).toEqual(["WF029 data.amount.values.1"]);
    expect(values("object", {}, [])).toEqual(["WF029 data.amount.values.1"]);
    expect(values("string", "a", null)).toEqual(["WF029 data.amount.values.1"]);
    expect(values("boolean", true, 0)).toEqual(["WF029 data.amount.values.1"]);
    expect(values("any", 1, "a", null, [])).toEqual([]);
  });

  it("[D12.3] [C20-21] WF030 a decision that can find no branch", () => {
    expect(found({ arcs: SOUND.arcs.slice(0, 2) })).toEqual(["WF030 nodes.1"]);
    const keyed = (meta: Json, ...labels: readonly string[]) =>
      found({
        nodes: [SOUND.nodes[0], { id: "size", kind: "decision", meta }, SOUND.nodes[2]],
        arcs: [SOUND.arcs[0], ...labels.map((outcome) => ({ from: "size", to: "out", outcome }))],
      });
    const branches = { "1": "one" };
    expect(keyed({ key: "amount", branches }, "one")).toEqual(["WF030 nodes.1"]);
    expect(keyed({ key: "amount", branches }, "one", "error")).toEqual([]);
    expect(keyed({ key: "amount", branches, default: true }, "one", "default")).toEqual([]);
  });

  it("WF031 too many scopes, but a scope in itself is the graph's to report", () => {
    const nested = (depth: number) => {
      const ids = Array.from({ length: depth }, (_, i) => `s${i}`);
      const scopes = ids.map((id, i) => ({
        id,
        kind: "subprocess",
        ...(i === 0 ? {} : { scope: `s${i - 1}` }),
        meta: { entry: i === depth - 1 ? "last" : `s${i + 1}` },
      }));
      const ends = ids.map((id) => ({ id: `${id}.end`, kind: "end", scope: id }));
      const last = `s${depth - 1}`;
      return {
        nodes: [
          { id: "in", kind: "start" },
          { id: "out", kind: "end" },
          ...scopes,
          ...ends,
          { id: "last", kind: "start", scope: last },
        ],
        arcs: [
          { from: "in", to: "s0" },
          { from: "s0", to: "out" },
          ...scopes.slice(1).map(({ id }, i) => ({ from: id, to: `s${i}.end` })),
          { from: "last", to: `${last}.end` },
        ],
      };
    };
    expect(found(nested(SCOPE_DEPTH_MAX))).toEqual([]);
    expect(new Set(issuesOf(nested(SCOPE_DEPTH_MAX + 1)).map(({ code }) => code))).toEqual(
      new Set(["WF031"]),
    );
    expect(found(node({ scope: "out" }))).toContain("WF004 nodes.2.scope");
  });

  it("WF032 warns of undeclared keys that a node reads or writes", () => {
    const change = node({ reads: ["amuont"], writes: ["other"] });
    expect(issuesOf(change)).toEqual([]);
    expect(warned(change)).toMatchObject([
      { code: "WF032", path: ["nodes", 2, "reads", 0], severity: "warning", facts: { suggestion: "amount" } },
      { code: "WF032", path: ["nodes", 2, "writes", 0], severity: "warning" },
    ]);
    const { data: _, ...undeclared } = SOUND;
    expect(parseWorkflow({ ...undeclared, ...change }, STANDARD_KINDS).warnings).toEqual([]);
  });

  it("WF033 warns of undeclared keys that a guard reads", () => {
    const guard = { all: [{ key: "amount", op: "is", valueOf: "limit" }] };
    const arcs = [SOUND.arcs[0], { from: "size", to: "out", guard }, SOUND.arcs[2]];
    expect(issuesOf({ arcs })).toEqual([]);
    expect(warned({ arcs })).toMatchObject([
      { code: "WF033", path: ["arcs", 1, "guard"], facts: { key: "limit" } },
    ]);
  });

  it("warnings stand apart from errors", () => {
    const change = { ...node({ reads: ["other"] }), entry: "nowhere" };
    expect(issuesOf(change).map(({ severity }) => severity)).toEqual([undefined]);
    expect(warned(change).map(({ code }) => code)).toEqual(["WF032"]);
    expect(warned({ facet: "agentic" }).map(({ code }) => code)).toEqual(["WF013"]);
  });
});

describe("parseDefinition", () => {
  it("[D12.1] reads nets", () => {
    const net = {
      format: 1,
      kind: "net",
      id: "n",
      places: [{ id: "__proto__", initial: 1 }, { id: "q" }],
      transitions: [{ id: "t", pre: [["__proto__", 1]], post: [["q", 2]], reset: ["q"] }],
      finals: [JSON.parse('{ "__proto__": 1 }')],
    };
    expect(parseDefinition(net, STANDARD_KINDS)).toEqual({ ok: true, value: net, warnings: [] });
    expect(parseDefinition({ ...net, finals: [{ r: 1 }] }, STANDARD_KINDS)).toMatchObject({
      issues: [{ code: "NET002" }],
    });
    expect(parseWorkflow(net, STANDARD_KINDS)).toMatchObject({ ok: false });
  });

  it("[D12.1] takes what has places for a net, whatever it says it is", () => {
    const parsed = parseDefinition({ format: 1, id: "n", places: [], transitions: [] }, STANDARD_KINDS);
    expect(parsed).toMatchObject({ issues: [{ code: "WF023", facts: { missing: "kind" } }] });
  });

  it("stays quick and answers all issues where there are very many", () => {
    const all = Array.from({ length: 130_000 }, () => 0);
    const parsed = parseDefinition(
      { ...SOUND, arcs: [{ from: "in", to: "out", guard: { all } }] },
      STANDARD_KINDS,
    );
    expect(parsed.ok ? 0 : parsed.issues.length).toBeGreaterThan(130_000);
  });
});
