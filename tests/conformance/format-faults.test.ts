/** @module Kinds of fault of other engines in what they write and read of other formats: lanes, event logs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Io, main } from "@tessera/cli";
import { exportBpmn, importBpmn, importNet } from "@tessera/interchange";
import { describe, expect, it, onTestFinished } from "vitest";
import { ends, flows, user } from "./bpmn-run.ts";

/** `tessera ...argv`: the exit code, and what it printed on both streams. */
async function tessera(
  ...argv: readonly string[]
): Promise<{ readonly code: number; readonly text: string }> {
  const lines: string[] = [];
  const keep = (line: string) => void lines.push(line);
  const io: Io = { out: keep, err: keep, progress: () => undefined, isTerminal: false };
  return { code: await main(argv, io), text: lines.join("\n") };
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "tessera-formats-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("lanes", () => {
  const lane = (id: string, content: string) => `<lane id="${id}" name="${id}">${content}</lane>`;
  const inner = (content: string) => `<childLaneSet>${content}</childLaneSet>`;
  const refs = (...ids: readonly string[]) => ids.map((id) => `<flowNodeRef>${id}</flowNodeRef>`).join("");
  const text = `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" targetNamespace="t"><process id="p" isExecutable="true"><laneSet id="ls">${lane(
    "company",
    `${refs("s", "a", "b", "c", "e")}${inner(`${lane("sales", `${refs("a", "b")}${inner(lane("field", refs("b")))}`)}${lane("stock", refs("c"))}`)}`,
  )}</laneSet>${ends}${user("a")}${user("b")}${user("c")}${flows("s > a", "a > b", "b > c", "c > e")}</process></definitions>`;
  const groupsOf = async (source: string) => {
    const imported = await importBpmn(source);
    if (!imported.ok) throw new Error(JSON.stringify(imported.issues));
    return imported.value.processes[0]?.definition.nodes.flatMap(({ id, meta }) =>
      meta?.["candidateGroups"] === undefined ? [] : [[id, meta["candidateGroups"]]],
    );
  };
  const expected: readonly (readonly [string, readonly [string]])[] = [
    ["a", ["sales"]],
    ["b", ["field"]],
    ["c", ["stock"]],
  ];

  it("BR-110 three levels of lanes are read, and who may do what is the same after writing and reading again", async () => {
    expect(await groupsOf(text)).toEqual(expected);
    const dir = folder();
    writeFileSync(join(dir, "in.bpmn"), text);
    expect((await tessera("convert", join(dir, "in.bpmn"), join(dir, "out.bpmn"))).code).toBe(0);
    expect(await groupsOf(readFileSync(join(dir, "out.bpmn"), "utf8"))).toEqual(expected);
  });

  it("BR-108 no lane is written, so that its children have no order to get wrong: a group is a potential owner", async () => {
    const imported = await importBpmn(text);
    const definition = imported.ok ? imported.value.processes[0]?.definition : undefined;
    if (definition === undefined) throw new Error("not imported");
    const written = await exportBpmn(definition);
    if (!written.ok) throw new Error("not written");
    expect(written.value.text).not.toMatch(/<(?:\w+:)?(?:lane|childLane)/iu);
    for (const [, [group]] of expected)
      expect(written.value.text).toMatch(new RegExp(`<(?:\\w+:)?potentialOwner[^]*?>${group}<`, "u"));
  });
});

describe("event logs", () => {
  const log = `<?xml version="1.0" encoding="UTF-8"?><log><trace><date key="start" value="2020-01-01T00:00:00.000Z"/><event><date key="time:timestamp" value="2020-01-02T03:04:05.678Z"/><string key="concept:name" value="a"/></event></trace></log>`;

  it("BR-115 an event log is no model: it is refused with one issue, and nothing of it is half read", async () => {
    const dir = folder();
    for (const name of ["log.xes", "log.pnml", "log.bpmn", "log.xml"]) {
      writeFileSync(join(dir, name), log);
      const { code, text } = await tessera("check", join(dir, name));
      expect([name, code, text.split("\n").length]).toEqual([name, 3, 1]);
    }
    const imported = importNet(log);
    expect(imported.ok ? [] : imported.issues).toHaveLength(1);
  });

  it("BR-114 no event log is written: asked for one, the command says which formats there are", async () => {
    const dir = folder();
    writeFileSync(join(dir, "in.pnml"), "<pnml/>");
    const { code, text } = await tessera("convert", join(dir, "in.pnml"), join(dir, "out.xes"));
    expect(code).toBe(3);
    expect(text).toContain("out.xes: the ending tells no format");
    expect(await tessera("convert", join(dir, "in.pnml"), "-", "--to", "xes")).toMatchObject({ code: 3 });
  });
});
