/** @module A map that forgets what was not used for longest. */

/** Entries by key, at most as many as its size says. */
export interface Recent<V> {
  readonly get: (key: string) => V | undefined;
  readonly set: (key: string, value: V) => void;
  readonly delete: (key: string) => void;
}

/** An empty map of at most `sizeMax` entries, or of entries that together weigh at most `weightMax`. */
export function recentMap<V>(
  sizeMax: number,
  weightMax = Number.POSITIVE_INFINITY,
  weigh: (value: V) => number = () => 0,
): Recent<V> {
  const entries = new Map<string, { readonly value: V; readonly weight: number }>();
  let total = 0;
  const drop = (key: string): void => {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  return {
    get: (key) => {
      const found = entries.get(key);
      if (found === undefined) return undefined;
      entries.delete(key);
      entries.set(key, found);
      return found.value;
    },
    set: (key, value) => {
      drop(key);
      const weight = weigh(value);
      entries.set(key, { value, weight });
      total += weight;
      for (const oldest of entries.keys()) {
        if (entries.size <= sizeMax && total <= weightMax) break;
        drop(oldest);
      }
    },
    delete: drop,
  };
}
