/** @module `tessera prove`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folder, jsonLines, SOUND, tessera } from "./capture.ts";

/** i to a, a and b round about, b to o. */
const NET = `<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="i"><initialMarking><text>1</text></initialMarking></place><place id="a"/><place id="b"/><place id="o"/>
<transition id="t"/><arc id="1" source="i" target="t"/><arc id="2" source="t" target="a"/>
<transition id="u"/><arc id="3" source="a" target="u"/><arc id="4" source="u" target="b"/>
<transition id="v"/><arc id="5" source="b" target="v"/><arc id="6" source="v" target="a"/>
<transition id="w"/><arc id="7" source="b" target="w"/><arc id="8" source="w" target="o"/></page></net></pnml>`;

describe("tessera prove", () => {
  it("[D24.3] [D8.9] writes answers that can be checked to a certificate, and verifies them", async () => {
    const dir = folder({ "n.pnml": NET });
    const [file, out] = [join(dir, "n.pnml"), join(dir, "n.cert.json")];
    const asked = ["EF a = 2", "AG b = 0", "safe", "live"];
    const proved = await tessera("prove", file, ...asked, "--states-max", "3", "--certificate", out);
    expect(proved.code).toBe(1);
    const verified = await tessera("verify", out, file, "--json");
    expect(verified.code).toBe(0);
    expect(jsonLines(verified.out)).toEqual([
      { id: "question", question: "EF a = 2", verdict: "fails", checked: { kind: "valid" } },
      { id: "question", question: "AG b = 0", verdict: "fails", checked: { kind: "valid" } },
      { id: "question", question: "safe", verdict: "holds", checked: { kind: "valid" } },
      { id: "question", question: "live", verdict: "fails", checked: { kind: "valid" } },
    ]);
    const forged = join(dir, "forged.json");
    writeFileSync(forged, readFileSync(out, "utf8").replace("EF a = 2", "EF a = 1"));
    const refused = await tessera("verify", forged, file);
    expect([refused.code, refused.out]).toEqual([
      1,
      expect.stringContaining("EF a = 1 fails: not supported"),
    ]);
  });

  it("[D22.1] [D22.6] answers several questions, and exits with the worst", async () => {
    const file = join(folder({ "n.pnml": NET }), "n.pnml");
    const questions = ["sound", "2-sound", "safe", "AG EF o = 1", "F o = 1 strong w"];
    const good = await tessera("prove", file, ...questions);
    expect([good.code, good.out.match(/holds/g)?.length]).toEqual([0, 5]);
    const mixed = await tessera(
      "prove",
      file,
      "live",
      "F o = 1",
      "easy-sound",
      "generalised-sound",
      "AG x = 1",
      "--json",
    );
    expect(mixed.code).toBe(1);
    expect(jsonLines(mixed.out)).toEqual([
      {
        question: "live",
        verdict: "fails",
        shown: { kind: "transitions", transitions: ["t", "u", "v", "w"] },
      },
      { question: "F o = 1", verdict: "fails", shown: { kind: "lasso", stem: ["t"], loop: ["u", "v"] } },
      { question: "easy-sound", verdict: "holds", shown: { kind: "run", run: ["t", "u", "w"] } },
      { question: "generalised-sound", verdict: "holds", shown: { kind: "theorem", id: "T22.1" } },
      { question: "AG x = 1", verdict: "unknown", limit: { kind: "method", reason: 'the net has no "x"' } },
    ]);
    expect((await tessera("prove", file, "stable-place", "2-bounded", "sound", "--json")).code).toBe(1);
    expect((await tessera("prove", file, "AG EF o = 1", "--states-max", "2")).code).toBe(2);
  });

  it("[D24.9] [D24.11] [T24.8] lists siphons and traps, and writes claims on structure", async () => {
    const dir = folder({ "n.pnml": NET });
    const [file, out] = [join(dir, "n.pnml"), join(dir, "n.cert.json")];
    const asked = [
      "minimal-siphons",
      "minimal-traps",
      "commoner",
      "conservative",
      "consistent",
      "stable-place",
    ];
    const proved = await tessera("prove", file, ...asked, "--json", "--certificate", out);
    expect(proved.code).toBe(1);
    const weights = { a: 1, b: 1, i: 1, o: 1 };
    expect(jsonLines(proved.out)).toMatchObject([
      { verdict: "holds", shown: { of: "siphons", sets: [{ places: ["i"], isMarked: true }] } },
      { verdict: "holds", shown: { of: "traps", sets: [{ places: ["o"], isMarked: false }] } },
      { verdict: "fails", shown: { kind: "bare-siphon", places: ["i"] } },
      { verdict: "holds", shown: { kind: "semiflows", flows: [weights] } },
      { verdict: "fails", shown: { kind: "rising" } },
      { verdict: "fails", shown: { kind: "changes", runs: [["t"], ["t", "u"], ["t", "u", "w"]] } },
    ]);
    const verified = await tessera("verify", out, file, "--json");
    expect(verified.code).toBe(0);
    expect(jsonLines(verified.out)).toMatchObject(
      asked.map((question) => ({ question, checked: { kind: "valid" } })),
    );
  });

  it("[D22.9] [D22.10] tells home markings, and what refutes them", async () => {
    const dir = folder({ "n.pnml": NET, "a.json": SOUND });
    const found = await tessera(
      "prove",
      join(dir, "n.pnml"),
      "home-marking",
      "home final",
      "home b = 1",
      "--json",
    );
    expect(found.code).toBe(1);
    const [any, final, back] = jsonLines(found.out);
    const home = { run: ["t", "u", "w"], size: 1, markings: [{ o: 1 }] };
    expect(any).toEqual({
      question: "home-marking",
      verdict: "holds",
      shown: { kind: "closed", sets: [home] },
    });
    expect(final).toMatchObject({ verdict: "holds", shown: { kind: "markings", states: 4 } });
    expect(back).toMatchObject({ verdict: "fails", shown: { kind: "closed", sets: [home] } });
    const out = join(dir, "away.itf.json");
    await tessera("prove", join(dir, "n.pnml"), "home b = 1", "--itf", out);
    expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({ states: { length: 4 } });
    const told = await tessera("prove", join(dir, "a.json"), "home-marking");
    // Two ends, and from neither the other: no marking can be reached from everywhere.
    expect([told.code, told.out.match(/and there it stays/gu)?.length]).toEqual([1, 2]);
    const ring = NET.replace('source="b" target="w"', 'source="i" target="w"');
    const round = await tessera("prove", join(folder({ "r.pnml": ring }), "r.pnml"), "home a <= 1");
    expect(round.code).toBe(0);
  });

  it("[D1.5] writes the run that an answer shows as an ITF trace", async () => {
    const dir = folder({ "n.pnml": NET });
    const out = join(dir, "why.itf.json");
    await tessera("prove", join(dir, "n.pnml"), "AG EF o = 1", "F o = 1", "--itf", out);
    expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({ loop: 1, states: { length: 4 } });
    await tessera("prove", join(dir, "n.pnml"), "EF b = 1", "--itf", out);
    expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({ states: { length: 3 } });
    const none = await tessera("prove", join(dir, "n.pnml"), "safe", "--itf", out);
    expect([none.code, none.err]).toEqual([3, expect.stringContaining("no answer shows a run")]);
  });

  it("[D22.1] reads definitions; says what is wrong with a question or a file", async () => {
    const dir = folder({ "a.json": SOUND, "bad.json": "{" });
    expect((await tessera("prove", join(dir, "a.json"), "sound", "AG EF final")).code).toBe(0);
    const wrong = await tessera("prove", join(dir, "a.json"), "AG EF");
    expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining("at 5")]);
    expect((await tessera("prove", join(dir, "bad.json"), "sound")).code).toBe(3);
    expect((await tessera("prove", join(dir, "missing.json"), "sound")).code).toBe(3);
  });
});
