/**
 * @module What every tool beside this file does the same way: find the files, report the problems, end.
 *
 * A tool is `check({ root, isWriting, problem, note })`; it never throws for a problem, so that all are shown at once.
 */
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const SKIPPED = new Set(["node_modules", "dist", "coverage", ".git", ".reports", ".stryker-tmp"]);

/** Runs a check on a tree: `{ problems, notes }`, one line each. */
export function outcomeOf(check, root, isWriting = false) {
  const problems = [];
  const notes = [];
  check({
    root,
    isWriting,
    problem: (where, what) => problems.push(`${where}: ${what}`),
    note: (line) => notes.push(line),
  });
  return { problems, notes };
}

/** Runs a tool's check when its file is called as a program; prints one line a problem; exit code 1 if any. */
export function runTool({ name, importMetaUrl, check }) {
  if (process.argv[1] === undefined || fs.realpathSync(process.argv[1]) !== fileURLToPath(importMetaUrl))
    return;
  const { values } = parseArgs({
    options: { root: { type: "string" }, write: { type: "boolean", default: false } },
  });
  const root = path.resolve(values.root ?? path.dirname(path.dirname(fileURLToPath(importMetaUrl))));
  const { problems, notes } = outcomeOf(check, root, values.write);
  for (const line of problems) process.stderr.write(`${line}\n`);
  const verdict =
    problems.length === 0 ? "ok" : `${problems.length} problem${problems.length === 1 ? "" : "s"}`;
  process.stdout.write(`${name}: ${[verdict, ...notes].join("; ")}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/** All files below `folder` (relative to `root`, "/" as separator, in code-unit order) for which `keep` holds. */
export function filesBelow(root, folder, keep = () => true) {
  const found = [];
  const visit = (relative) => {
    const entries = fs.existsSync(path.join(root, relative))
      ? fs.readdirSync(path.join(root, relative), { withFileTypes: true })
      : [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = relative === "" ? entry.name : `${relative}/${entry.name}`;
      // In a worktree `.git` is a file.
      if (SKIPPED.has(entry.name)) continue;
      if (entry.isDirectory()) visit(name);
      else if (entry.isFile() && keep(name)) found.push(name);
    }
  };
  visit(folder);
  return found;
}

/** The packages of the workspace: folder names below packages/. */
export function packageNames(root) {
  return filesBelow(root, "packages", (file) => /^packages\/[^/]+\/package\.json$/.test(file)).map(
    (file) => file.split("/")[1],
  );
}

export const read = (root, file) => fs.readFileSync(path.join(root, file), "utf8");

export function readJson(root, file) {
  return JSON.parse(read(root, file));
}

/** Compares a generated file with the one in the tree, or writes it if the tool was called with --write. */
export function generated({ root, isWriting, problem }, file, text) {
  const target = path.join(root, file);
  const present = fs.existsSync(target) ? fs.readFileSync(target, "utf8") : undefined;
  if (present === text) return;
  if (isWriting) {
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, text);
  } else {
    problem(file, "is generated and no longer current; run the same command with `-- --write`");
  }
}
