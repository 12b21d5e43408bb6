/** @module Turns in a transaction of the application's own connection: they take effect with its COMMIT. */
import type { EnlistedStore } from "../enlisted-store.ts";
import { type CommitResult, StoreError, type Turn } from "../store.ts";
import { checkTurn } from "../turn-check.ts";
import { commitGroup } from "./commit.ts";
import { ownPart } from "./counts.ts";
import { definitionByHash, versionsOf } from "./definitions.ts";
import { makeSession, one, type PostgresConnection, type Session } from "./driver.ts";
import { isDisconnection, storeFault } from "./faults.ts";
import { readGraphOn } from "./graphs.ts";
import type { Host } from "./host.ts";
import { loadRun } from "./runs.ts";
import { demandSettings } from "./settings.ts";
import { writing } from "./writing.ts";

/**
 * The store on a connection on which the application has begun a transaction. Every call is done as a whole or undone to a
 * savepoint of its own; the calls on one connection are made one after the other. Nothing that the transaction sees is
 * remembered by the store: it may be rolled back. What another transaction holds is waited for as long as the application's
 * `lock_timeout` says, or ten seconds where it is 0; then the call is undone and rejects with StoreError `busy`.
 *
 * `channel`: whom COMMIT tells that there is something to do (NOTIFY); null: nobody, they poll.
 *
 * @definition D10.26
 */
export function enlistedStore(
  host: Host,
  connection: PostgresConnection,
  channel: string | null,
): EnlistedStore {
  let last: Promise<unknown> = Promise.resolve();
  const within = <T>(work: (own: Host, session: Session) => Promise<T>): Promise<T> => {
    const answer = last.then(() => host.patience(isWorthAgain, () => savepoint(host, connection, work)));
    last = answer.catch(() => undefined);
    return answer;
  };
  return {
    commit: async (turns) => {
      for (const turn of turns) checkTurn(turn);
      if (turns.length === 0) return [];
      return within((own, session) => commitOn(own, session, turns, channel));
    },
    load: (tenant, run, atSequence) =>
      within(async (own, session) => {
        await lockRun(session, tenant, run);
        return loadRun(own, session, tenant, run, atSequence);
      }),
    graph: (tenant, graph) => within((own, session) => readGraphOn(own, session, tenant, graph)),
    definition: (hash) => within((_, session) => definitionByHash(session, hash)),
    newestDefinition: (tenant, name) =>
      within(async (own, session) => (await versionsOf(own, session, tenant, name, 1))[0] ?? null),
  };
}

/**
 * How long a call waits for another transaction where the application has set no `lock_timeout`, in ms: about as long as the
 * store's own turns wait. (A number that nobody else would choose: by it the setting is known as ours, and taken back.)
 */
const WAIT_MS = 10_001;

const BEGUN = `SAVEPOINT tessera;
  SELECT set_config('lock_timeout', '${WAIT_MS}', TRUE) WHERE current_setting('lock_timeout') = '0'`;
const DONE = `SELECT set_config('lock_timeout', '0', TRUE) WHERE current_setting('lock_timeout') = '${WAIT_MS}ms';
  RELEASE SAVEPOINT tessera`;

/** `work` behind a savepoint, with a host that forgets what only this transaction can see. */
async function savepoint<T>(
  host: Host,
  connection: PostgresConnection,
  work: (own: Host, session: Session) => Promise<T>,
): Promise<T> {
  if (host.isClosed) throw new StoreError("closed", "The store is closed.");
  const session = makeSession(connection, host.texts);
  const own: Host = { ...host, tenants: new Map(host.tenants), cache: new Map() };
  try {
    await session.plain(BEGUN);
  } catch (fault) {
    throw outside(fault);
  }
  try {
    const value = await work(own, session);
    await session.settled();
    await session.plain(DONE);
    return value;
  } catch (fault) {
    // The first query that failed says why; those after it only that the transaction is lost.
    const cause = await session.settled().then(
      () => fault,
      (first) => first,
    );
    const back = "ROLLBACK TO SAVEPOINT tessera; RELEASE SAVEPOINT tessera";
    if (!isDisconnection(cause)) await makeSession(connection, host.texts).plain(back);
    throw cause;
  }
}

async function commitOn(
  own: Host,
  session: Session,
  turns: readonly Turn[],
  channel: string | null,
): Promise<readonly CommitResult[]> {
  await demandSettings(session);
  const text = "SELECT current_setting('transaction_isolation') AS isolation";
  const isolation = (await one<{ isolation: string }>(session, text))?.isolation;
  if (isolation !== "read committed")
    throw new StoreError("misuse", `Turns join in a transaction that is READ COMMITTED, not ${isolation}.`);
  const salts = turns.map(() => own.salt());
  const { value } = await writing(own, session, await ownPart(session), (into) =>
    commitGroup(into, turns, salts),
  );
  if (channel !== null && value.some(({ kind }) => kind === "ok"))
    session.post("SELECT pg_notify($1, $2)", [channel, "enlisted"]);
  return value;
}

/** From here on the run is as it is read, until the transaction ends. */
async function lockRun(session: Session, tenant: string, run: string): Promise<void> {
  const text = `SELECT r.id FROM tessera_runs r JOIN tessera_tenants t ON t.id = r.tenant
    WHERE t.name = $1 AND r.run = $2 FOR NO KEY UPDATE OF r`;
  await session.send(text, [tenant, run]);
}

/** Another transaction made the same row, or took it away, or stood in the way: what it has committed is seen now. */
function isWorthAgain(fault: unknown): boolean {
  const { code } = fault as { readonly code?: unknown };
  return code === "23505" || code === "23503" || code === "40P01";
}

function outside(fault: unknown): unknown {
  const { code } = fault as { readonly code?: unknown };
  if (code === "25P01")
    return new StoreError("misuse", "No transaction is open on the connection: BEGIN first.", {
      cause: fault,
    });
  if (code === "25P02")
    return new StoreError("misuse", "The transaction has failed: it can only be rolled back.", {
      cause: fault,
    });
  return storeFault(fault);
}
