import { describe, expect, it } from "vitest";
import { compile } from "../src/compile.ts";
import { TOKENS_MAX } from "../src/compiled.ts";
import type { Hash } from "../src/hash.ts";
import type { OpenItem } from "../src/item.ts";
import { jsonBytes } from "../src/json.ts";
import { markingOf } from "../src/marking.ts";
import { makeProgram, type Program } from "../src/program.ts";
import {
  applyTurn,
  initialState,
  patchBytes,
  type RunState,
  type StepRecord,
  sameState,
  type Terminal,
  type TurnInput,
  type TurnRecord,
} from "../src/run.ts";
import { SEMANTICS_VERSION } from "../src/semantics.ts";
import type { Definition } from "../src/workflow.ts";
import { arc, node, SMALL_KINDS, workflow } from "./small-kinds.ts";

function programOf(definition: Definition): Program {
  const compiled = compile(definition, SMALL_KINDS);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return makeProgram("h" as Hash, compiled.value);
}

/** a; then p waits for somebody; e. On error a leads to p2, then e. */
const program = programOf(
  workflow(
    [node("a"), node("p"), node("p2"), node("e")],
    [arc("a -> p"), arc("a:error -> p2"), arc("p -> e"), arc("p2 -> e")],
  ),
);

/** Transitions by id. */
const t = (...ids: readonly string[]) =>
  ids.map((id) => program.net.transitions.findIndex((transition) => transition.id === id));

const item = (id: string, change: Partial<OpenItem> = {}): OpenItem => ({
  id,
  kind: "work-item",
  node: "p",
  openedAt: 5,
  ...change,
});

function turn(
  sequence: number,
  input: TurnInput,
  steps: readonly StepRecord[],
  terminal?: Terminal,
): TurnRecord {
  return { semantics: 1, sequence, at: 0, input, steps, ...(terminal === undefined ? {} : { terminal }) };
}

const start = (steps: readonly StepRecord[], terminal?: Terminal) =>
  turn(1, { kind: "start", data: { k: 1 } }, steps, terminal);
const next = (steps: readonly StepRecord[], terminal?: Terminal) =>
  turn(2, { kind: "continue" }, steps, terminal);

function applied(state: RunState, record: TurnRecord, of = program): RunState {
  const result = applyTurn(of, state, record);
  if (result.kind !== "applied") throw new Error(JSON.stringify(result));
  return result.state;
}

const first = initialState(program);
const waiting = applied(
  first,
  start([
    { node: "a", fired: t("a:done") },
    { node: "p", fired: t("p.start"), opened: [item("1.0")] },
  ]),
);

describe("[D20.3] the state of a run", () => {
  it("[D20.3] [C20-06] [C20-08] begins with the initial marking, no data, no items", () => {
    expect(first).toEqual({
      definition: "h",
      status: "running",
      modes: [],
      marking: program.net.initial,
      data: {},
      items: [],
      sequence: 0,
      stepCount: 0,
      visits: [0, 0, 0, 0],
      dataBytesBound: jsonBytes({}),
      terminal: null,
    });
  });
});

