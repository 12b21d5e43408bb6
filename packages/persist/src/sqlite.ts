/** @module @tessera/persist/sqlite: public names. */
export {};
