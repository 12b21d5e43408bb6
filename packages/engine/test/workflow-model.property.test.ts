/** Any workflow: random definitions with data, each driven by random commands. */
import { arbitraryWorkflow } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { expect, it } from "vitest";
import { workflowModel } from "../src/fast-check.ts";

it("[D26.1] [D26.2] the engine follows the model of whatever workflow is generated", async () => {
  let nodes = 0;
  await fc.assert(
    fc.asyncProperty(arbitraryWorkflow(2), fc.nat(), async (definition, seed) => {
      const model = workflowModel({ definitions: [definition] });
      const property = fc.asyncProperty(model.commands({ size: 25 }), (commands) => model.run(commands));
      await fc.assert(property, { numRuns: 2, seed });
      nodes = Math.max(nodes, definition.nodes.length);
    }),
    { numRuns: 20 },
  );
  expect(nodes).toBeGreaterThan(8);
}, 240_000);
