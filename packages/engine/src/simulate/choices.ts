/** @module Choices of a simulation: drawn from a seed, or read from a list; what was chosen is the whole of what happened. */

/** Whoever must decide something asks here. 0 is always the plainest answer: no fault, the oldest event, the first label. */
export interface Choices {
  /** A number from 0 to `count` - 1. With the probability `plain` it is 0. */
  readonly pick: (count: number, plain?: number) => number;
  /** Everything that was picked so far. */
  readonly taken: readonly number[];
}

/** Choices drawn from a seed (mulberry32). */
export function seededChoices(seed: number): Choices {
  const random = randomNumbers(seed);
  const taken: number[] = [];
  const pick = (count: number, plain = 0): number => {
    if (count <= 1) return 0;
    const drawn = random() < plain ? 0 : Math.floor(random() * count);
    taken.push(drawn);
    return drawn;
  };
  return { pick, taken };
}

/** Choices of a list; behind its end everything is plain. */
export function listedChoices(list: readonly number[]): Choices {
  const taken: number[] = [];
  const pick = (count: number): number => {
    if (count <= 1) return 0;
    const listed = Math.min(list[taken.length] ?? 0, count - 1);
    taken.push(listed);
    return listed;
  };
  return { pick, taken };
}

/** Numbers in [0, 1) that depend on the seed alone. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * A shorter or plainer list of choices that fails as well: blocks are left out or made plain, then single choices are
 * made smaller, as long as `fails` says so and at most `triesMax` times.
 */
export async function shrinkChoices(
  list: readonly number[],
  fails: (candidate: readonly number[]) => Promise<boolean>,
  triesMax: number,
): Promise<readonly number[]> {
  let best = withoutPlainTail(list);
  let tries = 0;
  const attempt = async (candidate: readonly number[]): Promise<boolean> => {
    const shorter = withoutPlainTail(candidate);
    if (tries >= triesMax || isSame(shorter, best)) return false;
    tries += 1;
    if (!(await fails(shorter))) return false;
    best = shorter;
    return true;
  };
  for (let size = Math.ceil(best.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length; ) {
      const cut = [...best.slice(0, at), ...best.slice(at + size)];
      const plain = [
        ...best.slice(0, at),
        ...best.slice(at, at + size).map(() => 0),
        ...best.slice(at + size),
      ];
      if (!(await attempt(cut)) && !(await attempt(plain))) at += size;
    }
  }
  return best;
}

function withoutPlainTail(list: readonly number[]): readonly number[] {
  const last = list.findLastIndex((choice) => choice !== 0);
  return list.slice(0, last + 1);
}

function isSame(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((choice, index) => choice === right[index]);
}
