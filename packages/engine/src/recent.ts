/** @module A map that forgets what was not used for longest. */

/** Entries by key, at most as many as its size says. */
export interface Recent<V> {
  readonly get: (key: string) => V | undefined;
  readonly set: (key: string, value: V) => void;
  readonly delete: (key: string) => void;
}

/** An entry between the one that was used before it and the one that was used after it. */
interface Entry<V> {
  readonly key: string;
  value: V;
  weight: number;
  earlier: Entry<V> | null;
  later: Entry<V> | null;
}

/** An empty map of at most `sizeMax` entries, or of entries that together weigh at most `weightMax`. */
export function recentMap<V>(
  sizeMax: number,
  weightMax = Number.POSITIVE_INFINITY,
  weigh: (value: V) => number = () => 0,
): Recent<V> {
  const entries = new Map<string, Entry<V>>();
  let total = 0;
  let oldest: Entry<V> | null = null;
  let newest: Entry<V> | null = null;

  function unlink(entry: Entry<V>): void {
    const { earlier, later } = entry;
    if (earlier === null) oldest = later;
    else earlier.later = later;
    if (later === null) newest = earlier;
    else later.earlier = earlier;
  }

  function append(entry: Entry<V>): void {
    entry.earlier = newest;
    entry.later = null;
    if (newest === null) oldest = entry;
    else newest.later = entry;
    newest = entry;
  }

  /** Using an entry moves it in the list and leaves the map, whose tables grow with every key that comes and goes. */
  function use(entry: Entry<V>): void {
    if (entry === newest) return;
    unlink(entry);
    append(entry);
  }

  function drop(entry: Entry<V>): void {
    total -= entry.weight;
    unlink(entry);
    entries.delete(entry.key);
  }

  return {
    get: (key) => {
      const found = entries.get(key);
      if (found === undefined) return undefined;
      use(found);
      return found.value;
    },
    set: (key, value) => {
      const weight = weigh(value);
      const found = entries.get(key);
      total += weight - (found?.weight ?? 0);
      if (found === undefined) {
        const entry = { key, value, weight, earlier: null, later: null };
        entries.set(key, entry);
        append(entry);
      } else {
        found.value = value;
        found.weight = weight;
        use(found);
      }
      while (oldest !== null && (entries.size > sizeMax || total > weightMax)) drop(oldest);
    },
    delete: (key) => {
      const found = entries.get(key);
      if (found !== undefined) drop(found);
    },
  };
}
