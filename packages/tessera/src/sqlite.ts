/** @module tessera/sqlite: public names. */
export {};
