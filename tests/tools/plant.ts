/** @module A small tree in a temporary folder with a tool run on it: the testers are tested by planted faults. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { outcomeOf } from "../../tools/tool.mjs";

const REPOSITORY = path.resolve(import.meta.dirname, "../..");

/** File name (with "/") to content. */
export type Tree = Readonly<Record<string, string>>;

/** Writes a tree below a new temporary folder, which is removed when the test ends. */
export function plant(tree: Tree, name = "tessera tree "): string {
  const root = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), name));
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
  plantInto(root, tree);
  return root;
}

/** Writes a tree into a folder that is there. */
export function plantInto(root: string, tree: Tree): void {
  for (const [file, content] of Object.entries(tree)) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), content);
  }
}

/** Copies tools into a tree, for those that work on the checkout they lie in. */
export function plantTools(root: string, ...tools: readonly string[]): void {
  fs.mkdirSync(path.join(root, "tools"), { recursive: true });
  for (const tool of tools)
    fs.copyFileSync(path.join(REPOSITORY, "tools", tool), path.join(root, "tools", tool));
}

/** A tool's check: see tools/tool.mjs. */
export type Check = (context: {
  readonly root: string;
  readonly isWriting: boolean;
  readonly problem: (where: string, what: string) => void;
  readonly note: (line: string) => void;
}) => void;

/** The problems that a check finds in a tree, one text a problem. */
export function problemsOf(check: Check, root: string): readonly string[] {
  return outcomeOf(check, root).problems;
}

/** Lets a check write its generated files. */
export function write(check: Check, root: string): void {
  outcomeOf(check, root, true);
}

/** Runs a tool as its script does; what it printed and its exit code. */
export function run(tool: string, root: string): { readonly status: number | null; readonly text: string } {
  const file = path.join(REPOSITORY, "tools", tool);
  const child = spawnSync(process.execPath, [file, "--root", root], { encoding: "utf8" });
  return { status: child.status, text: child.stdout + child.stderr };
}
