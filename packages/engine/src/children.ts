/** @module Commands between runs: start and cancel a called run, tell the parent, go on with an unfinished turn. */
import {
  CANCELLED,
  type Data,
  ERROR,
  type Hash,
  type JsonObject,
  type Trouble,
  type WaitingMode,
} from "@tessera/core";
import { multiOf } from "@tessera/gateways";
import type { ClaimedEffect, ParentLink, RunId, TenantId } from "@tessera/persist";
import { childOutcome, endLabels, parentActor } from "./commands.ts";
import { handledEvent } from "./handlers.ts";
import type { Host, LiveRun, Submitted, TurnRequest } from "./host.ts";
import { postpone } from "./jobs.ts";
import { findVersion, loadRun, rowOf } from "./live-run.ts";
import { mapData } from "./mapping.ts";
import { commitStart } from "./start.ts";
import { submit } from "./submit.ts";
import { thrownText } from "./trouble.ts";

/**
 * Carries out a claimed command that is no job: starts or cancels a called run, brings its end or its news to the run
 * that called it, goes on with an unfinished run. Each is the input of one turn, which completes the command's row, so
 * it is done once whoever carries it out how often. Never rejects.
 *
 * @definition D20.16
 */
export async function carryOut(host: Host, claimed: ClaimedEffect): Promise<void> {
  try {
    switch (claimed.effect.kind) {
      case "continue":
        return await settle(host, claimed, await continueRun(host, claimed));
      case "start-child":
        return await startChild(host, claimed);
      case "cancel-child":
        return await cancelChild(host, claimed);
      case "child-done":
        return await childDone(host, claimed);
      case "child-status":
        return await childStatus(host, claimed);
      case "signal":
        return await settle(host, claimed, await giveSignal(host, claimed));
      case "job":
        return;
    }
  } catch (fault) {
    const facts = { effect: claimed.effect.id, error: thrownText(fault) };
    host.logger.error("a command failed; it is tried again when its lease ends", facts);
  }
}

/** The run on which a command opens a turn: the called one that it starts or cancels, the one that called, or its own. */
export function concernedRun({ run, effect: { kind, payload } }: ClaimedEffect): RunId {
  switch (kind) {
    case "start-child":
    case "cancel-child":
      return String(payload["child"]);
    case "child-done":
    case "child-status":
      return parentOf(payload).run;
    default:
      return run;
  }
}

/** Fired, stale or late: whatever came of it, the row is done with, unless another try can help. */
async function settle(host: Host, claimed: ClaimedEffect, submitted: Submitted): Promise<void> {
  if (submitted.kind === "committed") return;
  const { effect, tenant, token } = claimed;
  if (submitted.kind === "duplicate") return void (await host.store.dropEffect(effect.id, tenant, token));
  switch (submitted.code) {
    case "fenced":
      return;
    case "busy":
    case "suspended":
    case "unavailable":
    case "erased":
      return postpone(host, claimed, submitted.message);
    default:
      await host.store.dropEffect(effect.id, tenant, token);
  }
}

/** Fence and completion of a claimed row, for the turn that it brings about. */
function completion({ effect, token }: ClaimedEffect): Pick<TurnRequest, "done" | "fence"> {
  return { done: [effect.id], fence: { effect: effect.id, token } };
}

function continueRun(host: Host, claimed: ClaimedEffect): Promise<Submitted> {
  return submit(host, claimed.tenant, claimed.run, () => ({
    event: { input: { kind: "continue" } },
    ...completion(claimed),
  }));
}

/** A signal for an item that waited for it when it was given. */
function giveSignal(host: Host, claimed: ClaimedEffect): Promise<Submitted> {
  const { name, event, data } = claimed.effect.payload as {
    readonly name: string;
    readonly event: string;
    readonly data: JsonObject;
  };
  const input = { kind: "event", item: claimed.effect.item, event, on: "signal", name } as const;
  return submit(host, claimed.tenant, claimed.run, () => ({
    event: { input, payload: { data } },
    ...completion(claimed),
  }));
}

interface StartPayload {
  readonly child: RunId;
  readonly workflow: string;
  readonly definition: Hash | null;
  readonly data: Data;
  readonly graph: string;
}

async function startChild(host: Host, claimed: ClaimedEffect): Promise<void> {
  const { tenant, run, effect, token } = claimed;
  const { child, workflow, definition, data, graph } = effect.payload as unknown as StartPayload;
  const fail = (trouble: Trouble) =>
    answerParent(host, claimed, { run, item: effect.item }, ERROR, () => ({}), trouble);
  const depth = await callDepth(host, tenant, run);
  if (depth >= host.limits.callDepthMax) {
    const message = `"${workflow}" would be called at depth ${depth + 1}`;
    return fail({ code: "CALL_DEPTH", message, facts: { callDepthMax: host.limits.callDepthMax } });
  }
  const parent = await rowOf(host, tenant, run);
  const version = definition === null ? null : await findVersion(host, definition);
  if (version === null || version.kind === "refused" || parent === null) {
    const trouble = {
      code: "CALL_UNAVAILABLE",
      message: `the called workflow "${workflow}" cannot run here`,
      facts: { workflow, definition },
    };
    return holdCall(host, claimed, trouble);
  }
  const invalid = version.bodies().validate(data);
  if (invalid !== null)
    return fail({ code: "CALL_INPUT", message: invalid.message, facts: { workflow, cause: invalid.code } });
  const { businessKey } = parent;
  const created = {
    workflow: version.name,
    graph,
    parent: { run, item: effect.item },
    ...(businessKey === null ? {} : { businessKey }),
  };
  const started = await commitStart(host, {
    tenant,
    run: child,
    version,
    created,
    data,
    ...completion(claimed),
  });
  if (started.kind === "started") {
    if (!started.isNew) await host.store.dropEffect(effect.id, tenant, token);
    return;
  }
  switch (started.code) {
    case "fenced":
      return;
    case "orphan":
      return void (await host.store.dropEffect(effect.id, tenant, token));
    case "busy":
      return postpone(host, claimed, started.message);
    default:
      return fail({
        code: "CALL_REFUSED",
        message: started.message,
        facts: { workflow, refusal: started.code },
      });
  }
}

