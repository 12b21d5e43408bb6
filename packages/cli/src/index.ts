/** @module @tessera/cli: public names. */
export { main } from "./program.ts";
export { EXIT, type Io, processIo } from "./io.ts";
export { CODES } from "./issue-codes.ts";
