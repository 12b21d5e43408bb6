import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { plant, plantTools } from "./plant.ts";

const SCRIPTS = ["lint", "imports", "tidy", "trace", "docs", "build", "types", "dead", "test:unit"];

function check(broken?: string): { readonly status: number | null; readonly stdout: string } {
  const scripts = Object.fromEntries(
    SCRIPTS.map((name) => [name, name === broken ? "echo the reason && exit 3" : "echo quiet"]),
  );
  const root = plant({ "package.json": JSON.stringify({ private: true, scripts }) });
  plantTools(root, "check.mjs");
  const { status, stdout } = spawnSync(process.execPath, [path.join(root, "tools/check.mjs")], {
    encoding: "utf8",
  });
  return { status, stdout };
}

describe("tools/check.mjs", () => {
  it("runs every check", () => {
    const { status, stdout } = check();
    expect(status).toBe(0);
    expect([...stdout.matchAll(/^ok {4}(\S+)/gm)].map((match) => match[1])).toEqual(SCRIPTS);
  });

  it("stops at the first that fails, shows its output and how to run it again", () => {
    const { status, stdout } = check("trace");
    expect(status).toBe(1);
    expect(stdout).toContain("the reason");
    expect(stdout).toContain("FAIL  trace (text, code and tests agree): npm run trace");
    expect(stdout).not.toContain("docs");
  });
});
