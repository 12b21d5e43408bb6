/** @module tessera/vitest: matchers for soundness and obligations. */
export {
  matchers,
  type Playable,
  type Provable,
} from "@tessera/proofs/vitest";
