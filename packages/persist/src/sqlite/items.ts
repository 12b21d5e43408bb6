/** @module Open items in SQLite: rows with their due times, and the principals under which they are listed. */
import type { ItemId, ItemKind, OpenItem } from "@tessera/core";
import type { Blob } from "../blob.ts";
import { readText, writeText } from "../codec.ts";
import { valueOrCorrupt } from "../fault.ts";
import { FOR_ALL, type Principal, principalsOf } from "../item-query.ts";
import { ITEM } from "../record-shape.ts";
import { blobSource, disownBlobs, ownBlobs } from "./blobs.ts";
import { change, row as listOf, many, one, type Session } from "./driver.ts";
import type { Writing } from "./writing.ts";

/** The part of a row that an item is read from. */
export interface StoredItem {
  readonly id: number;
  readonly tenant: number;
  readonly blobs: number;
  readonly body: string;
}

interface Offered extends StoredItem {
  readonly kind: ItemKind;
  readonly has_offers: Offers;
}

/**
 * What a row says of what its item has elsewhere: nothing; something, which its body tells; or, as most work items do, the
 * one offer to everybody, so that the body need not be read when the item goes.
 */
const OFFERS = { none: 0, some: 1, toAll: 2 } as const;
type Offers = (typeof OFFERS)[keyof typeof OFFERS];

/** The item of a row. */
export function itemOf(session: Session, { tenant, body }: Pick<StoredItem, "tenant" | "body">): OpenItem {
  return valueOrCorrupt(readText(ITEM, body, blobSource(session, tenant)));
}

/**
 * Puts an item in the place of the run's item with its id, whose number it keeps; a new one gets a fresh one. One that is
 * paused does not come due.
 */
