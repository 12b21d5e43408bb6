/** @module Every issue code of this package: what it means and what to do. Codes are never reused. */

/** Code to sentence; `docs/errors.md` is generated from it. */
export const CODES: Readonly<Record<string, string>> = {
  CLI001: "The file is not JSON. The message has the position of the first fault.",
};
