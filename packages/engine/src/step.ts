/** @module The one place outside core and proofs that fires transitions. */
export {};
