/** On PostgreSQL: whatever an open transaction has touched, only the turns that concern it wait, and none is wrong about it. */
import { groupCommitter, type RunStore, type Turn } from "@tessera/persist";
import type { PostgresOptions } from "@tessera/persist/postgres";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  effect,
  history,
  item,
  kinds,
  mutation,
  object,
  type TurnSketch,
  turn,
} from "../src/contract/sample.ts";
import { postgresForTests } from "./postgres-stores.ts";

const postgres = postgresForTests("blocked turns on PostgreSQL");

/** An empty store, and the same store within a transaction that is open. */
async function opened(options: PostgresOptions = {}) {
  const store = await postgres.emptyStore(options);
  // Whoever makes a tenant keeps all turns of the tenant waiting: this one is there.
  await history(store, [{ run: "first", expect: 0 }]);
  const client = new pg.Client(postgres.server().connection);
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await store.close();
  });
  await client.query("BEGIN");
  return { store, client, enlisted: store.enlist(client), committer: groupCommitter(store) };
}

const LARGE = { text: "x".repeat(70_000) };
const write = (run: string, graph: string, expected = 0): TurnSketch => ({
  run,
  expect: 0,
  created: { graph },
  graph: { id: graph, expect: expected, mutations: [mutation({ create: [object(`of-${run}`)] })] },
});
const sends = (run: string): TurnSketch => ({
  run,
  expect: 0,
  sends: { messages: [{ name: "m", id: "once", data: {}, expiresAt: 9_000 }], signals: [] },
});
const parent = { run: "p", item: "1.0" };

/** What is there before, what the transaction does, the turn that it concerns; what comes of that after each end. */
interface Case {
  readonly before?: (store: RunStore) => Promise<void>;
  readonly within: () => Turn;
  readonly turn: () => Turn;
  readonly committed: string;
  readonly undone: string;
}

/** What `before` of a case has been given. */
const lease = { token: 0, message: 0 };
const AWAITS = item("1.0", { kind: "event", subscriptions: [{ event: "e", on: "message", name: "m" }] });

const CASES: Readonly<Record<string, Case>> = {
  "a run that it has changed": {
    before: (store) => history(store, [{ run: "r", expect: 0 }]),
    within: () => turn({ run: "r", expect: 1 }),
    turn: () => turn({ run: "r", expect: 1 }),
    committed: "conflict:run",
    undone: "ok",
  },
  "a run that it has started": {
    within: () => turn({ run: "r", expect: 0 }),
    turn: () => turn({ run: "r", expect: 0 }),
    committed: "conflict:run",
    undone: "ok",
  },
  "a tenant that nobody had": {
    within: () => ({ ...turn({ run: "r", expect: 0 }), tenant: "new" }),
    turn: () => ({ ...turn({ run: "q", expect: 0 }), tenant: "new" }),
    committed: "ok",
    undone: "ok",
  },
  "a graph that it has written": {
    before: (store) => history(store, [write("w", "shared")]),
    within: () => turn(write("r", "shared", 1)),
    turn: () => turn(write("q", "shared", 1)),
    committed: "conflict:graph",
    undone: "ok",
  },
  "a graph that it has made": {
    within: () => turn(write("r", "shared")),
    turn: () => turn(write("q", "shared")),
    committed: "conflict:graph",
    undone: "ok",
  },
  "an item that it has closed, of which a run is called": {
    before: (store) => history(store, [{ run: "p", expect: 0, set: [item("1.0")] }]),
    within: () => turn({ run: "p", expect: 1, closed: ["1.0"] }),
    turn: () => turn({ run: "q", expect: 0, created: { parent } }),
    committed: "conflict:parent",
    undone: "ok",
  },
  "an item of which it has called a run, that is closed": {
    before: (store) => history(store, [{ run: "p", expect: 0, set: [item("1.0")] }]),
    within: () => turn({ run: "r", expect: 0, created: { parent } }),
    turn: () => turn({ run: "p", expect: 1, closed: ["1.0"] }),
    committed: "ok",
    undone: "ok",
  },
  "an effect that it has completed, by which another turn is fenced": {
    before: async (store) => {
      await history(store, [{ run: "r", expect: 0, effects: { add: [effect("r/1")], done: [] } }]);
      const [claimed] = await store.claimEffects("worker", 2_000, 60_000, 1);
      lease.token = claimed?.token ?? -1;
    },
    within: () => turn({ run: "r", expect: 1, effects: { add: [], done: ["r/1"] } }),
    turn: () => turn({ run: "q", expect: 0, fence: { effect: "r/1", token: lease.token } }),
    committed: "conflict:fence",
    undone: "ok",
  },
  "an effect of the same id": {
    within: () => turn({ run: "r", expect: 0, effects: { add: [effect("same")], done: [] } }),
    turn: () => turn({ run: "q", expect: 0, effects: { add: [effect("same")], done: [] } }),
    committed: "ok",
    undone: "ok",
  },
  "a message that it has taken": {
    before: async (store) => {
      await store.publish("default", { name: "m", data: {}, expiresAt: 9_000 }, 0);
      await history(store, [{ run: "w", expect: 0, set: [AWAITS] }]);
      const [offer] = await store.deliveries(1, 9);
      lease.message = offer?.message.number ?? -1;
    },
    within: () => turn({ run: "r", expect: 0, takes: lease.message }),
    turn: () => turn({ run: "q", expect: 0, takes: lease.message }),
    committed: "conflict:message",
    undone: "ok",
  },
  "a message of the same id": {
    within: () => turn(sends("r")),
    turn: () => turn(sends("q")),
    committed: "ok",
    undone: "ok",
  },
  "the same large value": {
    within: () => turn({ run: "r", expect: 0, data: LARGE }),
    turn: () => turn({ run: "q", expect: 0, data: LARGE }),
    committed: "ok",
    undone: "ok",
  },
};

