/** @module The outbox in SQLite: effects with leases and fencing tokens. */
import { readText, writeText } from "../codec.ts";
import { valueOrCorrupt } from "../fault.ts";
import { PAYLOAD } from "../record-shape.ts";
import { type ClaimedEffect, EFFECT_KINDS, type EffectCommand, type EffectKind } from "../store.ts";
import { blobSource, disownBlobs, ownBlobs } from "./blobs.ts";
import { change, many, one, type Session } from "./driver.ts";

/** Who has a new effect from the start: nobody, or the holder of a token. */
export interface Lease {
  readonly owner: string | null;
  readonly token: number;
  readonly until: number;
}

/** Nobody has it. */
export const FREE: Lease = { owner: null, token: 0, until: 0 };

/** Puts an effect in the place of the one with its id, if there is one. Its number is `number`. */
export function putEffect(
  session: Session,
  tenant: number,
  run: number,
  effect: EffectCommand,
  number: number,
  { owner, token, until }: Lease,
): void {
  const { text, blobs } = writeText(PAYLOAD, effect);
  const insert = `INSERT INTO tessera_outbox
    (id, tenant, run, effect, kind, item, available_at, claimable_at, token, owner, lease_until, claim_count, blobs, payload)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
  const { id, kind, item, availableAt } = effect;
  const isHeld = token !== 0;
  const claimableAt = isHeld ? until : availableAt;
  const held = [token, owner, until, isHeld ? 1 : 0];
  const row = [number, tenant, run, id, kind, item, availableAt, claimableAt, ...held, blobs.length, text];
  if (change(session, insert, ...row) === 0) {
    dropEffect(session, tenant, id);
    change(session, insert, ...row);
  }
  if (blobs.length > 0) ownBlobs(session, tenant, "effect", number, blobs);
}

/** Takes an effect out, whoever holds it; false when it is not there. */
export function dropEffect(session: Session, tenant: number, effect: string): boolean {
  const gone = "DELETE FROM tessera_outbox WHERE tenant = ? AND effect = ? RETURNING id, blobs";
  const row = one<{ id: number; blobs: number }>(session, gone, tenant, effect);
  if (row !== null && row.blobs !== 0) disownBlobs(session, tenant, "effect", row.id);
  return row !== null;
}

/** Takes an effect out if `token` holds it; false when it does not. */
export function dropHeldEffect(session: Session, tenant: number, effect: string, token: number): boolean {
  return (
    token !== 0 && fencingToken(session, tenant, effect) === token && dropEffect(session, tenant, effect)
  );
}

/** The token under which an effect is leased, 0 when it is not, or is not there. */
export function fencingToken(session: Session, tenant: number, effect: string): number {
  const text = "SELECT token FROM tessera_outbox WHERE tenant = ? AND effect = ?";
  return one<{ token: number }>(session, text, tenant, effect)?.token ?? 0;
}

/** Who claims, until when, and what. */
export interface Claim {
  readonly owner: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
  readonly kinds: readonly EffectKind[];
}

/** Is there something to claim? A read, so that an idle worker writes nothing. */
export function isClaimable(session: Session, { now, kinds }: Pick<Claim, "now" | "kinds">): boolean {
  const earliest = nextEffect(session, kinds);
  return earliest !== null && earliest <= now;
}

/**
 * Claims effects; each gets `number()` as its token.
 *
 * @refines D10.11
 */
export function claimEffects(session: Session, claim: Claim, number: () => number): readonly ClaimedEffect[] {
  const { owner, now, leaseUntil, limit, kinds } = claim;
  const text = `SELECT o.id, o.tenant AS tenant_id, t.name AS tenant, r.run, o.effect, o.kind, o.item, o.available_at,
      o.claimable_at, o.claim_count, o.payload
    FROM tessera_outbox o JOIN tessera_tenants t ON t.id = o.tenant JOIN tessera_runs r ON r.id = o.run
    WHERE o.kind = ? AND o.claimable_at <= ? ORDER BY o.claimable_at, o.id LIMIT ?`;
  const found = [...new Set(kinds)].flatMap((kind) => many<StoredEffect>(session, text, kind, now, limit));
  const oldest = found.sort((a, b) => a.claimable_at - b.claimable_at || a.id - b.id).slice(0, limit);
  return oldest.map((row) => {
    const token = number();
    const update = `UPDATE tessera_outbox
      SET token = ?, owner = ?, lease_until = ?, claimable_at = ?, claim_count = claim_count + 1 WHERE id = ?`;
    change(session, update, token, owner, leaseUntil, leaseUntil, row.id);
    const { tenant, run, claim_count } = row;
    return { tenant, run, effect: commandOf(session, row), token, leaseUntil, claimCount: claim_count + 1 };
  });
}

/** Extends a lease; false when `token` does not hold the effect. */
export function renewLease(
  session: Session,
  tenant: number,
  effect: string,
  token: number,
  until: number,
): boolean {
  const text =
    "UPDATE tessera_outbox SET lease_until = ?, claimable_at = ? WHERE tenant = ? AND effect = ? AND token = ? AND token <> 0";
  return change(session, text, until, until, tenant, effect, token) > 0;
}

/** Gives an effect back; nothing when `token` does not hold it. A claim under which it was not begun does not count. */
export function releaseEffect(
  session: Session,
  tenant: number,
  effect: string,
  token: number,
  at: number,
  wasBegun: boolean,
): void {
  const text = `UPDATE tessera_outbox
    SET token = 0, owner = NULL, lease_until = 0, claimable_at = ?, claim_count = claim_count - ?
    WHERE tenant = ? AND effect = ? AND token = ? AND token <> 0`;
  change(session, text, at, wasBegun ? 0 : 1, tenant, effect, token);
}

/** The earliest time at which an effect of one of `kinds` can be claimed. */
export function nextEffect(session: Session, kinds: readonly EffectKind[] = EFFECT_KINDS): number | null {
  const text = "SELECT MIN(claimable_at) AS at FROM tessera_outbox WHERE kind = ?";
  const times = kinds.flatMap((kind) => one<{ at: number | null }>(session, text, kind)?.at ?? []);
  return times.length === 0 ? null : Math.min(...times);
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
  readonly claimable_at: number;
  readonly claim_count: number;
  readonly payload: string;
}

function commandOf(session: Session, row: StoredEffect): EffectCommand {
  const { payload } = valueOrCorrupt(readText(PAYLOAD, row.payload, blobSource(session, row.tenant_id)));
  return { id: row.effect, kind: row.kind, item: row.item, availableAt: row.available_at, payload };
}
