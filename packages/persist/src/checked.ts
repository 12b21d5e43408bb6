/** @module Calls by programs that no compiler checked: an argument of another type is refused at the border, by its name. */
import { type RunStore, StoreError } from "./store.ts";

/** What an argument must be; `turns`: a list of what could be turns; `query`: an object whose tenant is a text. */
type Kind =
  | "text"
  | "number"
  | "list"
  | "object"
  | "query"
  | "turns"
  | "function"
  | "maybe text"
  | "maybe number"
  | "maybe list"
  | "maybe boolean";

type Signature = Readonly<Record<string, Kind>>;

const RUN = { tenant: "text", run: "text" } as const;
const NAME = { tenant: "text", name: "text" } as const;
const PAGE = { after: "number", limit: "number" } as const;
const DUE = { now: "number", limit: "number" } as const;
const LEASE = { effect: "text", tenant: "text", token: "number" } as const;

/** The arguments of each method, in their order. */
const SIGNATURES: {
  readonly [M in Exclude<keyof RunStore, "close" | "nextDue" | "foreignVersion" | "enlist">]-?: Signature;
} = {
  commit: { turns: "turns" },
  load: { ...RUN, atSequence: "maybe number" },
  journal: { ...RUN, ...PAGE },
  putDefinition: { tenant: "text", row: "object" },
  definition: { hash: "text" },
  newestDefinition: NAME,
  definitionVersions: NAME,
  runs: { query: "query" },
  items: { query: "query" },
  countItems: { query: "query" },
  counts: { tenant: "maybe text" },
  reindex: { ...RUN, sequence: "number", values: "list" },
  dueItems: DUE,
  claimEffects: { owner: "text", now: "number", leaseMs: "number", limit: "number", kinds: "maybe list" },
  renewLease: { ...LEASE, until: "number" },
  releaseEffect: { ...LEASE, availableAt: "number", wasBegun: "maybe boolean" },
  dropEffect: LEASE,
  nextEffect: { kinds: "maybe list" },
  publish: { tenant: "text", message: "object", now: "number" },
  broadcast: { tenant: "text", signal: "object" },
  deliveries: DUE,
  startTimers: { query: "object" },
  moveStartTimer: { row: "object" },
  graph: { tenant: "text", graph: "text" },
  graphJournal: { tenant: "text", graph: "text", ...PAGE },
  erase: { ...RUN, sequence: "number", by: "text", reason: "text", at: "number" },
  prune: { ...RUN, pruning: "object" },
  prunable: { query: "query" },
  transaction: { work: "function" },
};

/** The store, whose methods reject with StoreError `misuse` what is of another type than they say, before anything is done. */
export function withCheckedArguments<S extends RunStore>(store: S): S {
  const checked = Object.entries(SIGNATURES).flatMap(([name, signature]) => {
    const method = (store as Readonly<Record<string, unknown>>)[name] as Method | undefined;
    return method === undefined
      ? []
      : [[name, checkedMethod(name, Object.entries(signature), method)] as const];
  });
  return { ...store, ...Object.fromEntries(checked) };
}

type Method = (...args: readonly unknown[]) => unknown;

function checkedMethod(
  name: string,
  signature: readonly (readonly [string, Kind])[],
  method: Method,
): Method {
  return (...args) => {
    for (let at = 0; at < signature.length; at += 1) {
      const [argument, kind] = signature[at] as readonly [string, Kind];
      if (isOf(kind, args[at])) continue;
      const fault = new StoreError("misuse", `${name}: ${argument} must be ${DESCRIPTIONS[kind]}.`);
      // A transaction is no promise.
      if (kind === "function") throw fault;
      return Promise.reject(fault);
    }
    return method(...args);
  };
}

const DESCRIPTIONS: Readonly<Record<Kind, string>> = {
  text: "a text",
  number: "a number",
  list: "a list",
  object: "an object",
  query: "an object with the text of a tenant",
  turns: "a list of turns",
  function: "a function",
  "maybe text": "a text or absent",
  "maybe number": "a number or absent",
  "maybe list": "a list or absent",
  "maybe boolean": "true, false or absent",
};

function isOf(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number" && !Number.isNaN(value);
    case "list":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null;
    case "query":
      return isOf("object", value) && isOf("text", (value as { readonly tenant?: unknown }).tenant);
    case "turns":
      return Array.isArray(value) && value.every(isLikeATurn);
    case "function":
      return typeof value === "function";
    case "maybe text":
      return value === undefined || isOf("text", value);
    case "maybe number":
      return value === undefined || isOf("number", value);
    case "maybe list":
      return value === undefined || isOf("list", value);
    case "maybe boolean":
      return value === undefined || typeof value === "boolean";
  }
}

/** What it is beyond this is its maker's to know (D10.6). */
function isLikeATurn(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { tenant, run, record, items, effects } = value as Readonly<Record<string, unknown>>;
  return (
    typeof tenant === "string" &&
    typeof run === "string" &&
    typeof record === "object" &&
    record !== null &&
    Array.isArray((record as { readonly steps?: unknown }).steps) &&
    typeof items === "object" &&
    items !== null &&
    typeof effects === "object" &&
    effects !== null
  );
}
