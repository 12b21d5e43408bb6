/** @module The courier: brings buffered messages to those who wait for them, each to one, in the order in which they came. */
import type { Delivery } from "@tessera/persist";
import { type Committed, type Host, keyOf } from "./host.ts";
import type { Background, WorkOptions } from "./outbox.ts";
import { checkStart, commitStart, resolveWorkflow } from "./start.ts";
import { startData } from "./start-event.ts";
import { submit } from "./submit.ts";
import { thrownText } from "./trouble.ts";
import { makeWakeLoop } from "./wake-loop.ts";

/** Deliveries that are looked up at a time. */
const BATCH = 100;

/**
 * Brings messages. A receiver takes one in the turn that the message opens (D10.17), so two engines, or a crash between
 * the look and the turn, neither lose nor double one. Of several who wait the one that waits longest gets it; of several
 * messages the oldest goes first.
 *
 * @definition D17.11
 */
export function makeCourier(host: Host, { concurrency, pollMs }: WorkOptions): Background {
  /** Pairs that could not be brought together now, with the time of the next try. */
  const suspended = new Map<string, number>();
  const deliver = async (): Promise<boolean> => {
    const now = host.clock.now();
    for (const [pair, until] of suspended) if (until <= now) suspended.delete(pair);
    const found = await host.store.deliveries(now, BATCH + suspended.size);
    const chosen = distinct(found.filter((delivery) => !suspended.has(pairOf(delivery))));
    const done = await Promise.all(chosen.map((delivery) => bring(host, delivery)));
    chosen.forEach((delivery, at) => {
      if (done[at] === false) suspended.set(pairOf(delivery), now + host.limits.leaseMs);
    });
    return chosen.length > 0;
  };
  const delayMs = (): number => Math.min(...suspended.values()) - host.clock.now();
  const trouble = "messages could not be brought";
  const loop = makeWakeLoop(host, pollMs, { look: deliver, delayMs, trouble });

  host.listeners.push(({ turn }: Committed) => {
    const isAwaited = turn.items.set.some(({ subscriptions = [] }) =>
      subscriptions.some(({ on }) => on === "message"),
    );
    if (isAwaited || turn.sends !== undefined) loop.notify();
  });
  return { begin: concurrency > 0 ? loop.begin : () => {}, look: loop.notify, stop: loop.stop };
}

/** Brings what can be brought now, for an engine that does no work in the background. */
export async function bringNow(host: Host): Promise<void> {
  const tried = new Set<string>();
  for (;;) {
    const found = await host.store.deliveries(host.clock.now(), BATCH + tried.size);
    const chosen = distinct(found.filter((delivery) => !tried.has(pairOf(delivery))));
    if (chosen.length === 0) return;
    for (const delivery of chosen) {
      tried.add(pairOf(delivery));
      await bring(host, delivery);
    }
  }
}

/** Each message once, to the first who could take it, and to nobody two at a time. */
function distinct(found: readonly Delivery[]): readonly Delivery[] {
  const messages = new Set<number>();
  const receivers = new Set<string>();
  return found.filter((delivery) => {
    const { message, to } = delivery;
    const receiver = to.kind === "item" ? keyOf(message.tenant, to.run) : null;
    if (messages.has(message.number) || (receiver !== null && receivers.has(receiver))) return false;
    messages.add(message.number);
    if (receiver !== null) receivers.add(receiver);
    return true;
  });
}

function pairOf({ message, to }: Delivery): string {
  const who = to.kind === "item" ? [to.run, to.item, to.event] : [to.workflow, to.event];
  return JSON.stringify([message.number, ...who]);
}

/** Opens the turn that takes the message; false when another look at the same pair now would not help. */
async function bring(host: Host, delivery: Delivery): Promise<boolean> {
  const { message, to } = delivery;
  try {
    const answer = to.kind === "item" ? await give(host, delivery, to) : await begin(host, delivery, to);
    if (answer === null || answer.code === "taken") return true;
    host.logger.warn("a message could not be received", {
      name: message.name,
      code: answer.code,
      why: answer.message,
    });
  } catch (fault) {
    host.logger.error("a message could not be received", { name: message.name, error: thrownText(fault) });
  }
  return false;
}

type Refusal = { readonly code: string; readonly message: string } | null;

async function give(
  host: Host,
  { message }: Delivery,
  { run, item, event }: Delivery["to"] & { readonly kind: "item" },
): Promise<Refusal> {
  const { name, id, data } = message;
  const input = {
    kind: "event",
    item,
    event,
    on: "message",
    name,
    ...(id === null ? {} : { message: id }),
  } as const;
  const submitted = await submit(host, message.tenant, run, () => ({
    event: { input, payload: { data } },
    takes: message.number,
  }));
  return submitted.kind === "refused" ? submitted : null;
}

async function begin(
  host: Host,
  { message }: Delivery,
  { workflow, event }: Delivery["to"] & { readonly kind: "start" },
): Promise<Refusal> {
  const version = await resolveWorkflow(host, message.tenant, workflow);
  if (version.kind === "refused") return version;
  const businessKey = message.key === null ? {} : { businessKey: message.key };
  const request = { workflow, event, ...businessKey, data: startData(version.plan, event, message.data) };
  const checked = checkStart(host, message.tenant, version, request);
  if (checked.kind === "refused") return checked;
  const started = await commitStart(host, { ...checked.order, takes: message.number });
  return started.kind === "refused" ? started : null;
}
