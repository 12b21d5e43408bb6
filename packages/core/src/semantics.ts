/** @module The versions of the rules that a recorded run could observe. Entries are added, never edited. */

/** One version of the semantics: a number that every recorded turn carries. */
export interface SemanticsVersion {
  readonly version: number;
  readonly what: string;
  readonly since: string;
  readonly rollbackSafe: boolean;
}

/** All versions, oldest first; the last one is written into new turns. */
export const SEMANTICS: readonly SemanticsVersion[] = [
  {
    version: 1,
    what: "The first rules: document order, choice chains, loop counters, one open item a resting token.",
    since: "0.1.0",
    rollbackSafe: true,
  },
];

/** The version that new turns carry. */
export const SEMANTICS_VERSION = 1;
