import {
  agent,
  called,
  catchEvent,
  collect,
  custom,
  decision,
  type EventOptions,
  embedded,
  end,
  gateway,
  human,
  integration,
  type NodeSpec,
  start,
  throwEvent,
  timer,
  tool,
  transform,
  verifier,
  wait,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const keys = fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 3 });
const outcomes = fc.uniqueArray(fc.constantFrom("done", "x", "y"), { minLength: 1, maxLength: 3 });
const deadline = fc.constant("PT1H");
const some = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model, { requiredKeys: [] });
const free = { label: fc.constant("a label"), reads: keys, writes: keys };
const events = fc.subarray<EventOptions>(
  [
    { id: "late", on: "timer", duration: "PT1H" },
    { id: "then", on: "timer", key: "a" },
    { id: "paid", on: "message", name: "paid", payload: { b: "sum" } },
    { id: "note", on: "signal", name: "note", interrupting: false },
    { id: "ask", on: "message", name: "ask", payload: { t: "t" }, interrupting: false, workflow: "w" },
  ],
  { minLength: 1 },
);
const work = { ...free, outcomes };
const job = {
  ...work,
  deadline,
  port: fc.constant("p"),
  timeout: fc.constant("PT1M"),
  retry: fc.constant({ attempts: 2 }),
  events,
};
const people = { ...work, events, deadline, title: fc.constant("t"), candidateGroups: fc.constant(["g"]) };
const branches = fc.dictionary(fc.constantFrom("1", "2"), fc.constantFrom("x", "y"), { minKeys: 1 });
const loop = { id: "l", budget: 1, passKey: "a", proves: "it", body: ["n"] };

/** Every constructor with every combination of its options that a node alone can have. */
const spec: fc.Arbitrary<NodeSpec> = fc.oneof<fc.Arbitrary<NodeSpec>[]>(
  some({ input: keys }).map((options) => start(options)),
  some({ outcome: fc.constant("x"), terminate: fc.boolean() }).map((options) => end(options)),
  fc.constant(gateway()),
  fc.constant(decision()),
  fc.constant(decision({ loop })),
  fc
    .tuple(branches, fc.option(fc.boolean(), { nil: undefined }))
    .map(([table, isDefault]) =>
      decision({ key: "a", branches: table, ...(isDefault === undefined ? {} : { default: isDefault }) }),
    ),
  some({ ...work, function: fc.constant("f") }).map((options) => transform(options)),
  keys.map((reads) => verifier({ passKey: "a", reads })),
  some(job).map((options) => tool(options)),
  some({ ...job, connector: fc.constant("c") }).map((options) => integration(options)),
  some({
    ...job,
    turnsMax: fc.nat(),
    orchestration: fc.constant({ pattern: "single" }),
    ideCapable: fc.boolean(),
  }).map((options) => agent(options)),
  some({ ...people, form: fc.constant({ a: "string" }) }).map((options) => human(options)),
  fc
    .record({ form: fc.constant({ a: "string" }), deadline, events }, { requiredKeys: ["form"] })
    .map((options) => collect(options)),
  some({ ...work, deadline, events }).map((options) => wait(options)),
  events.map((list) => catchEvent({ events: list })),
  fc.constantFrom(
    throwEvent({ on: "signal", name: "s" }),
    throwEvent({ on: "message", name: "m", key: "a", payload: { x: "b" }, ttl: "PT1H" }),
  ),
  fc.constantFrom(
    called({
      workflow: "w",
      multi: { mode: "parallel", collection: "a", element: "x", result: "y", results: "b" },
    }),
    embedded({ entry: "n", events: [{ id: "late", on: "timer", duration: "PT1H" }] }),
  ),
  fc.constantFrom(
    timer({ duration: "PT1S" }),
    timer({ date: "2030-01-01" }),
    timer({ cycle: "R2/PT1S" }),
    timer({ key: "a" }),
  ),
  some({ outcomes, events, inputs: fc.constant({ x: "a" }), outputs: fc.constant({ b: "y" }) }).map(
    (options) => called({ workflow: "w", ...options }),
  ),
  fc.constant(custom("verifier", { outcomes: ["done", "error"], handler: "inline", meta: { passKey: "a" } })),
);

