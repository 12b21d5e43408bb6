/** @module One transaction for the application's own writes and for turns: both or neither. */
import { type Json, jsonEqual, type TurnRecord } from "@tessera/core";
import {
  type CommitResult,
  DEFAULT_TENANT,
  type RunId,
  StoreError,
  type SyncStore,
  type TenantId,
} from "@tessera/persist";
import type { Authorize } from "./actor.ts";
import type { Computed, Host, LiveGraph, LiveRun, TurnRequest } from "./host.ts";
import { keyOf } from "./host.ts";
import { liveRun } from "./live-run.ts";
import { type Refused, refused } from "./refusal.ts";
import {
  checkStart,
  computeStart,
  type StartOrder,
  type StartRequest,
  startTrouble,
  unknownWorkflow,
} from "./start.ts";
import { adopt, computeTurn, duplicateIn, duplicateQuestion } from "./submit.ts";
import { readTaskId } from "./task.ts";
import type { Version } from "./versions.ts";
import { type CompleteRequest, completion, type Done } from "./work-items.ts";

/** What may be done inside a transaction; everything is synchronous. */
export interface EngineTransaction {
  readonly start: (
    request: StartRequest,
  ) => { readonly kind: "started"; readonly run: RunId; readonly isNew: boolean } | Refused;
  readonly complete: (request: CompleteRequest) => Done | Refused;
}

/** What a transaction has seen and done so far. */
interface Session {
  readonly host: Host;
  readonly tx: SyncStore;
  readonly runs: Map<string, LiveRun>;
  readonly graphs: Map<string, LiveGraph>;
  readonly done: { readonly before: LiveRun | null; readonly computed: Computed }[];
}

/**
 * Runs `work` in one transaction of the store: its own writes on the same database handle, the runs it starts and the
 * work items it completes are committed together, or, when it throws, none of them; the throw is passed on. A refusal
 * undoes nothing by itself: throw (see `accepted`) to undo. Work on runs begins after the commit.
 * Throws StoreError `misuse` where the store has no transactions.
 *
 * @definition D9.14
 */
export function inTransaction<T>(host: Host, authorize: Authorize, work: (tx: EngineTransaction) => T): T {
  const { transaction } = host.store;
  if (transaction === undefined) throw new StoreError("misuse", "This store has no transactions.");
  const done: Session["done"] = [];
  const answer = transaction((tx) => {
    const session: Session = { host, tx, runs: new Map(), graphs: new Map(), done };
    return work({
      start: (request) => startWithin(session, request),
      complete: (request) => completeWithin(session, authorize, request),
    });
  });
  for (const { before, computed } of done) adopt(host, before, computed, []);
  return answer;
}

function startWithin(session: Session, request: StartRequest): ReturnType<EngineTransaction["start"]> {
  const { host } = session;
  if (host.isClosed) return refused("closed", "the engine is closed");
  const trouble = startTrouble(request);
  if (trouble !== null) return trouble;
  const tenant = request.tenant ?? DEFAULT_TENANT;
  const version = versionWithin(session, tenant, request);
  if (version.kind === "refused") return version;
  const checked = checkStart(host, tenant, version, request);
  if (checked.kind === "refused") return checked;
  const { order } = checked;
  const existing = runWithin(session, tenant, order.run);
  if (existing.kind === "live") return existingWithin(session, existing, order);
  if (existing.code !== "not-found") return existing;
  const computed = computeStart(host, order, graphWithin(session, tenant, order.created.graph));
  if (computed.kind === "refused") return computed;
  commitWithin(session, null, computed);
  return { kind: "started", run: order.run, isNew: true };
}

