/** @module What one write transaction of the PostgreSQL store has at hand: tenant ids, fresh numbers, changed graphs. */
import { type CountChanges, countChanges } from "../count-changes.ts";
import type { GraphChange } from "../graph-cache.ts";
import { postCounts } from "./counts.ts";
import { many, one, type Session } from "./driver.ts";
import type { Host } from "./host.ts";

/** A write transaction. Numbers were never given before: of a row, a fencing token. They must be reserved first. */
export interface Writing {
  readonly session: Session;
  readonly tenant: (name: string) => Promise<number>;
  /** Makes `count` more numbers ready. */
  readonly reserve: (count: number) => Promise<void>;
  readonly number: () => number;
  readonly graphs: GraphChange[];
  /** What there is more and less of after it. */
  readonly counts: CountChanges;
}

/** Runs `work` in the open write transaction and writes down what it counted, in one part of the counts. */
export async function writing<T>(
  host: Host,
  session: Session,
  part: number,
  work: (into: Writing) => Promise<T>,
): Promise<{ readonly value: T; readonly graphs: readonly GraphChange[] }> {
  const own = new Map<string, number>();
  const graphs: GraphChange[] = [];
  const counts = countChanges();
  const numbers: number[] = [];
  const reserve = async (count: number): Promise<void> => {
    if (count === 0) return;
    const text = "SELECT nextval('tessera_number') AS number FROM generate_series(1, $1::int)";
    for (const { number } of await many<{ number: number }>(session, text, count)) numbers.push(number);
  };
  const value = await work({
    session,
    graphs,
    counts,
    reserve,
    number: () => {
      const number = numbers.shift();
      if (number === undefined) throw new RangeError("more numbers were used than reserved");
      return number;
    },
    tenant: async (name) => {
      const known = host.tenants.get(name) ?? own.get(name) ?? (await tenantId(host, session, name));
      const id = known ?? (await addTenant(session, name));
      own.set(name, id);
      return id;
    },
  });
  postCounts(session, part, counts);
  return { value, graphs };
}

/** The id of a tenant, null when it has never written. */
export async function tenantId(host: Host, session: Session, name: string): Promise<number | null> {
  const known = host.tenants.get(name);
  if (known !== undefined) return known;
  const row = await one<{ id: number }>(session, "SELECT id FROM tessera_tenants WHERE name = $1", name);
  if (row !== null) host.tenants.set(name, row.id);
  return row?.id ?? null;
}

/** Not remembered beyond the transaction, which may be rolled back. */
async function addTenant(session: Session, name: string): Promise<number> {
  const text = `INSERT INTO tessera_tenants (id, name) VALUES (nextval('tessera_number'), $1)
    ON CONFLICT (name) DO UPDATE SET name = EXCLUDED.name RETURNING id`;
  return ((await one<{ id: number }>(session, text, name)) as { id: number }).id;
}
