/** @module @tessera/cli: public names. */

export { EXIT, type Io, processIo } from "./io.ts";
export { CODES } from "./issue-codes.ts";
export { main } from "./program.ts";
