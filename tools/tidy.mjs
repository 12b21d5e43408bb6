/**
 * @module House rules that no linter has: `npm run tidy`. Each message says what to do instead.
 */
import path from "node:path";
import { readCodes } from "./docs-current.mjs";
import { literals } from "./source-text.mjs";
import { filesBelow, packageNames, read, runTool } from "./tool.mjs";

const LINES_MAX = 400;
const BINARY = /\.(?:png|jpe?g|gif|ico|woff2?|db|sqlite|node|gz|zip|pdf)$/;
const SOURCE = /\.(?:ts|mjs|js)$/;

/** A folder or file with such a name collects what has no owner. */
const OWNERLESS = new Set(["util", "utils", "common", "helper", "helpers", "misc", "shared", "types"]);

/** `[pattern, what to do]`, for every text file; this file itself is spared the first, whose words it must contain. */
const BANNED_TEXT = [
  [/\b(?:FIXME|XXX|HACK|TODO)\b(?!\|)/, "do it now, or say in words what is not supported"],
  [/^(?:<{7}|>{7}|={7}$)/m, "a merge was left unfinished"],
  [
    /["'\s/]registry\.[a-z0-9-]+\.(?:com|org|io|net|dev)\b|["'\s](?:https?:)?\/\/[^\s"']*\/(?:artifactory|nexus|verdaccio)\b/,
    "name no registry host",
  ],
  [/(?<![\w.$}*-])\/(?:root|home|Users|work)\/[\w.-]/, "name no path of one machine"],
];

export function check({ root, problem, note }) {
  const files = filesBelow(root, "", (name) => !BINARY.test(name) && name !== "package-lock.json");
  for (const file of files) {
    checkName(file, problem);
    const text = read(root, file);
    checkText(file, text, file === "tools/tidy.mjs" ? BANNED_TEXT.slice(1) : BANNED_TEXT, problem);
    if (/^packages\/[^/]+\/src\//.test(file)) checkSource(file, text, problem);
    if (SOURCE.test(file)) checkLength(file, text, problem);
  }
  checkLock(root, problem);
  checkCodes(root, problem);
  note(`${files.length} files`);
}

function checkName(file, problem) {
  for (const part of file.split("/")) {
    const stem = part.split(".")[0];
    if (OWNERLESS.has(stem)) problem(file, `"${stem}" says nothing: name the thing, or give it to its owner`);
  }
}

function checkText(file, text, rules, problem) {
  for (const [index, line] of text.split("\n").entries()) {
    for (const [pattern, advice] of rules) {
      const match = line.match(pattern);
      if (match !== null) problem(`${file}:${index + 1}`, `"${match[0].trim()}": ${advice}`);
    }
  }
}

function checkSource(file, text, problem) {
  if (!/^(?:#!.*\n)?\/\*\*[^/]*@module /.test(text)) problem(file, 'begins with "/** @module sentence */"');
}

/** A package's list of public names has no concept of its own. */
function checkLength(file, text, problem) {
  if (/^packages\/[a-z]+\/src\/index\.ts$/.test(file)) return;
  const lines = text.trimEnd().split("\n").length;
  if (lines > LINES_MAX) problem(file, `has ${lines} lines, at most ${LINES_MAX}: one concept a file`);
}

/** The lock file records what was installed, not from where. */
function checkLock(root, problem) {
  for (const file of filesBelow(root, "", (name) => name.endsWith("package-lock.json"))) {
    const match = read(root, file).match(/"resolved": "https?:[^"]*/);
    if (match !== null)
      problem(file, "records the address of a registry: set omit-lockfile-registry-resolved=true");
  }
}

/** Every issue code has a test whose name contains it. */
function checkCodes(root, problem) {
  const isTest = (name) => /^packages\/[^/]+\/test\/.*\.test\.ts$|^tests\/.*\.test\.ts$/.test(name);
  const named = new Set();
  for (const file of filesBelow(root, "", isTest)) {
    if (file.startsWith("tests/tools/")) continue;
    for (const name of testNames(read(root, file)))
      for (const [code] of name.matchAll(/\b[A-Z]+\d{3}\b/g)) named.add(code);
  }
  for (const name of packageNames(root)) {
    for (const [code] of readCodes(root, name, () => {})) {
      if (!named.has(code))
        problem(path.posix.join("packages", name), `${code} has no test whose name contains it`);
    }
  }
}

/**
 * First arguments of it, test, describe and of their tables (`it.each(...)("...")`). Where one of them is filled in from
 * data (`%s`, `$code`, `${code}`), the literals of the file that begin with a code count as well.
 */
function testNames(source) {
  const all = literals(source);
  const isName = (before) => /\b(?:it|test|describe)(?:\.\w+)*\s*\($/.test(before) || /\)\s*\($/.test(before);
  const names = all.filter(({ start }) => isName(source.slice(Math.max(0, start - 200), start).trimEnd()));
  const isFilledIn = names.some(({ text }) => /%s|\$\{|\$\w/.test(text));
  const data = isFilledIn ? all.filter(({ text }) => /^[A-Z]+\d{3}\b/.test(text)) : [];
  return [...names, ...data].map(({ text }) => text);
}

runTool({ name: "tidy", importMetaUrl: import.meta.url, check });
