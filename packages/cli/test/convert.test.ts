/** @module `tessera convert` and `tessera draw`: formats, witnesses, trouble in one line. */
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importNet } from "@tessera/interchange";
import { describe, expect, it } from "vitest";
import { folder, SOUND, tessera, UNSOUND } from "./capture.ts";

const NET = `<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="i"><name><text>begin</text></name><initialMarking><text>1</text></initialMarking></place><place id="o"/>
<transition id="t"/><arc id="a" source="i" target="t"/><arc id="b" source="t" target="o"/></page></net></pnml>`;

/** Nothing but a search decides it: reductions are for nets with weight 1. */
const WEIGHTED = `<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="i"><initialMarking><text>1</text></initialMarking></place><place id="p"/><place id="o"/>
<transition id="t"/><transition id="u"/><arc id="a" source="i" target="t"/>
<arc id="b" source="t" target="p"><inscription><text>2</text></inscription></arc>
<arc id="c" source="p" target="u"><inscription><text>2</text></inscription></arc>
<arc id="d" source="u" target="o"/></page></net></pnml>`;

const text = (path: string) => readFileSync(path, "utf8");

describe("tessera convert", () => {
  it.each([".lola", ".net", ".pnml", ".json", ".dot", ".svg"])("writes a net as %s", async (ending) => {
    const dir = folder({ "a.pnml": NET });
    const out = join(dir, `b${ending}`);
    expect(await tessera("convert", join(dir, "a.pnml"), out)).toMatchObject({ code: 0, out: "" });
    const check = await tessera("check", out, "--json");
    if (![".dot", ".svg"].includes(ending)) expect(check).toMatchObject({ code: 0 });
    else expect(text(out)).toContain("begin");
  });

  it("writes the net of a workflow, with its ends as final markings", async () => {
    const dir = folder({ "a.json": SOUND });
    for (const ending of ["pnml", "lola", "net"]) {
      const out = join(dir, `b.${ending}`);
      const { code, err } = await tessera("convert", join(dir, "a.json"), out);
      // The terminate end resets: only PNML can say that.
      expect([ending, code]).toEqual([ending, ending === "pnml" ? 0 : 3]);
      if (ending === "pnml") expect(importNet(text(out)).ok).toBe(true);
      else expect(err).toMatch(/(?:LOLA010|TINA007) at .*resets places/);
    }
  });

  it("writes a workflow as BPMN that is checked as the workflow is, and a net not at all", async () => {
    const dir = folder({ "a.json": SOUND, "b.pnml": NET });
    const out = join(dir, "a.bpmn");
    expect(await tessera("convert", join(dir, "a.json"), out)).toMatchObject({ code: 0 });
    expect(await tessera("check", out)).toMatchObject({ code: 0, out: expect.stringContaining("sound") });
    const { code, err } = await tessera("convert", join(dir, "b.pnml"), join(dir, "b.bpmn"));
    expect(code).toBe(3);
    expect(err).toContain("hint: write pnml");
  });

  it("writes to standard output, and takes formats from flags", async () => {
    const dir = folder({ odd: "pl p (1)\ntr t p -> q\n" });
    const { code, out } = await tessera("convert", join(dir, "odd"), "-", "--from", "tina", "--to", "lola");
    expect({ code, out }).toEqual({
      code: 0,
      out: "{ odd }\nPLACE p, q;\nMARKING p: 1;\nTRANSITION t\n  CONSUME p: 1;\n  PRODUCE q: 1;",
    });
    expect(await tessera("convert", join(dir, "odd"), "-", "--to", "pnml")).toMatchObject({ code: 0 });
  });

  it("says what is lost, on standard error", async () => {
    const dir = folder({ "a.pnml": NET });
    const { code, err } = await tessera("convert", join(dir, "a.pnml"), join(dir, "b.lola"));
    expect(code).toBe(0);
    expect(err).toContain("LOLA012");
  });

  it("CLI003 a file in no format, JSON001 JSON with line and column, and nothing is written", async () => {
    const dir = folder({ "a.txt": "hello", "b.json": '{"format": 1,\n "kind": }' });
    const out = join(dir, "c.svg");
    expect(await tessera("convert", join(dir, "a.txt"), out)).toMatchObject({
      code: 3,
      err: expect.stringContaining("CLI003"),
    });
    expect((await tessera("convert", join(dir, "b.json"), out)).err).toContain("2:10 JSON001");
    expect(existsSync(out)).toBe(false);
  });

  it("CLI002 refuses a file of 100 MB without reading more than the limit", async () => {
    const dir = folder();
    const file = join(dir, "large.pnml");
    writeFileSync(file, "<pnml>");
    truncateSync(file, 100_000_000);
    const { code, err } = await tessera("convert", file, join(dir, "b.dot"));
    expect(code).toBe(3);
    expect(err).toContain("CLI002");
  });

  it.each([
    {
      what: "an output folder that is not there",
      argv: ["a.pnml", "no/where.dot"],
      hint: "folder that exists",
    },
    {
      what: "a process that is not there",
      argv: ["a.json", "b.dot", "--process", "x"],
      hint: "it has order",
    },
    { what: "standard output without a format", argv: ["a.pnml", "-"], hint: "--to" },
  ])("answers $what in a line and a hint, exit 3", async ({ argv, hint }) => {
    const dir = folder({ "a.pnml": NET, "a.json": SOUND });
    const [input = "", output = "", ...rest] = argv;
    const { code, err } = await tessera(
      "convert",
      join(dir, input),
      output === "-" ? output : join(dir, output),
      ...rest,
    );
    expect(code).toBe(3);
    expect(err).toMatch(new RegExp(`hint: .*${hint}`));
  });
});

