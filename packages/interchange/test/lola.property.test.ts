import type { Net } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ImportedNet, importLola } from "../src/index.ts";
import { imported } from "./fixtures.ts";
import { lolaNet } from "./random-net.ts";

/** The net as LoLA text; `blank` stands between all words, and ones may be left out. */
function write(net: Net, blank: string, isTerse: boolean): string {
  const place = (p: number) => net.places[p]?.id ?? "";
  const number = (n: number) => (isTerse && n === 1 ? [] : [":", String(n)]);
  const list = (entries: readonly (readonly [number, number])[]) =>
    entries.flatMap(([p, n], i) => [...(i > 0 ? [","] : []), place(p), ...number(n)]);
  const marking = net.initial.flatMap((n, p) => (n > 0 ? [[p, n] as const] : []));
  return [
    "PLACE",
    ...net.places.flatMap(({ id }, p) => [...(p > 0 ? [","] : []), id]),
    ";",
    "MARKING",
    // Stated zeros: without them a reader would choose the source place.
    ...(marking.length > 0 ? list(marking) : [place(0), ":", "0"]),
    ";",
    ...net.transitions.flatMap(({ id, pre, post }) => [
      "TRANSITION",
      id,
      "CONSUME",
      ...list(pre),
      ";",
      "PRODUCE",
      ...list(post),
      ";",
    ]),
  ].join(blank);
}

function law(read: (text: string) => ImportedNet): void {
  fc.assert(
    fc.property(
      lolaNet,
      fc.constantFrom(" ", "\n", " { , ; PLACE } ", "\t/* x */\r\n", " // PLACE ;\n"),
      fc.boolean(),
      (net, blank, isTerse) => {
        expect(read(write(net, blank, isTerse)).net).toEqual(net);
      },
    ),
    { numRuns: 500 },
  );
}

describe("[D11.6] LoLA", () => {
  it("[D11.6] reads every net that is written in the format (oracle: the generated net)", () => {
    law((text) => imported(importLola(text)));
  });

  it("[D11.6] the law fails for a reader that takes every weight for one", () => {
    expect(() =>
      law((text) => {
        const value = imported(importLola(text));
        const one = value.net.transitions.map((t) => ({ ...t, pre: t.pre.map(([p]) => [p, 1] as const) }));
        return { ...value, net: { ...value.net, transitions: one } };
      }),
    ).toThrow();
  });
});
