import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compile } from "../src/compile.ts";
import type { Hash } from "../src/hash.ts";
import type { ItemKind, OpenItem } from "../src/item.ts";
import { type Json, jsonEqual } from "../src/json.ts";
import { parseJson } from "../src/json-parse.ts";
import { makeProgram, type Program } from "../src/program.ts";
import {
  applyTurn,
  initialState,
  type RunState,
  type StepRecord,
  sameState,
  type TurnInput,
  type TurnRecord,
} from "../src/run.ts";
import { oracleEnabled, oracleFire } from "./net-arbitrary.ts";
import { editableData, fitOps, wish } from "./patch-arbitrary.ts";
import { arc, node, SMALL_KINDS, workflow } from "./small-kinds.ts";

const program: Program = (() => {
  const compiled = compile(
    workflow(
      [
        node("a"),
        node("p"),
        node("b", { meta: { entry: "c" } }),
        node("c", { scope: "b" }),
        node("e2", { scope: "b", meta: { terminate: true } }),
        node("e"),
      ],
      [arc("a -> p"), arc("a:error -> b"), arc("p -> a"), arc("c -> e2"), arc("c:error -> c"), arc("b -> e")],
    ),
    SMALL_KINDS,
  );
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return makeProgram("h" as Hash, compiled.value);
})();

const transitionCount = program.net.transitions.length;
const itemId = fc.constantFrom("1.0", "1.1", "2.0");
const item: fc.Arbitrary<OpenItem> = fc.record({
  id: itemId,
  kind: fc.constantFrom<ItemKind>("job", "work-item", "timer", "external", "child", "intervention"),
  node: fc.constantFrom("a", "p", "c", "nowhere"),
  openedAt: fc.nat(),
});
const oddIndex = fc.constantFrom(-1, 0.5, Number.NaN, transitionCount, 1e9);
const path = fc.array(
  fc.oneof(fc.constantFrom("k", "list", "__proto__", ""), fc.integer({ min: -1, max: 3 })),
  { maxLength: 3 },
);
const op = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), path, value: fc.jsonValue() as fc.Arbitrary<never> }),
  fc.record({ kind: fc.constant("unset" as const), path }),
  fc.record({
    kind: fc.constant("splice" as const),
    path,
    index: fc.integer({ min: -1, max: 3 }),
    remove: fc.integer({ min: -1, max: 3 }),
    insert: fc.array(fc.constant(1), { maxLength: 2 }),
  }),
);
const garbageStep: fc.Arbitrary<StepRecord> = fc.record(
  {
    fired: fc.array(
      fc.oneof(
        { weight: 9, arbitrary: fc.nat({ max: transitionCount - 1 }) },
        { weight: 1, arbitrary: oddIndex },
      ),
      { maxLength: 3 },
    ),
    patch: fc.record({ version: fc.constant(1 as const), ops: fc.array(op, { maxLength: 2 }) }),
    opened: fc.array(item, { maxLength: 2 }),
    closed: fc.array(itemId, { maxLength: 2 }),
    changed: fc.array(item, { maxLength: 1 }),
  },
  { requiredKeys: [] },
);
const input: fc.Arbitrary<TurnInput> = fc.oneof(
  fc.record({ kind: fc.constant("start" as const), data: fc.constant({ k: 0, list: [1, 2] }) }),
  fc.constant<TurnInput>({ kind: "continue" }),
);
const garbageTurn: fc.Arbitrary<TurnRecord> = fc.record(
  {
    semantics: fc.constant(1),
    sequence: fc.integer({ min: -1, max: 3 }),
    at: fc.nat(),
    input,
    steps: fc.array(garbageStep, { maxLength: 3 }),
    terminal: fc.constantFrom(
      { kind: "cancelled" as const },
      { kind: "failed" as const, trouble: { code: "X", message: "" } },
    ),
  },
  { requiredKeys: ["semantics", "sequence", "at", "input", "steps"] },
);

const statuses = new Set(["running", "waiting", "completed", "failed", "cancelled"]);

/**
 * Law: whatever the turn, applyTurn answers; a refusal leaves the state as it was; what it applies is a state of the
 * five statuses that waits iff it has a mode, one turn further, and the same again the second time. Generated: turns
 * with transitions, patches and items at random on the states that such turns lead to.
 */
