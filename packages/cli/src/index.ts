/** @module @tessera/cli: public names. */
export {};
