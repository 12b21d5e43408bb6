/** @module tessera: public names. */
export {};
