/** @module O12, subprocess return: a workflow ends under one label, and its caller is ready for each of them. */
import {
  CANCELLED,
  type CompiledWorkflow,
  ERROR,
  isFinal,
  type Outcome,
  type PlaceIndex,
} from "@tessera/core";
import { endLabel, isEventLabel } from "@tessera/gateways";
import type { SeenStates } from "../seen-states.ts";
import { fails, holds, type Run, unknown, type Verdict } from "../verdict.ts";

/**
 * Why a return is not clear. two-labels: a final marking whose ends carry different labels; `node` is null. Or, for an
 * embedded subprocess `node`, a marking in which two of its ends with different labels are marked. unexpected: the
 * called workflow of `node` can end under `label`, which `node` does not have. impossible: `node` declares `label`,
 * under which the called workflow never ends.
 */
export type ReturnEvidence =
  | {
      readonly kind: "two-labels";
      readonly node: number | null;
      readonly labels: readonly Outcome[];
      readonly run: Run;
    }
  | {
      readonly kind: "unexpected" | "impossible";
      readonly node: number;
      readonly workflow: string;
      readonly label: Outcome;
    };

/** The labels under which called workflows end, by the name that nodes give: `WorkflowReport.labels` of their proofs. */
export type ChildLabels = ReadonlyMap<string, readonly Outcome[]>;

/**
 * O12: in every reachable final marking all marked ends carry one label; no reachable marking marks two ends of one
 * embedded subprocess that carry different labels; and each node that calls a workflow in `children` has exactly the
 * labels under which that ends, besides error and cancelled. Calls of other workflows are assumed to be so.
 *
 * @definition D8.14
 */
export function returnLabels(
  compiled: CompiledWorkflow,
  seen: SeenStates,
  children: ChildLabels,
): Verdict<ReturnEvidence> {
  const call = calls(compiled)
    .map((made) => mismatch(made, children))
    .find((found) => found !== null);
  if (call !== undefined) return fails(call);
  const groups = endGroups(compiled).filter(({ ends }) => new Set(ends.map(({ label }) => label)).size > 1);
  if (groups.length === 0)
    return holds({ class: "recomputable", method: "one label in each scope", states: 0 });
  const double = doubleReturn(seen, groups);
  if (double !== null) return fails(double);
  if (seen.limit !== null) return unknown(seen.limit);
  return holds({ class: "enumerated", method: seen.method, states: seen.count });
}

/** The end places of embedded subprocesses whose ends differ in label: O12 asks which of them are marked together. */
export function askedEnds(compiled: CompiledWorkflow): readonly PlaceIndex[] {
  return endGroups(compiled)
    .filter(({ node, ends }) => node !== null && new Set(ends.map(({ label }) => label)).size > 1)
    .flatMap(({ ends }) => ends.map(({ place }) => place));
}

/** The labels of the marked ends over all final markings, in document order; null where not all states were seen. */
export function finalLabels(compiled: CompiledWorkflow, seen: SeenStates): readonly Outcome[] | null {
  if (seen.limit !== null) return null;
  const ends = endGroups(compiled).find(({ node }) => node === null)?.ends ?? [];
  const labels = new Set<Outcome>();
  for (let state = 0; state < seen.count; state += 1) {
    const marked = ends.filter(({ place }) => seen.tokens(state, place) > 0);
    if (marked.every(({ label }) => labels.has(label)) || !seen.isFinal(state)) continue;
    for (const { label } of marked) labels.add(label);
  }
  return ends
    .map(({ label }) => label)
    .filter((label, at, all) => labels.has(label) && all.indexOf(label) === at);
}

/** Does the evidence hold of the workflow? Its run is replayed by the caller. */
export function isReturnFault(
  compiled: CompiledWorkflow,
  evidence: ReturnEvidence,
  children: ChildLabels,
): boolean {
  if (evidence.kind !== "two-labels") {
    return calls(compiled).some((made) => {
      const found = made.node === evidence.node ? mismatches(made, children) : [];
      return found.some(
        ({ kind, workflow, label }) =>
          kind === evidence.kind && workflow === evidence.workflow && label === evidence.label,
      );
    });
  }
  const group = endGroups(compiled).find(({ node }) => node === evidence.node);
  const M = evidence.run.marking;
  if (group === undefined || (group.node === null && !isFinal(compiled.net, M))) return false;
  const labels = labelsIn(group, (place) => M[place] ?? 0);
  return labels.length > 1 && JSON.stringify(labels) === JSON.stringify(evidence.labels);
}

/** The ends of one scope with their labels; `node` is the subprocess, null for the workflow. */
interface EndGroup {
  readonly node: number | null;
  readonly ends: readonly { readonly place: number; readonly label: Outcome }[];
}

function endGroups({ definition, graph, net }: CompiledWorkflow): readonly EndGroup[] {
  const groups = new Map<number | null, { place: number; label: Outcome }[]>();
  net.places.forEach(({ origin }, place) => {
    if (origin?.kind !== "end") return;
    const end = definition.nodes[origin.node]!;
    const scope = end.scope === undefined ? null : (graph.nodeIndex.get(end.scope) ?? null);
    const list = groups.get(scope) ?? [];
    groups.set(scope, list);
    list.push({ place, label: endLabel(end) });
  });
  return [...groups].map(([node, ends]) => ({ node, ends }));
}

function doubleReturn(seen: SeenStates, groups: readonly EndGroup[]): ReturnEvidence | null {
  for (let state = 0; state < seen.count; state += 1) {
    for (const group of groups) {
      const labels = labelsIn(group, (place) => seen.tokens(state, place));
      if (labels.length < 2 || (group.node === null && !seen.isFinal(state))) continue;
      return { kind: "two-labels", node: group.node, labels, run: seen.run(state) };
    }
  }
  return null;
}

function labelsIn({ ends }: EndGroup, tokens: (place: number) => number): readonly Outcome[] {
  return [...new Set(ends.filter(({ place }) => tokens(place) > 0).map(({ label }) => label))];
}

interface Call {
  readonly node: number;
  readonly workflow: string;
  readonly labels: readonly Outcome[];
}

function calls({ definition, kinds }: CompiledWorkflow): readonly Call[] {
  return definition.nodes.flatMap((node, index): Call[] => {
    const workflow = node.meta?.workflow;
    if (kinds[index]?.body(node) !== "child" || typeof workflow !== "string") return [];
    const labels = kinds[index]
      .alphabet(node)
      .filter((label) => label !== ERROR && label !== CANCELLED && !isEventLabel(node, label));
    return [{ node: index, workflow, labels }];
  });
}

function mismatch(call: Call, children: ChildLabels): ReturnEvidence | null {
  return mismatches(call, children)[0] ?? null;
}

function mismatches(
  { node, workflow, labels }: Call,
  children: ChildLabels,
): readonly Extract<ReturnEvidence, { readonly kind: "unexpected" | "impossible" }>[] {
  const ends = children.get(workflow);
  if (ends === undefined) return [];
  const isImplicit = (label: Outcome) => label === ERROR || label === CANCELLED;
  return [
    ...ends
      .filter((label) => !labels.includes(label) && !isImplicit(label))
      .map((label) => ({ kind: "unexpected" as const, node, workflow, label })),
    ...labels
      .filter((label) => !ends.includes(label))
      .map((label) => ({ kind: "impossible" as const, node, workflow, label })),
  ];
}
