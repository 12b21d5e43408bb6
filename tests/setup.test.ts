import fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("the suite's settings", () => {
  it("gives every property the same seed, so that two samples agree", () => {
    const seed = fc.readConfigureGlobal().seed;
    if (process.env["TESSERA_SEED"] === "fresh") expect(seed).toBeUndefined();
    else expect(Number.isSafeInteger(seed)).toBe(true);
  });
});
