/** @module What the branches of a block hold back until its end: mutations of G and values of keys of D, as a fold of steps. */
import { formatIssue, type Issue } from "./issue.ts";
import { type Json, type JsonObject, jsonBytes } from "./json.ts";
import { EMPTY_MUTATION, type Mutation, normaliseMutation } from "./mutation.ts";
import { applyPatch, type Patch } from "./patch.ts";
import type { NodeId } from "./workflow.ts";

/**
 * What a step of a branch wrote that is held back. `block` is the node that closes the block, `branch` the arc that
 * begins the branch (-1: the body of a loop). `base`: the values, in the data around the block, of keys that the branch
 * writes for the first time; `patch` changes them.
 */
export interface StagedChange {
  readonly block: NodeId;
  readonly branch: number;
  readonly base?: JsonObject;
  readonly patch?: Patch;
  readonly mutation?: Mutation;
}

/**
 * What a branch holds back: its mutation of G, in normal form, and the keys of D that it has written, with the values
 * that it gave them and those that it found.
 *
 * @definition D21.3
 */
export interface Overlay {
  readonly block: NodeId;
  readonly branch: number;
  readonly base: JsonObject;
  readonly values: JsonObject;
  readonly mutation: Mutation;
}

/** The overlays after a step, or why its changes do not fit them. */
export type OverlayFold =
  | { readonly kind: "overlays"; readonly overlays: readonly Overlay[] }
  | { readonly kind: "refused"; readonly issues: readonly string[] };

/**
 * The overlays after a step with these changes, which then ends the blocks `dropped`. An overlay comes with the first
 * change of its branch. Cost: the changes, and the mutations of the branches that they are of.
 *
 * @definition D21.4
 */
export function foldOverlays(
  overlays: readonly Overlay[],
  {
    staged = [],
    dropped = [],
  }: { readonly staged?: readonly StagedChange[]; readonly dropped?: readonly NodeId[] },
): OverlayFold {
  let folded = overlays;
  for (const change of staged) {
    const { block, branch, base = {}, patch, mutation } = change;
    const at = folded.findIndex((overlay) => overlay.block === block && overlay.branch === branch);
    const before = folded[at] ?? { block, branch, base: {}, values: {}, mutation: EMPTY_MUTATION };
    const values = { ...before.values, ...base };
    const patched = patch === undefined ? { ok: true as const, value: values } : applyPatch(values, patch);
    if (!patched.ok)
      return { kind: "refused", issues: (patched.issues as readonly Issue[]).map(formatIssue) };
    const after: Overlay = {
      block,
      branch,
      base: { ...before.base, ...base },
      values: patched.value as JsonObject,
      mutation: mutation === undefined ? before.mutation : followedBy(before.mutation, mutation),
    };
    folded = at === -1 ? [...folded, after] : folded.with(at, after);
  }
  return {
    kind: "overlays",
    overlays: dropped.length === 0 ? folded : folded.filter(({ block }) => !dropped.includes(block)),
  };
}

/**
 * One mutation and then another, as one in normal form. Requires: `second` is applicable to the result of `first`,
 * creates nothing that `first` deletes, and links to nothing that it deletes. Cost: both.
 *
 * @definition D21.5
 */
export function followedBy(first: Mutation, second: Mutation): Mutation {
  return normaliseMutation({
    create: [...first.create, ...second.create],
    update: [...first.update, ...second.update],
    delete: [...first.delete, ...second.delete],
  });
}

/** The bytes that changes which are held back can add to D. */
export function stagedBytes(staged: readonly StagedChange[]): number {
  return staged.reduce(
    (sum, { patch }) => sum + (patch === undefined ? 0 : jsonBytes(patch as unknown as Json)),
    0,
  );
}
