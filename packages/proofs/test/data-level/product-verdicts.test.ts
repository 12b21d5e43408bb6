/** @module Verdicts read off products that are written down by hand: states, steps, and what is said of each step. */
import type { ConditionData, Data, Marking } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { frameOf } from "../../src/certificate/data-frame.ts";
import type { PlainResult } from "../../src/certificate/data-leave.ts";
import {
  completing,
  FAILED,
  followed,
  isCertain,
  type PlainProduct,
  reachedBy,
  type Taken,
} from "../../src/certificate/data-product.ts";
import {
  deadTrouble,
  holdsTrouble,
  isLost,
  isTrap,
  type Product,
  shownBy,
} from "../../src/certificate/data-sets.ts";
import { untoldOf } from "../../src/certificate/data-untold.ts";
import { questionsOf } from "../../src/data-level/conditions-read.ts";
import { domainOf } from "../../src/data-level/domain.ts";
import { elementsOf } from "../../src/elements.ts";
import { end, gateway, human, loop, start, transform, workflow } from "../workflow-text.ts";

const FLOW = workflow([start, human("ask"), end], ["start -> ask", "ask -> end"]);
const { net } = FLOW;

function frameFor(compiled: typeof FLOW) {
  const found = domainOf(questionsOf(compiled));
  if (found.kind !== "domain") throw new Error(found.reason);
  return frameOf(compiled, found.domain);
}

const FRAME = frameFor(FLOW);
const END = net.places.findIndex(({ origin }) => origin?.kind === "end");
const REST = net.places.findIndex(({ origin }) => origin?.kind === "rest");
const marked = (places: Readonly<Record<number, number>>): Marking =>
  net.places.map((_, place) => places[place] ?? 0) as unknown as Marking;

/** A step to states, the engine's, sure and certain in all else that nothing says otherwise of. */
function to(targets: readonly number[], more: Partial<Taken> = {}): Taken {
  const results = targets.map(
    (target): PlainResult =>
      target === FAILED
        ? { kind: "failed" }
        : { kind: "state", marking: net.initial, data: {}, open: [], fired: [] },
  );
  return {
    node: 1,
    outcome: "done",
    data: {} as Data,
    isOrdered: true,
    isSure: true,
    isPlayable: true,
    isProvision: false,
    gap: "never",
    results,
    targets,
    ...more,
  };
}

/** A product whose first state is where a run starts, and whose last is final. */
function product(
  steps: readonly (readonly Taken[])[],
  markings: Readonly<Record<number, Marking>> = {},
  initial = 1,
): PlainProduct {
  const states = steps.map((_, state) => ({
    marking: markings[state] ?? (state === steps.length - 1 ? marked({ [END]: 1 }) : marked({ [REST]: 1 })),
    data: {},
    open: [],
  }));
  return { states, initial, steps };
}
const shown = (plain: PlainProduct): Product => shownBy(FRAME, plain);
const sorted = (set: ReadonlySet<number>) => [...set].sort((a, b) => a - b);
const refusal = { results: [{ kind: "refused" } as const], targets: [] };

