import { compileWorkflow, type WorkflowDefinition } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { describe, expect, it } from "vitest";
import { changed, HINT_LIMITS, repairHints } from "../src/repair-hint.ts";
import { judge } from "./oracle.ts";
import { end, gateway, start, transform, workflow } from "./workflow-text.ts";

/** A block of two branches with these rules, and one more behind it. */
function block(
  split: "first" | "all",
  join: "any" | "all",
  second: "first" | "all" = "first",
): WorkflowDefinition {
  const nodes = [
    start,
    gateway("fork", { split }),
    transform("a"),
    transform("b"),
    gateway("meet", { join }),
    gateway("again", { split: second }),
    transform("c"),
    transform("d"),
    gateway("last", { join: second === "all" ? "all" : "any" }),
    end,
  ];
  const arcs = ["start -> fork", "fork -> a", "fork -> b", "a -> meet", "b -> meet", "meet -> again"];
  const rest = ["again -> c", "again -> d", "c -> last", "d -> last", "last -> end"];
  return workflow(nodes, [...arcs, ...rest]).definition;
}

const SPLITS = ["first", "all"] as const;
const JOINS = ["any", "all"] as const;

function withLast(definition: WorkflowDefinition, join: "any" | "all"): WorkflowDefinition {
  const nodes = definition.nodes.map((node) => (node.id === "last" ? { ...node, join } : node));
  return { ...definition, nodes };
}

/** By an enumeration by hand. */
function isSoundByHand(definition: WorkflowDefinition): boolean | null {
  const compiled = compileWorkflow(definition, STANDARD_KINDS);
  if (!compiled.ok) return false;
  const found = judge(compiled.value.net, 2000);
  return found === null ? null : found.O1 && found.O2 && found.O3 && found.O4;
}

const told = (definition: WorkflowDefinition) =>
  repairHints(definition, STANDARD_KINDS).hints.map(({ node, part, to }) => `${node} ${part} ${to}`);

describe("[D8.15] repair hints", () => {
  it("[D8.15] a fork that a merge closes: either of the two gateways can be changed", () => {
    expect(told(block("all", "any"))).toEqual(["fork split first", "meet join all"]);
    expect(told(block("first", "all"))).toEqual(["fork split all", "meet join any"]);
  });

  it("[D8.15] two mistakes are not mended by one change; limits are told", () => {
    const twice = withLast(block("all", "any", "all"), "any");
    expect(repairHints(twice, STANDARD_KINDS)).toEqual({ hints: [], isComplete: true });
    const few = repairHints(block("all", "any"), STANDARD_KINDS, { ...HINT_LIMITS, changesMax: 1 });
    expect(few.isComplete).toBe(false);
    expect(few.hints).toHaveLength(1);
  });

  it("[D8.15] every hint mends by an enumeration by hand, and every change that mends is a hint", () => {
    for (const first of SPLITS)
      for (const meet of JOINS)
        for (const second of SPLITS)
          for (const last of JOINS) everyChangeAgrees(withLast(block(first, meet, second), last));
  });

  it("[D8.15] the law refuses hints that are guessed", () => {
    const definition = block("all", "any");
    const guessed = { node: "again", part: "split", from: "first", to: "all" } as const;
    expect(() => expectAgreement(definition, guessed, new Set(["again split all"]))).toThrow();
  });
});

function everyChangeAgrees(definition: WorkflowDefinition): void {
  const hints = new Set(told(definition));
  for (const node of ["fork", "again"])
    for (const to of SPLITS) expectAgreement(definition, { node, part: "split", from: "first", to }, hints);
  for (const node of ["meet", "last"])
    for (const to of JOINS) expectAgreement(definition, { node, part: "join", from: "any", to }, hints);
}

function expectAgreement(
  definition: WorkflowDefinition,
  change: Parameters<typeof changed>[1],
  hints: ReadonlySet<string>,
): void {
  const now = definition.nodes.find(({ id }) => id === change.node);
  const isChange = (change.part === "join" ? (now?.join ?? "any") : (now?.split ?? "first")) !== change.to;
  const name = `${change.node} ${change.part} ${change.to}`;
  const expected = isChange && isSoundByHand(changed(definition, change)) === true;
  expect({ name, isHint: hints.has(name) }).toEqual({ name, isHint: expected });
}
