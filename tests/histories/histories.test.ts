/** @module Recorded histories of every version of the rules fold to the states that they led to, then and now. */
import { readdirSync, readFileSync } from "node:fs";
import {
  applyMutation,
  applyTurn,
  type Compiled,
  compile,
  type Definition,
  EMPTY_GRAPH,
  graphJson,
  type Hash,
  initialState,
  invariant,
  isFinal,
  markedPlaces,
  makeProgram,
  type RunState,
  SEMANTICS,
  type TurnRecord,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { decodeRecord, encodeRecord, NO_BLOBS } from "@tessera/persist";
import { describe, expect, it } from "vitest";

interface RecordedRun {
  readonly run: string;
  readonly definition: Hash;
  readonly records: readonly TurnRecord[];
  readonly payloads: readonly string[];
  readonly end: Pick<RunState, "status" | "modes" | "data" | "items" | "sequence" | "stepCount" | "terminal"> & {
    readonly marking: Readonly<Record<string, number>>;
    /** What was open of blocks that hold back, and the graph of the run; absent: nothing, and no object. */
    readonly overlays?: RunState["overlays"];
    readonly graph?: Readonly<Record<string, unknown>>;
  };
}

interface Recording {
  readonly semantics: number;
  readonly definitions: Readonly<Record<string, Definition>>;
  readonly runs: readonly RecordedRun[];
}

const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".json"));

function compiledOf(definition: Definition): Compiled {
  const compiled = compile(definition, STANDARD_KINDS);
  invariant(compiled.ok, "D2.3", () => ({ id: definition.id }));
  return compiled.value;
}

it("there is a recorded history of every version of the rules", () => {
  const recorded = files.map((file) => (JSON.parse(readFileSync(`${import.meta.dirname}/${file}`, "utf8")) as Recording).semantics);
  expect(new Set(recorded)).toEqual(new Set(SEMANTICS.map(({ version }) => version)));
});

it("what is recorded of blocks that hold back has a merge, a refused one, one under way, and a nested one", () => {
  const { runs } = JSON.parse(readFileSync(`${import.meta.dirname}/semantics-1-staged.json`, "utf8")) as Recording;
  const steps = runs.flatMap(({ records }) => records.flatMap((record) => record.steps));
  const troubles = steps.flatMap(({ node, trouble }) => (trouble === undefined ? [] : [`${node} ${trouble.code}`]));
  expect(troubles).toEqual(["join MERGE_CONFLICT"]);
  expect(steps.some(({ node, mutation }) => node === "join" && mutation !== undefined)).toBe(true);
  expect(steps.some(({ node, staged }) => node === "innerJoin" && staged !== undefined)).toBe(true);
  expect(steps.some(({ node, mutation }) => node === "loop" && mutation !== undefined)).toBe(true);
  expect(runs.find(({ run }) => run === "blocks-2")?.end.overlays).toHaveLength(3);
});

describe.each(files)("[D3.1] [C20-12] [C20-73] %s", (file) => {
  const recording = JSON.parse(readFileSync(`${import.meta.dirname}/${file}`, "utf8")) as Recording;

  it.each(recording.runs.map((run) => [run.run, run] as const))("%s folds to the state that it led to", (_, { definition, records, end }) => {
    const program = makeProgram(definition, compiledOf(recording.definitions[definition] as Definition));
    let state = initialState(program);
    for (const record of records) {
      const applied = applyTurn(program, state, record);
      invariant(applied.kind === "applied", "D3.1", () => ({ ...applied }));
      state = applied.state;
    }
    const { status, modes, data, items, sequence, stepCount, terminal, overlays } = state;
    const marking = markedPlaces(program.net, state.marking);
    const { graph: endGraph, ...ended } = end;
    expect({ status, modes, data, items, sequence, stepCount, terminal, marking, overlays }).toEqual(ended);
    let graph = EMPTY_GRAPH;
    for (const { mutation } of records.flatMap(({ steps }) => steps))
      if (mutation !== undefined) graph = applyMutation(graph, mutation);
    expect(graphJson(graph)).toEqual(endGraph ?? graphJson(EMPTY_GRAPH));
    expect(isFinal(program.net, state.marking)).toBe(status === "completed");
  });

  it("its bytes read as its records, and are written the same", () => {
    for (const { records, payloads } of recording.runs) {
      for (const [index, record] of records.entries()) {
        const bytes = new Uint8Array(Buffer.from(payloads[index] ?? "", "base64"));
        expect(decodeRecord(bytes, NO_BLOBS)).toEqual({ ok: true, value: record });
        expect(Buffer.from(encodeRecord(record).bytes).equals(Buffer.from(bytes))).toBe(true);
      }
    }
  });
});
