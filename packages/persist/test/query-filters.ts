/** @module The filters of listings and every choice of them, for tests of query plans. */
import type { ItemQuery, RunQuery } from "@tessera/persist";
import { DEFINITION } from "../src/contract/sample.ts";

/** Every choice of some members of an object: 2 to the power of their number. */
export function subsets<T extends object>(all: T): readonly Partial<T>[] {
  const chosen: Partial<T>[] = [{}];
  for (const [name, value] of Object.entries(all))
    chosen.push(...chosen.map((each) => ({ ...each, [name]: value })));
  return chosen;
}

/** Values by which runs are found. */
export const DATA = [
  { path: "p", value: 1 },
  { path: "q", value: 2 },
];
/** All filters of a listing of runs. */
export const RUN_FILTERS: Omit<RunQuery, "tenant" | "limit"> = {
  status: "waiting",
  workflow: "w",
  definition: DEFINITION,
  businessKey: "k",
  parent: "a",
  data: DATA,
  after: "7",
};
/** All filters of a listing of open items, but for the due time. */
export const ITEM_FILTERS: Omit<ItemQuery, "tenant" | "limit"> = {
  run: "a",
  kind: "work-item",
  assignee: "ann",
  candidateGroup: "g",
  actor: "ann",
  groups: ["g", "h"],
};
