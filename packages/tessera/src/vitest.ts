/** @module tessera/vitest: public names. */
export {};
