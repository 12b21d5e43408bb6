/** @module The outbox in PostgreSQL: effects with leases and fencing tokens, claimed row by row. */
import { readText, writeText } from "../codec.ts";
import { valueOrCorrupt } from "../fault.ts";
import { PAYLOAD } from "../record-shape.ts";
import { type ClaimedEffect, EFFECT_KINDS, type EffectCommand, type EffectKind } from "../store.ts";
import { disownBlobs, ownBlobs, withBlobs } from "./blobs.ts";
import { change, many, one, type Session } from "./driver.ts";
import { bytesOf, textOf } from "./text-bytes.ts";
import type { Writing } from "./writing.ts";

/** What of a row of the outbox matters to those who replace or complete it. */
export interface HeldEffect {
  readonly id: number;
  readonly token: number;
  readonly blobs: number;
}

/** Who has a new effect from the start. */
export interface NewLease {
  readonly owner: string;
  readonly until: number;
}

/** Adds an effect, whose id no row has: nobody's, or leased. Uses a number, and one more for a lease. */
export function putEffect(
  into: Writing,
  tenant: number,
  run: number,
  effect: EffectCommand,
  lease: NewLease | null,
): HeldEffect {
  const { session } = into;
  const { text, blobs } = writeText(PAYLOAD, effect);
  const number = into.number();
  const { id, kind, item, availableAt } = effect;
  const token = lease === null ? 0 : into.number();
  const held =
    lease === null ? [availableAt, 0, null, 0, 0] : [lease.until, token, lease.owner, lease.until, 1];
  session.post(
    `INSERT INTO tessera_outbox
      (id, tenant, run, effect, kind, item, available_at, claimable_at, token, owner, lease_until, claim_count, blobs, payload)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [number, tenant, run, id, kind, item, availableAt, ...held, blobs.length, bytesOf(text)],
  );
  ownBlobs(session, tenant, "effect", number, blobs);
  return { id: number, token, blobs: blobs.length };
}

/** Takes an effect out, whoever holds it. */
export function dropEffect(session: Session, tenant: number, { id, blobs }: HeldEffect): void {
  session.post("DELETE FROM tessera_outbox WHERE id = $1", [id]);
  if (blobs !== 0) disownBlobs(session, tenant, "effect", id);
}

/** Takes an effect out if `token` holds it; false when it does not. */
export async function dropHeldEffect(
  session: Session,
  tenant: number,
  effect: string,
  token: number,
): Promise<boolean> {
  const text = `DELETE FROM tessera_outbox WHERE tenant = $1 AND effect = $2 AND token = $3 AND token <> 0
    RETURNING id, blobs`;
  const row = await one<{ id: number; blobs: number }>(session, text, tenant, effect, token);
  if (row !== null && row.blobs !== 0) disownBlobs(session, tenant, "effect", row.id);
  return row !== null;
}

/** Who claims, until when, and what. */
export interface Claim {
  readonly owner: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
  readonly kinds: readonly EffectKind[];
}

/**
 * Claims effects. Rows that another transaction is claiming or completing at this moment are passed over, not waited for.
 *
 * @refines D10.11
 */
export async function claimEffects(session: Session, claim: Claim): Promise<readonly ClaimedEffect[]> {
  const { owner, now, leaseUntil, limit, kinds } = claim;
  // Each kind by itself, in the order of its index: jobs that find no worker are not read to find the others.
  const text = `WITH found AS MATERIALIZED (
      SELECT o.id, o.claimable_at FROM unnest($1::text[]) AS k (kind) CROSS JOIN LATERAL (
        SELECT id, claimable_at FROM tessera_outbox WHERE kind = k.kind AND claimable_at <= $2
        ORDER BY claimable_at, id LIMIT $3 FOR UPDATE SKIP LOCKED) o
      ORDER BY o.claimable_at, o.id LIMIT $3)
    UPDATE tessera_outbox o SET token = nextval('tessera_number'), owner = $4, lease_until = $5, claimable_at = $5,
      claim_count = o.claim_count + 1
    FROM found, tessera_tenants t, tessera_runs r WHERE o.id = found.id AND t.id = o.tenant AND r.id = o.run
    RETURNING o.id, o.tenant AS tenant_id, t.name AS tenant, r.run, o.effect, o.kind, o.item, o.available_at,
      found.claimable_at AS was_claimable_at, o.token, o.claim_count, o.payload`;
  const unique = [...new Set(kinds)];
  const rows = await many<StoredEffect>(session, text, unique, now, limit, owner, leaseUntil);
  const oldest = [...rows].sort((a, b) => a.was_claimable_at - b.was_claimable_at || a.id - b.id);
  const claimed: ClaimedEffect[] = [];
  for (const row of oldest) {
    const { tenant, run, token, claim_count: claimCount } = row;
    claimed.push({ tenant, run, effect: await commandOf(session, row), token, leaseUntil, claimCount });
  }
  return claimed;
}

/** Extends a lease; false when `token` does not hold the effect. */
export async function renewLease(
  session: Session,
  tenant: number,
  effect: string,
  token: number,
  until: number,
): Promise<boolean> {
  const text = `UPDATE tessera_outbox SET lease_until = $1, claimable_at = $1
    WHERE tenant = $2 AND effect = $3 AND token = $4 AND token <> 0`;
  return (await change(session, text, until, tenant, effect, token)) > 0;
}

/** Gives an effect back; nothing when `token` does not hold it. A claim under which it was not begun does not count. */
export async function releaseEffect(
  session: Session,
  tenant: number,
  effect: string,
  token: number,
  at: number,
  wasBegun: boolean,
): Promise<void> {
  const text = `UPDATE tessera_outbox
    SET token = 0, owner = NULL, lease_until = 0, claimable_at = $1, claim_count = claim_count - $5
    WHERE tenant = $2 AND effect = $3 AND token = $4 AND token <> 0`;
  await change(session, text, at, tenant, effect, token, wasBegun ? 0 : 1);
}

/** The earliest time at which an effect of one of `kinds` can be claimed. */
export async function nextEffect(
  session: Session,
  kinds: readonly EffectKind[] = EFFECT_KINDS,
): Promise<number | null> {
  const text = `SELECT MIN(o.at) AS at FROM unnest($1::text[]) AS k (kind) CROSS JOIN LATERAL (
    SELECT MIN(claimable_at) AS at FROM tessera_outbox WHERE kind = k.kind) o`;
  return (await one<{ at: number | null }>(session, text, kinds))?.at ?? null;
}

interface StoredEffect {
  readonly id: number;
  readonly tenant_id: number;
  readonly tenant: string;
  readonly run: string;
  readonly effect: string;
  readonly kind: EffectKind;
  readonly item: string;
  readonly available_at: number;
  readonly was_claimable_at: number;
  readonly token: number;
  readonly claim_count: number;
  readonly payload: Uint8Array;
}

async function commandOf(session: Session, row: StoredEffect): Promise<EffectCommand> {
  const read = await withBlobs(session, row.tenant_id, (blobs) =>
    readText(PAYLOAD, textOf(row.payload), blobs),
  );
  const { payload } = valueOrCorrupt(read);
  return { id: row.effect, kind: row.kind, item: row.item, availableAt: row.available_at, payload };
}
