/** @module Nodes and arcs that the tests of loops are written with. */
import type { JsonObject, WorkflowNode } from "@tessera/core";
import { node } from "./workflow-text.ts";

export const gate = (id: string, change: Partial<WorkflowNode> = {}) => node(id, "gateway", change);
export const human = (id: string) => node(id, "human");
export const end = (id = "e") => node(id, "end");
export const verifier = (id: string, passKey = "ok") => node(id, "verifier", { meta: { passKey } });
export const decision = (id: string, body: readonly string[], budget = 1, change: JsonObject = {}) =>
  node(id, "decision", {
    meta: { loop: { id, budget, passKey: "ok", proves: "x", body: [...body], ...change } },
  });

/** m, v, d with whatever stands around them. */
export const core = [gate("m"), verifier("v"), decision("d", ["m", "v"])];
export const ways = "m -> v, v -> d, d:fail -> m";
