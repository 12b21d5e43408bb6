/** @module @tessera/proofs/vitest: public names. */
export {};