function totalLaw(apply: typeof applyTurn): void {
  fc.assert(
    fc.property(fc.array(garbageTurn, { maxLength: 6 }), (turns) => {
      let state: RunState = initialState(program);
      for (const turn of turns) {
        const before = structuredClone(state);
        const result = apply(program, state, turn);
        expect(state).toEqual(before);
        expect(apply(program, state, turn)).toEqual(result);
        if (result.kind === "refused") continue;
        expect(statuses.has(result.state.status)).toBe(true);
        expect(result.state.status === "waiting").toBe(result.state.modes.length > 0);
        expect(result.state.sequence).toBe(before.sequence + 1);
        expect(["running", "waiting"]).toContain(before.status);
        state = result.state;
      }
    }),
    { numRuns: 1000 },
  );
}

/** Turns that fit: each fires what is enabled, by number, and edits the data. */
const fittingTurns = fc.record({
  data: editableData,
  turns: fc.array(
    fc.array(
      fc.record({
        choices: fc.array(fc.nat({ max: 99 }), { maxLength: 3 }),
        wishes: fc.array(wish, { maxLength: 2 }),
      }),
      {
        maxLength: 3,
      },
    ),
    { minLength: 1, maxLength: 4 },
  ),
});

describe("[D3.1] rho is the fold of H", () => {
  it("[D3.1] is total: garbage is refused and changes nothing", () => totalLaw(applyTurn));

  it("[D3.1] the law catches an apply that throws, goes on after the end, or waits for nobody", () => {
    const throwing: typeof applyTurn = (of, state, turn) => {
      const result = applyTurn(of, state, turn);
      if (result.kind === "refused" && result.code === "item") throw new Error("item");
      return result;
    };
    const reviving: typeof applyTurn = (of, state, turn) =>
      applyTurn(of, { ...state, status: "running", terminal: null }, turn);
    const idle: typeof applyTurn = (of, state, turn) => {
      const result = applyTurn(of, state, turn);
      return result.kind === "applied" && result.state.status === "failed"
        ? { kind: "applied", state: { ...result.state, status: "waiting" } }
        : result;
    };
    for (const broken of [throwing, reviving, idle]) expect(() => totalLaw(broken)).toThrow();
  });

  it("[D3.1] [C20-12] [C20-73] one turn after the other gives the marking, the data and the counts of all steps in sequence", () => {
    fc.assert(
      fc.property(fittingTurns, ({ data, turns }) => {
        let state = initialState(program);
        let marking = program.net.initial;
        let expected = data;
        let stepCount = 0;
        for (const [index, steps] of turns.entries()) {
          const records = steps.map(({ choices, wishes }): StepRecord => {
            const fired = choices.flatMap((choice) => {
              const enabled = [...program.net.transitions.keys()].filter((t) =>
                oracleEnabled(program.net, marking, t),
              );
              const t = enabled[choice % Math.max(1, enabled.length)];
              if (t === undefined) return [];
              marking = oracleFire(program.net, marking, t);
              return [t];
            });
            const { ops, after } = fitOps(expected, wishes);
            expected = after;
            return { fired, patch: { version: 1, ops } };
          });
          // A job that stays open keeps the run from ending before its last turn.
          const opened =
            index === 0 ? [{ opened: [{ id: "1.0", kind: "job" as const, node: "p", openedAt: 0 }] }] : [];
          const turn: TurnRecord = {
            semantics: 1,
            sequence: index + 1,
            at: 0,
            input: index === 0 ? { kind: "start", data } : { kind: "continue" },
            steps: [...opened, ...records],
          };
          stepCount += turn.steps.length;
          const result = applyTurn(program, state, turn);
          if (result.kind === "refused") throw new Error(JSON.stringify(result));
          state = result.state;
          expect(Array.from(state.marking)).toEqual(marking);
          expect(state.data).toEqual(expected);
          expect(state).toMatchObject({ sequence: index + 1, stepCount, status: "running" });
          expect(sameState({ ...state, marking }, state)).toBe(true);
          const plain = { ...state, marking: [] } as unknown as Json;
          expect(jsonEqual(parseJson(JSON.stringify(plain)), plain)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});
