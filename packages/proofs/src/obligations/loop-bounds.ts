/** @module O7, bounded loops: every cycle is a governed loop, or waits for a person in each round. */
import { arcOutcome, type CompiledWorkflow } from "@tessera/core";
import { FAIL, loopOf } from "@tessera/gateways";
import { firingBound } from "../firing-bound.ts";
import { fails, holds, type Verdict } from "../verdict.ts";

/** A cycle of nodes that only the fuse of the run ends: no governed loop's budget, no person. */
export interface CycleEvidence {
  readonly kind: "cycle";
  /** Node indices, the first one not repeated at the end. */
  readonly nodes: readonly number[];
}

/** How runs come to an end. `firingsMax`: no run has more firings of nodes; null if that exceeds 2^53 - 1. */
export type LoopGrade =
  | { readonly kind: "bounded"; readonly firingsMax: number | null }
  | { readonly kind: "fair" }
  | { readonly kind: "fuse-only"; readonly cycle: readonly number[] };

/**
 * The grade of the loops: delete the fail arcs of governed loops; bounded if no cycle is left, fair if each remaining
 * cycle passes a node at which a person decides (or an embedded subprocess that nothing passes without one), fuse-only
 * otherwise.
 *
 * @definition D8.12
 */
export function loopGrade(compiled: CompiledWorkflow): LoopGrade {
  const next = successorsWithoutFail(compiled);
  const all = compiled.definition.nodes.map((_, node) => node);
  if (cycleAmong(all, next) === null) return { kind: "bounded", firingsMax: firingBound(compiled) };
  const waits = waitingNodes(compiled, next);
  const cycle = cycleAmong(
    all.filter((node) => !waits.has(node)),
    next,
  );
  return cycle === null ? { kind: "fair" } : { kind: "fuse-only", cycle };
}

/** O7 as a verdict: fuse-only fails, with the cycle. */
export function loopBounds(grade: LoopGrade): Verdict<CycleEvidence> {
  switch (grade.kind) {
    case "bounded": {
      const bound = grade.firingsMax ?? "2^53 and more";
      return holds({
        class: "recomputable",
        method: `bounded: at most ${bound} firings of nodes`,
        states: 0,
      });
    }
    case "fair":
      return holds({ class: "recomputable", method: "fair: every cycle waits for a person", states: 0 });
    case "fuse-only":
      return fails({ kind: "cycle", nodes: grade.cycle });
  }
}

/** Is `nodes` a cycle of arcs other than fail arcs of governed loops, none of whose nodes waits for a person? */
export function isFuseOnlyCycle(compiled: CompiledWorkflow, nodes: readonly number[]): boolean {
  const next = successorsWithoutFail(compiled);
  const waits = waitingNodes(compiled, next);
  return (
    nodes.length > 0 &&
    nodes.every((node, index) => {
      const after = nodes[(index + 1) % nodes.length] ?? -1;
      return !waits.has(node) && (next[node] ?? []).includes(after);
    })
  );
}

type Successors = readonly (readonly number[])[];

function successorsWithoutFail({ definition, graph }: CompiledWorkflow): Successors {
  return graph.outgoing.map((arcs, node) => {
    const governs = loopOf(definition.nodes[node]!) !== null;
    const targets = arcs.flatMap((index) => {
      const arc = definition.arcs[index];
      if (arc === undefined || (governs && arcOutcome(arc) === FAIL)) return [];
      return graph.nodeIndex.get(arc.to) ?? [];
    });
    return [...new Set(targets)];
  });
}

/** Nodes at which a person decides, and embedded subprocesses from whose entry no end is reached without one. */
function waitingNodes({ definition, graph, kinds }: CompiledWorkflow, next: Successors): ReadonlySet<number> {
  const waits = new Set<number>();
  const bodyOf = (node: number) => kinds[node]?.body(definition.nodes[node]!);
  definition.nodes.forEach((_, node) => {
    if (bodyOf(node) === "work-item") waits.add(node);
  });
  for (let grew = true; grew; ) {
    grew = false;
    definition.nodes.forEach((node, index) => {
      if (waits.has(index) || bodyOf(index) !== "scope") return;
      const entry = graph.nodeIndex.get(String(node.meta?.entry ?? "")) ?? -1;
      const passed = reachable(entry, next, waits);
      const ends = definition.nodes.some(
        (end, at) => end.scope === node.id && end.kind === "end" && passed.has(at),
      );
      if (ends) return;
      waits.add(index);
      grew = true;
    });
  }
  return waits;
}

function reachable(from: number, next: Successors, without: ReadonlySet<number>): ReadonlySet<number> {
  const seen = new Set(from < 0 || without.has(from) ? [] : [from]);
  for (const node of seen) for (const to of next[node] ?? []) if (!without.has(to)) seen.add(to);
  return seen;
}

/** A shortest cycle through the first node of `nodes` that lies on one, or null if there is none. */
function cycleAmong(nodes: readonly number[], next: Successors): readonly number[] | null {
  const core = trimmed(new Set(nodes), next);
  for (const start of core) {
    const parent = new Map<number, number>([[start, -1]]);
    for (const [node] of parent) {
      for (const to of next[node] ?? []) {
        if (to === start) return pathTo(node, parent);
        if (core.has(to) && !parent.has(to)) parent.set(to, node);
      }
    }
  }
  return null;
}

/** `nodes` without those that no arc of a node of the set enters, again and again: empty iff there is no cycle. */
function trimmed(nodes: ReadonlySet<number>, next: Successors): ReadonlySet<number> {
  const core = new Set(nodes);
  const incoming = new Map<number, number>();
  for (const node of core) {
    for (const to of next[node] ?? []) if (core.has(to)) incoming.set(to, (incoming.get(to) ?? 0) + 1);
  }
  const stack = [...core].filter((node) => !incoming.has(node));
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    core.delete(node);
    for (const to of next[node] ?? []) {
      if (!core.has(to)) continue;
      const rest = (incoming.get(to) ?? 0) - 1;
      incoming.set(to, rest);
      if (rest === 0) stack.push(to);
    }
  }
  return core;
}

function pathTo(node: number, parent: ReadonlyMap<number, number>): readonly number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = parent.get(at) ?? -1) path.push(at);
  return path.reverse();
}
