/** @module Hearing of what other processes commit, by LISTEN and NOTIFY; who misses a notice finds the work by polling. */
import { randomUUID } from "node:crypto";
import type { PostgresClient } from "./driver.ts";

/** How soon a lost connection is sought again, in ms. */
const AGAIN_MS = 1_000;

/** What `pg` says of a notice. */
interface Notice {
  readonly channel: string;
  readonly payload?: string;
}

/** Tells others, and counts what they tell. */
export interface Ear {
  /** Grows when another process has written, or when that may have been missed. */
  readonly count: () => number;
  /** Tells the others, once for all that is written until it is told. */
  readonly announce: () => void;
  readonly close: () => Promise<void>;
}

/**
 * Listens on a connection of its own until it is closed, and looks for another one when that breaks. A notice is sent
 * after the commit that it tells of, in a transaction by itself: PostgreSQL would let those that notify commit one by one.
 */
export async function listen(
  channel: string,
  connect: () => Promise<PostgresClient>,
  end: (client: PostgresClient) => Promise<void>,
): Promise<Ear> {
  const self = randomUUID();
  let client: PostgresClient | null = null;
  let count = 0;
  let isClosed = false;
  let isTelling = false;
  let isDue = false;
  let timer: NodeJS.Timeout | undefined;

  const heard = (notice: unknown): void => {
    if ((notice as Notice).payload !== self) count += 1;
  };
  function later(): void {
    clearTimeout(timer);
    timer = setTimeout(() => void open().catch(later), AGAIN_MS);
    timer.unref();
  }
  async function open(): Promise<void> {
    const made = await connect();
    let isThere = true;
    const lost = (): void => {
      if (!isThere) return;
      isThere = false;
      client = null;
      // Its place in the pool is free again.
      void end(made).catch(() => undefined);
      if (!isClosed) later();
    };
    made.on("error", lost);
    made.on("end", lost);
    made.on("notification", heard);
    try {
      await made.query({ text: `LISTEN "${channel}"` });
    } catch (fault) {
      lost();
      throw fault;
    }
    // What was told before it is not heard.
    count += 1;
    if (isClosed) lost();
    else client = isThere ? made : null;
  }
  async function tell(): Promise<void> {
    isTelling = true;
    while (isDue && client !== null) {
      isDue = false;
      const query = { name: "tessera notify", text: "SELECT pg_notify($1, $2)", values: [channel, self] };
      await client.query(query).catch(() => undefined);
    }
    isTelling = false;
  }

  try {
    await open();
  } catch (fault) {
    isClosed = true;
    clearTimeout(timer);
    throw fault;
  }
  return {
    count: () => count,
    announce: () => {
      isDue = true;
      if (!isTelling && client !== null && !isClosed) void tell();
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      const last = client;
      client = null;
      if (last !== null) await end(last).catch(() => undefined);
    },
  };
}
