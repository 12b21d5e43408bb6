/** @module Foreign BPMN files: none crashes or hangs, each is imported or refused with named elements; verdicts of other checkers. */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { BPMN, judgeFile } from "./front-door.mjs";

const isThere = existsSync(BPMN);
if (!isThere) console.warn("skipped: the folder shared/data/bpmn is not beside the checkout");

function filesIn(folder: string): readonly string[] {
  return readdirSync(path.join(BPMN, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:bpmn2?|xml)$/u.test(name))
    .sort()
    .map((name) => path.join(BPMN, folder, name));
}

/** Published verdicts, by the names of both copies of the models: the obligations that fail (none: sound). */
const VERDICTS: readonly (readonly [file: string, failing: readonly string[]])[] = [
  ["rust-bpmn-analyzer/p2", []],
  ["rust-bpmn-analyzer/p6_stuck", ["O1", "O3"]],
  ["rust-bpmn-analyzer/pools-message-flows", []],
  ["rust-bpmn-analyzer/e020", []],
  ["rust-bpmn-analyzer/message_persistence", []],
  ["rust-bpmn-analyzer/no-option-to-complete-1", ["O1"]],
  ["rust-bpmn-analyzer/no-dead-activities", []],
  ["rust-bpmn-analyzer/proper-completion-1", []],
  ["rust-bpmn-analyzer/proper-completion-2", []],
  ["rust-bpmn-analyzer/no-proper-completion-3-unsafe", ["O2", "O4"]],
  ["rust-bpmn-analyzer/unsafe", ["O2", "O4"]],
  ["rust-bpmn-analyzer/no-prefix", ["O2", "O4"]],
  ["rust-bpmn-analyzer/p10", ["O1"]],
  ["rust-bpmn-analyzer/livelock", ["O1", "O4", "bounded"]],
  ["rba-core-tests/integration/p2", []],
  ["rba-core-tests/integration/p6_stuck", ["O1", "O3"]],
  ["rba-core-tests/integration/pools-message-flows", []],
  ["rba-core-tests/integration/e020", []],
  ["rba-core-tests/integration/message_persistence", []],
  ["rba-core-tests/integration/livelock", ["O1", "O4", "bounded"]],
  ["rba-core-tests/integration/p10", ["O1"]],
  ["rba-core-tests/unit/prefix/no-prefix", ["O2", "O4"]],
  ["rba-core-tests/unit/properties/no_dead_activities/no-dead-activities", []],
  ["rba-core-tests/unit/properties/option_to_complete/no-option-to-complete-1", ["O1"]],
  ["rba-core-tests/unit/properties/proper_completion/proper-completion-1", []],
  ["rba-core-tests/unit/properties/proper_completion/proper-completion-2", []],
  ["rba-core-tests/unit/properties/proper_completion/no-proper-completion-3-unsafe", ["O2", "O4"]],
  ["rba-core-tests/unit/properties/safeness/unsafe", ["O2", "O4"]],
  ["bpmn-analyzer-js/stuck", ["O1"]],
  ["bpmn-analyzer-js/livelock", ["O1", "bounded"]],
  ["bpmn-analyzer-js/unsafe-gateways", ["O4"]],
  ["bpmn-analyzer-js/implicit-task-merge", ["O2", "O4"]],
  ["bpmn-analyzer-js/implicit-task-split", ["O2", "O4"]],
  ["bpmn-analyzer-js/cyclic", ["O2", "O4"]],
  ["bpmn-analyzer-js/order_handling", ["O1", "O3"]],
  ["bpmn-analyzer-js/order_handling_synchronization", ["O2", "O4"]],
];

const OWN_ENDS = "an end event that parallel flows enter is an end for each flow (D14.13)";
const ALONE = "the processes of a collaboration are judged each by itself, without their messages (D14.1)";
const DEAD =
  "an element that no sequence flow enters beside a start event is refused, not judged dead (D14.2)";

