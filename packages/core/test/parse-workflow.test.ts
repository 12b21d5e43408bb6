import { kindTable, parseDefinition, parseWorkflow } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { describe, expect, it } from "vitest";
import { found, lastArc, node, SOUND, warned } from "./damaged-order.ts";

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

describe("what is said of the graph beside issues of form", () => {
  it("[D12.2] all, where names are malformed or repeated", () => {
    expect(found({ ...node({ reads: ["amount", "amount"] }), entry: "nowhere" })).toEqual([
      "WF027 nodes.2.reads.1",
      "WF001 entry",
    ]);
    expect(found({ ...node({ reads: ["\n"] }), entry: "nowhere" })).toEqual([
      "WF024 nodes.2.reads.0",
      "WF001 entry",
    ]);
  });

  it("[D12.2] nothing, where a node is none, or there are too many of something", () => {
    expect(found({ nodes: [...SOUND.nodes, 7], entry: "nowhere" })).toEqual(["WF021 nodes.3"]);
    expect(found({ ...node({ reads: [1] }), entry: "nowhere" })).toEqual(["WF021 nodes.2.reads.0"]);
  });

  it("[D12.2] nothing of the data where their declaration is malformed", () => {
    const change = {
      ...node({ reads: ["other"] }),
      data: { amount: { type: "number", values: ["a"] }, b: {} },
    };
    expect(found(change)).toEqual(["WF023 data.b"]);
    expect(warned(change)).toEqual([]);
  });

  it("[C20-02] [C20-04] an entry, an arc's end and a kind that are not there; a registered kind is there", () => {
    const kind = STANDARD_KINDS.get("end");
    if (kind === undefined) throw new Error("no end");
    expect(found({ entry: "nowhere" })).toContain("WF001 entry");
    expect(found(lastArc({ to: "nowhere" }))).toContain("WF006 arcs.2.to");
    expect(found(node({ kind: "mine" }))).toContain("WF003 nodes.2.kind");
    const kinds = kindTable([{ ...kind, name: "mine" }], STANDARD_KINDS);
    const nodes = [...SOUND.nodes, { id: "other", kind: "mine" }];
    const arcs = [...SOUND.arcs.slice(0, 2), { from: "size", to: "other", default: true }];
    expect(parseWorkflow({ ...SOUND, nodes, arcs }, kinds)).toMatchObject({ ok: true });
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
