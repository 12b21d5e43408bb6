/** @module The store of a simulated worker: every call is an event of the world, and faults happen before and after it. */
import {
  type ClaimedEffect,
  type CommitResult,
  type DefinitionRow,
  type Delivery,
  type ItemQuery,
  type ItemRow,
  type NewMessage,
  type NewSignal,
  type Page,
  type Published,
  type RunStore,
  type StartTimer,
  type StartTimerQuery,
  type StartTimerRow,
  StoreError,
  type Turn,
} from "@tessera/persist";
import { chosenFault, count, fault, killWorker, tell, trouble, type World } from "./world.ts";

/** What a simulated store tells those who watch. */
export interface StoreWatch {
  /** The store has taken these turns; a `conflict` or `duplicate` is not among them. */
  readonly committed: (turns: readonly Turn[]) => void;
  readonly published: (message: NewMessage, now: number, answer: Published) => void;
  readonly broadcast: (signal: NewSignal, answer: Published) => void;
  readonly looked: (now: number, limit: number, found: readonly Delivery[]) => void;
  readonly listed: (query: ItemQuery, page: Page<ItemRow>) => void;
  readonly deployed: (row: DefinitionRow) => void;
  readonly timersLooked: (query: StartTimerQuery, found: readonly StartTimerRow[]) => void;
  readonly timerMoved: (row: StartTimerRow, next: StartTimer | null, isMoved: boolean) => void;
  /** The worker has died in a call. */
  readonly died: (worker: number) => void;
}

/** How likely a call has a fault; a rare one that a simulation is about has more, so that its points are hit as well. */
const FAULT_CHANCE = 0.04;
const FAVOURITE_CHANCE = 0.6;

/** Calls of which a simulation makes few; each of them is what some simulations are about. */
export const RARE_CALLS: readonly (keyof RunStore)[] = [
  "journal",
  "putDefinition",
  "definition",
  "definitionVersions",
  "items",
  "renewLease",
  "releaseEffect",
  "dropEffect",
  "publish",
  "broadcast",
  "moveStartTimer",
  "commit",
];

/** Every method of a store that is a call, and the fault points around each. */
export const STORE_CALLS: readonly (keyof RunStore)[] = [
  "commit",
  "load",
  "journal",
  "putDefinition",
  "definition",
  "newestDefinition",
  "definitionVersions",
  "items",
  "dueItems",
  "nextDue",
  "claimEffects",
  "renewLease",
  "releaseEffect",
  "dropEffect",
  "nextEffect",
  "publish",
  "broadcast",
  "deliveries",
  "startTimers",
  "moveStartTimer",
  "graph",
];

/** The points of a world that are not around a call of the store. */
export const WORLD_POINTS: readonly string[] = [
  "port:throw",
  "port:hang",
  "port:slow",
  "clock:forward",
  "clock:backward",
  "command:again",
  "command:late",
  "message:twice",
  "deploy:twice",
  "worker:closed",
  "lease:expired",
  "workers:several",
];

/** The fault points around a call: an error and nothing done, an error although it was done, death before and after. */
export function pointsOf(call: string): readonly string[] {
  const torn = call === "commit" ? ["commit:torn"] : [];
  return [`${call}:before`, `${call}:after`, `${call}:death-before`, `${call}:death-after`, ...torn];
}

/**
 * The view that worker `worker` has of `inner`. A call waits in the world until it is chosen; then it is done, or a fault
 * happens. `torn`: the process dies while the group is written, and the storage, being atomic, takes it back.
 */
export function faultyStore(world: World, worker: number, inner: RunStore, watch: StoreWatch): RunStore {
  const store = new Proxy(inner, {
    get: (target, name: keyof RunStore) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function" || name === "transaction" || name === "foreignVersion")
        return undefined;
      if (name === "close") return async () => undefined;
      return (...args: readonly unknown[]) =>
        new Promise((resolve, reject) => {
          if (world.dead.has(worker)) return;
          const done = (): Promise<unknown> => method.apply(target, args) as Promise<unknown>;
          const happen = (): void => {
            void call({ world, worker, name, watch, args, done }).then((outcome) => {
              if (world.dead.has(worker)) return;
              if (outcome.kind === "answer") resolve(outcome.value);
              else if (outcome.kind === "throw") reject(outcome.error);
            });
          };
          world.ready.push({ worker, label: name, happen });
        });
    },
  });
  return store;
}

