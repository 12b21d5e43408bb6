import { describe, expect, it } from "vitest";
import { importPnml } from "../src/index.ts";
import { fixture, imported, net, refusal, warnings } from "./fixtures.ts";

const ptnet = 'type="http://www.pnml.org/version-2009/grammar/ptnet"';
const pnml = (body: string, attributes = `id="n" ${ptnet}`) =>
  `<pnml><net ${attributes}>${body}</net></pnml>`;
const line = '<place id="i"><initialMarking><text>1</text></initialMarking></place><place id="o"/>';
const small = `${line}<transition id="t"/><arc source="i" target="t"/><arc source="t" target="o"/>`;

describe("importPnml", () => {
  it("[D11.2] BR-111 reads places directly under the net, old types and labels, operators as plain transitions", () => {
    const result = importPnml(fixture("no-pages-old-type.pnml"));
    expect(imported(result)).toMatchObject({
      format: "pnml",
      name: "An old net",
      initialGiven: true,
      finalGiven: false,
    });
    expect(net(imported(result).net)).toEqual({
      places: ["i 1", "o"],
      transitions: ["t_op_1: i -> 3 o"],
      finals: ["o"],
    });
    expect(imported(result).net.places.map(({ label }) => label)).toEqual(["start", "end"]);
    expect(imported(result).net.transitions[0]).toMatchObject({ id: "t_op_1", label: "split" });
    expect(warnings(result)).toEqual([]);
  });

  it("[D11.2] BR-111 reads nested pages in document order and follows reference nodes", () => {
    const result = importPnml(fixture("pages-references.pnml"));
    expect(net(imported(result).net)).toEqual({
      places: ["i 1", "o"],
      transitions: ["t: i -> o"],
      finals: ["o"],
    });
    expect(imported(result)).toMatchObject({ name: "paged", finalGiven: true });
  });

  it("[D11.2] reads read arcs as a loop, parallel arcs as their sum, and reset arcs", () => {
    expect(net(imported(importPnml(fixture("arcs.pnml"))).net)).toEqual({
      places: ["p 3", "q", "r", "o"],
      transitions: ["t: 3 p + q -> 5 o + 2 p + q [r]"],
      finals: ["o"],
    });
  });

  it("[D11.2] gives back what a transition only tests, unless it resets the place", () => {
    const arcs = '<arc source="i" target="t" type="read"/><arc source="i" target="t" type="reset"/>';
    const result = importPnml(pnml(`${line}<transition id="t"/>${arcs}<arc source="t" target="o"/>`));
    expect(net(imported(result).net)).toMatchObject({ transitions: ["t: i -> o [i]"] });
  });

  it("[D11.2] takes the stronger of two statements about the kind of an arc", () => {
    const arcs = [
      '<arc source="i" target="t" type="normal"><arctype><text>reset</text></arctype></arc>',
      '<arc source="i" target="t" type="RESET"><arctype><text>normal</text></arctype></arc>',
      '<arc source="i" target="t"><arctype><text>normal</text></arctype><type value="reset"/></arc>',
    ];
    for (const arc of arcs) {
      const result = importPnml(pnml(`${line}<transition id="t"/>${arc}`));
      expect(net(imported(result).net)).toMatchObject({ transitions: ["t:  ->  [i]"] });
    }
  });

  it("[D11.2] IMP007 a read arc may make an output too large", () => {
    const max = "<inscription><text>2147483647</text></inscription>";
    const arcs = `<arc source="t" target="i">${max}</arc><arc id="r" source="i" target="t" type="read"/>`;
    expect(refusal(importPnml(pnml(`${line}<transition id="t"/>${arcs}`)))).toEqual([
      expect.stringMatching(/^IMP007 .* net\/0\/arc\/1$/),
    ]);
  });

  it("[D11.4] a final marking that places state themselves stands beside those of a list", () => {
    const finals =
      '<finalmarkings><marking><place idref="i"><text>2</text></place></marking></finalmarkings>';
    const own = small.replace(
      '<place id="o"/>',
      '<place id="o"><finalMarking><text>1</text></finalMarking></place>',
    );
    expect(net(imported(importPnml(pnml(own + finals))).net)).toMatchObject({ finals: ["1 o", "2 i"] });
  });

  it.each([
    'type="http://www.pnml.org/version-2009/grammar/ptnet"',
    'type="http://www.pnml.org/version-2009/grammar/ptnet.pntd"',
    'type="http://www.pnml.org/version-2009/grammar/pnmlcoremodel"',
    'type="http://www.informatik.hu-berlin.de/top/pntd/ptNetb"',
    'type="http://www.yasper.org/specs/epnml-1.1"',
    'type="P/T net"',
    'type="PTNet"',
  ])("[D11.2] takes %s for a place/transition net", (type) => {
    expect(warnings(importPnml(pnml(small, type)))).toEqual([]);
  });

  it("[D11.2] treats names of prototype members as any other id", () => {
    const ids = ["__proto__", "constructor", "toString"];
    const places = ids.map((id) => `<place id="${id}"/>`).join("");
    const arcs =
      '<arc source="__proto__" target="hasOwnProperty"/><arc source="hasOwnProperty" target="constructor"/>';
    const finals =
      '<finalmarkings><marking><place idref="__proto__"><text>2</text></place></marking></finalmarkings>';
    const result = importPnml(pnml(`${places}<transition id="hasOwnProperty"/>${arcs}${finals}`));
    expect(net(imported(result).net)).toEqual({
      places: ["__proto__ 1", "constructor", "toString"],
      transitions: ["hasOwnProperty: __proto__ -> constructor"],
      finals: ["2 __proto__"],
    });
  });

  it("reads the net that is asked for", () => {
    const file = fixture("PNML003.pnml");
    expect(net(imported(importPnml(file, { netId: "second" })).net)).toMatchObject({ places: ["only 2"] });
    expect(imported(importPnml(file, { netId: "first" })).name).toBe("first");
  });
});

