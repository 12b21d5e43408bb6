/** @module The part of `pg` that the store uses, so that its declarations need none of that package's; and its values. */
import { createHash } from "node:crypto";
import { StoreError } from "../store.ts";

/** A query as `pg` takes it. (Methods, not members: the driver's own types are narrower in their parameters.) */
export interface PostgresQuery {
  readonly text: string;
  readonly values?: unknown[];
  readonly name?: string;
  readonly types?: { getTypeParser(oid: number, format?: string): (value: string) => unknown };
}

/** What a query answers. */
export interface PostgresResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: unknown[];
}

/** A connection: a `Client` of `pg`. */
export interface PostgresConnection {
  query(query: PostgresQuery): Promise<PostgresResult>;
}

/** A connection of a pool. */
export interface PostgresClient extends PostgresConnection {
  release(destroy?: boolean): void;
  on(event: "error" | "end" | "notification", listener: (...values: unknown[]) => void): unknown;
  off(event: "error" | "end" | "notification", listener: (...values: unknown[]) => void): unknown;
}

/** A pool of connections: a `Pool` of `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
}

/** A connection in use, and the schema in which our tables are. */
export interface Session {
  /** Sends a query; queries are carried out in the order in which they are sent. */
  readonly send: (text: string, values: readonly unknown[]) => Promise<PostgresResult>;
  /** Sends statements as they stand, without values: for tables that are made. */
  readonly plain: (text: string) => Promise<void>;
  /** Sends a query whose answer nobody waits for; its fault is that of `settled`. */
  readonly post: (text: string, values: readonly unknown[]) => void;
  /** What is sent from here on is for these turns of a group; null: for all of them. See `concernedBy`. */
  readonly about: (turns: Concerned | null) => void;
  /** Resolves when everything that was sent is done; rejects with the first fault of all. */
  readonly settled: () => Promise<void>;
}

/** Turns of a group, by their places; asked for after a fault only. */
export type Concerned = () => readonly number[];

/** For whom the queries were that failed with a fault. */
const CONCERNED = new WeakMap<object, Concerned>();

/** The turns for which the query was that failed with `fault`, or with its cause; null where it was for all, or for none. */
export function concernedBy(fault: unknown): readonly number[] | null {
  if (typeof fault !== "object" || fault === null) return null;
  return CONCERNED.get(fault)?.() ?? concernedBy((fault as { readonly cause?: unknown }).cause);
}

/** A session on a connection; `texts` keeps what each text has become in this schema. */
export function makeSession(client: PostgresConnection, texts: Texts): Session {
  const isPipelined = (client as { readonly pipeline?: unknown }).pipeline === true;
  let last: Promise<unknown> = Promise.resolve();
  let firstFault: { readonly fault: unknown } | null = null;
  let concerned: Concerned | null = null;
  const queue = (query: PostgresQuery): Promise<PostgresResult> => {
    // Without a pipeline the driver itself wants one query at a time.
    const answer = isPipelined ? client.query(query) : last.then(() => client.query(query));
    const turns = concerned;
    // Answers come in order. What follows a fault within a transaction fails too, and does not say why.
    last = answer.catch((fault) => {
      if (turns !== null && typeof fault === "object" && fault !== null) CONCERNED.set(fault, turns);
      firstFault ??= { fault };
    });
    return answer;
  };
  const send: Session["send"] = async (text, values) =>
    queue({ ...texts(text), values: values.map(checkedValue), types: VALUES });
  return {
    send,
    plain: async (text) => void (await queue({ text })),
    post: (text, values) => {
      send(text, values).catch((fault) => {
        firstFault ??= { fault };
      });
    },
    about: (turns) => {
      concerned = turns;
    },
    settled: async () => {
      await last;
      if (firstFault !== null) throw firstFault.fault;
    },
  };
}

/** From a text with our tables to the query on those of one schema, named so that it is prepared once a connection. */
export type Texts = (text: string) => { readonly text: string; readonly name: string };

/** The texts of a schema. Texts are constants: there are as many as places in the code. */
export function textsOf(schema: string): Texts {
  const known = new Map<string, { readonly text: string; readonly name: string }>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const qualified = text.replaceAll(/\btessera_/g, `${quoted(schema)}.tessera_`);
    const name = `tessera ${createHash("sha256").update(qualified).digest("hex").slice(0, 32)}`;
    const made = { text: qualified, name };
    known.set(text, made);
    return made;
  };
}

/** A name as SQL has it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The one row of a query as T, null when there is none. */
export async function one<T>(session: Session, text: string, ...values: unknown[]): Promise<T | null> {
  return ((await session.send(text, values)).rows[0] as T | undefined) ?? null;
}

/** All rows of a query as T. */
export async function many<T>(session: Session, text: string, ...values: unknown[]): Promise<readonly T[]> {
  return (await session.send(text, values)).rows as T[];
}

/** Runs a statement; the number of rows that it changed. */
export async function change(session: Session, text: string, ...values: unknown[]): Promise<number> {
  return (await session.send(text, values)).rowCount ?? 0;
}

/**
 * PostgreSQL has no text with a zero character, and UTF-8 none with half of a surrogate pair: the driver would send
 * another text in its place. Both are refused.
 */
function checkedValue(value: unknown): unknown {
  if (typeof value === "string" && (value.includes("\0") || LONE_SURROGATE.test(value)))
    throw new StoreError("limit", `PostgreSQL cannot hold the name ${JSON.stringify(value)}.`);
  if (Array.isArray(value)) for (const each of value) checkedValue(each);
  return value;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** How values are read, whatever parsers the application has set: all integers of ours are safe ones. */
const VALUES: NonNullable<PostgresQuery["types"]> = {
  getTypeParser: (oid) => PARSERS.get(oid) ?? ((value) => value),
};

const PARSERS: ReadonlyMap<number, (value: string) => unknown> = new Map<number, (value: string) => unknown>([
  [16, (value) => value === "t"],
  [17, bytesOf],
  [20, Number],
  [21, Number],
  [23, Number],
  [701, Number],
]);

function bytesOf(value: string): Uint8Array {
  if (!value.startsWith("\\x"))
    throw new StoreError("settings", `bytea_output of this connection is not "hex".`);
  return Buffer.from(value.slice(2), "hex");
}
