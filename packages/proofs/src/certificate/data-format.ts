/** @module The form of the part of a certificate file that speaks of a workflow with its data. */
import type { Shape } from "./shape.ts";

const natural: Shape = { kind: "natural" };
const text: Shape = { kind: "text" };
const object: Shape = { kind: "object" };

const list = (of: Shape): Shape => ({ kind: "list", of });
const either = (...of: readonly Shape[]): Shape => ({ kind: "choice", of });
const record = (fields: Readonly<Record<string, Shape>>): Shape => ({ kind: "record", fields });
const word = (...values: readonly string[]): Shape => ({ kind: "text", values });

const answer = record({ set: object, unset: list(text) });

const run = record({
  start: object,
  steps: list(
    record({
      node: natural,
      outcome: either(text, { kind: "null" }),
      answer,
      fired: list({ kind: "transition" }),
    }),
  ),
  marking: { kind: "marking" },
  data: object,
});

const finding = either(
  record({ kind: word("gap"), node: natural, outcome: text, answer, data: object, trouble: text }),
  record({ kind: word("stuck") }),
  record({ kind: word("no-completion"), size: natural, cycle: list(natural) }),
  record({ kind: word("second-token", "unsafe"), place: { kind: "place" } }),
);

const id = word("O1", "O2", "O3", "O4", "O5", "O7", "deadlock");

/** The form; `dead` is that of a dead element. */
export function dataShape(dead: Shape): Shape {
  const holds = record({ class: word("enumerated"), method: text, states: natural });
  const fails = either(
    record({ kind: word("data-run"), run, finding }),
    record({ kind: word("data-dead"), dead: list(dead), states: natural }),
  );
  const value = list({ kind: "json" });
  return record({
    definition: text,
    slots: list(record({ key: text, path: list(text), values: list(value) })),
    open: list(natural),
    claims: list(
      either(
        record({ id, verdict: word("holds"), evidence: holds }),
        record({ id, verdict: word("fails"), evidence: fails }),
      ),
    ),
  });
}
