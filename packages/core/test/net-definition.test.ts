import { describe, expect, it } from "vitest";
import { TOKENS_MAX } from "../src/compiled.ts";
import { compileNetDefinition } from "../src/net-definition.ts";
import type { NetDefinition } from "../src/workflow.ts";

function definition(change: Partial<NetDefinition> = {}): NetDefinition {
  return {
    format: 1,
    kind: "net",
    id: "n",
    places: [{ id: "i", initial: 1 }, { id: "p", label: "between" }, { id: "o" }],
    transitions: [
      { id: "a", label: "go", pre: [["i", 1]], post: [["p", 2]] },
      { id: "b", pre: [["p", 2]], post: [["o", 1]] },
    ],
    ...change,
  };
}

/** The net, or the codes with their paths. */
function compiled(change: Partial<NetDefinition> = {}) {
  const result = compileNetDefinition(definition(change));
  return result.ok ? result.value.net : result.issues.map(({ code, path }) => `${code} ${path.join(".")}`);
}

describe("[D2.4] net definitions", () => {
  it("[D2.4] become the net index by index, each transition a step of its own", () => {
    const source = definition();
    const result = compileNetDefinition(source);
    const origin = { phase: "step", consumed: [], chosen: [], outcome: "done" };
    expect(result).toStrictEqual({
      ok: true,
      value: {
        kind: "net",
        definition: source,
        net: {
          places: [
            { id: "i", role: "control" },
            { id: "p", role: "control", label: "between" },
            { id: "o", role: "control" },
          ],
          transitions: [
            {
              id: "a",
              label: "go",
              pre: [[0, 1]],
              any: [],
              post: [[1, 2]],
              reset: [],
              origin: { node: 0, ...origin },
            },
            { id: "b", pre: [[1, 2]], any: [], post: [[2, 1]], reset: [], origin: { node: 1, ...origin } },
          ],
          initial: [1, 0, 0],
          finals: { kind: "ends", ends: [2] },
        },
      },
    });
  });

  it("[D2.4] a place named twice on a side counts with the sum, a reset named twice once", () => {
    const net = compiled({
      transitions: [
        {
          id: "a",
          pre: [
            ["i", 1],
            ["p", 1],
            ["i", 2],
          ],
          post: [],
          reset: ["p", "p", "i"],
        },
      ],
    });
    expect(net).toMatchObject({
      transitions: [
        {
          pre: [
            [0, 3],
            [1, 1],
          ],
          reset: [1, 0],
        },
      ],
    });
  });

  it("[D2.4] without finals the ends are the places that nothing takes from or resets", () => {
    expect(
      compiled({ transitions: [{ id: "a", pre: [["i", 1]], post: [["p", 1]], reset: ["o"] }] }),
    ).toMatchObject({
      finals: { kind: "ends", ends: [1] },
    });
    expect(compiled({ transitions: [] })).toMatchObject({ finals: { kind: "ends", ends: [0, 1, 2] } });
  });

  it("[D2.4] stated finals are markings by place id", () => {
    expect(compiled({ finals: [{ o: 2 }, {}] })).toMatchObject({
      finals: {
        kind: "markings",
        markings: [
          [0, 0, 2],
          [0, 0, 0],
        ],
      },
    });
    expect(compiled({ finals: [] })).toMatchObject({ finals: { kind: "markings", markings: [] } });
  });

  it("[D2.4] NET001 ids of places, and of transitions, are unique; a place may share its id with a transition", () => {
    expect(compiled({ places: [{ id: "i" }, { id: "p" }, { id: "o" }, { id: "i" }] })).toEqual([
      "NET001 places.3.id",
    ]);
    const t = { id: "i", pre: [], post: [] } as const;
    expect(compiled({ transitions: [t] })).toMatchObject({ transitions: [{ id: "i" }] });
    expect(compiled({ transitions: [t, t] })).toEqual(["NET001 transitions.1.id"]);
  });

  it("[D2.4] NET002 arcs, resets and finals name places of the net", () => {
    expect(
      compiled({
        transitions: [
          {
            id: "a",
            pre: [
              ["i", 1],
              ["x", 1],
            ],
            post: [["y", 1]],
            reset: ["o", "z"],
          },
        ],
        finals: [{ o: 1 }, { x: 1 }],
      }),
    ).toEqual([
      "NET002 transitions.0.pre.1",
      "NET002 transitions.0.post.0",
      "NET002 transitions.0.reset.1",
      "NET002 finals.1.x",
    ]);
  });

  it("[D2.4] NET003 weights are counted from 1, tokens from 0, both up to what a place can hold", () => {
    const weight = (value: number) => compiled({ transitions: [{ id: "a", pre: [["i", value]], post: [] }] });
    for (const bad of [0, -1, 1.5, Number.NaN, TOKENS_MAX + 1]) {
      expect(weight(bad)).toEqual(["NET003 transitions.0.pre.0"]);
    }
    expect(weight(TOKENS_MAX)).toMatchObject({ transitions: [{ pre: [[0, TOKENS_MAX]] }] });
    expect(
      compiled({
        transitions: [
          {
            id: "a",
            pre: [],
            post: [
              ["i", TOKENS_MAX],
              ["p", 1],
              ["i", 1],
            ],
          },
        ],
      }),
    ).toEqual(["NET003 transitions.0.post.2"]);
    const initial = (value: number) => compiled({ places: [{ id: "i", initial: value }], transitions: [] });
    const final = (value: number) => compiled({ finals: [{ o: value }] });
    for (const bad of [-1, 0.5, TOKENS_MAX + 1]) {
      expect(initial(bad)).toEqual(["NET003 places.0.initial"]);
      expect(final(bad)).toEqual(["NET003 finals.0.o"]);
    }
    expect(initial(TOKENS_MAX)).toMatchObject({ initial: [TOKENS_MAX] });
    expect(initial(0)).toMatchObject({ initial: [0] });
    expect(final(0)).toMatchObject({ finals: { markings: [[0, 0, 0]] } });
  });

  it("[D2.4] every problem is reported at once", () => {
    expect(
      compiled({
        places: [{ id: "i", initial: -1 }, { id: "i" }],
        transitions: [
          {
            id: "a",
            pre: [
              ["x", 1],
              ["i", 0],
            ],
            post: [],
          },
          { id: "a", pre: [], post: [["i", 1]], reset: ["y"] },
        ],
        finals: [{ z: 1 }],
      }),
    ).toEqual([
      "NET001 places.1.id",
      "NET002 transitions.0.pre.0",
      "NET003 transitions.0.pre.1",
      "NET001 transitions.1.id",
      "NET002 transitions.1.reset.0",
      "NET003 places.0.initial",
      "NET002 finals.0.z",
    ]);
  });

  it("[D2.4] [D15.6] an OR join takes from its places under a rule of its own, and they are no ends", () => {
    const joining = {
      places: [{ id: "i", initial: 1 }, { id: "p" }, { id: "o" }],
      transitions: [
        { id: "a", pre: [["i", 1]], post: [["p", 1]] },
        { id: "j", pre: [["i", 1]], post: [["o", 1]], orJoin: ["p", "p"], reset: ["p"] },
      ],
    } as const;
    expect(compiled(joining)).toMatchObject({
      transitions: [
        { id: "a", any: [] },
        { id: "j", pre: [[0, 1]], any: [1], reset: [1], rule: "or-join:j" },
      ],
      finals: { ends: [2] },
    });
    const [plain] = (compiled(joining) as { transitions: readonly object[] }).transitions;
    expect(plain).not.toHaveProperty("rule");
    const { transitions } = joining;
    const open = [transitions[0], { ...transitions[1], reset: [] }] as const;
    expect(compiled({ ...joining, transitions: open })).toMatchObject({ finals: { ends: [2] } });
  });

  it("[D2.4] NET004 an OR join joins at least one place, and none that it needs anyway", () => {
    const join = (pre: readonly (readonly [string, number])[], orJoin: readonly string[]) =>
      compiled({ transitions: [{ id: "j", pre, post: [["o", 1]], orJoin }] });
    expect(join([["i", 1]], [])).toEqual(["NET004 transitions.0.orJoin"]);
    expect(join([["i", 1]], ["p", "i"])).toEqual(["NET004 transitions.0.orJoin"]);
    expect(join([["i", 1]], ["x"])).toEqual(["NET002 transitions.0.orJoin.0"]);
    expect(join([["i", 1]], ["p"])).toMatchObject({ transitions: [{ any: [1] }] });
  });
});
