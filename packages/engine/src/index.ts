/** @module @tessera/engine: public names. */
export {};
