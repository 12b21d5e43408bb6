import { describe, expect, it } from "vitest";
import { InvariantViolation } from "../src/invariant.ts";
import { makeNet, type Net, netClass, type Place, type Transition } from "../src/net.ts";

const place = (id: string): Place => ({ id, role: "control" });
const t = (id: string, change: Partial<Transition> = {}): Transition => ({
  id,
  pre: [],
  any: [],
  post: [],
  reset: [],
  ...change,
});

function net(change: Partial<Net> = {}, transitions: readonly Transition[] = []): Net {
  return {
    places: [place("i"), place("p"), place("o")],
    transitions,
    initial: [1, 0, 0],
    finals: { kind: "ends", ends: [2] },
    ...change,
  };
}

describe("[D1.1] makeNet", () => {
  it("[D1.1] returns a well-formed net as it is", () => {
    const good = net({}, [
      t("a", { pre: [[0, 2]], any: [1], post: [[2, 1]], reset: [0, 1] }),
      t("b", { pre: [[1, 1]], post: [[1, 1]] }),
    ]);
    expect(makeNet(good)).toBe(good);
    const listed = net({
      finals: {
        kind: "markings",
        markings: [
          [0, 0, 1],
          [0, 0, 0],
        ],
      },
    });
    expect(makeNet(listed)).toBe(listed);
    expect(makeNet(net({ places: [], initial: [], finals: { kind: "ends", ends: [] } })).places).toEqual([]);
  });

  const broken: Readonly<Record<string, Net>> = {
    "a repeated place id": net({ places: [place("i"), place("i"), place("o")] }),
    "a repeated transition id": net({}, [t("a"), t("a")]),
    "an initial marking that is too short": net({ initial: [1, 0] }),
    "an initial marking that is too long": net({ initial: [1, 0, 0, 0] }),
    "a negative token count": net({ initial: [1, -1, 0] }),
    "half a token": net({ initial: [1, 0.5, 0] }),
    "a final marking of the wrong length": net({ finals: { kind: "markings", markings: [[1]] } }),
    "a final marking with a negative count": net({ finals: { kind: "markings", markings: [[0, 0, -1]] } }),
    "an end that is no place": net({ finals: { kind: "ends", ends: [3] } }),
    "a negative end": net({ finals: { kind: "ends", ends: [-1] } }),
    "an end named twice": net({ finals: { kind: "ends", ends: [2, 2] } }),
    "a preset outside the net": net({}, [t("a", { pre: [[3, 1]] })]),
    "a negative index": net({}, [t("a", { pre: [[-1, 1]] })]),
    "a fractional index": net({}, [t("a", { pre: [[0.5, 1]] })]),
    "a postset outside the net": net({}, [t("a", { post: [[3, 1]] })]),
    "a weight of zero": net({}, [t("a", { pre: [[0, 0]] })]),
    "a negative weight": net({}, [t("a", { post: [[0, -1]] })]),
    "a fractional weight": net({}, [t("a", { post: [[0, 1.5]] })]),
    "a place twice in a preset": net({}, [
      t("a", {
        pre: [
          [0, 1],
          [0, 1],
        ],
      }),
    ]),
    "a place twice in a postset": net({}, [
      t("a", {
        post: [
          [0, 1],
          [0, 2],
        ],
      }),
    ]),
    "an optional input outside the net": net({}, [t("a", { any: [3] })]),
    "an optional input named twice": net({}, [t("a", { any: [1, 1] })]),
    "an optional input that is in the preset too": net({}, [t("a", { pre: [[1, 1]], any: [1] })]),
    "a reset outside the net": net({}, [t("a", { reset: [3] })]),
    "a reset named twice": net({}, [t("a", { reset: [1, 1] })]),
    "a reset of an end": net({}, [t("a", { reset: [2] })]),
  };
  for (const [what, bad] of Object.entries(broken)) {
    it(`[D1.1] ${what} is a bug of the code that built the net`, () => {
      expect(() => makeNet(bad)).toThrow(InvariantViolation);
      expect(() => makeNet(bad)).toThrow("D1.1");
    });
  }

  it("[D1.1] an end may be reset where the final markings are listed", () => {
    const listed = net({ finals: { kind: "markings", markings: [[0, 0, 1]] } }, [t("a", { reset: [2] })]);
    expect(makeNet(listed)).toBe(listed);
  });
});

describe("[D1.6] the class of a net", () => {
  const classOf = (...transitions: Transition[]) => netClass(net({}, transitions));

  it("[D1.6] is the widest class that any transition asks for", () => {
    expect(classOf()).toBe("plain");
    expect(classOf(t("a", { pre: [[0, 1]], post: [[1, 1]] }))).toBe("plain");
    expect(classOf(t("a"), t("b", { pre: [[0, 2]] }))).toBe("weighted");
    expect(classOf(t("a"), t("b", { post: [[0, 2]] }))).toBe("weighted");
    expect(classOf(t("a", { pre: [[0, 2]] }), t("b", { reset: [1] }))).toBe("reset");
    expect(classOf(t("a", { reset: [1] }), t("b", { any: [1] }))).toBe("non-local");
    expect(classOf(t("a", { reset: [1] }), t("b", { rule: "or" }))).toBe("non-local");
  });
});
