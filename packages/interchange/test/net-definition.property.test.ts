import {
  canonicalJson,
  compileNetDefinition,
  isFinal,
  isJson,
  type Json,
  type Net,
  type NetDefinition,
} from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exportPnml, type ImportedNet, importPnml, netDefinition } from "../src/index.ts";
import { imported } from "./fixtures.ts";
import { pnmlNet } from "./random-net.ts";

/** A random net as it comes from a file. */
const importedNet = pnmlNet.map((net): ImportedNet => {
  const text = exportPnml(net);
  if (!text.ok) throw new Error(JSON.stringify(text.issues));
  return imported(importPnml(text.value));
});

/** All markings with at most two tokens on each of at most four places, and otherwise those that are one step from final. */
function smallMarkings(net: Net): readonly (readonly number[])[] {
  const count = net.places.length;
  const digits = (code: number) => net.places.map((_, p) => Math.floor(code / 3 ** p) % 3);
  return Array.from({ length: Math.min(3 ** count, 243) }, (_, code) => digits(code)).concat(
    net.finals.kind === "markings" ? net.finals.markings.map((marking) => [...marking]) : [],
  );
}

function law(define: (value: ImportedNet) => NetDefinition): void {
  fc.assert(
    fc.property(importedNet, (value) => {
      const definition = define(value);
      expect(isJson(definition)).toBe(true);
      // Stored as text and read back, so that a key such as __proto__ must survive.
      const stored = JSON.parse(canonicalJson(definition as unknown as Json)) as NetDefinition;
      const compiled = compileNetDefinition(stored);
      if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
      const { net } = compiled.value;
      expect(net.places).toEqual(value.net.places);
      expect(net.initial).toEqual(value.net.initial);
      expect(net.transitions.map(({ origin: _, ...transition }) => transition)).toEqual(
        value.net.transitions,
      );
      for (const marking of smallMarkings(value.net)) {
        expect(isFinal(net, marking)).toBe(isFinal(value.net, marking));
      }
    }),
    { numRuns: 300 },
  );
}

describe("[D11.7] definition of an imported net", () => {
  it("[D11.7] compiles to the same net, with the same final markings", () => {
    law((value) => netDefinition(value, "some-id"));
  });

  it("[D11.7] the law fails if the final markings are left to the default", () => {
    expect(() =>
      law((value) => {
        const { finals: _, ...rest } = netDefinition(value, "some-id");
        return rest;
      }),
    ).toThrow();
  });

  it("[D11.7] carries id and name", () => {
    const value = imported(importPnml('<pnml><net id="n" type="ptnet"><place id="__proto__"/></net></pnml>'));
    expect(netDefinition(value, "x")).toEqual({
      format: 1,
      kind: "net",
      id: "x",
      label: "n",
      places: [{ id: "__proto__" }],
      transitions: [],
    });
  });
});
