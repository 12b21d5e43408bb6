/** @module @tessera/proofs/fast-check: public names. */
export {};
