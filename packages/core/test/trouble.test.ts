import { describe, expect, it } from "vitest";
import { InvariantViolation, invariant, unreachable } from "../src/invariant.ts";
import { formatIssue, formatPath, issue } from "../src/issue.ts";
import { CODES } from "../src/issue-codes.ts";
import { bad, ok } from "../src/result.ts";

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}

describe("invariants", () => {
  it("pass in silence and build no facts", () => {
    let isBuilt = false;
    invariant(true, "D4.1", () => {
      isBuilt = true;
      return {};
    });
    expect(isBuilt).toBe(false);
  });

  it("throw with the id and the facts", () => {
    const thrown = thrownBy(() => invariant(false, "D4.1", () => ({ at: 7 })));
    expect(thrown).toBeInstanceOf(InvariantViolation);
    expect(thrown).toMatchObject({
      name: "InvariantViolation",
      code: "INVARIANT",
      id: "D4.1",
      facts: { at: 7 },
      message: "invariant D4.1 does not hold",
    });
    expect(thrownBy(() => invariant(false, "D4.2"))).toMatchObject({ id: "D4.2", facts: {} });
  });

  it("end a switch that was taken for exhaustive", () => {
    expect(thrownBy(() => unreachable("new" as never))).toMatchObject({
      id: "unreachable",
      facts: { value: "new" },
    });
  });
});

describe("issues", () => {
  it("are one clear line", () => {
    expect(formatIssue(issue("DATA001", ["a", 0, "b c"], " The data\n  are\tnot an object. "))).toBe(
      'DATA001 at $.a[0]["b c"]: The data are not an object.',
    );
    expect(
      formatIssue({ ...issue("X1", [], "No."), severity: "warning", position: { line: 3, column: 14 } }),
    ).toBe("3:14 warning X1 at $: No.");
    expect(formatIssue({ ...issue("X1", [], "No."), severity: "error" })).toBe("X1 at $: No.");
  });

  it("carry facts only where there are any", () => {
    expect(issue("X1", ["a"], "No.")).toStrictEqual({ code: "X1", path: ["a"], message: "No." });
    expect(issue("X1", [], "No.", { n: 1 })).toEqual({
      code: "X1",
      path: [],
      message: "No.",
      facts: { n: 1 },
    });
  });

  it("name places so that they can be told apart", () => {
    expect(
      [[], ["a"], ["_a-b1", "$x"], ["1a"], ["a.b"], [""], [0, "0"], ['"'], ["é"]].map(formatPath),
    ).toEqual(["$", "$.a", "$._a-b1.$x", '$["1a"]', '$["a.b"]', '$[""]', '$[0]["0"]', '$["\\""]', '$["é"]']);
  });

  it("have codes of one form, in order, with a sentence that says what to do", () => {
    const codes = Object.keys(CODES);
    expect(codes.every((code) => /^[A-Z]+[0-9]{3}$/u.test(code))).toBe(true);
    expect(codes).toEqual([...codes].sort());
    expect(Object.values(CODES).every((sentence) => /^[A-Z].{20,}\.$/u.test(sentence))).toBe(true);
  });
});

describe("results", () => {
  it("hold a value or issues", () => {
    expect(ok(1)).toEqual({ ok: true, value: 1 });
    expect(bad(["x"])).toEqual({ ok: false, issues: ["x"] });
  });
});
