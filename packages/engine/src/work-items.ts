/** @module What people and outside systems do: work items, resumptions, interventions, cancelling. */
import {
  DATA_LIMITS,
  formatIssue,
  type ItemId,
  itemId,
  type Json,
  type NodeId,
  type OpenItem,
  type Outcome,
  parseData,
  type TurnInput,
} from "@tessera/core";
import { DEFAULT_TENANT, type RunId, type TenantId } from "@tessera/persist";
import { type Actor, type ActorAction, type Authorize, isAllowed } from "./actor.ts";
import { isRunActor } from "./commands.ts";
import type { Decide, Host, LiveRun, Submitted, TurnRequest } from "./host.ts";
import { answerLabels } from "./input.ts";
import { nextState } from "./lifecycle/table.ts";
import { WORK_ITEM_LIFECYCLE, type WorkItemEvent, workItemState } from "./lifecycle/work-item.ts";
import { runWith } from "./live-run.ts";
import { type Refused, refused } from "./refusal.ts";
import { findDuplicate, submit } from "./submit.ts";
import { readTaskId, type TaskId, taskId } from "./task.ts";
import { isJournalText } from "./trouble.ts";

/** What an operation asks for. `commandId`: doing it again with the same id changes nothing and answers the same. */
export interface TaskRequest {
  readonly tenant?: TenantId;
  readonly task: TaskId;
  readonly by: Actor;
  readonly commandId?: string;
}

/** A completion of whatever is open at a node of a run: for those who know the node and not the item. */
export type NodeRequest = Omit<CompleteRequest, "task" | "tenant"> & { readonly node: NodeId };

/** A completion, or the resumption of an outside wait. Data are keys of D to set. */
export interface CompleteRequest extends TaskRequest {
  readonly outcome?: Outcome;
  readonly data?: { readonly [key: string]: unknown };
}

/** To whom a work item goes: to somebody, who has claimed it then, or to a group, any member of which may claim it. */
export type ReassignRequest = TaskRequest & { readonly reason?: string } & (
    | { readonly to: string; readonly toGroup?: undefined }
    | { readonly to?: undefined; readonly toGroup: string }
  );

/** It is done, by turn `sequence`. `isRepeated`: by an earlier request with the same command id. */
export interface Done {
  readonly kind: "done";
  readonly run: RunId;
  readonly sequence: number;
  readonly isRepeated: boolean;
}

/** The operations of people on one host under one rule of authorization. */
export interface WorkItems {
  readonly claim: (request: TaskRequest) => Promise<Done | Refused>;
  readonly release: (request: TaskRequest) => Promise<Done | Refused>;
  /** Gives a work item to somebody else, or offers it to a group, whoever has claimed it or was named before. */
  readonly reassign: (request: ReassignRequest) => Promise<Done | Refused>;
  readonly complete: (request: CompleteRequest) => Promise<Done | Refused>;
  /** Retries what an intervention holds. */
  readonly retry: (request: TaskRequest & { readonly reason: string }) => Promise<Done | Refused>;
}

/** Binds the operations to a host. `authorize` is the application's rule. */
export function makeWorkItems(host: Host, authorize: Authorize): WorkItems {
  const act = (action: ActorAction, request: TaskRequest, ask: Ask) =>
    submitCommand(host, request, commandOf(authorize, action, request, ask));
  return {
    claim: async (request) => requestTrouble(request) ?? act("claim", request, assignment("claim", request)),
    release: async (request) =>
      requestTrouble(request) ?? act("release", request, assignment("release", request)),
    reassign: async (request) => {
      const wrong = requestTrouble(request) ?? receiverTrouble(request);
      return wrong ?? act("reassign", request, assignment("reassign", request));
    },
    complete: (request) => {
      const decide = completion(host, authorize, request);
      return decide.kind === "refused"
        ? Promise.resolve(decide)
        : submitChecked(host, request, decide.decide);
    },
    retry: async (request) => {
      const wrong = requestTrouble(request);
      if (wrong !== null) return wrong;
      const { by, reason } = request;
      return (
        textTrouble({ reason }) ??
        act("retry", request, ({ item }) => ({
          event: { input: { kind: "retry", item: item.id, by: by.id, reason } },
        }))
      );
    },
  };
}

/** What is asked of an open item that the actor may touch. */
type Ask = (found: { readonly item: OpenItem; readonly live: LiveRun }) => TurnRequest | Refused;

