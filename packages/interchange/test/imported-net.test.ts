import { describe, expect, it } from "vitest";
import { importPnml } from "../src/index.ts";
import { fixture, imported, net, warnings } from "./fixtures.ts";

const pnml = (body: string) => `<pnml><net id="n" type="ptnet">${body}</net></pnml>`;
/** i -t-> o, and u from p to q and r. */
const two =
  '<place id="i"><initialMarking><text>1</text></initialMarking></place><place id="o"/><place id="q"/><transition id="t"/>' +
  '<transition id="u"/><arc source="i" target="t"/><arc source="t" target="o"/><arc source="i" target="u"/><arc source="u" target="q"/>';
const finals = (...markings: readonly Readonly<Record<string, number>>[]) =>
  `<finalmarkings>${markings
    .map((marking) => {
      const places = Object.entries(marking).map(
        ([id, count]) => `<place idref="${id}"><text>${count}</text></place>`,
      );
      return `<marking>${places.join("")}</marking>`;
    })
    .join("")}</finalmarkings>`;

describe("initial marking", () => {
  it("[D11.3] IMP002 BR-112 puts one token on the only source place, and says so", () => {
    const result = importPnml(fixture("IMP002.pnml"));
    expect(warnings(result)).toEqual(["IMP002 3:1 net/0"]);
    expect(imported(result)).toMatchObject({ initialGiven: false, net: { initial: [1, 0] } });
  });

  it("[D11.3] IMP003 BR-112 says that there is none where nothing can be assumed", () => {
    const result = importPnml(fixture("IMP003.pnml"));
    expect(warnings(result)).toEqual(["IMP003 3:1 net/0"]);
    expect(imported(result)).toMatchObject({ initialGiven: false, net: { initial: [0, 0, 0] } });
    expect(imported(result).warnings[0]?.facts).toEqual({ sources: ["i", "i2"], count: 2 });
  });

  it("[D11.3] assumes nothing where the file states zero tokens or a transition needs no input", () => {
    const zero = two.replace("<text>1</text>", "<text>0</text>");
    const startless = two.replace(/<initialMarking>.*?<\/initialMarking>/, "");
    const generator = '<transition id="g"/><arc source="g" target="q"/>';
    for (const body of [zero, startless + generator]) {
      const result = importPnml(pnml(body));
      expect(warnings(result)).toEqual(["IMP003 1:7 net/0"]);
      expect(imported(result)).toMatchObject({ initialGiven: false, net: { initial: [0, 0, 0] } });
    }
  });
});

describe("final markings", () => {
  it("[D11.4] are the places without outgoing arcs where the file states none", () => {
    expect(net(imported(importPnml(pnml(two))).net)).toMatchObject({ finals: ["o", "q"] });
  });

  it("[D11.4] a place that is only reset has an outgoing arc", () => {
    const reset = '<arc source="q" target="t" type="reset"/>';
    expect(net(imported(importPnml(pnml(two + reset))).net)).toMatchObject({ finals: ["o"] });
  });

  it("[D11.4] IMP004 warns where every place has an outgoing arc", () => {
    const result = importPnml(fixture("IMP004.pnml"));
    expect(warnings(result)).toEqual(["IMP004 3:1 net/0"]);
    expect(imported(result).net.finals).toEqual({ kind: "ends", ends: [] });
  });

  it("[D11.4] IMP005 warns of places without arcs", () => {
    const result = importPnml(fixture("IMP005.pnml"));
    expect(warnings(result)).toEqual(["IMP005 3:1 net/0"]);
    expect(imported(result).warnings[0]?.facts).toEqual({ places: ["alone"], count: 1 });
  });

  it("[D11.4] one token on one place without outgoing arcs is an end", () => {
    const result = importPnml(pnml(two + finals({ i: 0, q: 1 })));
    expect(imported(result)).toMatchObject({
      finalGiven: true,
      net: { finals: { kind: "ends", ends: [2] } },
    });
  });

  it("[D11.4] all non-empty subsets of such places are ends, in any order, repeated or not", () => {
    const result = importPnml(pnml(two + finals({ q: 1, o: 1 }, { o: 1 }, { q: 1 }, { o: 1 })));
    expect(imported(result).net.finals).toEqual({ kind: "ends", ends: [1, 2] });
  });

  it.each([
    [[{ o: 2 }]],
    [[{ o: 1, q: 1 }]],
    [[{ o: 1 }, { q: 1 }]],
    [[{ i: 1 }]],
    [[{ o: 1 }, { q: 1 }, { o: 1, q: 2 }]],
  ])("[D11.4] %j is kept as it stands", (stated) => {
    const value = imported(importPnml(pnml(two + finals(...stated)))).net.finals;
    const order = ["i", "o", "q"] as const;
    const markings = stated.map((marking: Readonly<Record<string, number>>) =>
      order.map((id) => marking[id] ?? 0),
    );
    expect(value).toEqual({ kind: "markings", markings });
  });
});
