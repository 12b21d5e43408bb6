import type { Net } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exportPnml, importPnml } from "../src/index.ts";
import { imported } from "./fixtures.ts";
import { pnmlNet } from "./random-net.ts";

function written(net: Net): string {
  const text = exportPnml(net, { name: "a <name>" });
  if (!text.ok) throw new Error(JSON.stringify(text.issues));
  return text.value;
}

/** Law: what is written is read back as the same net. Oracle: the generated net. */
function roundTrip(write: (net: Net) => string): void {
  fc.assert(
    fc.property(pnmlNet, (net) => {
      const value = imported(importPnml(write(net)));
      expect(value.net).toEqual(net);
      expect(value.initialGiven).toBe(net.initial.some((count) => count > 0));
    }),
    { numRuns: 500 },
  );
}

/** The document with `change` applied to its tags outside quotes, which no id can forge: ids escape `<`. */
function changeTags(text: string, change: (tag: string) => string): string {
  return text.replace(/<[a-zA-Z/][^<]*?>/g, change);
}

describe("[D11.2] PNML", () => {
  it("[D11.2] import after export is the identity", () => {
    roundTrip(written);
  });

  it("[D11.2] the law fails for writers that lose weights, labels, resets, finals or escapes", () => {
    const broken: readonly ((text: string) => string)[] = [
      (text) => text.replace(/<inscription>.*?<\/inscription>/, ""),
      (text) => text.replace(/(<transition [^>]*>)<name>.*?<\/name>/, "$1"),
      (text) => text.replace(/<arctype>.*?<\/arctype>/, ""),
      (text) => text.replace(/<finalmarkings>.*<\/finalmarkings>/s, ""),
      (text) => text.replaceAll("&#10;", "\n"),
      (text) => text.replaceAll("&amp;", "&amp;amp;"),
    ];
    for (const lose of broken) expect(() => roundTrip((net) => lose(written(net)))).toThrow();
  });

  it("[D11.2] BR-111 pages, namespaces, prefixes, line ends and drawings change nothing", () => {
    const changes: readonly ((text: string) => string)[] = [
      (text) => text.replace(/\n {2}<\/?page[^>]*>/g, ""),
      (text) =>
        text
          .replace('  <page id="page">', '<page id="page"><name><text>p</text></name><page id="inner page">')
          .replace("</page>", "</page></page>"),
      (text) => text.replace(/ xmlns="[^"]*"/, ""),
      (text) => text.replace(/ xmlns="[^"]*"/, ' xmlns="http://www.informatik.hu-berlin.de/top/pnml"'),
      (text) => changeTags(text, (tag) => tag.replace(/^<(\/?)/, "<$1q:")).replace(" xmlns=", " xmlns:q="),
      (text) => changeTags(text, (tag) => tag.replace(/^<(\w+)/, "<$1\n\t")),
      (text) =>
        text.replaceAll(
          "</transition>",
          '<graphics><position x="1" y="2"/></graphics><toolspecific tool="t" version="1"><place/><arc/></toolspecific></transition>',
        ),
      (text) => text.replaceAll("<text>", "<text>\n <!-- c -->\t").replaceAll("</text>", " </text>"),
      (text) => `\ufeff${text}`,
    ];
    fc.assert(
      fc.property(pnmlNet, fc.constantFrom(...changes), (net, change) => {
        const text = written(net);
        const changed = change(text);
        if (net.transitions.length > 0) expect(changed).not.toBe(text);
        expect(imported(importPnml(changed)).net).toEqual(net);
        expect(imported(importPnml(Buffer.from(changed))).net).toEqual(net);
      }),
    );
  });

  it("[D11.2] arcs may stand anywhere: only their order at one transition matters", () => {
    fc.assert(
      fc.property(pnmlNet, (net) => {
        const lines = written(net).split("\n");
        const isArc = (line: string) => line.startsWith("   <arc ");
        const first = lines.findIndex((line) => line.startsWith("   <place "));
        const moved = [
          ...lines.slice(0, first),
          ...lines.filter(isArc),
          ...lines.slice(first).filter((line) => !isArc(line)),
        ];
        expect(imported(importPnml(moved.join("\n"))).net).toEqual(net);
      }),
    );
  });
});
