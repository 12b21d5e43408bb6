/** @module Effects that a turn adds, some of them claimed with it. */
import type { CommitResult, EffectCommand, Turn } from "./store.ts";

/** A claim on effects that a turn adds, by their ids: for whom, and until when they are leased. */
export interface EffectClaim {
  readonly owner: string;
  readonly leaseUntil: number;
  readonly effects: readonly string[];
}

/**
 * Adds the effects of a turn by `add`, which is told until when each is leased (null: nobody claims it) and answers with
 * its token. The tokens of those that are claimed, in the order of the claim, as the result of the commit has them.
 *
 * @definition D10.25
 */
export function claimTokens(
  { effects: { add: added, claim } }: Turn,
  add: (effect: EffectCommand, leaseUntil: number | null) => number,
): Pick<CommitResult & { readonly kind: "ok" }, "tokens"> {
  if (claim === undefined) {
    for (const effect of added) add(effect, null);
    return {};
  }
  const isClaimed = new Set(claim.effects);
  const tokens = new Map(
    added.map((effect) => [effect.id, add(effect, isClaimed.has(effect.id) ? claim.leaseUntil : null)]),
  );
  return { tokens: claim.effects.map((id) => tokens.get(id) ?? 0) };
}
