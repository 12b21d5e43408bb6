/** @module What one write transaction of the SQLite store has at hand: tenant ids, fresh numbers, graphs that it changed. */
import { type CountChanges, countChanges } from "../count-changes.ts";
import type { GraphChange } from "../graph-cache.ts";
import { writeCounts } from "./counts.ts";
import { change, insert, one, type Session } from "./driver.ts";

/** A write transaction; ids that it looked up are good until it ends. */
export interface Writing {
  readonly session: Session;
  /** The id of a tenant, which comes to be with its first write. */
  readonly tenant: (name: string) => number;
  /** A number that was never given before: of an item, an effect, a fencing token. */
  readonly number: () => number;
  readonly graphs: GraphChange[];
  /** What there is more and less of after it. */
  readonly counts: CountChanges;
}

/** Runs `work` in the open write transaction and writes down the numbers that it used and what it counted. */
export function writing<T>(
  session: Session,
  work: (writing: Writing) => T,
): { readonly value: T; readonly graphs: readonly GraphChange[] } {
  const tenants = new Map<string, number>();
  const graphs: GraphChange[] = [];
  const counts = countChanges();
  let last: number | null = null;
  const value = work({
    session,
    graphs,
    counts,
    tenant: (name) => {
      const id = tenants.get(name) ?? tenantId(session, name) ?? addTenant(session, name);
      tenants.set(name, id);
      return id;
    },
    number: () => {
      last =
        (last ??
          one<{ value: number }>(session, "SELECT value FROM tessera_meta WHERE key = 'number'")?.value ??
          0) + 1;
      return last;
    },
  });
  writeCounts(session, counts);
  if (last !== null) change(session, "UPDATE tessera_meta SET value = ? WHERE key = 'number'", last);
  return { value, graphs };
}

/** The id of a tenant, null when it has never written. */
export function tenantId(session: Session, name: string): number | null {
  return one<{ id: number }>(session, "SELECT id FROM tessera_tenants WHERE name = ?", name)?.id ?? null;
}

function addTenant(session: Session, name: string): number {
  return insert(session, "INSERT INTO tessera_tenants (name) VALUES (?)", name);
}
