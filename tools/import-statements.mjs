/** @module The import and export statements of a TypeScript module, read from its text. */
import { lineOf, pieces } from "./source-text.mjs";

const NAMES = String.raw`\{[^}]*\}`;
const STATIC = new RegExp(
  String.raw`(?<![\w$.])(import|export)\s+(type\s+)?((?:[\w$]+\s*,\s*)?(?:${NAMES}|\*(?:\s*as\s+[\w$]+)?)|[\w$]+)\s*from\s*["']([^"']+)["']`,
  "gd",
);
const BARE = /(?<![\w$.])import\s*["']([^"']+)["']/dg;
const DYNAMIC = /(?<![\w$.])(?:import|require)\s*\(\s*["']([^"']+)["']/dg;
const LOCAL_EXPORT = new RegExp(String.raw`(?<![\w$.])export\s+(type\s+)?(${NAMES})(?!\s*from)`, "g");

/**
 * All statements of a source, in the order of the text:
 * `{ kind: "import" | "export", specifier, line, isType, names, isNamespace }`, where `names` has `{ from, to }` for each
 * named binding and a namespace (`* as x`, `export *`, a dynamic or bare import) has `isNamespace` and no names.
 */
export function importStatements(source) {
  const text = masked(source);
  const statement = (match, kind, group, isType, clause) => ({
    kind,
    specifier: source.slice(...match.indices[group]),
    line: lineOf(source, match.index),
    isType: isType || (clause.names.length > 0 && clause.names.every((name) => name.isType)),
    names: clause.names,
    isNamespace: clause.isNamespace,
    isBare: clause.isBare ?? false,
  });
  const found = [];
  for (const match of text.matchAll(STATIC)) {
    found.push(statement(match, match[1], 4, match[2] !== undefined, readClause(match[3])));
  }
  for (const match of text.matchAll(BARE)) {
    found.push(statement(match, "import", 1, false, { names: [], isNamespace: false, isBare: true }));
  }
  for (const match of text.matchAll(DYNAMIC)) {
    found.push(statement(match, "import", 1, false, { names: [], isNamespace: true }));
  }
  return found;
}

/** Names that a module exports of its own imports: `import { a } from "x"; export { a as b };` */
export function localExports(source) {
  const text = masked(source);
  return [...text.matchAll(LOCAL_EXPORT)].flatMap((match) => readNames(match[2]));
}

/** Same length, but nothing inside a comment or literal looks like a statement: strings keep only their quotes. */
function masked(source) {
  const fill = (text, by) => text.replace(/[^\n]/g, by);
  return pieces(source)
    .map(({ kind, text }) => {
      if (kind === "code") return text;
      return kind === "string" ? `${text[0]}${fill(text.slice(1, -1), "_")}${text.at(-1)}` : fill(text, " ");
    })
    .join("");
}

function readClause(clause) {
  const braces = clause.indexOf("{");
  if (clause.includes("*")) return { names: [], isNamespace: true };
  const before = (braces === -1 ? clause : clause.slice(0, braces)).replace(",", "").trim();
  const defaults = before === "" ? [] : [{ from: "default", to: before, isType: false }];
  return {
    names: [...defaults, ...(braces === -1 ? [] : readNames(clause.slice(braces)))],
    isNamespace: false,
  };
}

function readNames(braced) {
  return braced
    .replace(/[{}]/g, "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .map((name) => {
      const isType = /^type\s+/.test(name);
      const [from, to = from] = name.replace(/^type\s+/, "").split(/\s+as\s+/);
      return { from, to, isType };
    });
}
