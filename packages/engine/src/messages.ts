/** @module Messages and signals from the application: buffered until somebody waits for them, or handed to all who do. */
import type { Json } from "@tessera/core";
import { DEFAULT_TENANT, type TenantId } from "@tessera/persist";
import type { Host } from "./host.ts";
import { type Refused, refused } from "./refusal.ts";
import { correlationText, KEY_MAX } from "./subscriptions.ts";
import { isJournalText } from "./trouble.ts";
import { readMessage } from "./work-items.ts";

/**
 * A message for one receiver: the item, or the start of a workflow, that waits for its name and key. Nobody has to wait
 * yet: it is kept for `ttlMs` (default: the engine's limit). With an `id` it is received at most once, however often it
 * is published. Key: a text of 1 to 256 characters, a number or a boolean, compared as text.
 */
export interface MessageRequest {
  readonly name: string;
  readonly key?: string | number | boolean;
  readonly data?: { readonly [key: string]: unknown };
  readonly ttlMs?: number;
  readonly id?: string;
  readonly tenant?: TenantId;
}

/** A signal for everybody who waits for its name now. With an `id` it is given once. */
export interface SignalRequest {
  readonly name: string;
  readonly data?: { readonly [key: string]: unknown };
  readonly id?: string;
  readonly tenant?: TenantId;
}

/** It is stored, so it will be received by whom it is for. `isNew` is false when its id was given before. */
export interface PublishedMessage {
  readonly kind: "published";
  readonly isNew: boolean;
  /** Open items that a signal was handed to; 0 for a message, whose receiver comes later. */
  readonly receivers: number;
}

/**
 * Buffers a message. It is stored when this resolves, and a receiver takes it in the turn that it opens: once, whoever
 * crashes when.
 *
 * @definition D17.10
 */
export async function publishMessage(
  host: Host,
  request: MessageRequest,
): Promise<PublishedMessage | Refused> {
  const { name, key, ttlMs = host.limits.messageTtlMs, id, tenant = DEFAULT_TENANT } = request;
  const invalid = nameTrouble({ name, id, tenant });
  if (invalid !== null) return invalid;
  const text = key === undefined ? undefined : correlationText(key);
  if (text === null)
    return refused("invalid", `a key is a scalar of 1 to ${KEY_MAX} characters`, { name: "key" });
  if (!Number.isSafeInteger(ttlMs) || ttlMs <= 0)
    return refused("invalid", "ttlMs is a positive whole number", { ttlMs: String(ttlMs) });
  const read = readMessage(host, request.data ?? {});
  if (read.kind === "refused") return read;
  const now = host.clock.now();
  const message = {
    name,
    data: read.data,
    expiresAt: now + ttlMs,
    ...(text === undefined ? {} : { key: text }),
    ...(id === undefined ? {} : { id }),
  };
  const published = await host.store.publish(tenant, message, now);
  return { kind: "published", isNew: published.kind === "stored", receivers: 0 };
}

/** Hands a signal to every open item of the tenant that waits for it, and starts the workflows that it starts. */
export async function broadcastSignal(
  host: Host,
  request: SignalRequest,
): Promise<PublishedMessage | Refused> {
  const { name, id, tenant = DEFAULT_TENANT } = request;
  const invalid = nameTrouble({ name, id, tenant });
  if (invalid !== null) return invalid;
  const read = readMessage(host, request.data ?? {});
  if (read.kind === "refused") return read;
  const signal = { name, data: read.data, at: host.clock.now(), ...(id === undefined ? {} : { id }) };
  const published = await host.store.broadcast(tenant, signal);
  const receivers = published.kind === "stored" ? published.receivers : 0;
  return { kind: "published", isNew: published.kind === "stored", receivers };
}

function nameTrouble(texts: Readonly<Record<string, Json | undefined>>): Refused | null {
  const bad = Object.entries(texts).find(([, text]) => {
    return text !== undefined && (typeof text !== "string" || text === "" || !isJournalText(text));
  });
  return bad === undefined
    ? null
    : refused("invalid", `${bad[0]} must be a well-formed text of bounded length`, { name: bad[0] });
}
