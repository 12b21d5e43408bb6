/** @module Messages and signals from the command line. */
import type { PublishedMessage, Refused } from "@tessera/engine";
import { EXIT, type Io, UsageError } from "../io.ts";
import { type Opened, openExisting } from "../open-engine.ts";
import { parseObject } from "./run.ts";

/** What both commands take. */
interface SendOptions {
  readonly db: string;
  readonly data?: string;
  readonly id?: string;
  readonly tenant?: string;
  readonly json: boolean;
}

/** Publishes a message; who waits for it receives it before the command ends. */
export function messageCommand(
  name: string,
  options: SendOptions & { readonly key?: string; readonly ttlMs?: number },
  io: Io,
): Promise<number> {
  const { key, ttlMs } = options;
  return send(options, io, (engine, more) =>
    engine.publish({
      name,
      ...more,
      ...(key === undefined ? {} : { key }),
      ...(ttlMs === undefined ? {} : { ttlMs }),
    }),
  );
}

/** Gives a signal to everybody who waits for it. */
export function signalCommand(name: string, options: SendOptions, io: Io): Promise<number> {
  return send(options, io, (engine, more) => engine.signal({ name, ...more }));
}

type More = {
  readonly data?: { readonly [key: string]: unknown };
  readonly id?: string;
  readonly tenant?: string;
};

async function send(
  { db, data, id, tenant, json }: SendOptions,
  io: Io,
  give: (engine: Opened["engine"], more: More) => Promise<PublishedMessage | Refused>,
): Promise<number> {
  const opened = openExisting(db, { background: false });
  try {
    const sent = await give(opened.engine, {
      ...(data === undefined ? {} : { data: parseObject(data) }),
      ...(id === undefined ? {} : { id }),
      ...(tenant === undefined ? {} : { tenant }),
    });
    if (sent.kind === "refused") throw new UsageError(`${sent.code}: ${sent.message}`);
    io.out(json ? JSON.stringify(sent) : sent.isNew ? "sent" : "known: its id was given before");
    return EXIT.done;
  } finally {
    await opened.close();
  }
}
