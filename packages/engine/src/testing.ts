/** @module @tessera/engine/testing: public names. */
export {};
