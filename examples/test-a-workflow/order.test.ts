import "tessera/vitest";
import fc from "fast-check";
import { compileWorkflow, STANDARD_KINDS, type WorkflowDefinition } from "tessera";
import { workflowModel } from "tessera/fast-check";
import { expect, it } from "vitest";
import { order } from "./order.ts";

it("the order always ends, once, and every outcome can happen", () => {
  const compiled = compileWorkflow(order as WorkflowDefinition, STANDARD_KINDS);
  expect(compiled.ok && compiled.value).toBeSound();
  expect(compiled.ok && compiled.value).toHold("O5");
});

it("the engine runs it as it is drawn, whatever people answer, whatever the time, and whoever dies", async () => {
  const model = workflowModel({ definitions: [order] });
  const property = fc.asyncProperty(model.commands(), (commands) => model.run(commands));
  await fc.assert(property, { numRuns: 20 });
});
