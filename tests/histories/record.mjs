// Records a history: node tests/histories/record.mjs NAME [SCRIPT]. Runs the scripted runs of SCRIPT (default runs, that
// is `runs.mjs`; or staged-runs) on compiled packages and writes tests/histories/NAME.json. A recorded file is never written again: a new rule gets a new number and a new file.
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SEMANTICS_VERSION } from "@tessera/core";

const name = process.argv[2] ?? `semantics-${SEMANTICS_VERSION}`;
const { recordRuns } = await import(`./${process.argv[3] ?? "runs"}.mjs`);
const file = fileURLToPath(new URL(`./${name}.json`, import.meta.url));
if (existsSync(file)) throw new Error(`${file} is there: recorded histories are never written again`);
const { definitions, runs } = await recordRuns();
const head = JSON.stringify({ semantics: SEMANTICS_VERSION, definitions }, null, 1);
const lines = runs.map((run) => JSON.stringify(run)).join(",\n");
writeFileSync(file, `${head.slice(0, -2)},\n "runs": [\n${lines}\n ]\n}\n`);
