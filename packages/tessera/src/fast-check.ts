/** @module tessera/fast-check: public names. */
export {};
