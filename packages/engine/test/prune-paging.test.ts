/** Pruning of all that ended before a time: which runs, each once, and at which cost. Oracle: the runs, listed one by one. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { memoryStore, type RunRow, type RunStore } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { accepted } from "../src/index.ts";
import { manualClock, testEngine } from "../src/testing.ts";
import { flow, single } from "./definitions.ts";

const OPS = { by: { id: "ops" }, reason: "old" };

/** A store that notes which runs it has shown in lists, and which it has loaded. */
function noting(inner: RunStore) {
  const listed: string[] = [];
  const loaded: string[] = [];
  const noted = async <P extends { readonly rows: readonly RunRow[] }>(page: Promise<P>): Promise<P> => {
    listed.push(...(await page).rows.map(({ run }) => run));
    // What a broken store would have an engine do for ever.
    if (listed.length > 2_000) throw new Error("it goes on and on");
    return page;
  };
  const store: RunStore = {
    ...inner,
    runs: (query) => noted(inner.runs(query)),
    prunable: (query) => noted(inner.prunable(query)),
    load: (tenant, run, at) => {
      loaded.push(run);
      return inner.load(tenant, run, at);
    },
  };
  const forget = (): void => {
    listed.length = 0;
    loaded.length = 0;
  };
  return { store, listed, loaded, forget };
}

/** An engine on a noting store with `count` runs r0, r1 ... that have ended. */
async function ended(count: number) {
  const noted = noting(memoryStore());
  const test = testEngine({ store: noted.store });
  accepted(await test.engine.deploy(flow("w", [["z", "end"]], [])));
  for (let n = 0; n < count; n += 1) accepted(await test.engine.start({ workflow: "w", id: `r${n}` }));
  noted.forget();
  return { ...test, ...noted };
}

const LATER = Number.MAX_SAFE_INTEGER;

describe("pruning of all that ended before a time", () => {
  it("[D9.18] [D10.28] reads nothing of what was pruned before", async () => {
    const { engine, listed, loaded, forget } = await ended(450);
    const first = accepted(await engine.prune({ before: LATER, ...OPS }));
    expect([first.runs.length, first.refused.length]).toEqual([450, 0]);
    expect([listed.length, loaded.length]).toEqual([450, 450]);
    forget();
    expect(await engine.prune({ before: LATER, ...OPS })).toMatchObject({ runs: [], refused: [] });
    expect([listed, loaded]).toEqual([[], []]);
    accepted(await engine.start({ workflow: "w", id: "new" }));
    forget();
    expect(await engine.prune({ before: LATER, ...OPS })).toMatchObject({ runs: [{ run: "new" }] });
    expect([listed, loaded]).toEqual([["new"], ["new"]]);
  });

  it("[D9.18] goes on behind whole pages of runs that refuse, and asks each of them once", async () => {
    const { engine, store, listed, loaded, forget } = await ended(450);
    const refusing = Array.from({ length: 420 }, (_, n) => `r${n}`);
    for (const run of refusing) await store.erase("default", run, 1, "dpo", "asked", 5);
    forget();
    const pruned = accepted(await engine.prune({ before: LATER, ...OPS }));
    expect(pruned.refused.map(({ run, refusal }) => `${run} ${refusal.code}`)).toEqual(
      refusing.map((run) => `${run} erased`),
    );
    expect(pruned.runs.map(({ run }) => run)).toEqual(Array.from({ length: 30 }, (_, n) => `r${420 + n}`));
    expect([listed.length, loaded.length]).toEqual([450, 450]);
    expect(new Set(loaded).size).toBe(450);
  });

  it("[D9.18] ends although runs end all the time", async () => {
    const inner = memoryStore();
    const clock = manualClock(async () => undefined);
    let count = 0;
    const store: RunStore = {
      ...inner,
      // For each run that is pruned another one ends.
      prune: async (...args) => {
        await clock.advance(1);
        if (count < 1_000) accepted(await engine.start({ workflow: "w", id: `r${count++}` }));
        return inner.prune(...args);
      },
    };
    const { engine } = testEngine({ store, clock });
    accepted(await engine.deploy(flow("w", [["z", "end"]], [])));
    for (; count < 3; count += 1) accepted(await engine.start({ workflow: "w", id: `r${count}` }));
    const pruned = accepted(await engine.prune({ before: LATER, ...OPS }));
    expect(pruned.runs.map(({ run }) => run)).toEqual(["r0", "r1", "r2"]);
    expect(count).toBe(6);
  });
});

