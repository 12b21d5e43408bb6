import { describe, expectTypeOf, it } from "vitest";
import type { NetEvidence, NetReport, ObligationResult, Verdict } from "../src/index.ts";

describe("verdicts", () => {
  it("a failure without evidence cannot be built", () => {
    // @ts-expect-error evidence is missing
    const bare: Verdict<NetEvidence> = { kind: "fails" };
    // @ts-expect-error a limit is no evidence
    const limit: Verdict<NetEvidence> = { kind: "fails", limit: { kind: "states", at: 1 } };
    // @ts-expect-error an unknown names its limit
    const open: Verdict<NetEvidence> = { kind: "unknown" };
    expectTypeOf([bare, limit, open]).items.toEqualTypeOf<Verdict<NetEvidence>>();
  });

  it("a report's lines are verdicts on the net's obligations", () => {
    expectTypeOf<NetReport["obligations"][number]>().toEqualTypeOf<ObligationResult>();
    expectTypeOf<NetReport["sound"]>().toEqualTypeOf<boolean | null>();
  });
});
