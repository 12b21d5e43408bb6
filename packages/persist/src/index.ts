/** @module @tessera/persist: public names. */
export {};
