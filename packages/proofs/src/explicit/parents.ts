/** @module Who found whom, in two bits a state: states are found in the order in which their parents are expanded. */
import { invariant } from "@tessera/core";

/** For each expanded state a 1 for every state that it found, then a 0. */
export interface Parents {
  bits: Int32Array;
  length: number;
}

const WORD_BITS = 32;
const WORDS_MIN = 64;
const GROWTH = 1.25;

/** Nothing expanded yet; state 0 has no parent. */
export function parents(): Parents {
  return { bits: new Int32Array(WORDS_MIN), length: 0 };
}

/** The state that is being expanded found a new one. */
export function addChild(known: Parents): void {
  const word = known.length >>> 5;
  makeRoom(known, word);
  known.bits[word]! |= 1 << (known.length & (WORD_BITS - 1));
  known.length += 1;
}

/** The expansion of a state is complete. */
export function endChildren(known: Parents): void {
  makeRoom(known, known.length >>> 5);
  known.length += 1;
}

/** The states on the way from state 0 to `state`, both included; "D8.1" if it was not found. Cost: linear in the states. */
export function pathTo({ bits, length }: Parents, state: number): readonly number[] {
  const path = [state];
  // Forward once: where each child's bit lies is known by counting, and parents of parents lie before.
  const parentOf = new Int32Array(state + 1);
  let [child, parent] = [0, 0];
  for (let at = 0; child < state; at += 1) {
    invariant(at < length, "D8.1");
    if (((bits[at >>> 5]! >>> (at & (WORD_BITS - 1))) & 1) === 0) parent += 1;
    else {
      child += 1;
      parentOf[child] = parent;
    }
  }
  for (let at = state; at > 0; at = parentOf[at]!) path.push(parentOf[at]!);
  return path.reverse();
}

function makeRoom(known: Parents, word: number): void {
  if (word < known.bits.length) return;
  const bits = new Int32Array(Math.ceil(known.bits.length * GROWTH));
  bits.set(known.bits);
  known.bits = bits;
}
