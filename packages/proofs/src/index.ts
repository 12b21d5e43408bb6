/** @module @tessera/proofs: public names. */
export {};
