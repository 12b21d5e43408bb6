/** @module Values of D by which runs are found: which paths are indexed, and what a turn changes under them. */
import { type Data, type Json, readData } from "@tessera/core";
import {
  DEFAULT_TENANT,
  type IndexedScalar,
  type IndexedValue,
  type Page,
  type RunId,
  type RunQuery,
  type RunRow,
  StoreError,
  type TenantId,
} from "@tessera/persist";
import type { Host } from "./host.ts";
import { loadRun } from "./live-run.ts";
import { pageQuery } from "./paging.ts";
import type { RefusalCode } from "./refusal.ts";

/**
 * By workflow, the paths of D by whose values its runs are found: keys joined by dots, such as "customer.city"; a number
 * counts in a list. Only values that are no list and no object are indexed.
 */
export type IndexedData = Readonly<Record<string, readonly string[]>>;

/** Which runs to list: `data` has values by path; all must hold. Absent members do not filter. Newest first. */
export type RunsQuery = Omit<RunQuery, "tenant" | "data"> & {
  readonly tenant?: TenantId;
  readonly data?: Readonly<Record<string, IndexedScalar>>;
};

/** The value at a path; undefined where there is none, or one that is not indexed. */
export function indexedValue(data: Data, path: string): IndexedScalar | undefined {
  const [key = "", ...steps] = path.split(".");
  const value = readData(data, key, steps.map(stepOf));
  return value === undefined || isNested(value) ? undefined : value;
}

/**
 * What is found under `paths` in `after` and was not in `before`: the values that a turn has to index. Paths under which
 * there is nothing any more come without a value. Cost: the paths.
 *
 * @definition D9.17
 */
export function indexedChanges(paths: readonly string[], before: Data, after: Data): readonly IndexedValue[] {
  if (before === after) return [];
  return paths.flatMap((path) => {
    const value = indexedValue(after, path);
    if (indexedValue(before, path) === value) return [];
    return [value === undefined ? { path } : { path, value }];
  });
}

/** Lists runs. A path that no workflow in question indexes is the caller's mistake: StoreError `misuse`. */
export async function findRuns(host: Host, { data, ...query }: RunsQuery): Promise<Page<RunRow>> {
  const wanted = Object.entries(data ?? {}).map(([path, value]) => ({ path, value }));
  const indexed =
    query.workflow === undefined ? [...host.indexedData.values()].flat() : pathsOf(host, query.workflow);
  const unknown = wanted.find(({ path }) => !indexed.includes(path));
  if (unknown !== undefined) {
    throw new StoreError(
      "misuse",
      `Runs are not indexed by "${unknown.path}": name it in the engine's indexedData.`,
    );
  }
  const page = pageQuery<Omit<RunQuery, "data">>(query, { tenant: DEFAULT_TENANT });
  return host.store.runs({ ...page, ...(wanted.length === 0 ? {} : { data: wanted }) });
}

/** The paths that are indexed for a workflow. */
export function pathsOf(host: Host, workflow: string): readonly string[] {
  return host.indexedData.get(workflow) ?? [];
}

/** What `reindexRuns` did: how many runs are indexed anew, and which could not be read, with the refusal's code. */
export interface Reindexed {
  readonly kind: "reindexed";
  readonly runs: number;
  readonly unread: readonly { readonly run: RunId; readonly code: RefusalCode }[];
}

/** Runs that are read at a time. */
const PAGE = 200;

/**
 * Indexes all runs of a workflow anew, from their states: needed once after a path was added to `indexedData`, for the
 * runs that were there. Turns may be committed meanwhile. Cost: all runs of the workflow are loaded.
 */
export async function reindexRuns(host: Host, tenant: TenantId, workflow: string): Promise<Reindexed> {
  const unread: { run: RunId; code: RefusalCode }[] = [];
  let runs = 0;
  for (let after: string | undefined, isMore = true; isMore; ) {
    const page = await host.store.runs({
      tenant,
      workflow,
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    for (const { run } of page.rows) {
      const code = await reindexRun(host, tenant, run);
      if (code === null) runs += 1;
      else unread.push({ run, code });
    }
    after = page.next ?? undefined;
    isMore = page.next !== null;
  }
  return { kind: "reindexed", runs, unread };
}

async function reindexRun(host: Host, tenant: TenantId, run: RunId): Promise<RefusalCode | null> {
  for (;;) {
    const live = await loadRun(host, tenant, run);
    if (live.kind === "refused") return live.code;
    const { data, sequence } = live.state;
    const values = indexedChanges(pathsOf(host, live.workflow), {}, data);
    // False: the run has moved on, and its state is another.
    if (await host.store.reindex(tenant, run, sequence, values)) return null;
  }
}

function stepOf(step: string): string | number {
  return /^(?:0|[1-9]\d{0,14})$/.test(step) ? Number(step) : step;
}

function isNested(value: Json): value is Exclude<Json, IndexedScalar> {
  return typeof value === "object" && value !== null;
}
