/** @module What a node of a block sees and writes: G and D with what its branch holds back, and the branch it belongs to. */
import {
  applicability,
  applyMutation,
  applyPatch,
  type Data,
  EMPTY_MUTATION,
  formatIssue,
  invariant,
  type Mutation,
  type Overlay,
  type Patch,
  type ProductGraph,
  type StagedChange,
  type Trouble,
} from "@tessera/core";
import type { MergeBlock } from "@tessera/gateways";
import type { Plan } from "./plan.ts";

/** D and G as a node of a branch sees them; `proposed`: what its branch has proposed, where mutations are held back. */
export interface View {
  readonly data: Data;
  readonly dataBytesBound: number;
  readonly graph: ProductGraph;
  readonly proposed?: Mutation;
}

/** What a view is made from: a state or a turn in the making. */
export interface Ground {
  readonly data: Data;
  readonly dataBytesBound: number;
  readonly graph: ProductGraph;
  readonly overlays: readonly Overlay[];
}

/** A branch of a block around a node. */
export interface Around {
  readonly block: MergeBlock;
  readonly branch: number;
}

/**
 * D and G as `node` sees them: those of the run, and over them, from the outermost block to the innermost, what the
 * branches around the node hold back. `but`: a block that is left out, at the node that closes it.
 *
 * @definition D21.6
 */
export function heldView(plan: Plan, ground: Ground, node: number, but: MergeBlock | null = null): View {
  const around = plan.around[node];
  let { data, graph } = ground;
  if (around === undefined || around.length === 0)
    return { data, dataBytesBound: ground.dataBytesBound, graph };
  let proposed: Mutation | undefined;
  for (const { block, branch } of around) {
    if (block === but) continue;
    const overlay = overlayOf(plan, ground.overlays, block, branch);
    if (block.isStaged) proposed = overlay?.mutation ?? EMPTY_MUTATION;
    if (overlay === undefined) continue;
    graph = applyMutation(graph, overlay.mutation);
    const kept = Object.entries(data).filter(([key]) => !Object.hasOwn(overlay.base, key));
    data = { ...Object.fromEntries(kept), ...overlay.values };
  }
  return {
    data,
    dataBytesBound: ground.dataBytesBound,
    graph,
    ...(proposed === undefined ? {} : { proposed }),
  };
}

/** What the branch of a block holds back, if it has written anything. */
export function overlayOf(
  plan: Plan,
  overlays: readonly Overlay[],
  block: MergeBlock,
  branch: number,
): Overlay | undefined {
  const closer = plan.nodes[block.closer]?.id;
  return overlays.find((overlay) => overlay.block === closer && overlay.branch === branch);
}

/** The changes of a step, for where they go: `patch` to D, `mutation` to G, the rest to the branches around its node. */
export interface Divided {
  readonly patch: Patch | null;
  readonly mutation: Mutation | null;
  readonly staged: readonly StagedChange[];
}

/** Is `node` in a branch of a block that merges `key`? */
export function isMergedAround(plan: Plan, node: number, key: string): boolean {
  return (plan.around[node] ?? []).some(({ block }) => block.merges.has(key));
}

/**
 * Divides what a step of `node` writes: a key goes to the innermost branch around it whose block merges that key, a
 * mutation to the innermost that is staged; what finds none goes to D and G. `before`: D as the node saw it. `same`: keys
 * that are written with the values which they have there.
 *
 * @definition D21.7
 */
export function divide(
  plan: Plan,
  overlays: readonly Overlay[],
  node: number,
  before: Data,
  change: {
    readonly patch: Patch | null;
    readonly same?: readonly string[];
    readonly mutation: Mutation | null;
  },
  but: MergeBlock | null = null,
): Divided {
  const around = (plan.around[node] ?? []).filter(({ block }) => block !== but).toReversed();
  const staged: StagedChange[] = [];
  const free: Patch["ops"][number][] = [];
  const kept = new Map<Around, Patch["ops"][number][]>();
  const ownerOf = (key: string) => around.find(({ block }) => block.merges.has(key));
  for (const op of change.patch?.ops ?? []) {
    const owner = ownerOf(String(op.path[0]));
    if (owner === undefined) free.push(op);
    else kept.set(owner, [...(kept.get(owner) ?? []), op]);
  }
  for (const owner of (change.same ?? []).map(ownerOf)) {
    if (owner !== undefined) kept.set(owner, kept.get(owner) ?? []);
  }
  for (const [owner, ops] of kept) {
    const { block, branch } = owner;
    const known = overlayOf(plan, overlays, block, branch);
    const isKnown = (key: string) =>
      known !== undefined && (Object.hasOwn(known.base, key) || Object.hasOwn(known.values, key));
    const same = (change.same ?? []).filter((key) => ownerOf(key) === owner);
    const keys = [...new Set([...ops.map(({ path }) => String(path[0])), ...same])];
    const fresh = keys.filter((key) => !isKnown(key) && Object.hasOwn(before, key));
    const base = Object.fromEntries(fresh.map((key) => [key, before[key] ?? null]));
    // A branch that has the key already, with this value, holds nothing more back.
    if (ops.length + fresh.length === 0) continue;
    const patch = ops.length === 0 ? {} : { patch: { version: 1, ops } as const };
    const id = plan.nodes[block.closer]?.id ?? "";
    staged.push({ block: id, branch, ...(fresh.length === 0 ? {} : { base }), ...patch });
  }
  const stage = around.find(({ block }) => block.isStaged);
  if (change.mutation !== null && stage !== undefined) {
    const block = plan.nodes[stage.block.closer]?.id ?? "";
    staged.push({ block, branch: stage.branch, mutation: change.mutation });
  }
  return {
    patch: free.length === 0 ? null : { version: 1, ops: free },
    mutation: stage === undefined ? change.mutation : null,
    staged,
  };
}

/**
 * Why a mutation cannot be held back: it does not fit the graph as the branch sees it, or it needs again what the branch
 * has deleted. Whether the constraints allow it is asked at the end of the block.
 *
 * @definition D21.8
 */
export function stageTrouble(seen: ProductGraph, held: Mutation, delta: Mutation): Trouble | null {
  const violations = applicability(seen, delta).map(({ code, constraint, message, facts }) => {
    return { code, constraint, message, facts };
  });
  if (violations.length > 0) {
    return {
      code: "GATE_REJECTED",
      message: "the mutation does not fit the graph of its branch",
      facts: { violations },
    };
  }
  const gone = new Set(held.delete);
  const needed = [
    ...delta.create.map(({ id }) => id),
    ...[...delta.create, ...delta.update].flatMap(({ links = [] }) => links.map(({ to }) => to)),
  ];
  const again = [...new Set(needed.filter((id) => gone.has(id)))].sort();
  if (again.length === 0) return null;
  const message = "the mutation needs what its branch has deleted before";
  return { code: "STAGE_DELETED", message, facts: { objects: again } };
}

/** D after `patch`, which was made on data that agree with it where it changes them. */
export function patchedData(data: Data, patch: Patch | null): Data {
  if (patch === null) return data;
  const patched = applyPatch(data, patch);
  invariant(patched.ok, "D21.7", () => ({ issues: patched.ok ? [] : patched.issues.map(formatIssue) }));
  return patched.value as Data;
}
