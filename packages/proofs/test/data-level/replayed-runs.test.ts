/** @module Runs on data played step by step: what starts a run, who answers, what an answer may set and take away. */
import type { Arc, CompiledWorkflow, ConditionData, Data, JsonObject, WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { frameOf, type PlainState } from "../../src/certificate/data-frame.ts";
import { type Replayed, replayData, stepsWith } from "../../src/certificate/data-replay.ts";
import { questionsOf } from "../../src/data-level/conditions-read.ts";
import type { Answer, DataRun } from "../../src/data-level/data-run.ts";
import { domainOf } from "../../src/data-level/domain.ts";
import { end, gateway, human, start, workflow } from "../workflow-text.ts";

const when = (from: string, to: string, guard?: object): Arc => ({
  from,
  to,
  ...(guard === undefined ? {} : { guard: guard as ConditionData }),
});

function playerOf(compiled: CompiledWorkflow) {
  const found = domainOf(questionsOf(compiled));
  if (found.kind !== "domain") throw new Error(found.reason);
  const { domain } = found;
  const frame = frameOf(compiled, domain);
  const index = (id: string) => compiled.definition.nodes.findIndex((node) => node.id === id);
  const initial = { marking: compiled.net.initial, open: frame.beside.map(() => 0) };
  return {
    index,
    replay: (run: DataRun): Replayed => replayData(frame, domain, run),
    /** A run by names: each step the node, its outcome, and what it sets; what fires is what the checker says can. */
    run: (
      begin: Data,
      steps: readonly (readonly [
        node: string,
        outcome: string | null,
        set?: JsonObject,
        unset?: readonly string[],
      ])[],
    ): DataRun => {
      let now: PlainState = { ...initial, data: begin };
      const played = steps.map(([node, outcome, set = {}, unset = []]) => {
        const next = stepsWith(frame, domain, now, index(node), outcome, { set, unset });
        const result = next?.[0]?.results[0];
        if (result?.kind !== "state") throw new Error(`${node} is not next`);
        now = { ...now, ...result };
        return { node: index(node), outcome, answer: { set, unset }, fired: result.fired };
      });
      const data = Object.fromEntries(Object.entries(now.data).filter(([key]) => domain.slotsOfKey.has(key)));
      return { start: begin, steps: played, marking: now.marking, data };
    },
  };
}

const TYPES = { x: { type: "number" }, flag: { type: "boolean" }, colour: { type: "string" } } as const;

/** A job that may write `x` and `o`, a form for `colour`, and a fork that asks for all three. */
const FLOW = workflow(
  [
    start,
    { id: "job", kind: "tool", writes: ["x", "o", "colour"], meta: {} },
    {
      ...human("ask"),
      writes: ["colour", "x"],
      meta: { form: { colour: { type: "string", values: ["red", "blue"] } } },
    },
    gateway("fork"),
    end,
  ],
  [
    "start -> job",
    "job -> ask",
    "job: error -> ask",
    "ask -> fork",
    when("fork", "end", { key: "x", op: "lessThan", value: 2 }),
    when("fork", "end", { key: "colour", op: "is", value: "red" }),
    when("fork", "end", { key: "o", op: "isAssigned" }),
    { from: "fork", to: "end", default: true },
  ],
  TYPES,
);

const BEGIN: Data = { x: 1, colour: "green" };
const player = playerOf(FLOW);
const WAY = [
  ["start", "done"],
  ["job", null],
  ["job", "done", { x: 5, o: 1 }],
  ["ask", null],
  ["ask", "done", { colour: "red" }],
  ["fork", "done"],
] as const;
const RUN = player.run(BEGIN, WAY);
const reason = (run: DataRun): string => {
  const played = player.replay(run);
  return played.kind === "end" ? "a run" : played.reason;
};
/** The run with another answer of one step. */
const answering = (at: number, answer: Partial<Answer>): DataRun => ({
  ...RUN,
  steps: RUN.steps.map((step, index) =>
    index === at ? { ...step, answer: { set: {}, unset: [], ...answer } } : step,
  ),
});

describe("[D23.6] a run on data is played", () => {
  it("[D23.6] from its start to its marking and data", () => {
    const played = player.replay(RUN);
    if (played.kind !== "end") throw new Error(played.reason);
    expect(played.end.data).toEqual({ x: 5, o: 1, colour: "red" });
    expect(played.end.marking).toEqual(RUN.marking);
  });

  it.each<readonly [what: string, begin: Data]>([
    ["without a declared key that is asked", { colour: "green" }],
    ["with another type", { ...BEGIN, x: "1" }],
    ["with another type of a key that nobody asks for", { ...BEGIN, flag: 1 }],
  ])("[D23.6] not from a start %s", (_, begin) => {
    expect(reason({ ...RUN, start: begin })).toBe("the start does not fit the declarations");
  });

  it("[D23.6] from a start with a key that is not declared, or without a declared one that nobody asks for", () => {
    const more: Data = { ...BEGIN, other: [1] };
    expect(reason({ ...RUN, start: more })).toBe("a run");
    expect(reason({ ...RUN, start: { ...more, flag: true } })).toBe("a run");
  });

  it("[D23.6] not to another marking, or other data", () => {
    const marking = FLOW.net.initial;
    expect(reason({ ...RUN, marking })).toBe("the run reaches another marking");
    expect(reason({ ...RUN, data: { ...RUN.data, x: 4 } })).toBe("the run reaches other data");
    expect(reason({ ...RUN, steps: RUN.steps.slice(0, -1) })).toBe("the run reaches another marking");
  });

  it("[D23.6] by steps that are next, of which each fires what it says", () => {
    const { steps } = RUN;
    const without = (at: number) => ({ ...RUN, steps: steps.toSpliced(at, 1) });
    for (const at of steps.keys()) {
      if (at < steps.length - 1) expect(reason(without(at))).toBe(`step ${at} is not the engine's next`);
      const other = steps.map((step, index) => (index === at ? { ...step, fired: [999] } : step));
      expect(reason({ ...RUN, steps: other })).toBe(`step ${at} is not the engine's next`);
      const label = steps.map((step, index) => (index === at ? { ...step, outcome: "other" } : step));
      expect(reason({ ...RUN, steps: label })).toBe(`step ${at} is not the engine's next`);
    }
  });
});

describe("[D23.6] an answer in a run", () => {
  const refused = (at: number) => `step ${at} is not the engine's next`;

  it("[D23.6] is nobody's who only moves on", () => {
    for (const at of [0, 1, 3, 5]) {
      expect(reason(answering(at, { set: { x: 1 } }))).toBe(refused(at));
      expect(reason(answering(at, { unset: ["o"] }))).toBe(refused(at));
    }
  });

  it("[D23.6] sets what its node may write, to what the declaration allows", () => {
    expect(reason(answering(2, { set: { x: 5, o: 1 } }))).toBe("a run");
    expect(reason(answering(2, { set: { x: 5, o: 1, flag: true } }))).toBe(refused(2));
    expect(reason(answering(2, { set: { x: "5", o: 1 } }))).toBe(refused(2));
    expect(reason(answering(2, { set: { x: 6, o: 1 } }))).toBe("the run reaches other data");
    expect(reason(answering(2, { set: { x: 5, o: 1, colour: "black" } }))).toBe("a run");
  });

  it("[D23.6] takes away what may be missing, if its node can, and not what it sets", () => {
    const begun: DataRun = { ...RUN, start: { ...BEGIN, o: 7 }, data: { x: 5, colour: "red" } };
    const taking = (answer: Answer) =>
      reason({ ...begun, steps: begun.steps.map((step, at) => (at === 2 ? { ...step, answer } : step)) });
    expect(taking({ set: { x: 5 }, unset: ["o"] })).toBe("a run");
    expect(taking({ set: { x: 5 }, unset: [] })).toBe("the run reaches other data");
    expect(taking({ set: { x: 5, o: 1 }, unset: ["o"] })).toBe(refused(2));
    expect(taking({ set: {}, unset: ["o", "x"] })).toBe(refused(2));
    expect(taking({ set: { x: 5 }, unset: ["o", "flag"] })).toBe(refused(2));
    // A person only leaves out.
    expect(reason(answering(4, { set: { colour: "red" }, unset: ["x"] }))).toBe(refused(4));
    expect(reason(answering(4, { set: { colour: "red" }, unset: ["o"] }))).toBe(refused(4));
  });

  it("[D23.6] fills the form, with what it takes", () => {
    expect(reason(answering(4, { set: {} }))).toBe(refused(4));
    expect(reason(answering(4, { set: { colour: "green" } }))).toBe(refused(4));
    expect(reason(answering(4, { set: { colour: "red", x: 1 } }))).toBe(refused(4));
    expect(reason(answering(4, { set: { colour: "blue" } }))).toBe(refused(5));
  });

  it("[D23.6] leaves out a field that may be left out, or that the node may not write", () => {
    const asking = (field: object, writes: readonly string[]): CompiledWorkflow => {
      const node: WorkflowNode = {
        ...human("ask"),
        writes,
        meta: { form: { colour: { type: "string", ...field } } },
      };
      return workflow(
        [start, node, gateway("fork"), end],
        [
          "start -> ask",
          "ask -> fork",
          when("fork", "end", { key: "colour", op: "is", value: "red" }),
          { from: "fork", to: "end", default: true },
        ],
        TYPES,
      );
    };
    const leavesOut = (compiled: CompiledWorkflow) => {
      const own = playerOf(compiled);
      const steps = [
        ["start", "done"],
        ["ask", null],
        ["ask", "done"],
      ] as const;
      try {
        return own.replay(own.run({ colour: "green" }, steps)).kind;
      } catch {
        return "refused";
      }
    };
    expect(leavesOut(asking({}, ["colour"]))).toBe("refused");
    expect(leavesOut(asking({ optional: true }, ["colour"]))).toBe("end");
    expect(leavesOut(asking({}, []))).toBe("end");
  });
});
