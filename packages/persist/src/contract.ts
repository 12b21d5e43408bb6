/** @module @tessera/persist/contract: public names. */
export {};
