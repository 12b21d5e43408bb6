/** @module A library that gives up on checked text is one issue, not a throw. */
import { expect, it, vi } from "vitest";
import { importBpmn } from "../../src/index.ts";

vi.mock("bpmn-moddle", () => ({
  BpmnModdle: class {
    fromXML(): Promise<never> {
      return Promise.reject(new Error("it gave up"));
    }
  },
}));

it("[D14.1] [BPMN003] what the BPMN library gives up on is refused with its reason", async () => {
  const text = `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="p"/></definitions>`;
  const result = await importBpmn(text);
  expect(result).toMatchObject({ ok: false, issues: [{ code: "BPMN003" }] });
  expect(result.ok ? "" : result.issues[0]?.message).toContain("it gave up");
});
