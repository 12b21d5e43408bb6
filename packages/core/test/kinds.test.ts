import { describe, expect, it } from "vitest";
import { addWeights, type KindSpec, kindTable } from "../src/kinds.ts";
import { SEMANTICS, SEMANTICS_VERSION } from "../src/semantics.ts";
import { arcOutcome, splitOf, type WorkflowNode } from "../src/workflow.ts";
import { SMALL_KINDS } from "./small-kinds.ts";

describe("[D20.2] labels and splits", () => {
  it("[D20.2] an arc without a label has the label done", () => {
    expect(arcOutcome({ from: "a", to: "b" })).toBe("done");
    expect(arcOutcome({ from: "a", to: "b", outcome: "error" })).toBe("error");
  });

  it("[D20.2] a split is first where nothing else is said, for all outcomes or for each", () => {
    const n = (split?: WorkflowNode["split"]): WorkflowNode => ({
      id: "n",
      kind: "task",
      ...(split === undefined ? {} : { split }),
    });
    expect(splitOf(n(), "done")).toBe("first");
    expect(splitOf(n("all"), "done")).toBe("all");
    expect(splitOf(n("or"), "anything")).toBe("or");
    expect(splitOf(n({ done: "all" }), "done")).toBe("all");
    expect(splitOf(n({ done: "all" }), "error")).toBe("first");
    expect(splitOf(n({}), "constructor")).toBe("first");
  });

  it("[D20.2] [C20-04] a table of kinds takes further kinds, and a later one replaces its namesake", () => {
    const task = SMALL_KINDS.get("task") as KindSpec;
    const table = kindTable(
      [
        { ...task, version: 2 },
        { ...task, name: "seal" },
      ],
      SMALL_KINDS,
    );
    expect([...table.keys()]).toEqual([...SMALL_KINDS.keys(), "seal"]);
    expect(table.get("task")?.version).toBe(2);
    expect(SMALL_KINDS.get("task")?.version).toBe(1);
    expect(kindTable([]).size).toBe(0);
  });
});

describe("[D1.1] weights", () => {
  it("[D1.1] add up by place, and nothing is left of a weight of zero", () => {
    expect(
      addWeights(
        [
          [0, 1],
          [2, 1],
        ],
        [
          [2, 2],
          [1, 0],
          [3, 1],
        ],
      ),
    ).toEqual([
      [0, 1],
      [2, 3],
      [3, 1],
    ]);
    expect(addWeights([], [])).toEqual([]);
  });
});

describe("[D3.1] versions of the semantics", () => {
  it("[D3.1] new turns carry the last of the versions, which are numbered from 1 without a gap", () => {
    expect(SEMANTICS.map(({ version }) => version)).toEqual(SEMANTICS.map((_, index) => index + 1));
    expect(SEMANTICS.at(-1)?.version).toBe(SEMANTICS_VERSION);
    for (const { what, since } of SEMANTICS) {
      expect(what).not.toBe("");
      expect(since).toMatch(/^\d+\.\d+\.\d+$/u);
    }
  });
});