export function putItem(
  writing: Writing,
  tenant: number,
  run: number,
  item: OpenItem,
  isPaused: boolean,
): void {
  const { session, number, counts } = writing;
  const { text, blobs } = writeText(ITEM, item);
  // Most items are new: the question whether this one is asked by inserting it.
  const id = number();
  const insert = `INSERT INTO tessera_items (id, tenant, run, item, kind, due_at, blobs, body, is_claimed, has_offers)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
  const dueAt = isPaused ? null : (item.dueAt ?? null);
  const elsewhere = elsewhereOf(item, isPaused);
  const { isClaimed, hasOffers } = elsewhere;
  const isNew =
    change(
      session,
      insert,
      id,
      tenant,
      run,
      item.id,
      item.kind,
      dueAt,
      blobs.length,
      text,
      isClaimed,
      hasOffers,
    ) > 0;
  const row = { id, tenant, blobs: blobs.length, body: text };
  counts.item(tenant, item.kind, 1);
  if (isNew) hold(session, row, elsewhere, blobs);
  else replaceItem(writing, run, row, item, dueAt, elsewhere, blobs);
}

function replaceItem(
  { session, counts }: Writing,
  run: number,
  row: StoredItem,
  item: OpenItem,
  dueAt: number | null,
  elsewhere: Elsewhere,
  blobs: readonly Blob[],
): void {
  const found =
    "SELECT id, tenant, kind, blobs, body, has_offers FROM tessera_items WHERE tenant = ? AND run = ? AND item = ?";
  const before = one<Offered>(session, found, row.tenant, run, item.id) as Offered;
  counts.item(row.tenant, before.kind, -1);
  forget(session, before);
  const { isClaimed, hasOffers } = elsewhere;
  const update = `UPDATE tessera_items SET kind = ?, due_at = ?, blobs = ?, body = ?, is_claimed = ?, has_offers = ?
    WHERE id = ?`;
  change(session, update, item.kind, dueAt, row.blobs, row.body, isClaimed, hasOffers, before.id);
  hold(session, { ...row, id: before.id }, elsewhere, blobs);
}

/** Does what a row has elsewhere: its offers, what it waits for unless it is paused, and its hold on large values. */
function hold(
  session: Session,
  row: StoredItem,
  { principals, awaited }: Elsewhere,
  blobs: readonly Blob[],
): void {
  if (blobs.length > 0) ownBlobs(session, row.tenant, "item", row.id, blobs);
  insertOffers(session, row, principals);
  writeSubscriptions(session, row, awaited);
}

/** What an item has outside its row, and what the row says of it, so that it need not be looked for. */
interface Elsewhere {
  readonly principals: readonly Principal[];
  readonly awaited: NonNullable<OpenItem["subscriptions"]>;
  readonly isClaimed: 0 | 1;
  readonly hasOffers: Offers;
}

function elsewhereOf(item: OpenItem, isPaused: boolean): Elsewhere {
  const principals = principalsOf(item);
  const awaited = isPaused ? NOTHING : awaitedBy(item);
  return {
    principals,
    awaited,
    isClaimed: item.assignee === undefined || principals.length === 0 ? 0 : 1,
    hasOffers: offersOf(principals, awaited.length),
  };
}

function offersOf(principals: readonly Principal[], awaitedCount: number): Offers {
  if (principals.length + awaitedCount === 0) return OFFERS.none;
  const isToAll = principals.length === 1 && principals[0] === FOR_ALL && awaitedCount === 0;
  return isToAll ? OFFERS.toAll : OFFERS.some;
}

/** The messages and signals that an item waits for. */
function awaitedBy({ subscriptions }: OpenItem): Elsewhere["awaited"] {
  if (subscriptions === undefined) return NOTHING;
  return subscriptions.filter(({ on, isFull }) => on !== "timer" && isFull !== true);
}

const NOTHING: readonly never[] = [];

/** Lists an item under the messages and signals that it waits for. Requires: it is listed under none. */
function writeSubscriptions(
  session: Session,
  { id, tenant }: StoredItem,
  awaited: Elsewhere["awaited"],
): void {
  const insert =
    "INSERT INTO tessera_subscriptions (tenant, kind, name, key, item, event) VALUES (?, ?, ?, ?, ?, ?)";
  for (const { on, name = "", key = "", event } of awaited)
    change(session, insert, tenant, on, name, key, id, event);
}

/** Takes an item out, if it is there. */
export function closeItem({ session, counts }: Writing, tenant: number, run: number, item: ItemId): void {
  const gone = `DELETE FROM tessera_items WHERE tenant = ? AND run = ? AND item = ?
    RETURNING id, kind, has_offers, blobs, CASE has_offers WHEN ${OFFERS.some} THEN body END`;
  const before = listOf<readonly [number, ItemKind, Offers, number, string | null]>(
    session,
    gone,
    tenant,
    run,
    item,
  );
  if (before === null) return;
  const [id, kind, hasOffers, blobs, body] = before;
  counts.item(tenant, kind, -1);
  forget(session, { id, tenant, has_offers: hasOffers, blobs, body: body ?? "" });
}

/** Takes all items of a run out. */
export function closeItems(writing: Writing, tenant: number, run: number): void {
  const open = "SELECT item FROM tessera_items WHERE tenant = ? AND run = ?";
  for (const { item } of many<{ item: ItemId }>(writing.session, open, tenant, run))
    closeItem(writing, tenant, run, item);
}

/** Lists an item under its principals, and says so in its row. Requires: it is listed under none. For migrations. */
export function writeOffers(session: Session, row: StoredItem, item: OpenItem): void {
  const principals = principalsOf(item);
  if (principals.length === 0) return;
  insertOffers(session, row, principals);
  const isClaimed = item.assignee === undefined ? 0 : 1;
  change(session, "UPDATE tessera_items SET is_claimed = ?, has_offers = 1 WHERE id = ?", isClaimed, row.id);
}

function insertOffers(session: Session, { id, tenant }: StoredItem, principals: readonly Principal[]): void {
  const insert = "INSERT INTO tessera_offers (tenant, principal, item) VALUES (?, ?, ?)";
  for (const principal of principals) change(session, insert, tenant, principal, id);
}

/** Undoes what a row has elsewhere: its offers, what it waits for, and its hold on large values. */
function forget(session: Session, before: Omit<Offered, "kind">): void {
  const { id, tenant } = before;
  const remove = "DELETE FROM tessera_offers WHERE tenant = ? AND principal = ? AND item = ?";
  if (before.has_offers === OFFERS.toAll) change(session, remove, tenant, FOR_ALL, id);
  if (before.has_offers === OFFERS.some) {
    const item = itemOf(session, before);
    for (const principal of principalsOf(item)) change(session, remove, tenant, principal, id);
    if (awaitedBy(item).length > 0)
      change(session, "DELETE FROM tessera_subscriptions WHERE tenant = ? AND item = ?", tenant, id);
  }
  if (before.blobs !== 0) disownBlobs(session, tenant, "item", id);
}
