import "tessera/vitest";
import { compileWorkflow, STANDARD_KINDS, type WorkflowDefinition } from "tessera";
import { expect, it } from "vitest";
import { order } from "./order.ts";

const compiled = compileWorkflow(order as WorkflowDefinition, STANDARD_KINDS);
if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));

it("the order always ends, once, and every outcome can happen", () => {
  expect(compiled.value).toBeSound();
  expect(compiled.value).toHold("O5");
  expect(compiled.value).toHold("AG EF final");
});
