/** @module Evidence told in the elements that people wrote: what happens step by step, what is wrong then, and with which of them. */
import type { CompiledWorkflow, Json, JsonObject, TransitionIndex, TransitionOrigin } from "@tessera/core";
import {
  markingWords,
  type Names,
  stepWordOf,
  type ToldTokens,
  toldMarking,
  type Written,
  whereOf,
  wordOf,
  writtenJson,
  writtenNode,
} from "./element-words.ts";
import type { DeadElement, NetEvidence, Run } from "./verdict.ts";

/** A step of a run: its number in the firing sequence (from 1), the element, what it does, and the flows that it takes. */
export interface ToldStep {
  readonly number: number;
  readonly element: Written;
  /** `begins`, or the outcome under which the element ends. */
  readonly does: string;
  readonly flows: readonly Written[];
}

/** Evidence against an obligation. `what` is a sentence without the steps; `elements` are those at fault. */
export interface Told {
  readonly what: string;
  readonly steps: readonly ToldStep[];
  /** Where the tokens are when the run has come to what is wrong. */
  readonly tokens: readonly ToldTokens[];
  readonly elements: readonly Written[];
}

/** Evidence against an obligation of the net in elements. Cost: linear in the run and the net. */
export function tellNetEvidence(compiled: CompiledWorkflow, evidence: NetEvidence, names: Names): Told {
  const run = "run" in evidence ? evidence.run : undefined;
  const steps = run === undefined ? [] : toldSteps(compiled, names, run);
  const tokens = run === undefined ? [] : toldMarking(compiled, names, run.marking);
  const told = (what: string, elements = elementsAt(tokens)): Told => ({ what, steps, tokens, elements });
  switch (evidence.kind) {
    case "E2":
      return told(`the run cannot complete any more: ${markingWords(tokens)}`);
    case "E3-pump":
      return told("tokens have multiplied: the run can grow without end");
    case "E3-ill-formed":
      return told("splits and joins do not match: by the structure of its net the workflow cannot be sound");
    case "E3": {
      const { what, elements } = toldDead(compiled, names, evidence.dead);
      return told(what, elements);
    }
    case "E1": {
      const { finding } = evidence;
      if (finding.kind === "second-token" || finding.kind === "unsafe") {
        const { where, elements } = whereOf(compiled, names, finding.place);
        return told(finding.kind === "unsafe" ? `two tokens ${where}` : `a second token ${where}`, elements);
      }
      if (finding.kind === "deadlock")
        return told(`nothing can happen, and the run is not complete: ${markingWords(tokens)}`);
      if (finding.kind === "pump") return told("tokens have multiplied");
      return told(`more than a final marking: ${markingWords(tokens)}`);
    }
  }
}

/** What the run does, step by step, in elements. */
export function toldSteps(compiled: CompiledWorkflow, names: Names, run: Run): readonly ToldStep[] {
  return run.sequence.flatMap((t, index): readonly ToldStep[] => {
    const origin = compiled.net.transitions[t]?.origin;
    if (origin === undefined || origin.phase === "settle" || origin.phase === "skip") return [];
    const flows = origin.chosen.flatMap((arc) => names.arcs?.get(arc) ?? []);
    const element = writtenNode(compiled, names, origin.node);
    return [{ number: index + 1, element, does: doingOf(origin), flows }];
  });
}

function doingOf({ phase, outcome }: TransitionOrigin): string {
  if (phase === "start" || phase === "enter") return "begins";
  return outcome ?? (phase === "take" ? "takes a way" : "done");
}

/** One step in words: `userTask "Pay" (pay, line 7): done, by sequenceFlow "yes" (f2, line 9)`. */
export function stepWords({ element, does, flows }: ToldStep): string {
  const by = flows.length === 0 ? "" : `, by ${flows.map(wordOf).join(" and ")}`;
  return `${stepWordOf(element)}: ${does}${by}`;
}

/** Told evidence as JSON. */
export function toldJson({ steps, tokens, elements }: Told): JsonObject {
  return {
    elements: elements.map(writtenJson),
    ...(steps.length === 0 ? {} : { steps: steps.map(stepJson) }),
    ...(tokens.length === 0
      ? {}
      : {
          tokens: tokens.map(
            (at): Json => ({ tokens: at.tokens, where: at.where, elements: at.elements.map(writtenJson) }),
          ),
        }),
  };
}

function stepJson({ number, element, does, flows }: ToldStep): Json {
  const by = flows.length === 0 ? {} : { flows: flows.map(writtenJson) };
  return { number, ...writtenJson(element), does, ...by };
}

function elementsAt(tokens: readonly ToldTokens[]): readonly Written[] {
  return withoutDoubles(tokens.flatMap(({ elements }) => elements));
}

function withoutDoubles(elements: readonly Written[]): readonly Written[] {
  const known = new Map(elements.map((element) => [JSON.stringify(writtenJson(element)), element]));
  return [...known.values()];
}

