/** @module What a question to the solver leaves behind is ended before the next one, not when garbage is collected. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

describe("[D23.12] the thread of the solver", () => {
  // The collector would end it while z3 thinks, in z3's own memory: with a collection every few milliseconds one question
  // in some hundreds was answered with an error about sorts that nobody had written, or not at all.
  it("leaves nothing to the garbage collector, and no answer depends on the questions before", async () => {
    const preloaded = ["--require", file("left-to-collector.cjs")];
    const { stdout, stderr } = await run(process.execPath, [...preloaded, file("ask-questions.mjs")], {
      timeout: 400_000,
    });
    expect(stderr).toMatch(/^watched: thread [1-9]/mu);
    expect(stderr).not.toContain("left to the collector");
    const answers = JSON.parse(stdout) as readonly unknown[];
    expect(answers.slice(0, 7)).toEqual(["unsat", "sat", "unsat", "sat", "unsat", "unsat", "unsat"]);
    expect(answers[7]).toEqual({ kind: "unknown", reason: expect.stringContaining("unheard") });
  }, 500_000);
});