/** Where we judge otherwise, by definition: sound here. */
const DIFFERENCES: readonly (readonly [file: string, why: string])[] = [
  ["rust-bpmn-analyzer/no-proper-completion-1", OWN_ENDS],
  ["rust-bpmn-analyzer/no-proper-completion-2", OWN_ENDS],
  ["rba-core-tests/unit/properties/proper_completion/no-proper-completion-1", OWN_ENDS],
  ["rba-core-tests/unit/properties/proper_completion/no-proper-completion-2", OWN_ENDS],
  ["bpmn-analyzer-js/reused-end-event", OWN_ENDS],
  ["bpmn-analyzer-js/starvation", ALONE],
  ["bpmn-analyzer-js/dead-mice", ALONE],
  ["bpmn-analyzer-js/dead-receive-task", ALONE],
];

/** Refused where others judge. */
const REFUSED: readonly (readonly [file: string, code: string, why: string])[] = [
  ["rust-bpmn-analyzer/dead-activities", "BPMN008", DEAD],
  ["rust-bpmn-analyzer/no-option-to-complete-2", "BPMN008", DEAD],
  ["rust-bpmn-analyzer/nothing", "BPMN008", DEAD],
  ["rba-core-tests/unit/properties/no_dead_activities/dead-activities", "BPMN008", DEAD],
  ["rba-core-tests/unit/properties/option_to_complete/no-option-to-complete-2", "BPMN008", DEAD],
  ["bpmn-analyzer-js/dead-activity", "BPMN008", DEAD],
  ["bpmn-analyzer-js/showcase", "BPMN008", DEAD],
  [
    "bpmn-analyzer-js/dead_tasks_connected",
    "BPMN020",
    "no path leads to the dead tasks, so they are no part of a workflow (D2.2)",
  ],
  ["bpmn-analyzer-js/empty", "BPMN002", "a process without flow nodes is nothing to judge"],
];

const LIMITS = { statesMax: 50_000, statesAfterFailureMax: 5_000, timeoutMs: 10_000 };

describe.skipIf(!isThere)("foreign BPMN files", () => {
  it("[D14.1] every fifth file of every folder is imported or refused with codes and places, without crash or hang", async () => {
    const folders = readdirSync(BPMN, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const sample = folders.flatMap(({ name }) => filesIn(name).filter((_, index) => index % 5 === 0));
    let importedCount = 0;
    for (const file of sample) {
      const result = await judgeFile(file, {
        statesMax: 2_000,
        statesAfterFailureMax: 500,
        timeoutMs: 2_000,
      });
      if (result.kind === "imported") importedCount += 1;
      else expect([file, result.issues.every((issue) => issue.position !== undefined)]).toEqual([file, true]);
      expect([file, result.kind === "imported" || result.codes.length > 0]).toEqual([file, true]);
    }
    expect(sample.length).toBeGreaterThan(90);
    expect(importedCount).toBeGreaterThan(30);
  }, 300_000);

  it.each(VERDICTS)("[D14.1] the published verdict of %s is ours", async (file, failing) => {
    const result = await judgeFile(path.join(BPMN, `${file}.bpmn`), LIMITS);
    if (result.kind !== "imported") throw new Error(result.codes.join(" "));
    const found = result.processes.flatMap((process) => process.failing ?? []);
    if (failing.length === 0)
      expect(new Set(result.processes.map(({ verdict }) => verdict))).toEqual(new Set(["sound"]));
    else expect(found).toEqual(expect.arrayContaining([...failing]));
  });

  it.each(DIFFERENCES)("[D14.1] %s is sound here: %s", async (file) => {
    const result = await judgeFile(path.join(BPMN, `${file}.bpmn`), LIMITS);
    if (result.kind !== "imported") throw new Error(result.codes.join(" "));
    expect(new Set(result.processes.map(({ verdict }) => verdict))).toEqual(new Set(["sound"]));
  });

  it.each(REFUSED)("[D14.2] %s is refused by %s: %s", async (file, code) => {
    const result = await judgeFile(path.join(BPMN, `${file}.bpmn`), LIMITS);
    expect(result.kind === "refused" ? result.codes : []).toContain(code);
  });
});
