/** @module Which arcs a node takes on data, by hand: truth tables with errors, open answers in all combinations, splits, defaults. */
import { type Arc, type Condition, type ConditionData, type Data, parseCondition } from "@tessera/core";
import { describe, expect, it } from "vitest";
import type { PlainResult, PlainStep } from "../../src/certificate/data-leave.ts";
import {
  type Answer,
  answerOf,
  type Oracle,
  routeOn,
  TooManyAnswers,
  underAllAnswers,
} from "../../src/certificate/data-route.ts";
import { untoldOf } from "../../src/certificate/data-untold.ts";
import { end, gateway, human, start, workflow } from "../workflow-text.ts";

function parse(condition: object): Condition {
  const parsed = parseCondition(condition as ConditionData);
  if (!parsed.ok) throw new Error(JSON.stringify(condition));
  return parsed.value;
}

/** An oracle that gives these answers in turn, and how often it was asked. */
function scripted(...answers: readonly Answer[]) {
  let count = 0;
  const oracle: Oracle = () => {
    count += 1;
    const answer = answers[count - 1];
    if (answer === undefined) throw new Error("asked once more");
    return answer;
  };
  return { oracle, asked: () => count };
}

describe("[D23.2] every way in which open conditions can answer", () => {
  it("[D23.2] is tried once: none, one, two, and more where the first answer asks for more", () => {
    const ask = (more: (oracle: Oracle) => string) => [...underAllAnswers(more)].sort();
    expect(ask(() => "none")).toEqual(["none"]);
    expect(ask((oracle) => oracle())).toEqual(["error", "false", "true"]);
    const two = ask((oracle) => `${oracle()} ${oracle()}`);
    const all = ["error", "false", "true"];
    expect(two).toEqual(all.flatMap((one) => all.map((other) => `${one} ${other}`)));
    const some = ask((oracle) => {
      const first = oracle();
      return first === "false" ? `${first} ${oracle()}` : first;
    });
    expect(some).toEqual(["error", "false error", "false false", "false true", "true"]);
    const last = ask((oracle) => {
      const first = oracle();
      return first === "error" ? `${first} ${oracle()}` : first;
    });
    expect(last).toEqual(["error error", "error false", "error true", "false", "true"]);
  });

  it("[D23.2] up to 20,000 of them, and not more", () => {
    const NAMES = ["true", "false", "error"];
    /** Nine questions, and one more under the first `more` of their 19,683 combinations. */
    const asking = (more: number) => (oracle: Oracle) => {
      let name = 0;
      for (let question = 0; question < 9; question += 1) name = 3 * name + NAMES.indexOf(oracle());
      return name < more ? oracle() : "true";
    };
    expect(underAllAnswers(asking(0))).toHaveLength(19_683);
    expect(underAllAnswers(asking(158))).toHaveLength(19_999);
    expect(() => underAllAnswers(asking(159))).toThrow(TooManyAnswers);
  });
});

