import { describe, expect, it } from "vitest";
import { compile } from "../src/compile.ts";
import type { Hash } from "../src/hash.ts";
import { markingOf } from "../src/marking.ts";
import { makeProgram, type Program } from "../src/program.ts";
import {
  applyTurn,
  initialState,
  type RunState,
  type StepRecord,
  type TurnInput,
  turnBase,
} from "../src/run.ts";
import { arc, node, SMALL_KINDS, workflow } from "./small-kinds.ts";

const OP = { by: "op", reason: "why" };

/** a; p waits for somebody; e. */
function programAs(hash: string): Program {
  const compiled = compile(
    workflow([node("a"), node("p"), node("e")], [arc("a -> p"), arc("p -> e")]),
    SMALL_KINDS,
  );
  if (!compiled.ok) throw new Error("it compiles");
  return makeProgram(hash as Hash, compiled.value);
}

const program = programAs("h");
const resting = markingOf(program.net, { "p.active": 1 });
const item = { id: "p.1", kind: "work-item", node: "p", openedAt: 0 } as const;

const turn = (sequence: number, input: TurnInput, steps: readonly StepRecord[]) => {
  return { semantics: 1, sequence, at: 7, input, steps };
};

function applied(state: RunState, input: TurnInput, steps: readonly StepRecord[], of = program): RunState {
  const result = applyTurn(of, state, turn(state.sequence + 1, input, steps));
  if (result.kind !== "applied") throw new Error(JSON.stringify(result));
  return result.state;
}

const fork: TurnInput = {
  kind: "fork",
  run: "r",
  at: 3,
  head: "h" as Hash,
  data: { k: 1 },
  visits: [0, 4, 0],
  ...OP,
};
const forked = applied(initialState(program), fork, [{ marking: resting, opened: [item] }]);

describe("[D3.6] what a turn begins on", () => {
  it("[D3.6] is the state before it, unless an operator's input says otherwise", () => {
    const { definition, marking, data, dataBytesBound, visits } = forked;
    const same = { definition, marking, data, dataBytesBound, visits };
    expect(turnBase(forked, turn(2, { kind: "continue" }, []))).toEqual(same);
    expect(turnBase(forked, turn(2, { kind: "suspend", ...OP }, []))).toEqual({
      ...same,
      suspension: { ...OP, at: 7 },
    });
  });

  it("[D3.6] a fork is a first turn, with marking, data and visits of its own", () => {
    expect(forked).toMatchObject({ status: "waiting", data: { k: 1 }, visits: [0, 5, 0], sequence: 1 });
    expect(Array.from(forked.marking)).toEqual(Array.from(resting));
    expect(applyTurn(program, forked, turn(2, fork, []))).toMatchObject({ kind: "refused", code: "input" });
  });

  it("[D3.6] a suspended run waits for a person until it is resumed, whatever is open", () => {
    const job = applied(initialState(program), fork, [
      { marking: resting, opened: [{ ...item, kind: "job" }] },
    ]);
    expect(job.status).toBe("running");
    const suspended = applied(job, { kind: "suspend", ...OP }, []);
    expect(suspended).toMatchObject({
      status: "waiting",
      modes: ["waiting_human"],
      suspension: { ...OP, at: 7 },
    });
    expect(applied(suspended, { kind: "edit", ...OP }, [])).toMatchObject({ suspension: { at: 7 } });
    const resumed = applied(suspended, { kind: "resume", ...OP }, []);
    expect(resumed.status).toBe("running");
    expect("suspension" in resumed).toBe(false);
  });

  it("[D3.6] a migration is folded in the definition that it names, from the one that the run was in", () => {
    const other = programAs("other");
    const migrate = (from: string, to: string): TurnInput => {
      return { kind: "migrate", from: from as Hash, to: to as Hash, visits: [0, 9, 0], ...OP };
    };
    const steps = [{ marking: resting }];
    expect(applied(forked, migrate("h", "other"), steps, other)).toMatchObject({
      definition: "other",
      visits: [0, 9, 0],
    });
    for (const [from, to] of [
      ["h", "h2"],
      ["x", "other"],
    ] as const)
      expect(applyTurn(other, forked, turn(2, migrate(from, to), steps))).toMatchObject({ code: "input" });
  });

  it("[D3.6] nothing else may carry a marking, and only in its first step, for every place of the net", () => {
    const reroute: TurnInput = { kind: "reroute", item: "p.1", to: "e", ...OP };
    const refusal = (input: TurnInput, steps: readonly StepRecord[]) =>
      applyTurn(program, forked, turn(2, input, steps));
    expect(refusal({ kind: "continue" }, [{ marking: resting }])).toMatchObject({ code: "input", step: 0 });
    expect(refusal(reroute, [{}, { marking: resting }])).toMatchObject({ code: "input", step: 1 });
    expect(refusal(reroute, [{ marking: resting }, { marking: resting }])).toMatchObject({ code: "input" });
    expect(refusal(reroute, [{ marking: [1] }])).toMatchObject({ code: "input" });
    expect(refusal(reroute, [{ marking: resting }])).toMatchObject({ kind: "applied" });
  });
});