/** What is wrong, and with which elements. */
type Phrase = Pick<Told, "what" | "elements">;

/**
 * What never happens, an element a phrase: it is never reached where all that begins it is dead; else an outcome, or a way
 * into or out of it, that never comes to pass.
 */
function toldDead(compiled: CompiledWorkflow, names: Names, dead: readonly DeadElement[]): Phrase {
  const gone = new Set(dead.flatMap(({ transitions }) => transitions));
  const unreached = unreachedNodes(compiled, gone);
  const phrases = new Map<string, readonly Written[]>();
  // An element can stand behind several nodes: it is unreached if all of them are, else the way to this one is.
  const key = (node: number) => JSON.stringify(writtenJson(writtenNode(compiled, names, node)));
  const reached = new Set(compiled.definition.nodes.flatMap((_, n) => (unreached.has(n) ? [] : [key(n)])));
  for (const node of unreached) {
    const element = writtenNode(compiled, names, node);
    if (!reached.has(key(node))) phrases.set(`${wordOf(element)} is never reached`, [element]);
    else
      for (const arc of compiled.graph.incoming[node] ?? []) {
        const from = compiled.graph.nodeIndex.get(compiled.definition.arcs[arc]?.from ?? "") ?? -1;
        if (unreached.has(from)) continue;
        const phrase = wayPhrase(compiled, names, arc);
        phrases.set(phrase.what, phrase.elements);
      }
  }
  for (const one of dead) {
    const phrase = partPhrase(compiled, names, one, { gone, unreached });
    if (phrase !== undefined) phrases.set(phrase.what, phrase.elements);
  }
  if (phrases.size === 0) {
    // Every dead part belongs to an element that is alive elsewhere, behind parts that are dead as well.
    for (const node of unreached) {
      const element = writtenNode(compiled, names, node);
      const part = compiled.definition.nodes[node]?.id ?? node;
      phrases.set(`${wordOf(element)} is never reached at "${part}"`, [element]);
    }
  }
  return { what: [...phrases.keys()].join("; "), elements: withoutDoubles([...phrases.values()].flat()) };
}

/** The nodes all of whose beginnings are dead. */
function unreachedNodes({ net }: CompiledWorkflow, gone: ReadonlySet<TransitionIndex>): ReadonlySet<number> {
  const live = new Set<number>();
  const dead = new Set<number>();
  net.transitions.forEach(({ origin }, t) => {
    if (origin === undefined || !BEGINNINGS.has(origin.phase)) return;
    (gone.has(t) ? dead : live).add(origin.node);
  });
  return new Set([...dead].filter((node) => !live.has(node)));
}

const BEGINNINGS: ReadonlySet<string> = new Set(["step", "start", "enter"]);

function partPhrase(
  compiled: CompiledWorkflow,
  names: Names,
  { element, transitions }: DeadElement,
  { gone, unreached }: { readonly gone: ReadonlySet<number>; readonly unreached: ReadonlySet<number> },
): Phrase | undefined {
  const { net, definition, graph } = compiled;
  if (element.kind === "arc") {
    const arc = definition.arcs[element.arc];
    const ends = [arc?.from, arc?.to].map((id) => graph.nodeIndex.get(id ?? "") ?? -1);
    return ends.some((node) => unreached.has(node)) ? undefined : wayPhrase(compiled, names, element.arc);
  }
  const origin = net.transitions[transitions[0] ?? -1]?.origin;
  if (origin === undefined || unreached.has(origin.node)) return undefined;
  const [entered, ...others] = origin.consumed;
  const isEntered = net.transitions.some(
    (other, t) =>
      !gone.has(t) && other.origin?.node === origin.node && other.origin.consumed.includes(entered ?? -1),
  );
  if (entered !== undefined && others.length === 0 && !isEntered) return wayPhrase(compiled, names, entered);
  const written = writtenNode(compiled, names, origin.node);
  const under = origin.outcome === undefined ? "" : ` under "${origin.outcome}"`;
  const ways = element.kind === "outcome" ? [] : origin.chosen.map((arc) => wayWords(compiled, names, arc));
  const by = ways.length === 0 ? "" : ` by ${ways.join(" and ")}`;
  const id = definition.nodes[origin.node]?.id ?? "";
  const part = id === written.id ? "" : ` at "${id}"`;
  return { what: `${wordOf(written)} never goes on${under}${by}${part}`, elements: [written] };
}

function wayPhrase(compiled: CompiledWorkflow, names: Names, arc: number): Phrase {
  const place = compiled.net.places.findIndex(({ origin }) => origin?.kind === "arc" && origin.arc === arc);
  const { where, elements } = whereOf(compiled, names, place);
  return { what: `there is never a token ${where}`, elements };
}

function wayWords({ definition }: CompiledWorkflow, names: Names, arc: number): string {
  const flow = names.arcs?.get(arc);
  return flow === undefined ? `the way to "${definition.arcs[arc]?.to ?? arc}"` : wordOf(flow);
}
