/** @module Turns on stored runs: load, step, commit; again after a conflict; one at a time for each run. */
import { invariant, SEMANTICS_VERSION } from "@tessera/core";
import type {
  ClaimedEffect,
  CommitResult,
  EffectClaim,
  NewRun,
  RunId,
  RunRow,
  TenantId,
  Turn,
} from "@tessera/persist";
import { isSnapshotDue, storeTurn } from "./commands.ts";
import { dueTime } from "./due.ts";
import {
  type Committed,
  type Computed,
  type Decide,
  type Host,
  keyOf,
  type LiveGraph,
  type LiveRun,
  RECORD_BYTES,
  type Submitted,
  type TurnRequest,
} from "./host.ts";
import { pathsOf } from "./indexed-data.ts";
import { RUN_EVENT, RUN_LIFECYCLE } from "./lifecycle/run.ts";
import { nextState } from "./lifecycle/table.ts";
import { loadGraph, loadRun, rowOf } from "./live-run.ts";
import { type Refused, refused } from "./refusal.ts";
import { step } from "./step.ts";
import { thrownText } from "./trouble.ts";

/**
 * One turn on a stored run. Exclusive for the run in this process; against other processes by the store's `expect`:
 * after a conflict everything is loaded and decided again. A refusal that rests on what was remembered is checked
 * against the store before it is given.
 */
export function submit(host: Host, tenant: TenantId, run: RunId, decide: Decide): Promise<Submitted> {
  const key = keyOf(tenant, run);
  return host.mailboxes.exclusive(key, () => firstAttempt(host, { tenant, run, key }, decide));
}

/** A run with its key in caches and mailboxes. */
interface Named {
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly key: string;
}

/** What became of an attempt on a run that was remembered. */
interface Tried {
  readonly live: LiveRun;
  readonly outcome: Attempted;
}

/** Where everything is at hand the first attempt is the last one: then the commit alone is waited for. Never throws. */
function firstAttempt(host: Host, named: Named, decide: Decide): Promise<Submitted> {
  const live = host.runs.get(named.key);
  if (live === undefined) return attempts(host, named, decide, null);
  const settle = (outcome: Attempted): Submitted | Promise<Submitted> =>
    outcome.kind === "committed" ? outcome : attempts(host, named, decide, { live, outcome });
  try {
    const settled = attemptTurn(host, live, decide, settle);
    return settled instanceof Promise ? settled : Promise.resolve(settled);
  } catch (fault) {
    return Promise.reject(fault);
  }
}

/** Attempts until one succeeds; `first` is the first one, where it was made already. */
async function attempts(
  host: Host,
  { tenant, run, key }: Named,
  decide: Decide,
  first: Tried | null,
): Promise<Submitted> {
  let isGraphContended = false;
  for (let attempt = 0; attempt < host.limits.conflictsMax; attempt += 1) {
    const tried = attempt === 0 ? first : null;
    const found = tried?.live ?? host.runs.get(key);
    const live = found ?? (await loadRun(host, tenant, run));
    if (live.kind === "refused") return live;
    const outcome =
      tried?.outcome ??
      (isGraphContended
        ? await host.mailboxes.exclusive(`graph ${keyOf(tenant, live.graph)}`, async () =>
            attemptTurn(host, live, decide, asItIs),
          )
        : await attemptTurn(host, live, decide, asItIs));
    switch (outcome.kind) {
      case "committed":
      case "duplicate":
        return outcome;
      case "refused":
        if (found === undefined || !(await isStale(host, live))) return outcome;
        host.runs.delete(key);
        break;
      case "conflict":
        host.runs.delete(key);
        if (outcome.on === "message") return refused("taken", "somebody else has the message", { run });
        if (outcome.on === "fence") return refused("fenced", "another worker has taken over", { run });
        if (outcome.on === "graph") {
          host.graphs.delete(keyOf(tenant, live.graph));
          isGraphContended = true;
        }
        break;
    }
  }
  const { conflictsMax } = host.limits;
  return refused("busy", "other writers were faster every time", { run, conflictsMax });
}

/** Has somebody else moved the run since it was remembered? */
async function isStale(host: Host, live: LiveRun): Promise<boolean> {
  const row = await rowOf(host, live.tenant, live.run);
  return row !== null && row.sequence !== live.state.sequence;
}

type Attempted = Submitted | (CommitResult & { readonly kind: "conflict" });

const asItIs = (outcome: Attempted): Attempted => outcome;

