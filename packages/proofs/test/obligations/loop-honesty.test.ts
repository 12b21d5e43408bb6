import type { WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { proveWorkflow } from "../../src/index.ts";
import { failure, kinds } from "../report-lines.ts";
import { end, gateway, human, loop, start, transform, workflow } from "../workflow-text.ts";

describe("[D8.13] loop honesty", () => {
  it("[D8.13] [C20-62] a loop whose verdict nobody writes", () => {
    const compiled = loop(1, (nodes) => {
      nodes[2] = transform("verify");
    });
    expect(failure(compiled, "O8").message).toBe(
      'no verifier in the loop of "decide" writes its pass key; the verdict at "decide" can be stale or missing: "draft", "verify", "decide"',
    );
  });

  it("[D8.13] [C20-62] a body after the verifier makes its verdict stale", () => {
    const compiled = loop(1, (nodes, arcs) => {
      nodes.push(transform("polish"));
      const decision = nodes[3]!;
      const own = decision.meta!["loop"] as Record<string, unknown>;
      nodes[3] = {
        ...decision,
        meta: { loop: { ...own, body: ["draft", "verify", "polish"] } },
      } as WorkflowNode;
      arcs.splice(
        arcs.indexOf("verify -> decide"),
        1,
        "verify -> polish",
        "polish -> decide",
        "polish: error -> failed",
      );
    });
    expect(failure(compiled, "O8").witness).toMatchObject({
      kind: "dishonest",
      found: [{ kind: "stale-path", decision: "decide", path: ["polish", "decide"] }],
    });
  });

  it("[D8.13] a way around the verifier", () => {
    const compiled = loop(1, (nodes, arcs) => {
      nodes[1] = transform("draft", { meta: { outcomes: ["done", "hasty"] } });
      arcs.push("draft: hasty -> decide");
    });
    expect(failure(compiled, "O8").message).toMatch(/stale or missing: "draft", "decide"$/);
  });

  it("[D8.13] [C20-60] another node that declares the pass key", () => {
    const compiled = loop(1, (nodes) => {
      nodes[1] = transform("draft", { writes: ["text", "ok"] });
    });
    expect(failure(compiled, "O8").message).toBe('"draft" declares that it writes the pass key of "decide"');
  });

  it("[D8.13] [C20-66] an exhausted loop that meets no person", () => {
    const compiled = loop(1, (nodes, arcs) => {
      nodes[4] = gateway("rescue");
      arcs.push("rescue -> failed");
    });
    expect(failure(compiled, "O8").message).toBe(
      'the exhausted loop of "decide" can end without a person: "decide", "rescue", "end"',
    );
  });

  it("[D8.13] [C20-66] a person outside the embedded subprocess that the exhausted loop leaves is early enough", () => {
    const inScope = (id: string): WorkflowNode => ({ id, kind: "end", scope: "sub", meta: { outcome: id } });
    const compiled = (rescue: WorkflowNode) =>
      workflow(
        [
          start,
          { id: "sub", kind: "subprocess", meta: { entry: "draft", outcomes: ["good", "spent"] } },
          transform("draft", { scope: "sub" }),
          { id: "verify", kind: "verifier", scope: "sub", meta: { passKey: "ok" } },
          {
            id: "decide",
            kind: "decision",
            scope: "sub",
            meta: { loop: { id: "l", budget: 1, passKey: "ok", proves: "fine", body: ["draft", "verify"] } },
          },
          inScope("good"),
          inScope("spent"),
          rescue,
          end,
        ],
        [
          "start -> sub",
          "draft -> verify",
          "draft: error -> spent",
          "verify -> decide",
          "verify: error -> spent",
          "decide: pass -> good",
          "decide: fail -> draft",
          "decide: exhausted -> spent",
          "decide: error -> spent",
          "sub: good -> end",
          "sub: spent -> rescue",
          "rescue -> end",
        ],
      );
    expect(kinds(proveWorkflow(compiled(human("rescue"))))).toMatchObject({
      O1: "holds",
      O5: "holds",
      O8: "holds",
    });
    expect(failure(compiled(gateway("rescue")), "O8").message).toMatch(/"decide", "spent", "rescue", "end"$/);
  });

  it("[D8.13] a verifier inside an embedded subprocess counts if it comes last there", () => {
    const nested = (order: "last" | "first") =>
      loop(1, (nodes, arcs) => {
        nodes[2] = { id: "verify", kind: "subprocess", meta: { entry: order === "last" ? "fix" : "judge" } };
        nodes.push(
          { id: "judge", kind: "verifier", scope: "verify", meta: { passKey: "ok" } },
          { ...transform("fix"), scope: "verify" },
          { id: "inner", kind: "end", scope: "verify" },
        );
        arcs.splice(arcs.indexOf("verify: error -> failed"), 1);
        if (order === "last")
          arcs.push("fix -> judge", "fix: error -> judge", "judge -> inner", "judge: error -> inner");
        else arcs.push("judge -> fix", "judge: error -> fix", "fix -> inner", "fix: error -> inner");
      });
    expect(kinds(proveWorkflow(nested("last"))).O8).toBe("holds");
    expect(failure(nested("first"), "O8").message).toMatch(/stale/);
  });
});
