import {
  arcOutcome,
  compileWorkflow,
  composeWorkflow,
  parseWorkflow,
  type WorkflowDefinition,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Plan, plan, program } from "./block-arbitrary.ts";
import { soundness } from "./soundness-oracle.ts";

const STATES_MAX = 3_000;

type Compose = (root: Plan) => WorkflowDefinition;
const composed: Compose = (root) => composeWorkflow({ id: "w", body: program(root) }).definition;

/** Law: every program of blocks loads without issues and has a sound net. Oracle: an exhaustive search over `fire`. */
function lawSound(compose: Compose): fc.IPropertyWithHooks<[Plan]> {
  return fc.property(plan(4), (root) => {
    const definition = compose(root);
    const parsed = parseWorkflow(definition, STANDARD_KINDS);
    expect(parsed.ok ? [] : parsed.issues).toEqual([]);
    const compiled = compileWorkflow(definition, STANDARD_KINDS);
    if (!compiled.ok) throw new Error("a parsed definition does not compile");
    const verdict = soundness(compiled.value.net, STATES_MAX);
    fc.pre(verdict.kind !== "too large");
    expect(verdict).toEqual({ kind: "sound" });
  });
}

/** Law: each outcome that a kind gives a node has an arc, and one that is taken whatever the data. */
function lawCovered(compose: Compose): fc.IPropertyWithHooks<[Plan]> {
  return fc.property(plan(4), (root) => {
    const { nodes, arcs } = compose(root);
    for (const node of nodes) {
      const isOmitted = (outcome: string) =>
        outcome === "fail" && (node.meta as never as { loop: { budget: number } }).loop.budget === 0;
      for (const outcome of STANDARD_KINDS.get(node.kind)?.alphabet(node) ?? []) {
        if (isOmitted(outcome)) continue;
        const leaving = arcs.filter((arc) => arc.from === node.id && arcOutcome(arc) === outcome);
        const isTotal = leaving.some((arc) => arc.guard === undefined || arc.default === true);
        expect({ node: node.id, outcome, isTotal }).toEqual({ node: node.id, outcome, isTotal: true });
      }
    }
  });
}

const withNodes =
  (change: (node: WorkflowDefinition["nodes"][number]) => WorkflowDefinition["nodes"][number]): Compose =>
  (root) => {
    const definition = composed(root);
    return { ...definition, nodes: definition.nodes.map(change) };
  };

describe("[T12.1] programs of blocks", () => {
  it("[T12.1] load without issues and are sound", () => {
    fc.assert(lawSound(composed), { numRuns: 200 });
  });

  it("[T12.1] give every outcome of every node an arc that is taken whatever the data (O5)", () => {
    fc.assert(lawCovered(composed), { numRuns: 200 });
  });

  it("[T12.1] the law of soundness fails where an exit from a parallel block leaves its siblings alone", () => {
    const broken = withNodes((node) => {
      const { terminate: _, ...meta } = node.meta ?? {};
      return node.kind === "end" && Object.keys(meta).length > 0 ? { ...node, meta } : node;
    });
    expect(fc.check(lawSound(broken), { numRuns: 200 }).failed).toBe(true);
  });

  it("[T12.1] among the programs are blocks that stage and merge, caught and not, and staged loops", () => {
    const seen = { staged: 0, merging: 0, loops: 0, caught: 0, scoped: 0 };
    for (const root of fc.sample(plan(4), 400)) {
      const { nodes, arcs } = composed(root);
      for (const { id, kind, meta, scope } of nodes) {
        const isClosing = kind === "gateway" && (meta?.["stage"] === true || meta?.["merge"] !== undefined);
        if (meta?.["stage"] === true) seen.staged += 1;
        if (meta?.["merge"] !== undefined) seen.merging += 1;
        if ((meta?.["loop"] as { stage?: boolean } | undefined)?.stage === true) seen.loops += 1;
        const refused = arcs.find((arc) => arc.from === id && arc.outcome === "error")?.to;
        if (isClosing && refused?.startsWith("end") === false) seen.caught += 1;
        if (isClosing && scope !== undefined) seen.scoped += 1;
      }
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
  });

  it("[T12.1] the law of soundness fails where a join takes one token", () => {
    const broken = withNodes((node) => (node.join === "all" ? { ...node, join: "any" } : node));
    expect(fc.check(lawSound(broken), { numRuns: 200 }).failed).toBe(true);
  });

  it("[T12.1] the law of outcomes fails where errors have no arc", () => {
    const broken: Compose = (root) => {
      const definition = composed(root);
      return { ...definition, arcs: definition.arcs.filter((arc) => arc.outcome !== "error") };
    };
    expect(fc.check(lawCovered(broken), { numRuns: 200 }).failed).toBe(true);
  });
});
