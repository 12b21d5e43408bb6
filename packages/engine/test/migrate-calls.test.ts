/** @module A caller that is migrated while its called run ends. */
import type { JsonObject } from "@tessera/core";
import { memoryStore, type RunStore } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import { describe, expect, it } from "vitest";
import { temporaryFile } from "../../persist/test/temporary.ts";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const OP = { by: { id: "op" }, reason: "new rules" };
const ANN = { by: { id: "ann" } };

describe("a caller that is migrated", () => {
  it("[D9.24] [D20.16] the outputs of a call are those of the definition in which its caller takes the result", async () => {
    const child = flow(
      "child",
      [
        ["w", "human", { outcomes: ["done"] }],
        ["end", "end", { outcome: "done" }],
      ],
      [["w", "end"]],
    );
    const calls = (id: string, outputs: JsonObject) =>
      flow(
        "calls",
        [
          ["begin", "start"],
          [id, "subprocess", { workflow: "child", outcomes: ["done"], inputs: { "*": "*" }, outputs }],
          ["rest", "human", { outcomes: ["done"] }],
          ["end", "end"],
          ["failed", "end", { outcome: "failed" }],
        ],
        [
          ["begin", id],
          [id, "rest", "done"],
          ["rest", "end"],
          [id, "failed", "error"],
          [id, "failed", "cancelled"],
        ],
      );
    for (const inner of [memoryStore(), sqliteStore({ path: temporaryFile() })]) {
      const operator = testEngine({ store: inner, concurrency: 0 });
      let migrate = async (): Promise<void> => {};
      // Another process migrates the caller in the last moment: when the turn with the result is being committed.
      const store: RunStore = {
        ...inner,
        commit: async (turns) => {
          const isResult = turns.some(({ run, record }) => run === "r" && record.input.kind === "result");
          if (isResult) await migrate();
          return inner.commit(turns);
        },
      };
      const { engine, settle } = testEngine({ store, clock: operator.clock });
      accepted(await engine.deploy(child));
      accepted(await engine.deploy(calls("one", { before: "x" })));
      accepted(await engine.start({ workflow: "calls", id: "r", data: { x: 7 } }));
      await settle();
      const to = accepted(await operator.engine.deploy(calls("two", { after: "x" })));
      let times = 0;
      migrate = async () => {
        times += 1;
        if (times > 1) return;
        const order = { run: "r", to: { hash: to.hash }, mapping: { nodes: { one: "two" } }, ...OP };
        accepted(await operator.engine.operations.migrate(order));
      };
      accepted(await engine.run("r/one.1").complete({ node: "w", ...ANN }));
      await settle();
      expect(times).toBe(2);
      expect(accepted(await engine.run("r").state())).toMatchObject({
        data: { x: 7, after: 7 },
        tokens: ["rest"],
      });
      expect(accepted(await engine.run("r").state()).data).not.toHaveProperty("before");
      expect((await engine.audit()).isSound).toBe(true);
      await engine.close();
      await inner.close();
    }
  });
});
