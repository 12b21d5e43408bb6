import { describe, expect, it } from "vitest";
import { proveWorkflow } from "../../src/index.ts";
import { failure, line } from "../report-lines.ts";
import { end, gateway, human, loop, start, transform, workflow } from "../workflow-text.ts";

describe("[D8.12] loop grades", () => {
  it("[D8.12] a cycle that an outcome of a job leaves is ended by the fuse only", () => {
    const compiled = workflow(
      [start, gateway("again"), { id: "try", kind: "tool" }, end],
      ["start -> again", "again -> try", "try: error -> again", "try -> end"],
    );
    expect(failure(compiled, "O7")).toMatchObject({
      message: 'only the fuse ends the cycle "again", "try", "again"',
      witness: { nodes: ["again", "try"] },
    });
    expect(line(proveWorkflow(compiled), "O1")).toMatchObject({ level: "net", verdict: { kind: "holds" } });
  });

  it("[D8.12] a cycle through a person is fair, also when the person sits in a subprocess that cannot be passed otherwise", () => {
    const direct = workflow(
      [start, transform("draft"), human("review", "approve", "reject"), end],
      [
        "start -> draft",
        "draft -> review",
        "draft: error -> end",
        "review: reject -> draft",
        "review: approve -> end",
      ],
    );
    expect(proveWorkflow(direct).loops).toEqual({ kind: "fair" });
    const inside = (withPerson: boolean) =>
      workflow(
        [
          start,
          { id: "sub", kind: "subprocess", meta: { entry: "inner", outcomes: ["ok", "again"] } },
          withPerson
            ? { ...human("inner", "ok", "again"), scope: "sub" }
            : {
                id: "inner",
                kind: "decision",
                scope: "sub",
                meta: { key: "k", branches: { ok: "ok" }, default: true },
              },
          { id: "ok", kind: "end", scope: "sub", meta: { outcome: "ok" } },
          { id: "more", kind: "end", scope: "sub", meta: { outcome: "again" } },
          end,
        ],
        [
          "start -> sub",
          "inner: ok -> ok",
          withPerson ? "inner: again -> more" : "inner: default -> more",
          "sub: ok -> end",
          "sub: again -> sub",
        ],
      );
    expect(proveWorkflow(inside(true)).loops).toEqual({ kind: "fair" });
    expect(failure(inside(false), "O7").witness).toMatchObject({ kind: "cycle", nodes: ["sub"] });
  });

  it("[D8.12] [L8.5] the bound of a governed loop counts budget + 1 rounds", () => {
    // start, (draft, verify, decide) three times, rescue, and an end each: the three ways out share the rest.
    const { loops } = proveWorkflow(loop(2));
    expect(loops).toEqual({ kind: "bounded", firingsMax: 1 + 3 * 3 + 3 + (3 + 3) + (3 + 3 + 3) });
  });
});
