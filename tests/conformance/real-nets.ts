/** @module Nets with published verdicts, which lie beside the repository and are never part of it. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Net } from "@tessera/core";
import { importNet } from "@tessera/interchange";

export const NETS: string = path.resolve(
  path.dirname(fileURLToPath(import.meta.url)),
  "../../../shared/data/nets",
);

/** `TESSERA_DEEP=1` takes every net; otherwise a fifth, so that the suite stays fast. */
export const STRIDE: number = process.env["TESSERA_DEEP"] === "1" ? 1 : 5;

/** Is the data there? If not, the reason why the tests that need it are skipped is printed. */
export function hasNets(folder: string): boolean {
  if (existsSync(path.join(NETS, folder))) return true;
  process.stderr.write(`skipped: nets of ${folder} are not beside the repository\n`);
  return false;
}

/** The bytes of a file. */
export function readSource(folder: string, file: string): Uint8Array {
  return readFileSync(path.join(NETS, folder, file));
}

/** The net of a file. Issues are an error of the test. */
export function readNet(folder: string, file: string): Net {
  const result = importNet(readSource(folder, file), { fileName: file });
  if (!result.ok) throw new Error(`${file}: ${JSON.stringify(result.issues[0])}`);
  return result.value.net;
}

/** The rows of VERDICTS.csv by column name. */
export function readVerdicts(folder: string): readonly Readonly<Record<string, string>>[] {
  const [head = "", ...lines] = readFileSync(path.join(NETS, folder, "VERDICTS.csv"), "utf8")
    .trim()
    .split("\n");
  const names = head.trim().split(",");
  return lines.map((line) => {
    const cells = line.trim().split(",");
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]));
  });
}
