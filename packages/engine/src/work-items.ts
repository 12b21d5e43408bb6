/** @module What people and outside systems do: work items, resumptions, interventions, cancelling. */
import {
  DATA_LIMITS,
  formatIssue,
  type ItemId,
  type Json,
  type NodeId,
  type OpenItem,
  type Outcome,
  parseData,
  type TurnInput,
} from "@tessera/core";
import { DEFAULT_TENANT, type ItemRow, type RunId, type TenantId } from "@tessera/persist";
import { type Actor, type ActorAction, type Authorize, mayByDefault } from "./actor.ts";
import { type Host, keyOf, type LiveRun, type Submitted, type TurnRequest } from "./host.ts";
import { answerLabels } from "./input.ts";
import { loadRun } from "./live-run.ts";
import { metaText } from "./plan.ts";
import { type Refused, refused } from "./refusal.ts";
import { findDuplicate, submit } from "./submit.ts";
import type { Version } from "./versions.ts";

/** Id of a work item over all runs of a tenant: run and item, "run-1/3.0". */
export type TaskId = string;

/** An open item as a list shows it. `outcomes` are the labels that somebody may answer with. */
export interface WorkItem {
  readonly id: TaskId;
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly item: ItemId;
  readonly kind: OpenItem["kind"];
  readonly node: NodeId;
  readonly workflow: string;
  readonly businessKey: string | null;
  readonly title: string | null;
  readonly form: Json;
  readonly outcomes: readonly Outcome[];
  readonly assignee: string | null;
  readonly assignees: readonly string[];
  readonly candidateGroups: readonly string[];
  readonly openedAt: number;
  readonly dueAt: number | null;
  readonly reason: OpenItem["reason"] | null;
}

/** What an operation asks for. `commandId`: doing it again with the same id changes nothing and answers the same. */
export interface TaskRequest {
  readonly tenant?: TenantId;
  readonly task: TaskId;
  readonly by: Actor;
  readonly commandId?: string;
}

/** A completion, or the resumption of an outside wait. Data are keys of D to set. */
export interface CompleteRequest extends TaskRequest {
  readonly outcome?: Outcome;
  readonly data?: { readonly [key: string]: unknown };
}

/** It is done, by turn `sequence`. `isRepeated`: by an earlier request with the same command id. */
export interface Done {
  readonly kind: "done";
  readonly run: RunId;
  readonly sequence: number;
  readonly isRepeated: boolean;
}

/** The id of a work item. */
export function taskId(run: RunId, item: ItemId): TaskId {
  return `${run}/${item}`;
}

/** Run and item of a task id: the item is what stands behind the last slash. */
export function readTaskId(task: TaskId): { readonly run: RunId; readonly item: ItemId } {
  const at = task.lastIndexOf("/");
  return { run: task.slice(0, Math.max(0, at)), item: task.slice(at + 1) };
}

/** The view of an item row. */
export function viewOfItem(
  { tenant, run, workflow, businessKey, item }: ItemRow,
  version: Version | null,
): WorkItem {
  const plan = version?.plan;
  const node = plan?.nodes[plan.nodeIndex.get(item.node) ?? -1];
  return {
    id: taskId(run, item.id),
    tenant,
    run,
    item: item.id,
    kind: item.kind,
    node: item.node,
    workflow,
    businessKey,
    title: node === undefined ? null : (metaText(node, "title") ?? node.label ?? null),
    form: node?.meta?.["form"] ?? null,
    outcomes: plan === undefined ? [] : answerLabels(plan, item.node),
    assignee: item.assignee ?? null,
    assignees: item.assignees ?? [],
    candidateGroups: item.candidateGroups ?? [],
    openedAt: item.openedAt,
    dueAt: item.dueAt ?? null,
    reason: item.reason ?? null,
  };
}

/** The operations of people on one host under one rule of authorization. */
export interface WorkItems {
  readonly claim: (request: TaskRequest) => Promise<Done | Refused>;
  readonly release: (request: TaskRequest) => Promise<Done | Refused>;
  readonly reassign: (
    request: TaskRequest & { readonly to: string; readonly reason?: string },
  ) => Promise<Done | Refused>;
  readonly complete: (request: CompleteRequest) => Promise<Done | Refused>;
  /** Retries what an intervention holds. */
  readonly retry: (request: TaskRequest & { readonly reason: string }) => Promise<Done | Refused>;
}

/** Binds the operations to a host. `authorize` is the application's rule. */
export function makeWorkItems(host: Host, authorize: Authorize): WorkItems {
  const act = actOn(host, authorize);
  return {
    claim: (request) =>
      act("claim", request, ({ item }) => {
        if (item.assignee !== undefined)
          return refused("claimed", `"${item.assignee}" has claimed it`, { assignee: item.assignee });
        return { event: { input: { kind: "claim", item: item.id, by: request.by.id } } };
      }),
    release: (request) =>
      act("release", request, ({ item }) => {
        if (item.assignee === undefined)
          return refused("claimed", "nobody has claimed it", { item: item.id });
        return { event: { input: { kind: "release", item: item.id, by: request.by.id } } };
      }),
    reassign: (request) =>
      act("reassign", request, ({ item }) => {
        const reason = request.reason === undefined ? {} : { reason: request.reason };
        return {
          event: { input: { kind: "reassign", item: item.id, by: request.by.id, to: request.to, ...reason } },
        };
      }),
    complete: (request) => completeItem(host, act, request),
    retry: (request) =>
      act("retry", request, ({ item }) => {
        return {
          event: { input: { kind: "retry", item: item.id, by: request.by.id, reason: request.reason } },
        };
      }),
  };
}

