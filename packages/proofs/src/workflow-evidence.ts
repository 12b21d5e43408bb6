/** @module Evidence against the obligations of a workflow in node ids, for people and as JSON. */
import {
  type CompiledWorkflow,
  type Json,
  type JsonObject,
  markedPlaces,
  type Outcome,
  unreachable,
} from "@tessera/core";
import type { Region } from "@tessera/gateways";
import { explainEvidence, transitionIds } from "./explain.ts";
import type { JoinEvidence } from "./obligations/join-arrival.ts";
import type { CycleEvidence } from "./obligations/loop-bounds.ts";
import type { Dishonesty, HonestyEvidence } from "./obligations/loop-honesty.ts";
import type { ConflictEvidence, ShownConflict } from "./obligations/parallel-safety.ts";
import type { ReturnEvidence } from "./obligations/return-label.ts";
import type { Gap, TotalityEvidence } from "./obligations/totality.ts";
import type { Element, NetEvidence, Run } from "./verdict.ts";

/** Evidence against any obligation of a workflow. */
export type WorkflowEvidence =
  | NetEvidence
  | TotalityEvidence
  | JoinEvidence
  | CycleEvidence
  | HonestyEvidence
  | ConflictEvidence
  | ReturnEvidence;

/** What the run did, node by node: "review: approve" for an outcome, "review" where a node began to wait or opened. */
export function stepsOf({ net, definition }: CompiledWorkflow, run: Run): readonly string[] {
  return run.sequence.flatMap((t) => {
    const origin = net.transitions[t]?.origin;
    if (origin === undefined) return [];
    const node = definition.nodes[origin.node]?.id ?? String(origin.node);
    switch (origin.phase) {
      case "start":
      case "enter":
        return [node];
      case "settle":
      case "skip":
        return [];
      case "take":
        return [`${node}: ${arcName(definition, origin.chosen[0])}`];
      case "step":
      case "finish":
      case "leave":
      case "trigger":
      case "raise":
        return [origin.outcome === undefined ? node : `${node}: ${origin.outcome}`];
      default:
        return unreachable(origin.phase);
    }
  });
}

/** The evidence as JSON in ids of nodes, places and transitions. */
export function explainWorkflowEvidence(compiled: CompiledWorkflow, evidence: WorkflowEvidence): JsonObject {
  const { definition, net } = compiled;
  const id = (node: number) => definition.nodes[node]?.id ?? String(node);
  switch (evidence.kind) {
    case "E1":
    case "E2":
    case "E3-pump":
      return { ...explainEvidence(net, evidence), steps: stepsOf(compiled, evidence.run) };
    case "E3-ill-formed":
      return explainEvidence(net, evidence);
    case "E3": {
      const dead = evidence.dead.map(({ element }) => elementName(compiled, element));
      return { ...explainEvidence(net, evidence), dead };
    }
    case "gaps":
      return {
        kind: evidence.kind,
        gaps: evidence.gaps.map((gap): Json => ({ ...gap, node: id(gap.node) })),
      };
    case "join":
      return {
        kind: evidence.kind,
        node: id(evidence.node),
        place: net.places[evidence.place]?.id ?? "",
        run: transitionIds(net, evidence.run.sequence),
        steps: stepsOf(compiled, evidence.run),
        marking: markedPlaces(net, evidence.run.marking),
        size: evidence.size,
      };
    case "cycle":
      return { kind: evidence.kind, nodes: evidence.nodes.map(id) };
    case "dishonest":
      return { kind: evidence.kind, found: evidence.found.map((claim) => explainDishonesty(claim, id)) };
    case "conflicts":
      return {
        kind: evidence.kind,
        conflicts: evidence.conflicts.map((one) => explainConflict(compiled, one)),
      };
    case "two-labels":
      return {
        kind: evidence.kind,
        node: evidence.node === null ? null : id(evidence.node),
        labels: evidence.labels,
        run: transitionIds(net, evidence.run.sequence),
        steps: stepsOf(compiled, evidence.run),
      };
    case "unexpected":
    case "impossible":
      return { ...evidence, node: id(evidence.node) };
    default:
      return unreachable(evidence);
  }
}

/** What is wrong, in one sentence with node ids. */
export function describeEvidence(compiled: CompiledWorkflow, evidence: WorkflowEvidence): string {
  const id = (node: number) => `"${compiled.definition.nodes[node]?.id ?? node}"`;
  const after = (run: Run) => {
    const steps = stepsOf(compiled, run);
    return steps.length === 0 ? "at the start" : `after ${steps.join(", ")}`;
  };
  switch (evidence.kind) {
    case "E1":
      return `${after(evidence.run)}: ${describeFinding(compiled, evidence)}`;
    case "E2":
      return `${after(evidence.run)} the run cannot complete any more`;
    case "E3-pump":
      return `${after(evidence.run)} tokens have multiplied: the run can grow without end`;
    case "E3-ill-formed":
      return "splits and joins do not match: by the structure of its net the workflow cannot be sound";
    case "E3":
      return `never happens: ${evidence.dead.map(({ element }) => elementName(compiled, element)).join(", ")}`;
    case "gaps":
      return evidence.gaps.map((gap) => describeGap(gap, id)).join("; ");
    case "join":
      return `${after(evidence.run)} a token waits before ${id(evidence.node)} for ever`;
    case "cycle":
      return `only the fuse ends the cycle ${[...evidence.nodes, ...evidence.nodes.slice(0, 1)].map(id).join(", ")}`;
    case "dishonest":
      return evidence.found.map((claim) => describeDishonesty(claim, id)).join("; ");
    case "conflicts":
      return evidence.conflicts.map((one) => `${after(one.run)} ${describeConflict(one)}`).join("; ");
    case "two-labels": {
      const who = evidence.node === null ? "the workflow" : id(evidence.node);
      return `${after(evidence.run)} ${who} ends under several labels: ${evidence.labels.join(", ")}`;
    }
    case "unexpected":
      return `"${evidence.workflow}" can end under "${evidence.label}", which ${id(evidence.node)} does not have`;
    case "impossible":
      return `${id(evidence.node)} declares "${evidence.label}", under which "${evidence.workflow}" never ends`;
    default:
      return unreachable(evidence);
  }
}