const free = (expected: number): readonly Turn[] =>
  Array.from({ length: 6 }, (_, n) => turn({ run: `free-${n}`, expect: expected }));

describe.skipIf(!postgres.isHere)("turns that an open transaction is in the way of", () => {
  describe.each(["COMMIT", "ROLLBACK"] as const)("until its %s", (end) => {
    it.each(Object.entries(CASES))(
      "[D10.23] [D10.26] by %s: they wait for it, in their order, and no other turn does",
      async (_, { before, within, turn: concerned, committed, undone }) => {
        const { store, client, enlisted, committer } = await opened();
        await before?.(store);
        expect(kinds(await enlisted.commit([within()]))).toBe("ok");
        const first = concerned();
        const second = { ...turn({ run: first.run, expect: first.expect + 1 }), tenant: first.tenant };
        let isAnswered = false;
        const waiting = Promise.all([first, second].map((each) => committer.commit(each))).finally(() => {
          isAnswered = true;
        });
        expect(kinds(await Promise.all(free(0).map(committer.commit)))).toBe("ok ok ok ok ok ok");
        expect(kinds(await Promise.all(free(1).map(committer.commit)))).toBe("ok ok ok ok ok ok");
        expect(isAnswered).toBe(false);
        await client.query(end);
        const [answer, behind] = await waiting;
        expect(kinds(answer === undefined ? [] : [answer])).toBe(end === "COMMIT" ? committed : undone);
        // It was judged after the first one: with it, or by what the transaction left.
        if (answer?.kind === "ok") expect(behind?.kind).toBe("ok");
        await committer.close();
      },
      60_000,
    );
  });

  it("[D10.26] one sees a committer that waits for all of a group (planted)", async () => {
    const { store, client, enlisted } = await opened({ retry: { retriesMax: 3 } });
    await history(store, [{ run: "r", expect: 0 }]);
    await enlisted.commit([turn({ run: "r", expect: 1 })]);
    const committer = groupCommitter({ commit: (turns) => store.commit(turns) });
    const answers = await Promise.allSettled(
      [turn({ run: "r", expect: 1 }), ...free(0)].map(committer.commit),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => "rejected"));
    await client.query("ROLLBACK");
  }, 60_000);

  it("[D10.23] by forty runs that it has started: each turn waits by itself", async () => {
    const { client, enlisted, committer } = await opened();
    const starts = (): readonly Turn[] =>
      Array.from({ length: 40 }, (_, n) => turn({ run: `r-${n}`, expect: 0 }));
    await enlisted.commit(starts());
    const waiting = starts().map(committer.commit);
    expect(kinds(await Promise.all(free(0).map(committer.commit)))).toBe("ok ok ok ok ok ok");
    await client.query("COMMIT");
    expect(new Set((await Promise.all(waiting)).map(({ kind }) => kind))).toEqual(new Set(["conflict"]));
  }, 60_000);

  it("[D10.22] a group that is committed as a whole waits as a whole, for a bounded time, and nothing of it is written", async () => {
    const { store, client, enlisted } = await opened({ retry: { retriesMax: 10 } });
    await history(store, [{ run: "r", expect: 0 }]);
    await enlisted.commit([turn({ run: "r", expect: 1 })]);
    const group = (): readonly Turn[] => [...free(0), turn({ run: "r", expect: 1 })];
    await expect(store.commit(group())).rejects.toMatchObject({
      code: "busy",
      message: expect.stringContaining("another transaction is open"),
    });
    expect(await store.load("default", "free-0")).toBeNull();
    await client.query("ROLLBACK");
    expect(kinds(await store.commit(group()))).toBe("ok ok ok ok ok ok ok");
  }, 60_000);

  it("[D10.23] a run that somebody holds never looks absent: its start is not taken for a new one", async () => {
    const { store, client } = await opened();
    await history(store, [{ run: "r", expect: 0 }]);
    await client.query("SELECT 1 FROM tessera.tessera_runs WHERE run = 'r' FOR UPDATE");
    const blocked: number[] = [];
    const group = [
      turn({ run: "q", expect: 0 }),
      turn({ run: "r", expect: 0 }),
      turn({ run: "r", expect: 1 }),
    ];
    expect(kinds(await store.commit(group, (place) => blocked.push(place)))).toBe("ok");
    expect(blocked).toEqual([1, 2]);
    await client.query("ROLLBACK");
    const rest = await store.commit(group.slice(1), (place) => blocked.push(place));
    expect([kinds(rest), blocked]).toEqual(["conflict:run ok", [1, 2]]);
  }, 60_000);
});
