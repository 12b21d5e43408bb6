/** @module Turns in a transaction that the application has begun on a connection of its own: both or neither. */
import {
  type CommitResult,
  DEFAULT_TENANT,
  type EnlistedStore,
  type RunId,
  StoreError,
  type TenantId,
  type Turn,
} from "@tessera/persist";
import type { Authorize } from "./actor.ts";
import type { Computed, Host, LiveRun } from "./host.ts";
import { liveRun } from "./live-run.ts";
import { type Refused, refused } from "./refusal.ts";
import { checkStart, computeStart, type StartRequest, startTrouble, unknownWorkflow } from "./start.ts";
import { computeTurn, duplicateIn, duplicateQuestion } from "./submit.ts";
import { readTaskId } from "./task.ts";
import { type EngineTransaction, sameStart } from "./transaction.ts";
import type { Version } from "./versions.ts";
import { type CompleteRequest, completion, type Done } from "./work-items.ts";

/** What may be done inside the transaction. A refusal undoes nothing and leaves the transaction as it was. */
export interface EnlistedTransaction {
  readonly start: (request: StartRequest) => Promise<ReturnType<EngineTransaction["start"]>>;
  readonly complete: (request: CompleteRequest) => Promise<Done | Refused>;
}

/** An engine at work in one transaction. */
interface Session {
  readonly host: Host;
  readonly store: EnlistedStore;
  /** Begins the background work of the engine, which finds what the transaction leaves once it has committed. */
  readonly resume: () => void;
}

/**
 * Turns in the transaction that is open on `connection`. Everything is read in it, for each turn anew, and nothing is
 * remembered: the engine does not learn whether it commits, and hears of what it leaves as of another process's commit.
 * Throws StoreError `misuse` where the store has no such connections.
 *
 * @definition D9.28
 */
export function enlistIn(
  host: Host,
  authorize: Authorize,
  connection: object,
  resume: () => void,
): EnlistedTransaction {
  const { enlist } = host.store;
  if (enlist === undefined) throw new StoreError("misuse", "This store has no connections to join in.");
  const session: Session = { host, store: enlist(connection), resume };
  return {
    start: (request) => startWithin(session, request),
    complete: (request) => completeWithin(session, authorize, request),
  };
}

async function startWithin(
  session: Session,
  request: StartRequest,
): Promise<ReturnType<EngineTransaction["start"]>> {
  const { host, store } = session;
  const trouble = startTrouble(request);
  if (trouble !== null) return trouble;
  const tenant = request.tenant ?? DEFAULT_TENANT;
  const version = await versionWithin(session, tenant, request);
  if (version.kind === "refused") return version;
  const checked = checkStart(host, tenant, version, request);
  if (checked.kind === "refused") return checked;
  const { order } = checked;
  const { run } = order;
  for (let attempt = 0; attempt < host.limits.conflictsMax; attempt += 1) {
    const existing = await runWithin(session, tenant, run);
    if (existing.kind === "live")
      return sameStart(existing, order, (await store.load(tenant, run, 1))?.tail[0]);
    if (existing.code !== "not-found") return existing;
    const computed = computeStart(host, order, await store.graph(tenant, order.created.graph));
    if (computed.kind === "refused") return computed;
    const result = await commitWithin(session, computed);
    if (result.kind === "ok") return { kind: "started", run, isNew: true };
  }
  return busy(run);
}

async function completeWithin(
  session: Session,
  authorize: Authorize,
  request: CompleteRequest,
): Promise<Done | Refused> {
  const { host, store } = session;
  const command = completion(host, authorize, request);
  if (command.kind === "refused") return command;
  const tenant = request.tenant ?? DEFAULT_TENANT;
  const { run } = readTaskId(request.task);
  for (let attempt = 0; attempt < host.limits.conflictsMax; attempt += 1) {
    const live = await runWithin(session, tenant, run);
    if (live.kind === "refused") return live;
    const asked = command.decide(live);
    const computed =
      "kind" in asked ? asked : computeTurn(host, live, null, await store.graph(tenant, live.graph), asked);
    if (computed.kind === "refused") return repeatedWithin(session, request, computed);
    const result = await commitWithin(session, computed);
    if (result.kind === "conflict") continue;
    return { kind: "done", run, sequence: result.sequence, isRepeated: result.kind === "duplicate" };
  }
  return busy(run);
}

/** Whether a refused command is the repetition of one that was done, the store knows. */
async function repeatedWithin(
  { host, store }: Session,
  { task, commandId, tenant = DEFAULT_TENANT }: CompleteRequest,
  refusal: Refused,
): Promise<Done | Refused> {
  const { run } = readTaskId(task);
  const row = commandId === undefined ? undefined : (await store.load(tenant, run, 0))?.row;
  if (commandId === undefined || row === undefined) return refusal;
  const sequence = duplicateIn(await store.commit([duplicateQuestion(row, commandId, host.clock.now())]));
  return sequence === null ? refusal : { kind: "done", run, sequence, isRepeated: true };
}

async function commitWithin({ host, store, resume }: Session, { turn }: Computed): Promise<CommitResult> {
  const [result] = await store.commit([goingOnAtOnce(turn, host.clock.now())]);
  if (result === undefined) throw new StoreError("corrupt", "A turn was committed without an answer.");
  if (result.kind === "ok") resume();
  return result;
}

/** An unfinished run is gone on with by whoever hears of it first: this engine does not learn when it may do so itself. */
function goingOnAtOnce(turn: Turn, now: number): Turn {
  const { effects } = turn;
  const add = effects.add.map((effect) =>
    effect.kind === "continue" ? { ...effect, availableAt: now } : effect,
  );
  return { ...turn, effects: { ...effects, add } };
}

async function versionWithin(
  { host, store }: Session,
  tenant: TenantId,
  { workflow }: StartRequest,
): Promise<Version | Refused> {
  if (typeof workflow === "object" && "hash" in workflow) {
    const row = await store.definition(workflow.hash);
    return row === null ? unknownWorkflow(workflow.hash) : host.versions.open(row);
  }
  const name = typeof workflow === "string" ? workflow : workflow.name;
  const row = await store.newestDefinition(tenant, name);
  return row === null ? unknownWorkflow(name) : host.versions.open(row);
}

async function runWithin({ host, store }: Session, tenant: TenantId, run: RunId): Promise<LiveRun | Refused> {
  const loaded = await store.load(tenant, run);
  const row = loaded === null ? null : await store.definition(loaded.row.definition);
  if (loaded === null || row === null) return refused("not-found", `there is no run "${run}"`, { run });
  const version = host.versions.open(row);
  return version.kind === "refused" ? version : liveRun(loaded, version);
}

function busy(run: RunId): Refused {
  return refused("busy", "other writers were faster every time", { run });
}