/** No promises of its own where everything is at hand: every turn comes through here. `settle` has the last word. */
function attemptTurn<T>(
  host: Host,
  live: LiveRun,
  decide: Decide,
  settle: (outcome: Attempted) => T | Promise<T>,
): T | Promise<T> {
  const request = decide(live);
  if ("kind" in request) return settle(request);
  const { tenant, graph: id } = live;
  const graph = host.graphs.get(keyOf(tenant, id));
  if (graph !== undefined) return turnOn(host, live, graph, request, settle);
  return loadGraph(host, tenant, id).then((loaded) => turnOn(host, live, loaded, request, settle));
}

function turnOn<T>(
  host: Host,
  live: LiveRun,
  graph: LiveGraph,
  request: TurnRequest,
  settle: (outcome: Attempted) => T | Promise<T>,
): T | Promise<T> {
  const computed = computeTurn(host, live, null, graph, request);
  if (computed.kind === "refused") return settle(computed);
  return commitTurn(host, computed).then(
    (result) => {
      if (result.kind === "duplicate") forget(host, live);
      return settle(result.kind === "ok" ? adopt(host, live, computed, result.claimed ?? NOTHING) : result);
    },
    (fault: unknown) => forgetAfter(host, live, fault),
  );
}

const NOTHING: readonly never[] = [];

/** What became of a turn; with it, the jobs that were claimed. */
type Commitment = CommitResult & { readonly claimed?: readonly ClaimedEffect[] };

/**
 * Commits a computed turn, and claims with it the jobs for which this engine has slots. After a fault of the storage nobody
 * knows what was written: nothing is remembered, and jobs that were claimed all the same are so until their lease ends.
 *
 * @refines D10.25
 */
export function commit(host: Host, computed: Computed): Promise<Commitment> {
  return commitTurn(host, computed).catch((fault: unknown) => forgetAfter(host, computed.live, fault));
}

function commitTurn(host: Host, { turn }: Computed): Promise<Commitment> {
  const claim = host.claiming?.of(turn) ?? null;
  return claim === null ? host.committer.commit(turn) : commitClaiming(host, turn, claim);
}

function forgetAfter(host: Host, live: LiveRun, fault: unknown): never {
  forget(host, live);
  throw fault;
}

async function commitClaiming(host: Host, turn: Turn, claim: EffectClaim): Promise<Commitment> {
  let claimed: readonly ClaimedEffect[] = [];
  let isKept = true;
  const giveUp = (): void => {
    if (isKept) host.claiming?.giveUp(claim);
    isKept = false;
  };
  try {
    // What waits for somebody else's transaction claims nothing: the slots are for the jobs of other runs.
    const claiming = { ...turn, effects: { ...turn.effects, claim } };
    const result = await host.committer.commitClaiming(claiming, giveUp);
    // A store that knows no claims has claimed nothing: the jobs are there to be looked for.
    const tokens = result.kind === "ok" ? result.tokens : undefined;
    if (tokens !== undefined) claimed = claimedWith(turn, claim, tokens);
    return { ...result, claimed };
  } finally {
    if (claimed.length === 0) giveUp();
  }
}

function claimedWith(
  { tenant, run, effects }: Turn,
  claim: EffectClaim,
  tokens: readonly number[],
): readonly ClaimedEffect[] {
  const { leaseUntil } = claim;
  const added = new Map(effects.add.map((effect) => [effect.id, effect]));
  return claim.effects.map((id, at) => {
    const [effect, token] = [added.get(id), tokens[at]];
    invariant(effect !== undefined && token !== undefined, "D10.25", () => ({ effect: id }));
    return { tenant, run, effect, token, leaseUntil, claimCount: 1 };
  });
}

/**
 * The turn of a run that carries a dedupe id, if there is one: asked by a turn that nobody can commit.
 */
export async function findDuplicate(
  host: Host,
  tenant: TenantId,
  run: RunId,
  dedupe: string,
): Promise<number | null> {
  const row = await rowOf(host, tenant, run);
  if (row === null) return null;
  return duplicateIn([await host.committer.commit(duplicateQuestion(row, dedupe, host.clock.now()))]);
}

/**
 * A turn that asks for the dedupe id and cannot be committed, because it is fenced by a lease that was never given. The
 * store looks at the dedupe id first (D10.7).
 */
export function duplicateQuestion(row: RunRow, dedupe: string, at: number): Turn {
  const { tenant, run, definition, sequence, status, modes } = row;
  const input = { kind: "continue" } as const;
  return {
    tenant,
    run,
    definition,
    expect: sequence,
    record: { semantics: SEMANTICS_VERSION, sequence: sequence + 1, at, input, steps: [] },
    status,
    modes,
    dedupe,
    items: { set: [], closed: [] },
    effects: { add: [], done: [] },
    fence: { effect: "", token: -1 },
  };
}

