/** @module tessera/interchange: public names. */
export {};