/** Calls above a run. */
async function callDepth(host: Host, tenant: TenantId, run: RunId): Promise<number> {
  let depth = 0;
  let at: RunId | null = run;
  while (at !== null && depth < host.limits.callDepthMax) {
    const parent: RunId | null = (await rowOf(host, tenant, at))?.parent?.run ?? null;
    if (parent !== null) depth += 1;
    at = parent;
  }
  return depth;
}

async function holdCall(host: Host, claimed: ClaimedEffect, trouble: Trouble): Promise<void> {
  const { tenant, run, effect } = claimed;
  host.logger.warn("a call is held for an operator", { run, effect: effect.id, code: trouble.code });
  const submitted = await submit(host, tenant, run, () => {
    return { event: { input: { kind: "hold", item: effect.item, trouble } }, ...completion(claimed) };
  });
  return settle(host, claimed, submitted);
}

async function cancelChild(host: Host, claimed: ClaimedEffect): Promise<void> {
  const { tenant, run, effect } = claimed;
  const by = parentActor({ run, item: effect.item });
  const child = String(effect.payload["child"]);
  const submitted = await submit(host, tenant, child, () => {
    return {
      event: { input: { kind: "cancel", by, reason: "its caller no longer waits for it" } },
      ...completion(claimed),
    };
  });
  return settle(host, claimed, submitted);
}

/** A called run has ended: its label, and its outputs, go to the item that called it. */
async function childDone(host: Host, claimed: ClaimedEffect): Promise<void> {
  const parent = parentOf(claimed.effect.payload);
  const child = await loadRun(host, claimed.tenant, claimed.run);
  if (child.kind === "refused") return postpone(host, claimed, child.message);
  const outcome = childOutcome(child.version.plan, child.state);
  const isAnswer = outcome !== ERROR && outcome !== CANCELLED;
  // The outputs are those of the definition in which the caller is when it takes the result: it may be migrated meanwhile.
  const patchFor = (caller: LiveRun) => (isAnswer ? outputsOf(caller, parent, child) : {});
  return answerParent(host, claimed, parent, outcome, patchFor, childTrouble(child));
}

function outputsOf(
  { state, version }: LiveRun,
  parent: ParentLink,
  child: LiveRun,
): { readonly [key: string]: Data[string] } {
  const item = state.items.find(({ id }) => id === parent.item);
  const node = version.plan.nodes[version.plan.nodeIndex.get(item?.node ?? "") ?? -1];
  const handler = item === undefined ? null : (handledEvent(version.plan, item)?.handler ?? null);
  if (handler !== null) return mapData(handler.outputs, child.state.data);
  const multi = item?.instance === undefined || node === undefined ? null : multiOf(node);
  if (multi !== null) return mapData(multi.result === null ? {} : { value: multi.result }, child.state.data);
  return mapData(node?.meta?.["outputs"], child.state.data);
}

function childTrouble({ run, state, version }: LiveRun): Trouble | null {
  const { terminal } = state;
  if (terminal?.kind === "failed") {
    const { code, message } = terminal.trouble;
    return { code: "CALL_FAILED", message: `the called run failed: ${message}`, facts: { run, cause: code } };
  }
  const labels = endLabels(version.plan, state);
  if (labels.length < 2) return null;
  const message = "the called run ended under several labels";
  return { code: "CALL_AMBIGUOUS", message, facts: { run, labels: [...labels] } };
}

async function answerParent(
  host: Host,
  claimed: ClaimedEffect,
  parent: ParentLink,
  outcome: string,
  patchFor: (caller: LiveRun) => { readonly [key: string]: Data[string] },
  trouble: Trouble | null,
): Promise<void> {
  const input = {
    kind: "result",
    item: parent.item,
    outcome,
    ...(trouble === null ? {} : { trouble }),
  } as const;
  const submitted = await submit(host, claimed.tenant, parent.run, (caller) => ({
    event: { input, payload: { patch: patchFor(caller) } },
    dedupe: claimed.effect.id,
    ...completion(claimed),
  }));
  return settle(host, claimed, submitted);
}

async function childStatus(host: Host, claimed: ClaimedEffect): Promise<void> {
  const { payload } = claimed.effect;
  const parent = parentOf(payload);
  const sequence = Number(payload["sequence"]);
  const status = payload["status"] === "waiting" ? "waiting" : "running";
  const modes = (payload["modes"] ?? []) as readonly WaitingMode[];
  const submitted = await submit(host, claimed.tenant, parent.run, () => {
    const input = { kind: "child-status", item: parent.item, childSequence: sequence } as const;
    return { event: { input, payload: { child: { sequence, status, modes } } }, ...completion(claimed) };
  });
  return settle(host, claimed, submitted);
}

function parentOf(payload: JsonObject): ParentLink {
  return { run: String(payload["run"]), item: String(payload["item"]) };
}