describe("[D23.3] sets of a product", () => {
  it("[D23.3] a step is certain that is the engine's, brought about by a run, no provision, and has one result", () => {
    expect(isCertain(to([1]))).toBe(true);
    for (const flag of [{ isOrdered: false }, { isPlayable: false }, { isProvision: true }])
      expect(isCertain(to([1], flag)), JSON.stringify(flag)).toBe(false);
    expect(isCertain(to([1, 2]))).toBe(false);
    expect(isCertain(to([]))).toBe(false);
    expect(isCertain(to([1], { isSure: false }))).toBe(true);
  });

  it("[D23.3] follows steps that are taken, and nothing where the run has failed", () => {
    const plain = product([[to([1]), to([2], { isSure: false })], [to([FAILED, 0])], [], []]);
    expect(sorted(followed(plain, [1], () => true))).toEqual([0, 1, 2]);
    expect(sorted(followed(plain, [0], ({ isSure }) => isSure))).toEqual([0, 1]);
    expect(sorted(reachedBy({ ...plain, initial: 2 }, () => false))).toEqual([0, 1]);
  });

  it("[D23.4] completion is brought about by the engine's sure steps of which all results lead to it", () => {
    const isGoal = (state: number) => state === 3;
    const from = (step: Taken, atBest: boolean) =>
      completing(product([[step], [], [to([3])], []]), isGoal, atBest).has(0);
    expect(from(to([3]), false)).toBe(true);
    expect(from(to([2]), false)).toBe(true);
    expect(from(to([FAILED]), false)).toBe(true);
    expect(from(to([2, FAILED, 3]), false)).toBe(true);
    expect(from(to([1]), false)).toBe(false);
    expect(from(to([1, 3]), false)).toBe(false);
    expect(from(to([]), false)).toBe(false);
    for (const flag of [{ isOrdered: false }, { isProvision: true }, { isSure: false }])
      expect(from(to([3], flag), false), JSON.stringify(flag)).toBe(false);
    // At best: whatever the choice, some of whose results are such.
    expect(from(to([1, 3]), true)).toBe(true);
    expect(from(to([3], { isSure: false }), true)).toBe(true);
    expect(from(to([1]), true)).toBe(false);
    expect(from(to([]), true)).toBe(false);
    for (const flag of [{ isOrdered: false }, { isProvision: true }])
      expect(from(to([3], flag), true), JSON.stringify(flag)).toBe(false);
  });

  it("[D23.5] may be reached by any step but a provision, for certain by certain ones", () => {
    const steps = [
      [
        to([1]),
        to([2], { isOrdered: false }),
        to([3], { isProvision: true }),
        to([4], { isPlayable: false }),
      ],
      [],
      [],
      [],
      [],
      [],
    ];
    const { may, certain } = shown(product(steps));
    expect(sorted(may)).toEqual([0, 1, 2, 4]);
    expect(sorted(certain)).toEqual([0, 1]);
  });

  it("[D23.5] what comes next are the engine's steps that lead somewhere", () => {
    const steps = [
      [to([1]), to([2], { isOrdered: false }), to([3], { isProvision: true }), to([])],
      [to([0])],
      [],
      [],
    ];
    const { nextAt, nextFrom } = shown(product(steps));
    expect(nextAt(0)).toEqual([steps[0]![0]]);
    expect(sorted(nextFrom(0))).toEqual([0, 1]);
  });
});

