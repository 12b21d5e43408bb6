/** @module How runs, work items and events look on a line. */
import type { RunView, WorkItem } from "@tessera/engine";
import type { RunRow } from "@tessera/persist";
import { mark } from "../io.ts";

const STATUS: Readonly<Record<RunView["status"], (text: string) => string>> = {
  completed: mark.good,
  failed: mark.bad,
  cancelled: mark.bad,
  running: mark.open,
  waiting: mark.open,
};

/** A run as one line: id, workflow, status with modes, where its tokens are. */
export function statusLine(view: RunView): string {
  const modes = view.modes.length === 0 ? "" : ` (${view.modes.join(", ")})`;
  const outcomes = view.outcomes.length === 0 ? "" : ` as ${view.outcomes.join(", ")}`;
  const tokens = view.tokens.length === 0 ? "" : mark.dim(` at ${view.tokens.join(", ")}`);
  return `${view.run}  ${view.workflow}  ${STATUS[view.status](view.status)}${modes}${outcomes}${tokens}`;
}

/** A row of a listing. */
export function runLine(row: RunRow): string {
  const modes = row.modes.length === 0 ? "" : ` (${row.modes.join(", ")})`;
  const key = row.businessKey === null ? "" : `  ${row.businessKey}`;
  return `${row.run}  ${row.workflow}  ${STATUS[row.status](row.status)}${modes}${key}  ${mark.dim(new Date(row.updatedAt).toISOString())}`;
}

/** An open item: its id, what it is, what can be answered, who may. */
export function taskLine(item: WorkItem): string {
  const who =
    item.assignee ?? [...item.assignees, ...item.candidateGroups.map((group) => `group ${group}`)].join(", ");
  const due = item.dueAt === null ? "" : `  due ${new Date(item.dueAt).toISOString()}`;
  const reason =
    item.reason === null || item.reason === undefined ? "" : `  ${item.reason.code}: ${item.reason.message}`;
  return `${mark.strong(item.id)}  ${item.kind}  ${item.title ?? item.node}  [${item.outcomes.join(", ")}]  ${who}${due}${reason}`;
}
