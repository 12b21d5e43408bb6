/**
 * @module What every writing transaction leaves behind, so that its writer can find out whether it took effect.
 *
 * The number of a transaction is not enough: a server that crashes gives the numbers of those that it lost to others.
 */
import { randomInt, randomUUID } from "node:crypto";
import { COUNT_PARTS } from "./counts.ts";
import { one, type Session } from "./driver.ts";

/** The rows of one store: one for each of its transactions that are under way at the same time. */
export interface Marks {
  readonly writer: string;
  readonly firstPart: number;
  readonly free: number[];
  slots: number;
  last: number;
}

/** The mark of one transaction: no other one of the store has its number. */
export interface Mark {
  readonly writer: string;
  readonly slot: number;
  readonly number: number;
  /** The part of every count that the transaction changes: most of those that run at the same time have others. */
  readonly part: number;
}

/** The marks of a new store. */
export function newMarks(): Marks {
  return { writer: randomUUID(), firstPart: randomInt(COUNT_PARTS), free: [], slots: 0, last: 0 };
}

/** Runs `work` with a row of its own. */
export async function withMark<T>(marks: Marks, work: (mark: Mark) => Promise<T>): Promise<T> {
  const slot = marks.free.pop() ?? marks.slots++;
  try {
    marks.last += 1;
    const part = (marks.firstPart + slot) % COUNT_PARTS;
    return await work({ writer: marks.writer, slot, number: marks.last, part });
  } finally {
    marks.free.push(slot);
  }
}

const NOW = "extract(epoch FROM now()) * 1000";

/** Leaves the mark, unless the transaction has written nothing. */
export function postMark(session: Session, { writer, slot, number }: Mark): void {
  const text = `INSERT INTO tessera_writers (writer, slot, mark, marked_at)
    SELECT $1, $2::int, $3::bigint, ${NOW} WHERE pg_current_xact_id_if_assigned() IS NOT NULL
    ON CONFLICT (writer, slot) DO UPDATE SET mark = EXCLUDED.mark, marked_at = EXCLUDED.marked_at`;
  session.post(text, [writer, slot, number]);
}

/** Is the mark there? Requires: a transaction. Fails as busy while the transaction that was to leave it is under way. */
export async function readMark(session: Session, { writer, slot, number }: Mark): Promise<boolean> {
  session.post("SET LOCAL lock_timeout = 1000", []);
  // The row may be one that the other transaction was to make: who makes it too waits for the other one.
  const make = `INSERT INTO tessera_writers (writer, slot, mark, marked_at) VALUES ($1, $2, 0, ${NOW})
    ON CONFLICT (writer, slot) DO NOTHING`;
  session.post(make, [writer, slot]);
  const text = "SELECT mark FROM tessera_writers WHERE writer = $1 AND slot = $2 FOR UPDATE";
  return (await one<{ mark: number }>(session, text, writer, slot))?.mark === number;
}

/** How long a row is kept whose writer does not come back. */
const KEPT_MS = 30 * 86_400_000;

/** Takes away the rows of this store, and those of stores that ended long ago without doing so. */
export async function clearMarks(session: Session, { writer }: Marks): Promise<void> {
  const text = `DELETE FROM tessera_writers WHERE writer = $1 OR marked_at < ${NOW} - $2::float8`;
  await session.send(text, [writer, KEPT_MS]);
}
