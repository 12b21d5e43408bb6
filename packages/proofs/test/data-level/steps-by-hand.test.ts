/** @module The steps of a checker from a state, by hand: which are the engine's, which the world can choose, which a run shows. */
import type { Arc, DataType, WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { worldOfCases } from "../../src/certificate/data-cases.ts";
import { frameOf, type PlainState, type World } from "../../src/certificate/data-frame.ts";
import type { PlainStep } from "../../src/certificate/data-leave.ts";
import { stepsAt } from "../../src/certificate/data-steps.ts";
import { questionsOf } from "../../src/data-level/conditions-read.ts";
import { domainOf } from "../../src/data-level/domain.ts";
import { end, gateway, human, start, workflow } from "../workflow-text.ts";

const X: Readonly<Record<string, DataType>> = { x: { type: "boolean" } };
const ask: WorkflowNode = { ...human("ask"), writes: [] };
const other: WorkflowNode = { ...human("other"), writes: [] };
/** Something asks of x. */
const ASKED: readonly (Arc | string)[] = [
  { from: "ask", to: "end", guard: { key: "x", op: "is", value: true } },
  { from: "ask", to: "end", default: true },
];

/** A workflow, and its first state with x true. */
function begun(nodes: readonly WorkflowNode[], arcs: readonly (Arc | string)[], types = X) {
  const compiled = workflow(nodes, arcs, types);
  const found = domainOf(questionsOf(compiled));
  if (found.kind !== "domain") throw new Error(found.reason);
  const { world, cases } = worldOfCases(frameOf(compiled, found.domain), found.domain);
  const data = cases.find((one) => one["x"] === true) ?? cases[0]!;
  const state = { marking: compiled.net.initial, data, open: world.beside.map(() => 0) };
  return { world, state };
}

const nameOf = (world: World, { node, outcome }: PlainStep) =>
  `${world.compiled.definition.nodes[node]!.id}${outcome === null ? "" : ` ${outcome}`}`;

/** The state behind the steps with these names, each taken to its first result that is a state. */
function walked(world: World, from: PlainState, ...names: readonly string[]): PlainState {
  return names.reduce((state, name) => {
    const step = stepsAt(world, state).find((one) => nameOf(world, one) === name);
    const next = step?.results.find(({ kind }) => kind === "state");
    if (next?.kind !== "state") throw new Error(`${name} of ${said(world, state).join("; ")}`);
    return { marking: next.marking, data: next.data, open: next.open };
  }, from);
}

/** Each step with what may be relied on: next (of the engine), sure, playable, provision, beside, and its gap. */
const said = (world: World, state: PlainState): readonly string[] =>
  stepsAt(world, state).map((step) => {
    const { isOrdered, isSure, isPlayable, isProvision, isBeside = false, gap } = step;
    const marks = Object.entries({ isOrdered, isSure, isPlayable, isProvision, isBeside });
    const written = marks.flatMap(([name, is]) => (is ? [name.slice(2).toLowerCase()] : []));
    return `${nameOf(world, step)}: ${written.join(" ")}${gap === "never" ? "" : `, gap ${gap}`}`;
  });

describe("[D23.3] steps by hand", () => {
  it("[D23.3] of two automatic groups the first is the engine's next; what rests is answered when none is left", () => {
    const { world, state } = begun(
      [start, gateway("split", { split: "all" }), gateway("a"), gateway("b"), ask, other, end],
      ["start -> split", "split -> a", "split -> b", "a -> ask", "b -> other", "other -> end", ...ASKED],
    );
    const apart = walked(world, state, "start done", "split done");
    expect(said(world, apart)).toEqual(["a done: ordered sure playable", "b done: sure playable"]);
    const left = walked(world, apart, "a done", "ask");
    expect(said(world, left)).toEqual(["b done: ordered sure playable", "ask done: sure playable"]);
    const resting = walked(world, left, "b done", "other");
    expect(said(world, resting)).toEqual([
      "ask done: ordered sure playable",
      "other done: ordered sure playable",
    ]);
  });

  it("[D23.3] a throw is done for sure; that it fails is for what is sent to say", () => {
    const { world, state } = begun(
      [start, { id: "send", kind: "throw", meta: { on: "message", name: "m", key: "k" } }, ask, end],
      ["start -> send", "send -> ask", "send: error -> end", ...ASKED],
    );
    const at = walked(world, state, "start done");
    expect(said(world, at)).toEqual(["send done: ordered sure playable", "send error: ordered"]);
  });

  it("[D23.3] each event by which a run may start is one for sure", () => {
    const events = [
      { id: "come", on: "message", name: "m" },
      { id: "call", on: "signal", name: "s" },
    ];
    const { world, state } = begun(
      [{ id: "start", kind: "start", meta: { events } }, ask, end],
      ["start: come -> ask", "start: call -> ask", ...ASKED],
    );
    expect(said(world, state).map((line) => line.replace("start ", ""))).toEqual(
      expect.arrayContaining(["come: ordered sure playable", "call: ordered sure playable"]),
    );
  });

  it("[D23.3] the clock fires for sure, and errs only if something outside the model says so", () => {
    const { world, state } = begun(
      [start, { id: "wait", kind: "timer", meta: { key: "due" } }, ask, end],
      ["start -> wait", "wait -> ask", "wait: error -> end", ...ASKED],
    );
    const at = walked(world, state, "start done", "wait");
    expect(said(world, at)).toEqual(["wait done: ordered sure playable", "wait error: ordered"]);
  });

  it("[D23.3] a decision takes what its key gives; that it errs is a provision where it has an arc for it", () => {
    const branches = { yes: "yes", no: "no" };
    const { world, state } = begun(
      [start, { id: "decide", kind: "decision", meta: { key: "c", branches } }, ask, end],
      ["start -> decide", "decide: yes -> ask", "decide: error -> end", "decide: no -> end", ...ASKED],
      { ...X, c: { type: "string", values: ["yes", "no", "other"] } },
    );
    const chosen = { ...state, data: { ...state.data, c: "yes" } };
    const other = { ...state, data: { ...state.data, c: "other" } };
    expect(said(world, walked(world, chosen, "start done"))).toEqual([
      "decide yes: ordered sure playable",
      "decide error: ordered sure playable provision",
    ]);
    expect(said(world, walked(world, other, "start done"))).toEqual(["decide error: ordered sure playable"]);
  });

  it("[D23.3] the decision of a loop takes its verdict, and errs without one", () => {
    const loop = { id: "l", budget: 1, passKey: "ok", proves: "fine", body: ["head", "check"] };
    const { world, state } = begun(
      [
        start,
        gateway("head"),
        { id: "check", kind: "verifier", meta: { passKey: "ok" } },
        { id: "again", kind: "decision", meta: { loop } },
        ask,
        end,
      ],
      [
        "start -> head",
        "head -> check",
        "check -> again",
        "check: error -> again",
        "again: pass -> ask",
        "again: fail -> head",
        "again: exhausted -> end",
        "again: error -> end",
        ...ASKED,
      ],
    );
    const checking = walked(world, state, "start done", "head done");
    const verdicts = stepsAt(world, checking).map((step) => [nameOf(world, step), step.data["ok"]]);
    expect(verdicts).toEqual([
      ["check done", false],
      ["check done", true],
      ["check error", undefined],
    ]);
    const decided = (name: string, ok: unknown) => {
      const step = stepsAt(world, checking).find(
        (one) => nameOf(world, one) === name && one.data["ok"] === ok,
      );
      const [next] = step!.results;
      if (next?.kind !== "state") throw new Error(next?.kind);
      return said(world, next);
    };
    const provision = "again error: ordered sure playable provision";
    expect(decided("check done", true)).toEqual(["again pass: ordered sure playable", provision]);
    expect(decided("check done", false)).toEqual(["again fail: ordered sure playable", provision]);
    expect(decided("check error", undefined)).toEqual(["again error: ordered sure playable"]);
  });

  it("[D23.9] handlers begin while a token rests, by a message for sure, by a time not; they end whenever they like", () => {
    const handler = (id: string, on: object) => ({
      id,
      ...on,
      interrupting: false,
      workflow: "h",
      outputs: { x: "v" },
      openMax: 1,
    });
    const events = [
      handler("asked", { on: "message", name: "m" }),
      handler("late", { on: "timer", duration: "PT1H" }),
      handler("daily", { on: "timer", cycle: "R/PT1H" }),
    ];
    const { world, state } = begun(
      [start, { ...human("ask"), meta: { events } }, end],
      ["start -> ask", ...ASKED],
    );
    expect(
      world.beside.map(({ event, most, isOrMore, isAgain }) => [event, most, isOrMore, isAgain]),
    ).toEqual([
      ["asked", 1, false, true],
      ["late", 1, false, false],
      ["daily", 1, false, true],
    ]);
    const resting = walked(world, state, "start done", "ask");
    expect(said(world, resting)).toEqual(
      expect.arrayContaining([
        "ask asked: ordered sure playable beside",
        "ask late: ordered beside",
        "ask daily: ordered sure playable beside",
      ]),
    );
    const open = walked(world, resting, "ask asked");
    expect(open.open).toEqual([1, 0, 0]);
    const beside = said(world, open).filter((line) => line.includes("beside"));
    expect(beside).toEqual([
      "ask asked: ended: ordered sure playable beside",
      "ask asked: ended: ordered sure playable beside",
      "ask late: ordered beside",
      "ask daily: ordered sure playable beside",
    ]);
    const ended = stepsAt(world, open).filter(({ outcome }) => outcome === "asked: ended");
    expect(
      ended.map(({ data, results }) => [
        data["x"],
        results.map((one) => (one.kind === "state" ? one.open : null)),
      ]),
    ).toEqual([
      [false, [[0, 0, 0]]],
      [true, [[0, 0, 0]]],
    ]);
    // With the token gone no run begins, and the one that is open still ends.
    const gone = walked(world, open, "ask done");
    expect(gone.open).toEqual([1, 0, 0]);
    expect(said(world, gone).filter((line) => line.includes("beside"))).toEqual([
      "ask asked: ended: sure playable beside",
      "ask asked: ended: sure playable beside",
    ]);
  });

  it.each([
    [1, 1, false],
    [2, 2, false],
    [3, 2, true],
  ])(
    "[D23.9] of %i runs that may be open %i are told apart, and the last number stands for more: %s",
    (openMax, most, isOrMore) => {
      const event = {
        id: "e",
        on: "signal",
        name: "s",
        interrupting: false,
        workflow: "h",
        outputs: { x: "v" },
        openMax,
      };
      const { world, state } = begun(
        [start, { ...human("ask"), meta: { events: [event] } }, end],
        ["start -> ask", ...ASKED],
      );
      expect(world.beside).toMatchObject([{ most, isOrMore }]);
      let now = walked(world, state, "start done", "ask");
      for (let open = 1; open <= most; open += 1) {
        now = walked(world, now, "ask e");
        expect(now.open).toEqual([open]);
        const left = stepsAt(world, now).filter(({ outcome }) => outcome === "e: ended");
        const expected = isOrMore && open === most ? [open - 1, open] : [open - 1];
        for (const { results } of left)
          expect(results.map((one) => (one.kind === "state" ? one.open : null))).toEqual(
            expected.map((one) => [one]),
          );
        expect(left).toHaveLength(2);
      }
      expect(stepsAt(world, now).some(({ outcome }) => outcome === "e")).toBe(false);
    },
  );

  it.each([
    ["R/PT1H", true],
    ["r/PT1H", true],
    ["R/2026-01-01T00:00:00Z/PT1H", true],
    ["R3/PT1H", false],
    ["R/PT1H/2027-01-01T00:00:00Z", false],
    ["R/P1D/2027-01-01T00:00:00Z", false],
  ])("[D23.9] [D9.7] the time %s comes as often as there is time: %s", (cycle, isAgain) => {
    const event = { id: "e", on: "timer", cycle, interrupting: false, workflow: "h", outputs: { x: "v" } };
    const { world } = begun(
      [start, { ...human("ask"), meta: { events: [event] } }, end],
      ["start -> ask", ...ASKED],
    );
    expect(world.beside).toMatchObject([{ isAgain }]);
  });

  it("[D23.9] a terminate end leaves no run open of the nodes whose tokens it takes, and only of these", () => {
    const event = (id: string) => ({
      id,
      on: "signal",
      name: "s",
      interrupting: false,
      workflow: "h",
      outputs: { x: "v" },
    });
    const handling = (id: string): WorkflowNode => ({
      ...human(id),
      writes: ["x"],
      meta: { events: [event("e")] },
    });
    const { world, state } = begun(
      [
        start,
        gateway("split", { split: "all" }),
        { id: "part", kind: "subprocess", meta: { entry: "fork" } },
        gateway("fork", { split: "all", scope: "part" }),
        { ...handling("inner"), scope: "part" },
        { ...human("stop"), writes: [], scope: "part" },
        { id: "done", kind: "end", scope: "part" },
        { id: "halt", kind: "end", scope: "part", meta: { terminate: true } },
        handling("outer"),
        ask,
        end,
      ],
      [
        "start -> split",
        "split -> part",
        "split -> outer",
        "fork -> inner",
        "fork -> stop",
        "inner -> done",
        "stop -> halt",
        "part -> ask",
        "outer -> end",
        ...ASKED,
      ],
    );
    const names = world.beside.map(({ node }) => world.compiled.definition.nodes[node]!.id);
    expect(names).toEqual(["inner", "outer"]);
    const ready = walked(
      world,
      state,
      "start done",
      "split done",
      "part",
      "outer",
      "fork done",
      "inner",
      "stop",
    );
    const both = walked(world, ready, "inner e", "outer e");
    expect(both.open).toEqual([1, 1]);
    expect(walked(world, both, "stop done").open).toEqual([1, 1]);
    expect(walked(world, both, "stop done", "halt").open).toEqual([0, 1]);
  });

  it("[D23.3] [D17.3] an event that interrupts is an answer; one that does not is there as long as it is awaited", () => {
    const events = [
      { id: "stop", on: "message", name: "m" },
      { id: "note", on: "message", name: "n", interrupting: false },
    ];
    const { world, state } = begun(
      [start, { ...ask, meta: { events } }, { ...human("noted"), writes: [] }, end],
      ["start -> ask", "ask: stop -> end", "ask: note -> noted", "noted -> end", ...ASKED],
    );
    const resting = walked(world, state, "start done", "ask");
    expect([...said(world, resting)].sort()).toEqual([
      "ask done: ordered sure playable",
      "ask note: ordered sure playable",
      "ask stop: ordered sure playable",
    ]);
    const noted = walked(world, resting, "ask note", "noted");
    expect([...said(world, noted)].sort()).toEqual([
      "ask done: ordered sure playable",
      "ask stop: ordered sure playable",
      "noted done: ordered sure playable",
    ]);
  });
});
