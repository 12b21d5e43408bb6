/** @module How SQLite finds what is asked for: every combination of filters is served by an index, in the order of the page. */
import { type SqliteDatabase, sqliteStore } from "@tessera/persist/sqlite";
import { describe, expect, it } from "vitest";
import { history, item } from "../src/contract/sample.ts";
import { DATA, ITEM_FILTERS, RUN_FILTERS, subsets } from "./query-filters.ts";
import { applicationDatabase } from "./temporary.ts";

/** A store with something in it, and the plans of the statements that it has prepared since it was asked last. */
async function planned() {
  const database = applicationDatabase();
  const texts = new Set<string>();
  const noting: SqliteDatabase = new Proxy(database, {
    get: (target, name) => {
      if (name === "prepare") {
        return (sql: string) => {
          texts.add(sql);
          return target.prepare(sql);
        };
      }
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const store = sqliteStore({ database: noting });
  const set = [item("1.0", { dueAt: 5, assignee: "ann", candidateGroups: ["g"] })];
  await history(store, [{ run: "a", expect: 0, set }]);
  texts.clear();
  const plans = () =>
    [...texts]
      .filter((sql) => /^\s*SELECT/.test(sql))
      .map((sql) => {
        const parameters = Array.from({ length: (sql.match(/\?/g) ?? []).length }, () => 1);
        const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as {
          detail: string;
        }[];
        return { sql, steps: steps.map(({ detail }) => detail) };
      });
  return { store, database, texts, plans };
}

/** Does a statement open the index of what is to be pruned for writing? */
function writesPrunable(database: ReturnType<typeof applicationDatabase>, sql: string): boolean {
  const index = "SELECT rootpage FROM sqlite_master WHERE name = 'tessera_runs_by_prunable'";
  const { rootpage } = database.prepare(index).get() as { rootpage: number };
  const parameters = Array.from({ length: (sql.match(/\?/g) ?? []).length }, () => 1);
  const steps = database.prepare(`EXPLAIN ${sql}`).all(...parameters) as { opcode: string; p2: number }[];
  return steps.some(({ opcode, p2 }) => opcode === "OpenWrite" && p2 === rootpage);
}

/** What of the plans walks a table, or sorts before it cuts. */
const faults = (plans: readonly { readonly sql: string; readonly steps: readonly string[] }[]) =>
  plans.flatMap(({ sql, steps }) =>
    steps
      .filter((step) => /\bSCAN\b/.test(step) || (/LIMIT/.test(sql) && step.includes("TEMP B-TREE")))
      .map((step) => [step, sql]),
  );

describe("plans of queries", () => {
  it("[D10.13] [D10.18] no combination of filters over runs walks a table or sorts, and each uses the index of a filter", async () => {
    const { store, plans } = await planned();
    const combinations = subsets(RUN_FILTERS);
    expect(combinations).toHaveLength(128);
    for (const filters of combinations) await store.runs({ tenant: "default", limit: 5, ...filters });
    for (const [path] of [["p"], ["q"]])
      await store.runs({ tenant: "default", limit: 5, data: DATA.filter((each) => each.path === path) });
    const found = plans().filter(({ sql }) => /FROM tessera_run(?:s r|_values v)\b[\s\S]*LIMIT/.test(sql));
    // With and without data, each choice of the other five.
    expect(found.length).toBeGreaterThanOrEqual(64);
    expect(faults(found)).toEqual([]);
    const byTenantOnly = found.filter(
      ({ sql, steps }) =>
        /AND r\.\w+ = \?/.test(sql) &&
        !sql.includes("tessera_run_values v") &&
        !steps.some((step) =>
          /USING INDEX tessera_runs_by_(?:status|workflow|definition|business_key|parent)/.test(step),
        ),
    );
    expect(byTenantOnly).toEqual([]);
    await store.close();
  });

  it("[D10.13] no combination of filters over open items walks a table, nor does one by due time sort", async () => {
    const { store, plans } = await planned();
    const combinations = subsets(ITEM_FILTERS);
    expect(combinations).toHaveLength(64);
    for (const filters of combinations) {
      await store.items({ tenant: "default", limit: 5, ...filters });
      await store.items({ tenant: "default", limit: 5, dueBy: 9, ...filters });
    }
    const found = plans();
    expect(found.length).toBeGreaterThan(30);
    expect(faults(found)).toEqual([]);
    await store.close();
  });

  it("[D10.27] no combination of filters over open items is counted by walking a table", async () => {
    const { store, plans } = await planned();
    for (const filters of subsets({ ...ITEM_FILTERS, dueBy: 9 }))
      await store.countItems({ tenant: "default", max: 5, ...filters });
    const found = plans().filter(({ sql }) => sql.startsWith("SELECT COUNT(*)"));
    expect(found.length).toBeGreaterThan(30);
    // The rows of the list are walked; those of a work list are looked at once, as far as the bound.
    const steps = found.flatMap((plan) => plan.steps);
    expect(
      steps.filter((step) => /\bSCAN\b/.test(step) && !/SCAN \(?subquery|CO-ROUTINE/i.test(step)),
    ).toEqual([]);
    expect(steps.filter((step) => step.includes("TEMP B-TREE") && !step.includes("DISTINCT"))).toEqual([]);
    await store.close();
  });

  it("[D10.28] what is to be pruned is read along its index, which a turn does not touch that does not end its run", async () => {
    const { store, database, texts, plans } = await planned();
    for (const after of [undefined, "3/7"])
      await store.prunable({
        tenant: "default",
        before: 9,
        limit: 5,
        ...(after === undefined ? {} : { after }),
      });
    const found = plans().filter(({ sql }) => sql.includes("prunable_at <"));
    expect(found).toHaveLength(1);
    expect(faults(found)).toEqual([]);
    expect(found[0]?.steps.join()).toMatch(
      /SEARCH r USING INDEX tessera_runs_by_prunable \(tenant=\? AND prunable_at>\? AND prunable_at<\?\)/,
    );
    const updates = () =>
      [...texts]
        .filter((sql) => sql.startsWith("UPDATE tessera_runs"))
        .map((sql) => writesPrunable(database, sql));
    texts.clear();
    await history(store, [{ run: "a", expect: 1 }]);
    expect(updates()).toEqual([false]);
    texts.clear();
    await history(store, [{ run: "a", expect: 2, status: "completed", modes: [] }]);
    expect(updates()).toEqual([true]);
    await store.close();
  });

  it("[D10.13] one sees a filter whose index is gone (planted)", async () => {
    const { store, database, plans } = await planned();
    database.exec("DROP INDEX tessera_runs_by_business_key");
    await store.runs({ tenant: "default", limit: 5, businessKey: "k" });
    const found = plans().flatMap(({ steps }) => steps);
    expect(found.some((step) => step.includes("by_business_key"))).toBe(false);
    expect(
      found.some((step) => /USING (?:COVERING )?INDEX tessera_runs_by_(?:tenant|status)/.test(step)),
    ).toBe(true);
    await store.close();
  });
});
