/** @module Messages and signals in the memory store. */
import type { JsonObject } from "@tessera/core";
import {
  type Delivery,
  type NewMessage,
  type NewSignal,
  type Published,
  signalEffectId,
} from "../message.ts";
import { addEffect, nextNumber } from "./effects.ts";
import {
  type StoredItem,
  type StoredMessage,
  setIn,
  type Tables,
  type TenantTables,
  tenantTables,
} from "./tables.ts";

/**
 * Buffers a message. What has expired goes.
 *
 * @definition D10.17
 */
export function putMessage(tables: Tables, tenant: string, message: NewMessage, now: number): Published {
  const own = tenantTables(tables, tenant);
  const { name, key = null, id = null, data, expiresAt } = message;
  if (!isNewId(tables, own, "message", name, id)) return { kind: "known" };
  for (const each of own.messages.values())
    if (each.expiresAt <= now) setIn(tables, own.messages, each.number, undefined);
  add(tables, own, { tenant, on: "message", name, key, id, data, expiresAt, target: null });
  return { kind: "stored", receivers: 0 };
}

/** Hands a signal to everybody who waits for it now. */
export function putSignal(tables: Tables, tenant: string, { name, data, id, at }: NewSignal): Published {
  const own = tenantTables(tables, tenant);
  if (!isNewId(tables, own, "signal", name, id ?? null)) return { kind: "known" };
  const number = nextNumber(tables);
  let receivers = 0;
  for (const stored of [...own.items.values()].sort((a, b) => a.id - b.id)) {
    for (const { event } of awaited(stored, "signal", name, "")) {
      const { run, item } = stored;
      const effect = signalEffectId(run, item.id, number);
      receivers += 1;
      const payload: JsonObject = { name, event, data };
      const command = { id: effect, kind: "signal", item: item.id, availableAt: at, payload } as const;
      addEffect(tables, own, { tenant, run }, command, null);
    }
  }
  for (const [workflow, starts] of [...own.starts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!starts.some((start) => start.on === "signal" && start.name === name)) continue;
    const expiresAt = Number.MAX_SAFE_INTEGER;
    add(tables, own, { tenant, on: "signal", name, key: null, id: null, data, expiresAt, target: workflow });
  }
  return { kind: "stored", receivers };
}

/** Takes a message. */
export function takeMessage(tables: Tables, { messages }: TenantTables, number: number): void {
  setIn(tables, messages, number, undefined);
}

/** Messages of all tenants with those who could take them. */
export function listDeliveries(tables: Tables, now: number, limit: number): readonly Delivery[] {
  const found = [...tables.tenants.values()].flatMap((tenant) =>
    [...tenant.messages.values()]
      .filter(({ expiresAt }) => expiresAt > now)
      .flatMap((message) => takersOf(tenant, message)),
  );
  return found.sort((a, b) => a.message.number - b.message.number).slice(0, limit);
}

function takersOf(tenant: TenantTables, { target, ...message }: StoredMessage): readonly Delivery[] {
  const { on, name, key } = message;
  const items = [...tenant.items.values()]
    .sort((a, b) => a.id - b.id)
    .flatMap((stored) =>
      (on === "message" ? awaited(stored, on, name, key ?? "") : []).map(({ event }) => ({
        message,
        to: { kind: "item" as const, run: stored.run, item: stored.item.id, event },
      })),
    );
  if (items.length > 0) return items;
  return [...tenant.starts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([workflow, starts]) =>
      starts
        .filter((start) => start.on === on && start.name === name && (target ?? workflow) === workflow)
        .map(({ event }) => ({ message, to: { kind: "start" as const, workflow, event } })),
    );
}

/** The subscriptions of an item that is not paused to this name and key, in the order of their events. */
function awaited({ item, isPaused }: StoredItem, on: string, name: string, key: string) {
  if (isPaused) return [];
  return (item.subscriptions ?? [])
    .filter(
      (each) => each.on === on && each.name === name && (each.key ?? "") === key && each.isFull !== true,
    )
    .sort((a, b) => (a.event < b.event ? -1 : 1));
}

function add(tables: Tables, tenant: TenantTables, message: Omit<StoredMessage, "number">): void {
  const number = nextNumber(tables);
  setIn(tables, tenant.messages, number, { ...message, number });
}

function isNewId(
  tables: Tables,
  { messageIds }: TenantTables,
  on: string,
  name: string,
  id: string | null,
): boolean {
  if (id === null) return true;
  const key = JSON.stringify([on, name, id]);
  if (messageIds.has(key)) return false;
  setIn<string, true>(tables, messageIds, key, true);
  return true;
}
