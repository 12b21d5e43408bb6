/** @module Open items in PostgreSQL: rows with their due times, and the principals under which they are listed. */
import type { ItemKind, OpenItem } from "@tessera/core";
import { writeText } from "../codec.ts";
import { principalsOf } from "../item-query.ts";
import { ITEM } from "../record-shape.ts";
import { disownBlobs, ownBlobs } from "./blobs.ts";
import { many, type Session } from "./driver.ts";
import { bytesOf } from "./text-bytes.ts";
import type { Writing } from "./writing.ts";

/** What of an open item matters to those who replace or close it. */
export interface HeldItem {
  readonly id: number;
  readonly kind: ItemKind;
  readonly blobs: number;
  readonly has_offers: boolean;
}

/** Puts an item in the place of `before`, whose number it keeps; a new one uses a number. One that is paused does not come due. */
export function putItem(
  into: Writing,
  tenant: number,
  run: number,
  item: OpenItem,
  before: HeldItem | null,
  isPaused: boolean,
): HeldItem {
  const { session, counts } = into;
  if (before !== null) {
    forget(session, tenant, before);
    counts.item(tenant, before.kind, -1);
  }
  counts.item(tenant, item.kind, 1);
  const { text, blobs } = writeText(ITEM, item);
  const principals = principalsOf(item);
  const awaited = isPaused
    ? []
    : (item.subscriptions ?? []).filter(({ on, isFull }) => on !== "timer" && isFull !== true);
  const hasOffers = principals.length > 0 || awaited.length > 0;
  const id = before?.id ?? into.number();
  const values = [
    id,
    item.kind,
    isPaused ? null : (item.dueAt ?? null),
    blobs.length,
    bytesOf(text),
    principals.length > 0 && item.assignee !== undefined,
    hasOffers,
  ];
  const insert = `INSERT INTO tessera_items (id, kind, due_at, blobs, body, is_claimed, has_offers, tenant, run, item)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
  const update = `UPDATE tessera_items
    SET kind = $2, due_at = $3, blobs = $4, body = $5, is_claimed = $6, has_offers = $7 WHERE id = $1`;
  if (before === null) session.post(insert, [...values, tenant, run, item.id]);
  else session.post(update, values);
  ownBlobs(session, tenant, "item", id, blobs);
  const offer = `INSERT INTO tessera_offers (tenant, principal, item)
    SELECT $1, principal, $2 FROM unnest($3::text[]) AS p (principal)`;
  if (principals.length > 0) session.post(offer, [tenant, id, principals]);
  const subscribe =
    "INSERT INTO tessera_subscriptions (tenant, kind, name, key, item, event) VALUES ($1, $2, $3, $4, $5, $6)";
  for (const { on, name = "", key = "", event } of awaited)
    session.post(subscribe, [tenant, on, name, key, id, event]);
  return { id, kind: item.kind, blobs: blobs.length, has_offers: hasOffers };
}

/** Takes an item out. */
export function closeItem({ session, counts }: Writing, tenant: number, before: HeldItem): void {
  counts.item(tenant, before.kind, -1);
  forget(session, tenant, before);
  session.post("DELETE FROM tessera_items WHERE id = $1", [before.id]);
}

/** Takes all items of a run out. */
export async function closeItems({ session, counts }: Writing, tenant: number, run: number): Promise<void> {
  const text =
    "DELETE FROM tessera_items WHERE tenant = $1 AND run = $2 RETURNING id, kind, blobs, has_offers";
  for (const item of await many<HeldItem>(session, text, tenant, run)) {
    counts.item(tenant, item.kind, -1);
    forget(session, tenant, item);
  }
}

/** Undoes what a row has elsewhere: its offers, what it waits for, and its hold on large values. */
function forget(session: Session, tenant: number, { id, blobs, has_offers: hasOffers }: HeldItem): void {
  if (hasOffers) {
    session.post("DELETE FROM tessera_offers WHERE tenant = $1 AND item = $2", [tenant, id]);
    session.post("DELETE FROM tessera_subscriptions WHERE tenant = $1 AND item = $2", [tenant, id]);
  }
  if (blobs !== 0) disownBlobs(session, tenant, "item", id);
}
