import "@tessera/proofs/vitest";
import { describe, expect, it } from "vitest";
import { checkNet, proveWorkflow } from "../src/index.ts";
import { net } from "./net-text.ts";
import { end, gateway, human, start, workflow } from "./workflow-text.ts";

const sound = net("t: i -> a; u: a -> o");
const unsound = net("t: i -> a + b; u: a -> o; v: b -> o");
const askedOnce = workflow([start, human("ask"), end], ["start -> ask", "ask -> end"]);
const crossed = workflow(
  [start, gateway("choose"), human("a"), human("b"), gateway("both", { join: "all" }), end],
  ["start -> choose", "choose -> a", "choose -> b", "a -> both", "b -> both", "both -> end"],
);

describe("the matchers", () => {
  it("[D8.8] toBeSound takes nets, workflows and reports", () => {
    expect(sound).toBeSound();
    expect(unsound).not.toBeSound();
    expect(askedOnce).toBeSound();
    expect(crossed).not.toBeSound();
    expect(checkNet(sound)).toBeSound();
    expect(proveWorkflow(crossed)).not.toBeSound();
  });

  it("[D8.9] toHold asks for one obligation", () => {
    expect(sound).toHold("O4");
    expect(unsound).not.toHold("O2");
    expect(askedOnce).toHold("O5");
    expect(crossed).not.toHold("O6");
  });

  it("[D8.9] a failure shows the witness", () => {
    expect(() => expect(unsound).toBeSound()).toThrow(/it is not sound: .*"run":\["t"/);
    expect(() => expect(crossed).toHold("O6")).toThrow(/O6 fails: after start: done, .* waits before "both"/);
    expect(() => expect(checkNet(unsound)).toHold("O2")).toThrow(/O2 fails: E1/);
    expect(() => expect(sound).not.toBeSound()).toThrow(/expected otherwise, but it is sound/);
  });

  it("[D8.9] an open question passes neither way, nor does an obligation that a net has not", () => {
    const options = { limits: { statesMax: 1 } };
    // Weights keep the net from being reduced to nothing.
    const heavy = net("t: i -> 2a; u: 2a -> o");
    expect(() => expect(heavy).toBeSound(options)).toThrow(/open whether it is sound: more than 1 markings/);
    expect(() => expect(heavy).not.toBeSound(options)).toThrow(/open whether/);
    expect(() => expect(sound).toHold("O5")).toThrow(/no obligation O5/);
    expect(() => expect(sound).not.toHold("O5")).toThrow(/no obligation O5/);
  });
});
