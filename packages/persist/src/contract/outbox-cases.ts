/** @module The contract of the outbox: leases, fencing tokens, order. */
import assert from "node:assert/strict";
import type { EffectKind, RunStore } from "../store.ts";
import { type Case, commit, effect, history, kinds, turn } from "./sample.ts";

/** Cases of the outbox. */
export const OUTBOX_CASES: readonly Case[] = [
  {
    name: "claims what is available, oldest first, once, with what was committed",
    show: async (store) => {
      assert.equal(await store.nextEffect(), null);
      const add = [
        effect("a/3", { availableAt: 300 }),
        effect("a/1", { availableAt: 100 }),
        effect("a/2", { availableAt: 100 }),
      ];
      await history(store, [{ run: "a", expect: 0, effects: { add, done: [] } }]);
      assert.equal(await store.nextEffect(), 100);
      assert.deepEqual(await store.claimEffects("w", 99, 50, 9), []);
      const [first] = await store.claimEffects("w", 100, 50, 1);
      assert.deepEqual(
        { ...first, token: 0 },
        { tenant: "default", run: "a", effect: add[1], token: 0, leaseUntil: 150, claimCount: 1 },
      );
      assert.equal(await claimed(store, 100), "a/2");
      assert.equal(await claimed(store, 100), "");
      assert.equal(await store.nextEffect(), 150);
    },
  },
  {
    name: "claims an effect again when its lease has ended, under a greater token",
    show: async (store) => {
      await outboxOf(store, "a/1");
      const [first] = await store.claimEffects("w1", 1_000, 50, 9);
      assert.equal(await claimed(store, 1_049), "");
      const [second] = await store.claimEffects("w2", 1_050, 50, 9);
      assert.ok((second?.token ?? 0) > (first?.token ?? 0));
      assert.equal(second?.claimCount, 2);
    },
  },
  {
    name: "takes the result of the holder only: a stale token is a conflict on the fence",
    show: async (store) => {
      await outboxOf(store, "a/1");
      const old = (await store.claimEffects("w1", 1_000, 50, 9))[0]?.token ?? 0;
      const now = (await store.claimEffects("w2", 1_100, 50, 9))[0]?.token ?? 0;
      const result = (token: number) =>
        turn({ run: "a", expect: 1, fence: { effect: "a/1", token }, effects: { add: [], done: ["a/1"] } });
      const [stale] = await store.commit([result(old)]);
      assert.deepEqual(stale, { kind: "conflict", on: "fence", expected: old, found: now });
      assert.equal(kinds(await store.commit([result(now)])), "ok");
      const [late] = await store.commit([
        { ...result(now), expect: 2, record: { ...result(now).record, sequence: 3 } },
      ]);
      assert.deepEqual(late, { kind: "conflict", on: "fence", expected: now, found: 0 });
      assert.equal(await store.nextEffect(), null);
    },
  },
  {
    name: "takes the result of a holder whose lease has ended while nobody else has claimed",
    show: async (store) => {
      await outboxOf(store, "a/1");
      const token = (await store.claimEffects("w1", 1_000, 50, 9))[0]?.token ?? 0;
      const result = await commit(store, { run: "a", expect: 1, at: 9_000, fence: { effect: "a/1", token } });
      assert.equal(result.kind, "ok");
    },
  },
  {
    name: "renews and gives back for the holder only",
    show: async (store) => {
      await outboxOf(store, "a/1");
      const old = (await store.claimEffects("w1", 1_000, 50, 9))[0]?.token ?? 0;
      assert.equal(await store.renewLease("a/1", "default", old, 2_000), true);
      assert.equal(await claimed(store, 1_999), "");
      const now = (await store.claimEffects("w2", 2_000, 50, 9))[0]?.token ?? 0;
      assert.equal(await store.renewLease("a/1", "default", old, 9_000), false);
      await store.releaseEffect("a/1", "default", old, 0);
      assert.equal(await claimed(store, 2_000), "");
      await store.releaseEffect("a/1", "default", now, 3_000);
      assert.equal(await store.nextEffect(), 3_000);
      const fence = { effect: "a/1", token: now };
      assert.deepEqual(await commit(store, { run: "a", expect: 1, fence }), {
        kind: "conflict",
        on: "fence",
        expected: now,
        found: 0,
      });
      assert.equal(await store.renewLease("a/1", "default", 0, 9_000), false);
      assert.equal(await claimed(store, 3_000), "a/1");
      assert.equal(await store.renewLease("a/9", "default", now, 9_000), false);
    },
  },
  {
    name: "does not count a claim that was given back as not begun, and counts every other one",
    show: async (store) => {
      await outboxOf(store, "a/1");
      const claim = async (now: number): Promise<readonly [token: number, count: number]> => {
        const [found] = await store.claimEffects("w", now, 50, 9);
        return [found?.token ?? 0, found?.claimCount ?? 0];
      };
      const [first, once] = await claim(1_000);
      await store.releaseEffect("a/1", "default", first, 1_000, false);
      const [second, again] = await claim(1_000);
      assert.deepEqual([once, again], [1, 1]);
      await store.releaseEffect("a/1", "default", first, 1_000, false);
      await store.releaseEffect("a/1", "default", second, 1_000);
      const [third, begun] = await claim(1_000);
      assert.equal(begun, 2);
      await store.releaseEffect("a/1", "default", third, 1_000, true);
      assert.equal((await claim(1_000))[1], 3);
      // The lease ends without a word.
      const [fifth, silent] = await claim(2_000);
      assert.equal(silent, 4);
      await store.releaseEffect("a/1", "default", fifth, 2_000, false);
      assert.equal((await claim(2_000))[1], 4);
    },
  },
  {
    name: "drops an effect for the holder only",
    show: async (store) => {
      await outboxOf(store, "a/1");
      assert.equal(await store.dropEffect("a/1", "default", 0), false);
      const old = (await store.claimEffects("w1", 1_000, 50, 9))[0]?.token ?? 0;
      const now = (await store.claimEffects("w2", 1_100, 50, 9))[0]?.token ?? 0;
      assert.equal(await store.dropEffect("a/1", "default", old), false);
      assert.equal(await store.dropEffect("a/1", "other", now), false);
      assert.equal(await store.dropEffect("a/1", "default", now), true);
      assert.equal(await store.nextEffect(), null);
    },
  },
  {
    name: "puts an effect in the place of one with its id, whose claims and holder are forgotten",
    show: async (store) => {
      await outboxOf(store, "a/1");
      const token = (await store.claimEffects("w1", 1_000, 50, 9))[0]?.token ?? 0;
      const again = effect("a/1", { availableAt: 5_000, payload: { again: true } });
      await history(store, [
        { run: "a", expect: 1, fence: { effect: "a/1", token }, effects: { add: [again], done: ["a/1"] } },
      ]);
      assert.equal(await store.renewLease("a/1", "default", token, 9_000), false);
      const [claim] = await store.claimEffects("w1", 5_000, 50, 9);
      assert.deepEqual([claim?.effect, claim?.claimCount], [again, 1]);
      assert.ok((claim?.token ?? 0) > token);
    },
  },
  {
    name: "claims only the kinds that are asked for",
    show: async (store) => {
      const add = [
        effect("a/1", { availableAt: 10 }),
        effect("a/2", { kind: "child-done", availableAt: 30 }),
        effect("a/3", { kind: "start-child", availableAt: 20 }),
      ];
      await history(store, [{ run: "a", expect: 0, effects: { add, done: [] } }]);
      const between: readonly EffectKind[] = ["start-child", "child-done"];
      assert.equal(await store.nextEffect(between), 20);
      assert.equal(await store.nextEffect(["continue"]), null);
      assert.deepEqual(await store.claimEffects("w", 99, 10, 9, []), []);
      const found = await store.claimEffects("w", 99, 10, 9, between);
      assert.deepEqual(
        found.map((one) => one.effect.id),
        ["a/3", "a/2"],
      );
      assert.equal(await claimed(store, 99), "a/1");
    },
  },
  {
    name: "claims with a turn those of its effects that it names, for as long as it says",
    show: async (store) => {
      const add = [effect("a/1"), effect("a/2"), effect("a/3")];
      const claim = { owner: "w1", leaseUntil: 5_000, effects: ["a/3", "a/1"] };
      const result = await commit(store, { run: "a", expect: 0, effects: { add, done: [], claim } });
      const [third = 0, first = 0] = result.kind === "ok" ? (result.tokens ?? []) : [];
      assert.ok(first > 0 && third > 0 && first !== third);
      assert.equal(await claimed(store, 4_999), "a/2");
      assert.equal(await store.renewLease("a/1", "default", first, 6_000), true);
      const [again] = await store.claimEffects("w2", 5_000, 50, 9);
      assert.deepEqual([again?.effect.id, again?.claimCount], ["a/3", 2]);
      assert.ok((again?.token ?? 0) > third);
      const answer = (token: number, id: string) =>
        commit(store, {
          run: "a",
          expect: 1,
          fence: { effect: id, token },
          effects: { add: [], done: [id] },
        });
      assert.equal(kinds([await answer(third, "a/3")]), "conflict:fence");
      assert.equal(kinds([await answer(first, "a/1")]), "ok");
    },
  },
  {
    name: "claims nothing with a turn that is refused",
    show: async (store) => {
      await outboxOf(store, "a/1");
      const claim = { owner: "w", leaseUntil: 9_000, effects: ["a/1"] };
      const add = [effect("a/1", { payload: { again: true } })];
      const result = await commit(store, { run: "a", expect: 5, effects: { add, done: [], claim } });
      assert.equal(kinds([result]), "conflict:run");
      const [found] = await store.claimEffects("w", 1_000, 50, 9);
      assert.deepEqual([found?.effect.payload, found?.claimCount], [effect("a/1").payload, 1]);
    },
  },
  {
    name: "keeps the effects of tenants apart",
    show: async (store) => {
      for (const tenant of ["t1", "t2"]) {
        const add = [effect("a/1", { payload: { of: tenant } })];
        await history(store, [{ tenant, run: "a", expect: 0, effects: { add, done: [] } }]);
      }
      const found = await store.claimEffects("w", 1_000, 50, 9);
      assert.deepEqual(
        found.map(({ tenant, effect: { payload } }) => [tenant, payload]),
        [
          ["t1", { of: "t1" }],
          ["t2", { of: "t2" }],
        ],
      );
      const [t1, t2] = found.map(({ token }) => token);
      const other = await commit(store, {
        tenant: "t1",
        run: "a",
        expect: 1,
        fence: { effect: "a/1", token: t2 ?? 0 },
      });
      assert.equal(kinds([other]), "conflict:fence");
      assert.equal(await store.renewLease("a/1", "t2", t1 ?? 0, 9_000), false);
      await history(store, [{ tenant: "t1", run: "a", expect: 1, effects: { add: [], done: ["a/1"] } }]);
      assert.equal(await store.renewLease("a/1", "t2", t2 ?? 0, 9_000), true);
    },
  },
  {
    name: "carries a large payload",
    show: async (store) => {
      const payload = { data: { text: "y".repeat(200_000) } };
      await history(store, [
        { run: "a", expect: 0, effects: { add: [effect("a/1", { payload })], done: [] } },
      ]);
      assert.deepEqual((await store.claimEffects("w", 1_000, 5, 9))[0]?.effect.payload, payload);
    },
  },
];

async function outboxOf(store: RunStore, id: string): Promise<void> {
  await history(store, [{ run: "a", expect: 0, effects: { add: [effect(id)], done: [] } }]);
}

async function claimed(store: RunStore, now: number): Promise<string> {
  return (await store.claimEffects("w", now, 50, 9)).map((one) => one.effect.id).join(" ");
}
