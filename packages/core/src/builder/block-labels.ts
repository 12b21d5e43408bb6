/** @module With which labels a block finishes early, and whether it ever goes on. */
import { unreachable } from "../invariant.ts";
import { ERROR, type Outcome } from "../workflow.ts";
import type { BlockData } from "./block.ts";

/** Outcomes that finish with the label error where they have no route: failures of technique, not answers. */
const FAILURES: ReadonlySet<Outcome> = new Set([ERROR, "cancelled"]);

/** The label with which a step finishes under an outcome that has no route; undefined: it goes on. */
export function unroutedLabel(outcome: Outcome): Outcome | undefined {
  return FAILURES.has(outcome) ? ERROR : undefined;
}

/**
 * The labels with which `block` may finish instead of going on, in the order in which they come up: those of `finish`
 * and error, where a step's failure has no route. A subprocess keeps its own labels inside.
 * Cost: linear in the block.
 *
 * @definition D12.8
 */
export function labelsOf(block: BlockData): ReadonlySet<Outcome> {
  const labels = new Set<Outcome>();
  collect(block, labels);
  return labels;
}

/** The labels with which a branch of the block may finish while others are under way. */
export function branchLabelsOf(
  block: Extract<BlockData, { readonly kind: "parallel" | "inclusive" }>,
): ReadonlySet<Outcome> {
  const labels = new Set<Outcome>();
  const branches =
    block.kind === "parallel" ? block.branches : [...block.branches.map((b) => b.block), block.otherwise];
  for (const branch of branches) collect(branch, labels);
  return labels;
}

function collect(block: BlockData, labels: Set<Outcome>): void {
  switch (block.kind) {
    case "finish":
      labels.add(block.label);
      return;
    case "step":
      collectRouted(block.spec.outcomes, block.routes, labels);
      return;
    case "subprocess":
      collectRouted(labelsOf(block.body), block.routes, labels);
      return;
    case "sequence":
      for (const part of block.blocks) collect(part, labels);
      return;
    case "choice":
      for (const branch of [...block.branches.map((b) => b.block), block.otherwise]) collect(branch, labels);
      return;
    case "inclusive":
    case "parallel":
      for (const label of branchLabelsOf(block)) labels.add(label);
      if (block.hold === null) return;
      // What the branches held back may be refused.
      if (block.hold.rejected === null) labels.add(ERROR);
      else collect(block.hold.rejected, labels);
      return;
    case "loop":
      for (const part of [block.body, block.verify, block.repair, block.exhausted]) collect(part, labels);
      // The verdict may be missing.
      labels.add(ERROR);
      return;
    default:
      unreachable(block);
  }
}

function collectRouted(
  outcomes: Iterable<Outcome>,
  routes: ReadonlyMap<Outcome, BlockData>,
  labels: Set<Outcome>,
): void {
  for (const outcome of outcomes) {
    const label = routes.has(outcome) ? undefined : unroutedLabel(outcome);
    if (label !== undefined) labels.add(label);
  }
  for (const route of routes.values()) collect(route, labels);
}
