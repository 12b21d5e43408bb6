/** @module The bodies of the demo's process: pure functions for the turn, ports for the world. */
import { appendFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { InlineFunction, Json } from "@tessera/core";
import type { Port, PortContext } from "@tessera/engine";

const numberOf = (value: Json | undefined): number => (typeof value === "number" ? value : 0);

/** Offers start at this multiple of the estimate and come down by `STEP` until the verifier agrees. */
const FIRST_FACTOR = 1.2;
const STEP = 0.15;

/** What runs inside the turn. */
export const FUNCTIONS: Readonly<Record<string, InlineFunction>> = {
  register: ({ data }) => ({
    patch: { reserve: Math.round(numberOf(data.damage) * 1.5), factor: FIRST_FACTOR },
  }),
  estimate: ({ data }) => ({
    patch: { estimate: Math.round(numberOf(data.damage) * (1 - numberOf(data.fraudScore))) },
  }),
  verify: ({ data }) => numberOf(data.offer) <= numberOf(data.estimate),
  lower: ({ data }) => ({ patch: { factor: Math.round((numberOf(data.factor) - STEP) * 100) / 100 } }),
};

/** Where the demo's effects leave their mark: a file outside the database, a line for each call that was made. */
export interface World {
  readonly effects: string;
  /** A job that takes this long, so that its process can be killed while it works. */
  readonly slowJob: string | null;
  readonly slowMs: number;
  readonly onCall: (node: string, context: PortContext) => void;
}

/** What touches the world: each call is written down with its idempotency key before it answers. */
export function makePorts(world: World): Readonly<Record<string, Port>> {
  const port = (
    node: string,
    answer: (context: PortContext) => { readonly [key: string]: Json },
  ): [string, Port] => [
    node,
    async (context) => {
      await appendFile(world.effects, `${JSON.stringify({ node, key: context.idempotencyKey })}\n`);
      world.onCall(node, context);
      if (node === world.slowJob)
        await sleep(world.slowMs, undefined, { signal: context.signal as AbortSignal });
      return { patch: answer(context) };
    },
  ];
  return Object.fromEntries([
    port("policy", ({ data }) => ({ covered: numberOf(data.damage) < 50_000 })),
    port("fraud", () => ({ fraudScore: 0.1 })),
    port("medical", () => ({ medical: "report 17" })),
    port("police", () => ({ police: "file 23" })),
    port("photos", () => ({ photos: "12 pictures" })),
    port("draft", ({ data }) => ({ offer: Math.round(numberOf(data.estimate) * numberOf(data.factor)) })),
    port("transfer", ({ data, idempotencyKey }) => ({
      receipt: `paid ${numberOf(data.amount)} (${idempotencyKey})`,
    })),
  ]);
}
