/** @module The store under all processes of a test: it tells what it did to those who check, whatever the processes hear of it. */
import type {
  CommitResult,
  Delivery,
  NewMessage,
  NewSignal,
  Published,
  RunStore,
  Turn,
} from "@tessera/persist";
import type { Checker } from "../simulate/checker.ts";

/** What was done wrong first, if anything was. */
export interface Watched {
  readonly store: RunStore;
  readonly violation: () => unknown;
}

/** Watches `inner`: turns follow from each other, the graph changes through the gate, messages keep their laws (D17.14). */
export function watchedStore(inner: RunStore, checker: Checker): Watched {
  let violation: unknown = null;
  const store = new Proxy(inner, {
    get: (target, name: keyof RunStore) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        const answer: unknown = await method.apply(target, args);
        try {
          note(checker, name, args, answer);
        } catch (thrown) {
          violation ??= thrown;
        }
        return answer;
      };
    },
  });
  return { store, violation: () => violation };
}

function note(
  { committed, post }: Checker,
  name: keyof RunStore,
  args: readonly unknown[],
  answer: unknown,
): void {
  switch (name) {
    case "commit": {
      const results = answer as readonly CommitResult[];
      committed((args[0] as readonly Turn[]).filter((_, index) => results[index]?.kind === "ok"));
      return;
    }
    case "publish":
      post.published(args[1] as NewMessage, args[2] as number, answer as Published);
      return;
    case "broadcast":
      post.broadcast(args[1] as NewSignal, answer as Published);
      return;
    case "deliveries":
      post.looked(args[0] as number, args[1] as number, answer as readonly Delivery[]);
      return;
    default:
  }
}
