/** @module Governed loops in stored runs: entered again, one in another, stopped between rounds, and honest. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { WorkflowDefinition } from "@tessera/core";
import { sqliteStore } from "@tessera/persist/sqlite";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";
import { bareRun, completing, result, starting } from "./host.ts";

const root = mkdtempSync(path.join(tmpdir(), "tessera-loops-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const governs = (id: string, budget: number, passKey: string, body: readonly string[]) => ({
  loop: { id, budget, passKey, proves: "it", body: [...body] },
});
const INNER = ["head2", "work", "judge2"];
const person = (id: string, outcomes?: readonly string[]) =>
  [
    id,
    "human",
    outcomes === undefined ? undefined : { outcomes: [...outcomes] },
    { reads: [], writes: [] },
  ] as const;

/** A loop in a loop in a cycle that a person closes. */
const cycles = (outer: number, inner: number): WorkflowDefinition =>
  flow(
    "w",
    [
      ["begin", "start"],
      ["again", "gateway"],
      ["head1", "gateway"],
      ["head2", "gateway"],
      person("work"),
      ["judge2", "verifier", { passKey: "fine" }, { reads: [] }],
      ["loop2", "decision", governs("inner", inner, "fine", INNER)],
      person("help2"),
      ["judge1", "verifier", { passKey: "good" }, { reads: [] }],
      ["loop1", "decision", governs("outer", outer, "good", ["head1", ...INNER, "loop2", "help2", "judge1"])],
      person("help1"),
      person("ask", ["again", "stop"]),
      ["end", "end"],
      ["lost", "end", { outcome: "lost" }],
    ],
    [
      ["begin", "again"],
      ["again", "head1"],
      ["head1", "head2"],
      ["head2", "work"],
      ["work", "judge2"],
      ["judge2", "loop2"],
      ["loop2", "judge1", "pass"],
      ...(inner > 0 ? [["loop2", "head2", "fail"] as const] : []),
      ["loop2", "help2", "exhausted"],
      ["help2", "judge1"],
      ["judge1", "loop1"],
      ["loop1", "ask", "pass"],
      ...(outer > 0 ? [["loop1", "head1", "fail"] as const] : []),
      ["loop1", "help1", "exhausted"],
      ["help1", "ask"],
      ["ask", "again", "again"],
      ["ask", "end", "stop"],
      ...["judge1", "judge2", "loop1", "loop2"].map((id) => [id, "lost", "error"] as const),
    ],
  );

interface Words {
  readonly inner: readonly boolean[];
  readonly outer: readonly boolean[];
  readonly repeats: number;
}

/** Where a run rests, one after the other. Counts begin anew at each entry, unless `isKept`: then never. */
function visits(outer: number, inner: number, words: Words, isKept = false): readonly string[] {
  const found: string[] = [];
  const said = [...words.inner];
  const judged = [...words.outer];
  let [failed1, failed2] = [0, 0];
  for (let round = 0; round <= words.repeats; round += 1) {
    if (!isKept) failed1 = 0;
    for (;;) {
      if (!isKept) failed2 = 0;
      for (;;) {
        found.push("work");
        if (said.shift() !== false) break;
        failed2 += 1;
        if (failed2 <= inner) continue;
        found.push("help2");
        break;
      }
      if (judged.shift() !== false) break;
      failed1 += 1;
      if (failed1 <= outer) continue;
      found.push("help1");
      break;
    }
    found.push("ask");
  }
  return found;
}

