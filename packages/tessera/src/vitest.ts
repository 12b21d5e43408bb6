/** @module tessera/vitest: matchers for soundness and obligations. */
export type { Provable } from "@tessera/proofs/vitest";
