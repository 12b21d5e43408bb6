/** @module How a transaction changes the counts of runs and open items, however many turns it has. */

/** What is counted together: runs of one workflow, definition and status. */
export interface CountedRun {
  readonly workflow: string;
  readonly definition: Uint8Array;
  readonly status: string;
}

/** How a transaction changes counts; written once at its end, however many turns it has. */
export interface CountChanges {
  readonly run: (tenant: number, counted: CountedRun, by: 1 | -1) => void;
  readonly item: (tenant: number, kind: string, by: 1 | -1) => void;
  /** What of it is not nothing, in no particular order. */
  readonly changed: () => {
    readonly runs: readonly CountChange[];
    readonly items: readonly CountChange[];
  };
}

/** By how much the count with a key changes. */
export interface CountChange {
  readonly key: readonly unknown[];
  readonly by: number;
}

interface Change extends CountChange {
  by: number;
}

/** No changes yet. */
export function countChanges(): CountChanges {
  const runs = new Map<string, Change>();
  const items = new Map<string, Change>();
  // Turns of a group mostly open and close items of one kind: its count is at hand.
  let last: { readonly tenant: number; readonly kind: string; readonly change: Change } | null = null;
  return {
    run: (tenant, { workflow, definition, status }, by) =>
      add(
        runs,
        `${tenant} ${status} ${nameOf(definition)} ${workflow}`,
        [tenant, workflow, definition, status],
        by,
      ),
    item: (tenant, kind, by) => {
      if (last !== null && last.tenant === tenant && last.kind === kind) last.change.by += by;
      else last = { tenant, kind, change: add(items, `${tenant} ${kind}`, [tenant, kind], by) };
    },
    changed: () => ({ runs: some(runs), items: some(items) }),
  };
}

function some(changes: ReadonlyMap<string, Change>): readonly CountChange[] {
  return [...changes.values()].filter(({ by }) => by !== 0);
}

function add(changes: Map<string, Change>, name: string, key: readonly unknown[], by: number): Change {
  const found = changes.get(name);
  if (found !== undefined) {
    found.by += by;
    return found;
  }
  const change = { key, by };
  changes.set(name, change);
  return change;
}

/** The 32 bytes of a hash as a text that is cheap to make and different for different hashes. */
function nameOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
