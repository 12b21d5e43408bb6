/** @module The ends of an embedded subprocess: it is left once, when all of its tokens have ended. */
import type { NodeId, WorkflowNode } from "@tessera/core";
import { addNode, type Draft, newId } from "./draft.ts";
import type { BpmnNode } from "./model.ts";
import { completions } from "./scope-runs.ts";

/** How ends combine: one of the parts ends the scope, or all of them together do. */
type EndTree =
  | { readonly kind: "end"; readonly end: NodeId }
  | { readonly kind: "any" | "all"; readonly parts: readonly EndTree[] };

/**
 * Arranges the ordinary ends of the subprocess `scope`, so that it is left exactly once. The sets of ends that mark
 * together when the content has ended are found by playing it, within a limit; if each has one member nothing is to be
 * done; if they are the ways to end of an expression of `any` and `all` over the ends, gateways join them to one end;
 * else, and beyond the limit, an OR join does: true if so. It must look ahead, since a token that can still come to an
 * end that is marked may come to another one as well.
 *
 * @definition D14.16
 */
export function arrangeEnds(draft: Draft, scope: BpmnNode): boolean {
  const ends = draft.nodes.filter((node) => node.scope === scope.id && isOrdinaryEnd(node));
  if (ends.length < 2) return false;
  const found = completions(draft, scope.id);
  if (found.kind === "unsafe" || (found.kind === "sets" && found.sets.every((set) => set.length <= 1)))
    return false;
  const ids = ends.map(({ id }) => id);
  const tree = found.kind === "sets" ? treeOf(ids, found.sets) : undefined;
  const end = newId(draft, `${scope.id}:end`);
  replaceEnds(draft, new Set(ids));
  addNode(draft, { id: end, kind: "end", scope: scope.id }, scope);
  if (tree === undefined) joinWhatComes(draft, scope, ids, end);
  else connect(draft, scope, tree, end);
  return tree === undefined;
}

/** An OR join waits as long as a token can still come to an end that has none. */
function joinWhatComes(draft: Draft, scope: BpmnNode, ends: readonly NodeId[], to: NodeId): void {
  const join = newId(draft, `${scope.id}:join`);
  addNode(draft, { id: join, kind: "gateway", join: "or", scope: scope.id }, scope);
  draft.arcs.push({ from: join, to });
  for (const end of ends) draft.arcs.push({ from: end, to: join });
}

function isOrdinaryEnd(node: WorkflowNode): boolean {
  return node.kind === "end" && node.meta?.terminate !== true;
}

/** The ends become gateways: their tokens go on. */
function replaceEnds(draft: Draft, ends: ReadonlySet<NodeId>): void {
  draft.nodes.forEach((node, index) => {
    if (ends.has(node.id)) draft.nodes[index] = { ...node, kind: "gateway" };
  });
}

function connect(draft: Draft, scope: BpmnNode, tree: EndTree, to: NodeId): void {
  if (tree.kind === "end") {
    draft.arcs.push({ from: tree.end, to });
    return;
  }
  if (tree.kind === "any") {
    for (const part of tree.parts) connect(draft, scope, part, to);
    return;
  }
  const join = newId(draft, `${scope.id}:join`);
  addNode(draft, { id: join, kind: "gateway", join: "all", scope: scope.id }, scope);
  draft.arcs.push({ from: join, to });
  for (const part of tree.parts) {
    if (part.kind === "end") connect(draft, scope, part, join);
    else {
      // An AND takes one token of each part, so each part has one arc into it.
      const merge = newId(draft, `${scope.id}:merge`);
      addNode(draft, { id: merge, kind: "gateway", scope: scope.id }, scope);
      draft.arcs.push({ from: merge, to: join });
      connect(draft, scope, part, merge);
    }
  }
}

/**
 * The expression whose ways to end are exactly `sets`, undefined if there is none: ends that never mark together are
 * alternatives, ends that are not alternatives in any set belong together (a cograph's decomposition), each checked.
 */
function treeOf(ends: readonly NodeId[], sets: readonly (readonly NodeId[])[]): EndTree | undefined {
  const [only, ...others] = ends;
  if (only === undefined) return undefined;
  if (others.length === 0)
    return sets.every((set) => set.length === 1) ? { kind: "end", end: only } : undefined;
  const together = new Set(sets.flatMap((set) => set.flatMap((a) => set.map((b) => `${a}\n${b}`))));
  for (const kind of ["any", "all"] as const) {
    const parts = components(ends, (a, b) => together.has(`${a}\n${b}`) === (kind === "any"));
    if (parts.length < 2) continue;
    const trees = parts.map((part) => {
      const inside = new Set(part);
      const restricted = sets.map((set) => set.filter((end) => inside.has(end)));
      const isLegal = kind === "any" || restricted.every((set) => set.length > 0);
      return isLegal
        ? treeOf(
            part,
            restricted.filter((set) => set.length > 0),
          )
        : undefined;
    });
    const isDisjoint =
      kind === "all" ||
      sets.every((set) => parts.filter((part) => part.some((end) => set.includes(end))).length === 1);
    const whole = trees.filter((tree) => tree !== undefined);
    return isDisjoint && whole.length === trees.length ? { kind, parts: whole } : undefined;
  }
  return undefined;
}

function components(
  ends: readonly NodeId[],
  isJoined: (a: NodeId, b: NodeId) => boolean,
): readonly (readonly NodeId[])[] {
  const left = new Set(ends);
  const parts: NodeId[][] = [];
  for (const start of ends) {
    if (!left.delete(start)) continue;
    const part = [start];
    for (const end of part) {
      for (const other of [...left]) {
        if (!isJoined(end, other)) continue;
        left.delete(other);
        part.push(other);
      }
    }
    parts.push(part);
  }
  return parts;
}
