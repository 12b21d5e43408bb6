/** @module Work items as lists show them, and their ids over all runs. */
import type { ItemId, Json, NodeId, OpenItem, Outcome } from "@tessera/core";
import type { ItemRow, RunId, TenantId } from "@tessera/persist";
import { type Host, keyOf } from "./host.ts";
import { answerLabels } from "./input.ts";
import { findVersion, rowOf } from "./live-run.ts";
import { metaText } from "./plan.ts";
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

/** The id of a work item. */
export function taskId(run: RunId, item: ItemId): TaskId {
  return `${run}/${item}`;
}

/** Run and item of a task id: the item is what stands behind the last slash. */
export function readTaskId(task: TaskId): { readonly run: RunId; readonly item: ItemId } {
  // Ids of items are short: looking at their characters is quicker than asking the platform.
  let at = task.length - 1;
  while (at >= 0 && task.charCodeAt(at) !== SLASH) at -= 1;
  return { run: task.slice(0, Math.max(0, at)), item: task.slice(at + 1) };
}

const SLASH = 0x2f;

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

/** The version of each listed row's run, for its texts; null where it is not available here. */
export async function versionOfRun(host: Host, tenant: TenantId, run: RunId): Promise<Version | null> {
  const known = host.runs.get(keyOf(tenant, run));
  if (known !== undefined) return known.version;
  const row = await rowOf(host, tenant, run);
  const version = row === null ? null : await findVersion(host, row.definition);
  return version?.kind === "version" ? version : null;
}
