/** @module Opening a SQLite store: settings, schema, and the mark on files of our own. */
import { makeSession, type Session, type SqliteDatabase } from "./driver.ts";
import { storeFault } from "./faults.ts";
import { APPLICATION_ID, bringSchema, SCHEMA_VERSION, schemaVersion } from "./schema.ts";
import { demandSettings, demandSynchronous, opened, setUp } from "./settings.ts";
import { committing } from "./transactions.ts";

/** A session on a connection that we opened: set up as it must be; closed again if that fails. */
export function openOwn(db: SqliteDatabase): Session {
  try {
    setUp(db);
    const session = openSchema(db, true);
    opened(db);
    return session;
  } catch (fault) {
    db.close();
    throw storeFault(fault);
  }
}

/** A session on a connection of the application, whose settings are looked at and not changed. */
export function openForeign(db: SqliteDatabase): Session {
  try {
    return openSchema(db, false);
  } catch (fault) {
    throw storeFault(fault);
  }
}

function openSchema(db: SqliteDatabase, isOwn: boolean): Session {
  // A first look into the file: only then do the settings say what will hold, and only now is it known to be a database.
  const version = schemaVersion(db);
  demandSettings(db);
  const session = makeSession(db);
  if (version !== SCHEMA_VERSION) {
    committing(session, () => {
      if (isOwn && isUnused(db)) db.pragma(`application_id = ${APPLICATION_ID}`);
      bringSchema(db);
    });
    demandSynchronous(db);
  }
  return session;
}

/** Is there nothing of anybody in the file? */
function isUnused(db: SqliteDatabase): boolean {
  const isEmpty = db.prepare("SELECT 1 FROM sqlite_master LIMIT 1").get() === undefined;
  return isEmpty && Number(db.pragma("application_id", { simple: true })) === 0;
}
