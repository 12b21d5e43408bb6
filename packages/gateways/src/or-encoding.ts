/** @module The two encodings of OR splits and joins in a net. */

/**
 * `by-structure`: a structured block by its choice chain with skip places, everything else by subset chains and
 * non-local joins. `non-local`: everything by the latter. On structured blocks both have the same runs.
 */
export type OrEncoding = "by-structure" | "non-local";
