/** @module The store of a simulated worker: every call is an event of the world, and faults happen before and after it. */
import {
  type CommitResult,
  type Delivery,
  type NewMessage,
  type NewSignal,
  type Published,
  type RunStore,
  StoreError,
  type Turn,
} from "@tessera/persist";
import { chosenFault, fault, killWorker, tell, trouble, type World } from "./world.ts";

/** What a simulated store tells those who watch. */
export interface StoreWatch {
  /** The store has taken these turns; a `conflict` or `duplicate` is not among them. */
  readonly committed: (turns: readonly Turn[]) => void;
  readonly published: (message: NewMessage, now: number, answer: Published) => void;
  readonly broadcast: (signal: NewSignal, answer: Published) => void;
  readonly looked: (now: number, limit: number, found: readonly Delivery[]) => void;
  /** The worker has died in a call. */
  readonly died: (worker: number) => void;
}

/** How likely a call has a fault. */
const FAULT_CHANCE = 0.04;

/** Every method of a store that is a call, and the fault points around each. */
export const STORE_CALLS: readonly (keyof RunStore)[] = [
  "commit",
  "load",
  "journal",
  "definition",
  "newestDefinition",
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
  "graph",
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
  const point = crashHere(world, name) ?? chosenFault(world, pointsOf(name), FAULT_CHANCE);
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
