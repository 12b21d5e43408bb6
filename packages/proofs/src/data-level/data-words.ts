/** @module Evidence with values, told in the elements and words of the definition. */
import { type CompiledWorkflow, type Json, type JsonObject, markedPlaces, unreachable } from "@tessera/core";
import { markingWords, type Names, toldMarking, whereOf, wordOf, writtenNode } from "../element-words.ts";
import { transitionIds } from "../explain.ts";
import { type Told, type ToldStep, tellNetEvidence, toldJson } from "../told-evidence.ts";
import type { Answer, DataRun } from "./data-run.ts";
import type { DataEvidence, DataFinding } from "./data-verdicts.ts";

/** The evidence in elements, as `names` has them. A step says what its answer sets. */
export function tellDataEvidence(
  compiled: CompiledWorkflow,
  evidence: DataEvidence,
  names: Names = {},
): Told {
  if (evidence.kind === "data-dead") {
    const { dead, states } = evidence;
    const certificate = { kind: "closed-set", size: states, markings: null } as const;
    return tellNetEvidence(compiled, { kind: "E3", dead, certificate }, names);
  }
  const { run, finding } = evidence;
  const tokens = toldMarking(compiled, names, run.marking);
  const written = (node: number) => writtenNode(compiled, names, node);
  const told = (what: string, nodes: readonly number[]): Told => ({
    what: `started with ${JSON.stringify(run.start)}: ${what}`,
    steps: toldRun(compiled, run, names),
    tokens,
    elements: nodes.length > 0 ? nodes.map(written) : tokens.flatMap(({ elements }) => elements),
  });
  switch (finding.kind) {
    case "gap": {
      const { node, outcome, answer, data, trouble } = finding;
      const sets = answerWords(answer);
      const how = sets === "" ? "" : `, when it ${sets}`;
      return told(
        `no arc of ${wordOf(written(node))} under "${outcome}" can be taken on ${JSON.stringify(data)}${how} (${trouble})`,
        [node],
      );
    }
    case "stuck":
      return told(`nothing can happen, and the run is not complete: ${markingWords(tokens)}`, []);
    case "no-completion": {
      const on = `the run cannot complete any more on ${JSON.stringify(run.data)}: ${markingWords(tokens)}`;
      if (finding.cycle.length === 0) return told(on, []);
      return told(
        `${on}; it goes round ${finding.cycle.map((node) => wordOf(written(node))).join(", ")}`,
        finding.cycle,
      );
    }
    case "second-token":
      return told(`a second token ${whereOf(compiled, names, finding.place).where}`, []);
    case "unsafe":
      return told(`two tokens ${whereOf(compiled, names, finding.place).where}`, []);
    default:
      return unreachable(finding);
  }
}

/** The evidence as JSON: the start, the steps with their answers in ids of nodes, what fires in ids of the net. */
export function explainDataEvidence(
  compiled: CompiledWorkflow,
  evidence: DataEvidence,
  names: Names = {},
): JsonObject {
  const told = toldJson(tellDataEvidence(compiled, evidence, names));
  if (evidence.kind === "data-dead") {
    const dead = evidence.dead.flatMap(({ transitions }) => transitions);
    return { kind: evidence.kind, dead: transitionIds(compiled.net, dead), states: evidence.states, told };
  }
  const { run, finding } = evidence;
  const { net, definition } = compiled;
  const steps = run.steps.map(({ node, outcome, answer, fired }): Json => {
    const unset = answer.unset.length === 0 ? {} : { unset: [...answer.unset] };
    const set = Object.keys(answer.set).length === 0 ? {} : { set: answer.set };
    return {
      node: idOf(definition, node),
      ...(outcome === null ? {} : { outcome }),
      ...set,
      ...unset,
      fired: transitionIds(net, fired),
    };
  });
  return {
    kind: evidence.kind,
    start: run.start,
    steps,
    marking: markedPlaces(net, run.marking),
    data: run.data,
    finding: explainFinding(compiled, finding),
    told,
  };
}

function explainFinding({ net, definition }: CompiledWorkflow, finding: DataFinding): JsonObject {
  switch (finding.kind) {
    case "gap": {
      const { kind, node, outcome, answer, data, trouble } = finding;
      return {
        kind,
        node: idOf(definition, node),
        outcome,
        set: answer.set,
        unset: [...answer.unset],
        data,
        trouble,
      };
    }
    case "stuck":
      return { kind: finding.kind };
    case "no-completion":
      return { ...finding, cycle: finding.cycle.map((node) => idOf(definition, node)) };
    case "second-token":
    case "unsafe":
      return { kind: finding.kind, place: net.places[finding.place]?.id ?? "" };
    default:
      return unreachable(finding);
  }
}

function idOf({ nodes }: CompiledWorkflow["definition"], node: number): string {
  return nodes[node]?.id ?? String(node);
}

/** Steps that answer something, or at which a token comes to rest. */
function toldRun(compiled: CompiledWorkflow, { steps }: DataRun, names: Names): readonly ToldStep[] {
  return steps.flatMap(({ node, outcome, answer, fired }, index): readonly ToldStep[] => {
    const origin = compiled.net.transitions[fired[0] ?? -1]?.origin;
    if (origin?.phase === "settle") return [];
    const sets = answerWords(answer);
    const ends = outcome ?? (origin?.phase === "step" ? "done" : "begins");
    const flows = fired.flatMap((t) =>
      (compiled.net.transitions[t]?.origin?.chosen ?? []).flatMap((arc) => names.arcs?.get(arc) ?? []),
    );
    const element = writtenNode(compiled, names, node);
    return [{ number: index + 1, element, does: sets === "" ? ends : `${ends}, ${sets}`, flows }];
  });
}

function answerWords({ set, unset }: Answer): string {
  const sets = Object.entries(set).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const parts = [
    ...(sets.length === 0 ? [] : [`sets ${sets.join(", ")}`]),
    ...(unset.length === 0 ? [] : [`unsets ${unset.join(", ")}`]),
  ];
  return parts.join(" and ");
}
