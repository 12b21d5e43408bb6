/** @module Events whose data cannot be taken leave their node under error, also a subprocess: O5 asks for that arc. */
import type { Arc, WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { end, gateway, start, workflow } from "../workflow-text.ts";
import { proveOnData } from "./prove-on-data.ts";

const inner = (id: string, kind: string): WorkflowNode => ({ id, kind, scope: "sub" });

/** Somebody works inside; a message interrupts, and writes `x`. */
const interrupted = (event: object, ...more: readonly (string | Arc)[]) =>
  workflow(
    [
      start,
      { id: "sub", kind: "subprocess", meta: { entry: "task", events: [{ id: "stop", ...event }] } },
      inner("task", "human"),
      inner("inside", "end"),
      end,
    ],
    ["start -> sub", "task -> inside", "sub -> end", "sub: stop -> end", ...more],
    { x: { type: "number" } },
  );

/** Somebody fills in that x is 1, then x must be 1; the label comes of something else as well. */
const filled = (label: string, meta: object) =>
  workflow(
    [
      start,
      { id: "ask", kind: "human", meta: { form: { x: { type: "number", values: [1] } }, ...meta } },
      gateway("go"),
      end,
    ],
    [
      "start -> ask",
      "ask -> go",
      `ask: ${label} -> go`,
      { from: "go", to: "end", guard: { key: "x", op: "is", value: 1 } },
    ],
    { x: { type: "number" } },
  );

const o5 = (compiled: ReturnType<typeof workflow>) =>
  proveOnData(compiled).obligations.find(({ id }) => id === "O5")?.verdict.kind;

describe("[D23.3] events of a subprocess that go wrong", () => {
  const brings = { on: "message", name: "m", payload: { x: "v" } };

  it("[D23.3] [D17.5] what a message brings may be refused: without an arc under error the run fails there", () => {
    expect(o5(interrupted(brings))).toBe("unknown");
    expect(o5(interrupted({ ...brings, interrupting: false }))).toBe("unknown");
    expect(o5(interrupted(brings, "sub: error -> end"))).toBe("holds");
  });

  it("[D23.3] one that writes nothing and reads nothing does not go wrong", () => {
    expect(o5(interrupted({ on: "message", name: "m" }))).toBe("holds");
    expect(o5(interrupted({ on: "timer", duration: "PT1H" }))).toBe("holds");
  });

  it("[D23.3] where the time or the key of a message is read from D, there may be none", () => {
    expect(o5(interrupted({ on: "timer", key: "due" }))).toBe("unknown");
    expect(o5(interrupted({ on: "message", name: "m", key: "order" }))).toBe("unknown");
  });
});

describe("[D23.3] labels that a person may give, and others too", () => {
  const outcomes = ["done", "expired"];

  it("[D23.3] a deadline that passes fills no form, though somebody may say so as well", () => {
    expect(o5(filled("expired", { outcomes }))).toBe("holds");
    expect(o5(filled("expired", { outcomes, deadline: "PT1H" }))).not.toBe("holds");
  });

  it("[D23.3] an event that goes wrong fills no form", () => {
    const event = { id: "stop", on: "message", name: "m" };
    const more = (found: object) => ({ outcomes: ["done", "error"], events: [found] });
    const stopped = (found: object) => {
      const { definition } = filled("error", more(found));
      return workflow(definition.nodes, [...definition.arcs, "ask: stop -> end"], definition.data);
    };
    expect(o5(stopped(event))).toBe("holds");
    expect(o5(stopped({ ...event, payload: { y: "v" } }))).not.toBe("holds");
  });
});
