/** @module Small nets that others judge by continuous soundness: where that is the classical notion, and where it is not. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { importLola } from "@tessera/interchange";
import { checkNet } from "@tessera/proofs";
import { describe, expect, it } from "vitest";
import { hasNets, NETS, readSource } from "./real-nets.ts";

const FOLDER = "ff-soundness-unit";
const isThere = hasNets(FOLDER);
if (!isThere)
  console.warn("skipped: the folder shared/data/nets/ff-soundness-unit is not beside the checkout");

/** Continuous soundness lets transitions fire in fractions, so it says neither more nor less than the classical notion. */
const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  ["workflow_tests__continuous_soundness__true__t3.lola", "deadlocks when transitions fire as wholes"],
  [
    "workflow_tests__continuous_soundness__true__t4.lola",
    "one transition is dead when transitions fire as wholes",
  ],
]);

/** Files that are no net: a node that is named twice, or named and not declared. */
const REFUSED: readonly string[] = ["fc1", "fc2", "nfc1", "nfc2"]
  .map((name) => `free_choice__${name}.lola`)
  .concat("workflow_tests__E.lola");

function verdictOf(file: string): boolean | null | "refused" {
  const imported = importLola(readSource(FOLDER, file));
  return imported.ok ? checkNet(imported.value.net).sound : "refused";
}

describe.runIf(isThere)("nets judged by continuous soundness", () => {
  const files = isThere ? readdirSync(path.join(NETS, FOLDER)).filter((name) => name.endsWith(".lola")) : [];

  it("[D8.8] have the verdict of their name, but for those that differ by definition", () => {
    const judged = files.flatMap((file) => {
      const named = /continuous_soundness__(true|false)__/.exec(file)?.[1];
      return named === undefined ? [] : [{ file, named: named === "true" }];
    });
    expect(judged.length).toBe(14);
    for (const { file, named } of judged)
      expect([file, verdictOf(file)]).toEqual([file, named && !DIFFERENCES.has(file)]);
  });

  it("[D8.8] are refused where they are malformed", () => {
    expect(files.filter((file) => verdictOf(file) === "refused")).toEqual([...REFUSED].sort());
  });
});
