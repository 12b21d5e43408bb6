/** @module Runs the command line in this process and keeps what it prints. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Io, main } from "../src/index.ts";

/** What a command printed, and its exit code. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** `tessera ...argv` in a pipe. */
export async function tessera(...argv: readonly string[]): Promise<Outcome> {
  const out: string[] = [];
  const err: string[] = [];
  const io: Io = {
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
    progress: () => undefined,
    isTerminal: false,
  };
  const code = await main(argv, io);
  return { code, out: out.join("\n"), err: err.join("\n") };
}

/** A folder that is gone after the test, with files in it. */
export function folder(files: Readonly<Record<string, string>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), "tessera cli "));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

/** Each printed line as JSON. */
export function jsonLines(out: string): readonly Record<string, unknown>[] {
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const order = (joins: string) => ({
  format: 1,
  kind: "workflow",
  id: "order",
  entry: "begin",
  nodes: [
    { id: "begin", kind: "start" },
    { id: "split", kind: "gateway", split: "all" },
    { id: "pick", kind: "human", label: "Pick", meta: { candidateGroups: ["store"] } },
    { id: "bill", kind: "tool" },
    { id: "meet", kind: "gateway", join: joins },
    { id: "done", kind: "end" },
    { id: "failed", kind: "end", meta: { outcome: "failed", terminate: true } },
  ],
  arcs: [
    { from: "begin", to: "split" },
    { from: "split", to: "pick" },
    { from: "split", to: "bill" },
    { from: "pick", to: "meet" },
    { from: "bill", to: "meet" },
    { from: "bill", to: "failed", outcome: "error" },
    { from: "meet", to: "done" },
  ],
});

/** A sound workflow with a person and a job in parallel. */
export const SOUND: string = JSON.stringify(order("all"));
/** The same with a merge for the join: two tokens reach the end. */
export const UNSOUND: string = JSON.stringify(order("any"));
