/** @module The item that a token at rest waits for, opened by start(n). */
import {
  type ItemId,
  invariant,
  type JsonObject,
  type OpenItem,
  type Trouble,
  type WorkflowNode,
} from "@tessera/core";
import type { InTheMaking } from "./making.ts";
import { metaText, metaTexts, type Plan } from "./plan.ts";
import { withEvents } from "./subscriptions.ts";
import type { Due, StepEnvironment } from "./turn.ts";

/** The item, or the trouble that its node's own time expression caused. */
export type Opening =
  | { readonly kind: "item"; readonly item: OpenItem }
  | { readonly kind: "trouble"; readonly trouble: Trouble };

/**
 * The open item of `node`: its kind from the node's body, who may complete it, when it is due, what else may come.
 *
 * @definition D9.2
 */
export function openItem(
  plan: Plan,
  node: number,
  id: ItemId,
  data: JsonObject,
  env: StepEnvironment,
): Opening {
  const opening = plainItem(plan, node, id, data, env);
  const definition = plan.nodes[node];
  if (opening.kind === "trouble" || definition === undefined) return opening;
  return withEvents(opening.item, definition, data, env);
}

function plainItem(plan: Plan, node: number, id: ItemId, data: JsonObject, env: StepEnvironment): Opening {
  const definition = plan.nodes[node];
  invariant(definition !== undefined, "D9.2", () => ({ node }));
  const made = (kind: OpenItem["kind"]): InTheMaking<OpenItem> => {
    return { id, kind, node: definition.id, openedAt: env.at };
  };
  switch (plan.bodies[node]) {
    case "job":
      return withDeadline(made("job"), definition, env);
    case "work-item":
      return withDeadline(offered(made("work-item"), definition), definition, env);
    case "external":
      return withDeadline(offered(made("external"), definition), definition, env);
    case "child":
      return { kind: "item", item: made("child") };
    case "event":
    case "scope":
      return { kind: "item", item: made("event") };
    case "timer":
      return timerItem(made("timer"), definition, data, env);
    default:
      invariant(false, "D9.2", () => ({ node: definition.id, body: plan.bodies[node] ?? null }));
  }
}

function offered(item: InTheMaking<OpenItem>, node: WorkflowNode): OpenItem {
  const assignees = metaTexts(node, "assignees");
  const candidateGroups = metaTexts(node, "candidateGroups");
  if (assignees !== undefined) item.assignees = assignees;
  if (candidateGroups !== undefined) item.candidateGroups = candidateGroups;
  return item;
}

function withDeadline(item: OpenItem, node: WorkflowNode, env: StepEnvironment): Opening {
  const deadline = metaText(node, "deadline");
  if (deadline === undefined) return { kind: "item", item };
  const due = env.due(deadline, env.now);
  if (due.kind === "trouble") return due;
  if (due.remaining !== 0) return notATime(node, deadline, "a deadline does not repeat");
  return { kind: "item", item: { ...item, dueAt: due.at } };
}

function timerItem(item: OpenItem, node: WorkflowNode, data: JsonObject, env: StepEnvironment): Opening {
  const key = metaText(node, "key");
  const stored = key !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;
  const expression =
    key === undefined
      ? (metaText(node, "date") ?? metaText(node, "duration") ?? metaText(node, "cycle"))
      : stored;
  if (typeof expression !== "string") {
    return {
      kind: "trouble",
      trouble: {
        code: "TIMER_INVALID",
        message: `the key "${key}" holds no ISO 8601 text`,
        facts: { node: node.id },
      },
    };
  }
  const due = env.due(expression, env.now);
  if (due.kind === "trouble") return due;
  if (due.remaining < 0) return notATime(node, expression, "a timer needs a number of occurrences");
  return { kind: "item", item: { ...item, dueAt: due.at, ...repetition(due) } };
}

function notATime(node: WorkflowNode, text: string, message: string): Opening {
  return { kind: "trouble", trouble: { code: "TIMER_INVALID", message, facts: { node: node.id, text } } };
}

function repetition(due: Due & { readonly kind: "due" }): Partial<OpenItem> {
  return due.remaining > 0 && due.repeat !== undefined
    ? { remaining: due.remaining, repeat: due.repeat }
    : {};
}
