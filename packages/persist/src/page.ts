/** @module Pages of ordered listings: the cursor is the number of the last row, which no later row gets again. */
import type { Page } from "./query.ts";
import { StoreError } from "./store.ts";

/** The number that a cursor stands for, null for the first page. Throws StoreError "misuse" for a text that is none. */
export function cursorOf(after: string | undefined): number | null {
  if (after === undefined) return null;
  const number = /^\d{1,16}$/.test(after) ? Number(after) : Number.NaN;
  if (!Number.isSafeInteger(number))
    throw new StoreError("misuse", `No page returned the cursor "${after}".`);
  return number;
}

/** Where a page that is ordered by a time ended: the time, then the number of the row. */
export type TimedCursor = readonly [at: number, id: number];

/** The place that a cursor of a page ordered by time stands for, before everything for the first page. Throws as above. */
export function timedCursorOf(after: string | undefined): TimedCursor {
  if (after === undefined) return [Number.NEGATIVE_INFINITY, 0];
  const [at = Number.NaN, id = Number.NaN, ...rest] = after.split("/").map(Number);
  if (!Number.isFinite(at) || !Number.isSafeInteger(id) || rest.length > 0)
    throw new StoreError("misuse", `No page returned the cursor "${after}".`);
  return [at, id];
}

/** The page of the first `limit` of rows that are ordered by a time; see `pageOf`. */
export function timedPageOf<T>(
  rows: readonly { readonly at: number; readonly id: number; readonly row: T }[],
  limit: number,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? `${last.at}/${last.id}` : null;
  return { rows: shown.map(({ row }) => row), next };
}

/** The page of the first `limit` of `rows`, which holds one row more iff there is a next page. */
export function pageOf<T>(rows: readonly { readonly id: number; readonly row: T }[], limit: number): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? String(last.id) : null;
  return { rows: shown.map(({ row }) => row), next };
}
