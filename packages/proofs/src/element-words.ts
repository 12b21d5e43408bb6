/** @module What nodes and arcs of a workflow are called by those who wrote them: element, name, id and line, nothing of the net. */
import {
  type CompiledWorkflow,
  type Json,
  type Marking,
  type NodeId,
  type PlaceIndex,
  type PlaceOrigin,
  unreachable,
} from "@tessera/core";

/** An element as it was written: its id, and its type, name and line (from 1) where they are known. */
export interface Written {
  readonly id: string;
  readonly type?: string;
  readonly name?: string;
  readonly line?: number;
}

/** The elements behind nodes, by id, and behind arcs, by index. For what is not there the definition's own words serve. */
export interface Names {
  readonly nodes?: ReadonlyMap<NodeId, Written>;
  readonly arcs?: ReadonlyMap<number, Written>;
}

/** Tokens of a place of the net: where they are in words, and the elements of which the words speak. */
export interface ToldTokens {
  readonly tokens: number;
  readonly where: string;
  readonly elements: readonly Written[];
}

/** Characters of a name that are shown. */
const NAME_MAX = 80;

/** The element behind the node. */
export function writtenNode({ definition }: CompiledWorkflow, names: Names, node: number): Written {
  const found = definition.nodes[node];
  if (found === undefined) return { id: String(node) };
  const written = names.nodes?.get(found.id);
  if (written !== undefined) return written;
  return found.label === undefined ? { id: found.id } : { id: found.id, name: found.label };
}

/** The element behind the node that has this id. */
export function writtenById(compiled: CompiledWorkflow, names: Names, id: NodeId): Written {
  const node = compiled.graph.nodeIndex.get(id);
  return node === undefined ? { id } : writtenNode(compiled, names, node);
}

/** `userTask "Pay" (pay, line 7)`, or without a name `userTask "pay" (line 7)`; less where less is known. */
export function wordOf({ id, type, name, line }: Written): string {
  const kind = type === undefined ? "" : `${plain(type)} `;
  const at = line === undefined ? [] : [`line ${line}`];
  const shown = name === undefined || name.trim() === "" ? undefined : plain(name);
  const more = shown === undefined ? at : [plain(id), ...at];
  return `${kind}"${shown ?? plain(id)}"${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}

/** As `wordOf`, without quotes where an id is all that is known: for lists of steps. */
export function stepWordOf(written: Written): string {
  const { id, type, name, line } = written;
  return type === undefined && name === undefined && line === undefined ? plain(id) : wordOf(written);
}

/** Text of a file as text of a message: in one line, without signs that steer a terminal, not too long. */
function plain(text: string): string {
  const flat = text.replace(/\s+/gu, " ").replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "\ufffd");
  const short = [...flat.trim()];
  return short.length <= NAME_MAX ? short.join("") : `${short.slice(0, NAME_MAX - 1).join("")}\u2026`;
}

/** The place in words: `at "pay"`, `on the way from "pay" to "both"`, and the elements that they name. */
export function whereOf(
  compiled: CompiledWorkflow,
  names: Names,
  place: PlaceIndex,
): Omit<ToldTokens, "tokens"> {
  const found = compiled.net.places[place];
  const origin = found?.origin;
  if (origin === undefined) return { where: `on "${found?.id ?? place}"`, elements: [] };
  if (origin.kind === "arc") return alongArc(compiled, names, origin.arc);
  const node = origin.kind === "source" ? origin.scope : origin.node;
  if (node === null) return { where: "at the start", elements: [] };
  const written = writtenNode(compiled, names, node);
  return { where: atNode(origin, wordOf(written)), elements: [written] };
}

function alongArc(compiled: CompiledWorkflow, names: Names, index: number): Omit<ToldTokens, "tokens"> {
  const arc = compiled.definition.arcs[index];
  const [from, to] = [arc?.from ?? "", arc?.to ?? ""].map((id) => writtenById(compiled, names, id));
  const flow = names.arcs?.get(index);
  const way = flow === undefined ? "the way" : wordOf(flow);
  const where = `on ${way} from ${wordOf(from!)} to ${wordOf(to!)}`;
  return { where, elements: [...(flow === undefined ? [] : [flow]), from!, to!] };
}

function atNode(origin: Exclude<PlaceOrigin, { readonly kind: "arc" }>, word: string): string {
  switch (origin.kind) {
    case "source":
      return `at the start of ${word}`;
    case "end":
    case "rest":
      return `at ${word}`;
    case "armed":
      return `at ${word}, whose event "${plain(origin.event)}" may come`;
    case "fired":
    case "raised":
      return `at ${word}, whose event "${plain(origin.event)}" has come`;
    case "chain":
      return `in the choice of ${word}`;
    case "skip":
      return `beside a branch that ${word} did not take`;
    case "left":
    case "spent":
      return `in the rounds that ${word} counts`;
    default:
      return unreachable(origin);
  }
}

/** Where the tokens of a marking are, in the order of the places; counters of rounds are left out where others are marked. */
export function toldMarking(
  compiled: CompiledWorkflow,
  names: Names,
  marking: Marking,
): readonly ToldTokens[] {
  const { places } = compiled.net;
  const marked = places.flatMap((_, place) => ((marking[place] ?? 0) > 0 ? [place] : []));
  const control = marked.filter((place) => places[place]?.role === "control");
  return (control.length > 0 ? control : marked).map((place) => ({
    tokens: marking[place] ?? 0,
    ...whereOf(compiled, names, place),
  }));
}

/** A marking in words: `a token on the way from "a" to "b", two tokens at "c"`. */
export function markingWords(tokens: readonly ToldTokens[]): string {
  if (tokens.length === 0) return "no token is left";
  const shown = tokens.slice(0, PLACES_MAX).map(({ tokens: count, where }) => `${countOf(count)} ${where}`);
  const rest = tokens.length - shown.length;
  return rest === 0 ? shown.join(", ") : `${shown.join(", ")}, and ${rest} places more`;
}

/** Places of a marking that a sentence lists. */
const PLACES_MAX = 12;

function countOf(count: number): string {
  return count === 1 ? "a token" : count === 2 ? "two tokens" : `${count} tokens`;
}

/** An element as JSON. */
export function writtenJson({ id, type, name, line }: Written): { readonly [key: string]: Json } {
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(type === undefined ? {} : { type }),
    ...(line === undefined ? {} : { line }),
  };
}