describe("a database of an older version", () => {
  it("[D9.18] [D9.19] [D10.10] [D10.28] passes its audit, and is pruned of what had ended in it", async () => {
    const dir = mkdtempSync(path.join(tmpdir(), "tessera-prune-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const file = path.join(dir, "runs.db");
    copyFileSync(new URL("../../persist/test/fixtures/schema-v6.sqlite", import.meta.url), file);
    const store = sqliteStore({ path: file });
    const { engine } = testEngine({ store, startAt: Date.UTC(2027, 0) });
    const verdicts = async () =>
      (await engine.audit()).runs.map(({ run, verdict, prunedTo }) => [run, verdict, prunedTo]);
    expect(await verdicts()).toEqual([
      ["cancelled", "ok", 0],
      ["erased", "erased", 0],
      ["partly", "ok", 1],
      ["pruned", "ok", 2],
      ["done", "ok", 0],
      ["open", "ok", 0],
    ]);
    expect(await engine.prune({ before: Date.UTC(2026, 6), ...OPS })).toMatchObject({
      runs: [{ run: "partly" }, { run: "done" }, { run: "cancelled" }],
      refused: [{ run: "erased", refusal: { code: "erased" } }],
    });
    expect(await verdicts()).toEqual([
      ["cancelled", "ok", 2],
      ["erased", "erased", 0],
      ["partly", "ok", 2],
      ["pruned", "ok", 2],
      ["done", "ok", 2],
      ["open", "ok", 0],
    ]);
    await engine.close();
    await store.close();
  });
});

type Break = (store: RunStore) => Partial<RunStore>;

/**
 * Law: of all runs those are pruned that have ended before the time and are not pruned to their end, but for those with
 * an erased turn, which are refused; the store shows these runs and no other, each once, however small its pages are.
 * Oracle: each run by its definition, and what was done to it. Generated: what becomes of runs, and when; the time; pages.
 */
async function prunesWhatIsToBePruned(broken: Break): Promise<void> {
  const lives = fc.array(
    fc.record({
      becomes: fc.constantFrom("open", "ended", "erased", "pruned", "begun"),
      at: fc.nat(5),
    }),
    { maxLength: 7 },
  );
  await fc.assert(
    fc.asyncProperty(lives, fc.nat(7), fc.integer({ min: 1, max: 3 }), async (runs, time, limit) => {
      const inner = memoryStore();
      const all = { ...inner, ...broken(inner) };
      const small = { ...all, prunable: (query) => all.prunable({ ...query, limit }) } satisfies RunStore;
      const { store, listed, forget } = noting(small);
      const { engine, clock } = testEngine({ store });
      accepted(await engine.deploy(single("w", ["h", "human"], ["done"])));
      const began = clock.now();
      for (const n of runs.keys()) accepted(await engine.start({ workflow: "w", id: `r${n}` }));
      for (let at = 0; at <= 5; at += 1) {
        for (const [n, life] of runs.entries()) {
          if (life.at !== at || life.becomes === "open") continue;
          accepted(await engine.run(`r${n}`).complete({ node: "h", by: { id: "ann" } }));
        }
        await clock.advance(1);
      }
      for (const [n, { becomes }] of runs.entries()) {
        const run = `r${n}`;
        if (becomes === "pruned") accepted(await engine.prune({ run, ...OPS }));
        if (becomes === "begun") accepted(await engine.prune({ run, at: 1, ...OPS }));
        if (becomes === "erased") await inner.erase("default", run, 1, "dpo", "asked", 5);
      }
      forget();
      const found = accepted(await engine.prune({ before: began + time, ...OPS }));
      const expected = [...runs.entries()]
        .filter(([, { becomes, at }]) => !["open", "pruned"].includes(becomes) && at < time)
        .sort(([n, a], [m, b]) => a.at - b.at || n - m)
        .map(([n, { becomes }]) => [`r${n}`, becomes === "erased"] as const);
      const named = (isRefused: boolean) =>
        expected.filter(([, isErased]) => isErased === isRefused).map(([run]) => run);
      expect(found.runs.map(({ run }) => run)).toEqual(named(false));
      expect(found.refused.map(({ run }) => run)).toEqual(named(true));
      expect(listed).toEqual(expected.map(([run]) => run));
    }),
    { numRuns: 60 },
  );
}

const BROKEN: Readonly<Record<string, Break>> = {
  "that forgets where a page ended": (store) => ({
    prunable: ({ after: _, ...query }) => store.prunable(query),
  }),
  "that shows what is pruned": (store) => ({
    prunable: async ({ tenant, before, limit }) => {
      const { rows } = await store.runs({ tenant, limit: 999, status: "completed" });
      const old = rows.filter(({ updatedAt }) => updatedAt < before);
      return { rows: old.slice(0, limit + 999), next: null };
    },
  }),
  "that goes on behind one run too many": (store) => ({
    prunable: async (query) => {
      const { limit } = query;
      const page = await store.prunable({ ...query, limit: limit + 1 });
      return { ...page, rows: page.rows.slice(0, limit) };
    },
  }),
  "that takes what ended at the time for older": (store) => ({
    prunable: (query) => store.prunable({ ...query, before: query.before + 1 }),
  }),
};

describe("which runs are pruned", () => {
  it("[D9.18] [D10.28] those that ended before the time and are not pruned, each asked once", async () => {
    await prunesWhatIsToBePruned(() => ({}));
  }, 60_000);

  for (const [name, broken] of Object.entries(BROKEN)) {
    it(`[D10.28] the law notices a store ${name}`, async () => {
      await expect(prunesWhatIsToBePruned(broken)).rejects.toThrow();
    }, 60_000);
  }
});
