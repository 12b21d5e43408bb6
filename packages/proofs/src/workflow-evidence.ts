/** @module Evidence against the obligations of a workflow in node ids, for people and as JSON. */
import { type CompiledWorkflow, type Json, type JsonObject, markedPlaces, unreachable } from "@tessera/core";
import type { Region } from "@tessera/gateways";
import {
  type Names,
  stepWordOf,
  toldMarking,
  wordOf,
  writtenById,
  writtenJson,
  writtenNode,
} from "./element-words.ts";
import { explainEvidence, transitionIds } from "./explain.ts";
import type { JoinEvidence } from "./obligations/join-arrival.ts";
import type { CycleEvidence } from "./obligations/loop-bounds.ts";
import type { Dishonesty, HonestyEvidence } from "./obligations/loop-honesty.ts";
import type { ConflictEvidence, ShownConflict } from "./obligations/parallel-safety.ts";
import type { ReturnEvidence } from "./obligations/return-label.ts";
import type { Gap, TotalityEvidence } from "./obligations/totality.ts";
import {
  stepWords,
  type Told,
  type ToldStep,
  tellNetEvidence,
  toldJson,
  toldSteps,
} from "./told-evidence.ts";
import type { NetEvidence, Run } from "./verdict.ts";

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

/**
 * The evidence as JSON: `run` and `marking` in ids of the net, to be played; `told`, `dead` and `steps` in elements and
 * nodes, as `names` has them.
 */
export function explainWorkflowEvidence(
  compiled: CompiledWorkflow,
  evidence: WorkflowEvidence,
  names: Names = {},
): JsonObject {
  const told = tellEvidence(compiled, evidence, names);
  const dead = evidence.kind === "E3" ? { dead: told.elements.map(writtenJson) } : {};
  return { ...explainPlainly(compiled, evidence), ...dead, told: toldJson(told) };
}

/** The evidence in ids of nodes, and of the net. */
function explainPlainly(compiled: CompiledWorkflow, evidence: WorkflowEvidence): JsonObject {
  const { definition, net } = compiled;
  const id = (node: number) => definition.nodes[node]?.id ?? String(node);
  switch (evidence.kind) {
    case "E1":
    case "E2":
    case "E3-pump":
      return { ...explainEvidence(net, evidence), steps: stepsOf(compiled, evidence.run) };
    case "E3-ill-formed":
    case "E3":
      return explainEvidence(net, evidence);
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

/** The evidence in elements, as `names` has them: what is wrong, the steps that lead there, who is at fault. */
export function tellEvidence(
  compiled: CompiledWorkflow,
  evidence: WorkflowEvidence,
  names: Names = {},
): Told {
  const written = (node: number) => writtenNode(compiled, names, node);
  const word = (node: number) => wordOf(written(node));
  const told = (what: string, nodes: readonly number[], run?: Run): Told => ({
    what,
    steps: run === undefined ? [] : toldSteps(compiled, names, run),
    tokens: run === undefined ? [] : toldMarking(compiled, names, run.marking),
    elements: nodes.map(written),
  });
  switch (evidence.kind) {
    case "E1":
    case "E2":
    case "E3-pump":
    case "E3-ill-formed":
    case "E3":
      return tellNetEvidence(compiled, evidence, names);
    case "gaps":
      return told(
        evidence.gaps.map((gap) => describeGap(gap, word)).join("; "),
        evidence.gaps.map(({ node }) => node),
      );
    case "join":
      return told(`a token waits before ${word(evidence.node)} for ever`, [evidence.node], evidence.run);
    case "cycle": {
      const { nodes } = evidence;
      return told(
        `only the fuse ends the cycle ${[...nodes, ...nodes.slice(0, 1)].map(word).join(", ")}`,
        nodes,
      );
    }
    case "dishonest":
      return told(
        evidence.found.map((claim) => describeDishonesty(claim, word)).join("; "),
        evidence.found.map(({ decision }) => decision),
      );
    case "conflicts": {
      const byId = (id: string) => writtenById(compiled, names, id);
      const what = evidence.conflicts
        .map((one) => describeConflict(one, (id) => wordOf(byId(id))))
        .join("; ");
      return { ...told(what, []), elements: evidence.conflicts.flatMap(({ nodes }) => nodes.map(byId)) };
    }
    case "two-labels": {
      const { node, labels } = evidence;
      const who = node === null ? "the workflow" : word(node);
      const what = `${who} ends under several labels: ${labels.join(", ")}`;
      return told(what, node === null ? [] : [node], evidence.run);
    }
    case "unexpected":
      return told(
        `"${evidence.workflow}" can end under "${evidence.label}", which ${word(evidence.node)} does not have`,
        [evidence.node],
      );
    case "impossible":
      return told(
        `${word(evidence.node)} declares "${evidence.label}", under which "${evidence.workflow}" never ends`,
        [evidence.node],
      );
    default:
      return unreachable(evidence);
  }
}

/** What is wrong, in one sentence with the names and ids of elements, as `names` has them. */
export function describeEvidence(
  compiled: CompiledWorkflow,
  evidence: WorkflowEvidence,
  names: Names = {},
): string {
  if (evidence.kind === "conflicts") {
    const word = (id: string) => wordOf(writtenById(compiled, names, id));
    return evidence.conflicts
      .map((one) => `${afterWords(toldSteps(compiled, names, one.run))}: ${describeConflict(one, word)}`)
      .join("; ");
  }
  const { what, steps } = tellEvidence(compiled, evidence, names);
  return "run" in evidence ? `${afterWords(steps)}: ${what}` : what;
}

/** Steps that a sentence lists. */
const STEPS_MAX = 20;

function afterWords(steps: readonly ToldStep[]): string {
  if (steps.length === 0) return "at the start";
  const shown = steps.slice(-STEPS_MAX).map(shortStep).join(", ");
  return steps.length <= STEPS_MAX
    ? `after ${shown}`
    : `after ${steps.length} steps, the last of them ${shown}`;
}

/** A beginning is the element alone. */
function shortStep(step: ToldStep): string {
  return step.does === "begins" ? stepWordOf(step.element) : stepWords(step);
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

function describeConflict(
  { nodes: [left, right], overlaps }: ShownConflict,
  word: (id: string) => string,
): string {
  const where = new Set(
    overlaps.map(({ left: a, right: b }) => {
      const [own, other] = [regionName(a), regionName(b)];
      return own === other ? own : `${own} and ${other}`;
    }),
  );
  return `${word(left)} and ${word(right)} meet: ${[...where].join(", ")}`;
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

function arcName({ arcs }: CompiledWorkflow["definition"], arc: number | undefined): string {
  const found = arc === undefined ? undefined : arcs[arc];
  return found === undefined ? String(arc) : `${found.from} -> ${found.to}`;
}
