/** @module The checker of terminating parts on nets small enough to be judged by hand: each condition violated alone. */
import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { VALID } from "../../src/certificate/closed-set.ts";
import type { Remainder } from "../../src/certificate/remainder.ts";
import { silentElement } from "../../src/certificate/shown-alive.ts";
import {
  checkTerminating,
  deadInRemainder,
  type Remainders,
  remainderOf,
} from "../../src/certificate/terminating.ts";
import type { Support } from "../../src/verdict.ts";
import { net } from "../net-text.ts";
import { base, leftOf, partOf, TWO_ENDS } from "./terminating-parts.ts";

describe("a certificate by way of the remainder", () => {
  const support = (method: string, kind?: string): Support => ({
    class: "compact",
    method,
    states: 0,
    ...(kind === undefined ? {} : { certificate: { kind } as never }),
  });
  const [inner, proper] = [support("inner"), support("proper")];
  const part = partOf(base, "d", "x");
  const nothing = (): Remainders => ({ lefts: new Map(), silent: new Map() });
  const said = (checked: { readonly kind: string; readonly reason?: string }) =>
    checked.reason ?? checked.kind;

  function asked(
    id: Parameters<typeof checkTerminating>[1],
    given = base,
    refused = "",
    beside: Support | null = proper,
  ) {
    const questions: string[] = [];
    const checked = checkTerminating(
      given,
      id,
      { kind: "terminating", part, inner, ...(beside === null ? {} : { proper: beside }) },
      nothing(),
      (left, needed, given2) => {
        expect(left.transitions.map((t) => t.id).join(" ")).toBe("t u");
        questions.push(`${needed} by ${given2.method}`);
        return needed === refused ? { kind: "invalid", reason: "refused" } : VALID;
      },
    );
    return `${said(checked)}: ${questions.join(", ")}`;
  }

  it("[T13.6] asks the remainder for what the net needs of it", () => {
    expect(asked("O1")).toBe("valid: O1 by inner, O2 by proper");
    expect(asked("O1", base, "", null)).toBe("valid: O1 by inner, O2 by inner");
    expect(asked("O2")).toBe("valid: O2 by inner");
    expect(asked("O3")).toBe("valid: O3 by inner");
    expect(asked("O4")).toBe("valid: O4 by inner");
    expect(asked("deadlock")).toBe("valid: deadlock by inner, O2 by proper");
    expect(asked("bounded")).toBe("valid: bounded by inner");
    expect(asked("sound")).toBe("valid: sound by inner");
    expect(asked("O1", base, "O2")).toBe("refused: O1 by inner, O2 by proper");
    expect(asked("O1", base, "O1")).toMatch(/^refused/);
    expect(asked("sound", base, "sound")).toMatch(/^refused/);
  });

  it("[T13.6] asks of the part that it is safe, narrow and alive, where that matters", () => {
    const loose = net("t: i -> a; u: a -> o reset a; x: a -> d; y: d -> e reset i a d", TWO_ENDS);
    expect(asked("O4", loose)).toBe("the part is not safe: ");
    expect(asked("bounded", loose)).toBe("the part is not narrow: ");
    expect(asked("O2", loose)).toMatch(/^valid/);
    expect(asked("sound", loose)).toMatch(/^valid/);
    const silent = net("t: i -> a; u: a -> o; x: i + a -> d; y: d -> e reset i a d", TWO_ENDS);
    expect(asked("O3", silent)).toBe("nothing shows that element 2 is alive: ");
    expect(asked("sound", silent)).toBe("nothing shows that element 2 is alive: ");
    expect(asked("O4", silent)).toMatch(/^valid/);
    expect(asked("O1", silent)).toMatch(/^valid/);
    expect(asked("O1", net("t: i -> a; u: a -> o; x: a -> d + i; y: d -> e reset i a d", TWO_ENDS))).toBe(
      "exit 2: ",
    );
  });

  it("[T13.6] a part within a part is refused", () => {
    const check = (one: Support, two?: Support) =>
      said(
        checkTerminating(
          base,
          "O2",
          { kind: "terminating", part, inner: one, ...(two === undefined ? {} : { proper: two }) },
          nothing(),
          () => VALID,
        ),
      );
    expect(check(support("", "terminating"))).toBe("a part within a part");
    expect(check(inner, support("", "terminating"))).toBe("a part within a part");
    expect(check(support("", "reduction"), support("", "stubborn"))).toBe("valid");
  });

  it("[T13.6] what was computed for one line serves the next", () => {
    const known = nothing();
    const check = (id: "O3" | "sound") =>
      said(checkTerminating(base, id, { kind: "terminating", part, inner }, known, () => VALID));
    expect(check("O3")).toBe("valid");
    const left = remainderOf(base, part, known) as Remainder;
    expect(known.lefts.get(part)).toBe(left);
    expect(known.silent.get(left)).toBeNull();
    known.silent.set(left, 7);
    expect(check("sound")).toBe("nothing shows that element 7 is alive");
  });

  const silentOf = (given: Net, places: string, exits: string) => {
    const own = partOf(given, places, exits);
    return silentElement(given, own, leftOf(given, own));
  };
  const silent = (text: string, options?: Parameters<typeof net>[1]) =>
    silentOf(net(text, { ...TWO_ENDS, ...options }), "d", "x");

  it("[T13.6] an exit is alive if the start, or one side of what is alive, covers what it takes", () => {
    expect(silent("t: i -> a; u: a -> o; x: a -> d; y: d -> e reset i a d")).toBeNull();
    expect(silent("t: i -> a; u: a -> o; x: i -> d; y: d -> e reset i a d")).toBeNull();
    // Only what it produces, or only what it takes.
    expect(silent("t: i -> a + o; x: a -> d; y: d -> e reset i a d")).toBeNull();
    expect(silent("t: i -> o; u: a -> o; x: a -> d; y: d -> e reset i a d")).toBeNull();
    expect(silent("t: i -> a + b; u: a -> o; v: b -> o; x: a + b -> d; y: d -> e reset i a b d")).toBeNull();
    // a and b, but of different sides, or of different transitions.
    expect(silent("t: i -> a; u: a -> b; v: b -> o; x: a + b -> d; y: d -> e reset i a b d")).toBe(3);
    expect(silent("t: i -> a; u: i -> b; v: a -> o; w: b -> o; x: a + b -> d; y: d -> e reset i a b d")).toBe(
      4,
    );
    // Nothing else touches what it takes from.
    expect(silent("t: i -> o; x: b -> d; y: d -> e reset i b d")).toBe(1);
    // Two tokens.
    expect(silent("t: i -> a; u: a -> o; x: 2a -> d; y: d -> e reset i a d")).toBe(2);
    expect(silent("t: i -> 2a; u: a -> o; x: 2a -> d; y: d -> e reset i a d")).toBeNull();
    expect(silent("t: i -> 3a; u: a -> o; x: 2a -> d; y: d -> e reset i a d")).toBeNull();
    expect(silent("t: i -> o; x: 2i -> d; y: d -> e reset i d")).toBe(1);
    expect(silent("t: i -> o; x: 2i -> d; y: d -> e reset i d", { initial: { i: 2 } })).toBeNull();
    expect(silent("t: i -> o; x: i + a -> d; y: d -> e reset i a d")).toBe(1);
    expect(silent("t: i -> o; x: i + a -> d; y: d -> e reset i a d", { initial: { i: 1, a: 1 } })).toBeNull();
  });

  it("[T13.6] an inner transition is alive on a way from an exit that is", () => {
    const text =
      "t: i -> a; u: a -> o; x: a -> d; v: d -> f; y: f -> e reset i a d f g; h: a + i -> g; k: g -> f";
    const given = net(text, TWO_ENDS);
    expect(silentOf(given, "d f g", "x h")).toBe(5);
    const alive = net(text.replace("a + i", "a"), TWO_ENDS);
    expect(silentOf(alive, "d f g", "x h")).toBeNull();
    // The first of all may be the silent one.
    expect(silent("x: i + a -> d; t: i -> a; u: a -> o; y: d -> e reset i a d")).toBe(0);
    // Nothing leads into the place of the part.
    expect(silentOf(net("t: i -> a; u: a -> o; y: d -> e reset i a d", TWO_ENDS), "d", "")).toBe(2);
    const round = "t: i -> a; u: a -> o; x: a -> d; v: d -> f; w: f -> d; y: f -> e reset i a d f";
    expect(silentOf(net(round, TWO_ENDS), "d f", "x")).toBeNull();
  });

  it("[T13.6] of variants of one element each must cover what the exit takes", () => {
    const variants = (text: string, ...generated: readonly string[]) => {
      const given = net(text, TWO_ENDS);
      const origin = { node: 1, phase: "step", consumed: [], chosen: [] } as const;
      const transitions = given.transitions.map((t) =>
        generated.includes(t.id) ? { ...t, generated: true, origin } : t,
      );
      return silentOf({ ...given, transitions }, "d", "x");
    };
    // That some variant is alive says nothing of the other one; what is not generated is counted first.
    const text = "t: i -> a + b; s: i -> a; u: a -> o; v: b -> o; x: a + b -> d; y: d -> e reset i a b d";
    expect(variants(text)).toBeNull();
    expect(variants(text, "t", "s")).toBe(2);
    expect(variants(text, "t")).toBeNull();
    expect(variants(text.replace("s: i -> a;", "s: i -> b + a;"), "t", "s")).toBeNull();
    // A variant needs not be alive where another one of its element is.
    const dead = "t: i -> a; u: a -> o; x: a -> d; h: i + a -> d; y: d -> e reset i a d";
    const ofTwo = (...generated: string[]) => {
      const given = net(dead, TWO_ENDS);
      const origin = { node: 1, phase: "step", consumed: [], chosen: [] } as const;
      const transitions = given.transitions.map((t) =>
        generated.includes(t.id) ? { ...t, generated: true, origin } : t,
      );
      return silentOf({ ...given, transitions }, "d", "x h");
    };
    expect(ofTwo()).toBe(3);
    expect(ofTwo("x", "h")).toBeNull();
    expect(ofTwo("h")).toBe(4);
    // Also where all transitions are variants, here of one element: one of them is alive.
    expect(ofTwo("t", "u", "x", "h", "y")).toBeNull();
  });

  it("[T13.7] what is dead in the remainder, and what only that would fill", () => {
    const text = "t: i -> a; u: a -> o; w: b -> o; x: c -> d; y: d -> e reset i a b c d; v: b -> c";
    const dead = (given: Net, ...ids: string[]) => {
      const left = leftOf(given, partOf(given, "d", "x"));
      const found = deadInRemainder(
        given,
        new Set(ids.map((id) => given.transitions.findIndex((t) => t.id === id))),
        left,
      );
      return typeof found === "string" ? found : [...found].map((t) => left.net.transitions[t]?.id).join(" ");
    };
    const given = net(text, TWO_ENDS);
    expect(dead(given, "w")).toBe("w");
    expect(dead(given, "v", "x", "y")).toBe("v");
    expect(dead(given, "x", "v", "y", "w")).toBe("v w");
    expect(dead(given, "x")).toBe("nothing shows that transition 3 is dead");
    expect(dead(given, "v", "y")).toBe("nothing shows that transition 4 is dead");
    expect(dead(given)).toBe("");
    // One input that nothing fills is enough.
    expect(dead(net(text.replace("x: c", "x: a + c"), TWO_ENDS), "v", "x")).toBe("v");
    const marked = net(text, { ...TWO_ENDS, initial: { i: 1, c: 1 } });
    expect(dead(marked, "v", "x")).toBe("nothing shows that transition 3 is dead");
  });
});
