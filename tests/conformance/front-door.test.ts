/** @module Every BPMN file of the data folder through the front door: none crashes or hangs, and no fewer than before come through. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { DATA, folders, judgeBpmn } from "./front-door.mjs";
import { STRIDE } from "./real-nets.ts";

const isThere = existsSync(path.join(DATA, "bpmn"));
if (!isThere) console.warn("skipped: the folder shared/data/bpmn is not beside the checkout");

/** Files that are imported, of all; raised when more are, never lowered. docs/front-door.md has them by name. */
const IMPORTED_MIN = 371;
/** Of the imported ones among every fifth file, the share whose run with scripted answers comes to its end. */
const COMPLETED_SHARE_MIN = 0.8;

describe.skipIf(!isThere)("the front door", () => {
  const files = isThere
    ? folders().flatMap(([folder, names]) =>
        folder.startsWith("bpmn/") ? names.map((name) => path.join(DATA, folder, name)) : [],
      )
    : [];

  it("[D14.1] every file is imported, or refused with codes and places", async () => {
    let imported = 0;
    for (const file of files) {
      const result = await judgeBpmn(readFileSync(file), { prove: false, run: false });
      if (result.kind === "imported") imported += 1;
      else
        expect([file, result.issues.every(({ position }) => position !== undefined)]).toEqual([file, true]);
    }
    console.log(`front door: ${imported} of ${files.length} BPMN files are imported`);
    expect(imported).toBeGreaterThanOrEqual(IMPORTED_MIN);
  }, 300_000);

  it("[D14.1] every fifth that is imported runs to an end with scripted answers, and most to the end", async () => {
    const sample = files.filter((_, index) => index % STRIDE === 0);
    const ends: string[] = [];
    for (const file of sample) {
      const result = await judgeBpmn(readFileSync(file), { prove: false });
      if (result.kind === "imported") ends.push(result.ran?.kind ?? "");
    }
    const completed = ends.filter((end) => end === "completed").length;
    console.log(`front door: ${completed} of ${ends.length} runs come to the end`);
    expect(completed / ends.length).toBeGreaterThanOrEqual(COMPLETED_SHARE_MIN);
  }, 300_000);
});
