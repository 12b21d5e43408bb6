/** @module The audit: chain, fold, definition, status, items and graph of stored runs, checked against each other. */
import {
  applyMutation,
  applyTurn,
  EMPTY_GRAPH,
  graphJson,
  initialState,
  type Json,
  type JsonObject,
  jsonEqual,
  type Mutation,
  type OpenItem,
  type ProductGraph,
  type RunState,
  sameState,
  type TurnInput,
} from "@tessera/core";
import {
  type ChainAnchor,
  GENESIS,
  type GraphId,
  type JournalRow,
  type LoadedRun,
  type RunId,
  type RunRow,
  type TenantId,
  verifyChain,
} from "@tessera/persist";
import type { Host } from "./host.ts";
import { followsLifecycle } from "./lifecycle/follow.ts";
import { findVersion, liveRun, rowOf } from "./live-run.ts";
import type { Refused } from "./refusal.ts";
import { journalPages, versionAfter } from "./replay.ts";
import { thrownText } from "./trouble.ts";
import type { Version } from "./versions.ts";

/** What was found wrong. `check` names the statement: chain, definition, fold, lifecycle, state, status, items, graph, anchor. */
export interface AuditFinding {
  readonly check:
    | "chain"
    | "definition"
    | "fold"
    | "lifecycle"
    | "state"
    | "status"
    | "items"
    | "graph"
    | "anchor"
    | "storage";
  /** The first bad turn, null where it is the whole. */
  readonly sequence: number | null;
  readonly message: string;
  readonly facts: JsonObject;
}

/**
 * The audit of one run. erased: nothing is wrong, and some payloads are gone, by recorded erasures. `prunedTo`: the turns up
 * to this one are pruned, and everything was checked from the anchor on; 0 when none is.
 */
export interface RunAudit {
  readonly run: RunId;
  readonly verdict: "ok" | "erased" | "broken";
  readonly turns: number;
  readonly prunedTo: number;
  readonly findings: readonly AuditFinding[];
}

/** The audit of one graph. erased: it cannot be folded, for payloads that are erased or pruned. */
export interface GraphAudit {
  readonly graph: GraphId;
  readonly verdict: "ok" | "erased" | "broken";
  readonly turns: number;
  readonly findings: readonly AuditFinding[];
}

/** The whole. `isSound` iff nothing is broken. */
export interface Audit {
  readonly kind: "audit";
  readonly isSound: boolean;
  readonly runs: readonly RunAudit[];
  readonly graphs: readonly GraphAudit[];
}

/** Rows that are read at a time. */
const PAGE = 200;

/**
 * Audits runs of a tenant (all, or some) and the graphs that they write:
 * the chain verifies up to the head of the run (O14); the stored definition is what its hash says, and the turns are a
 * firing sequence of it (O15); the fold of H is the stored state, so is the fold of the committed Deltas the stored G
 * (O14, 20.17), from the anchor on where turns are pruned; status, modes and open items are those of the folded state (O16); items follow their life cycles.
 *
 * @definition D9.13
 */
export async function auditRuns(host: Host, tenant: TenantId, runs?: readonly RunId[]): Promise<Audit> {
  const audits: RunAudit[] = [];
  const graphs = new Set<GraphId>();
  for await (const row of rowsOf(host, tenant, runs)) {
    graphs.add(row.graph);
    audits.push(await auditRun(host, row));
  }
  const graphAudits: GraphAudit[] = [];
  for (const graph of graphs) graphAudits.push(await auditGraph(host, tenant, graph));
  const isSound = [...audits, ...graphAudits].every(({ verdict }) => verdict !== "broken");
  return { kind: "audit", isSound, runs: audits, graphs: graphAudits };
}

async function* rowsOf(host: Host, tenant: TenantId, runs?: readonly RunId[]): AsyncGenerator<RunRow> {
  if (runs !== undefined) {
    for (const run of runs) {
      const loaded = await host.store.load(tenant, run, 0);
      if (loaded !== null) yield loaded.row;
    }
    return;
  }
  for (let after: string | undefined, isMore = true; isMore; ) {
    const page = await host.store.runs({ tenant, limit: PAGE, ...(after === undefined ? {} : { after }) });
    yield* page.rows;
    after = page.next ?? undefined;
    isMore = page.next !== null;
  }
}

/** Audits of a run that has moved on meanwhile, at most. */
const ATTEMPTS = 20;

/** What is true of the journal up to a turn whatever the run does afterwards. */
const LASTING: ReadonlySet<AuditFinding["check"]> = new Set(["chain", "fold", "lifecycle"]);

/**
 * Audits a run as its row says that it is. Others may go on with it meanwhile: then what does not agree may only be of
 * another moment, and it is audited again.
 */
