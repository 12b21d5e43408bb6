/** @module Governed loops, budgets and the fuse, through turns. */
import type { Json } from "@tessera/core";
import { loopBranch } from "@tessera/gateways";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flow } from "./definitions.ts";
import { bareRun, starting } from "./host.ts";

describe("loops and bounds", () => {
  const loop = (budget: number) =>
    flow(
      "w",
      [
        ["s", "start"],
        ["head", "gateway"],
        ["body", "transform"],
        ["check", "verifier", { passKey: "ok" }],
        [
          "decide",
          "decision",
          { loop: { id: "l", budget, passKey: "ok", proves: "it", body: ["head", "body", "check"] } },
        ],
        ["good", "end", { outcome: "pass" }],
        ["spent", "end", { outcome: "exhausted" }],
        ["bad", "end", { outcome: "error" }],
      ],
      [
        ["s", "head"],
        ["head", "body"],
        ["body", "check"],
        ["body", "check", "error"],
        ["check", "decide"],
        ["check", "decide", "error"],
        ...(budget > 0 ? [["decide", "head", "fail"] as const] : []),
        ["decide", "good", "pass"],
        ["decide", "spent", "exhausted"],
        ["decide", "bad", "error"],
      ],
    );

  it("[D20.15] [C20-56] [C20-57] [C20-59] the engine takes the branches of the definition, for every budget and verdict word", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 6 }),
        fc.array(fc.constantFrom<Json>(true, false, "broken"), { minLength: 8, maxLength: 8 }),
        (budget, word) => {
          let round = -1;
          const seen: string[] = [];
          const run = bareRun(loop(budget), {
            functions: {
              body: () => {
                round += 1;
                return undefined;
              },
              check: () => word[round] as boolean,
            },
          });
          const { record } = run.take(starting());
          for (const { node, outcome } of record.steps) if (node === "decide") seen.push(outcome ?? "");
          const expected: string[] = [];
          for (let failed = 0; ; failed += 1) {
            const verdict = word[failed];
            const branch = loopBranch(typeof verdict === "boolean" ? verdict : undefined, failed, budget);
            expected.push(branch);
            if (branch !== "fail") break;
          }
          expect(seen).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("[D9.1] [C20-62] a verdict from before the loop is not read inside it", () => {
    const run = bareRun(loop(1), {
      functions: {
        body: () => undefined,
        check: () => {
          throw new Error("no verdict");
        },
      },
    });
    const { record } = run.take(starting({ ok: true }));
    expect(record.steps.filter(({ node }) => node === "decide").map(({ outcome }) => outcome)).toEqual([
      "error",
    ]);
    expect(run.state.data).toEqual({});
  });

  it("[D9.1] [C20-61] a verifier writes its verdict and nothing else", () => {
    const run = bareRun(loop(0), {
      functions: {
        body: () => undefined,
        check: ({ data }) => {
          data["more"] = 1;
          return true;
        },
      },
    });
    const { record } = run.take(starting());
    expect(record.steps.find(({ node }) => node === "check")).toMatchObject({
      outcome: "error",
      trouble: { code: "FOOTPRINT" },
    });
  });

  const endless = flow(
    "w",
    [
      ["s", "gateway"],
      ["f", "transform"],
      ["z", "end"],
    ],
    [
      ["s", "f"],
      ["f", "s", "error"],
      ["f", "s", "done", { guard: { key: "stop", op: "isNot", value: true } }],
      ["f", "z", "done", { default: true }],
    ],
  );

  it("[D9.1] an inline cycle commits after its budget of firings and goes on with the next turn", () => {
    const run = bareRun(endless, { limits: { firingsMax: 10 }, functions: { f: () => undefined } });
    const first = run.take(starting());
    expect(first).toMatchObject({ isUnfinished: true, state: { status: "running" } });
    expect(first.record.steps.flatMap(({ fired }) => fired ?? [])).toHaveLength(10);
    expect(run.take({ input: { kind: "continue" } }).isUnfinished).toBe(true);
  });

  it("[D9.1] a turn that writes much commits before it grows too large", () => {
    const run = bareRun(endless, {
      limits: { turnBytesMax: 500 },
      functions: {
        f: ({ data }) => {
          data["n"] = `${String(data["n"] ?? "")}${"x".repeat(100)}`;
          return undefined;
        },
      },
    });
    const first = run.take(starting());
    expect(first.isUnfinished).toBe(true);
    expect(first.record.steps.length).toBeLessThan(20);
  });

  it("[D9.1] the fuse ends a run that takes too many steps", () => {
    const run = bareRun(endless, { limits: { stepsMax: 50 }, functions: { f: () => undefined } });
    run.take(starting());
    expect(run.state).toMatchObject({ status: "failed", terminal: { trouble: { code: "FUSE" } } });
  });

  it("[D9.1] the fuse also bounds what happens while nothing fires", () => {
    const run = bareRun(
      flow(
        "w",
        [
          ["t", "timer", { cycle: "R1000/PT1S" }],
          ["z", "end"],
        ],
        [["t", "z"]],
      ),
      { limits: { stepsMax: 5 } },
    );
    run.take(starting());
    run.now = 10_000_000;
    for (let turns = 0; run.state.status === "waiting"; turns += 1) {
      expect(turns).toBeLessThan(10);
      run.take({ input: { kind: "timer", item: "t.1", dueAt: run.item("t").dueAt ?? 0 } });
    }
    expect(run.state.terminal).toMatchObject({ trouble: { code: "FUSE" } });
  });

  it("[D9.1] a place that would overflow fails the run", () => {
    const places = [{ id: "i", initial: 1 }, { id: "p", initial: 2_147_483_647 }, { id: "o" }];
    const transitions = [
      {
        id: "t",
        pre: [["i", 1]],
        post: [
          ["o", 1],
          ["p", 1],
        ],
      },
    ] as never;
    const run = bareRun({ format: 1, kind: "net", id: "n", places, transitions });
    run.take(starting());
    expect(run.state).toMatchObject({ status: "failed", terminal: { trouble: { code: "OVERFLOW" } } });
  });
});