/** Law: a constructor gives a node the alphabet that its kind will give it, and meta that the kind accepts. */
const lawAlphabet = (specs: fc.Arbitrary<NodeSpec>) =>
  fc.property(specs, ({ node, outcomes: alphabet }) => {
    const kind = STANDARD_KINDS.get(node.kind);
    const placed = { id: "n", ...node };
    expect(alphabet).toEqual(kind?.alphabet(placed));
    const graph = {
      definition: { format: 1, kind: "workflow", id: "w", entry: "n", nodes: [placed], arcs: [] } as const,
      nodeIndex: new Map([["n", 0]]),
      incoming: [[]],
      outgoing: [[]],
    };
    const ofMeta = kind?.validate(placed, graph).filter(({ code }) => /^KIND00[1237]$/.test(code));
    expect(ofMeta).toEqual([]);
  });

/** Law: who must give a handler is whom the kind says answers. */
const lawHandler = (specs: fc.Arbitrary<NodeSpec>) =>
  fc.property(specs, ({ node, handler }) => {
    const body = STANDARD_KINDS.get(node.kind)?.body({ id: "n", ...node });
    const isNamed = node.meta?.function !== undefined || node.meta?.port !== undefined;
    const expected = { inline: ["inline", "verifier"], job: ["job"] }[body as "inline" | "job"] ?? [
      "none",
      "route",
    ];
    const isRoute = node.kind === "decision" || isNamed;
    expect(isRoute ? ["none", "route"] : expected).toContain(handler);
  });

describe("constructors of nodes", () => {
  it("[D12.5] know the alphabet of the standard kinds, and their meta", () => {
    fc.assert(lawAlphabet(spec), { numRuns: 500 });
  });

  it("[D12.5] ask for handlers of exactly the bodies that are the program's", () => {
    fc.assert(lawHandler(spec), { numRuns: 300 });
  });

  it("[D12.5] the laws fail for a constructor that forgets an outcome, or a handler", () => {
    const forgetful = spec.map((one) => ({
      ...one,
      outcomes: one.outcomes.filter((outcome) => outcome !== "error"),
    }));
    expect(fc.check(lawAlphabet(forgetful), { numRuns: 300 }).failed).toBe(true);
    expect(fc.check(lawHandler(spec.map((one) => ({ ...one, handler: "none" as const })))).failed).toBe(true);
  });

  it("put each option where it belongs", () => {
    const given = human({
      label: "Look",
      reads: ["a"],
      scope: "s",
      join: "all",
      split: "all",
      outcomes: ["x"],
      title: "T",
    });
    expect(given.node).toEqual({
      kind: "human",
      label: "Look",
      join: "all",
      split: "all",
      reads: ["a"],
      scope: "s",
      meta: { outcomes: ["x"], title: "T" },
    });
    expect(gateway().node).toEqual({ kind: "gateway" });
    expect(
      custom("mine", { outcomes: ["x"], meta: { label: "inner", reads: 1 }, label: "outer" }).node,
    ).toEqual({
      kind: "mine",
      label: "outer",
      meta: { label: "inner", reads: 1 },
    });
  });

  it("say which keys are written where that follows from other options", () => {
    expect(start({ input: ["a"] }).node.writes).toEqual(["a"]);
    expect(verifier({ passKey: "ok", reads: ["a"] }).node).toMatchObject({ reads: ["a"], writes: ["ok"] });
    expect(collect({ form: { a: "string" } }).node.writes).toEqual(["a"]);
    expect(human({ form: { a: "string" }, writes: ["b"] }).node.writes).toEqual(["b"]);
    expect(timer({ key: "due" }).node).toMatchObject({ reads: ["due"], writes: [] });
    const { node } = called({ workflow: "w", inputs: { x: "a", y: "a" }, outputs: { b: "z" } });
    expect(node).toMatchObject({ reads: ["a"], writes: ["b"] });
    expect(called({ workflow: "w" }).node).not.toHaveProperty("reads");
  });

  it("of embedded subprocesses declare the labels of its ends", () => {
    expect(embedded({ entry: "in", outcomes: ["x"] })).toMatchObject({
      node: { kind: "subprocess", meta: { entry: "in", outcomes: ["x"] } },
      outcomes: ["x"],
    });
    expect(embedded({ entry: "in" }).outcomes).toEqual(["done"]);
  });
});
