/** @module Checks `holds` by building the reachable markings again. */
import { isFinal, type Marking, type Net, type NonLocalRules } from "@tessera/core";
import { elementsOf } from "../elements.ts";
import { improperCompletion } from "../obligations/proper-completion.ts";
import { unsafePlace } from "../obligations/safeness.ts";
import type { NetObligationId, Support } from "../verdict.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";
import { markingsOf, type Reached, reached, reaching } from "./reached.ts";

/** What is reachable in a net, built once for all that is claimed of it, and looked at as far as is asked. */
export interface Enumeration {
  readonly all: Reached;
  readonly markings: readonly Marking[];
  /** 1 for the final markings. */
  readonly finals: Uint8Array;
}

/** Enumerations by net; null: more markings than the number, the greatest that was tried. */
export type Enumerations = Map<Net, Enumeration | { readonly all: null; readonly beyond: number }>;

interface Options {
  readonly rules: NonLocalRules;
  readonly statesMax: number;
  readonly enumerations: Enumerations;
}

/** Does the obligation hold in the reachable markings, which must be as many as `support` says? */
export function checkEnumerated(
  net: Net,
  id: NetObligationId | "sound",
  support: Support,
  options: Options,
): Checked {
  if (support.states > options.statesMax) return { kind: "unchecked", reason: `${support.states} markings` };
  const found = enumeration(net, support.states, options);
  if (found === null) return invalid(`not ${support.states} reachable markings`);
  const { all, markings, finals } = found;
  switch (id) {
    case "O1":
      return allComplete(found) ? VALID : invalid("some marking cannot complete");
    case "O2":
      return isProper(net, markings) ? VALID : invalid("improper completion");
    case "O3":
      return someElementIsDead(net, all) ? invalid("an element is dead") : VALID;
    case "O4":
      return markings.some((M) => unsafePlace(net, M) !== null) ? invalid("not safe") : VALID;
    case "deadlock":
      return isStuck(all, finals) ? invalid("a deadlock") : VALID;
    case "bounded":
      return VALID;
    case "sound":
      return isProper(net, markings) && allComplete(found) && !someElementIsDead(net, all)
        ? VALID
        : invalid("not sound");
  }
}

/** The reachable markings of `net`, which must be exactly `size`; null if they are not. */
export function enumeration(net: Net, size: number, { rules, enumerations }: Options): Enumeration | null {
  let known = enumerations.get(net);
  if (known === undefined || (known.all === null && known.beyond < size)) {
    const all = reached(net, net.initial, size, rules);
    known = all === null ? { all, beyond: size } : enumerated(net, all);
    enumerations.set(net, known);
  }
  return known.all !== null && known.markings.length === size ? known : null;
}

function enumerated(net: Net, all: Reached): Enumeration {
  const markings = markingsOf(all);
  return { all, markings, finals: Uint8Array.from(markings, (M) => (isFinal(net, M) ? 1 : 0)) };
}

function isProper(net: Net, markings: readonly Marking[]): boolean {
  return markings.every((M) => improperCompletion(net, M) === null);
}

function allComplete({ all, finals }: Enumeration): boolean {
  return !reaching(all, finals).includes(0);
}

/** Is some marking not final and left by no firing? */
function isStuck({ source }: Reached, finals: Uint8Array): boolean {
  const goesOn = Uint8Array.from(finals);
  for (const row of source) goesOn[row] = 1;
  return goesOn.includes(0);
}

function someElementIsDead(net: Net, { isEnabled }: Reached): boolean {
  return elementsOf(net).some(({ transitions }) => !transitions.some((t) => isEnabled[t] === 1));
}
