import fs from "node:fs";
import path from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Installation, installPacked, linkPeers, runProgram, tsc } from "./install.ts";

const PACKAGES = ["core", "gateways", "proofs", "persist", "engine", "interchange", "cli"].map(
  (name) => `@tessera/${name}`,
);
const ALL = [...PACKAGES, "tessera"];
/** Entries that are for a peer, which must be installed with them. */
// The command line brings SQLite itself, as a dependency that an installation hoists; here only declared ones are linked.
const NEEDS_PEER =
  /^(?:@tessera\/(?:proofs|engine)|tessera)\/(?:fast-check|vitest)$|\/(?:sqlite|postgres|telemetry)$|^@tessera\/cli$/;

let installation: Installation;
let entries: readonly string[];

beforeAll(() => {
  installation = installPacked();
  entries = installation.manifests.flatMap(({ name, exports }) =>
    Object.entries(exports)
      .filter(([, conditions]) => typeof conditions === "object")
      .map(([subpath]) => name + subpath.slice(1)),
  );
}, 180_000);
afterAll(() => installation?.remove());

/** Entry to the names it exports, as another process that has only the packed files sees them. */
function exportedNames(
  how: "import" | "require",
  specifiers: readonly string[],
): Record<string, readonly string[]> {
  const file = path.join(installation.folder, how === "import" ? "consumer.mjs" : "consumer.cjs");
  const load = how === "import" ? "await import(entry)" : "require(entry)";
  const program = `const names = {};
for (const entry of ${JSON.stringify(specifiers)}) names[entry] = Object.keys(${load});
console.log(JSON.stringify(names));`;
  fs.writeFileSync(file, program);
  return JSON.parse(runProgram(process.execPath, [file], installation.folder));
}

describe("the packed packages", () => {
  it("hold what they declare and nothing else", () => {
    expect(installation.manifests.map(({ name }) => name).sort()).toEqual([...ALL].sort());
    for (const { name, exports } of installation.manifests) {
      const folder = installation.packageFolder(name);
      for (const conditions of Object.values(exports)) {
        const files = typeof conditions === "string" ? [conditions] : Object.values(conditions);
        for (const file of files)
          expect(fs.existsSync(path.join(folder, file)), `${name}: ${file}`).toBe(true);
      }
      const packed = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
      expect(
        packed.filter(
          (file) => /tsbuildinfo|\.test\.|(?:^|\/)test\//.test(file) && !/node_modules/.test(file),
        ),
      ).toEqual([]);
    }
  });

  it("work without the optional peers, except for the entries that are for them", () => {
    const specifiers = entries.filter((entry) => !NEEDS_PEER.test(entry));
    const names = exportedNames("import", specifiers);
    for (const entry of specifiers) {
      expect(names[entry]?.length, `${entry} exports something`).toBeGreaterThan(0);
    }
  });

  it("can be imported and required, with the same names", () => {
    linkPeers(installation);
    const imported = exportedNames("import", entries);
    expect(Object.keys(imported)).toEqual(entries);
    const required = exportedNames("require", entries);
    for (const entry of entries) {
      const names = required[entry]?.filter((name) => name !== "__esModule" && name !== "module.exports");
      expect(names?.sort(), entry).toEqual([...(imported[entry] ?? [])].sort());
    }
  });

  it("have types for ECMAScript and for CommonJS consumers", () => {
    const uses = entries.map((entry, index) => [entry, `m${index}`] as const);
    const used = `export const all: readonly object[] = [${uses.map(([, name]) => name).join(", ")}];\n`;
    const esm = uses.map(([entry, name]) => `import * as ${name} from "${entry}";\n`).join("");
    const cjs = uses.map(([entry, name]) => `import ${name} = require("${entry}");\n`).join("");
    fs.writeFileSync(path.join(installation.folder, "consumer.mts"), esm + used);
    fs.writeFileSync(path.join(installation.folder, "consumer.cts"), cjs + used);
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--skipLibCheck"];
    const files = ["consumer.mts", "consumer.cts"];
    expect(tsc([...options, "--types", "node", ...files], installation.folder)).toBe("");
  });

  it.each(ALL)("%s is as publint wants it", async (name) => {
    const { messages, pkg } = await publint({
      pkgDir: installation.packageFolder(name),
      strict: true,
      pack: false,
    });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it("bring a command that explains itself", () => {
    const command = path.join(installation.packageFolder("@tessera/cli"), "bin/tessera.js");
    expect(runProgram(process.execPath, [command, "--help"], installation.folder)).toContain("tessera");
  });
});
