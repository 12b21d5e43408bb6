/** @module The outbox of the memory store: effects by id, and by the time at which they can be claimed. */
import type { EffectCommand, EffectKind, RunId, TenantId } from "../store.ts";
import type { OrderedIndex } from "./ordered-index.ts";
import { reindex, type StoredEffect, setIn, type Tables, type TenantTables } from "./tables.ts";

/** Adds a command: claimed until `leaseUntil`, or by nobody (null). Its token, 0 for nobody. */
export function addEffect(
  tables: Tables,
  into: TenantTables,
  { tenant, run }: { readonly tenant: TenantId; readonly run: RunId },
  command: EffectCommand,
  leaseUntil: number | null,
): number {
  const id = nextNumber(tables);
  const free = { token: 0, leaseUntil: 0, claimableAt: command.availableAt, claimCount: 0 };
  const lease =
    leaseUntil === null
      ? free
      : { token: nextNumber(tables), leaseUntil, claimableAt: leaseUntil, claimCount: 1 };
  writeEffect(tables, into, command.id, { id, tenant, run, command, ...lease });
  return lease.token;
}

/** Puts an effect in the place of the one with its id, or takes that one out. */
export function writeEffect(
  tables: Tables,
  tenant: TenantTables,
  id: string,
  effect: StoredEffect | null,
): void {
  const before = tenant.effects.get(id) ?? null;
  setIn(tables, tenant.effects, id, effect ?? undefined);
  for (const [stored, isThere] of [
    [before, false],
    [effect, true],
  ] as const) {
    if (stored === null) continue;
    const index = claimableIndex(tables, stored.command.kind);
    reindex(
      tables,
      index,
      isThere ? null : stored,
      isThere ? stored : null,
      ({ claimableAt }) => claimableAt,
    );
  }
}

/** The effects of a kind by the time at which they can be claimed. */
export function claimableIndex({ claimable }: Tables, kind: EffectKind): OrderedIndex<StoredEffect> {
  const found = claimable.get(kind) ?? [];
  claimable.set(kind, found);
  return found;
}

/** A number that was never given before. */
export function nextNumber(tables: Tables): number {
  tables.counter += 1;
  return tables.counter;
}
