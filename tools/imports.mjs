/**
 * @module Who may import whom: `npm run imports`.
 *
 * 1. The table below, which is the architecture. 2. No deep imports: a package is used through its exports, a relative
 * import stays inside its package. 3. No cycles between files at load time; types may refer to each other. 4. An optional peer is reached only from
 * the entries that are for it. 5. Firing belongs to core and proofs; elsewhere only the engine's step fires, so a name
 * that is `fire...` where it was declared may be imported nowhere else, under whatever name it was exported again.
 * 6. The step reads no clock, store or Node module, directly or through another file.
 */
import fs from "node:fs";
import path from "node:path";
import { importStatements, localExports } from "./import-statements.mjs";
import { filesBelow, packageNames, read, readJson, runTool } from "./tool.mjs";

const CORE = "packages/core/";
const STEP = "packages/engine/src/step.ts";

/** `workspace`: packages; `external`: registry packages; `types`: for types only; `node`: Node's modules allowed. */
const TABLE = {
  core: {
    workspace: [],
    external: ["immer", "@noble/hashes", "re2js"],
    types: ["@standard-schema/spec"],
    node: false,
  },
  gateways: { workspace: ["core"], external: [], types: [], node: false },
  proofs: {
    workspace: ["core", "gateways"],
    external: ["fast-check", "vitest", "z3-solver"],
    types: [],
    node: true,
  },
  persist: { workspace: ["core"], external: ["better-sqlite3", "pg"], types: [], node: true },
  engine: {
    workspace: ["core", "gateways", "persist", "proofs"],
    external: ["@opentelemetry/api", "fast-check", "luxon", "xstate"],
    types: ["@standard-schema/spec"],
    node: true,
  },
  interchange: {
    workspace: ["core", "gateways"],
    external: ["bpmn-auto-layout", "bpmn-moddle", "elkjs", "feelin", "re2js", "saxes"],
    types: [],
    node: true,
  },
  cli: {
    workspace: ["core", "gateways", "proofs", "persist", "engine", "interchange"],
    external: ["better-sqlite3", "commander", "picocolors"],
    types: [],
    node: true,
  },
  tessera: {
    workspace: ["core", "gateways", "proofs", "persist", "engine", "interchange"],
    external: [],
    types: [],
    node: false,
  },
};

/** Entries (specifiers) that may reach an optional peer; every other entry must work without it. */
const PEER_ENTRIES = {
  "fast-check": [
    "@tessera/proofs/fast-check",
    "@tessera/proofs/vitest",
    "@tessera/engine/fast-check",
    "tessera/fast-check",
    "tessera/vitest",
  ],
  vitest: ["@tessera/proofs/vitest", "tessera/vitest"],
  "@opentelemetry/api": ["@tessera/engine/telemetry", "tessera/telemetry"],
  "better-sqlite3": ["@tessera/persist/sqlite", "tessera/sqlite"],
  pg: ["@tessera/persist/postgres", "tessera/postgres"],
  "z3-solver": ["@tessera/proofs/smt", "tessera/smt"],
};

/** What the step may not reach. */
const STEP_BANS = (target) =>
  target.kind === "node" ||
  target.name === "luxon" ||
  target.name === "@tessera/persist" ||
  target.name === "immer";

/** `fire` and what is named after it, and `play`, its fast form. */
const isFiring = (name) => /^(?:fire(?![a-z])|play$)/.test(name);
const mayFire = (file) => /^packages\/(?:core|proofs)\//.test(file) || file === STEP;
const packageOf = (file) => file.split("/")[1];

export function check(context) {
  const { root, problem, note } = context;
  const modules = new Map();
  for (const file of filesBelow(root, "packages", (name) =>
    /^packages\/[^/]+\/(?:src|bin)\/.*\.[jt]s$/.test(name),
  )) {
    const source = read(root, file);
    modules.set(file, { statements: importStatements(source), exports: localExports(source) });
  }
  if (modules.size === 0) problem("packages", "no module found; the check would be empty");
  const entries = workspaceEntries(root);
  for (const [file, module] of modules) {
    for (const statement of module.statements) {
      statement.target = resolve(root, entries, file, statement.specifier);
      checkStatement(problem, file, statement);
    }
  }
  for (const cycle of cycles(modules)) problem(cycle[0], `import cycle: ${cycle.join(" -> ")}`);
  checkFiring(problem, modules);
  checkPeers(problem, modules, entries);
  checkStep(problem, modules);
  note(`${modules.size} modules`);
}

/** Specifier ("@tessera/core", "tessera/proofs") -> the file behind its `source` condition. */
function workspaceEntries(root) {
  const entries = new Map();
  for (const name of packageNames(root)) {
    const manifest = readJson(root, `packages/${name}/package.json`);
    for (const [subpath, conditions] of Object.entries(manifest.exports ?? {})) {
      if (typeof conditions !== "object") continue;
      entries.set(manifest.name + subpath.slice(1), path.posix.join("packages", name, conditions.source));
    }
  }
  return entries;
}

