import { makeNet, type Net, type Transition } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { exportPnml, importPnml } from "../src/index.ts";
import { imported, refusal } from "./fixtures.ts";

const t: Transition = { id: "t", pre: [[0, 2]], any: [], post: [[1, 1]], reset: [2] };
const base: Net = makeNet({
  places: [
    { id: "i", label: "<start> & 'go'", role: "control" },
    { id: "o", role: "control" },
    { id: "r", role: "control" },
  ],
  transitions: [t],
  initial: [2, 0, 0],
  finals: { kind: "ends", ends: [1] },
});

describe("exportPnml", () => {
  it("writes a file that other tools read", () => {
    const text = exportPnml(base, { name: "small" });
    expect(text.ok && text.value).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
       <net id="net" type="http://www.pnml.org/version-2009/grammar/ptnet"><name><text>small</text></name>
        <page id="page">
         <place id="i"><name><text>&lt;start&gt; &amp; 'go'</text></name><initialMarking><text>2</text></initialMarking></place>
         <place id="o"></place>
         <place id="r"></place>
         <transition id="t"></transition>
         <arc id="a1" source="i" target="t"><inscription><text>2</text></inscription></arc>
         <arc id="a2" source="r" target="t"><arctype><text>reset</text></arctype></arc>
         <arc id="a3" source="t" target="o"></arc>
        </page>
       </net>
      </pnml>
      "
    `);
  });

  it("states an empty initial marking, so that no reader chooses one", () => {
    const empty = exportPnml({ ...base, initial: [0, 0, 0] });
    expect(imported(importPnml(empty.ok ? empty.value : "")).net.initial).toEqual([0, 0, 0]);
  });

  it("PNML025 refuses optional inputs and rules", () => {
    const net = {
      ...base,
      transitions: [
        { ...t, any: [2] },
        { ...t, id: "u", rule: "or-join" },
      ],
    };
    expect(refusal(exportPnml(net))).toEqual(["PNML025 - transitions/0", "PNML025 - transitions/1"]);
  });

  it("PNML026 refuses final markings that a reader would take for none, and too many ends", () => {
    const finals = [
      { kind: "markings", markings: [] },
      { kind: "markings", markings: [[0, 0, 0]] },
      { kind: "ends", ends: [] },
    ] as const;
    for (const each of finals)
      expect(refusal(exportPnml({ ...base, finals: each }))).toEqual(["PNML026 - finals"]);
    const places = Array.from({ length: 13 }, (_, p) => ({ id: `p${p}`, role: "control" }) as const);
    const ends = places.map((_, p) => p).slice(0, 11);
    const wide: Net = {
      places,
      transitions: [],
      initial: places.map(() => 0),
      finals: { kind: "ends", ends },
    };
    expect(refusal(exportPnml(wide))).toEqual(["PNML026 - finals"]);
    expect(exportPnml({ ...wide, finals: { kind: "ends", ends: ends.slice(1) } }).ok).toBe(true);
  });

  it("PNML027 refuses characters that XML cannot hold, and empty ids", () => {
    const net: Net = {
      ...base,
      places: [
        { id: "\u0000", role: "control" },
        { id: "o", label: "\ud800", role: "control" },
        { id: "", role: "control" },
      ],
      transitions: [{ ...t, label: "\ufffe" }],
    };
    expect(refusal(exportPnml(net, { name: "\u001b" }))).toEqual([
      "PNML027 - name",
      "PNML027 - places/0/id",
      "PNML027 - places/1/label",
      "PNML027 - places/2/id",
      "PNML027 - transitions/0/label",
    ]);
  });

  it("PNML028 refuses a place and a transition with the same id", () => {
    expect(refusal(exportPnml({ ...base, transitions: [{ ...t, id: "o" }] }))).toEqual([
      "PNML028 - transitions/0/id",
    ]);
  });
});
