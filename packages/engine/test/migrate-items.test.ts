/** @module Migration of what is open: nothing that may still come to it may find the new node unprepared. */
import type { JsonObject } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const OP = { by: { id: "op" }, reason: "new rules" };

/** One node with the outcome done and others; what it calls is "c". */
const one = (kind: string, meta: JsonObject, ...others: readonly string[]) =>
  flow(
    "w",
    [["b", "start"], ["h", kind, meta], ["e", "end"], ...others.map((label) => [label, "end"] as const)],
    [["b", "h"], ["h", "e", "done"], ...others.map((label) => ["h", label, label] as const)],
  );
const called = flow(
  "c",
  [
    ["ask", "human", { outcomes: ["done"] }],
    ["z", "end"],
  ],
  [["ask", "z"]],
);
const HUMAN = { outcomes: ["done"] };
const CALL = { workflow: "c" };
const RECALL = { id: "recall", on: "message", name: "recalled" };
const HANDLED = { ...RECALL, interrupting: false, workflow: "c" };
const multi = (mode: string) => ({ ...CALL, multi: { mode, count: 2 } });

describe.each([
  ["a deadline that it has not", "human", { ...HUMAN, deadline: "P1D" }, HUMAN, ["expired"]],
  ["an event that it does not take", "human", { ...HUMAN, events: [RECALL] }, HUMAN, ["recall"]],
  [
    "an event that does not end its wait",
    "human",
    { ...HUMAN, events: [RECALL] },
    { ...HUMAN, events: [{ ...RECALL, interrupting: false }] },
    ["recall"],
  ],
  ["an event that it does not handle", "human", { ...HUMAN, events: [HANDLED] }, HUMAN, []],
  ["several calls, which it makes once", "subprocess", multi("parallel"), CALL, ["error", "cancelled"]],
  [
    "calls at once, which it makes in turn",
    "subprocess",
    multi("parallel"),
    multi("sequential"),
    ["error", "cancelled"],
  ],
] as const)("to a node with %s", (_, kind, before, after, labels) => {
  it("[D9.24] [D9.25] is refused, for a run and for all, and the run goes on where it is", async () => {
    const { engine, settle } = testEngine();
    accepted(await engine.deploy(called));
    const { hash: from } = accepted(await engine.deploy(one(kind, before, ...labels)));
    accepted(await engine.start({ workflow: "w", id: "r" }));
    await settle();
    const still = labels.filter(
      (label) => label === "error" || label === "cancelled" || JSON.stringify(after).includes(label),
    );
    const { hash: to } = accepted(await engine.deploy(one(kind, after, ...still)));
    const refusal = { kind: "refused", code: "unproved" };
    expect(await engine.operations.migrate({ run: "r", to: { hash: to }, ...OP })).toMatchObject(refusal);
    expect(await engine.operations.proveMigration({ from, to: { hash: to }, mapping: {} })).toMatchObject(
      refusal,
    );
    expect(accepted(await engine.run("r").state())).toMatchObject({ definition: from });
    // Into what it is already it fits.
    const same = { ...one(kind, before, ...labels), description: "the same" };
    const { hash: next } = accepted(await engine.deploy(same));
    accepted(await engine.operations.migrate({ run: "r", to: { hash: next }, ...OP }));
    expect((await engine.audit()).isSound).toBe(true);
  });
});
