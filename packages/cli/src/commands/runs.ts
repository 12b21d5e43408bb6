/** @module `tessera runs`: which runs there are, by what they are and what they hold, and how many. */
import { type Hash, type Json, parseJson, type RunStatus } from "@tessera/core";
import { DEFAULT_TENANT, type IndexedScalar, type IndexedValue, StoreError } from "@tessera/persist";
import { EXIT, type Io, mark, UsageError } from "../io.ts";
import { withEngine } from "./inspect.ts";
import { runLine } from "./lines.ts";

/** Flags of the command. */
export interface RunsOptions {
  readonly db: string;
  readonly status?: RunStatus;
  readonly workflow?: string;
  readonly definition?: string;
  readonly key?: string;
  readonly parent?: string;
  /** path=value, several. */
  readonly data?: readonly string[];
  readonly tenant?: string;
  readonly after?: string;
  readonly count: boolean;
  readonly limit: number;
  readonly json: boolean;
}

/** Lists runs, newest first, or counts them. */
export function runsCommand(options: RunsOptions, io: Io): Promise<number> {
  const { db, limit, json, tenant = DEFAULT_TENANT } = options;
  if (options.count) return countCommand(options, io);
  const data = (options.data ?? []).map(readValue);
  return withEngine(db, async ({ store }) => {
    // The store is asked: the paths that the application indexes are not known here.
    const page = await orUsage(() =>
      store.runs({
        tenant,
        limit,
        ...(options.status === undefined ? {} : { status: options.status }),
        ...(options.workflow === undefined ? {} : { workflow: options.workflow }),
        ...(options.definition === undefined ? {} : { definition: hashOf(options.definition) }),
        ...(options.key === undefined ? {} : { businessKey: options.key }),
        ...(options.parent === undefined ? {} : { parent: options.parent }),
        ...(options.after === undefined ? {} : { after: options.after }),
        ...(data.length === 0 ? {} : { data }),
      }),
    );
    for (const row of page.rows) io.out(json ? JSON.stringify(row) : runLine(row));
    if (page.rows.length === 0 && !json) io.out(mark.dim("no runs"));
    if (page.next !== null && !json) io.out(mark.dim(`more: --after ${page.next}`));
    return EXIT.done;
  });
}

function countCommand({ db, tenant, workflow, status, json }: RunsOptions, io: Io): Promise<number> {
  return withEngine(db, async ({ engine }) => {
    const { runs } = await engine.counts({ tenant: tenant ?? DEFAULT_TENANT });
    const asked = runs.filter(
      (row) =>
        (workflow === undefined || row.workflow === workflow) &&
        (status === undefined || row.status === status),
    );
    for (const row of asked) {
      const { count, workflow: name, status: is, definition } = row;
      io.out(json ? JSON.stringify(row) : `${count}  ${name}  ${is}  ${mark.dim(definition)}`);
    }
    if (asked.length === 0 && !json) io.out(mark.dim("no runs"));
    return EXIT.done;
  });
}

/** A value of D under a path, as a flag gives it: JSON, or else a text. */
function readValue(text: string): Required<IndexedValue> {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`--data "${text}" is not PATH=VALUE`, "as in --data customer.city=Rome");
  const given = text.slice(at + 1);
  const value = jsonOrText(given);
  if (typeof value === "object" && value !== null)
    throw new UsageError(`--data "${text}": lists and objects are not indexed`);
  return { path: text.slice(0, at), value: value satisfies IndexedScalar };
}

function jsonOrText(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function hashOf(text: string): Hash {
  if (!/^sha256:[0-9a-f]{64}$/.test(text))
    throw new UsageError(`"${text}" is no hash of a definition`, "tessera show RUN --db FILE names it");
  return text as Hash;
}

/** A cursor that no page returned is the caller's to hear in one line. */
export async function orUsage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof StoreError && fault.code === "misuse") throw new UsageError(fault.message);
    throw fault;
  }
}
