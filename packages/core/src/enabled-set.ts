/** @module A set of small integers with constant-time insert and remove and a fast minimum: which transitions are enabled. */

/** Bits in three levels; level k + 1 has one bit for each non-empty word of level k. Members are 0..size-1. */
export interface EnabledSet {
  readonly levels: readonly Uint32Array[];
}

/** The empty set over 0..size-1. Cost: size / 32 words. */
export function createEnabledSet(size: number): EnabledSet {
  const levels: Uint32Array[] = [];
  let count = size;
  do {
    count = Math.max(1, Math.ceil(count / 32));
    levels.push(new Uint32Array(count));
  } while (count > 1);
  return { levels };
}

/** Adds `member`. Cost: the number of levels. */
export function insert(set: EnabledSet, member: number): void {
  let index = member;
  for (const words of set.levels) {
    const word = index >>> 5;
    const before = words[word] as number;
    words[word] = before | (1 << (index & 31));
    if (before !== 0) return;
    index = word;
  }
}

/** Removes `member`. Cost: the number of levels. */
export function remove(set: EnabledSet, member: number): void {
  let index = member;
  for (const words of set.levels) {
    const word = index >>> 5;
    const after = (words[word] as number) & ~(1 << (index & 31));
    words[word] = after;
    if (after !== 0) return;
    index = word;
  }
}

/** Is `member` in the set? */
export function has(set: EnabledSet, member: number): boolean {
  const words = set.levels[0] as Uint32Array;
  return (((words[member >>> 5] as number) >>> (member & 31)) & 1) === 1;
}

/** The least member that is at least `from`, or -1 when there is none. Cost: the number of levels. */
export function firstFrom(set: EnabledSet, from: number): number {
  let index = from;
  for (let level = 0; level < set.levels.length; level += 1) {
    const words = set.levels[level] as Uint32Array;
    const word = index >>> 5;
    const rest = word < words.length ? (words[word] as number) & (-1 << (index & 31)) : 0;
    if (rest !== 0) return leastBelow(set, level, word * 32 + lowestBit(rest));
    index = word + 1;
  }
  return -1;
}

/** The least member that bit `index` of the level stands for. */
function leastBelow({ levels }: EnabledSet, level: number, index: number): number {
  let member = index;
  for (let below = level - 1; below >= 0; below -= 1)
    member = member * 32 + lowestBit((levels[below] as Uint32Array)[member] as number);
  return member;
}

/** All members in ascending order. */
export function members(set: EnabledSet): readonly number[] {
  const words = set.levels[0] as Uint32Array;
  const found: number[] = [];
  words.forEach((word, index) => {
    for (let rest = word; rest !== 0; rest &= rest - 1) found.push(index * 32 + lowestBit(rest));
  });
  return found;
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}
