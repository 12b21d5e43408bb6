/** @module A port is asked what became of an earlier call before it is called again, whoever asks again and why. */
import { describe, expect, it } from "vitest";
import { accepted, reconciled } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { single } from "./definitions.ts";

const OP = { by: { id: "op" }, reason: "repair" };

describe("reconciliation after an operator", () => {
  /** A port whose first call has its effect, and loses the answer or never gives one. */
  const paid = (first: () => never | Promise<never>) => {
    const calls = { made: 0 };
    const call = () => {
      calls.made += 1;
      return first();
    };
    return { calls, pay: reconciled(call, () => ({ patch: { paid: "yes" } })) };
  };

  it("[D9.8] a job that is retried from a dead letter is looked up before it is called again: its effect may be done", async () => {
    const { calls, pay } = paid(() => {
      throw new Error("the answer was lost");
    });
    const { engine, settle } = testEngine({ ports: { t: pay } });
    accepted(await engine.deploy(single("w", ["t", "tool", { retry: { attempts: 1, deadLetter: true } }])));
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    await settle();
    accepted(await engine.workItems.retry({ task: "r/t.1", ...OP }));
    expect(await run.result()).toMatchObject({ status: "completed", data: { paid: "yes" } });
    expect(calls.made).toBe(1);
  });

  it("[D9.8] a job whose call a suspension has abandoned is looked up before it is called again", async () => {
    const { calls, pay } = paid(() => new Promise<never>(() => {}));
    const { engine, settle } = testEngine({ ports: { t: pay } });
    const { operations } = engine;
    accepted(await engine.deploy(single("w", ["t", "tool"])));
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    await settle();
    accepted(await operations.suspend({ run: "r", ...OP }));
    accepted(await operations.resume({ run: "r", ...OP }));
    expect(await run.result()).toMatchObject({ status: "completed", data: { paid: "yes" } });
    expect(calls.made).toBe(1);
  });
});
