/** @module The contract about messages and signals: taken once, by one; handed to all who wait; and never half. */
import assert from "node:assert/strict";
import type { OpenItem, Subscription } from "@tessera/core";
import type { Delivery, NewMessage } from "../message.ts";
import { type Case, commit, DEFINITION, effect, history, item } from "./sample.ts";

const TENANT = "default";
const message = (name: string, more: Partial<NewMessage> = {}): NewMessage => ({
  name,
  data: { n: name },
  expiresAt: 10_000,
  ...more,
});
const waiting = (id: string, ...subscriptions: readonly Subscription[]): OpenItem =>
  item(id, { kind: "event", node: "catch", subscriptions });
const on = (event: string, name: string, key?: string): Subscription => ({
  event,
  on: "message",
  name,
  ...(key === undefined ? {} : { key }),
});
const signal = (event: string, name: string): Subscription => ({ event, on: "signal", name });
/** A delivery as text: which message, to whom. */
const text = ({ message: { name, key, data }, to }: Delivery): string => {
  const who = to.kind === "item" ? `${to.run}/${to.item}` : to.workflow;
  return `${name}:${key ?? ""}:${JSON.stringify(data)} ${who} ${to.event}`;
};

/** Messages and signals. */
export const MESSAGE_CASES: readonly Case[] = [
  {
    name: "[D10.17] a message waits for the item that waits for its name and key, in this tenant",
    show: async (store) => {
      assert.deepEqual(await store.publish(TENANT, message("paid", { key: "7" }), 0), {
        kind: "stored",
        receivers: 0,
      });
      assert.deepEqual(await store.deliveries(0, 9), []);
      await history(store, [
        {
          run: "a",
          expect: 0,
          set: [waiting("a.1", on("x", "paid", "8"), on("y", "sent", "7"), on("z", "paid"))],
        },
        { run: "b", expect: 0, set: [waiting("b.1", on("go", "paid", "7"))] },
        { run: "b", expect: 0, tenant: "other", set: [waiting("b.1", on("go", "paid", "7"))] },
      ]);
      const found = await store.deliveries(0, 9);
      assert.deepEqual(found.map(text), ['paid:7:{"n":"paid"} b/b.1 go']);
      assert.deepEqual(
        found.map((each) => [each.message.tenant, each.message.id, each.message.expiresAt]),
        [[TENANT, null, 10_000]],
      );
    },
  },
  {
    name: "[D10.17] oldest message first, for each the item that was opened first",
    show: async (store) => {
      await history(store, [
        { run: "b", expect: 0, set: [waiting("b.1", on("go", "m"))] },
        { run: "a", expect: 0, set: [waiting("a.1", on("go", "m"))] },
      ]);
      for (const n of [1, 2]) await store.publish(TENANT, message("m", { data: { n } }), 0);
      const all = [
        'm::{"n":1} b/b.1 go',
        'm::{"n":1} a/a.1 go',
        'm::{"n":2} b/b.1 go',
        'm::{"n":2} a/a.1 go',
      ];
      assert.deepEqual((await store.deliveries(0, 9)).map(text), all);
      assert.deepEqual((await store.deliveries(0, 3)).map(text), all.slice(0, 3));
    },
  },
  {
    name: "[D10.17] what has expired is gone",
    show: async (store) => {
      await history(store, [{ run: "a", expect: 0, set: [waiting("a.1", on("go", "m"))] }]);
      await store.publish(TENANT, message("m"), 0);
      assert.equal((await store.deliveries(9_999, 9)).length, 1);
      assert.equal((await store.deliveries(10_000, 9)).length, 0);
      await store.publish(TENANT, message("n"), 10_000);
      assert.equal((await store.deliveries(0, 9)).length, 0);
    },
  },
  {
    name: "[D10.17] a message with an id is there once, whatever became of the first one",
    show: async (store) => {
      await history(store, [{ run: "a", expect: 0, set: [waiting("a.1", on("go", "m"))] }]);
      const given = message("m", { id: "e-1" });
      assert.equal((await store.publish(TENANT, given, 0)).kind, "stored");
      assert.equal((await store.publish(TENANT, given, 0)).kind, "known");
      assert.equal((await store.publish("other", given, 0)).kind, "stored");
      assert.equal((await store.publish(TENANT, message("other", { id: "e-1" }), 0)).kind, "stored");
      const takes = (await store.deliveries(0, 9))[0]?.message.number ?? -1;
      assert.equal((await commit(store, { run: "a", expect: 1, takes })).kind, "ok");
      assert.equal((await store.publish(TENANT, given, 0)).kind, "known");
      assert.deepEqual(await store.deliveries(0, 9), []);
      await store.publish(TENANT, message("late", { id: "e-2" }), 0);
      await store.publish(TENANT, message("x"), 20_000);
      assert.equal((await store.publish(TENANT, message("late", { id: "e-2" }), 20_000)).kind, "known");
    },
  },
  {
    name: "[D10.17] [D10.7] a message has one taker: it goes with the turn, and the second one is refused",
    show: async (store) => {
      await history(store, [
        { run: "a", expect: 0, set: [waiting("a.1", on("go", "m"))] },
        { run: "b", expect: 0, set: [waiting("b.1", on("go", "m"))] },
      ]);
      await store.publish(TENANT, message("m"), 0);
      const takes = (await store.deliveries(0, 9))[0]?.message.number ?? -1;
      const stale = await commit(store, { run: "a", expect: 5, takes });
      assert.deepEqual([stale.kind, (await store.deliveries(0, 9)).length], ["conflict", 2]);
      const taken = { run: "a", expect: 1, takes, closed: ["a.1"] };
      assert.equal((await commit(store, taken)).kind, "ok");
      const second = await commit(store, { run: "b", expect: 1, takes });
      assert.deepEqual([second.kind, "on" in second && second.on], ["conflict", "message"]);
      assert.deepEqual(await store.deliveries(0, 9), []);
      assert.equal((await store.load(TENANT, "b"))?.row.sequence, 1);
    },
  },
  {
    name: "[D10.17] an item that is closed, full or paused waits for nothing",
    show: async (store) => {
      const full = { ...on("go", "m"), isBeside: true, isFull: true } as const;
      const { isFull: _before, ...free } = full;
      await history(store, [{ run: "a", expect: 0, set: [waiting("a.1", free)] }]);
      await store.publish(TENANT, message("m"), 0);
      const count = async () => (await store.deliveries(0, 9)).length;
      assert.equal(await count(), 1);
      await history(store, [{ run: "a", expect: 1, set: [waiting("a.1", full)] }]);
      assert.equal(await count(), 0);
      await history(store, [{ run: "a", expect: 2, set: [waiting("a.1", free)], isPaused: true }]);
      assert.equal(await count(), 0);
      await history(store, [{ run: "a", expect: 3, set: [waiting("a.1", free)] }]);
      assert.equal(await count(), 1);
      await history(store, [{ run: "a", expect: 4, status: "completed", modes: [] }]);
      assert.equal(await count(), 0);
    },
  },
  {
    name: "[D10.17] a turn sends with what else it does, or not at all",
    show: async (store) => {
      await history(store, [
        { run: "b", expect: 0, set: [waiting("b.1", on("go", "m"), signal("stop", "s"))] },
      ]);
      const sends = { messages: [message("m")], signals: [{ name: "s", data: { k: 1 }, at: 5 }] };
      assert.equal((await commit(store, { run: "a", expect: 3, sends })).kind, "conflict");
      assert.deepEqual([await store.deliveries(0, 9), await store.nextEffect()], [[], null]);
      assert.equal((await commit(store, { run: "a", expect: 0, sends })).kind, "ok");
      assert.deepEqual((await store.deliveries(0, 9)).map(text), ['m::{"n":"m"} b/b.1 go']);
      const [claimed] = await store.claimEffects("w", 5, 10, 9, ["signal"]);
      assert.deepEqual(
        [claimed?.run, claimed?.effect.item, claimed?.effect.kind, claimed?.effect.payload],
        ["b", "b.1", "signal", { name: "s", event: "stop", data: { k: 1 } }],
      );
    },
  },
  {
    name: "[D10.17] a signal is for everybody who waits for it now, and for nobody later",
    show: async (store) => {
      await history(store, [
        {
          run: "a",
          expect: 0,
          set: [waiting("a.1", signal("stop", "s")), waiting("a.2", signal("other", "t"))],
        },
        { run: "b", expect: 0, set: [waiting("b.1", signal("halt", "s"))] },
        { run: "c", expect: 0, tenant: "other", set: [waiting("c.1", signal("stop", "s"))] },
      ]);
      const given = { name: "s", data: {}, at: 0, id: "i" };
      assert.deepEqual(await store.broadcast(TENANT, given), { kind: "stored", receivers: 2 });
      assert.deepEqual(await store.broadcast(TENANT, given), { kind: "known" });
      await history(store, [{ run: "d", expect: 0, set: [waiting("d.1", signal("stop", "s"))] }]);
      const claimed = await store.claimEffects("w", 0, 10, 9);
      assert.deepEqual(
        claimed.map(({ run, effect: { item: of, payload } }) => [run, of, payload["event"]]),
        [
          ["a", "a.1", "stop"],
          ["b", "b.1", "halt"],
        ],
      );
    },
  },
  {
    name: "[D10.17] a start takes a message that no item waits for, and a signal besides those; the newest version counts",
    show: async (store) => {
      const row = { hash: DEFINITION, definition: {} as never, manifest: {}, deployedAt: 0 };
      const start = { on: "message", name: "order", event: "ordered" } as const;
      await store.putDefinition(TENANT, {
        ...row,
        name: "w",
        starts: [start, { ...start, on: "signal", name: "s" }],
      });
      await store.publish(TENANT, message("order", { key: "k" }), 0);
      assert.deepEqual((await store.deliveries(0, 9)).map(text), ['order:k:{"n":"order"} w ordered']);
      await history(store, [{ run: "a", expect: 0, set: [waiting("a.1", on("more", "order", "k"))] }]);
      assert.deepEqual((await store.deliveries(0, 9)).map(text), ['order:k:{"n":"order"} a/a.1 more']);
      assert.deepEqual(await store.broadcast(TENANT, { name: "s", data: { v: 1 }, at: 0 }), {
        kind: "stored",
        receivers: 0,
      });
      const signals = (await store.deliveries(0, 9)).filter((each) => each.message.on === "signal");
      assert.deepEqual(signals.map(text), ['s::{"v":1} w ordered']);
      await store.putDefinition(TENANT, { ...row, name: "w" });
      assert.deepEqual((await store.deliveries(0, 9)).map(text), ['order:k:{"n":"order"} a/a.1 more']);
    },
  },
  {
    name: "[D10.17] large data of a message come whole, and effects of signals share them",
    show: async (store) => {
      const data = { text: "x".repeat(100_000) };
      await history(store, [
        {
          run: "a",
          expect: 0,
          set: [waiting("a.1", on("go", "m"), signal("s", "s"))],
          effects: { add: [effect("a/e")], done: [] },
        },
      ]);
      await store.publish(TENANT, message("m", { data }), 0);
      await store.broadcast(TENANT, { name: "s", data, at: 0 });
      assert.deepEqual((await store.deliveries(0, 9))[0]?.message.data, data);
      const [claimed] = await store.claimEffects("w", 0, 10, 9, ["signal"]);
      assert.deepEqual(claimed?.effect.payload["data"], data);
    },
  },
];
