import { describe, expect, it } from "vitest";
import { detectFormat, importNet } from "../src/index.ts";
import { fixture, imported, refusal } from "./fixtures.ts";

describe("[D11.9] formats", () => {
  it.each([
    { text: '<specificationSet xmlns="x">', format: "yawl" },
    { text: '<?xml version="1.0"?>\n<!-- <definitions> --><b:definitions xmlns:b="x">', format: "bpmn" },
    { text: "\ufeff<pnml>", format: "pnml" },
    { text: "<html>", format: "pnml" },
    { text: '{"format": 1}', format: "json" },
    { text: "[]", format: "json" },
    { text: "{ a comment } PLACE a; MARKING a;", format: "lola" },
    { text: '{ "quoted" } PLACE a; MARKING a;', format: "lola" },
    { text: "# a net\npl p (1)\n", format: "tina" },
    { text: "net {x y}", format: "tina" },
  ])("[D11.9] $format: $text", ({ text, format }) => {
    expect(detectFormat(text, "misleading.lola")).toBe(
      format === "pnml" && text === "<html>" ? "lola" : format,
    );
    expect(detectFormat(text)).toBe(format);
    expect(detectFormat(Buffer.from(text))).toBe(format);
    expect(detectFormat(Buffer.from(text, "utf16le"))).toBe(format);
  });

  it.each(["", "digraph { a -> b }", "tr", "net: worth", "{ open"])("[D11.9] %j says nothing", (text) => {
    expect(detectFormat(text)).toBeUndefined();
    expect(detectFormat(text, "x.net")).toBe("tina");
    expect(detectFormat(text, "x.txt")).toBeUndefined();
  });

  it("[D11.9] a prefix of a million comments is looked at in one pass", () => {
    expect(detectFormat("<!---->".repeat(1_000_000))).toBe("pnml");
  });
});

describe("importNet", () => {
  it("tells the format by the content, whatever the name says", () => {
    expect(imported(importNet(fixture("arcs.pnml"), { fileName: "net.lola" })).format).toBe("pnml");
    expect(imported(importNet(fixture("plain.lola"), { fileName: "net.pnml" })).format).toBe("lola");
    const file = `\ufeff \n${new TextDecoder().decode(fixture("arcs.pnml")).replace(/^<\?xml.*\?>/, "")}`;
    expect(imported(importNet(file)).format).toBe("pnml");
    expect(imported(importNet(Buffer.from(file, "utf16le"))).format).toBe("pnml");
    expect(imported(importNet("\ufeff{ c } /* d */ PLACE a; MARKING a;")).format).toBe("lola");
  });

  it("passes options on", () => {
    expect(imported(importNet(fixture("PNML003.pnml"), { netId: "second" })).name).toBe("second");
    expect(refusal(importNet("PLACE a; MARKING a;", { limits: { bytesMax: 3 } }))).toEqual(["LOLA005 -"]);
  });

  it("BR-113 says what is wrong with XML that is no net", () => {
    expect(refusal(importNet(fixture("PNML001-bpmn.bpmn")))).toEqual(["PNML001 2:1"]);
    expect(refusal(importNet("<html>"))).toEqual(["XML001 1:7"]);
  });

  it("lets the name decide where the content does not", () => {
    expect(refusal(importNet("", { fileName: "a/b.PNML" }))).toEqual(["XML007 1:1"]);
    expect(refusal(importNet("PLAICE a;", { fileName: "b.lola" }))).toEqual(["LOLA001 1:1"]);
  });

  it.each(["", '{"format":1}', "digraph { a -> b }", "\u0000\u0001\u0002", "PLACES"])(
    "IMP001 %j is in no format",
    (text) => {
      expect(refusal(importNet(text))).toEqual(["IMP001 -"]);
      expect(refusal(importNet(text, { fileName: "net.json" }))).toEqual(["IMP001 -"]);
      expect(refusal(importNet(Buffer.from(text)))).toEqual(["IMP001 -"]);
    },
  );
});
