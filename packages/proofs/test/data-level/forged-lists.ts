/** @module Lists of values that are said to stand for all data, and what is wrong with them, for tests. */
import type { Arc, CompiledWorkflow, ConditionData, DataType, Json, WorkflowNode } from "@tessera/core";
import { listedCases } from "../../src/certificate/check-data.ts";
import type { ListedPlace } from "../../src/certificate/data-places.ts";
import { type ListedCases, regionTrouble } from "../../src/certificate/data-regions.ts";
import { questionsOf } from "../../src/data-level/conditions-read.ts";
import { domainOf } from "../../src/data-level/domain.ts";
import { end, gateway, start, workflow } from "../workflow-text.ts";

/** Declarations by key. */
export type Types = Readonly<Record<string, DataType>>;

/** The nodes in a row, then a gateway that asks the guards. */
export function flow(
  guards: readonly object[],
  data?: Types,
  nodes: readonly WorkflowNode[] = [],
): CompiledWorkflow {
  const way = ["start", ...nodes.map(({ id }) => id), "fork"];
  const asked = guards.map((guard): Arc => ({ from: "fork", to: "end", guard: guard as ConditionData }));
  return workflow(
    [start, ...nodes, gateway("fork"), end],
    [
      ...way.slice(1).map((to, at) => `${way[at]} -> ${to}`),
      ...asked,
      { from: "fork", to: "end", default: true },
    ],
    data,
  );
}

/** What the prover lists. */
export function casesOf(compiled: CompiledWorkflow): ListedCases {
  const found = domainOf(questionsOf(compiled));
  if (found.kind !== "domain") throw new Error(found.reason);
  return listedCases(found.domain);
}

export const is = (key: string, value: Json, path?: readonly string[]) => ({
  key,
  op: "is",
  value,
  ...(path === undefined ? {} : { path }),
});
export const lessThan = (key: string, other: string) => ({ key, op: "lessThan", valueOf: other });
export const equals = (key: string, other: string) => ({ key, op: "is", valueOf: other });

/** The trouble when the values of a place are others, or places come or go. */
export function forger(compiled: CompiledWorkflow) {
  const cases = casesOf(compiled);
  const trouble = (places: readonly ListedPlace[], more: Partial<ListedCases> = {}) =>
    regionTrouble(compiled, { ...cases, places, ...more });
  const change = (key: string, to: (place: ListedPlace) => ListedPlace) =>
    trouble(cases.places.map((place) => (place.key === key ? to(place) : place)));
  return {
    cases,
    trouble,
    valuesOf: (key: string) => cases.places.find((place) => place.key === key)!.values,
    values: (key: string, to: (values: ListedPlace["values"]) => ListedPlace["values"]) =>
      change(key, (place) => ({ ...place, values: to(place.values) })),
    without: (key: string) => trouble(cases.places.filter((place) => place.key !== key)),
    and: (more: ListedPlace) => trouble([...cases.places, more]),
  };
}
