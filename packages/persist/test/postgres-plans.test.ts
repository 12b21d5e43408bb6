/** @module How PostgreSQL can find what is asked for: no combination of filters leaves it but to read a table, or to sort what a page is cut from. */
import { type PostgresClient, type PostgresPool, postgresStore } from "@tessera/persist/postgres";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { history, item, turn } from "../src/contract/sample.ts";
import { postgresForTests } from "./postgres-stores.ts";
import { ITEM_FILTERS, RUN_FILTERS, subsets } from "./query-filters.ts";

const postgres = postgresForTests("plans on PostgreSQL");

/** What EXPLAIN says of a step, as far as it is looked at. */
interface Step {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly Plans?: readonly Step[];
}

const stepsOf = (step: Step): readonly Step[] => [step, ...(step.Plans ?? []).flatMap(stepsOf)];

interface Asked {
  readonly text: string;
  readonly values?: unknown[];
}

/** A store with something in it on a pool that notes what is asked, and the plans of what was asked since. */
async function planned() {
  await (await postgres.emptyStore()).close();
  const pool = new pg.Pool({ ...postgres.server().connection, max: 2 });
  onTestFinished(() => pool.end());
  const asked = new Map<string, Asked>();
  const noting = (client: PostgresClient): PostgresClient =>
    new Proxy(client, {
      get: (target, name) => {
        if (name === "query") {
          return (query: Asked) => {
            asked.set(query.text, query);
            return target.query(query);
          };
        }
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  const watched: PostgresPool = {
    connect: async () => noting((await pool.connect()) as unknown as PostgresClient),
    end: () => pool.end(),
  };
  const store = await postgresStore({ pool: watched });
  onTestFinished(() => store.close());
  const set = [item("1.0", { dueAt: 5, assignee: "ann", candidateGroups: ["g"] })];
  await history(store, [{ run: "a", expect: 0, set }]);
  await crowd(pool);
  asked.clear();
  /** Plans that neither read a table nor sort, where there is such a plan: of the first rows of one it might be chosen. */
  const plans = async (isMeant: (text: string) => boolean) => {
    const client = await pool.connect();
    try {
      await client.query("SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off");
      const found: { readonly text: string; readonly steps: readonly Step[] }[] = [];
      for (const { text, values = [] } of asked.values()) {
        if (!isMeant(text)) continue;
        const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, values);
        found.push({ text, steps: stepsOf(rows[0]["QUERY PLAN"][0].Plan) });
      }
      return found;
    } finally {
      client.release(true);
    }
  };
  return { store, pool, plans };
}

/** So many rows beside the one run, of many kinds, that the planner has an index to prefer. */
async function crowd(pool: pg.Pool): Promise<void> {
  const copies = async (table: string, own: Readonly<Record<string, string>>) => {
    const { rows } = await pool.query<{ name: string }>(
      "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'tessera' AND table_name = $1",
      [table],
    );
    const names = rows.map(({ name }) => name);
    const values = names.map((name) => own[name] ?? name);
    await pool.query(
      `INSERT INTO tessera.${table} (${names.join(", ")}) SELECT ${values.join(", ")}
       FROM (SELECT * FROM tessera.${table} LIMIT 1) AS one, generate_series(1, 5000) AS n`,
    );
    await pool.query(`ANALYZE tessera.${table}`);
  };
  await copies("tessera_runs", {
    id: "id + n",
    run: "'r' || n",
    workflow: "'w' || n % 40",
    status: "CASE WHEN n % 100 = 0 THEN 'waiting' ELSE 'completed' END",
    definition: "decode(md5((n % 30)::text) || md5('x'), 'hex')",
    business_key: "'k' || n",
    parent_run: "'p' || n % 5000",
  });
  await copies("tessera_items", {
    id: "id + n",
    run: "run + n",
    kind: "(ARRAY['work-item', 'timer', 'job', 'child'])[1 + n % 4]",
    due_at: "CASE WHEN n % 2 = 0 THEN n END",
  });
  await copies("tessera_offers", { item: "item + n", principal: "'g:' || n % 300" });
}

type Plans = Awaited<ReturnType<Awaited<ReturnType<typeof planned>>["plans"]>>;

const tablesRead = (plans: Plans) =>
  plans.flatMap(({ text, steps }) =>
    steps
      .filter((step) => step["Node Type"] === "Seq Scan" && step["Relation Name"] !== "tessera_tenants")
      .map((step) => [step["Relation Name"], text]),
  );

/** Searches of runs by a column that go along an index which knows nothing of their filters. */
const unfiltered = (plans: Plans) =>
  plans.filter(
    ({ text, steps }) =>
      /AND r\.\w+ = \$/.test(text) &&
      !text.includes("tessera_run_values v") &&
      !steps.some((step) =>
        /^tessera_runs_by_(?:status|workflow|definition|business_key|parent)$/.test(step["Index Name"] ?? ""),
      ),
  );
const sorts = (plans: Plans) =>
  plans.flatMap(({ text, steps }) =>
    steps.filter((step) => /Sort/.test(step["Node Type"])).map((step) => [step["Node Type"], text]),
  );

const isListing = (text: string): boolean => /^\s*SELECT[\s\S]*LIMIT/.test(text);

describe.skipIf(!postgres.isHere)("plans of queries on PostgreSQL", () => {
  it("[D10.13] [D10.18] no combination of filters over runs reads a table or sorts", async () => {
    const { store, plans } = await planned();
    const combinations = subsets({ ...RUN_FILTERS, after: "4000" });
    expect(combinations).toHaveLength(128);
    for (const filters of combinations) await store.runs({ tenant: "default", limit: 5, ...filters });
    const found = await plans((text) => isListing(text) && /tessera_runs r/.test(text));
    expect(found.length).toBeGreaterThanOrEqual(64);
    expect(tablesRead(found)).toEqual([]);
    expect(sorts(found)).toEqual([]);
    expect(unfiltered(found)).toEqual([]);
  }, 120_000);

  it("[D10.13] [D10.27] no combination of filters over open items reads a table, and those by due time do not sort", async () => {
    const { store, plans } = await planned();
    for (const filters of subsets(ITEM_FILTERS)) {
      await store.items({ tenant: "default", limit: 5, ...filters });
      await store.items({ tenant: "default", limit: 5, dueBy: 9, ...filters });
      await store.countItems({ tenant: "default", max: 5, ...filters });
    }
    const found = await plans((text) => /tessera_items i/.test(text));
    expect(found.length).toBeGreaterThan(20);
    expect(tablesRead(found)).toEqual([]);
    expect(sorts(found.filter(({ text }) => isListing(text) && !text.includes("DISTINCT")))).toEqual([]);
  }, 120_000);

  it("[D10.28] what is to be pruned is read along its index, in the order of the page", async () => {
    const { store, pool, plans } = await planned();
    await pool.query("UPDATE tessera.tessera_runs SET prunable_at = id WHERE status = 'completed'");
    for (const after of [undefined, "3/7"])
      await store.prunable({
        tenant: "default",
        before: 4e3,
        limit: 5,
        ...(after === undefined ? {} : { after }),
      });
    const found = await plans((text) => isListing(text) && text.includes("prunable_at <"));
    expect(found).toHaveLength(1);
    expect(tablesRead(found)).toEqual([]);
    expect(sorts(found)).toEqual([]);
    expect(found[0]?.steps.map((step) => step["Index Name"] ?? "")).toContain("tessera_runs_by_prunable");
  }, 120_000);

  it("[D10.28] a turn that does not end its run changes its row in place, without a new entry in any index", async () => {
    const { store, pool } = await planned();
    const client = await pool.connect();
    onTestFinished(() => client.release());
    const inPlace = async (): Promise<unknown> => {
      const { rows } = await client.query(
        "SELECT pg_stat_get_xact_tuples_hot_updated('tessera.tessera_runs'::regclass)::int AS hot",
      );
      return rows[0]?.hot;
    };
    await client.query("BEGIN");
    await store.enlist(client).commit([turn({ run: "a", expect: 1 })]);
    expect(await inPlace()).toBe(1);
    await store.enlist(client).commit([turn({ run: "a", expect: 2, status: "completed", modes: [] })]);
    expect(await inPlace()).toBe(1);
    await client.query("ROLLBACK");
  }, 120_000);

  it("[D10.13] one sees a filter whose index is gone (planted)", async () => {
    const { store, pool, plans } = await planned();
    await pool.query("DROP INDEX tessera.tessera_runs_by_status");
    onTestFinished(async () => {
      await postgres.pool().query("DROP SCHEMA tessera CASCADE");
    });
    await store.runs({ tenant: "default", limit: 5, status: "waiting" });
    const found = await plans((text) => isListing(text) && /tessera_runs r/.test(text));
    expect(found).toHaveLength(1);
    expect(unfiltered(found)).toHaveLength(1);
  }, 120_000);
});
