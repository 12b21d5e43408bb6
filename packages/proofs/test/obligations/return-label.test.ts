import { describe, expect, it } from "vitest";
import { proveWorkflow } from "../../src/index.ts";
import { failure, kinds } from "../report-lines.ts";
import { end, gateway, start, workflow } from "../workflow-text.ts";

describe("[D8.14] subprocess return", () => {
  const calling = (...outcomes: string[]) =>
    workflow(
      [start, { id: "call", kind: "subprocess", meta: { workflow: "child", outcomes } }, end],
      [
        "start -> call",
        "call: error -> end",
        "call: cancelled -> end",
        ...outcomes.map((outcome) => `call: ${outcome} -> end`),
      ],
    );

  it("[D8.14] the caller has exactly the child's labels", () => {
    const children = new Map([["child", ["yes", "no"]]]);
    expect(kinds(proveWorkflow(calling("yes", "no"), { children })).O12).toBe("holds");
    expect(failure(calling("yes"), "O12", { children }).message).toBe(
      '"child" can end under "no", which "call" does not have',
    );
    expect(failure(calling("yes", "no", "later"), "O12", { children }).message).toBe(
      '"call" declares "later", under which "child" never ends',
    );
  });

  it("[D8.14] a child whose proof is not given is an assumption", () => {
    const report = proveWorkflow(calling("yes"));
    expect(kinds(report).O12).toBe("holds");
    expect(report.assumptions).toContain("called workflows end, under the labels of their nodes: child");
  });

  it("[D8.14] an embedded subprocess that ends twice under different labels", () => {
    const compiled = workflow(
      [
        start,
        { id: "sub", kind: "subprocess", meta: { entry: "fork", outcomes: ["a", "b"] } },
        { ...gateway("fork", { split: "all" }), scope: "sub" },
        { id: "ea", kind: "end", scope: "sub", meta: { outcome: "a" } },
        { id: "eb", kind: "end", scope: "sub", meta: { outcome: "b" } },
        end,
      ],
      ["start -> sub", "fork -> ea", "fork -> eb", "sub: a -> end", "sub: b -> end"],
    );
    expect(failure(compiled, "O12")).toMatchObject({
      witness: { kind: "two-labels", node: "sub", labels: ["a", "b"] },
    });
  });
});