/** What the store answered to a `duplicateQuestion`: the turn that has the id, null when none has. */
export function duplicateIn([result]: readonly CommitResult[]): number | null {
  return result?.kind === "duplicate" ? result.sequence : null;
}

function forget(host: Host, { tenant, run, graph }: LiveRun): void {
  host.runs.delete(keyOf(tenant, run));
  host.graphs.delete(keyOf(tenant, graph));
}

/**
 * The time of the next turn of a run: what the clock says, or the time of the turn before where the clock is behind it.
 *
 * @definition D9.30
 */
function turnTime({ at }: LiveRun, now: number): number {
  return Math.max(at, now);
}

/** The turn that `request` opens on `live`; `created` for the first one. No I/O. */
export function computeTurn(
  host: Host,
  live: LiveRun,
  created: NewRun | null,
  graph: LiveGraph,
  request: TurnRequest,
): Computed | Refused {
  const { limits, clock, random } = host;
  const version = request.version ?? live.version;
  const { plan, pinned } = version;
  const now = clock.now();
  // Only a bare net chooses: for every other turn the text, which costs more than the number, is not made.
  const drawn = random();
  const { takes = null } = request;
  // A look and its turn are apart: the turn has the time that counts.
  if (takes !== null && takes.expiresAt <= now) return refused("expired", "the message has expired", { now });
  const ready = step(plan, live.state, request.event, {
    now,
    at: turnTime(live, now),
    seed: plan.program.compiled.kind === "net" ? String(drawn) : "",
    bodies: version.bodies(),
    limits,
    graph: graph.graph,
    due: dueTime,
  });
  if (ready.kind === "refused") return refused(ready.code, ready.message, ready.facts);
  const status = nextState(RUN_LIFECYCLE, live.state.status, RUN_EVENT[ready.state.status]);
  invariant(status === ready.state.status, "D9.1", () => ({
    from: live.state.status,
    to: ready.state.status,
  }));
  const tail = { turns: live.tail.turns + 1, bytes: live.tail.bytes + ready.bytes + RECORD_BYTES };
  // With it, no state is folded from turns of two definitions.
  const isMoved = version !== live.version;
  const isDue = isMoved || isSnapshotDue(tail, ready.state.dataBytesBound, limits.snapshotTurns);
  const turn = storeTurn(
    {
      tenant: live.tenant,
      run: live.run,
      plan,
      pins: pinned.calls,
      parent: live.parent,
      graph: { id: live.graph, sequence: graph.sequence },
      created,
      done: request.done ?? [],
      takes: takes?.number ?? null,
      messageTtlMs: limits.messageTtlMs,
      now,
      dedupe: request.dedupe ?? null,
      fence: request.fence ?? null,
      wasUnfinished: live.wasUnfinished,
      continueAfterMs: limits.leaseMs,
      isSnapshotDue: isDue,
      indexed: pathsOf(host, live.workflow),
    },
    live.state,
    ready,
  );
  const after: LiveRun = {
    kind: "live",
    tenant: live.tenant,
    run: live.run,
    workflow: live.workflow,
    businessKey: live.businessKey,
    parent: live.parent,
    graph: live.graph,
    version,
    state: ready.state,
    at: ready.record.at,
    tail: isDue ? { turns: 0, bytes: 0 } : tail,
    wasUnfinished: ready.isUnfinished,
  };
  const sequence = graph.sequence + (ready.mutations.length > 0 ? 1 : 0);
  return { kind: "computed", turn, ready, live: after, graph: { sequence, graph: ready.graph } };
}

/** Takes a committed turn into memory and tells the listeners. `claimed`: the jobs that were claimed with it. */
export function adopt(
  host: Host,
  before: LiveRun | null,
  { turn, ready, live, graph }: Computed,
  claimed: readonly ClaimedEffect[],
): Committed {
  host.runs.set(keyOf(live.tenant, live.run), live);
  if (ready.mutations.length > 0) host.graphs.set(keyOf(live.tenant, live.graph), graph);
  const { record, isUnfinished } = ready;
  const committed: Committed = { kind: "committed", before, live, record, turn, isUnfinished, claimed };
  for (const listen of host.listeners) {
    try {
      listen(committed);
    } catch (error) {
      // The turn is true whatever a listener makes of it.
      host.logger.error("a listener threw", { run: live.run, error: thrownText(error) });
    }
  }
  return committed;
}
