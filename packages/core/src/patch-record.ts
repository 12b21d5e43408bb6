/** @module Records what a recipe does to a draft of D, as a patch. */

import { type Draft, Immer } from "immer";
import { type Data, FORBIDDEN_KEY, forbiddenKey, notAnObject, notJson, orderedCopy } from "./data.ts";
import { invariant } from "./invariant.ts";
import type { Issue } from "./issue.ts";
import { isJsonObject, JSON_LIMITS, type Json, jsonProblems } from "./json.ts";
import { applyPatch, type Patch } from "./patch.ts";
import { diff } from "./patch-diff.ts";
import { limitIssues, PATCH_LIMITS, type PatchLimits } from "./patch-parse.ts";
import { bad, ok, type Result } from "./result.ts";

/** What a recipe did: the patch, and the data after it. */
export interface RecordedPatch<D extends Data> {
  readonly next: D;
  readonly patch: Patch;
}

/** Never freezes: that would walk through all of D. The settings are fixed here, not those of the program. */
const IMMER: Immer = new Immer({ autoFreeze: false });

/**
 * Runs `recipe` on a draft of `D` and records what it changed. `D` is not changed. `next` is `D` after the patch, as
 * a replay will see it, and shares nothing with what the recipe put in: it may go on changing its own objects.
 * A throw of the recipe is passed on.
 *
 * Issues: DATA001 it returned no object, DATA002 the recipe left something that is not JSON, DATA003 a forbidden key, PATCH004 above a limit.
 * Cost: the parts that the recipe changed, and the width of the containers above them.
 *
 * @definition D4.13
 */
export function recordPatch<D extends Data>(
  D: D,
  recipe: (draft: Draft<D>) => D | undefined,
  limits: PatchLimits = PATCH_LIMITS,
): Result<RecordedPatch<D>, readonly Issue[]> {
  const after: unknown = IMMER.produce(D as Data, recipe as (draft: Data) => Data | undefined);
  return recorded(D, D, after, limits);
}

/**
 * Sets the keys of `D` to `values`, and unsets those whose value is undefined: `recordPatch` with a recipe that does so,
 * without looking at the other keys. Issues: as there.
 * Cost: the values and what they replace, and one copy of the top level of `D`.
 *
 * @refines D4.13
 */
export function recordKeys<D extends Data>(
  D: D,
  values: { readonly [key: string]: Json | undefined },
  limits: PatchLimits = PATCH_LIMITS,
): Result<RecordedPatch<D>, readonly Issue[]> {
  const keys = Object.keys(values);
  const before = Object.fromEntries(
    keys.filter((key) => Object.hasOwn(D, key)).map((key) => [key, D[key] as Json]),
  );
  const after = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  return recorded(D, before, after, limits);
}

/** The patch from `before` to `after`, which are `D` or parts of it, with `D` after it. */
function recorded<D extends Data>(
  D: D,
  before: Data,
  after: unknown,
  limits: PatchLimits,
): Result<RecordedPatch<D>, readonly Issue[]> {
  const issues = dataIssues(after, before);
  if (issues.length > 0) {
    return bad(issues);
  }
  // The copy: what the recipe put in stays its own, and may change later.
  const patch = orderedCopy(diff(before, after as Data) as unknown as Json) as unknown as Patch;
  const tooLarge = limitIssues(patch, [], limits);
  if (tooLarge.length > 0) {
    return bad(tooLarge);
  }
  const next = applyPatch(D, patch);
  invariant(next.ok, "D4.12", () => ({ issues: next }));
  return ok({ next: next.value as D, patch });
}

/** What keeps the result of a recipe from being data; the parts that it shares with `before` are not read. */
function dataIssues(after: unknown, before: Data): readonly Issue[] {
  const problems = jsonProblems(after, JSON_LIMITS, 100, before);
  if (problems.length > 0) {
    return problems.map((problem) => notJson(problem));
  }
  if (!isJsonObject(after as Json)) {
    return [notAnObject([])];
  }
  return Object.hasOwn(after as Data, FORBIDDEN_KEY) ? [forbiddenKey([FORBIDDEN_KEY])] : [];
}
