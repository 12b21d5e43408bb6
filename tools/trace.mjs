/**
 * @module From the formal text to code to test: `npm run trace`; `npm run trace -- --write` confirms and regenerates.
 *
 * Reads headings with an id (`## Enabled {#D1.3}`) in docs/definitions, the tags `@definition ID` and `@refines ID` in
 * the comments of every package, and the ids in brackets that open the name of a test (`"[D1.3] [C20-23] ..."`).
 * Fails on: an id stated twice or in another file's range; a definition or algorithm without exactly one `@definition`
 * or without a test; a refinement without a property that cites it; a lemma or theorem with neither test nor status;
 * an id that is cited and not stated; a text that changed since its code was last confirmed (docs/definitions/lock.json).
 * Generates docs/trace.md, which also lists the requirements that no test names.
 */
import { createHash } from "node:crypto";
import path from "node:path";
import { lineOf, literals, onlyComments } from "./source-text.mjs";
import { filesBelow, generated, read, readJson, runTool } from "./tool.mjs";

const LOCK = "docs/definitions/lock.json";
const STATEMENT = /^[ADLT]\d+(?:\.\d+)+$/;
const REQUIREMENTS = { HZ: 60, OH: 76, C20: 83, R11: 37 };
const REQUIREMENT = /^(HZ|OH|C20|R11)-(\d\d)$/;

export function check(context) {
  const { root, problem, note } = context;
  const statements = readStatements(root, problem);
  const tags = readTags(root);
  const tests = readTests(root);
  checkCitations(problem, statements, tags, tests);
  for (const statement of statements.values()) checkStatement(problem, statement, tags, tests);
  for (const id of citedRequirements(tests, problem)) statements.requirements.add(id);
  checkLock(context, statements, tags);
  const untested = allRequirements().filter((id) => !statements.requirements.has(id));
  generated(context, "docs/trace.md", traceDocument({ statements, tags, tests, untested }));
  note(`${statements.size} statements`);
  note(`${untested.length} of ${allRequirements().length} requirements without a test`);
}

