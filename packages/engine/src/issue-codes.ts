/** @module Every issue code of this package: what it means and what to do. Codes are never reused. */

/** Code to sentence; `docs/errors.md` is generated from it. */
export const CODES: Readonly<Record<string, string>> = {
  ENGINE001: "A field of a form is malformed: give a type, or { type, values, optional }.",
  ENGINE002:
    "A retry policy is malformed: give attempts, backoffMs or backoff, factor, maxMs, jitter within their bounds.",
  ENGINE003: "A called workflow is not deployed: deploy it before its caller.",
  ENGINE004: "A function is not registered: give it to the engine, or deploy the workflow with its handlers.",
  ENGINE005: "A predicate is not registered: give it to the engine under this name.",
  ENGINE006: "No evaluator of an expression language is registered: give one to the engine.",
  ENGINE007: "A date, duration, cycle, deadline or timeout is not the ISO 8601 text that stands there.",
  ENGINE008: "A constraint is not registered: give it to the engine under this name.",
};
