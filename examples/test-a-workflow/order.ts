/** @module A workflow to be tested: an order is checked and packed side by side, then sent. */
import type { Definition } from "tessera";

/** Two people work in parallel; the order is sent when both are done. */
export const order: Definition = {
  format: 1,
  kind: "workflow",
  id: "order",
  entry: "start",
  nodes: [
    { id: "start", kind: "start" },
    { id: "fork", kind: "gateway", split: "all" },
    { id: "check", kind: "human", meta: { outcomes: ["approve", "reject"] } },
    // Without this merge the join would wait for both outcomes of one decision: the test would show the run.
    { id: "checked", kind: "gateway" },
    { id: "pack", kind: "human" },
    { id: "both", kind: "gateway", join: "all" },
    { id: "send", kind: "end" },
  ],
  arcs: [
    { from: "start", to: "fork" },
    { from: "fork", to: "check" },
    { from: "fork", to: "pack" },
    { from: "check", to: "checked", outcome: "approve" },
    { from: "check", to: "checked", outcome: "reject" },
    { from: "checked", to: "both" },
    { from: "pack", to: "both" },
    { from: "both", to: "send" },
  ],
};
