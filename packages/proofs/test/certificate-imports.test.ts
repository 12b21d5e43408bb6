/** @module What checkers of certificates may be: short, and built on the net, the firing rule and the format alone. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const FOLDER = new URL("../src/certificate/", import.meta.url);
const LINES_MAX = 150;

/** Definitions on one marking, the words of questions, and the shape of steps: text transcribed, nothing of a search. */
const ON_NETS =
  /^(@tessera\/core|\.\/[a-z-]+\.ts|\.\.\/(verdict|elements|reachability)\.ts|\.\.\/reduction\/step\.ts|\.\.\/obligations\/(boundedness|deadlock|proper-completion|safeness)\.ts|\.\.\/questions\/(formula|predicate|question)\.ts)$/;

/** For data besides: the cases and how conditions are read, which the documents name as trusted, and the forms of claims. */
const ON_DATA =
  /^(@tessera\/(core|gateways)|\.\/[a-z-]+\.ts|\.\.\/(verdict|elements)\.ts|\.\.\/data-level\/(answers-of-nodes|conditions-read|data-run|data-verdicts|domain|unmodelled)\.ts|\.\.\/obligations\/loop-bounds\.ts)$/;

/** Evidence of the class "recomputed" is what the obligation itself says, worked out once more. */
const RECOMPUTED = "check-workflow.ts";

describe("checkers of certificates", () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".ts"));

  it("[D8.9] there are some", () => {
    expect(files.length).toBeGreaterThan(40);
  });

  it.each(files)("[D8.9] [D23.6] %s is short and imports what it may", (file) => {
    const source = readFileSync(new URL(file, FOLDER), "utf8");
    expect(source.trimEnd().split("\n").length).toBeLessThanOrEqual(LINES_MAX);
    if (file === RECOMPUTED) return;
    const allowed = /data/.test(file) ? ON_DATA : ON_NETS;
    for (const [, from] of source.matchAll(/from "([^"]+)"/g)) expect(from).toMatch(allowed);
  });
});
