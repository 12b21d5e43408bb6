/** @module A simulated world: one time, one queue of events, workers that live and die. Nothing happens unless it is chosen. */
import type { Clock } from "../clock.ts";
import type { Choices } from "./choices.ts";

/** Something that is ready to happen. */
export interface WorldEvent {
  readonly worker: number;
  readonly label: string;
  readonly happen: () => void;
}

interface Wake extends WorldEvent {
  readonly at: number;
}

/** A world. */
export interface World {
  readonly choices: Choices;
  /** How often each fault point was hit. */
  readonly faults: Map<string, number>;
  /** What happened, the newest last. */
  readonly trace: string[];
  readonly ready: WorldEvent[];
  readonly wakes: Set<Wake>;
  /** ms since the epoch. */
  now: number;
  /** How far each worker's clock is from the world's time, in ms. */
  readonly skew: Map<number, number>;
  readonly dead: Set<number>;
  /** Workers that take nothing new any more and let go of what they hold. */
  readonly closing: Set<number>;
  /** The call of the store that has more faults than others here; may be none. */
  readonly favourite: string;
  /** Faults that may still happen: with the last one the world becomes kind, so that everything must end well. */
  faultsLeft: number;
  /** The one call of the store at which the worker dies, counted from 1. */
  readonly crashAt: CrashPoint | null;
  callCount: number;
  /** The fault point that the first such call meets; null once it has. */
  aimedAt: string | null;
  /** Counts whatever disturbs, and the world's time of the last of it. */
  troubles: number;
  troubledAt: number;
}

/** A call of the store, counted over all workers, and whether death comes before or after it. */
export interface CrashPoint {
  readonly call: number;
  readonly point: "death-before" | "death-after";
}

/** Where every simulation begins: 2026-01-01. */
export const START = Date.UTC(2026, 0, 1);
/** Lines of the trace that are kept. */
const TRACE_MAX = 4_000;

/** A world in which nothing has happened yet. `calls`: one of them, or none, is chosen to fail often. */
export function newWorld(
  choices: Choices,
  faultsMax: number,
  calls: readonly string[],
  crashAt: CrashPoint | null = null,
): World {
  return {
    choices,
    faults: new Map(),
    trace: [],
    ready: [],
    wakes: new Set(),
    now: START,
    skew: new Map(),
    dead: new Set(),
    closing: new Set(),
    favourite: calls[choices.pick(calls.length + 1) - 1] ?? "",
    faultsLeft: faultsMax,
    crashAt,
    callCount: 0,
    aimedAt: null,
    troubles: 0,
    troubledAt: START,
  };
}

/** Notes what happened. */
export function tell(world: World, line: string): void {
  if (world.trace.length < TRACE_MAX) world.trace.push(`${world.now - START} ${line}`);
}

/** Counts something that a simulation is to meet. */
export function count({ faults }: World, point: string): void {
  faults.set(point, (faults.get(point) ?? 0) + 1);
}

/** Counts a fault, and tells it. */
export function fault(world: World, point: string, worker: number): void {
  count(world, point);
  world.faultsLeft -= 1;
  trouble(world);
  tell(world, `FAULT ${point} (worker ${worker})`);
}

/** Something has gone wrong just now. */
export function trouble(world: World): void {
  world.troubles += 1;
  world.troubledAt = world.now;
}

/** The fault that happens here, if one does: one of `points` with the probability `chance`. */
export function chosenFault(world: World, points: readonly string[], chance: number): string | null {
  if (world.faultsLeft <= 0) return null;
  const picked = world.choices.pick(points.length + 1, 1 - chance);
  return picked === 0 ? null : (points[picked - 1] ?? null);
}

/** The clock of a worker: the world's time, skewed; its wake-ups come when the world's time has passed. */
export function workerClock(world: World, worker: number): Clock {
  return {
    now: () => world.now + (world.skew.get(worker) ?? 0),
    schedule: (delayMs, wake) => {
      const entry: Wake = { at: world.now + Math.max(0, delayMs), worker, label: "wake", happen: wake };
      world.wakes.add(entry);
      return () => void world.wakes.delete(entry);
    },
  };
}

/** The world's time, and what each worker takes it for. */
export function clocksOf({ now, skew }: World): readonly number[] {
  return [now, ...[...skew.values()].map((ms) => now + ms)];
}

/** A worker dies: whatever it waits for never comes. */
export function killWorker(world: World, worker: number): void {
  tell(world, `worker ${worker} dies`);
  world.dead.add(worker);
  // What came to it while it was closing waits for somebody else to look.
  if (world.closing.delete(worker)) trouble(world);
  for (const wake of world.wakes) if (wake.worker === worker) world.wakes.delete(wake);
  const alive = world.ready.filter((event) => event.worker !== worker);
  world.ready.splice(0, world.ready.length, ...alive);
}

/**
 * Lets one event happen: mostly the oldest that is ready, sometimes another, sometimes time passes before they do. False
 * when nothing is ready and no time is waited for.
 */
export function happenNext(world: World): boolean {
  const { ready, choices } = world;
  const next = earliest(world);
  const count = ready.length + (next === null ? 0 : 1);
  if (count === 0) return false;
  const picked = ready.length === 0 ? 0 : choices.pick(count, 0.6);
  const [event] = picked < ready.length ? ready.splice(picked, 1) : [undefined];
  if (event !== undefined) {
    event.happen();
    return true;
  }
  if (next === null) return false;
  world.wakes.delete(next);
  world.now = Math.max(world.now, next.at);
  next.happen();
  return true;
}

function earliest({ wakes }: World): Wake | null {
  let found: Wake | null = null;
  for (const wake of wakes) if (found === null || wake.at < found.at) found = wake;
  return found;
}
