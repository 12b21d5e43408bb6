/** @module Queries of pages as an application gives them: members that are undefined are absent, and a limit is a number of rows. */
import { StoreError } from "@tessera/persist";

/** The query without members that are undefined. Throws StoreError "misuse" when its limit is no whole number from 1. */
export function pageQuery<Q extends { readonly limit: number }>(
  query: { readonly [M in keyof Q]?: Q[M] | undefined },
  defaults: { readonly [M in keyof Q]?: Q[M] },
): Q {
  const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
  const whole = { ...defaults, ...given } as Q;
  if (!Number.isSafeInteger(whole.limit) || whole.limit < 1)
    throw new StoreError("misuse", `A page has a limit of 1 row or more, not ${String(whole.limit)}.`);
  return whole;
}