describe("[D23.5] what holds on a product", () => {
  const trouble = (plain: PlainProduct, id: Parameters<typeof holdsTrouble>[1]) =>
    holdsTrouble(shown(plain), id);

  it("[D23.5] O1: every state that may be reached can complete, surely", () => {
    expect(trouble(product([[to([1])], []]), "O1")).toBeNull();
    expect(trouble(product([[to([2]), to([1])], [], []]), "O1")).toBe("some state cannot complete");
    expect(trouble(product([[to([2]), to([1], { isOrdered: false })], [], []]), "O1")).not.toBeNull();
    expect(trouble(product([[to([2]), to([1], { isProvision: true })], [], []]), "O1")).toBeNull();
    expect(trouble(product([[to([1], { isSure: false })], []]), "O1")).not.toBeNull();
    expect(trouble(product([[to([0, 1])], []]), "O1")).not.toBeNull();
    expect(trouble(product([[to([1, 2])], [], []]), "O1")).not.toBeNull();
  });

  it("[D23.5] O2 and O4: no state that may be reached has two tokens on an end, on a control place", () => {
    const control = net.places.findIndex(({ role }, place) => role === "control" && place !== END);
    const at = (places: Readonly<Record<number, number>>) =>
      product([[to([1])], [to([2])], []], { 1: marked(places) });
    expect(trouble(at({ [END]: 1 }), "O2")).toBeNull();
    expect(trouble(at({ [END]: 2 }), "O2")).toBe("a second token on an end");
    expect(trouble(at({ [control]: 2 }), "O2")).toBeNull();
    expect(trouble(at({ [control]: 1, [END]: 1 }), "O4")).toBeNull();
    expect(trouble(at({ [control]: 2 }), "O4")).toBe("not safe");
    const { steps } = at({});
    const unreached = { ...at({ [control]: 2, [END]: 2 }), steps: [[to([2])], ...steps.slice(1)] };
    expect(trouble(unreached, "O4")).toBeNull();
    expect(trouble(unreached, "O2")).toBeNull();
  });

  it("[D23.5] O5: no choice there has trouble, on any way", () => {
    const with5 = (gap: Taken["gap"], more: Partial<Taken> = {}) =>
      trouble(product([[to([1]), to([1], { gap, ...more })], []]), "O5");
    expect(with5("never")).toBeNull();
    expect(with5("some")).toBe("an answer finds no arc");
    expect(with5("all")).toBe("an answer finds no arc");
    expect(with5("all", { isOrdered: false })).not.toBeNull();
    expect(with5("all", { isProvision: true })).toBeNull();
    expect(trouble(product([[to([2])], [to([2], { gap: "all" })], []]), "O5")).toBeNull();
  });

  it("[D23.5] deadlock: every state that is not final has a sure choice that is never refused", () => {
    const stuck = (...steps: readonly Taken[]) => trouble(product([steps, []]), "deadlock");
    const none = "a deadlock, or maybe one";
    expect(stuck(to([1]))).toBeNull();
    expect(stuck(to([1], { isOrdered: false }))).toBeNull();
    expect(stuck()).toBe(none);
    expect(stuck(to([1], { isSure: false }))).toBe(none);
    expect(stuck(to([1], { isProvision: true }))).toBe(none);
    expect(stuck(to([1], refusal))).toBe(none);
    expect(stuck(to([1], { results: [...to([1]).results, { kind: "refused" }] }))).toBe(none);
    expect(stuck(to([1], refusal), to([1]))).toBeNull();
  });

  it("[D23.5] O7: no state that is reached for certain is a trap: one without an end or a rest in sight", () => {
    const spin = product([[to([1])], [to([0])], []]);
    expect(isLost(shown(spin), 0)).toBe(true);
    expect(isTrap(shown(spin), 0)).toBe(true);
    expect(trouble(spin, "O7")).toBe("a loop cannot be left");
    // Where the run rests and waits for nothing, it does not go on for ever.
    const rests = product([[to([1])], [to([0]), to([2])], [], []]);
    expect(isLost(shown(rests), 0)).toBe(true);
    expect(isTrap(shown(rests), 0)).toBe(false);
    expect(trouble(rests, "O7")).toBeNull();
    // A run beside the token is no way on.
    const beside = product([[to([1])], [to([0]), to([2])], [to([2], { isBeside: true })], []]);
    expect(isTrap(shown(beside), 0)).toBe(false);
    const goes = product([[to([1])], [to([0]), to([2])], [to([2])], []]);
    expect(isTrap(shown(goes), 0)).toBe(true);
    const maybe = product([[to([2]), to([1], { isPlayable: false })], [to([1])], []]);
    expect(trouble(maybe, "O7")).toBeNull();
    expect(trouble(product([[to([1])], []]), "O7")).toBeNull();
  });

  it("[D23.5] O7: and it holds at the level of the net", () => {
    const fine = product([[to([1])], []]);
    const governed = loop(1);
    expect(
      holdsTrouble(shownBy(frameFor(governed), { ...fine, states: [], steps: [], initial: 0 }), "O7"),
    ).toBeNull();
    const cycle = workflow(
      [start, gateway("head"), transform("work"), gateway("fork"), end],
      [
        "start -> head",
        "head -> work",
        "work -> fork",
        "work: error -> fork",
        { from: "fork", to: "head", guard: { key: "x", op: "lessThan", value: 2 } as ConditionData },
        { from: "fork", to: "end", default: true },
      ],
    );
    const free = shownBy(frameFor(cycle), { states: [], steps: [], initial: 0 });
    expect(holdsTrouble(free, "O7")).toBe("a cycle of the graph is not bounded");
  });
});

