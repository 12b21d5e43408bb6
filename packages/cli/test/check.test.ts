/** @module `tessera check`: verdicts, witnesses, exit codes, bad input. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folder, jsonLines, SOUND, tessera, UNSOUND } from "./capture.ts";

const NET = `<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="i"><initialMarking><text>1</text></initialMarking></place><place id="o"/>
<transition id="t"/><arc id="a" source="i" target="t"/><arc id="b" source="t" target="o"/></page></net></pnml>`;

describe("tessera check", () => {
  it("proves a definition: exit 0, every obligation in words", async () => {
    const dir = folder({ "order.json": SOUND });
    const { code, out } = await tessera("check", join(dir, "order.json"));
    expect(code).toBe(0);
    expect(out).toContain("sound");
    for (const words of [
      "option to complete",
      "proper completion",
      "no dead transition",
      "1-safe",
      "outcomes and guards total",
    ]) {
      expect(out).toContain(words);
    }
  });

  it("refutes an AND split that only merges: exit 1, with a run that shows it", async () => {
    const dir = folder({ "order.json": UNSOUND });
    const { code, out } = await tessera("check", join(dir, "order.json"), "--json");
    expect(code).toBe(1);
    const [report] = jsonLines(out);
    expect(report).toMatchObject({ sound: false });
    const failed = (
      (report ?? { obligations: [] })["obligations"] as { id: string; verdict: string; witness?: unknown }[]
    ).filter(({ verdict }) => verdict === "fails");
    expect(failed.map(({ id }) => id)).toContain("O2");
    for (const { witness } of failed) expect(witness).toBeDefined();
  });

  it("[D23.5] asks the guards on values: a branch that the data never take fails with --level data only", async () => {
    const guard = (op: string, value: number) => ({ key: "amount", op, value });
    const definition = {
      format: 1,
      kind: "workflow",
      id: "w",
      entry: "begin",
      data: { amount: { type: "number" } },
      nodes: [
        { id: "begin", kind: "start" },
        { id: "route", kind: "gateway" },
        { id: "ask", kind: "human" },
        { id: "end", kind: "end" },
      ],
      arcs: [
        { from: "begin", to: "route" },
        { from: "route", to: "end", guard: guard("lessThan", 10) },
        { from: "route", to: "ask", guard: guard("lessThan", 5) },
        { from: "ask", to: "end" },
      ],
    };
    const dir = folder({ "w.json": JSON.stringify(definition) });
    const { code, out } = await tessera("check", join(dir, "w.json"), "--level", "data", "--json");
    expect(code).toBe(1);
    const [report] = jsonLines(out);
    expect(report).toMatchObject({ sound: false });
    const lines = report?.["obligations"] as readonly { readonly id: string }[];
    const line = (id: string) => lines.find((one) => one.id === id);
    expect(line("O1")).toMatchObject({ verdict: "holds", level: "data" });
    expect(line("O3")).toMatchObject({ verdict: "fails", level: "data", witness: { kind: "data-dead" } });
    expect(line("O5")).toMatchObject({
      verdict: "fails",
      level: "data",
      witness: { kind: "data-run", start: { amount: 10 }, finding: { kind: "gap", node: "route" } },
    });
    expect(line("O8")).toMatchObject({ verdict: "holds", level: "data" });
    const told = await tessera("check", join(dir, "w.json"), "--level", "data");
    expect(told.out).toContain('"ask" is never reached');
    expect(told.out).toContain('started with {"amount":10}');
    const plain = await tessera("check", join(dir, "w.json"), "--json");
    expect(jsonLines(plain.out)[0]).toMatchObject({ sound: true });
  });

  it("checks a directory in one process, a JSON line a file, and exits with the worst", async () => {
    const dir = folder({
      "a.json": SOUND,
      "b.pnml": NET,
      "c.json": UNSOUND,
      "d.json": "{",
      "e.txt": "not looked at",
    });
    const { code, out } = await tessera("check", dir, "--json");
    expect(code).toBe(3);
    const lines = jsonLines(out);
    expect(lines.map(({ sound }) => sound)).toEqual([true, true, false, undefined]);
    expect(lines[3]?.["error"]).toContain("1:2 JSON001");
    for (const line of lines.slice(0, 3))
      expect(line).toMatchObject({ file: expect.any(String), ms: expect.any(Number) });
  });

  it("finds processes in a directory by the ending .bpmn20.xml too, and no other XML", async () => {
    const bpmn = `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="p" isExecutable="true">
<startEvent id="s"/><endEvent id="e"/><sequenceFlow id="f" sourceRef="s" targetRef="e"/></process></definitions>`;
    const dir = folder({ "a.bpmn20.xml": bpmn, "b.xml": "<project/>" });
    const { code, out } = await tessera("check", dir, "--json");
    expect(code).toBe(0);
    expect(jsonLines(out)).toMatchObject([{ sound: true, file: join(dir, "a.bpmn20.xml") }]);
  });

  it("[D18.2] proves a YAWL specification under YAWL's rule, by its ending or its root element", async () => {
    const task = (id: string, join: string, ...to: readonly string[]) =>
      `<task id="${id}">${to.map((next) => `<flowsInto><nextElementRef id="${next}"/></flowsInto>`).join("")}<join code="${join}"/><split code="${to.length > 1 ? "or" : "and"}"/><timer/></task>`;
    const specification = `<specificationSet><specification uri="s"><rootNet id="n"><processControlElements>
<inputCondition id="i"><flowsInto><nextElementRef id="a"/></flowsInto></inputCondition>
${task("a", "xor", "b", "c")}${task("b", "xor", "d")}${task("c", "xor", "d")}${task("d", "or", "o")}
<outputCondition id="o"/></processControlElements></rootNet></specification></specificationSet>`;
    const dir = folder({
      "s.yawl": specification,
      "s.xml": specification,
      "bad.yawl": "<specificationSet/>",
    });
    for (const name of ["s.yawl", "s.xml"]) {
      const { code, out } = await tessera("check", join(dir, name), "--json");
      expect(code).toBe(0);
      expect(jsonLines(out)).toMatchObject([{ sound: true, file: join(dir, name) }]);
      expect(jsonLines(out)[0]?.["assumptions"]).toHaveLength(4);
    }
    expect((await tessera("check", join(dir, "bad.yawl"))).code).toBe(3);
  });

  it("[D8.15] says which change of one gateway would make a workflow sound", async () => {
    const dir = folder({ "a.json": UNSOUND, "b.json": SOUND });
    const { out } = await tessera("check", join(dir, "a.json"));
    expect(out).toContain('hint: make the join of "meet" parallel (all) instead of exclusive (any)');
    expect(out).toContain('hint: make the split of "split" exclusive (first) instead of parallel (all)');
    const { out: json } = await tessera("check", join(dir, "a.json"), "--json");
    expect(jsonLines(json)[0]).toMatchObject({
      hints: [
        { node: "split", part: "split", from: "all", to: "first" },
        { node: "meet", part: "join", from: "any", to: "all" },
      ],
    });
    expect((await tessera("check", join(dir, "b.json"))).out).not.toContain("hint");
  });

  it("says unknown when a limit is reached, with the limit", async () => {
    // An OR-join is outside of what structure decides.
    const dir = folder({ "a.json": SOUND.replace('"join":"all"', '"join":"or"') });
    const { code, out } = await tessera("check", join(dir, "a.json"), "--json", "--states-max", "2");
    expect(code).toBe(2);
    expect(jsonLines(out)[0]).toMatchObject({ sound: null });
    expect(out).toContain('"limit"');
  });

  it("names all problems of a definition, each with code and path", async () => {
    const broken = JSON.parse(SOUND) as { arcs: { to: string }[]; nodes: { kind: string }[] };
    (broken.arcs[0] as { to: string }).to = "nowhere";
    (broken.nodes[2] as { kind: string }).kind = "humann";
    const dir = folder({ "a.json": JSON.stringify(broken) });
    const { code, out } = await tessera("check", join(dir, "a.json"));
    expect(code).toBe(3);
    expect(out).toContain("WF006 at $.arcs[0].to");
    expect(out).toContain("WF003 at $.nodes[2].kind");
  });

  it.each([
    { what: "a file that is not there", argv: ["check", "nowhere.json"], text: "no such file" },
    { what: "a flag that is not known", argv: ["check", "--jsn", "x"], text: "--jsn" },
    {
      what: "a limit that is no number",
      argv: ["check", "--states-max", "many", "x"],
      text: "positive whole number",
    },
    {
      what: "a format that is not known",
      argv: ["convert", "a.json", "b.svg", "--from", "word"],
      text: "word",
    },
    { what: "an ending that tells no format", argv: ["convert", "a.json", "b.doc"], text: "b.doc" },
    {
      what: "a marking beside a witness",
      argv: ["draw", "x", "--marking", "p", "--witness"],
      text: "--marking",
    },
    { what: "no command that is known", argv: ["persuade"], text: "persuade" },
  ])("answers $what in a line and a hint, exit 3", async ({ argv, text }) => {
    const { code, err } = await tessera(...argv);
    expect(code).toBe(3);
    expect(err).toContain(text);
    expect(err).toContain("hint:");
  });

  it("has help with examples for every command, exit 0", async () => {
    for (const command of ["check", "convert", "draw", "run", "complete"]) {
      const { code, out } = await tessera(command, "--help");
      expect(code).toBe(0);
      expect(out).toContain("Example");
    }
  });

  it("says the same of a directory in threads, in the order of its files", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [
        `${String(at).padStart(2, "0")}.${at % 3 === 2 ? "pnml" : "json"}`,
        [SOUND, UNSOUND, NET][at % 3] ?? "",
      ]),
    );
    const dir = folder({ ...files, "05b.json": "{", "11b.pnml": "<pnml>" });
    const untimed = (out: string) => out.replaceAll(/"ms":[\d.]+|[\d.]+ ms/g, "");
    for (const flags of [[], ["--json"], ["--json", "--states-max", "1"]]) {
      const alone = await tessera("check", dir, ...flags);
      const together = await tessera("check", dir, "--threads", "3", ...flags);
      expect(untimed(together.out)).toBe(untimed(alone.out));
      expect(together.code).toBe(alone.code);
      expect(together.code).toBe(3);
    }
    const sound = folder({ "a.json": SOUND, "b.json": SOUND });
    expect((await tessera("check", sound, "--threads", "9")).code).toBe(0);
  }, 60_000);
});
