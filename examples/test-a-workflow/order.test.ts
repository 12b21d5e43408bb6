import "tessera/vitest";
import fc from "fast-check";
import { workflowModel } from "tessera/fast-check";
import { expect, it } from "vitest";
import { order } from "./order.ts";

it("the order always ends, once, and every outcome can happen", () => {
  expect(order).toBeSound();
  expect(order).toHold("O5");
});

it("the engine runs it as it is drawn, whatever people answer, whatever the time, and whoever dies", async () => {
  const model = workflowModel({ definitions: [order] });
  const property = fc.asyncProperty(model.commands(), (commands) => model.run(commands));
  await fc.assert(property, { numRuns: 20 });
});