describe("tessera draw", () => {
  it("draws a workflow as SVG, its net on request", async () => {
    const dir = folder({ "a.json": SOUND });
    const svg = await tessera("draw", join(dir, "a.json"));
    expect(svg.code).toBe(0);
    expect(svg.out).toMatch(/^<svg .*<\/svg>$/s);
    expect(svg.out).toContain(">Pick</text>");
    expect((await tessera("draw", join(dir, "a.json"))).out).toBe(svg.out);
    const net = await tessera("draw", join(dir, "a.json"), "--net", "--format", "dot");
    expect(net.out).toContain('xlabel="pick.active"');
  });

  it("shows a marking, by list or JSON", async () => {
    const dir = folder({ "a.pnml": NET });
    const list = await tessera("draw", join(dir, "a.pnml"), "--marking", "i=2, o", "--format", "dot");
    expect(list.out).toContain('label="\u25cf\u25cf", xlabel="begin"');
    expect(list.out).toContain('label="\u25cf", xlabel="o"');
    const json = await tessera("draw", join(dir, "a.pnml"), "--marking", '{"i":2,"o":1}', "--format", "dot");
    expect(json.out).toBe(list.out);
  });

  it.each([
    { marking: "ii", hint: "places here: i" },
    { marking: "i=-1", hint: "places here" },
    { marking: '{"i":0.5}', hint: "--marking p1=2" },
    { marking: "{", hint: "--marking p1=2" },
  ])("answers the marking $marking in a line and a hint", async ({ marking, hint }) => {
    const dir = folder({ "a.pnml": NET });
    const { code, err } = await tessera("draw", join(dir, "a.pnml"), "--marking", marking);
    expect(code).toBe(3);
    expect(err).toContain(`hint: ${hint}`);
  });

  it("draws the markings and the firings between them, with the run that refutes an obligation", async () => {
    const grows = NET.replace("</net>", "").replace(
      "</page>",
      '<arc id="c" source="t" target="i"/></page></net>',
    );
    const dir = folder({ "a.json": UNSOUND, "b.pnml": grows });
    const states = await tessera(
      "draw",
      join(dir, "a.json"),
      "--graph",
      "states",
      "--witness",
      "--format",
      "dot",
    );
    expect(states.code).toBe(1);
    expect(states.out).toMatch(/m0 initial/);
    expect(states.out).toMatch(/->.*#1"/);
    const cover = await tessera("draw", join(dir, "b.pnml"), "--graph", "coverability", "--format", "dot");
    expect(cover.out).toContain("o=\u03c9");
    const few = ["--graph", "states", "--states-max", "3", "--format", "dot"];
    expect((await tessera("draw", join(dir, "b.pnml"), ...few)).out).toContain("the first 3 markings");
    const wrong = await tessera("draw", join(dir, "b.pnml"), "--graph", "states", "--net");
    expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining("--graph shows every marking")]);
  });

  it("draws the run that refutes an obligation with the numbers of its steps: exit 1", async () => {
    const dir = folder({ "a.json": UNSOUND, "b.json": SOUND });
    const { code, out, err } = await tessera("draw", join(dir, "a.json"), "--witness", "--format", "dot");
    expect(code).toBe(1);
    expect(err).toMatch(/O\d fails after \d+ steps/);
    const steps = Number(/after (\d+) steps/.exec(err)?.[1]);
    const numbers = [...out.matchAll(/\\n#([\d, ]+)/g)].flatMap(([, list = ""]) =>
      list.split(", ").map(Number),
    );
    expect(new Set(numbers)).toEqual(new Set(Array.from({ length: steps }, (_, i) => i + 1)));
    const asked = await tessera("draw", join(dir, "a.json"), "--witness", "O2", "--format", "dot");
    expect(asked).toMatchObject({ code: 1, err: expect.stringContaining("O2 fails") });
    expect(asked.out).toContain("\u25cf\u25cf");
  });

  it("says that all holds, exit 0, and unknown, exit 2; an obligation that is none, exit 3", async () => {
    const dir = folder({ "b.json": SOUND, "c.pnml": WEIGHTED });
    const [file, weighted] = [join(dir, "b.json"), join(dir, "c.pnml")];
    expect(await tessera("draw", file, "--witness", "--format", "dot")).toMatchObject({
      code: 0,
      err: "every obligation holds",
    });
    const draw = ["draw", weighted, "--witness", "O1", "--format", "dot"];
    expect(await tessera(...draw)).toMatchObject({ code: 0 });
    expect(await tessera(...draw, "--states-max", "1")).toMatchObject({ code: 2 });
    expect(await tessera("draw", file, "--witness", "O77")).toMatchObject({ code: 3 });
  });

  it("writes a file by its ending, and refuses other endings", async () => {
    const dir = folder({ "a.pnml": NET });
    const out = join(dir, "c.gv");
    expect(await tessera("draw", join(dir, "a.pnml"), "--out", out)).toMatchObject({ code: 0, out: "" });
    expect(text(out)).toMatch(/^digraph/);
    expect(await tessera("draw", join(dir, "a.pnml"), "--out", join(dir, "c.png"))).toMatchObject({
      code: 3,
    });
  });
});