describe("[D3.1] applyTurn", () => {
  it("[D3.1] [C20-14] fires, opens items, counts turns and steps, and derives the status", () => {
    expect(waiting).toEqual({
      definition: "h",
      status: "waiting",
      modes: ["waiting_human"],
      marking: Int32Array.from(markingOf(program.net, { "p.active": 1 })),
      data: { k: 1 },
      items: [item("1.0")],
      sequence: 1,
      stepCount: 2,
      visits: [0, 1, 0, 0],
      dataBytesBound: jsonBytes({ k: 1 }),
      terminal: null,
    });
  });

  it("[D3.1] [C20-81] completes when the marking is final and nothing is open", () => {
    const patch = { version: 1, ops: [{ kind: "set", path: ["done"], value: true }] } as const;
    const done = applied(
      waiting,
      turn(2, { kind: "complete", item: "1.0", outcome: "done", by: "me" }, [
        { node: "p", fired: t("p:done"), outcome: "done", patch, closed: ["1.0"] },
        { node: "e", fired: t("e.step") },
      ]),
    );
    expect(done).toMatchObject({ status: "completed", modes: [], items: [], sequence: 2, stepCount: 4 });
    expect(done.data).toEqual({ k: 1, done: true });
    expect(done.dataBytesBound).toBe(jsonBytes({ k: 1 }) + patchBytes(patch));
    expect(Array.from(done.marking)).toEqual(markingOf(program.net, { "e.end": 1 }));
  });

  it("[D3.1] [D20.3] bounds the bytes of the data by all that was written, so that no turn counts what is there", () => {
    const set = (value: number) => ({ version: 1, ops: [{ kind: "set", path: ["k"], value }] }) as const;
    const claimed = (sequence: number, value: number) =>
      turn(sequence, { kind: "claim", item: "1.0", by: "me" }, [{ patch: set(value) }]);
    const once = applied(waiting, claimed(2, 2));
    const twice = applied(once, claimed(3, 3));
    expect(twice.data).toEqual({ k: 3 });
    expect(twice.dataBytesBound).toBe(jsonBytes({ k: 1 }) + 2 * patchBytes(set(3)));
  });

  it("[D3.1] [D20.3] counts the items that each node has opened, closed ones too", () => {
    expect(first.visits).toEqual([0, 0, 0, 0]);
    expect(waiting.visits).toEqual([0, 1, 0, 0]);
    const again = applied(
      waiting,
      next([
        { closed: ["1.0"], opened: [item("2.0")] },
        { opened: [item("2.1", { node: "p2" }), item("2.2")] },
        { opened: [item("2.3", { node: "nowhere" })] },
      ]),
    );
    expect(again.visits).toEqual([0, 3, 1, 0]);
    expect(waiting.visits).toEqual([0, 1, 0, 0]);
  });

  it("[D3.1] changes and closes items step by step, in the order of the steps", () => {
    const changed = applied(waiting, next([{ changed: [item("1.0", { assignee: "me" })] }]));
    expect(changed.items).toEqual([item("1.0", { assignee: "me" })]);
    const swapped = applied(waiting, next([{ closed: ["1.0"], opened: [item("1.0", { kind: "timer" })] }]));
    expect(swapped.items).toEqual([item("1.0", { kind: "timer" })]);
  });

  it("[D3.1] [C20-09] [C20-83] a terminal event ends the run, closes its items, and nothing follows", () => {
    const reasons: Terminal[] = [
      { kind: "failed", trouble: { code: "FUSE", message: "" } },
      { kind: "cancelled", by: "me" },
    ];
    for (const terminal of reasons) {
      const over = applied(waiting, next([], terminal));
      expect(over).toMatchObject({ status: terminal.kind, modes: [], items: [], terminal });
      expect(over.marking).toEqual(waiting.marking);
      const late = turn(3, { kind: "continue" }, []);
      expect(applyTurn(program, over, late)).toEqual({
        kind: "refused",
        code: "terminal",
        step: null,
        facts: { status: terminal.kind },
      });
    }
  });

  it("[D3.1] [C20-09] nothing follows a completed run, nor one that a deadlock failed", () => {
    const completed = applied(waiting, next([{ fired: t("p:done", "e.step"), closed: ["1.0"] }]));
    const stuck = applied(waiting, next([{ closed: ["1.0"] }]));
    expect([completed.status, stuck.status, stuck.terminal]).toEqual(["completed", "failed", null]);
    for (const over of [completed, stuck]) {
      expect(applyTurn(program, over, turn(3, { kind: "continue" }, []))).toMatchObject({ code: "terminal" });
    }
  });
});