/** `{ kind: "file" | "workspace" | "node" | "external" | "missing", name?, file? }` */
function resolve(root, entries, from, specifier) {
  if (specifier.startsWith(".")) {
    const file = path.posix.join(path.posix.dirname(from), specifier);
    const isBuilt = file.startsWith(`packages/${packageOf(from)}/dist/`);
    return fs.existsSync(path.join(root, file)) || isBuilt ? { kind: "file", file } : { kind: "missing" };
  }
  if (specifier.startsWith("node:")) return { kind: "node", name: specifier };
  const name = specifier.match(/^(?:@[^/]+\/)?[^/]+/)?.[0] ?? specifier;
  if (!name.startsWith("@tessera/") && name !== "tessera") return { kind: "external", name };
  return entries.has(specifier)
    ? { kind: "workspace", name, file: entries.get(specifier) }
    : { kind: "missing" };
}

function checkStatement(problem, file, { specifier, target, line, isType, kind, isNamespace }) {
  const here = `${file}:${line}`;
  const owner = packageOf(file);
  const row = TABLE[owner];
  if (row === undefined) return problem(here, `package "${owner}" is not in the table of tools/imports.mjs`);
  if (kind === "export" && isNamespace) problem(here, `"export *" hides what is public; list the names`);
  switch (target.kind) {
    case "missing":
      return problem(here, `"${specifier}" is no file and no entry of a package's exports`);
    case "file":
      if (packageOf(target.file) === owner && target.file.startsWith("packages/")) return;
      return problem(here, `"${specifier}" leaves the package; import the package by its name`);
    case "node":
      return row.node ? undefined : problem(here, `${owner} may not use Node: "${specifier}"`);
    case "external":
      if (row.external.includes(target.name) || (isType && row.types.includes(target.name))) return;
      return problem(here, `${owner} may not import "${target.name}" (the table is in tools/imports.mjs)`);
    case "workspace":
      if (row.workspace.includes(target.name.replace("@tessera/", ""))) return;
      return problem(
        here,
        `${owner} may not import ${target.name}; allowed: ${row.workspace.join(", ") || "nothing"}`,
      );
  }
}

/** The cycles that a depth-first search over the run-time imports closes. */
function cycles(modules) {
  const found = [];
  const state = new Map();
  const stack = [];
  const visit = (file) => {
    state.set(file, "open");
    stack.push(file);
    for (const { target, isType } of modules.get(file)?.statements ?? []) {
      if (isType || target.file === undefined || !modules.has(target.file)) continue;
      if (state.get(target.file) === "open")
        found.push([...stack.slice(stack.indexOf(target.file)), target.file]);
      else if (!state.has(target.file)) visit(target.file);
    }
    stack.pop();
    state.set(file, "closed");
  };
  for (const file of modules.keys()) if (!state.has(file)) visit(file);
  return found;
}

/** Where an exported name was declared, through imports and re-exports: `{ file, name }`. */
function origin(modules, file, name, seen = new Set()) {
  const key = `${file} ${name}`;
  const module = modules.get(file);
  if (module === undefined || seen.has(key)) return { file, name };
  seen.add(key);
  for (const statement of module.statements) {
    const reexport = statement.kind === "export" && statement.names.find(({ to }) => to === name);
    if (reexport && statement.target.file) return origin(modules, statement.target.file, reexport.from, seen);
  }
  const inner = module.exports.find(({ to }) => to === name)?.from ?? name;
  for (const statement of module.statements) {
    const imported = statement.kind === "import" && statement.names.find(({ to }) => to === inner);
    if (imported && statement.target.file) return origin(modules, statement.target.file, imported.from, seen);
  }
  return { file, name: inner };
}

function checkFiring(problem, modules) {
  for (const [file, { statements }] of modules) {
    if (mayFire(file)) continue;
    for (const { target, names, isNamespace, line, isType } of statements) {
      if (target.file === undefined || isType) continue;
      const isFromCore = target.file.startsWith(CORE);
      if (isNamespace && isFromCore)
        problem(`${file}:${line}`, "import core's names one by one: all of it includes fire");
      for (const { from, isType: isTypeName } of names) {
        const declared = origin(modules, target.file, from);
        if (isTypeName || !isFiring(declared.name) || !mayFire(declared.file)) continue;
        const by = from === declared.name ? `"${from}"` : `"${from}", which is "${declared.name}",`;
        problem(`${file}:${line}`, `${by} of ${declared.file}: only ${STEP} fires`);
      }
    }
  }
}

/** All that an entry pulls in at run time: its own files and those of workspace packages. */
function* reached(modules, entry) {
  const seen = new Set([entry]);
  for (const file of seen) {
    for (const statement of modules.get(file)?.statements ?? []) {
      if (statement.isType) continue;
      yield { file, ...statement };
      if (statement.target.file !== undefined) seen.add(statement.target.file);
    }
  }
}

function checkPeers(problem, modules, entries) {
  for (const [specifier, entry] of entries) {
    if (packageOf(entry) === "cli") continue;
    for (const { file, line, target } of reached(modules, entry)) {
      const allowed = target.kind === "external" ? PEER_ENTRIES[target.name] : undefined;
      if (allowed === undefined || allowed.includes(specifier)) continue;
      problem(
        `${file}:${line}`,
        `${specifier} reaches the optional peer ${target.name}; only ${allowed.join(", ")} may`,
      );
    }
  }
}

function checkStep(problem, modules) {
  if (!modules.has(STEP)) return;
  for (const { file, line, target, specifier } of reached(modules, STEP)) {
    if (!file.startsWith("packages/engine/") || !STEP_BANS(target)) continue;
    problem(`${file}:${line}`, `the step is pure: it may not reach "${specifier}"`);
  }
}

runTool({ name: "imports", importMetaUrl: import.meta.url, check });
