/** @module The demo, as `npm start` runs it: two kills by SIGKILL, resumed, replayed, audited. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("the demo proves, is killed twice, resumes, and everything comes out as it must", () => {
  const bin = fileURLToPath(new URL("../../packages/cli/bin/tessera.js", import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [bin, "demo"], {
    encoding: "utf8",
    timeout: 120_000,
  });
  expect(stdout.match(/SIGKILL to process/gu)).toHaveLength(2);
  for (const line of [
    "equal to the stored state",
    "passes (2 runs)",
    "repeated after the kill: fraud",
    "order-fulfilment  completed",
    "Everything came out as it must.",
  ]) {
    expect(stdout).toContain(line);
  }
  expect(status).toBe(0);
}, 150_000);
