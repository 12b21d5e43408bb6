import { parseCondition } from "../src/condition-parse.ts";
import {
  acyclicConstraint,
  noOrphanConstraint,
  payloadRule,
  REFERENCES,
  schemaConstraint,
} from "../src/constraints.ts";
import type { Constraint } from "../src/integrity.ts";
import type { ProductObject } from "../src/product-graph.ts";
import { naiveCycle } from "./graph-arbitrary.ts";

export const schemas = schemaConstraint(
  new Map([
    [
      "doc",
      {
        required: new Map(),
        optional: new Map([
          ["n", "number"],
          ["t", "string"],
        ] as const),
      },
    ],
    [
      "task",
      { required: new Map([["n", "number"]] as const), optional: new Map([["t", "string"]] as const) },
    ],
  ]),
);

export function rule(): Constraint {
  const condition = parseCondition({
    any: [{ not: { key: "n", op: "isAssigned" } }, { key: "n", op: "lessThan", value: 3 }],
  });
  if (!condition.ok) throw new Error("the rule of the test");
  return payloadRule("n is small", 1, "doc", condition.value);
}

/** Constraints, and the same read from the objects alone. */
export const KNOWN: readonly (readonly [Constraint, (list: readonly ProductObject[]) => boolean])[] = [
  [
    REFERENCES,
    (list) => list.every(({ links }) => links.every(({ to }) => list.some(({ id }) => id === to))),
  ],
  [schemas, (list) => list.every(({ type, payload }) => type !== "task" || typeof payload["n"] === "number")],
  [acyclicConstraint(), (list) => !naiveCycle(list)],
  [acyclicConstraint("r"), (list) => !naiveCycle(list, "r")],
  [noOrphanConstraint(["task"]), (list) => noOrphans(list, undefined)],
  [noOrphanConstraint(["task"], "s"), (list) => noOrphans(list, "s")],
  [rule(), (list) => list.every(({ type, payload }) => type !== "doc" || Number(payload["n"] ?? 0) < 3)],
];

export function noOrphans(list: readonly ProductObject[], rel: string | undefined): boolean {
  const hasSource = (id: string): boolean =>
    list.some(
      (other) =>
        other.id !== id &&
        other.links.some((link) => link.to === id && (rel === undefined || link.rel === rel)),
    );
  return list.every(({ id, type }) => type !== "task" || hasSource(id));
}