describe("[D20.15] loops in stored runs", () => {
  it("[D20.15] [D7.1] [C20-57] [C20-63] [C20-64] re-entry, nesting, and a restart between rounds: the counts are those of the definition", async () => {
    let distinct = 0;
    let restarts = 0;
    let files = 0;
    const word = fc.array(
      fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
      { minLength: 3, maxLength: 9 },
    );
    const budget = fc.integer({ min: 0, max: 2 });
    await fc.assert(
      fc.asyncProperty(
        budget,
        budget,
        fc.record({ inner: word, outer: word, repeats: fc.nat(2) }),
        fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
        async (outer, inner, words, closing) => {
          files += 1;
          const file = path.join(root, `${files}.db`);
          const said = [...words.inner];
          const judged = [...words.outer];
          const open = () => {
            const store = sqliteStore({ path: file });
            const functions = {
              judge2: () => said.shift() ?? true,
              judge1: () => judged.shift() ?? true,
            };
            const kit = testEngine({ store, functions });
            return { ...kit, close: () => kit.engine.close().then(() => store.close()) };
          };
          let kit = open();
          accepted(await kit.engine.deploy(cycles(outer, inner)));
          accepted(await kit.engine.start({ workflow: "w", id: "r" }));
          const expected = visits(outer, inner, words);
          const found: string[] = [];
          let asked = 0;
          for (const at of expected.keys()) {
            if (closing[at % closing.length] === true) {
              restarts += 1;
              await kit.close();
              kit = open();
            }
            const { rows } = await kit.engine.workItems.list({ run: "r" });
            const [item] = rows;
            if (item === undefined) break;
            found.push(item.node);
            const outcome = item.node !== "ask" ? "done" : asked < words.repeats ? "again" : "stop";
            if (item.node === "ask") asked += 1;
            accepted(await kit.engine.workItems.complete({ task: item.id, by: { id: "kim" }, outcome }));
          }
          expect(found).toEqual(expected);
          const state = accepted(await kit.engine.run("r").state());
          expect([state.status, state.outcomes]).toEqual(["completed", ["done"]]);
          expect(accepted(await kit.engine.audit()).isSound).toBe(true);
          await kit.close();
          if (visits(outer, inner, words, true).join() !== expected.join()) distinct += 1;
        },
      ),
      { numRuns: 25, endOnFailure: true },
    );
    // Counts that were not fresh would have shown.
    expect(distinct).toBeGreaterThan(5);
    expect(restarts).toBeGreaterThan(20);
  }, 120_000);

  /** One loop whose body is `kind`, without declared keys: it may write anything but the verdict. */
  const honest = (kind: string) =>
    flow(
      "w",
      [
        ["begin", "start"],
        ["head", "gateway"],
        ["body", kind],
        ["judge", "verifier", { passKey: "ok" }],
        ["loop", "decision", governs("l", 1, "ok", ["head", "body", "judge"])],
        ["good", "end", { outcome: "good" }],
        ["help", "human"],
        ["end", "end"],
        ["lost", "end", { outcome: "lost" }],
      ],
      [
        ["begin", "head"],
        ["head", "body"],
        ["body", "judge"],
        ...(kind === "human" ? [] : [["body", "lost", "error"] as const]),
        ["judge", "loop"],
        ["judge", "loop", "error"],
        ["loop", "good", "pass"],
        ["loop", "head", "fail"],
        ["loop", "help", "exhausted"],
        ["loop", "lost", "error"],
        ["help", "end"],
      ],
    );
  const broken = () => {
    throw new Error("no verdict");
  };

  it("[D9.1] [C20-60] a patch of a function, a job or a person that touches the pass key is refused, and nothing of it is kept", () => {
    for (const kind of ["transform", "tool", "human"]) {
      const functions = { body: () => ({ patch: { ok: true, more: 1 } }), judge: () => false };
      const run = bareRun(honest(kind), { functions });
      const first = run.turn(starting());
      const patch = { ok: true, more: 1 };
      const last =
        kind === "tool"
          ? run.turn({ ...result(run.item("body"), "done", patch) })
          : kind === "human"
            ? run.turn(completing(run.item("body"), "done", patch))
            : first;
      if (last.kind === "refused") expect([kind, last.code]).toEqual(["human", "invalid-data"]);
      else {
        const body = last.record.steps.find(({ node }) => node === "body");
        expect([kind, body?.outcome, body?.trouble?.code]).toEqual([kind, "error", "PASS_KEY"]);
        expect(JSON.stringify(body?.trouble)).toContain("ok");
      }
      expect(run.state.data).toEqual({});
    }
  });

  it("[D9.1] [D20.15] [C20-59] [C20-62] a verdict of an earlier round never passes, nor does one that is no boolean", () => {
    const words: readonly (readonly [string, readonly unknown[], readonly string[]])[] = [
      ["stale", [false, broken], ["fail", "error"]],
      ["text", ["true"], ["error"]],
      ["number", [1], ["error"]],
      ["nothing", [undefined], ["error"]],
      ["true", [false, true], ["fail", "pass"]],
    ];
    for (const [name, verdicts, branches] of words) {
      const left = [...verdicts];
      const run = bareRun(honest("transform"), {
        functions: {
          body: () => ({ patch: { more: 1 } }),
          judge: () => {
            const next = left.shift();
            return (typeof next === "function" ? (next as () => boolean)() : next) as boolean;
          },
        },
      });
      const { record } = run.take(starting());
      const taken = record.steps.filter(({ node }) => node === "loop").map(({ outcome }) => outcome);
      expect([name, taken]).toEqual([name, branches]);
    }
  });
});
