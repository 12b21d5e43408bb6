/** @module A turn, example by example: starting, routing, loops, bounds, blocks, nets. */
import type { Json } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { flow } from "./definitions.ts";
import { bareRun, completing, starting } from "./host.ts";

describe("starting and ending", () => {
  it("[D9.4] a run starts once, and with nothing but a start", () => {
    const run = bareRun(
      flow(
        "w",
        [
          ["a", "wait"],
          ["z", "end"],
        ],
        [["a", "z"]],
      ),
    );
    expect(run.turn({ input: { kind: "continue" } })).toMatchObject({ kind: "refused", code: "started" });
    run.take(starting());
    expect(run.turn(starting())).toMatchObject({ kind: "refused", code: "started" });
  });

  it("[D9.1] [C20-09] [C20-83] nothing moves a run that has ended", () => {
    const run = bareRun(
      flow(
        "w",
        [
          ["a", "wait"],
          ["z", "end"],
        ],
        [["a", "z"]],
      ),
    );
    run.take(starting());
    const item = run.item("a");
    run.take({ input: { kind: "cancel", by: "ann", reason: "enough" } });
    expect(run.state).toMatchObject({
      status: "cancelled",
      items: [],
      terminal: { kind: "cancelled", by: "ann", reason: "enough" },
    });
    expect(run.turn(completing(item))).toMatchObject({ kind: "refused", code: "ended" });
    expect(run.turn({ input: { kind: "cancel" } })).toMatchObject({ code: "ended" });
  });

  it("[D9.1] an empty way through is one turn, and its steps are numbered by nobody", () => {
    const run = bareRun(
      flow(
        "w",
        [
          ["a", "start"],
          ["g", "gateway"],
          ["z", "end"],
        ],
        [
          ["a", "g"],
          ["g", "z"],
        ],
      ),
    );
    const { record, state } = run.take(starting({ k: 1 }));
    expect(state).toMatchObject({ status: "completed", data: { k: 1 }, stepCount: 3 });
    expect(record.steps.map(({ node, outcome }) => [node, outcome])).toEqual([
      ["a", "done"],
      ["g", "done"],
      ["z", "done"],
    ]);
  });

  it("[D9.1] a deadlock fails with the marked places, never in silence", () => {
    const definition = flow(
      "w",
      [
        ["s", "start"],
        ["x", "gateway"],
        ["j", "gateway", undefined, { join: "all" }],
        ["z", "end"],
      ],
      [
        ["s", "x"],
        ["x", "j", "done", { guard: { key: "k", op: "is", value: 1 } }],
        ["x", "j", "done", { default: true }],
        ["j", "z"],
      ],
    );
    const run = bareRun(definition);
    run.take(starting({ k: 1 }));
    expect(run.state).toMatchObject({
      status: "failed",
      terminal: { trouble: { code: "DEADLOCK", facts: { marked: ["x:done->j"] } } },
    });
  });
});

describe("routes", () => {
  const routing = (arcs: readonly (readonly [guard: Json | null, isDefault?: boolean])[]) => {
    const targets = arcs.map((_, index) => `t${index}`);
    return flow(
      "w",
      [["s", "gateway"], ...targets.map((id) => [id, "end", { outcome: id }] as const)],
      arcs.map(([guard, isDefault = false], index) => {
        const more = {
          ...(guard === null ? {} : { guard: guard as never }),
          ...(isDefault ? { default: true as const } : {}),
        };
        return ["s", `t${index}`, "done", more] as const;
      }),
    );
  };
  const taken = (arcs: Parameters<typeof routing>[0], data: { readonly [key: string]: Json }) => {
    const run = bareRun(routing(arcs));
    run.take(starting(data));
    const { terminal } = run.state;
    if (terminal?.kind === "failed") return terminal.trouble.code;
    return run.plan.nodes.find(
      (node) =>
        (run.state.marking[run.plan.program.net.places.findIndex(({ id }) => id === `${node.id}.end`)] ?? 0) >
        0,
    )?.id;
  };

  it("[D20.6] [C20-19] [C20-18] the first arc in document order whose guard holds is taken", () => {
    const isBig = { key: "k", op: "atLeast", value: 5 };
    expect(taken([[isBig], [null]], { k: 7 })).toBe("t0");
    expect(taken([[isBig], [null]], { k: 1 })).toBe("t1");
    expect(taken([[null], [isBig]], { k: 7 })).toBe("t0");
    expect(taken([[isBig], [isBig]], { k: 7 })).toBe("t0");
  });

  it("[D20.6] [C20-20] [HZ-39] no true arc takes the default, wherever it stands; without one it is an error", () => {
    const never = { key: "k", op: "is", value: "never" };
    expect(taken([[null, true], [never]], { k: 1 })).toBe("t0");
    expect(taken([[never], [never]], { k: 1 })).toBe("NO_TRUE_ARC");
  });

  it("[D20.6] a guard that cannot be answered is trouble, not false", () => {
    expect(taken([[{ key: "none", op: "lessThan", value: 1 }], [null, true]], {})).toBe("COND101");
  });
});

