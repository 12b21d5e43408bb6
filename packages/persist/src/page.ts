/** @module Pages of ordered listings: the cursor is the number of the last row, which no later row gets again. */
import { type Page, StoreError } from "./store.ts";

/** The number that a cursor stands for, null for the first page. Throws StoreError "misuse" for a text that is none. */
export function cursorOf(after: string | undefined): number | null {
  if (after === undefined) return null;
  const number = /^\d{1,16}$/.test(after) ? Number(after) : Number.NaN;
  if (!Number.isSafeInteger(number))
    throw new StoreError("misuse", `No page returned the cursor "${after}".`);
  return number;
}

/** The page of the first `limit` of `rows`, which holds one row more iff there is a next page. */
export function pageOf<T>(rows: readonly { readonly id: number; readonly row: T }[], limit: number): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? String(last.id) : null;
  return { rows: shown.map(({ row }) => row), next };
}