type Act = (
  action: ActorAction,
  request: TaskRequest,
  decide: (found: { readonly item: OpenItem; readonly live: LiveRun }) => TurnRequest | Refused,
) => Promise<Done | Refused>;

/** Finds the item, asks whether the actor may, and submits; all three again whenever the run has changed meanwhile. */
function actOn(host: Host, authorize: Authorize): Act {
  return async (action, request, decide) => {
    const { by: actor, commandId } = request;
    const tenant = request.tenant ?? DEFAULT_TENANT;
    const { run, item: itemId } = readTaskId(request.task);
    const submitted = await submit(host, tenant, run, (live) => {
      const item = live.state.items.find(({ id }) => id === itemId);
      if (item === undefined)
        return refused("not-open", `"${request.task}" is not open`, { task: request.task });
      const query = { action, actor, tenant, run, workflow: live.workflow, item };
      if (!(authorize(query) ?? mayByDefault(query))) {
        const facts = { action, actor: actor.id, task: request.task, assignee: item.assignee ?? null };
        const code = item.assignee !== undefined && item.assignee !== actor.id ? "claimed" : "unauthorized";
        return refused(code, `"${actor.id}" may not ${action} "${request.task}"`, facts);
      }
      const asked = decide({ item, live });
      return "kind" in asked || commandId === undefined ? asked : { ...asked, dedupe: commandId };
    });
    // A repeated command finds the item as it left it itself; whether it was itself, the store knows.
    const earlier =
      submitted.kind === "refused" && commandId !== undefined
        ? await findDuplicate(host, tenant, run, commandId)
        : null;
    return answerOf(host, run, earlier === null ? submitted : { kind: "duplicate", sequence: earlier });
  };
}

async function completeItem(host: Host, act: Act, request: CompleteRequest): Promise<Done | Refused> {
  const patch = readMessage(host, request.data ?? {});
  if (patch.kind === "refused") return patch;
  const by = request.by.id;
  return act("complete", request, ({ item, live }) => {
    const outcome = request.outcome ?? defaultOutcome(live, item);
    if (outcome === null) {
      const outcomes = [...answerLabels(live.version.plan, item.node)];
      return refused("unknown-outcome", `"${item.node}" has several outcomes: name one`, { outcomes });
    }
    const input: TurnInput = { kind: "complete", item: item.id, outcome, by };
    return { event: { input, payload: { patch: patch.data } } };
  });
}

/** The only label there is, or `done` where it is one; null: it must be said. */
function defaultOutcome({ version }: LiveRun, { node }: OpenItem): Outcome | null {
  const labels = answerLabels(version.plan, node);
  if (labels.length === 1) return labels[0] ?? null;
  return labels.includes("done") ? "done" : null;
}

/** Data that came from outside, within the limit, or the refusal with all issues. */
export function readMessage(
  host: Host,
  data: unknown,
): { readonly kind: "message"; readonly data: { readonly [key: string]: Json } } | Refused {
  const { messageBytesMax } = host.limits;
  const parsed = parseData(data, [], { ...DATA_LIMITS, bytesMax: messageBytesMax });
  if (parsed.ok) return { kind: "message", data: parsed.value };
  const isLimit = parsed.issues.every(({ code }) => code === "DATA004");
  const issues = parsed.issues.map(formatIssue);
  return refused(isLimit ? "limit" : "invalid-data", issues.join("; "), {
    issues,
    ...(isLimit ? { messageBytesMax } : {}),
  });
}

/** The answer to a caller; every refusal is logged with its facts. */
export function answerOf(host: Host, run: RunId, submitted: Submitted): Done | Refused {
  switch (submitted.kind) {
    case "committed":
      return { kind: "done", run, sequence: submitted.record.sequence, isRepeated: false };
    case "duplicate":
      return { kind: "done", run, sequence: submitted.sequence, isRepeated: true };
    case "refused":
      host.logger.info("refused", { run, code: submitted.code, why: submitted.message, ...submitted.facts });
      return submitted;
  }
}

/** Cancels a run, and with it everything that it called. */
export async function cancelRun(
  host: Host,
  authorize: Authorize,
  {
    tenant = DEFAULT_TENANT,
    run,
    by,
    reason,
  }: { readonly tenant?: TenantId; readonly run: RunId; readonly by?: Actor; readonly reason?: string },
): Promise<Done | Refused> {
  const submitted = await submit(host, tenant, run, (live) => {
    if (by !== undefined) {
      const query = {
        action: "cancel",
        actor: by,
        tenant,
        run,
        workflow: live.workflow,
        item: null,
      } as const;
      if (!(authorize(query) ?? mayByDefault(query))) {
        return refused("unauthorized", `"${by.id}" may not cancel "${run}"`, { actor: by.id, run });
      }
    }
    const input: TurnInput = {
      kind: "cancel",
      ...(by === undefined ? {} : { by: by.id }),
      ...(reason === undefined ? {} : { reason }),
    };
    return { event: { input } };
  });
  return answerOf(host, run, submitted);
}

/** The version of each listed row's run, for its texts; null where it is not available here. */
export async function versionOfRun(host: Host, tenant: TenantId, run: RunId): Promise<Version | null> {
  const live = host.runs.get(keyOf(tenant, run)) ?? (await loadRun(host, tenant, run));
  return live.kind === "refused" ? null : live.version;
}
