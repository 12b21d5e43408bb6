/** @module The courier: brings buffered messages to those who wait for them, each to one, in the order in which they came. */
import type { Delivery } from "@tessera/persist";
import { unlessBlocked } from "./blocked-run.ts";
import { type Committed, type Host, keyOf } from "./host.ts";
import type { Background, WorkOptions } from "./outbox.ts";
import { makeSetbacks } from "./setbacks.ts";
import { checkStart, commitStart, resolveWorkflow } from "./start.ts";
import { awaitsItsStarts, startData } from "./start-event.ts";
import { submit } from "./submit.ts";
import { thrownText } from "./trouble.ts";
import { makeWakeLoop } from "./wake-loop.ts";

/** Deliveries that are looked up at a time, as long as some of them can be brought. */
const BATCH = 100;

/** How it went with one pair: received, or gone meanwhile; refused, and it will be again; a fault that may pass. */
type Brought = "received" | "refused" | "failed";

/**
 * Brings messages. A receiver takes one in the turn that the message opens (D10.17), so two engines, or a crash between
 * the look and the turn, neither lose nor double one; a turn is not opened by what has expired when it begins. Of several who wait the one that waits longest gets it; of several
 * messages the oldest goes first.
 *
 * @definition D17.11
 */
export function makeCourier(host: Host, { concurrency, pollMs }: WorkOptions): Background {
  /** Pairs that could not be brought together: those that were refused, which keep nobody waiting, and others. */
  const refusals = makeSetbacks(host.limits.leaseMs);
  const failures = makeSetbacks(host.limits.leaseMs);
  const triedBefore = (pair: string): Brought | undefined =>
    refusals.isHeld(pair) ? "refused" : failures.isHeld(pair) ? "failed" : undefined;
  /** Runs that a transaction of somebody else's holds, to which a message is under way: the next ones come behind it. */
  const held = new Set<string>();
  const bringOne = (delivery: Delivery): Promise<Brought | "blocked"> => {
    const { message, to } = delivery;
    const brought = bring(host, delivery);
    // A run that is to be started is nobody else's yet.
    if (to.kind !== "item") return brought;
    const receiver = { tenant: message.tenant, run: to.run };
    const key = keyOf(receiver.tenant, receiver.run);
    return unlessBlocked(host, receiver, brought, () => {
      held.add(key);
      return () => {
        held.delete(key);
        loop.notify();
      };
    });
  };
  const deliver = async (): Promise<boolean> => {
    const now = host.clock.now();
    refusals.release(now);
    failures.release(now);
    const chosen = await lookUp(host, now, BATCH + refusals.size() + failures.size(), held, triedBefore);
    await Promise.all(
      chosen.map(async (delivery) => {
        const how = await bringOne(delivery);
        if (how === "refused") refusals.hold(pairOf(delivery), now, true);
        if (how === "failed") failures.hold(pairOf(delivery), now);
      }),
    );
    return chosen.length > 0;
  };
  const delayMs = (): number => Math.min(refusals.nextAt(), failures.nextAt()) - host.clock.now();
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
  const tried = new Map<string, Brought>();
  for (;;) {
    const now = host.clock.now();
    const chosen = await lookUp(host, now, BATCH + tried.size, new Set(), (pair) => tried.get(pair));
    if (chosen.length === 0) return;
    for (const delivery of chosen) tried.set(pairOf(delivery), await bring(host, delivery));
  }
}

/**
 * What is to be brought now. Where all that a look finds has to wait for others it looks further: however many messages
 * wait behind one that cannot be received, they keep nobody else waiting. Cost: what it finds, at most four times.
 */
async function lookUp(
  host: Host,
  now: number,
  first: number,
  held: ReadonlySet<string>,
  tried: (pair: string) => Brought | undefined,
): Promise<readonly Delivery[]> {
  for (let limit = first; ; limit *= 2) {
    const found = await host.store.deliveries(now, limit);
    const chosen = await choose(host, found, held, tried);
    if (chosen.length > 0 || found.length < limit) return chosen;
  }
}

/**
 * Each message once, to the first who could take it, to nobody two at a time, to no run that is held, and no pair that was
 * tried. Where a run that one message starts may wait for the next (D17.12), the oldest of them goes first and the others wait until it is
 * received or refused: it is in every engine's look, and one turn only takes it.
 */
async function choose(
  host: Host,
  found: readonly Delivery[],
  held: ReadonlySet<string>,
  tried: (pair: string) => Brought | undefined,
): Promise<readonly Delivery[]> {
  const messages = new Set<number>();
  const receivers = new Set<string>();
  const starting = new Set<string>();
  const chosen: Delivery[] = [];
  const isShared = sharedStarts(host);
  for (const delivery of found) {
    const { message, to } = delivery;
    const how = tried(pairOf(delivery));
    if (to.kind === "start" && how !== "refused" && (await isShared(message.tenant, to.workflow))) {
      const group = JSON.stringify([message.tenant, to.workflow, message.key]);
      if (starting.size === starting.add(group).size) continue;
    }
    const receiver = to.kind === "item" ? keyOf(message.tenant, to.run) : null;
    if (how !== undefined || messages.has(message.number)) continue;
    if (receiver !== null && held.has(receiver)) continue;
    if (receiver !== null && receivers.size === receivers.add(receiver).size) continue;
    messages.add(message.number);
    chosen.push(delivery);
  }
  return chosen;
}

/** Asks each workflow once whether runs of it wait for what starts them. */
function sharedStarts(host: Host): (tenant: string, workflow: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return (tenant, workflow) => {
    const key = JSON.stringify([tenant, workflow]);
    const asked =
      known.get(key) ??
      resolveWorkflow(host, tenant, workflow).then(
        (version) => version.kind !== "refused" && awaitsItsStarts(version.plan),
        // It cannot be opened: whoever brings it the message says so.
        () => false,
      );
    known.set(key, asked);
    return asked;
  };
}

function pairOf({ message, to }: Delivery): string {
  const who = to.kind === "item" ? [to.run, to.item, to.event] : [to.workflow, to.event];
  return JSON.stringify([message.number, ...who]);
}

/** Refusals that the next look may not give: others were faster, or a limit of the moment was reached. */
const PASSING: ReadonlySet<string> = new Set(["busy", "fenced", "closed"]);

/** Refusals of a message that no look shows any more. */
const GONE: ReadonlySet<string> = new Set(["taken", "expired"]);

/** Opens the turn that takes the message. Unless it was received another look at the same pair now would not help. */
async function bring(host: Host, delivery: Delivery): Promise<Brought> {
  const { message, to } = delivery;
  try {
    const answer = to.kind === "item" ? await give(host, delivery, to) : await begin(host, delivery, to);
    if (answer === null || GONE.has(answer.code)) return "received";
    host.logger.warn("a message could not be received", {
      name: message.name,
      code: answer.code,
      why: answer.message,
    });
    return PASSING.has(answer.code) ? "failed" : "refused";
  } catch (fault) {
    host.logger.error("a message could not be received", { name: message.name, error: thrownText(fault) });
    return "failed";
  }
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
    takes: message,
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
  const read = startData(version.plan, event, message);
  if (read.kind === "refused") return read;
  const request = { workflow, event, ...businessKey, data: read.data };
  const checked = checkStart(host, message.tenant, version, request);
  if (checked.kind === "refused") return checked;
  const started = await commitStart(host, { ...checked.order, takes: message });
  return started.kind === "refused" ? started : null;
}
