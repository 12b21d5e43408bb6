import { describe, expect, it } from "vitest";
import { importNet } from "../src/index.ts";
import { fixture, imported, refusal } from "./fixtures.ts";

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
