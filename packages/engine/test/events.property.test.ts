/** @module Laws of events on random workflows and random inputs: one winner, each item closed once, replay equal. */
import {
  applyTurn,
  initialState,
  type JsonObject,
  type RunState,
  type WorkflowDefinition,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { step } from "../src/step.ts";
import type { InputEvent, TurnReady } from "../src/turn.ts";
import { flow } from "./definitions.ts";
import { environment, planOf, starting } from "./host.ts";

const EVENTS: readonly JsonObject[] = [
  { id: "late", on: "timer", duration: "PT1H" },
  { id: "halt", on: "signal", name: "halt" },
  { id: "pay", on: "message", name: "paid", payload: { x: "x" } },
  { id: "note", on: "signal", name: "note", interrupting: false },
  { id: "tick", on: "timer", cycle: "R3/PT20M", interrupting: false, workflow: "h", openMax: 2 },
  { id: "ping", on: "message", name: "ping", interrupting: false, workflow: "h", openMax: 1 },
];

/** Two hosts side by side, inside a subprocess or not, each with some of the events. */
const arbitraryWorkflow: fc.Arbitrary<WorkflowDefinition> = fc
  .record({
    kinds: fc.tuple(fc.constantFrom("human", "tool", "wait"), fc.constantFrom("human", "catch", "multi")),
    events: fc.tuple(fc.subarray([...EVENTS]), fc.subarray([...EVENTS]), fc.subarray([...EVENTS])),
    terminates: fc.boolean(),
  })
  .map(({ kinds, events, terminates }) => {
    const [first, second, outer] = events;
    const outermost = outer.filter(({ interrupting }) => interrupting !== false);
    const caught = second.filter(({ interrupting }) => interrupting !== false);
    const atSecond = kinds[1] === "catch" ? (caught.length === 0 ? [EVENTS[1]!] : caught) : second;
    const meta = (list: readonly JsonObject[]) => (list.length === 0 ? {} : { events: list });
    const b =
      kinds[1] === "multi"
        ? ([
            "b",
            "subprocess",
            { workflow: "c", multi: { mode: "parallel", count: 3 }, ...meta(atSecond) },
            { scope: "s" },
          ] as const)
        : (["b", kinds[1], meta(atSecond), { scope: "s" }] as const);
    const inner = [["a", kinds[0], meta(first), { scope: "s" }] as const, b];
    const draft = flow(
      "w",
      [
        ["s", "subprocess", { entry: "split", ...meta(outermost) }],
        ["split", "gateway", undefined, { scope: "s", split: "all" }],
        ...inner,
        ["ea", "end", terminates ? { terminate: true } : {}, { scope: "s" }],
        ["eb", "human", undefined, { scope: "s" }],
        ["ec", "end", { terminate: true }, { scope: "s" }],
        ["z", "end"],
      ],
      [],
    );
    const plan = planOfLabels(draft);
    const arcs = [
      ...["a", "b"].map((to) => ({ from: "split", to })),
      ...plan("a").map((outcome) => ({ from: "a", to: "ea", outcome })),
      ...plan("b").map((outcome) => ({ from: "b", to: "eb", outcome })),
      { from: "eb", to: "ec" },
      ...plan("s").map((outcome) => ({ from: "s", to: "z", outcome })),
    ];
    return { ...draft, arcs };
  });

/** O(n) by the kinds themselves: the arcs are made of it. */
function planOfLabels(definition: WorkflowDefinition): (node: string) => readonly string[] {
  return (id) => {
    const node = definition.nodes.find((each) => each.id === id);
    return STANDARD_KINDS.get(node?.kind ?? "")?.alphabet(node!) ?? [];
  };
}

interface Move {
  readonly item: number;
  readonly answer: number;
}

function inputOf(state: RunState, now: { at: number }, { item: pick, answer }: Move): InputEvent | null {
  const item = state.items[pick % Math.max(1, state.items.length)];
  if (item === undefined) return null;
  const list = item.subscriptions ?? [];
  const chosen = list[answer % (list.length + 2)];
  if (chosen?.on === "timer" || (chosen === undefined && item.dueAt !== undefined && answer % 3 === 0)) {
    const dueAt = item.dueAt ?? 0;
    now.at = Math.max(now.at, dueAt);
    return { input: { kind: "timer", item: item.id, dueAt } };
  }
  if (chosen !== undefined) {
    const { event, on, name = "" } = chosen;
    return { input: { kind: "event", item: item.id, event, on, name }, payload: { data: { x: answer } } };
  }
  const outcome = answer % 5 === 0 ? "error" : "done";
  switch (item.kind) {
    case "job":
    case "child":
      return { input: { kind: "result", item: item.id, outcome } };
    default:
      return { input: { kind: "complete", item: item.id, outcome: "done", by: "ann" } };
  }
}

type Law = (before: RunState, ready: TurnReady, program: Parameters<typeof applyTurn>[0]) => void;

function check(law: Law, turn: typeof step = step): void {
  const moves = fc.array(fc.record({ item: fc.nat({ max: 9 }), answer: fc.nat({ max: 30 }) }), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(arbitraryWorkflow, moves, (definition, list) => {
      const plan = planOf(definition);
      let state = initialState(plan.program);
      const now = { at: 1_000 };
      const submit = (event: InputEvent): void => {
        const ready = turn(plan, state, event, environment({}, now.at));
        if (ready.kind === "refused") return;
        law(state, ready, plan.program);
        state = ready.state;
      };
      submit(starting());
      for (const move of list) {
        const event = inputOf(state, now, move);
        if (event !== null) submit(event);
      }
    }),
    { numRuns: 60 },
  );
}

/** Law: an item is closed by one step, and only if it is open. Oracle: the ids themselves. */
const closedOnce: Law = (before, { record, state }) => {
  const open = new Set(before.items.map(({ id }) => id));
  for (const { opened = [], closed = [] } of record.steps) {
    for (const id of closed) expect([id, open.delete(id)]).toEqual([id, true]);
    for (const { id } of opened) expect([id, open.has(id)]).toEqual([id, false]);
    for (const { id } of opened) open.add(id);
  }
  expect([...open].sort()).toEqual(state.items.map(({ id }) => id).sort());
};

/** Law: each token at rest has one item of its own, and no other item speaks of a token. Oracle: the marking. */
const oneItemEach: Law = (_, { state }, program) => {
  const own = state.items.filter(({ event, instance }) => event === undefined && instance === undefined);
  const resting = [...program.restNode].flatMap(([place, node]) =>
    new Array<string>(state.terminal === null ? (state.marking[place] ?? 0) : 0).fill(
      program.compiled.kind === "workflow" ? (program.compiled.definition.nodes[node]?.id ?? "") : "",
    ),
  );
  expect(own.map(({ node }) => node).sort()).toEqual(resting.sort());
  for (const { node, instance } of state.items)
    if (instance !== undefined) expect(own.map((item) => item.node)).toContain(node);
};

/** Law: the record alone leads to the same state. Oracle: the fold. */
const replays: Law = (before, { record, state }, program) => {
  expect(applyTurn(program, before, record)).toEqual({ kind: "applied", state });
};

describe("laws of events", () => {
  it("[L17.1] BR-080: every item is closed by exactly one step", () => check(closedOnce));
  it("[D17.5] each token at rest has exactly one item, whatever event comes", () => check(oneItemEach));
  it("[D3.1] [D17.5] the record of a turn with events leads to its state", () => check(replays));

  it("the laws find a turn that forgets to close an item", () => {
    const forgetful: typeof step = (...args) => {
      const ready = step(...args);
      if (ready.kind === "refused") return ready;
      const steps = ready.record.steps.map(({ closed: _gone, ...rest }) => rest);
      return { ...ready, record: { ...ready.record, steps } };
    };
    expect(() => check(closedOnce, forgetful)).toThrow();
    expect(() => check(replays, forgetful)).toThrow();
    const keeping: typeof step = (...args) => {
      const ready = step(...args);
      if (ready.kind === "refused") return ready;
      const first = args[1].items.slice(0, 1);
      return { ...ready, state: { ...ready.state, items: [...ready.state.items, ...first] } };
    };
    expect(() => check(oneItemEach, keeping)).toThrow();
  });
});
