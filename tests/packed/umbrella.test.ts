/** @module The package `tessera` has every public name of the packages that it stands for, but those that are left out on purpose. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** What fires or compiles by hand is for those who take `@tessera/core` itself; codes are in docs/errors.md. */
const LEFT_OUT = new Set([
  "CODES",
  "CompiledNet",
  "TokenGame",
  "canPlay",
  "compileNet",
  "fire",
  "fireSequence",
  "firstPlayable",
  "hasRoom",
  "play",
  "playable",
  "startGame",
  "step",
]);

const PARTS: Readonly<Record<string, readonly string[]>> = {
  "index.ts": ["core/src/index.ts", "gateways/src/index.ts", "engine/src/index.ts"],
  "proofs.ts": ["proofs/src/index.ts"],
  "interchange.ts": ["interchange/src/index.ts"],
  "persist.ts": ["persist/src/index.ts"],
  "sqlite.ts": ["persist/src/sqlite.ts"],
  "postgres.ts": ["persist/src/postgres.ts"],
  "simulate.ts": ["engine/src/simulate.ts"],
  "telemetry.ts": ["engine/src/telemetry.ts"],
  "testing.ts": ["engine/src/testing.ts"],
  "smt.ts": ["proofs/src/smt.ts"],
  "vitest.ts": ["proofs/src/vitest.ts"],
  "fast-check.ts": ["proofs/src/fast-check.ts", "engine/src/fast-check.ts"],
};

/** The names that a source exports, by list or by declaration. */
function namesOf(file: string): ReadonlySet<string> {
  const source = readFileSync(new URL(`../../packages/${file}`, import.meta.url), "utf8");
  const text = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "");
  const listed = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    list.split(",").map(
      (entry) =>
        entry
          .trim()
          .replace(/^type /, "")
          .split(" as ")
          .at(-1) ?? "",
    ),
  );
  const declaration = /export (?:declare )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/g;
  const declared = [...text.matchAll(declaration)].map(([, name = ""]) => name);
  return new Set([...listed, ...declared].filter((name) => name !== ""));
}

it.each(Object.keys(PARTS))("tessera/src/%s", (entry) => {
  const wanted = (PARTS[entry] ?? []).flatMap((file) => [...namesOf(file)]);
  expect(wanted.length).toBeGreaterThan(0);
  const there = namesOf(`tessera/src/${entry}`);
  expect(wanted.filter((name) => !LEFT_OUT.has(name) && !there.has(name))).toEqual([]);
});
