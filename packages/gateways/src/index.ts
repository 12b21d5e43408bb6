/** @module @tessera/gateways: public names. */
export {};