function describeFinding(
  { net }: CompiledWorkflow,
  { finding }: Extract<NetEvidence, { kind: "E1" }>,
): string {
  switch (finding.kind) {
    case "second-token":
      return `a second token on the end ${net.places[finding.place]?.id ?? finding.place}`;
    case "unsafe":
      return `two tokens on ${net.places[finding.place]?.id ?? finding.place}`;
    case "beyond-final":
      return "more than a final marking";
    case "deadlock":
      return "nothing can happen, and the run is not complete";
    case "pump":
      return "tokens have multiplied";
    default:
      return unreachable(finding);
  }
}

function describeGap(gap: Gap, id: (node: number) => string): string {
  if (gap.kind === "no-arc") return `no arc leaves ${id(gap.node)} under "${gap.outcome}"`;
  const trouble = gap.trouble === null ? "" : ` (${gap.trouble})`;
  return `no guard of ${id(gap.node)} under "${gap.outcome}" holds on ${JSON.stringify(gap.data)}${trouble}`;
}

function describeDishonesty(claim: Dishonesty, id: (node: number) => string): string {
  switch (claim.kind) {
    case "no-verifier":
      return `no verifier in the loop of ${id(claim.decision)} writes its pass key`;
    case "foreign-writer":
      return `${id(claim.node)} declares that it writes the pass key of ${id(claim.decision)}`;
    case "no-human":
      return `the exhausted loop of ${id(claim.decision)} can end without a person: ${claim.path.map(id).join(", ")}`;
    case "stale-path":
      return `the verdict at ${id(claim.decision)} can be stale or missing: ${claim.path.map(id).join(", ")}`;
    default:
      return unreachable(claim);
  }
}

function explainDishonesty(claim: Dishonesty, id: (node: number) => string): JsonObject {
  switch (claim.kind) {
    case "no-verifier":
      return { kind: claim.kind, decision: id(claim.decision) };
    case "foreign-writer":
      return { kind: claim.kind, decision: id(claim.decision), node: id(claim.node) };
    case "stale-path":
    case "no-human":
      return { kind: claim.kind, decision: id(claim.decision), path: claim.path.map(id) };
    default:
      return unreachable(claim);
  }
}

/** A region as a text: what a person would call it. */
export function regionName(region: Region): string {
  switch (region.kind) {
    case "key":
      return `key ${region.key}`;
    case "data":
      return "all data";
    case "object":
      return `object ${region.id}`;
    case "type":
      return `objects of type ${region.type}`;
    case "relation":
      return region.rel === undefined ? "all links" : `links ${region.rel}`;
    case "graph":
      return "the whole graph";
    default:
      return unreachable(region);
  }
}

function describeConflict({ nodes: [left, right], overlaps }: ShownConflict): string {
  const where = new Set(
    overlaps.map(({ left: a, right: b }) => {
      const [own, other] = [regionName(a), regionName(b)];
      return own === other ? own : `${own} and ${other}`;
    }),
  );
  return `"${left}" and "${right}" meet: ${[...where].join(", ")}`;
}

function explainConflict(compiled: CompiledWorkflow, { nodes, places, overlaps, run }: ShownConflict): Json {
  const { net } = compiled;
  return {
    nodes,
    places: places.map((place) => net.places[place]?.id ?? ""),
    overlaps: overlaps.map(({ left, right }) => ({ left: { ...left }, right: { ...right } })),
    run: transitionIds(net, run.sequence),
    steps: stepsOf(compiled, run),
    marking: markedPlaces(net, run.marking),
  };
}

function elementName({ definition, net }: CompiledWorkflow, element: Element): string {
  switch (element.kind) {
    case "transition":
      return net.transitions[element.transition]?.id ?? String(element.transition);
    case "outcome": {
      const node = definition.nodes[element.node]?.id ?? String(element.node);
      const outcome: Outcome | null = element.outcome;
      return outcome === null ? `${node} (${element.phase})` : `${node}: ${outcome} (${element.phase})`;
    }
    case "arc":
      return `arc ${arcName(definition, element.arc)}`;
    default:
      return unreachable(element);
  }
}

function arcName({ arcs }: CompiledWorkflow["definition"], arc: number | undefined): string {
  const found = arc === undefined ? undefined : arcs[arc];
  return found === undefined ? String(arc) : `${found.from} -> ${found.to}`;
}