describe("[D23.5] dead elements of a product", () => {
  const fires = (transitions: readonly number[], target: number, more: Partial<Taken> = {}): Taken =>
    to([target], {
      results: [{ kind: "state", marking: net.initial, data: {}, open: [], fired: transitions as never }],
      ...more,
    });
  const all = net.transitions.map((_, t) => t);
  const elements = elementsOf({
    ...net,
    transitions: net.transitions.map((t) => ({ ...t, generated: true })),
  });

  it("[D23.5] O3 holds if each is used for certain, or as a provision only", () => {
    const using = (transitions: readonly number[], more: Partial<Taken> = {}) => [
      fires(transitions, 1, more),
    ];
    const trouble = (...steps: readonly Taken[]) => holdsTrouble(shown(product([steps, []])), "O3");
    expect(trouble(...using(all))).toBeNull();
    expect(trouble(...using(all.slice(1)))).toBe("an element is dead, or may be");
    expect(trouble(...using(all.slice(1)), ...using([0], { isProvision: true }))).toBeNull();
    expect(trouble(...using(all.slice(1)), ...using([0], { isOrdered: false }))).not.toBeNull();
    expect(trouble(...using(all.slice(1)), ...using([0], { isPlayable: false }))).not.toBeNull();
    expect(
      trouble(
        ...using(all.slice(1)),
        ...using([0], { isPlayable: false }),
        ...using([0], { isProvision: true }),
      ),
    ).not.toBeNull();
    expect(trouble(...all.map((t) => fires([t], 1)))).toBeNull();
  });

  it("[D23.5] what follows only on a step that is not certain is not used for certain", () => {
    const behind = (more: Partial<Taken>) =>
      holdsTrouble(shown(product([[to([1], more)], [fires(all, 2)], []])), "O3");
    expect(behind({})).toBeNull();
    expect(behind({ isPlayable: false })).not.toBeNull();
    expect(behind({ isProvision: true })).toBeNull();
  });

  it("[D23.6] are dead that are elements and of which no step fires anything", () => {
    const [first, second] = [
      elements[0]!,
      elements.find((one) => one.transitions[0] !== elements[0]!.transitions[0])!,
    ];
    const plain = shown(product([[fires(second.transitions, 1)], []]));
    expect(deadTrouble(plain, [first])).toBeNull();
    expect(deadTrouble(plain, [])).toBe("no element is dead");
    expect(deadTrouble(plain, [second])).toBe("an element is alive, or none");
    expect(deadTrouble(plain, [first, second])).not.toBeNull();
    expect(deadTrouble(plain, [second, first])).not.toBeNull();
    expect(deadTrouble(plain, [{ ...first, transitions: [] }])).not.toBeNull();
    const provided = shown(product([[fires(first.transitions, 1, { isProvision: true })], []]));
    expect(deadTrouble(provided, [first])).not.toBeNull();
  });
});

describe("[D23.3] one step of which it is not told which of several it is", () => {
  const state = (fired: number): PlainResult => ({
    kind: "state",
    marking: net.initial,
    data: {},
    open: [],
    fired: [fired] as never,
  });
  const one = to([1], { results: [state(1)], gap: "never" });
  const manner = { isPlayable: false };

  it("[D23.3] leads to what any of them leads to, each once", () => {
    const other = { ...one, results: [state(2), state(1), { kind: "failed" } as const] };
    expect(untoldOf([one, other], manner).results).toEqual([state(1), state(2), { kind: "failed" }]);
    expect(untoldOf([one], manner)).toEqual({ ...one, isPlayable: false });
    expect(untoldOf([one], { isPlayable: true }).isPlayable).toBe(true);
  });

  it.each([
    [["all", "all"], "all"],
    [["never", "never"], "never"],
    [["all", "never"], "some"],
    [["never", "all"], "some"],
    [["some", "some"], "some"],
    [["never", "some"], "some"],
    [["some", "all"], "some"],
  ] as const)("[D23.3] with gaps %j it has a gap on %s answers", (gaps, gap) => {
    expect(
      untoldOf(
        gaps.map((own) => ({ ...one, gap: own })),
        manner,
      ).gap,
    ).toBe(gap);
  });
});
