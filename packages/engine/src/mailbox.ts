/** @module Mailboxes: work under one key runs one at a time, in the order in which it came. */

/** Exclusive sections by key. */
export interface Mailboxes {
  /** Runs `work` when everything that came before it under `key` has settled; gives its answer. */
  readonly exclusive: <T>(key: string, work: () => Promise<T>) => Promise<T>;
  /** Resolves when nothing runs or waits under any key. */
  readonly idle: () => Promise<void>;
}

/** Empty mailboxes. A key that nobody uses takes no memory. */
export function mailboxes(): Mailboxes {
  const tails = new Map<string, Promise<void>>();
  return {
    exclusive: (key, work) => {
      const before = tails.get(key) ?? Promise.resolve();
      const result = before.then(work);
      const tail = result.then(ignore, ignore);
      tails.set(key, tail);
      void tail.then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
      return result;
    },
    idle: async () => {
      while (tails.size > 0) await Promise.all(tails.values());
    },
  };
}

function ignore(): void {}
