import { makeNet, type Net } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  exportLola,
  exportPnml,
  exportTina,
  type ImportedNet,
  importLola,
  importNet,
  importPnml,
  importTina,
} from "../src/index.ts";
import { imported, refusal } from "./fixtures.ts";
import { lolaNet, pnmlNet } from "./random-net.ts";

/** A net without resets, with the ends that a reader of a format without final markings chooses. */
const plainNet: fc.Arbitrary<Net> = pnmlNet.map((net) => {
  const transitions = net.transitions.map((t) => ({ ...t, reset: [] }));
  const consumed = new Set(transitions.flatMap(({ pre }) => pre.map(([p]) => p)));
  const ends = net.places.map((_, p) => p).filter((p) => !consumed.has(p));
  return makeNet({ ...net, transitions, finals: { kind: "ends", ends } });
});

function textOf(result: ReturnType<typeof exportLola>): string {
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value.text;
}

/** The net without what LoLA cannot hold. */
function unlabelled(net: Net): Net {
  const bare = <T extends { readonly label?: string }>({ label: _, ...rest }: T) => rest;
  return { ...net, places: net.places.map(bare), transitions: net.transitions.map(bare) };
}

/** Law: what is written is read back as the same net. Oracle: the generated net. */
function roundTrip(
  net: fc.Arbitrary<Net>,
  trip: (net: Net) => ImportedNet,
  kept: (net: Net) => unknown,
): void {
  fc.assert(
    fc.property(net, (given) => {
      expect(kept(trip(given).net)).toEqual(kept(given));
    }),
    { numRuns: 500 },
  );
}

const byTina = (net: Net) => imported(importTina(textOf(exportTina(net, { name: "a {net}" }))));
const byLola = (net: Net) => imported(importLola(textOf(exportLola(net, { name: "a {net}" }))));

describe("[D11.13] writing TINA's format", () => {
  it("[D11.13] import after export is the identity on nets without resets", () => {
    roundTrip(plainNet, byTina, (net) => net);
    roundTrip(lolaNet, byTina, (net) => net);
    roundTrip(
      plainNet,
      (net) => imported(importNet(textOf(exportTina(net)))),
      (net) => net,
    );
  });

  it("[D11.13] the law fails for writers that lose weights, labels, markings or escapes", () => {
    const broken: readonly ((text: string) => string)[] = [
      (text) => text.replace(/\*\d+/, ""),
      (text) => text.replace(/^(pl \S+) : \S+/m, "$1"),
      (text) => text.replace(/ \(\d+\)/, ""),
      (text) => text.replace(/\\([{}\\])/, "$1"),
    ];
    for (const lose of broken)
      expect(() =>
        roundTrip(
          plainNet,
          (net) => imported(importTina(lose(textOf(exportTina(net))))),
          (net) => net,
        ),
      ).toThrow();
  });

  it("TINA007 TINA008 resets, rules, empty ids and half characters are refused, all at once", () => {
    const t = { pre: [], any: [], post: [], reset: [] };
    const net: Net = {
      places: [
        { id: "", role: "control" },
        { id: "\ud800", role: "control" },
      ],
      transitions: [
        { ...t, id: "a", reset: [1] },
        { ...t, id: "b", rule: "or" },
        { ...t, id: "c", label: "\udc00" },
      ],
      initial: [0, 0],
      finals: { kind: "ends", ends: [] },
    };
    expect(refusal(exportTina(net))).toEqual([
      "TINA007 - transitions/0",
      "TINA007 - transitions/1",
      "TINA008 - places/0",
      "TINA008 - places/1",
      "TINA008 - transitions/2",
    ]);
  });
});

describe("[D11.12] writing LoLA's format", () => {
  it("[D11.12] import after export is the identity on nets whose ids are words of LoLA", () => {
    roundTrip(lolaNet, byLola, (net) => net);
  });

  it("[D11.12] other ids are renamed one to one, and nothing else changes", () => {
    const shape = (net: Net) => {
      const { places, transitions, ...rest } = unlabelled(net);
      return { ...rest, places: places.length, transitions: transitions.map(({ id: _, ...t }) => t) };
    };
    roundTrip(plainNet, byLola, shape);
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ unit: "binary", maxLength: 4 }), { minLength: 1, maxLength: 6 }),
        (ids) => {
          const net: Net = {
            places: ids.map((id) => ({ id, role: "control" })),
            transitions: [],
            initial: ids.map(() => 0),
            finals: { kind: "ends", ends: ids.map((_, p) => p) },
          };
          expect(byLola(net).net.places).toHaveLength(ids.length);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("[D11.12] the law fails for writers that lose weights, entries or the marking", () => {
    const broken: readonly ((text: string) => string)[] = [
      (text) => text.replace(/(CONSUME.*): \d+/, "$1"),
      (text) => text.replace(/MARKING.*;/, "MARKING;"),
      (text) => text.replace(/(PRODUCE)[^;]*;/, "$1;"),
    ];
    for (const lose of broken)
      expect(() =>
        roundTrip(
          lolaNet,
          (net) => imported(importLola(lose(textOf(exportLola(net))))),
          (net) => net,
        ),
      ).toThrow();
  });

  it("LOLA010 resets and optional inputs are refused; LOLA011 LOLA012 IMP011 what is renamed or lost is said", () => {
    const net: Net = {
      places: [
        { id: "a b", label: "A", role: "control" },
        { id: "PLACE", role: "control" },
      ],
      transitions: [{ id: "t", pre: [[0, 1]], any: [], post: [[1, 1]], reset: [] }],
      initial: [1, 0],
      finals: { kind: "markings", markings: [[0, 2]] },
    };
    const written = exportLola(net);
    expect(written.ok && written.value.text).toBe(
      "PLACE a%0020b, %0050LACE;\nMARKING a%0020b: 1;\nTRANSITION t\n  CONSUME a%0020b: 1;\n  PRODUCE %0050LACE: 1;\n",
    );
    expect(written.ok && written.value.warnings.map(({ code }) => code)).toEqual([
      "IMP011",
      "LOLA011",
      "LOLA012",
    ]);
    const [t] = net.transitions;
    const odd = {
      ...net,
      transitions:
        t === undefined
          ? []
          : [
              { ...t, reset: [0] },
              { ...t, id: "u", any: [1] },
            ],
    };
    expect(refusal(exportLola(odd))).toEqual(["LOLA010 - transitions/0", "LOLA010 - transitions/1"]);
  });

  it("LOLA013 a net without places is refused: LoLA's grammar has none (found by mutated inputs)", () => {
    const finals = { kind: "ends", ends: [] } as const;
    expect(refusal(exportLola({ places: [], transitions: [], initial: [], finals }))).toEqual([
      "LOLA013 - places",
    ]);
  });
});

describe("one net through every format", () => {
  it("[D11.12] [D11.13] PNML to TINA to LoLA to PNML is the same net", () => {
    roundTrip(
      lolaNet,
      (net) => {
        const pnml = (each: Net) => {
          const written = exportPnml(each);
          if (!written.ok) throw new Error("not written");
          return imported(importPnml(written.value)).net;
        };
        // PNML has one space of ids for places and transitions.
        const apart = { ...net, transitions: net.transitions.map((t) => ({ ...t, id: `t.${t.id}` })) };
        const { net: back, ...rest } = byLola(byTina(pnml(apart)).net);
        const again = pnml(back);
        return {
          ...rest,
          net: { ...again, transitions: again.transitions.map((t) => ({ ...t, id: t.id.slice(2) })) },
        };
      },
      (net) => net,
    );
  });
});
