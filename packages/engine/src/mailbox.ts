/** @module Mailboxes: work under one key runs one at a time, in the order in which it came. */

/** Exclusive sections by key. */
export interface Mailboxes {
  /**
   * Runs `work` when everything that came before it under `key` has settled, at once if nothing did; gives its answer.
   * `work` rejects where it fails: it never throws.
   */
  readonly exclusive: <T>(key: string, work: () => Promise<T>) => Promise<T>;
  /** Resolves when nothing runs or waits under any key. */
  readonly idle: () => Promise<void>;
}

/** Empty mailboxes. A key that nobody uses takes no memory. */
export function mailboxes(): Mailboxes {
  /** What waits under each key where something runs; null where nothing waits, as under most. */
  const waiting = new Map<string, (() => void)[] | null>();
  let resting: (() => void)[] = [];

  /** The next under `key`, or nothing runs there any longer. */
  function leave(key: string): void {
    const next = waiting.get(key)?.shift();
    if (next !== undefined) next();
    else waiting.delete(key);
    if (waiting.size > 0) return;
    const told = resting;
    resting = [];
    for (const resolve of told) resolve();
  }

  function enter<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = work();
    const left = (): void => leave(key);
    result.then(left, left);
    return result;
  }

  return {
    exclusive: (key, work) => {
      const before = waiting.get(key);
      if (before === undefined) {
        waiting.set(key, null);
        return enter(key, work);
      }
      return new Promise((resolve, reject) => {
        const begin = (): void => void enter(key, work).then(resolve, reject);
        if (before === null) waiting.set(key, [begin]);
        else before.push(begin);
      });
    },
    idle: () => (waiting.size === 0 ? Promise.resolve() : new Promise((resolve) => resting.push(resolve))),
  };
}