export async function auditRun(host: Host, row: RunRow): Promise<RunAudit> {
  let [at, audit] = [row, await auditOnce(host, row)];
  for (let attempt = 1; audit.findings.length > 0; attempt += 1) {
    const now = await rowOf(host, row.tenant, row.run).catch(() => null);
    if (now === null || (now.sequence === at.sequence && now.prunedTo === at.prunedTo)) return audit;
    if (attempt === ATTEMPTS) {
      const findings = audit.findings.filter(({ check }) => LASTING.has(check));
      return { ...audit, verdict: findings.length > 0 ? "broken" : "ok", findings };
    }
    [at, audit] = [now, await auditOnce(host, now)];
  }
  return audit;
}

async function auditOnce(host: Host, row: RunRow): Promise<RunAudit> {
  const findings: AuditFinding[] = [];
  const report = (
    check: AuditFinding["check"],
    sequence: number | null,
    message: string,
    facts: JsonObject = {},
  ) => {
    findings.push({ check, sequence, message, facts });
  };
  let isErased = false;
  try {
    const loaded = await host.store.load(row.tenant, row.run, row.prunedTo);
    const version = await findVersion(host, loaded?.definition ?? row.definition);
    if (version.kind === "refused") report("definition", null, version.message, version.facts);
    else isErased = await auditTurns(host, row, beginning(version, loaded, report), report);
  } catch (fault) {
    report("storage", null, thrownText(fault));
  }
  const verdict = findings.length > 0 ? "broken" : isErased ? "erased" : "ok";
  return { run: row.run, verdict, turns: row.sequence, prunedTo: row.prunedTo, findings };
}

type Report = (
  check: AuditFinding["check"],
  sequence: number | null,
  message: string,
  facts?: JsonObject,
) => void;

/** Where the walk begins: the state is null when an erasure has taken that of the anchor. */
interface Beginning {
  readonly version: Version;
  readonly anchor: ChainAnchor;
  readonly state: RunState | null;
}

/** The initial state before the first turn, or the anchor with the state that is kept there, if it is the one it names. */
function beginning(version: Version, loaded: LoadedRun | null, report: Report): Beginning {
  const anchor = loaded?.anchor ?? null;
  if (anchor === null) {
    return { version, anchor: { sequence: 0, head: GENESIS }, state: initialState(version.plan.program) };
  }
  const { sequence, state: named, kept } = anchor;
  if (kept !== null && kept !== named)
    report("anchor", sequence, "the state that is kept is not the one that the anchor names", {
      named,
      kept,
    });
  return { version, anchor, state: kept === null ? null : (loaded?.snapshot ?? null) };
}

/** Walks the journal once; true when payloads were erased, so that the fold cannot be made. */
async function auditTurns(host: Host, row: RunRow, first: Beginning, report: Report): Promise<boolean> {
  const { tenant, run } = row;
  let { version, anchor, state } = first;
  const from = anchor.sequence;
  let isErased = state === null;
  for await (const rows of journalPages(host, tenant, run, row.sequence, from)) {
    const chain = verifyChain({ tenant, run }, rows, anchor);
    if (chain.kind === "broken") {
      report("chain", chain.sequence, `the chain is broken: ${chain.reason}`, { reason: chain.reason });
      return isErased;
    }
    isErased ||= chain.erased.length > 0;
    anchor = { sequence: chain.sequence, head: chain.head };
    for (const part of splitAtMoves(rows)) {
      const moved: Version | Refused | null =
        part[0]?.record == null ? null : await versionAfter(host, version, part[0].record);
      if (moved?.kind === "refused") {
        report("definition", part[0]?.sequence ?? null, moved.message, moved.facts);
        return isErased;
      }
      version = moved ?? version;
      state = state === null || isErased ? null : foldRows(version, state, part, report);
    }
  }
  if (anchor.sequence !== row.sequence || anchor.head !== row.head) {
    const facts = { journal: anchor.sequence, run: row.sequence };
    report("chain", anchor.sequence + 1, "the chain does not end at the head of the run", facts);
  }
  if (state !== null && state.sequence === row.sequence) await auditState(host, row, version, state, report);
  return isErased;
}

/** The rows in parts that are turns in one definition each: a migration begins a part. */
function splitAtMoves(rows: readonly JournalRow[]): readonly (readonly JournalRow[])[] {
  const parts: JournalRow[][] = [[]];
  for (const row of rows) {
    if (row.record?.input.kind === "migrate") parts.push([]);
    parts.at(-1)?.push(row);
  }
  return parts.filter((part) => part.length > 0);
}

/** The state after the rows, null after the first turn that does not follow. */
function foldRows(
  version: Version,
  before: RunState,
  rows: readonly JournalRow[],
  report: Report,
): RunState | null {
  let state = before;
  for (const { sequence, record } of rows) {
    if (record === null) return null;
    const applied = applyTurn(version.plan.program, state, record);
    if (applied.kind === "refused") {
      const facts = { code: applied.code, step: applied.step, ...applied.facts };
      report(
        "fold",
        sequence,
        `turn ${sequence} is no firing of the definition after the turns before it`,
        facts,
      );
      return null;
    }
    for (const item of strayItems(state, applied.state, record.input)) {
      report("lifecycle", sequence, `item "${item}" does not follow its life cycle`, { item });
    }
    state = applied.state;
  }
  return state;
}

