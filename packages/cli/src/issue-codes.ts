/** @module Every issue code of this package: what it means and what to do. Codes are never reused. */

/** Code to sentence; `docs/errors.md` is generated from it. */
export const CODES: Readonly<Record<string, string>> = {
  CLI002: "The file is larger than any reader here takes: raise no limit, split the file.",
  CLI003:
    "The file is in no format that can be read here. Give a definition (JSON), a process (BPMN) or a net (PNML, LoLA, TINA).",
};
