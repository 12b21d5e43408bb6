/** @module `tessera check --certificate` and `tessera verify`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folder, jsonLines, SOUND, tessera, UNSOUND } from "./capture.ts";

const WEIGHTED = `<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="i"><initialMarking><text>1</text></initialMarking></place><place id="a"/><place id="o"/>
<transition id="t"/><arc id="a1" source="i" target="t"/><arc id="a2" source="t" target="a"><inscription><text>2</text></inscription></arc>
<transition id="u"/><arc id="a3" source="a" target="u"><inscription><text>2</text></inscription></arc><arc id="a4" source="u" target="o"/></page></net></pnml>`;

async function certified(files: Readonly<Record<string, string>>, name: string) {
  const dir = folder(files);
  const certificate = join(dir, "certificate.json");
  const { code } = await tessera("check", join(dir, name), "--certificate", certificate);
  return { dir, certificate, code };
}

describe("tessera verify", () => {
  it("[D8.9] accepts what check wrote, for what holds and for what fails", async () => {
    for (const [definition, expected] of [
      [SOUND, 0],
      [UNSOUND, 1],
    ] as const) {
      const { dir, certificate, code } = await certified({ "a.json": definition }, "a.json");
      expect(code).toBe(expected);
      const verified = await tessera("verify", certificate, join(dir, "a.json"), "--json");
      expect(verified.code).toBe(0);
      const claims = jsonLines(verified.out);
      expect(claims.map(({ id }) => id)).toContain("sound");
      for (const claim of claims) expect(claim).toMatchObject({ checked: { kind: "valid" } });
    }
  });

  it("[D8.9] refuses a claim whose evidence was changed: exit 1, with the reason", async () => {
    const { dir, certificate } = await certified({ "a.json": UNSOUND }, "a.json");
    const text = readFileSync(certificate, "utf8");
    writeFileSync(
      certificate,
      text.replaceAll('"fails"', '"holds"').replace('"sequence":[', '"sequence":[0,'),
    );
    expect((await tessera("verify", certificate, join(dir, "a.json"))).code).toBe(3);
    writeFileSync(certificate, text.replaceAll('"sequence":[', '"sequence":[1,'));
    const changed = await tessera("verify", certificate, join(dir, "a.json"));
    expect(changed.code).toBe(1);
    expect(changed.out).toMatch(/not supported.*not enabled/);
  });

  it("[D8.9] refuses the certificate of another net, and files that are none: exit 3", async () => {
    const { dir, certificate } = await certified(
      { "a.json": SOUND, "b.json": UNSOUND, "c.json": "[1" },
      "a.json",
    );
    const other = await tessera("verify", certificate, join(dir, "b.json"));
    expect([other.code, other.err]).toEqual([3, expect.stringContaining("another net")]);
    for (const [left, right] of [
      ["c.json", "a.json"],
      ["a.json", "a.json"],
      ["missing.json", "a.json"],
      ["certificate.json", "c.json"],
      ["certificate.json", "missing.json"],
    ] as const)
      expect((await tessera("verify", join(dir, left), join(dir, right))).code).toBe(3);
  });

  it("[D23.6] accepts what check wrote of data, and refuses it for other guards on the same net: exit 3", async () => {
    const guarded = (value: number) =>
      JSON.stringify({
        format: 1,
        kind: "workflow",
        id: "w",
        entry: "start",
        data: { amount: { type: "number" } },
        nodes: [
          { id: "start", kind: "start" },
          { id: "fork", kind: "gateway" },
          { id: "ask", kind: "human" },
          { id: "end", kind: "end" },
        ],
        arcs: [
          { from: "start", to: "fork" },
          { from: "fork", to: "ask", guard: { key: "amount", op: "atLeast", value } },
          { from: "fork", to: "end", guard: { key: "amount", op: "lessThan", value: 100 } },
          { from: "ask", to: "end" },
        ],
      });
    const dir = folder({ "a.json": guarded(100), "b.json": guarded(101) });
    const [certificate, other] = [join(dir, "a.cert"), join(dir, "b.cert")];
    const check = (file: string, out: string) =>
      tessera("check", join(dir, file), "--level", "data", "--certificate", out);
    expect((await check("a.json", certificate)).code).toBe(0);
    expect((await check("b.json", other)).code).toBe(1);
    for (const [left, right] of [
      [certificate, "a.json"],
      [other, "b.json"],
    ] as const) {
      const verified = await tessera("verify", left, join(dir, right), "--json");
      expect(verified.code).toBe(0);
      const onData = jsonLines(verified.out).filter(({ level }) => level === "data");
      expect(onData.map(({ id }) => id)).toContain("O5");
    }
    const refused = await tessera("verify", certificate, join(dir, "b.json"));
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining("another definition")]);
    const text = readFileSync(other, "utf8");
    expect(text).toContain('"amount":100');
    writeFileSync(other, text.replaceAll('"amount":100', '"amount":101'));
    const changed = await tessera("verify", other, join(dir, "b.json"));
    expect([changed.code, changed.out]).toEqual([
      1,
      expect.stringContaining("O5       fails@data: not supported"),
    ]);
  });

  it("[D8.9] says what is too large to check: exit 2", async () => {
    const { dir, certificate } = await certified({ "n.pnml": WEIGHTED }, "n.pnml");
    expect((await tessera("verify", certificate, join(dir, "n.pnml"))).code).toBe(0);
    const limited = await tessera("verify", certificate, join(dir, "n.pnml"), "--states-max", "1");
    expect(limited.code).toBe(2);
    expect(limited.out).toContain("not checked");
  });

  it("[D8.9] a certificate is of one file", async () => {
    const dir = folder({ "a.json": SOUND, "b.json": UNSOUND });
    const { code, err } = await tessera("check", dir, "--certificate", join(dir, "out.json"));
    expect([code, err]).toEqual([3, expect.stringContaining("one file")]);
  });
});