describe("[D3.1] applyTurn refuses", () => {
  const refusals: readonly (readonly [string, RunState, TurnRecord, object])[] = [
    [
      "a turn before its time",
      first,
      turn(2, { kind: "start", data: {} }, []),
      { code: "sequence", step: null, facts: { expected: 1, found: 2 } },
    ],
    [
      "a turn a second time",
      waiting,
      turn(1, { kind: "continue" }, []),
      { code: "sequence", step: null, facts: { expected: 2, found: 1 } },
    ],
    [
      "a first turn that does not start",
      first,
      turn(1, { kind: "continue" }, []),
      { code: "input", step: null, facts: { found: "continue", isFirst: true } },
    ],
    [
      "a second start",
      waiting,
      turn(2, { kind: "start", data: {} }, []),
      { code: "input", step: null, facts: { found: "start", isFirst: false } },
    ],
    [
      "a transition that is not enabled",
      first,
      start([{}, { fired: t("a:done", "e.step") }]),
      { code: "not-enabled", step: 1, facts: { transition: "e.step" } },
    ],
    [
      "a transition that does not exist",
      first,
      start([{ fired: [77] }]),
      { code: "not-enabled", step: 0, facts: { transition: 77 } },
    ],
    [
      "a patch that does not fit",
      waiting,
      next([{}, { patch: { version: 1, ops: [{ kind: "unset", path: ["x"] }] } }]),
      { code: "patch", step: 1 },
    ],
    [
      "closing an item that is not open",
      waiting,
      next([{ closed: ["9.9"] }]),
      { code: "item", step: 0, facts: { closed: "9.9", open: false } },
    ],
    [
      "closing an item twice",
      waiting,
      next([{ closed: ["1.0"] }, { closed: ["1.0"] }]),
      { code: "item", step: 1, facts: { closed: "1.0", open: false } },
    ],
    [
      "changing an item that is not open",
      waiting,
      next([{ changed: [item("9.9")] }]),
      { code: "item", step: 0, facts: { changed: "9.9", open: false } },
    ],
    [
      "opening an item that is open",
      waiting,
      next([{ opened: [item("1.0")] }]),
      { code: "item", step: 0, facts: { opened: "1.0", open: true } },
    ],
  ];
  for (const [what, state, record, expected] of refusals) {
    it(`[D3.1] ${what}`, () => {
      const before = structuredClone(state);
      expect(applyTurn(program, state, record)).toMatchObject({ kind: "refused", ...expected });
      expect(state).toEqual(before);
    });
  }

  it("[D3.1] is refused where rules of a version that is not known made it, before anything else is asked", () => {
    const later = { ...start([]), semantics: SEMANTICS_VERSION + 1, sequence: 7 };
    expect(applyTurn(program, initialState(program), later)).toMatchObject({
      kind: "refused",
      code: "semantics",
      step: null,
      facts: { found: SEMANTICS_VERSION + 1, newest: SEMANTICS_VERSION },
    });
  });

  it("[D3.1] a patch says what did not fit", () => {
    const patch = { version: 1, ops: [{ kind: "unset", path: ["x"] }] } as const;
    const result = applyTurn(program, waiting, next([{ patch }]));
    expect(result).toMatchObject({
      facts: { issues: [expect.stringMatching(/^PATCH101 at \$\.ops\[0\]/u)] },
    });
  });

  it("[D3.1] a firing that would overflow a place", () => {
    const doubling = programOf({
      format: 1,
      kind: "net",
      id: "n",
      places: [{ id: "p", initial: 1 }],
      transitions: [{ id: "double", pre: [["p", 1]], post: [["p", 2]] }],
    });
    const rich = { ...initialState(doubling), marking: [TOKENS_MAX] };
    expect(applyTurn(doubling, rich, start([{ fired: [0] }]))).toEqual({
      kind: "refused",
      code: "overflow",
      step: 0,
      facts: { transition: "double" },
    });
    const almost = { ...rich, marking: [TOKENS_MAX - 1] };
    expect(Array.from(applied(almost, start([{ fired: [0] }]), doubling).marking)).toEqual([TOKENS_MAX]);
  });
});

