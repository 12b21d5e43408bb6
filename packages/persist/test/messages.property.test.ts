/** Laws of messages: each is taken at most once, whatever is tried, and the SQLite store answers as the memory store. */
import type { Subscription } from "@tessera/core";
import { type Delivery, memoryStore, type RunStore } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commit, item } from "../src/contract/sample.ts";
import { temporaryFile } from "./temporary.ts";

const name = fc.constantFrom("m", "n");
const key = fc.constantFrom(undefined, "1", "2");
type Command =
  | {
      readonly kind: "publish";
      readonly name: string;
      readonly key: string | undefined;
      readonly id: string | undefined;
      readonly ttl: number;
    }
  | { readonly kind: "broadcast"; readonly name: string; readonly id: string | undefined }
  | {
      readonly kind: "wait";
      readonly run: number;
      readonly on: "message" | "signal";
      readonly name: string;
      readonly key: string | undefined;
    }
  | { readonly kind: "take"; readonly pick: number; readonly run: number }
  | { readonly kind: "pass"; readonly ms: number };

const id = fc.constantFrom(undefined, undefined, "a", "b");
const run = fc.nat({ max: 2 });
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ kind: fc.constant("publish" as const), name, key, id, ttl: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ kind: fc.constant("broadcast" as const), name, id }),
  fc.record({
    kind: fc.constant("wait" as const),
    run,
    on: fc.constantFrom("message" as const, "signal" as const),
    name,
    key,
  }),
  fc.record({ kind: fc.constant("take" as const), pick: fc.nat({ max: 5 }), run }),
  fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 20 }) }),
);

/** A store under commands: what it answered, and which messages were taken. */
interface Driven {
  readonly answers: unknown[];
  readonly taken: string[];
}

async function drive(store: RunStore, commands: readonly Command[]): Promise<Driven> {
  const answers: unknown[] = [];
  const taken: string[] = [];
  const sequences = [0, 0, 0];
  const offered = new Set<number>();
  let now = 0;
  let published = 0;
  const turn = async (of: number, more: object) => {
    const result = await commit(store, { run: `r${of}`, expect: sequences[of] ?? 0, ...more });
    if (result.kind === "ok") sequences[of] = (sequences[of] ?? 0) + 1;
    return result;
  };
  for (const each of commands) {
    switch (each.kind) {
      case "publish": {
        published += 1;
        const more = {
          ...(each.key === undefined ? {} : { key: each.key }),
          ...(each.id === undefined ? {} : { id: each.id }),
        };
        const message = { name: each.name, data: { number: published }, expiresAt: now + each.ttl, ...more };
        answers.push(await store.publish("default", message, now));
        break;
      }
      case "broadcast":
        answers.push(
          await store.broadcast("default", {
            name: each.name,
            data: {},
            at: now,
            ...(each.id === undefined ? {} : { id: each.id }),
          }),
        );
        break;
      case "wait": {
        const subscription: Subscription = {
          event: "e",
          on: each.on,
          name: each.name,
          ...(each.key === undefined || each.on === "signal" ? {} : { key: each.key }),
        };
        const waits = item("x.1", { kind: "event", subscriptions: [subscription] });
        answers.push((await turn(each.run, { set: [waits] })).kind);
        break;
      }
      case "take": {
        const found = await store.deliveries(now, 99);
        for (const { message } of found) offered.add(message.number);
        // Also what was offered before, and by a run that it was not offered to: a stale courier.
        const number = [...offered][each.pick % Math.max(1, offered.size)];
        if (number === undefined) break;
        const isThere = found.find(({ message }) => message.number === number);
        const result = await turn(each.run, { takes: number });
        answers.push(result.kind === "conflict" ? result.on : result.kind);
        if (result.kind === "ok")
          taken.push(isThere === undefined ? `gone ${number}` : String(isThere.message.data["number"]));
        break;
      }
      case "pass":
        now += each.ms;
        break;
    }
    answers.push(
      (await store.deliveries(now, 99)).map(({ message: { number: _, ...message }, to }: Delivery) => ({
        message,
        to,
      })),
    );
  }
  answers.push(
    (await store.claimEffects("w", now, 1, 99)).map(({ run: of, effect }) => [
      of,
      effect.item,
      effect.payload,
    ]),
  );
  return { answers, taken };
}

const law = (makeStore: () => RunStore) =>
  fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
      const store = makeStore();
      try {
        const { answers, taken } = await drive(store, commands);
        expect(new Set(taken).size).toBe(taken.length);
        expect(answers).toEqual((await drive(memoryStore(), commands)).answers);
      } finally {
        await store.close();
      }
    }),
    { numRuns: 60 },
  );

const sqlite = (): RunStore => sqliteStore({ path: temporaryFile() });

describe("messages in stores", () => {
  it("[D10.17] [D10.7] each is taken at most once, and both stores answer alike", () => law(sqlite));

  it("[D10.17] the law finds a store that lets everybody take", async () => {
    const generous = (): RunStore => {
      const store = memoryStore();
      return {
        ...store,
        commit: (turns) => store.commit(turns.map(({ takes: _free, ...turn }) => turn)),
      };
    };
    await expect(law(generous)).rejects.toThrow();
  });
});
