/** @module One open PostgreSQL store, and its ways in: a question, a consistent read, a durable write. */
import { type GraphCache, type GraphChange, updateCache } from "../graph-cache.ts";
import { StoreError } from "../store.ts";
import {
  makeSession,
  one,
  type PostgresClient,
  type PostgresPool,
  type Session,
  type Texts,
} from "./driver.ts";
import { isDisconnection, passes } from "./faults.ts";
import { type Mark, type Marks, postMark, readMark, withMark } from "./marks.ts";
import { LOCK_MS, type Patience } from "./patience.ts";
import { DURABILITY, type Durability, demandDurable } from "./settings.ts";
import { type Writing, writing } from "./writing.ts";

/** What the methods of a store share. */
export interface Host {
  readonly pool: PostgresPool;
  readonly texts: Texts;
  readonly cache: GraphCache;
  /** Ids of tenants that are committed: they never change. */
  readonly tenants: Map<string, number>;
  readonly patience: Patience;
  readonly marks: Marks;
  /** 16 random bytes. */
  readonly salt: () => Uint8Array;
  /** Tells other processes that something was written. */
  announce: () => void;
  isClosed: boolean;
}

/** The answer to one query, or to several that need not see the same state. */
export function asking<T>(host: Host, work: (session: Session) => Promise<T>): Promise<T> {
  return host.patience(passes, () => once(host, work));
}

/** Several queries on one state of the database. */
export function reading<T>(host: Host, work: (session: Session) => Promise<T>): Promise<T> {
  return asking(host, (session) => within(session, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work));
}

/**
 * A durable write: `work` in a transaction, which is committed after the settings were read back. What another writer or a
 * lost connection undid is done again, a bounded number of times; where the answer to COMMIT itself was lost, the mark that
 * the transaction would have left says what became of it.
 *
 * `lockMs`: how long an attempt waits for what another transaction holds (0: as long as it takes); `isWorthAgain`: after
 * which faults there is another one.
 *
 * @definition D10.22
 */
export async function committing<T>(
  host: Host,
  work: (into: Writing) => Promise<T>,
  { lockMs = LOCK_MS, isWorthAgain = passes }: CommitOptions = {},
): Promise<T> {
  const { value, graphs, hasWritten } = await host.patience(isWorthAgain, () =>
    withMark(host.marks, async (mark) => {
      const attempt: Attempt<T> = { ready: null };
      try {
        await once(host, (session) => attemptOn(host, session, { mark, lockMs, work, attempt }));
      } catch (fault) {
        if (attempt.ready === null || !isDisconnection(fault)) throw fault;
        // Who has written nothing may do it again.
        if (!attempt.ready.hasWritten || !(await isMarked(host, mark))) throw fault;
      }
      return attempt.ready as Ready<T>;
    }),
  );
  updateCache(host.cache, graphs);
  if (hasWritten) host.announce();
  return value;
}

/** How a write meets other transactions. */
export interface CommitOptions {
  readonly lockMs?: number;
  readonly isWorthAgain?: (fault: unknown) => boolean;
}

/** What a transaction came to when there was nothing left to do but COMMIT. */
interface Ready<T> {
  readonly value: T;
  readonly graphs: readonly GraphChange[];
  readonly hasWritten: boolean;
}

interface Attempt<T> {
  ready: Ready<T> | null;
}

async function attemptOn<T>(
  host: Host,
  session: Session,
  {
    mark,
    lockMs,
    work,
    attempt,
  }: {
    readonly mark: Mark;
    readonly lockMs: number;
    readonly work: (into: Writing) => Promise<T>;
    readonly attempt: Attempt<T>;
  },
): Promise<void> {
  await within(session, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", async () => {
    postLockTimeout(session, lockMs);
    const { value, graphs } = await writing(host, session, mark.part, work);
    postMark(session, mark);
    const text = `SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS written, ${DURABILITY}`;
    const [found] = await Promise.all([
      one<Durability & { readonly written: boolean }>(session, text),
      session.settled(),
    ]);
    if (found === null) throw new StoreError("io", "The settings could not be read back.");
    demandDurable(found);
    attempt.ready = { value, graphs, hasWritten: found.written };
  });
}

/** Until the transaction ends, no statement waits longer than `ms` for a lock; 0: as long as it takes. */
export function postLockTimeout(session: Session, ms: number): void {
  session.post("SELECT set_config('lock_timeout', $1, TRUE)", [String(ms)]);
}

/** Did the transaction with this mark take effect? Waits while the server is still at it. Throws when that stays unknown. */
async function isMarked(host: Host, mark: Mark): Promise<boolean> {
  try {
    return await host.patience(passes, () =>
      once(host, (session) => within(session, "BEGIN", () => readMark(session, mark))),
    );
  } catch (fault) {
    const message = "The connection was lost at a commit, and it cannot be found out what became of it.";
    throw new StoreError("io", message, { cause: fault });
  }
}

/** `work` between BEGIN and COMMIT. A throw rolls back; a connection that cannot even do that is closed by its caller. */
async function within<T>(
  session: Session,
  begin: string,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  session.post(begin, []);
  try {
    const value = await work(session);
    await session.settled();
    const { command } = await session.send("COMMIT", []);
    if (command !== "COMMIT") throw new StoreError("io", `COMMIT was answered with ${command}.`);
    return value;
  } catch (fault) {
    // The first query that failed says why; those after it only that the transaction is lost.
    const cause = await session.settled().then(
      () => fault,
      (first) => first,
    );
    if (!isDisconnection(cause)) await session.send("ROLLBACK", []);
    throw cause;
  }
}

/** `work`, without patience, with a connection of the pool, which is given back, or closed if something is wrong with it. */
export async function once<T>(host: Host, work: (session: Session) => Promise<T>): Promise<T> {
  if (host.isClosed) throw new StoreError("closed", "The store is closed.");
  const client = await host.pool.connect();
  // A connection that breaks while nobody has a query under way says so as an event, which would end the process.
  const ignore = (): void => {};
  client.on("error", ignore);
  let isGood = false;
  try {
    const session = makeSession(client, host.texts);
    const value = await work(session);
    isGood = true;
    return value;
  } catch (fault) {
    isGood = isIdle(client);
    throw fault;
  } finally {
    client.off("error", ignore);
    client.release(!isGood);
  }
}

/** Is the connection out of any transaction, and answering? */
function isIdle(client: PostgresClient): boolean {
  const { getTransactionStatus } = client as { readonly getTransactionStatus?: () => string | null };
  return getTransactionStatus?.call(client) === "I";
}