describe("[D20.3] two states", () => {
  it("[D20.3] are equal iff all their members are, whatever array holds the marking", () => {
    expect(sameState(waiting, { ...waiting, marking: Array.from(waiting.marking) })).toBe(true);
    expect(sameState(waiting, { ...waiting, marking: first.marking })).toBe(false);
    expect(sameState(waiting, { ...waiting, marking: [] })).toBe(false);
    expect(sameState(waiting, { ...waiting, stepCount: 9 })).toBe(false);
    expect(sameState(waiting, { ...waiting, data: { k: 2 } })).toBe(false);
  });
});

describe("[D3.2] status", () => {
  const statusOf = (marking: Readonly<Record<string, number>>, items: readonly OpenItem[]) => {
    const state = { ...first, marking: markingOf(program.net, marking), items };
    const { status, modes } = applied(state, start([]));
    return modes.length === 0 ? status : `${status} ${modes.join(" ")}`;
  };

  it("[D3.2] [C20-09] [C20-82] is running while something automatic is enabled or a job is open", () => {
    expect(statusOf({ source: 1 }, [])).toBe("running");
    expect(statusOf({ "p.active": 1 }, [item("1.0", { kind: "job" })])).toBe("running");
    expect(statusOf({ "p.active": 1, "a:error->p2": 1 }, [item("1.0")])).toBe("running");
    expect(statusOf({ "p.active": 1, "p2.active": 1 }, [item("1.0"), item("1.1", { kind: "job" })])).toBe(
      "running",
    );
  });

  it("[D3.2] [C20-13] [C20-82] is waiting with the modes of the items, in their order, each once", () => {
    expect(statusOf({ "p.active": 1 }, [item("1.0")])).toBe("waiting waiting_human");
    const three = [
      item("1.0", { kind: "timer" }),
      item("1.1", { kind: "external" }),
      item("1.2"),
      item("1.3"),
    ];
    expect(statusOf({ "p.active": 1 }, three)).toBe("waiting waiting_human waiting_external waiting_timer");
  });

  it("[D3.2] [C20-70] a called run counts with its own status", () => {
    const child = (status: "running" | "waiting", modes: readonly ("waiting_timer" | "waiting_ide")[]) =>
      item("1.0", { kind: "child", child: { sequence: 3, status, modes } });
    expect(statusOf({ "p.active": 1 }, [child("running", [])])).toBe("running");
    expect(statusOf({ "p.active": 1 }, [child("waiting", ["waiting_ide"])])).toBe("waiting waiting_ide");
    expect(statusOf({ "p.active": 1 }, [child("waiting", [])])).toBe("running");
    expect(statusOf({ "p.active": 1 }, [child("waiting", ["waiting_timer"]), item("1.1")])).toBe(
      "waiting waiting_human waiting_timer",
    );
  });

  it("[D3.2] an intervention holds the automatic steps of its node, and of no other", () => {
    const held = item("1.0", { kind: "intervention", node: "a" });
    expect(statusOf({ source: 1 }, [held])).toBe("waiting waiting_human");
    expect(statusOf({ source: 1 }, [{ ...held, node: "p" }])).toBe("running");
    expect(statusOf({ source: 1, "a->p": 1 }, [held])).toBe("running");
  });

  it("[D3.2] [C20-81] is completed iff the marking is final and nothing is open", () => {
    expect(statusOf({ "e.end": 1 }, [])).toBe("completed");
    expect(statusOf({ "e.end": 2 }, [])).toBe("failed");
    expect(statusOf({ "e.end": 1 }, [item("1.0")])).toBe("waiting waiting_human");
  });

  it("[D3.2] [C20-13] a marking where nothing is enabled and nobody is waited for has failed", () => {
    expect(statusOf({ "p.active": 1 }, [])).toBe("failed");
    expect(statusOf({}, [])).toBe("failed");
  });
});
