import { readdirSync } from "node:fs";
import * as core from "@tessera/core";
import { describe, expect, it } from "vitest";
import { checkReaders, mangled, randomFrom } from "../../../tests/fuzz/interchange.mjs";
import * as interchange from "../src/index.ts";
import { importLola, importNet, importPnml } from "../src/index.ts";
import { fixture } from "./fixtures.ts";

const code = (result: ReturnType<typeof importNet>) => (result.ok ? "read" : result.issues[0]?.code);
const repeat = (count: number, part: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join("");
const inNet = (body: string) => `<pnml><net id="n" type="ptnet">${body}</net></pnml>`;

describe("files that are made to hurt", () => {
  it("BR-103 XML002 entity bombs and external entities are refused unread", () => {
    const laughs = repeat(9, (i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`);
    const files = [
      `<!DOCTYPE pnml [<!ENTITY l0 "lol">${laughs}]><pnml>&l9;</pnml>`,
      '<!DOCTYPE pnml [<!ENTITY x SYSTEM "file:///etc/passwd">]><pnml>&x;</pnml>',
      '<!DOCTYPE pnml PUBLIC "-//x//y" "http://example.org/x.dtd"><pnml/>',
      `<!DOCTYPE pnml [<!ENTITY a "${"a".repeat(100_000)}">]><pnml>${"&a;".repeat(100_000)}</pnml>`,
    ];
    expect(files.map((file) => code(importNet(file)))).toEqual(["XML002", "XML002", "XML002", "XML002"]);
  });

  it("XML004 a file of 50 MB is refused by its length alone", () => {
    expect(code(importPnml(new Uint8Array(50_000_000)))).toBe("XML004");
    expect(code(importNet(" ".repeat(50_000_000), { fileName: "x.pnml" }))).toBe("XML004");
    expect(code(importLola(new Uint8Array(50_000_000)))).toBe("LOLA005");
  });

  it("XML004 a hundred thousand nested elements, a million attributes, elements beyond the limit", () => {
    expect(code(importPnml("<pnml>".repeat(100_000)))).toBe("XML004");
    expect(code(importPnml(`<pnml>${"<graphics>".repeat(100_000)}`))).toBe("XML004");
    expect(code(importPnml(`<pnml ${repeat(1_000_000, (i) => `a${i}="x" `)}/>`))).toBe("XML004");
    expect(code(importPnml(`<pnml ${'a="x" '.repeat(1_000_000)}/>`))).toBe("XML004");
    expect(code(importPnml(`<pnml>${"<a/>".repeat(1_000_000)}</pnml>`))).toBe("XML004");
  });

  it("very long names, texts, comments and runs of blanks are read or refused, never a crash", () => {
    const long = 2_000_000;
    const files = [
      `<${"x".repeat(long)}></a>`,
      `<pnml>${"x".repeat(long)}</pnml>`,
      `<pnml>${"&amp;".repeat(long / 5)}</pnml>`,
      `<pnml>${"]]".repeat(long / 2)}</pnml>`,
      `<pnml><!--${"- ".repeat(long / 2)}</pnml>`,
      `${"\n".repeat(long)}<a`,
      `<!DOCTYPE a [${"<!ENTITY a 'b'>".repeat(long / 15)}`,
      inNet(`<place id="${"\u{1f600}".repeat(long / 2)}"/>`),
      `PLACE ${"x".repeat(long)};`,
      `PLACE ${"\u{1f600}".repeat(long / 2)}; MARKING;`,
      `${"{}".repeat(long / 2)}PLACE`,
      `PLACE ${",".repeat(long)}`,
      `PLACE a${",a".repeat(long / 2)}; MARKING;`,
      `PLACE a; MARKING ${"/* ".repeat(long / 3)}`,
      `PLACE a; MARKING; ${"TRANSITION ".repeat(long / 11)}`,
      "{".repeat(long),
      "\0".repeat(long),
    ];
    expect(files.map((file) => code(importNet(file)))).toEqual([
      "XML001",
      "PNML002",
      "PNML002",
      "PNML002",
      "XML001",
      "IMP001",
      "XML001",
      "read",
      "LOLA001",
      "read",
      "IMP001",
      "LOLA001",
      "LOLA002",
      "LOLA001",
      "LOLA001",
      "IMP001",
      "IMP001",
    ]);
  });

  it("a hundred thousand wrong nodes give a list of bounded length", () => {
    const result = importPnml(inNet("<place/>".repeat(100_000)));
    expect(result.ok ? 0 : result.issues.length).toBe(1001);
    expect(
      code(
        importPnml(inNet(repeat(100_000, (i) => `<referencePlace id="r${i}" ref="r${(i + 1) % 100_000}"/>`))),
      ),
    ).toBe("PNML011");
    expect(code(importPnml(inNet(repeat(20_000, (i) => `<page id="p${i}"><net/></page>`))))).toBe("PNML017");
  });

  it("a large net that is right is read", () => {
    const count = 50_000;
    const body = repeat(
      count,
      (i) => `<place id="p${i}"/><transition id="t${i}"/><arc source="p${i}" target="t${i}"/>`,
    );
    const result = importPnml(inNet(body));
    expect(result.ok ? result.value.net.transitions.length : 0).toBe(count);
  });
});

describe("mangled files", () => {
  const folder = new URL("fixtures/", import.meta.url);
  const corpus = readdirSync(folder).map((name) => fixture(name));

  it("BR-103 two thousand mangled fixtures get an answer that is as promised", () => {
    const random = randomFrom(20_2016);
    const answers = new Map<string, number>();
    for (let i = 0; i < 2000; i += 1) {
      const answer = checkReaders(mangled(corpus, random), { ...interchange, core });
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
    // The mangling must reach the readers' depths: nets still read, and many different codes.
    expect(answers.get("pnml")).toBeGreaterThan(30);
    expect(answers.get("lola")).toBeGreaterThan(3);
    expect(answers.size).toBeGreaterThan(15);
  });

  it("random bytes are in no format", () => {
    const random = randomFrom(1);
    for (let i = 0; i < 1000; i += 1) {
      const bytes = Uint8Array.from({ length: Math.floor(random() * 300) }, () => Math.floor(random() * 256));
      expect(checkReaders(bytes, { ...interchange, core })).not.toBe("pnml");
    }
  });

  it("every prefix of every fixture gets an answer", () => {
    for (const bytes of corpus) {
      for (let length = 0; length < bytes.length; length += 7)
        checkReaders(bytes.slice(0, length), { ...interchange, core });
    }
  });

  it("the check fails for a reader that throws, gives no issue, or gives a net that is none", () => {
    const bytes = fixture("arcs.pnml");
    const broken: readonly (typeof importNet)[] = [
      () => {
        throw new RangeError("too deep");
      },
      () => core.bad([]),
      () => core.bad([{ code: "NOPE1", path: [], message: "x" }]),
      (source) => {
        const result = importNet(source);
        if (!result.ok) return result;
        return core.ok({ ...result.value, net: { ...result.value.net, initial: [] } });
      },
    ];
    for (const read of broken) {
      expect(() => checkReaders(bytes, { ...interchange, importNet: read, core })).toThrow();
    }
    checkReaders(bytes, { ...interchange, core });
  });
});