/** id -> `{ id, title, file, text, status }`; the text of a statement ends at the next heading of its level or above. */
function readStatements(root, problem) {
  const statements = new Map();
  statements.requirements = new Set();
  for (const file of filesBelow(root, "docs/definitions", (name) => name.endsWith(".md"))) {
    const number = path.posix.basename(file).match(/^(\d+)-/)?.[1];
    let current;
    for (const [index, line] of read(root, file).split("\n").entries()) {
      const heading = line.match(/^(#+)\s+(.*?)\s*(?:\{#([^}]+)\})?\s*$/);
      if (heading?.[3] !== undefined) {
        const id = heading[3];
        const here = `${file}:${index + 1}`;
        current = { id, title: heading[2], file, level: heading[1].length, lines: [] };
        if (!STATEMENT.test(id)) problem(here, `"${id}" is no statement id such as D1.3, L1.4, T1.5, A1.6`);
        else if (statements.has(id)) problem(here, `${id} is already stated in ${statements.get(id).file}`);
        else if (!isInRange(id, number))
          problem(here, `${id} belongs in the file that begins with its number`);
        else statements.set(id, current);
      } else if (heading && current && heading[1].length <= current.level) current = undefined;
      current?.lines.push(line);
    }
  }
  for (const statement of statements.values()) {
    statement.text = statement.lines.join("\n").trim();
    statement.status = statement.text.match(/^Status: (proved on paper|conjecture|withdrawn)/m)?.[1];
  }
  return statements;
}

/** Statements of Chapters 18 to 20 (D20.2 ...) keep their number in whatever file they stand; ours have the file's. */
const isInRange = (id, number) =>
  /^[ADLT](?:18|19|20)\./.test(id) || Number(id.match(/\d+/)[0]) === Number(number);

/** `{ kind: "definition" | "refines", id, file, line }` from comments; ids in string literals as kind "literal". */
function readTags(root) {
  const tags = [];
  for (const file of filesBelow(root, "packages", (name) => /^packages\/[^/]+\/src\/.*\.ts$/.test(name))) {
    const source = read(root, file);
    for (const match of onlyComments(source).matchAll(/@(definition|refines)\s+([A-Za-z]\d[\w.]*\w)/g)) {
      tags.push({ kind: match[1], id: match[2], file, line: lineOf(source, match.index) });
    }
    for (const { text, line } of literals(source)) {
      if (STATEMENT.test(text)) tags.push({ kind: "literal", id: text, file, line });
    }
  }
  return tags;
}

/** Tests that open with ids: `{ ids, name, file, line, isProperty }`. */
function readTests(root) {
  const isTest = (name) => /^(?:packages\/[^/]+\/test|tests)\/.*\.(?:test|test-d)\.ts$/.test(name);
  const tests = [];
  for (const file of [...filesBelow(root, "packages", isTest), ...filesBelow(root, "tests", isTest)]) {
    if (file.startsWith("tests/tools/")) continue;
    for (const { text, line } of literals(read(root, file))) {
      const opening = text.match(/^(?:\[[A-Z][\w.-]*\]\s*)+/)?.[0];
      if (opening === undefined) continue;
      const ids = [...opening.matchAll(/\[([^\]]+)\]/g)].map((match) => match[1]);
      tests.push({
        ids,
        name: text.slice(opening.length),
        file,
        line,
        isProperty: file.includes(".property.test"),
      });
    }
  }
  return tests;
}

function checkCitations(problem, statements, tags, tests) {
  for (const { kind, id, file, line } of tags) {
    if (!statements.has(id))
      problem(`${file}:${line}`, `${kind} ${id}: no such statement in docs/definitions`);
  }
  for (const { ids, file, line } of tests) {
    for (const id of ids) {
      if (STATEMENT.test(id) && !statements.has(id))
        problem(`${file}:${line}`, `[${id}] is not stated in docs/definitions`);
    }
  }
  for (const { id: from, file, text } of statements.values()) {
    for (const [id] of text.matchAll(/\b[ADLT]\d+(?:\.\d+)+\b/g)) {
      if (!statements.has(id)) problem(file, `${from} cites ${id}, which is not stated`);
    }
  }
}

function checkStatement(problem, { id, file, status }, tags, tests) {
  if (status === "withdrawn") return;
  const citing = tests.filter((test) => test.ids.includes(id));
  if (/^[DA]/.test(id)) {
    const places = tags.filter((tag) => tag.kind === "definition" && tag.id === id);
    const where = places.map((tag) => `${tag.file}:${tag.line}`).join(", ");
    if (places.length === 0) problem(file, `${id} has no "@definition ${id}" in the code`);
    if (places.length > 1) problem(file, `${id} has more than one "@definition": ${where}`);
    if (citing.length === 0) problem(file, `${id} has no test whose name begins with [${id}]`);
  } else if (citing.length === 0 && status === undefined) {
    problem(file, `${id} has neither a test nor "Status: proved on paper" or "Status: conjecture"`);
  }
  const refinement = tags.find((tag) => tag.kind === "refines" && tag.id === id);
  if (refinement !== undefined && !citing.some((test) => test.isProperty)) {
    problem(
      `${refinement.file}:${refinement.line}`,
      `refines ${id}: no property (*.property.test.ts) cites [${id}]`,
    );
  }
}

/** Requirement ids in the names of tests; one that does not exist is a problem. */
function* citedRequirements(tests, problem) {
  for (const { ids, file, line } of tests) {
    for (const id of ids) {
      if (STATEMENT.test(id) || !/^(?:HZ|OH|C20|R11)\b/.test(id)) continue;
      const [, system, number] = id.match(REQUIREMENT) ?? [];
      const exists = system !== undefined && Number(number) >= 1 && Number(number) <= REQUIREMENTS[system];
      if (exists) yield id;
      else problem(`${file}:${line}`, `[${id}] is no requirement (HZ-01 to HZ-60, OH-76, C20-83, R11-37)`);
    }
  }
}

function allRequirements() {
  return Object.entries(REQUIREMENTS).flatMap(([system, count]) =>
    Array.from({ length: count }, (_, index) => `${system}-${String(index + 1).padStart(2, "0")}`),
  );
}

/** The lock remembers, for each statement with code, the text that the code was last compared with. */
function checkLock(context, statements, tags) {
  const { root, problem, isWriting } = context;
  const wanted = {};
  for (const id of [...statements.keys()].sort(byNumber)) {
    const code = tags.find((tag) => tag.kind === "definition" && tag.id === id);
    if (code === undefined) continue;
    const text = createHash("sha256")
      .update(statements.get(id).text.replace(/\s+/g, " "))
      .digest("hex")
      .slice(0, 16);
    wanted[id] = { text, file: code.file };
  }
  const hasLock = filesBelow(root, "docs/definitions", (name) => name === LOCK).length > 0;
  const known = hasLock ? readJson(root, LOCK) : {};
  for (const [id, { text, file }] of isWriting ? [] : Object.entries(wanted)) {
    if (known[id] !== undefined && known[id].text !== text) {
      problem(
        statements.get(id).file,
        `the text of ${id} changed: compare ${file} with it, then confirm with -- --write`,
      );
    }
  }
  generated(context, LOCK, `${JSON.stringify(wanted, null, 2)}\n`);
}

function byNumber(a, b) {
  const key = (id) => id.slice(1).split(".").map(Number);
  const [x, y] = [key(a), key(b)];
  for (let at = 0; at < Math.max(x.length, y.length); at += 1) {
    if (x[at] !== y[at]) return (x[at] ?? -1) - (y[at] ?? -1);
  }
  return a < b ? -1 : 1;
}

const cell = (text) => text.replaceAll("|", "\\|");

function traceDocument({ statements, tags, tests, untested }) {
  const rows = [...statements.values()]
    .sort((a, b) => byNumber(a.id, b.id))
    .map(({ id, title, file, status }) => {
      const link = (tag) => `[${path.posix.basename(tag.file)}](../${tag.file})`;
      const unique = (list) => [...new Set(list)].join(", ");
      const code = unique(tags.filter((tag) => tag.kind === "definition" && tag.id === id).map(link));
      const faster = unique(tags.filter((tag) => tag.kind === "refines" && tag.id === id).map(link));
      const shown = unique(tests.filter((test) => test.ids.includes(id)).map(link));
      return `| [${id}](definitions/${path.posix.basename(file)}#${id}) | ${cell(title)} | ${code} | ${faster} | ${shown || status || ""} |`;
    });
  const lists = Object.entries(REQUIREMENTS).map(([system, count]) => {
    const ids = untested.filter((id) => id.startsWith(`${system}-`));
    return `- ${system}: ${count - ids.length} of ${count} named by a test${ids.length === 0 ? "." : `; not yet: ${ids.join(", ")}.`}`;
  });
  return `${[
    "# From text to code to test",
    "",
    "Generated by `npm run trace -- --write`; do not edit.",
    "",
    "| statement | title | definition | faster form | shown by |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    "## Requirements",
    "",
    ...lists,
  ].join("\n")}\n`;
}

runTool({ name: "trace", importMetaUrl: import.meta.url, check });