function strayItems(before: RunState, after: RunState, input: TurnInput): readonly string[] {
  const now = new Map(after.items.map((item) => [item.id, item]));
  const isChanged = (item: OpenItem) => now.get(item.id) !== item;
  return before.items
    .filter(isChanged)
    .filter((item) => !followsLifecycle(item, now.get(item.id) ?? null, input))
    .map(({ id }) => id);
}

async function auditState(
  host: Host,
  row: RunRow,
  version: Version,
  state: RunState,
  report: Report,
): Promise<void> {
  const { tenant, run } = row;
  const loaded = await host.store.load(tenant, run);
  const live = loaded === null ? null : liveRun(loaded, version);
  if (live?.kind === "live" && !sameState(live.state, state)) {
    report("state", row.sequence, "the stored state is not the fold of the journal");
  }
  if (row.status !== state.status || row.modes.join() !== state.modes.join()) {
    const facts = {
      stored: row.status,
      derived: state.status,
      storedModes: [...row.modes],
      derivedModes: [...state.modes],
    };
    report(
      "status",
      row.sequence,
      "the stored status is not the one of the marking and the open items",
      facts,
    );
  }
  if (state.definition !== row.definition)
    report("definition", null, "the run was moved to another definition");
  const stored = await storedItems(host, tenant, run);
  const derived = new Map(state.items.map((item) => [item.id, item]));
  for (const item of stored) {
    if (!jsonEqual(item as unknown as Json, (derived.get(item.id) ?? null) as unknown as Json)) {
      report("items", row.sequence, `the stored item "${item.id}" is not that of the journal`, {
        item: item.id,
      });
    }
    derived.delete(item.id);
  }
  for (const id of derived.keys())
    report("items", row.sequence, `the open item "${id}" is not stored`, { item: id });
}

async function storedItems(host: Host, tenant: TenantId, run: RunId): Promise<readonly OpenItem[]> {
  const items: OpenItem[] = [];
  for (let after: string | undefined, isMore = true; isMore; ) {
    const page = await host.store.items({
      tenant,
      run,
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    items.push(...page.rows.map(({ item }) => item));
    after = page.next ?? undefined;
    isMore = page.next !== null;
  }
  return items;
}

/** Audits a graph; again while others write it. */
export async function auditGraph(host: Host, tenant: TenantId, graph: GraphId): Promise<GraphAudit> {
  for (let attempt = 1; ; attempt += 1) {
    const audit = await auditGraphOnce(host, tenant, graph);
    if (audit.findings.length === 0 || attempt === ATTEMPTS) return audit;
    const now = await host.store.graph(tenant, graph).catch(() => null);
    if (now === null || now.sequence === audit.turns) return audit;
  }
}

async function auditGraphOnce(host: Host, tenant: TenantId, graph: GraphId): Promise<GraphAudit> {
  const findings: AuditFinding[] = [];
  let turns = 0;
  let isErased = false;
  try {
    const stored = await host.store.graph(tenant, graph);
    turns = stored.sequence;
    const folded = await foldGraph(host, tenant, graph);
    ({ isErased } = folded);
    const isSame =
      folded.sequence === stored.sequence && jsonEqual(graphJson(folded.graph), graphJson(stored.graph));
    if (!isErased && !isSame) {
      const facts = { folded: folded.sequence, stored: stored.sequence };
      const message = "the stored graph is not the fold of its mutations";
      findings.push({ check: "graph", sequence: null, message, facts });
    }
  } catch (fault) {
    findings.push({ check: "storage", sequence: null, message: thrownText(fault), facts: {} });
  }
  const verdict = findings.length > 0 ? "broken" : isErased ? "erased" : "ok";
  return { graph, verdict, turns, findings };
}

/**
 * The fold of the committed mutations of a graph from the empty one, in the order in which they were committed, over
 * all runs that wrote it: G_(i+1) = delta(G_i, Delta_i), where the gate has let every Delta_i through.
 *
 * @definition D20.17
 */
async function foldGraph(
  host: Host,
  tenant: TenantId,
  graph: GraphId,
): Promise<{ readonly graph: ProductGraph; readonly sequence: number; readonly isErased: boolean }> {
  let folded = EMPTY_GRAPH;
  let sequence = 0;
  for (;;) {
    const rows = await host.store.graphJournal(tenant, graph, sequence, PAGE);
    for (const row of rows) {
      if (row.mutations === null) return { graph: folded, sequence, isErased: true };
      folded = row.mutations.reduce((G: ProductGraph, delta: Mutation) => applyMutation(G, delta), folded);
      sequence = row.sequence;
    }
    if (rows.length === 0) return { graph: folded, sequence, isErased: false };
  }
}
