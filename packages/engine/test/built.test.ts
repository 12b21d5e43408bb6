/** @module Workflows that were built in the program: handlers and schemas come with the definition. */
import { defineWorkflow, end, human, implement, start, tool, transform } from "@tessera/core";
import { memoryStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";

describe("built workflows", () => {
  const workflow = defineWorkflow({
    id: "built",
    data: { n: z.number().max(10), out: z.number() },
    nodes: {
      placed: start({ input: ["n"] }),
      double: transform({ reads: ["n"], writes: ["out"] }),
      send: tool({ reads: ["out"], writes: [] }),
      sent: end(),
      failed: end({ outcome: "failed" }),
    },
    entry: "placed",
    arcs: [
      ["placed", "double"],
      ["double", "send"],
      ["double", "error", "failed"],
      ["send", "sent"],
      ["send", "error", "failed"],
    ],
  });
  const handlers = (factor: number) => ({
    double: ({ data }: { readonly data: { readonly n: number } }) => ({ patch: { out: data.n * factor } }),
    send: async () => undefined,
  });

  it("deploys handlers with the workflow, and holds data against its schemas", async () => {
    const built = implement(workflow, handlers(2));
    const { engine, settle } = testEngine();
    accepted(await engine.deploy(built));
    const run = accepted(await engine.start({ workflow: built, data: { n: 4 } }));
    await settle();
    expect(await run.result()).toMatchObject({ status: "completed", data: { n: 4, out: 8 } });
    expect(await engine.start({ workflow: built, data: { n: 11 } })).toMatchObject({
      code: "invalid-data",
      facts: { key: "n" },
    });
    expect(await engine.start({ workflow: "built", data: { n: "4" } })).toMatchObject({
      code: "invalid-data",
    });
  });

  it("handlers that come with a refused definition are not used", async () => {
    const { engine, settle } = testEngine();
    accepted(await engine.deploy(implement(workflow, handlers(2))));
    const wrong = {
      ...implement(workflow, handlers(3)),
      definition: { ...workflow.definition, entry: "nowhere" },
    };
    expect(await engine.deploy(wrong)).toMatchObject({ code: "invalid" });
    const run = accepted(await engine.start({ workflow: "built", data: { n: 1 } }));
    await settle();
    expect(await run.result()).toMatchObject({ data: { out: 2 } });
  });

  it("[C20-75] each version has the handlers that were built with it; after a restart as well", async () => {
    const store = memoryStore();
    const waiting = (documentation: string, by: string) =>
      implement(
        defineWorkflow({
          id: "w",
          data: { by: z.string() },
          description: documentation,
          nodes: { ask: human(), mark: transform({ writes: ["by"] }), z: end(), e: end({ outcome: "e" }) },
          entry: "ask",
          arcs: [
            ["ask", "mark"],
            ["mark", "z"],
            ["mark", "error", "e"],
          ],
        }),
        { mark: () => ({ patch: { by } }) },
      );
    const versions = [waiting("one", "first"), waiting("two", "second")];
    const first = testEngine({ store });
    for (const [index, version] of versions.entries()) {
      accepted(await first.engine.deploy(version));
      accepted(await first.engine.start({ workflow: version, id: `r${index}` }));
    }
    await first.engine.close();
    const second = testEngine({ store, implementations: [...versions].reverse() });
    for (const run of ["r0", "r1"])
      accepted(await second.engine.workItems.complete({ task: `${run}/ask.1`, by: { id: "ann" } }));
    expect(accepted(await second.engine.run("r0").state()).data).toEqual({ by: "first" });
    expect(accepted(await second.engine.run("r1").state()).data).toEqual({ by: "second" });
  });
});
