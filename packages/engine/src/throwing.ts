/** @module What a throw sends: built from D, recorded in the step, committed with the turn. Fires nothing. */
import {
  type Json,
  type JsonObject,
  jsonBytes,
  type SentEvent,
  type Trouble,
  type WorkflowNode,
} from "@tessera/core";
import { type Thrown, thrownBy } from "@tessera/gateways";
import type { Draft } from "./draft.ts";
import { mapData } from "./mapping.ts";
import { correlationText } from "./subscriptions.ts";

/** What the node sends on the data of the turn: nothing for an escalation, which is a token. */
export type Sending =
  | { readonly kind: "sent"; readonly sent: readonly SentEvent[] }
  | { readonly kind: "trouble"; readonly trouble: Trouble };

/**
 * The message or signal of a throw. Its data are those keys of D that its payload names; the correlation key must be
 * there.
 *
 * @definition D17.8
 */
export function sendingOf({ data, env }: Draft, node: WorkflowNode): Sending {
  const thrown = thrownBy(node);
  if (thrown === null || thrown.on === "escalation") return { kind: "sent", sent: [] };
  const { on, name, key } = thrown;
  const text = key === null ? null : correlationText(Object.hasOwn(data, key) ? data[key] : undefined);
  if (key !== null && text === null) {
    const message = `the key "${key}" holds nothing that a message could carry`;
    return trouble("CORRELATION_MISSING", message, { node: node.id, key });
  }
  const carried = mapData(thrown.payload, data) as JsonObject;
  const { eventBytesMax } = env.limits;
  if (jsonBytes(carried as Json, eventBytesMax) > eventBytesMax)
    return trouble("EVENT_LIMIT", "the step sends more than the limit", { eventBytesMax });
  const ttlMs = lifetime(thrown, env);
  if (ttlMs !== null && typeof ttlMs !== "number") return { kind: "trouble", trouble: ttlMs };
  const sent: SentEvent = {
    on,
    name,
    data: carried,
    ...(text === null ? {} : { key: text }),
    ...(ttlMs === null ? {} : { ttlMs }),
  };
  return { kind: "sent", sent: [sent] };
}

function lifetime({ ttl }: Thrown, env: Draft["env"]): number | null | Trouble {
  if (ttl === null) return null;
  const due = env.due(ttl, env.now);
  return due.kind === "trouble" ? due.trouble : Math.max(0, due.at - env.now);
}

function trouble(code: string, message: string, facts: JsonObject): Sending {
  return { kind: "trouble", trouble: { code, message, facts } };
}
