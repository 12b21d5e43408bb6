/** @module tessera/testing: public names. */
export {};
