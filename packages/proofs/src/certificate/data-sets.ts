/** @module What a plain product says of each obligation (D23.5), for checkers. */
import { canonicalJson, type Json, type Net } from "@tessera/core";
import type { DataObligationId } from "../data-level/data-verdicts.ts";
import { elementsOf } from "../elements.ts";
import { loopBounds, loopGrade } from "../obligations/loop-bounds.ts";
import type { DeadElement } from "../verdict.ts";
import type { Frame } from "./data-frame.ts";
import {
  completing,
  followed,
  isCertain,
  isFinalIn,
  type PlainProduct,
  reachedBy,
  type Taken,
} from "./data-product.ts";

/** A plain product with the sets that verdicts speak of. */
export interface Product extends PlainProduct {
  readonly frame: Frame;
  /** States that may be reached, and those that certain steps reach. */
  readonly may: ReadonlySet<number>;
  readonly certain: ReadonlySet<number>;
  readonly isFinal: (state: number) => boolean;
  /** From where completion can be brought about whatever open conditions answer, and at best. */
  readonly sure: ReadonlySet<number>;
  readonly hoped: ReadonlySet<number>;
  /** From where a state can be brought about at best in which the engine has nothing to do. */
  readonly resting: ReadonlySet<number>;
  readonly nextAt: (state: number) => readonly Taken[];
  readonly nextFrom: (state: number) => ReadonlySet<number>;
}

/** The sets of the product. */
export function shownBy(frame: Frame, product: PlainProduct): Product {
  const isNext = ({ isOrdered, isProvision, targets }: Taken) =>
    isOrdered && !isProvision && targets.length > 0;
  const nextAt = (state: number) => product.steps[state]!.filter(isNext);
  const isFinal = isFinalIn(frame, product);
  const isIdle = (state: number) => nextAt(state).every(({ isBeside }) => isBeside === true);
  return {
    ...product,
    frame,
    isFinal,
    nextAt,
    nextFrom: (state) => followed(product, [state], isNext),
    may: reachedBy(product, ({ isProvision }) => !isProvision),
    certain: reachedBy(product, isCertain),
    sure: completing(product, isFinal, false),
    hoped: completing(product, isFinal, true),
    resting: completing(product, isIdle, true),
  };
}

/** Is it not final, and is there no step that the world can choose wherever the data are these, and that is never refused? */
function mayBeStuck({ steps, isFinal }: Product, state: number): boolean {
  if (isFinal(state)) return false;
  return !steps[state]!.some(
    ({ isSure, isProvision, results }) =>
      isSure && !isProvision && !results.some(({ kind }) => kind === "refused"),
  );
}

/** Is completion out of reach there, whatever is answered? */
export function isLost({ hoped }: Product, state: number): boolean {
  return !hoped.has(state);
}

/** Does the run go on there for ever? */
export function isTrap(product: Product, state: number): boolean {
  return isLost(product, state) && !product.resting.has(state);
}

/** Why the obligation does not hold, or is not shown; null if it does. */
export function holdsTrouble(product: Product, id: DataObligationId): string | null {
  const { frame, states, steps, may, certain, sure } = product;
  const { net } = frame.program;
  const never = (isBad: (state: number) => boolean, what: string) => ([...may].some(isBad) ? what : null);
  const tokens = (state: number, place: number) => states[state]!.marking[place] ?? 0;
  const ends = net.finals.kind === "ends" ? net.finals.ends : [];
  switch (id) {
    case "O1":
      return never((state) => !sure.has(state), "some state cannot complete");
    case "O2":
      return never((state) => ends.some((end) => tokens(state, end) > 1), "a second token on an end");
    case "O3":
      return deadOrOpen(product);
    case "O4": {
      const isTwo = (state: number) =>
        net.places.some(({ role }, place) => role === "control" && tokens(state, place) > 1);
      return never(isTwo, "not safe");
    }
    case "O5": {
      const hasGap = (state: number) =>
        steps[state]!.some(({ gap, isProvision }) => gap !== "never" && !isProvision);
      return never(hasGap, "an answer finds no arc");
    }
    case "O7": {
      if (loopBounds(loopGrade(frame.compiled)).kind !== "holds")
        return "a cycle of the graph is not bounded";
      return [...certain].some((state) => isTrap(product, state)) ? "a loop cannot be left" : null;
    }
    case "deadlock":
      return never((state) => mayBeStuck(product, state), "a deadlock, or maybe one");
  }
}

/** Why the elements are not dead; null if they are. */
export function deadTrouble(product: Product, dead: readonly DeadElement[]): string | null {
  const used = firedBy(product, [...product.states.keys()], () => true);
  const known = new Set(
    elementsOnData(product.frame.program.net).map((one) => canonicalJson(one as unknown as Json)),
  );
  if (dead.length === 0) return "no element is dead";
  const isWrong = (one: DeadElement) =>
    !known.has(canonicalJson(one as unknown as Json)) || one.transitions.some((t) => used.has(t));
  return dead.some(isWrong) ? "an element is alive, or none" : null;
}

/** Each element must be used for certain, or by errors only that the data do not allow. */
function deadOrOpen(product: Product): string | null {
  const { may, certain, states, frame } = product;
  const surely = firedBy(product, [...certain], isCertain);
  const perhaps = firedBy(product, [...may], ({ isProvision }) => !isProvision);
  const provided = firedBy(product, [...states.keys()], () => true);
  const isTrouble = ({ transitions }: DeadElement) => {
    if (transitions.some((t) => surely.has(t))) return false;
    return transitions.some((t) => perhaps.has(t)) || !transitions.some((t) => provided.has(t));
  };
  return elementsOnData(frame.program.net).some(isTrouble) ? "an element is dead, or may be" : null;
}

function firedBy(
  { steps }: PlainProduct,
  states: readonly number[],
  takes: (step: Taken) => boolean,
): ReadonlySet<number> {
  const results = states.flatMap((state) => steps[state]!.filter(takes).flatMap((step) => step.results));
  return new Set(results.flatMap((result) => (result.kind === "state" ? result.fired : [])));
}

/** Nodes with phase and outcome, and arcs; not that a branch of an OR split is passed over. */
function elementsOnData(net: Net): readonly DeadElement[] {
  const transitions = net.transitions.map((t) => ({ ...t, generated: true }));
  const isSkip = (t: number) => net.transitions[t]!.origin?.phase === "skip";
  return elementsOf({ ...net, transitions }).filter((element) => !element.transitions.every(isSkip));
}
