import { type Json, parseWorkflow } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { describe, expect, it } from "vitest";
import { SCOPE_DEPTH_MAX } from "../src/parse-load.ts";
import { found, issuesOf, node, SOUND, warned } from "./damaged-order.ts";

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
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, { type: "any" }]));
    const [warning] = warned({ ...change, data: { ...SOUND.data, ...many } });
    expect(warning?.facts).toEqual({ key: "amuont" });
    const { k0: _k0, ...fewer } = many;
    expect(warned({ ...change, data: { ...SOUND.data, ...fewer } })[0]?.facts).toEqual({
      key: "amuont",
      suggestion: "amount",
    });
    const { data: _, ...undeclared } = SOUND;
    expect(parseWorkflow({ ...undeclared, ...change }, STANDARD_KINDS).warnings).toEqual([]);
  });

  it("WF032 [D16.9] warns of undeclared keys in the templates of claims", () => {
    const graph = {
      reads: { objects: ["a/{amount}", "b/{amuont}"] },
      writes: { objects: ["{other}"], types: ["T"] },
    };
    expect(issuesOf(node({ graph }))).toEqual([]);
    expect(warned(node({ graph }))).toMatchObject([
      { code: "WF032", path: ["nodes", 2, "graph", "reads", "objects", 1], facts: { suggestion: "amount" } },
      { code: "WF032", path: ["nodes", 2, "graph", "writes", "objects", 0] },
    ]);
    for (const bad of [{ reads: { ids: [] } }, { writes: { payloadOnly: false } }, { reads: [] }, []]) {
      expect(issuesOf(node({ graph: bad as never }))).not.toEqual([]);
    }
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
