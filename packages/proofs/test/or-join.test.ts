import type { CompiledWorkflow } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { checkNet, checkWorkflowEvidence, proveWorkflow } from "../src/index.ts";
import { gateway, human, workflow } from "./workflow-text.ts";

const orJoin = (id: string) => gateway(id, { join: "or" });
const and = (id: string) => gateway(id, { split: "all" });
const end = (id: string) => ({ id, kind: "end" });

/** P splits to A -> J and B -> M -> J; J -> X; X -> end | X -> Y -> M. */
const loopThroughOneInput = (join: "or" | "all" | "any") =>
  workflow(
    [
      and("p"),
      human("a"),
      human("b"),
      gateway("m"),
      gateway("j", { join }),
      gateway("x"),
      human("y"),
      end("e"),
    ],
    ["p -> a", "p -> b", "a -> j", "b -> m", "m -> j", "j -> x", "x -> e", "x -> y", "y -> m"],
  );

const viciousCircle = workflow(
  [
    and("p"),
    human("a"),
    human("b"),
    orJoin("j1"),
    gateway("x1"),
    orJoin("j2"),
    gateway("x2"),
    end("e1"),
    end("e2"),
  ],
  [
    "p -> a",
    "p -> b",
    "a -> j1",
    "b -> j2",
    "j1 -> x1",
    "x1 -> j2",
    "x1 -> e1",
    "j2 -> x2",
    "x2 -> j1",
    "x2 -> e2",
  ],
);

const lineOf = (compiled: CompiledWorkflow, id: string) => {
  const found = proveWorkflow(compiled).obligations.find((line) => line.id === id);
  if (found === undefined) throw new Error(id);
  return found;
};

describe("[D15.3] [D15.4] proofs of workflows with non-local OR-joins", () => {
  it("[D15.3] [C20-27] [C20-28] the loop through one input of a join: sound with OR, not with AND or a merge", () => {
    expect(proveWorkflow(loopThroughOneInput("or"))).toMatchObject({
      class: "non-local",
      complete: true,
      sound: true,
    });
    expect(lineOf(loopThroughOneInput("or"), "O4").verdict.kind).toBe("holds");
    expect(proveWorkflow(loopThroughOneInput("all")).sound).toBe(false);
    expect(proveWorkflow(loopThroughOneInput("any")).sound).toBe(false);
  });

  it("[D15.3] [L15.3] [C20-28] joins that wait for each other are a deadlock, with a run that the checker replays", () => {
    const report = proveWorkflow(viciousCircle);
    expect(report.sound).toBe(false);
    for (const id of ["O1", "deadlock"]) {
      const line = lineOf(viciousCircle, id);
      expect(line.verdict.kind).toBe("fails");
      expect(line.witness).toMatchObject({ marking: { "a->j1": 1, "b->j2": 1 } });
      expect(checkWorkflowEvidence(viciousCircle, line)).toEqual({ kind: "valid" });
    }
  });

  it("[D15.4] what holds and what fails passes the checker, which applies the same rules", () => {
    for (const compiled of [loopThroughOneInput("or"), loopThroughOneInput("all"), viciousCircle]) {
      for (const line of proveWorkflow(compiled).obligations) {
        expect(["valid", "unchecked"]).toContain(checkWorkflowEvidence(compiled, line).kind);
      }
    }
  });

  it("[D1.3] a net with rules is not searched without them", () => {
    expect(() => checkNet(viciousCircle.net)).toThrow("D1.3");
  });
});