/**
 * An actor's command on an open item: the item is looked up, the actor authorized, and then the input asked for; all
 * three again whenever the run has changed meanwhile. Only through such a command does a person or an outside system
 * re-enter a run, and it is the same run that goes on: its id, its history so far and its other tokens stay.
 *
 * @definition D20.9
 */
export function commandOf(authorize: Authorize, action: ActorAction, request: TaskRequest, ask: Ask): Decide {
  const { by: actor, commandId, task } = request;
  const { run, item: itemId } = readTaskId(task);
  return (live) => {
    const item = live.state.items.find(({ id }) => id === itemId);
    if (item === undefined) return refused("not-open", `"${task}" is not open`, { task });
    const query = { action, actor, tenant: live.tenant, run, workflow: live.workflow, item };
    if (!isAllowed(authorize, query)) {
      const facts = { action, actor: actor.id, task, assignee: item.assignee ?? null };
      const code = item.assignee !== undefined && item.assignee !== actor.id ? "claimed" : "unauthorized";
      return refused(code, `"${actor.id}" may not ${action} "${task}"`, facts);
    }
    const asked = ask({ item, live });
    return "kind" in asked || commandId === undefined ? asked : { ...asked, dedupe: commandId };
  };
}

/** Claim, release, reassign: as the life cycle of a work item has it. */
function assignment(
  action: "claim" | "release" | "reassign",
  { by, task, ...more }: TaskRequest & Partial<Pick<ReassignRequest, "to" | "toGroup" | "reason">>,
): Ask {
  return ({ item }) => {
    const event: WorkItemEvent = more.toGroup === undefined ? action : "offer";
    if (
      item.kind === "work-item" &&
      nextState(WORK_ITEM_LIFECYCLE, workItemState(item), event) === undefined
    ) {
      const state = workItemState(item);
      return refused("claimed", `"${task}" is ${state}: it cannot be ${action}ed`, {
        state,
        assignee: item.assignee ?? null,
      });
    }
    const to =
      more.toGroup === undefined ? (more.to === undefined ? {} : { to: more.to }) : { toGroup: more.toGroup };
    const reason = more.reason === undefined ? {} : { reason: more.reason };
    return { event: { input: { kind: action, item: item.id, by: by.id, ...to, ...reason } } };
  };
}

/** A work item is reassigned to somebody or to a group: to one of the two, by a name. */
function receiverTrouble({ to, toGroup, reason = "" }: ReassignRequest): Refused | null {
  if ((to === undefined) === (toGroup === undefined))
    return refused("invalid", "a work item is reassigned either to somebody or to a group", { name: "to" });
  return textTrouble(to === undefined ? { toGroup: toGroup as string, reason } : { to, reason });
}

/** The command that completes an item, or the refusal of its data. */
export function completion(
  host: Host,
  authorize: Authorize,
  request: CompleteRequest,
): { readonly kind: "command"; readonly decide: Decide } | Refused {
  const wrong = requestTrouble(request);
  if (wrong !== null) return wrong;
  const data = request.data ?? null;
  const message = data === null ? NO_DATA : readMessage(host, data);
  if (message.kind === "refused") return message;
  const { commandId } = request;
  const texts = actorTrouble(request.by) ?? (commandId === undefined ? null : textTrouble({ commandId }));
  if (texts !== null) return texts;
  const decide = commandOf(authorize, "complete", request, ({ item, live }) => {
    const outcome = request.outcome ?? defaultOutcome(live, item);
    if (outcome === null) {
      const outcomes = [...answerLabels(live.version.plan, item.node)];
      return refused("unknown-outcome", `"${item.node}" has several outcomes: name one`, { outcomes });
    }
    const input: TurnInput = { kind: "complete", item: item.id, outcome, by: request.by.id };
    return { event: { input, payload: { patch: message.data } } };
  });
  return { kind: "command", decide };
}

const NO_DATA = { kind: "message", data: Object.freeze({}) } as const;

/** Completes what is open at a node: a work item or an outside wait. Nothing open there: `not-open`. */
export async function completeAt(
  host: Host,
  authorize: Authorize,
  { tenant, run, node, ...request }: NodeRequest & { readonly tenant: TenantId; readonly run: RunId },
): Promise<Done | Refused> {
  if (!isJournalText(node)) return refused("invalid", "node must be a well-formed text", { name: "node" });
  const isThere = (item: OpenItem): boolean =>
    item.node === node && (item.kind === "work-item" || item.kind === "external");
  let tried: ItemId | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const live = await runWith(host, tenant, run, isThere);
    if (live.kind === "refused") return live;
    const found = live.state.items.find(isThere)?.id ?? null;
    const command = { ...request, tenant, task: taskId(run, found ?? itemId(node, 0)) };
    const decide = completion(host, authorize, command);
    if (decide.kind === "refused") return decide;
    let first: number | null = null;
    const answer = await submitChecked(host, command, (now) => {
      first ??= now.state.sequence;
      return decide.decide(now);
    });
    // Another process may have closed it and opened the next one there since this one looked: then that is meant. If this
    // one has, others have tried at the same time, and what came of it is not what was meant.
    const isPassed = answer.kind === "refused" && answer.code === "not-open" && first === live.state.sequence;
    const isLast = found === null || found === tried || attempt >= host.limits.conflictsMax;
    if (!isPassed || isLast) return answer;
    tried = found;
  }
}

