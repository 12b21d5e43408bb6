/** @module The one place where old versions of the record format become the present one, a version at a time. */
import type { Json } from "@tessera/core";

/** Turns the tree of one version into that of the next; a tree that is no record is left for the reader to refuse. */
export type Upcast = (tree: Json) => Json;

/**
 * By version, the step to the next one. Once released, an entry is never edited.
 *
 * 1 to 2: steps learned to record changed items, between the closed ones and the trouble.
 *
 * @definition D10.16
 */
export const UPCASTS: ReadonlyMap<number, Upcast> = new Map([[1, stepsWithChanges]]);

/** The same for states. 1 to 2: states stayed as they were. */
export const STATE_UPCASTS: ReadonlyMap<number, Upcast> = new Map([[1, (tree) => tree]]);

function stepsWithChanges(tree: Json): Json {
  if (!isList(tree) || !isList(tree[STEPS])) return tree;
  const steps = tree[STEPS].map((step) => (isList(step) && step.length > CHANGED ? inserted(step) : step));
  return [...tree.slice(0, STEPS), steps, ...tree.slice(STEPS + 1)];
}

/** 0 stands for a member that is not there. */
function inserted(step: readonly Json[]): Json {
  return [...step.slice(0, CHANGED), 0, ...step.slice(CHANGED)];
}

function isList(tree: Json | undefined): tree is readonly Json[] {
  return Array.isArray(tree);
}

const STEPS = 4;
const CHANGED = 6;
