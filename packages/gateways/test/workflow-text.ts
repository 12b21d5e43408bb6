/** @module Workflows as text for tests, compiled with the standard kinds, and their nets played by node and outcome. */
import {
  type Arc,
  type CompiledWorkflow,
  compileWorkflow,
  fire,
  type Hash,
  type Issue,
  isEnabled,
  type KindTable,
  type Marking,
  makeProgram,
  markedPlaces,
  type Net,
  type Program,
  type TransitionIndex,
  type TransitionOrigin,
  type WorkflowDefinition,
  type WorkflowNode,
} from "@tessera/core";
import { orJoinRules, STANDARD_KINDS } from "../src/index.ts";

/** A node. */
export function node(id: string, kind: string, change: Partial<WorkflowNode> = {}): WorkflowNode {
  return { id, kind, ...change };
}

/** Arcs written `from -> to` or `from:outcome -> to`, several to a line with commas. */
export function arcs(...lines: readonly string[]): readonly Arc[] {
  return lines
    .flatMap((line) => line.split(","))
    .map((text) => {
      const [left = "", to = ""] = text.split("->").map((part) => part.trim());
      const [from = "", outcome] = left.split(":");
      return { from, to, ...(outcome === undefined ? {} : { outcome }) };
    });
}

/** A workflow whose entry is its first node. */
export function workflow(nodes: readonly WorkflowNode[], list: readonly Arc[]): WorkflowDefinition {
  return { format: 1, kind: "workflow", id: "w", entry: nodes[0]?.id ?? "", nodes, arcs: list };
}

/** The compiled workflow; an issue is an error of the test. */
export function compiledOf(
  definition: WorkflowDefinition,
  kinds: KindTable = STANDARD_KINDS,
): CompiledWorkflow {
  const result = compileWorkflow(definition, kinds);
  if (!result.ok) throw new Error(JSON.stringify(result.issues, null, 1));
  return result.value;
}

export function netOf(definition: WorkflowDefinition): Net {
  return compiledOf(definition).net;
}

export function programOf(definition: WorkflowDefinition): Program {
  return makeProgram("test" as Hash, compiledOf(definition));
}

/** Every issue, as `CODE path`. */
export function issuesOf(
  definition: WorkflowDefinition,
  kinds: KindTable = STANDARD_KINDS,
): readonly string[] {
  const result = compileWorkflow(definition, kinds);
  return result.ok ? [] : result.issues.map(({ code, path }: Issue) => `${code} ${path.join(".")}`);
}

/** A net that is being played by hand. */
export interface Play {
  readonly compiled: CompiledWorkflow;
  readonly net: Net;
  readonly marking: Marking;
}

export function playOf(definition: WorkflowDefinition, kinds: KindTable = STANDARD_KINDS): Play {
  const compiled = compiledOf(definition, kinds);
  return { compiled, net: compiled.net, marking: compiled.net.initial };
}

/** Which transition: its node, and as much else as it takes to name one. `to`: the nodes that its arcs lead to. */
export interface Move {
  readonly node: string;
  readonly phase?: TransitionOrigin["phase"];
  readonly outcome?: string;
  readonly to?: readonly string[];
}

/** The enabled transitions that fit. */
export function enabledMoves({ compiled, net, marking }: Play, move: Move): readonly TransitionIndex[] {
  const { nodes, arcs: list } = compiled.definition;
  const rules = orJoinRules(compiled);
  return [...net.transitions.keys()].filter((t) => {
    const origin = net.transitions[t]?.origin;
    if (origin === undefined || !isEnabled(net, marking, t, rules)) return false;
    const targets = origin.chosen.map((arc) => list[arc]?.to);
    return (
      nodes[origin.node]?.id === move.node &&
      (move.phase === undefined || move.phase === origin.phase) &&
      (move.outcome === undefined || move.outcome === origin.outcome) &&
      (move.to === undefined || JSON.stringify(move.to) === JSON.stringify(targets))
    );
  });
}

/** Fires the one enabled transition that fits; none, or more than one, is an error of the test. */
export function fired(play: Play, ...moves: readonly (Move | string)[]): Play {
  let current = play;
  for (const move of moves) {
    const named = typeof move === "string" ? { node: move } : move;
    const [t, ...others] = enabledMoves(current, named);
    if (t === undefined || others.length > 0) {
      const ids = [t, ...others].map((index) => current.net.transitions[index ?? -1]?.id);
      throw new Error(
        `${JSON.stringify(named)} fits ${ids.join(", ")} in ${JSON.stringify(marked(current))}`,
      );
    }
    const result = fire(current.net, current.marking, t, orJoinRules(current.compiled));
    if (result.kind !== "fired") throw new Error(result.kind);
    current = { ...current, marking: result.marking };
  }
  return current;
}

/** The marked places by id. */
export function marked({ net, marking }: Play): Readonly<Record<string, number>> {
  return markedPlaces(net, marking);
}

/** Decides the choice chain of `split` under `outcome`: takes the arcs to `targets`, skips the others. */
export function choose(play: Play, split: string, targets: readonly string[], outcome = "done"): Play {
  const { arcs: list } = play.compiled.definition;
  const own = list.flatMap((arc, index) =>
    arc.from === split && (arc.outcome ?? "done") === outcome ? [index] : [],
  );
  const isDefault = (arc: number) => list[arc]?.default === true;
  const order = [...own.filter((arc) => !isDefault(arc)), ...own.filter(isDefault)];
  return order.reduce((current, arc) => {
    const to = list[arc]?.to ?? "";
    const phase = targets.includes(to) ? "take" : "skip";
    return fired(current, { node: split, phase, outcome, to: [to] });
  }, play);
}

/** Decides the subset chain of `split`: the run of it, found by trial, that marks exactly the arcs to `targets`. */
export function chooseSubset(play: Play, split: string, targets: readonly string[], outcome = "done"): Play {
  const { nodes, arcs: list } = play.compiled.definition;
  const wanted = [...targets].sort().join();
  const search = (current: Play, taken: readonly string[]): Play | null => {
    const moves = enabledMoves(current, { node: split, outcome }).filter((t) =>
      ["take", "skip"].includes(current.net.transitions[t]?.origin?.phase ?? ""),
    );
    if (moves.length === 0) return [...taken].sort().join() === wanted ? current : null;
    for (const t of moves) {
      const { origin } = current.net.transitions[t] ?? {};
      const to = origin?.phase === "take" ? [list[origin.chosen[0] ?? -1]?.to ?? ""] : [];
      const result = fire(current.net, current.marking, t);
      if (result.kind !== "fired") continue;
      const found = search({ ...current, marking: result.marking }, [...taken, ...to]);
      if (found !== null) return found;
    }
    return null;
  };
  const found = search(play, []);
  if (found === null) throw new Error(`no run of ${split} (${nodes.length} nodes) marks ${wanted}`);
  return found;
}
