/** @module The settings of a server and a connection without which a commit may be lost or a value misread. */
import { StoreError } from "../store.ts";
import { one, type Session } from "./driver.ts";

/** The oldest server that can say whether a transaction has written (`pg_current_xact_id_if_assigned`). */
const VERSION_MIN = 130_000;

interface Settings {
  readonly version: string;
  readonly encoding: string;
  readonly recovering: boolean;
  readonly digits: string;
  readonly bytea: string;
  readonly synchronous: string;
  readonly fsync: string;
  readonly pages: string;
}

/** How durable a commit of this connection is, as it says itself. */
export interface Durability {
  readonly synchronous: string;
  readonly fsync: string;
  readonly pages: string;
}

/** The columns of `Durability`. */
export const DURABILITY = `current_setting('synchronous_commit') AS synchronous, current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS pages`;

/**
 * Refuses a server and a connection on which a committed turn could be lost, or a value would not come back as it was.
 * Nothing is changed. Throws StoreError "settings" that names each wrong setting and the one to use.
 *
 * @definition D10.21
 */
export async function demandSettings(session: Session): Promise<void> {
  const wrong = await settingsTrouble(session);
  if (wrong.length > 0)
    throw new StoreError(
      "settings",
      `This database may lose or change what is committed: ${wrong.join("; ")}.`,
    );
}

/** Each wrong setting of the server and the connection, with the one to use. */
export async function settingsTrouble(session: Session): Promise<readonly string[]> {
  const text = `SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding,
    pg_is_in_recovery() AS recovering, current_setting('extra_float_digits') AS digits,
    current_setting('bytea_output') AS bytea, ${DURABILITY}`;
  const found = (await one<Settings>(session, text)) as Settings;
  return [
    ...(Number(found.version) >= VERSION_MIN ? [] : ["the server is older than PostgreSQL 13"]),
    ...(found.encoding === "UTF8" ? [] : [`server_encoding is ${found.encoding}: use UTF8`]),
    ...(found.recovering ? ["the server is a standby"] : []),
    ...(Number(found.digits) >= 1 ? [] : [`extra_float_digits is ${found.digits}: use 1`]),
    ...(found.bytea === "hex" ? [] : [`bytea_output is ${found.bytea}: use hex`]),
    ...durabilityTrouble(found),
  ];
}

/** What was read back within a transaction, before it takes effect. */
export function demandDurable(found: Durability): void {
  const wrong = durabilityTrouble(found);
  if (wrong.length > 0) throw new StoreError("settings", `A commit could be lost: ${wrong.join("; ")}.`);
}

/** All other values of synchronous_commit wait at least for the flush of this server. */
function durabilityTrouble({ synchronous, fsync, pages }: Durability): readonly string[] {
  return [
    ...(synchronous === "off" ? ["synchronous_commit is off: use on"] : []),
    ...(fsync === "on" ? [] : [`fsync is ${fsync}: use on`]),
    ...(pages === "on" ? [] : [`full_page_writes is ${pages}: use on`]),
  ];
}
