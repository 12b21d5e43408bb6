// A store with a planted fault: the outbox rows of a turn appear only some time after the turn, by a transaction of
// their own. Whoever is killed in between has committed a turn whose job nobody will ever do. The kill test must notice.
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";

const LATE_MS = 40;

/** `store`, a SQLite store on `path`, with the fault. */
export function plantedStore(store, path) {
  const raw = new Database(path, { timeout: 1000 });
  const takeOut = (id) => {
    const row = raw.prepare("SELECT * FROM tessera_outbox WHERE effect = ?").get(id);
    if (row !== undefined) raw.prepare("DELETE FROM tessera_outbox WHERE effect = ?").run(id);
    return row;
  };
  const putBack = (row) => {
    const names = Object.keys(row);
    const places = names.map(() => "?").join(", ");
    raw
      .prepare(`INSERT OR IGNORE INTO tessera_outbox (${names.join(", ")}) VALUES (${places})`)
      .run(...Object.values(row));
  };
  return {
    ...store,
    commit: async (turns) => {
      const results = await store.commit(turns);
      const late = turns
        .flatMap(({ effects }) => effects.add.map(({ id }) => takeOut(id)))
        .filter((row) => row !== undefined);
      await sleep(LATE_MS);
      late.forEach(putBack);
      return results;
    },
    close: async () => {
      raw.close();
      await store.close();
    },
  };
}
