/** @module What a report on data says, against what all runs of the real step show. */
import type { CompiledWorkflow } from "@tessera/core";
import { mergeBlocks } from "@tessera/gateways";
import type { DataReport } from "@tessera/proofs";
import type { Seen } from "./step-oracle.ts";

/** Transitions by what O3 asks of: nodes with phase and outcome, and arcs. */
function unused({ net, graph, definition }: CompiledWorkflow, fired: ReadonlySet<number>): readonly string[] {
  const ends = new Set(mergeBlocks(graph).map(({ closer }) => closer));
  const isFunction = (id: string) =>
    definition.nodes.some((node) => node.id === id && node.kind === "transform");
  const names = (t: number): readonly string[] => {
    const { node, phase, outcome, consumed, chosen } = net.transitions[t]!.origin!;
    // An error that only a refused block brings is there for O5.
    if (phase === "skip" || (ends.has(node) && outcome === "error")) return [];
    // What a function throws is for it to say: those of the oracle throw nothing.
    if (isFunction(definition.nodes[node]!.id) && outcome === "error") return [];
    return [
      `${definition.nodes[node]!.id} ${phase} ${outcome}`,
      ...[...consumed, ...chosen].map((arc) => `arc ${arc}`),
    ];
  };
  const provided = definition.arcs.flatMap(({ from, outcome }, arc) =>
    outcome === "error" && (ends.has(graph.nodeIndex.get(from)!) || isFunction(from)) ? [`arc ${arc}`] : [],
  );
  const used = new Set([...[...fired].flatMap(names), ...provided]);
  return [...new Set(net.transitions.flatMap((_, t) => names(t)))].filter((name) => !used.has(name));
}

/** What the report says and the runs refute. */
export function falsehoods(
  compiled: CompiledWorkflow,
  { obligations }: Pick<DataReport, "obligations">,
  seen: Seen,
): readonly string[] {
  const bad: Readonly<Record<string, boolean>> = {
    O1: seen.isLost,
    O2: seen.hasSecondEnd,
    O4: seen.isUnsafe,
    O5: seen.hasGap,
    deadlock: seen.isStuck,
  };
  return obligations.flatMap(({ id, verdict }): readonly string[] => {
    if (verdict.kind === "unknown") return [];
    if (id === "O3") {
      if (verdict.kind === "holds")
        return unused(compiled, seen.fired).map((name) => `O3 holds, and unused: ${name}`);
      const dead = verdict.evidence.kind === "data-dead" ? verdict.evidence.dead : [];
      return dead.some(({ transitions }) => transitions.some((t) => seen.fired.has(t))) ? ["O3 fails"] : [];
    }
    const isBad = bad[id];
    return isBad === undefined || isBad === (verdict.kind === "fails") ? [] : [`${id} ${verdict.kind}`];
  });
}