describe("[D23.2] the answer of a condition where some leaves are open", () => {
  // Open leaves that the oracle answers, and what D4.8 says: left to right, no further than needed.
  const open = ["p", "q", "r"].map((predicate) => ({ predicate }));
  function answer(condition: object, ...answers: readonly Answer[]): readonly [Answer, number] {
    const parsed = parse(condition);
    const leaves = new Set<Condition>();
    const collect = (one: Condition): void => {
      if (one.kind === "all" || one.kind === "any") one.conditions.forEach(collect);
      else if (one.kind === "not") collect(one.condition);
      else if (one.kind === "predicate") leaves.add(one);
    };
    collect(parsed);
    const { oracle, asked } = scripted(...answers);
    return [answerOf(parsed, { x: 1, y: "a" }, leaves, oracle), asked()];
  }

  it("[D4.8] not", () => {
    expect(answer({ not: open[0] }, "true")).toEqual(["false", 1]);
    expect(answer({ not: open[0] }, "false")).toEqual(["true", 1]);
    expect(answer({ not: open[0] }, "error")).toEqual(["error", 1]);
  });

  it("[D4.8] all: the first that is not true, else true", () => {
    expect(answer({ all: open }, "true", "true", "true")).toEqual(["true", 3]);
    expect(answer({ all: open }, "true", "false")).toEqual(["false", 2]);
    expect(answer({ all: open }, "true", "error")).toEqual(["error", 2]);
    expect(answer({ all: open }, "false")).toEqual(["false", 1]);
    expect(answer({ all: [] })).toEqual(["true", 0]);
  });

  it("[D4.8] any: the first that is not false, else false", () => {
    expect(answer({ any: open }, "false", "false", "false")).toEqual(["false", 3]);
    expect(answer({ any: open }, "false", "true")).toEqual(["true", 2]);
    expect(answer({ any: open }, "false", "error")).toEqual(["error", 2]);
    expect(answer({ any: open }, "true")).toEqual(["true", 1]);
    expect(answer({ any: [] })).toEqual(["false", 0]);
  });

  it("[D4.8] leaves that are not open are evaluated, and the oracle is not asked for them", () => {
    const x = (op: string, value: number) => ({ key: "x", op, value });
    expect(answer(x("is", 1))).toEqual(["true", 0]);
    expect(answer(x("is", 2))).toEqual(["false", 0]);
    expect(answer({ key: "y", op: "lessThan", value: 2 })).toEqual(["error", 0]);
    expect(answer({ all: [x("is", 1), open[0]] }, "true")).toEqual(["true", 1]);
    expect(answer({ all: [x("is", 2), open[0]] })).toEqual(["false", 0]);
    // The same leaf at two places is asked anew at each.
    expect(answer({ all: [open[0], { not: open[0] }] }, "true", "false")).toEqual(["true", 2]);
  });
});

describe("[D20.6] the arcs that a node takes", () => {
  /** A person with two outcomes, of which `done` has the arcs with the guards; which are taken when they answer so. */
  function taken(
    guards: readonly (Answer | "none" | "default")[],
    split?: "first" | "or" | "all",
    outcome = "done",
  ): { readonly arcs: readonly number[] | null; readonly asked: readonly number[] } {
    const targets = guards.map((_, at) => gateway(`g${at}`));
    const arcs = guards.map((guard, at): Arc => {
      const to = `g${at}`;
      if (guard === "default") return { from: "ask", to, default: true };
      if (guard === "none") return { from: "ask", to };
      return { from: "ask", to, guard: { key: `k${at}`, op: "is", value: 1 } };
    });
    const node = { ...human("ask", "done", "other"), ...(split === undefined ? {} : { split }) };
    const compiled = workflow(
      [start, node, ...targets, end],
      [
        { from: "ask", to: "end", outcome: "other" },
        ...arcs,
        "start -> ask",
        ...targets.map(({ id }) => `${id} -> end`),
      ],
    );
    const parsed = compiled.definition.arcs.map(({ guard }) => (guard === undefined ? null : parse(guard)));
    const asked: number[] = [];
    const found = routeOn(compiled, parsed, 1, outcome, (guard) => {
      const at = parsed.indexOf(guard) - 1;
      asked.push(at);
      return guards[at] as Answer;
    });
    return { arcs: found === null ? null : found.map((arc) => arc - 1), asked };
  }

  it("[D20.6] one only: the first in document order whose guard is true; no later one is asked", () => {
    expect(taken(["false", "true", "true"])).toEqual({ arcs: [1], asked: [0, 1] });
    expect(taken(["true", "error"])).toEqual({ arcs: [0], asked: [0] });
    expect(taken(["none", "true"])).toEqual({ arcs: [0], asked: [] });
    expect(taken(["false", "none"])).toEqual({ arcs: [1], asked: [0] });
    expect(taken(["false", "true", "true"], "first")).toEqual({ arcs: [1], asked: [0, 1] });
  });

  it("[D20.6] some: all whose guards are true", () => {
    expect(taken(["true", "false", "true"], "or")).toEqual({ arcs: [0, 2], asked: [0, 1, 2] });
    expect(taken(["none", "true"], "or")).toEqual({ arcs: [0, 1], asked: [1] });
    expect(taken(["true", "error"], "or")).toEqual({ arcs: null, asked: [0, 1] });
  });

  it("[D20.6] all: every arc, and no guard is asked", () => {
    expect(taken(["none", "none"], "all")).toEqual({ arcs: [0, 1], asked: [] });
  });

  it("[D20.6] the default where no guard is true, wherever it stands", () => {
    for (const split of ["first", "or"] as const) {
      expect(taken(["default", "true", "false"], split).arcs).toEqual([1]);
      expect(taken(["default", "false"], split)).toEqual({ arcs: [0], asked: [1] });
      expect(taken(["false", "default"], split)).toEqual({ arcs: [1], asked: [0] });
    }
  });

  it("[D20.6] none where a guard has no answer, a default or not, or where none is true, or there is no arc", () => {
    for (const split of ["first", "or"] as const) {
      expect(taken(["error", "true"], split)).toEqual({ arcs: null, asked: [0] });
      expect(taken(["error", "default"], split).arcs).toBeNull();
      expect(taken(["false", "false"], split)).toEqual({ arcs: null, asked: [0, 1] });
    }
    for (const split of ["first", "or", "all"] as const)
      expect(taken(["none"], split, "missing")).toEqual({ arcs: null, asked: [] });
  });

  it("[D20.6] only arcs of the outcome", () => {
    expect(taken(["true", "none"], "or", "other")).toEqual({ arcs: [-1], asked: [] });
    expect(taken(["true", "none"], "first", "other")).toEqual({ arcs: [-1], asked: [] });
  });
});