describe("importPnml refuses, with every issue at once", () => {
  it("PNML001 BR-113 a BPMN file, before any verdict", () => {
    expect(refusal(importPnml(fixture("PNML001-bpmn.bpmn")))).toEqual(["PNML001 2:1"]);
  });

  it("PNML002 a file without a net", () => {
    expect(refusal(importPnml(fixture("PNML002.pnml")))).toEqual(["PNML002 1:1"]);
  });

  it("PNML003 a choice between several nets", () => {
    expect(refusal(importPnml(fixture("PNML003.pnml")))).toEqual(["PNML003 1:1"]);
  });

  it("PNML004 a net that the file does not contain", () => {
    expect(refusal(importPnml(fixture("PNML003.pnml"), { netId: "third" }))).toEqual(["PNML004 1:1"]);
  });

  it("PNML005 nets of other types", () => {
    expect(refusal(importPnml(fixture("PNML005-coloured.pnml")))).toEqual(["PNML005 3:1 net/0"]);
    expect(refusal(importPnml(fixture("PNML005-timed.pnml")))).toEqual(["PNML005 3:1 net/0"]);
    expect(refusal(importPnml(pnml(small, 'type="http://example.org/some"')))).toEqual(["PNML005 1:7 net/0"]);
  });

  it("PNML006 nodes without an id", () => {
    expect(refusal(importPnml(fixture("PNML006.pnml")))).toEqual([
      "PNML006 9:1 net/0/place/2",
      "PNML006 10:1 net/0/transition/1",
      "PNML006 11:1 net/0/referencePlace/0",
    ]);
  });

  it("PNML007 ids that are used twice, by a place and a transition too", () => {
    expect(refusal(importPnml(fixture("PNML007.pnml")))).toEqual([
      "PNML007 9:1 net/0/place/2",
      "PNML007 10:1 net/0/transition/1",
      "PNML007 11:1 net/0/transition/2",
    ]);
  });

  it("PNML008 BR-118 arcs that dangle", () => {
    expect(refusal(importPnml(fixture("PNML008.pnml")))).toEqual([
      "PNML008 9:1 net/0/arc/2",
      "PNML008 10:1 net/0/arc/3",
      "PNML008 11:1 net/0/arc/4",
    ]);
  });

  it("PNML009 arcs between nodes of one kind", () => {
    expect(refusal(importPnml(fixture("PNML009.pnml")))).toEqual([
      "PNML009 9:1 net/0/arc/2",
      "PNML009 10:1 net/0/arc/3",
    ]);
  });

  it("PNML010 numbers that are none, too small, or stated twice", () => {
    expect(refusal(importPnml(fixture("PNML010.pnml")))).toEqual([
      "PNML010 4:15 net/0/place/0/initialMarking/0",
      "PNML010 5:15 net/0/place/1/initialMarking/0",
      "PNML010 6:62 net/0/place/2/initialMarking/1",
      "PNML010 8:36 net/0/arc/0/inscription/0",
      "PNML010 9:36 net/0/arc/1/inscription/0",
      "PNML010 10:36 net/0/arc/2/inscription/0",
      "PNML010 11:25 net/0/finalmarkings/0/marking/0/place/0",
    ]);
  });

  it("PNML011 references that lead nowhere, to the other kind, or round", () => {
    expect(refusal(importPnml(fixture("PNML011.pnml")))).toEqual([
      "PNML011 10:1 net/0/page/0/referencePlace/0",
      "PNML011 11:1 net/0/page/0/referencePlace/1",
      "PNML011 12:1 net/0/page/0/referencePlace/2",
      "PNML011 13:1 net/0/page/0/referenceTransition/0",
      "PNML011 14:1 net/0/page/0/referenceTransition/1",
    ]);
  });

  it("PNML012 inhibitor arcs whose place has no certain bound, by name; and from a transition", () => {
    const result = importPnml(fixture("PNML012.pnml"));
    expect(refusal(result)).toEqual(["PNML012 10:1 net/0/arc/3"]);
    expect(result.ok ? "" : result.issues[0]?.message).toBe(
      'an inhibitor arc from "o" to "t": no bound of "o" is certain',
    );
    expect(refusal(importPnml(fixture("PNML012-direction.pnml")))).toEqual(["PNML012 8:1 net/0/arc/1"]);
  });

  it("[D11.11] IMP010 inhibitor arcs in each of their forms become arcs of a complement place", () => {
    const result = importPnml(fixture("inhibitors.pnml"));
    expect(warnings(result)).toEqual(["IMP010 3:1 net/0"]);
    expect(net(imported(result).net)).toEqual({
      places: ["i 2", "o", "o.free 2"],
      transitions: ["t: i + 2 o.free -> o + o.free", "u: i + o.free -> o", "v: i + o.free -> o"],
      finals: ["1 o + 1 o.free"],
    });
  });

  it("[D11.11] IMP010 a capacity becomes a complement place, and 0 is none", () => {
    const place = (capacity: number) =>
      `<pnml><net id="n" type="ptnet"><place id="i"><initialMarking><text>3</text></initialMarking></place>
<place id="o"><capacity><value>${capacity}</value></capacity></place>
<transition id="t"/><arc source="i" target="t"/><arc source="t" target="o"/></net></pnml>`;
    expect(net(imported(importPnml(place(2))).net)).toEqual({
      places: ["i 3", "o", "o.free 2"],
      transitions: ["t: i + o.free -> o"],
      finals: ["1 o + 1 o.free"],
    });
    expect(warnings(importPnml(place(2)))).toEqual(["IMP010 1:7 net/0"]);
    expect(imported(importPnml(place(0))).net.places).toHaveLength(2);
  });

  it("IMP008 a capacity below the initial marking", () => {
    const text = `<pnml><net id="n" type="ptnet"><place id="i"><capacity><text>1</text></capacity>
<initialMarking><text>3</text></initialMarking></place><transition id="t"/><arc source="i" target="t"/></net></pnml>`;
    expect(refusal(importPnml(text))).toEqual(["IMP008 1:32 net/0/place/0"]);
  });

  it("IMP009 more ends than final markings can be listed for", () => {
    const ends = Array.from({ length: 40 }, (_, i) => i);
    const text = `<pnml><net id="n" type="ptnet"><place id="i"><capacity><text>1</text></capacity>
<initialMarking><text>1</text></initialMarking></place>${ends.map((i) => `<place id="e${i}"/><transition id="t${i}"/><arc source="i" target="t${i}"/><arc source="t${i}" target="e${i}"/>`).join("")}</net></pnml>`;
    expect(refusal(importPnml(text))).toEqual(["IMP009 1:7 net/0"]);
  });

  it("PNML013 timed and transport arcs", () => {
    expect(refusal(importPnml(fixture("PNML013.pnml")))).toEqual([
      "PNML013 9:1 net/0/arc/2",
      "PNML013 10:1 net/0/arc/3",
    ]);
  });

  it("PNML014 a reset arc from a transition", () => {
    expect(refusal(importPnml(fixture("PNML014.pnml")))).toEqual(["PNML014 9:1 net/0/arc/2"]);
  });

  it("PNML015 what only coloured, timed or bounded nets have", () => {
    expect(refusal(importPnml(fixture("PNML015.pnml")))).toEqual([
      "PNML015 4:15 net/0/place/0/type/0",
      "PNML015 4:44 net/0/place/0/hlinitialMarking/0",
      "PNML015 5:1 net/0/place/1",
      "PNML015 5:1 net/0/place/1",
      "PNML015 8:20 net/0/transition/0/condition/0",
      "PNML015 8:61 net/0/transition/0/delay/0",
      "PNML015 9:36 net/0/arc/0/hlinscription/0",
      "PNML015 10:1 net/0/arc/1",
    ]);
  });

  it("PNML016 final markings of places that do not exist", () => {
    expect(refusal(importPnml(fixture("PNML016.pnml")))).toEqual([
      "PNML016 10:1 net/0/finalmarkings/0/marking/0/place/1",
      "PNML016 10:43 net/0/finalmarkings/0/marking/0/place/2",
    ]);
  });

  it("PNML017 pages that do not refine one transition through its places", () => {
    expect(refusal(importPnml(fixture("PNML017.pnml")))).toEqual([
      "PNML017 14:1 net/0/arc/3",
      "PNML017 29:1 net/0/page/1",
      "PNML017 30:1 net/0/page/2",
    ]);
  });

  it("PNML017 a refined transition whose arcs the border cannot carry", () => {
    const file = new TextDecoder().decode(fixture("PNML022.pnml"));
    const arc = '<arc id="a3" source="a" target="sub"/>';
    const heavy = '<arc id="a3" source="a" target="sub"><inscription><text>2</text></inscription></arc>';
    for (const other of [heavy, arc.replace("/>", ' type="reset"/>'), arc.replace("/>", ' type="read"/>')]) {
      expect(refusal(importPnml(file.replace(arc, other)))).toEqual(["PNML017 13:1 net/0/arc/2"]);
    }
  });

  it("PNML007 ids that an inner net repeats beyond its border", () => {
    const file = new TextDecoder().decode(fixture("PNML022.pnml"));
    const inner = (node: string) => file.replace('<place id="m"/>', `<place id="m"/>${node}`);
    for (const node of ['<place id="m"/>', '<place id="a"/>', '<transition id="t1"/>', '<place id="sub"/>']) {
      expect(refusal(importPnml(inner(node)))).toEqual([expect.stringMatching(/^PNML007 21:16 /)]);
    }
  });

  it("PNML024 more final markings than can be kept", () => {
    const places = Array.from({ length: 5000 }, (_, i) => `<place id="p${i}"/>`).join("");
    const finals = `<finalmarkings>${"<marking/>".repeat(5000)}</finalmarkings>`;
    expect(refusal(importPnml(pnml(places + finals)))).toEqual([expect.stringMatching(/^PNML024 /)]);
  });

  it("IMP006 says how many issues there are beyond those listed", () => {
    const result = importPnml(pnml("<place/>".repeat(30)), { issuesMax: 10 });
    expect(result.ok ? [] : result.issues.slice(9)).toMatchObject([
      { code: "PNML006", path: ["net", 0, "place", 9] },
      { code: "IMP006", facts: { listed: 10, total: 30 } },
    ]);
  });

  it("IMP007 numbers above the largest, summed over parallel arcs too", () => {
    expect(refusal(importPnml(fixture("IMP007.pnml")))).toEqual([
      "IMP007 4:15 net/0/place/0/initialMarking/0",
      "IMP007 8:1 net/0/arc/1",
      "IMP007 9:36 net/0/arc/2/inscription/0",
    ]);
  });

  it("keeps messages and facts short, however long the ids are, and never cuts a character", () => {
    for (const start of ["", "x"]) {
      const id = start + "\u{1f600}".repeat(100_000);
      const result = importPnml(pnml(`<place id="${id}"/><place id="${id}"/>`));
      expect(JSON.stringify(result).length).toBeLessThan(3000);
      expect(result.ok ? "" : result.issues[0]?.message).not.toMatch(/\p{Surrogate}/u);
      expect(result.ok ? "" : result.issues[0]?.facts?.["id"]).not.toMatch(/\p{Surrogate}/u);
    }
  });
});