function completeWithin(session: Session, authorize: Authorize, request: CompleteRequest): Done | Refused {
  const { host } = session;
  if (host.isClosed) return refused("closed", "the engine is closed");
  const command = completion(host, authorize, request);
  if (command.kind === "refused") return command;
  const tenant = request.tenant ?? DEFAULT_TENANT;
  const { run } = readTaskId(request.task);
  const live = runWithin(session, tenant, run);
  if (live.kind === "refused") return live;
  const asked: TurnRequest | Refused = command.decide(live);
  const computed =
    "kind" in asked ? asked : computeTurn(host, live, null, graphWithin(session, tenant, live.graph), asked);
  if (computed.kind === "refused") return repeatedWithin(session, request, computed);
  const result = commitWithin(session, live, computed);
  const isRepeated = result.kind === "duplicate";
  return { kind: "done", run, sequence: result.sequence, isRepeated };
}

/** Whether a refused command is the repetition of one that was done, the store knows. */
function repeatedWithin(
  { host, tx }: Session,
  { task, commandId, tenant = DEFAULT_TENANT }: CompleteRequest,
  refusal: Refused,
): Done | Refused {
  const { run } = readTaskId(task);
  const row = commandId === undefined ? undefined : tx.load(tenant, run, 0)?.row;
  if (commandId === undefined || row === undefined) return refusal;
  const sequence = duplicateIn(tx.commit([duplicateQuestion(row, commandId, host.clock.now())]));
  return sequence === null ? refusal : { kind: "done", run, sequence, isRepeated: true };
}

/** Everything was read in this transaction, so nothing can have changed; only a repeated command is not new. */
function commitWithin(
  session: Session,
  before: LiveRun | null,
  computed: Computed,
): CommitResult & { readonly sequence: number } {
  const [result] = session.tx.commit([computed.turn]);
  if (result?.kind === "duplicate") return result;
  if (result?.kind !== "ok")
    throw new StoreError("corrupt", `A transaction saw two states of run "${computed.turn.run}".`);
  const { live, graph } = computed;
  session.runs.set(keyOf(live.tenant, live.run), live);
  session.graphs.set(keyOf(live.tenant, live.graph), graph);
  session.done.push({ before, computed });
  return result;
}

function versionWithin(
  { host, tx }: Session,
  tenant: TenantId,
  { workflow }: StartRequest,
): Version | Refused {
  const isHash = typeof workflow === "object" && "hash" in workflow;
  const name = typeof workflow === "string" ? workflow : "name" in workflow ? workflow.name : workflow.hash;
  const row = isHash ? tx.definition(workflow.hash) : tx.newestDefinition(tenant, name);
  return row === null ? unknownWorkflow(name) : host.versions.open(row);
}

function runWithin({ host, tx, runs }: Session, tenant: TenantId, run: RunId): LiveRun | Refused {
  const seen = runs.get(keyOf(tenant, run));
  if (seen !== undefined) return seen;
  const loaded = tx.load(tenant, run);
  const row = loaded === null ? null : tx.definition(loaded.row.definition);
  if (loaded === null || row === null) return refused("not-found", `there is no run "${run}"`, { run });
  const version = host.versions.open(row);
  return version.kind === "refused" ? version : liveRun(loaded, version);
}

function graphWithin({ tx, graphs }: Session, tenant: TenantId, graph: string): LiveGraph {
  return graphs.get(keyOf(tenant, graph)) ?? tx.graph(tenant, graph);
}

function existingWithin(
  { tx }: Session,
  live: LiveRun,
  order: StartOrder,
): ReturnType<EngineTransaction["start"]> {
  const { tenant, run } = order;
  const [first] = tx.load(tenant, run, 1)?.tail ?? [];
  return sameStart(live, order, first);
}

/** A start that finds its run there: the same content is the same run. `first`: the run's first turn, if it can be read. */
export function sameStart(
  live: LiveRun,
  { run, created, data }: StartOrder,
  first: TurnRecord | undefined,
): ReturnType<EngineTransaction["start"]> {
  const isSameData =
    first === undefined ||
    (first.input.kind === "start" && jsonEqual(first.input.data as Json, data as Json));
  const isSame =
    live.workflow === created.workflow &&
    live.businessKey === (created.businessKey ?? null) &&
    live.graph === created.graph;
  if (isSame && isSameData) return { kind: "started", run, isNew: false };
  return refused("exists", `run "${run}" was started with other content`, { run, workflow: live.workflow });
}