describe("OR blocks and bare nets", () => {
  it("[D9.1] [D6.2] [C20-26] [C20-27] an OR block takes every subset that its guards choose, and its join waits for exactly those", () => {
    const branches = ["a", "b", "c"];
    const definition = flow(
      "w",
      [
        ["s", "gateway", undefined, { split: "or" }],
        ...branches.map((id) => [id, "human"] as const),
        ["j", "gateway", undefined, { join: "or" }],
        ["z", "end"],
      ],
      [
        ...branches.map(
          (id) => ["s", id, "done", { guard: { key: id, op: "is", value: true } } as never] as const,
        ),
        ...branches.map((id) => [id, "j"] as const),
        ["j", "z"],
      ],
    );
    for (let subset = 1; subset < 8; subset += 1) {
      const data = Object.fromEntries(branches.map((id, index) => [id, (subset & (1 << index)) !== 0]));
      const chosen = branches.filter((id) => data[id]);
      const run = bareRun(definition);
      run.take(starting(data));
      expect(run.state.items.map(({ node }) => node)).toEqual(chosen);
      for (const id of [...chosen].reverse()) {
        expect(run.state.status).toBe("waiting");
        run.take(completing(run.item(id)));
      }
      expect(run.state.status).toBe("completed");
    }
  });

  const net = {
    format: 1,
    kind: "net",
    id: "n",
    places: [{ id: "i", initial: 1 }, { id: "o" }],
    transitions: [
      { id: "a", pre: [["i", 1]], post: [["o", 1]] },
      { id: "b", label: "B", pre: [["i", 1]], post: [["o", 1]] },
    ],
  } as const;

  it("[D9.3] a conflict takes the head of the given choices, by id or label, and uses it up", () => {
    const run = bareRun(net as never);
    const { record } = run.take(starting({ choices: ["B", "a"] }));
    expect(record.steps.map(({ node }) => node)).toEqual([undefined, "b"]);
    expect(run.state).toMatchObject({ status: "completed", data: { choices: ["a"] } });
  });

  it("[D9.3] without a choice the recorded seed decides", () => {
    const run = bareRun(net as never);
    const { record } = run.take(starting());
    expect(record.seed).toBe("seed");
    expect(run.state.status).toBe("completed");
  });

  it("[D9.1] a budget of firings never uses up a choice that it does not make", () => {
    const chain = {
      ...net,
      transitions: [
        { id: "first", pre: [["i", 1]], post: [["m", 1]] },
        { id: "a", pre: [["m", 1]], post: [["o", 1]] },
        { id: "b", pre: [["m", 1]], post: [["o", 1]] },
      ],
      places: [{ id: "i", initial: 1 }, { id: "m" }, { id: "o" }],
    };
    const run = bareRun(chain as never, { limits: { firingsMax: 1 } });
    run.take(starting({ choices: ["b"] }));
    expect(run.state.data).toEqual({ choices: ["b"] });
    run.take({ input: { kind: "continue" } });
    expect(run.state).toMatchObject({ status: "completed", data: { choices: [] } });
  });

  it("[D9.1] a bare net ends where it is final, also where transitions are still enabled", () => {
    const cyclic = {
      format: 1,
      kind: "net",
      id: "n",
      places: [{ id: "i", initial: 1 }, { id: "f" }],
      transitions: [
        { id: "go", pre: [["i", 1]], post: [["f", 1]] },
        { id: "back", pre: [["f", 1]], post: [["i", 1]] },
      ],
      finals: [{ f: 1 }],
    };
    const run = bareRun(cyclic as never);
    run.take(starting());
    expect(run.state).toMatchObject({ status: "completed", stepCount: 1 });
  });
});

describe("embedded subprocesses", () => {
  it("[D9.1] a terminate end empties its scope, closes what waits there, and nothing else", () => {
    const definition = flow(
      "w",
      [
        ["s", "gateway", undefined, { split: "all" }],
        ["scope", "subprocess", { entry: "in" }],
        ["in", "gateway", undefined, { split: "all", scope: "scope" }],
        ["h1", "human", undefined, { scope: "scope" }],
        ["h2", "human", undefined, { scope: "scope" }],
        ["stop", "end", { terminate: true }, { scope: "scope" }],
        ["never", "end", undefined, { scope: "scope" }],
        ["outside", "human"],
        ["j", "gateway", undefined, { join: "all" }],
        ["z", "end"],
      ],
      [
        ["s", "scope"],
        ["s", "outside"],
        ["in", "h1"],
        ["in", "h2"],
        ["h1", "stop"],
        ["h2", "never"],
        ["scope", "j"],
        ["outside", "j"],
        ["j", "z"],
      ],
    );
    const run = bareRun(definition);
    run.take(starting());
    expect(run.state.items.map(({ node }) => node).sort()).toEqual(["h1", "h2", "outside"]);
    const late = run.item("h2");
    const { record } = run.take(completing(run.item("h1")));
    expect(record.steps.flatMap(({ closed }) => closed ?? [])).toContain(late.id);
    expect(run.state.items.map(({ node }) => node)).toEqual(["outside"]);
    expect(run.turn(completing(late))).toMatchObject({ code: "not-open" });
    run.take(completing(run.item("outside")));
    expect(run.state.status).toBe("completed");
  });
});