/** Submits a command, unless the texts in it are none. */
export async function submitCommand(
  host: Host,
  request: TaskRequest,
  decide: Decide,
): Promise<Done | Refused> {
  const { commandId, by } = request;
  const texts = actorTrouble(by) ?? (commandId === undefined ? null : textTrouble({ commandId }));
  return texts ?? submitChecked(host, request, decide);
}

/** Submits a command. Whether a refused one is the repetition of one that was done, the store knows. */
function submitChecked(
  host: Host,
  { task, commandId, tenant = DEFAULT_TENANT }: TaskRequest,
  decide: Decide,
): Promise<Done | Refused> {
  const { run } = readTaskId(task);
  return submit(host, tenant, run, decide).then((submitted) =>
    submitted.kind === "refused" && commandId !== undefined
      ? repeated(host, tenant, run, commandId, submitted)
      : answerOf(run, submitted),
  );
}

async function repeated(
  host: Host,
  tenant: TenantId,
  run: RunId,
  commandId: string,
  refusal: Refused,
): Promise<Done | Refused> {
  const sequence = await findDuplicate(host, tenant, run, commandId);
  return sequence === null ? refusal : answerOf(run, { kind: "duplicate", sequence });
}

/** An operator has a name and a reason. */
export function commandTrouble({
  by,
  reason,
  commandId,
}: {
  readonly by: Actor;
  readonly reason: string;
  readonly commandId: string | undefined;
}): Refused | null {
  const texts = actorTrouble(by) ?? textTrouble({ reason, commandId: commandId ?? "" });
  if (texts !== null) return texts;
  return reason.trim() === "" ? refused("invalid", "an operation needs a reason", { name: "reason" }) : null;
}

/** Programs that no compiler checks: the request names a task, somebody, and a tenant if any. */
export function requestTrouble(request: TaskRequest | undefined): Refused | null {
  const given: { readonly [K in keyof TaskRequest]?: unknown } = request ?? {};
  const { task, tenant } = given;
  if (typeof task !== "string") return notAText("task");
  if (tenant !== undefined && typeof tenant !== "string") return notAText("tenant");
  return isActor(given.by) ? null : notAText("by.id");
}

function isActor(by: unknown): by is Actor {
  return typeof by === "object" && by !== null && typeof (by as Partial<Actor>).id === "string";
}

function notAText(name: string): Refused {
  return refused("invalid", `${name} must be a text`, { name });
}

/** An actor has a name, and not that of a run: those cancel what they called. */
function actorTrouble(actor: Actor): Refused | null {
  if (!isActor(actor)) return notAText("by.id");
  const { id } = actor;
  if (id !== "" && !isRunActor(id)) return isJournalText(id) ? null : textTrouble({ actor: id });
  return refused("invalid", `"${id}" cannot be the id of an actor`, { actor: id });
}

/** Texts that the journal keeps must be well-formed and bounded. */
function textTrouble(texts: Readonly<Record<string, string>>): Refused | null {
  const bad = Object.entries(texts).find(([, text]) => typeof text !== "string" || !isJournalText(text));
  return bad === undefined
    ? null
    : refused("invalid", `${bad[0]} is no well-formed text of bounded length`, { name: bad[0] });
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

/** The answer to a caller. */
export function answerOf(run: RunId, submitted: Submitted): Done | Refused {
  switch (submitted.kind) {
    case "committed":
      return { kind: "done", run, sequence: submitted.record.sequence, isRepeated: false };
    case "duplicate":
      return { kind: "done", run, sequence: submitted.sequence, isRepeated: true };
    case "refused":
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
  const texts = (by === undefined ? null : actorTrouble(by)) ?? textTrouble({ reason: reason ?? "" });
  if (texts !== null) return texts;
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
      if (!isAllowed(authorize, query)) {
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
  return answerOf(run, submitted);
}
