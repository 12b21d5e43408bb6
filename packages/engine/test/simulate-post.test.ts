/** @module The model of messages that simulations are checked against. */
import type { Delivery, NewMessage } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { makePost } from "../src/simulate/post.ts";
import type { FoldedRuns } from "../src/simulate/receivers.ts";

const STORED = { kind: "stored", receivers: 0 } as const;
const MESSAGE: NewMessage = { name: "m", data: {}, expiresAt: 1_000 };
/** A run whose item waits for the message. */
const waiting = (): FoldedRuns => {
  const subscriptions = [{ event: "e", on: "message", name: "m" }];
  const state = { status: "waiting", items: [{ id: "i", subscriptions }] };
  return new Map([["r", { state }]]) as never;
};
const shown = (number: number): Delivery => ({
  message: { tenant: "default", on: "message", number, key: null, id: null, ...MESSAGE },
  to: { kind: "item", run: "r", item: "i", event: "e" },
});

describe("[D17.14] the model of messages", () => {
  it("[D17.14] of two that nothing tells apart misses none when an early purge took the first (seed 18420)", () => {
    const post = makePost(waiting(), new Map(), new Map());
    post.published(MESSAGE, 0, STORED);
    // The clock of another publisher is ahead: what is there now may go.
    post.published({ ...MESSAGE, name: "other" }, 5_000, STORED);
    post.published(MESSAGE, 0, STORED);
    expect(() => post.looked(0, 10, [shown(3)])).not.toThrow();
    expect(() => post.looked(0, 10, [])).toThrow("is not shown");
  });

  it("[D17.14] says which law is broken", () => {
    const post = makePost(waiting(), new Map(), new Map());
    expect(() => post.looked(0, 10, [shown(1)])).toThrow("which nobody has published");
    post.published({ ...MESSAGE, id: "a" }, 0, STORED);
    expect(() => post.published({ ...MESSAGE, id: "a" }, 0, STORED)).toThrow("a second time");
    expect(() => post.published({ ...MESSAGE, id: "b" }, 0, { kind: "known" })).toThrow("never stored");
    expect(() => post.broadcast({ name: "s", data: {}, at: 0 }, { kind: "stored", receivers: 1 })).toThrow(
      "0 waited for it",
    );
    post.published(MESSAGE, 0, STORED);
    expect(() => post.looked(1_000, 10, [shown(4)])).toThrow("0 ms after its end");
  });
});
