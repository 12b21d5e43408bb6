/** @module What can fail must have somewhere to go, and goes there without a trace in the data. */
import type { Constraint, JsonObject } from "@tessera/core";
import { graphJson } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { accepted, type Port, type Refused } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const action = (kind: string, meta: JsonObject, ...labels: readonly string[]) =>
  flow(
    "w",
    [
      ["first", "transform"],
      ["act", kind, meta],
      ["ok", "end", { outcome: "ok" }],
      ["escalated", "end", { outcome: "escalated" }],
    ],
    [
      ["first", "act"],
      ["first", "escalated", "error"],
      ["act", "ok"],
      ...labels.map((label) => ["act", "escalated", label] as const),
    ],
    { constraints: ["noDrafts"] },
  );

const noDrafts: Constraint = {
  name: "noDrafts",
  version: 1,
  class: "semantic",
  scope: { kind: "object" },
  check: (_, { written }) => (written.includes("draft") ? [{ message: "no drafts", facts: {} }] : []),
};
const create = (id: string) => ({
  create: [{ id, type: "note", payload: {}, links: [] }],
  update: [],
  delete: [],
});

const testWith = (act: Port) =>
  testEngine({
    constraints: [noDrafts],
    ports: { act },
    functions: { first: () => ({ patch: { n: 1 }, mutation: create("first") }), act: () => undefined },
  });

describe("actions", () => {
  it.each(["tool", "integration", "agent", "transform"])(
    "[D8.10] [HZ-24] a %s without an arc for error is refused before any run, with the node",
    async (kind) => {
      const { engine } = testWith(() => undefined);
      const refusal = (await engine.deploy(action(kind, {}))) as Refused;
      expect(refusal).toMatchObject({ kind: "refused", code: "unproved" });
      const open = refusal.facts["obligations"] as unknown as readonly {
        readonly id: string;
        readonly witness: JsonObject;
      }[];
      expect(open.find(({ id }) => id === "O5")?.witness).toMatchObject({
        gaps: [{ kind: "no-arc", node: "act", outcome: "error" }],
      });
      expect(await engine.start({ workflow: "w" })).toMatchObject({ code: "not-found" });
      expect(await engine.deploy(action(kind, {}, "error"))).toMatchObject({ kind: "deployed" });
    },
  );

  it.each<readonly [string, Port, string]>([
    [
      "a tool that throws",
      () => {
        throw Object.assign(new Error("down"), { code: "DOWN" });
      },
      "DOWN",
    ],
    [
      "an effect that the gate refuses",
      () => ({ patch: { n: 2 }, mutation: create("draft") }),
      "GATE_REJECTED",
    ],
    [
      "an effect that breaks a reference",
      () => ({
        patch: { n: 2 },
        mutation: {
          create: [{ id: "x", type: "note", payload: {}, links: [{ to: "nowhere" }] }],
          update: [],
          delete: [],
        },
      }),
      "GATE_REJECTED",
    ],
  ])("[D9.8] [D20.5] [HZ-23] %s takes the error arc, and nothing has changed", async (_, port, code) => {
    const { engine, settle, store } = testWith(port);
    accepted(await engine.deploy(action("tool", {}, "error")));
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    const before = graphJson((await store.graph("default", "r")).graph);
    expect(before).toMatchObject({ objects: [{ id: "first" }] });
    await settle();
    const end = await run.result();
    expect(end).toMatchObject({ kind: "ended", status: "completed", outcomes: ["escalated"] });
    expect(end.kind === "ended" && end.data).toEqual({ n: 1 });
    expect(graphJson((await store.graph("default", "r")).graph)).toEqual(before);
    const { events } = accepted(await engine.history("r"));
    expect(events).toContainEqual(
      expect.objectContaining({ node: "act", outcome: "error", trouble: expect.objectContaining({ code }) }),
    );
  });
});
