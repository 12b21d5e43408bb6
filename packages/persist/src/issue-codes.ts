/** @module Every issue code of this package, declared once; docs/errors.md is generated from it. */

/** Code to one sentence: what it means and what to do. */
export const CODES: Readonly<Record<string, string>> = {
  JOURNAL001:
    "The bytes are not an encoded record: they were damaged, or something else was stored in their place.",
  JOURNAL002: "The record was written by a newer version of the format: read it with a newer release.",
  JOURNAL003:
    "A large value that the record refers to is missing, or its content does not have the hash of its name.",
};
