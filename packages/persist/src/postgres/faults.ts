/** @module Faults of PostgreSQL as StoreErrors, and which of them pass. */
import { StoreError, type StoreErrorCode } from "../store.ts";

/**
 * By the prefix of an SQLSTATE, the code of the fault; the first that fits.
 *
 * Two transactions that wanted the same new row (23505), or a row that the other took away (23503), are as busy as those
 * that PostgreSQL itself tells to try again: the next attempt finds what the other has committed.
 */
const CODES: readonly (readonly [prefix: string, code: StoreErrorCode])[] = [
  ["40", "busy"],
  ["55P03", "busy"],
  ["23505", "busy"],
  ["23503", "busy"],
  ["53300", "busy"],
  ["57P03", "busy"],
  ["53100", "full"],
  ["XX001", "corrupt"],
  ["XX002", "corrupt"],
  ["54", "limit"],
  ["22021", "limit"],
  ["25006", "settings"],
  ["28", "settings"],
  ["42501", "settings"],
];

/** What Node says when there is no way to the server, or no longer. */
const NETWORK = /^(?:ECONN|EPIPE|ENOENT|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EAI_AGAIN|ENOTFOUND)/;

/** What the driver says without a code. */
const PHRASES = /connection terminated|connection ended|not queryable|timeout (?:expired|exceeded)/i;

/** `fault` as a StoreError if it is one of PostgreSQL's, of the driver's or of the network; anything else as it is. */
export function storeFault(fault: unknown): unknown {
  if (!(fault instanceof Error) || fault instanceof StoreError) return fault;
  const state = sqlState(fault);
  if (state === null) return isDisconnection(fault) ? made("io", fault) : fault;
  const found = CODES.find(([prefix]) => state.startsWith(prefix));
  return made(found?.[1] ?? "io", fault);
}

function made(code: StoreErrorCode, fault: Error): StoreError {
  const state = (fault as { readonly code?: unknown }).code;
  const said = fault.message === "" ? fault.name : fault.message;
  const message = isLockTimeout(fault) ? `${said}: another transaction is open that holds it` : said;
  return new StoreError(code, `${typeof state === "string" ? `${state}: ` : ""}${message}`, { cause: fault });
}

/** Has it been waited long enough for a row that another transaction holds? */
export function isLockTimeout(fault: unknown): boolean {
  const { code, cause } = (fault ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  return code === "55P03" || (cause instanceof Error && isLockTimeout(cause));
}

/** The five characters of PostgreSQL, null where the fault is not its own. */
function sqlState(fault: Error): string | null {
  const { code, severity } = fault as { readonly code?: unknown; readonly severity?: unknown };
  return typeof code === "string" && typeof severity === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}

/** Is the connection gone, so that nobody knows what became of the last query? */
export function isDisconnection(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false;
  const state = sqlState(fault);
  if (state !== null) return state.startsWith("08") || /^57P0[1-35]$/.test(state);
  const { code } = fault as { readonly code?: unknown };
  return (typeof code === "string" && NETWORK.test(code)) || PHRASES.test(fault.message);
}

/** May the same attempt succeed later: another writer was in the way, or the server was not there? */
export function passes(fault: unknown): boolean {
  const known = storeFault(fault);
  return (known instanceof StoreError && known.code === "busy") || isDisconnection(fault);
}
