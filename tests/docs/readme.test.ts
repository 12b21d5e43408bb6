/** @module The README's example is run as it stands. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

it("the example of the README runs and prints the end of the run", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const example = /```js\n(import \{ accepted[\s\S]*?)```/u.exec(readme)?.[1];
  expect(example).toBeDefined();
  const dir = join(root, ".reports", "readme-example");
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "example.mjs"), example ?? "");
  const run = spawnSync(process.execPath, ["example.mjs"], { cwd: dir, encoding: "utf8", timeout: 60_000 });
  expect(run.stderr).toBe("");
  expect(run.stdout).toContain("status: 'completed'");
  expect(run.stdout).toContain("receipt: 'refund-1/pay.1'");
}, 90_000);