interface Call {
  readonly world: World;
  readonly worker: number;
  readonly name: string;
  readonly args: readonly unknown[];
  readonly watch: StoreWatch;
  readonly done: () => Promise<unknown>;
}

type Outcome =
  | { readonly kind: "answer"; readonly value: unknown }
  | { readonly kind: "throw"; readonly error: unknown }
  | { readonly kind: "silence" };

async function call({ world, worker, name, args, watch, done }: Call): Promise<Outcome> {
  const chance = world.favourite === name ? FAVOURITE_CHANCE : FAULT_CHANCE;
  const point = crashHere(world, name) ?? chosenFault(world, pointsOf(name), chance);
  if (point !== null) fault(world, point, worker);
  const [, when] = point?.split(":") ?? [];
  const die = (): Outcome => {
    killWorker(world, worker);
    watch.died(worker);
    return { kind: "silence" };
  };
  if (when === "death-before" || when === "torn") return die();
  const refuse = (): Outcome => ({ kind: "throw", error: new StoreError("busy", `simulated: ${point}`) });
  if (when === "before") return refuse();
  let value: unknown;
  try {
    value = await done();
  } catch (thrown) {
    return { kind: "throw", error: thrown };
  }
  note(world, worker, watch, { name, args, value });
  // What was done in this call met the fault as well.
  if (point !== null) trouble(world);
  if (when === "death-after") return die();
  return when === "after" ? refuse() : { kind: "answer", value };
}

function crashHere(world: World, name: string): string | null {
  world.callCount += 1;
  const { aimedAt } = world;
  if (aimedAt?.startsWith(`${name}:`)) {
    world.aimedAt = null;
    return aimedAt;
  }
  const { crashAt, callCount } = world;
  return crashAt?.call === callCount ? `${name}:${crashAt.point}` : null;
}

/** Tells those who watch what the storage has done, whatever the worker hears of it. */
function note(
  world: World,
  worker: number,
  watch: StoreWatch,
  { name, args, value }: Pick<Call, "name" | "args"> & { readonly value: unknown },
): void {
  switch (name) {
    case "commit":
      noteCommit(world, worker, watch, args[0] as readonly Turn[], value as readonly CommitResult[]);
      break;
    case "publish":
      watch.published(args[1] as NewMessage, args[2] as number, value as Published);
      break;
    case "broadcast":
      watch.broadcast(args[1] as NewSignal, value as Published);
      break;
    case "deliveries":
      watch.looked(args[0] as number, args[1] as number, value as readonly Delivery[]);
      break;
    case "items":
      watch.listed(args[0] as ItemQuery, value as Page<ItemRow>);
      break;
    case "putDefinition":
      watch.deployed(args[1] as DefinitionRow);
      break;
    case "startTimers":
      watch.timersLooked(args[0] as StartTimerQuery, value as readonly StartTimerRow[]);
      break;
    case "moveStartTimer":
      watch.timerMoved(args[0] as StartTimerRow, args[1] as StartTimer | null, value as boolean);
      break;
    case "claimEffects":
      if ((value as readonly ClaimedEffect[]).some(({ claimCount }) => claimCount > 1))
        count(world, "lease:expired");
      break;
    default:
  }
}

function noteCommit(
  world: World,
  worker: number,
  watch: StoreWatch,
  turns: readonly Turn[],
  results: readonly CommitResult[],
): void {
  const taken = turns.filter((_, index) => results[index]?.kind === "ok");
  for (const { run, record } of taken)
    tell(world, `worker ${worker} commits ${run}@${record.sequence} ${record.input.kind}`);
  watch.committed(taken);
}