describe("[D23.3] a step of which it is not told which of several it is", () => {
  const state = (mark: number): PlainResult => ({
    kind: "state",
    marking: [mark] as never,
    data: {},
    open: [],
    fired: [],
  });
  const step = (gap: PlainStep["gap"], results: readonly PlainResult[], data: Data = {}): PlainStep => ({
    node: 1,
    outcome: "done",
    data,
    isOrdered: true,
    isSure: true,
    isPlayable: true,
    isProvision: false,
    gap,
    results,
  });

  it("[D23.3] leads to what any of them does, each once", () => {
    const steps = [step("never", [state(1), state(2)]), step("never", [state(2), state(3)])];
    expect(untoldOf(steps, { isPlayable: false }).results).toEqual([state(1), state(2), state(3)]);
    expect(untoldOf([step("never", []), step("never", [state(1)])], { isPlayable: true }).results).toEqual([
      state(1),
    ]);
  });

  it.each<readonly [readonly PlainStep["gap"][], PlainStep["gap"]]>([
    [["never", "never"], "never"],
    [["all", "all"], "all"],
    [["all", "never"], "some"],
    [["never", "all"], "some"],
    [["some", "some"], "some"],
    [["some", "all"], "some"],
    [["never", "some"], "some"],
    [["all"], "all"],
    [["never"], "never"],
  ])("[D23.3] %j have a gap: %s", (gaps, gap) => {
    const steps = gaps.map((one) => step(one, [state(1)]));
    expect(untoldOf(steps, { isPlayable: true }).gap).toBe(gap);
  });

  it("[D23.3] is otherwise as the first, and can be played if the caller says so", () => {
    const first = step("never", [state(1)], { x: 1 });
    const other = { ...step("all", [state(2)], { x: 2 }), isOrdered: false, isSure: false };
    for (const isPlayable of [true, false])
      expect(untoldOf([first, other], { isPlayable })).toEqual({
        ...first,
        isPlayable,
        gap: "some",
        results: [state(1), state(2)],
      });
  });
});