describe("importPnml warns", () => {
  it("PNML018 of a net without a type", () => {
    expect(warnings(importPnml(fixture("PNML018.pnml")))).toEqual(["PNML018 3:1 net/0"]);
  });

  it("PNML019 of elements that it does not know, once a kind", () => {
    const result = importPnml(fixture("PNML019.pnml"));
    expect(warnings(result)).toEqual([
      "PNML019 9:20 net/0/transition/1/rate/0",
      "PNML019 11:1 net/0/token/0",
    ]);
    expect(imported(result).warnings[0]?.facts).toEqual({ what: "<rate> in <transition>", count: 2 });
  });

  it("PNML020 of guards and variables", () => {
    const result = importPnml(fixture("PNML020.pnml"));
    expect(warnings(result).map((warning) => warning.split(" ")[0])).toEqual([
      "PNML020",
      "PNML020",
      "PNML020",
    ]);
    expect(imported(result)).toMatchObject({ initialGiven: true, finalGiven: true });
    expect(net(imported(result).net)).toEqual({
      places: ["i 1", "o"],
      transitions: ["t: i -> o"],
      finals: ["o"],
    });
  });

  it("PNML021 of an arc id that is used twice", () => {
    const result = importPnml(fixture("PNML021.pnml"));
    expect(warnings(result)).toEqual(["PNML021 9:1 net/0/arc/2"]);
    expect(net(imported(result).net)).toMatchObject({ transitions: ["t: i -> 2 o"] });
  });

  it("PNML022 of a sub-process page, which takes the place of its transition", () => {
    const result = importPnml(fixture("PNML022.pnml"));
    expect(warnings(result)).toEqual(["PNML022 17:1 net/0/page/0"]);
    expect(net(imported(result).net)).toEqual({
      places: ["i 1", "a", "b", "o", "m"],
      transitions: ["t1: i -> a", "t2: b -> o", "s1: a -> m", "s2: m -> b"],
      finals: ["o"],
    });
  });

  it("PNML023 of an empty final marking, which counts as not given", () => {
    const result = importPnml(fixture("PNML023.pnml"));
    expect(warnings(result)).toEqual([
      "PNML023 9:16 net/0/finalmarkings/0/marking/0",
      "PNML023 10:1 net/0/finalmarkings/0/marking/1",
    ]);
    expect(imported(result)).toMatchObject({
      finalGiven: false,
      net: { finals: { kind: "ends", ends: [1] } },
    });
  });
});
