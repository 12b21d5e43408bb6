/** @module Trees of called runs: waiting, cancelling, depth, trouble. */
import type { JsonObject, WorkflowDefinition } from "@tessera/core";
import { memoryStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted, type Engine } from "../src/index.ts";
import { answers, HANGS, scriptedPort, testEngine, throws } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const caller = (
  meta: JsonObject = {},
  id = "caller",
  workflow = "child",
  outcomes: readonly string[] = ["done"],
): WorkflowDefinition =>
  flow(
    id,
    [
      ["c", "subprocess", { workflow, outcomes: [...outcomes], ...meta }],
      ...[...outcomes, "error", "cancelled"].map(
        (label) => [`end-${label}`, "end", { outcome: label }] as const,
      ),
    ],
    [...outcomes, "error", "cancelled"].map((label) => ["c", `end-${label}`, label] as const),
  );
const child = flow(
  "child",
  [
    ["h", "human"],
    ["z", "end"],
  ],
  [["h", "z"]],
);

async function deployAll(engine: Engine, ...definitions: readonly WorkflowDefinition[]) {
  for (const definition of definitions) accepted(await engine.deploy(definition));
}

describe("waiting and cancelling", () => {
  const middle = caller({}, "middle", "child");
  const top = caller({}, "top", "middle");

  it("[D20.16] [C20-70] a caller waits as its child waits, at any depth; the child is resumed, not the caller", async () => {
    const { engine, settle } = testEngine();
    await deployAll(engine, child, middle, top);
    const run = accepted(await engine.start({ workflow: "top", id: "p" }));
    await settle();
    expect(accepted(await run.state())).toMatchObject({ status: "waiting", modes: ["waiting_human"] });
    expect(accepted(await engine.run("p/c.1").state())).toMatchObject({
      status: "waiting",
      modes: ["waiting_human"],
    });
    accepted(await engine.workItems.complete({ task: "p/c.1/c.1/h.1", by: { id: "ann" } }));
    await settle();
    expect(await run.result()).toMatchObject({ status: "completed", outcomes: ["done"] });
  });

  it("[D20.16] [C20-70] a caller hears when its child waits for others than before", async () => {
    const { engine, settle, clock } = testEngine({ ports: { t: scriptedPort([HANGS]).port } });
    const changing = flow(
      "child",
      [
        ["w", "wait"],
        ["d", "timer", { duration: "PT1H" }],
        ["t", "tool", { timeout: "P1D" }],
        ["z", "end"],
        ["e", "end"],
      ],
      [
        ["w", "d"],
        ["d", "t"],
        ["t", "z"],
        ["t", "e", "error"],
      ],
    );
    await deployAll(engine, changing, caller());
    const run = accepted(await engine.start({ workflow: "caller", id: "p" }));
    const seen: string[] = [];
    const look = async () => {
      await settle();
      const { status, modes } = accepted(await run.state());
      seen.push(`${status} ${modes.join()}`);
    };
    await look();
    accepted(await engine.workItems.complete({ task: "p/c.1/w.1", by: { id: "world" } }));
    await look();
    await clock.advance("PT1H");
    await look();
    expect(seen).toEqual(["waiting waiting_external", "waiting waiting_timer", "running "]);
  });

  it("[D20.16] [C20-71] cancelling cancels the whole tree, and nothing of it is left to do", async () => {
    const { engine, settle, store } = testEngine();
    await deployAll(engine, child, middle, top);
    const run = accepted(await engine.start({ workflow: "top", id: "p" }));
    await settle();
    accepted(await run.cancel({ by: { id: "ann" }, reason: "enough" }));
    await settle();
    for (const id of ["p", "p/c.1", "p/c.1/c.1"])
      expect(await engine.run(id).result()).toMatchObject({ status: "cancelled" });
    expect(await store.nextEffect()).toBeNull();
    expect((await store.items({ tenant: "default", limit: 9 })).rows).toEqual([]);
    expect(await engine.audit()).toMatchObject({ isSound: true });
  });

  it("[D20.16] [C20-71] a call whose caller is gone before it began never begins", async () => {
    const { engine, settle, store } = testEngine({ concurrency: 0 });
    await deployAll(engine, child, caller());
    const run = accepted(await engine.start({ workflow: "caller", id: "p" }));
    accepted(await run.cancel());
    const worker = testEngine({ store });
    worker.engine.resume();
    await worker.settle();
    await settle();
    expect(await engine.run("p/c.1").result({ timeoutMs: 0 })).toMatchObject({ reason: "not-found" });
    expect(await store.nextEffect()).toBeNull();
  });

  it("[D20.16] [C20-71] a terminate end cancels the calls in its scope and no others", async () => {
    const { engine, settle } = testEngine();
    const definition = flow(
      "w",
      [
        ["s", "gateway", undefined, { split: "all" }],
        ["scope", "subprocess", { entry: "in" }],
        ["in", "gateway", undefined, { split: "all", scope: "scope" }],
        ["inner", "subprocess", { workflow: "child", outcomes: ["done"] }, { scope: "scope" }],
        ["stopper", "human", undefined, { scope: "scope" }],
        ["stop", "end", { terminate: true }, { scope: "scope" }],
        ["outer", "subprocess", { workflow: "child", outcomes: ["done"] }],
        ["m", "gateway"],
        ["j", "gateway", undefined, { join: "all" }],
        ["z", "end"],
      ],
      [
        ["s", "scope"],
        ["s", "outer"],
        ["in", "inner"],
        ["in", "stopper"],
        ["stopper", "stop"],
        ["inner", "stop"],
        ["inner", "stop", "error"],
        ["inner", "stop", "cancelled"],
        ["outer", "m"],
        ["outer", "m", "error"],
        ["outer", "m", "cancelled"],
        ["scope", "j"],
        ["m", "j"],
        ["j", "z"],
      ],
    );
    await deployAll(engine, child);
    const accept = ["O1", "O2", "O3", "O4"].map((obligation) => ({ obligation, reason: "test", by: "test" }));
    accepted(await engine.deploy(definition, { accept }));
    accepted(await engine.start({ workflow: "w", id: "p" }));
    await settle();
    accepted(await engine.workItems.complete({ task: "p/stopper.1", by: { id: "ann" } }));
    await settle();
    expect(await engine.run("p/inner.1").result()).toMatchObject({ status: "cancelled" });
    expect(accepted(await engine.run("p/outer.1").state()).status).toBe("waiting");
  });
});

describe("traces", () => {
  /** The steps of a run, each with the traces of the runs that it called. */
  interface Trace {
    readonly step: string;
    readonly calls: readonly (readonly Trace[])[];
  }

  const traceOf = async (engine: Engine, run: string): Promise<readonly Trace[]> => {
    const { events } = accepted(await engine.history(run));
    const traces: Trace[] = [];
    for (const event of events) {
      // News of a called run change an item and are no step of the workflow.
      if (event.kind !== "step" || (event.outcome === undefined && event.opened === undefined)) continue;
      const calls: (readonly Trace[])[] = [];
      for (const { id, kind } of event.opened ?? [])
        if (kind === "child") calls.push(await traceOf(engine, `${run}/${id}`));
      traces.push({ step: `${event.node} ${event.outcome ?? "opens"}`, calls });
    }
    return traces;
  };

  it("[D20.16] [D9.11] [HZ-56] the trace of a call hangs in that of its caller, at the step that opened it", async () => {
    const { engine, settle } = testEngine();
    await deployAll(engine, child, caller({}, "middle", "child"), caller({}, "top", "middle"));
    accepted(await engine.start({ workflow: "top", id: "p" }));
    await settle();
    accepted(await engine.workItems.complete({ task: "p/c.1/c.1/h.1", by: { id: "ann" } }));
    await settle();
    const leaf = (step: string): Trace => ({ step, calls: [] });
    const ofChild = [leaf("h opens"), leaf("h done"), leaf("z done")];
    const around = (inner: readonly Trace[]): readonly Trace[] => [
      { step: "c opens", calls: [inner] },
      leaf("c done"),
      leaf("end-done done"),
    ];
    expect(await traceOf(engine, "p")).toEqual(around(around(ofChild)));
  });
});

describe("bounds and trouble", () => {
  it("[D20.16] calls are nested no deeper than the limit", async () => {
    const { engine, settle } = testEngine({ limits: { callDepthMax: 3 } });
    await deployAll(
      engine,
      flow(
        "w0",
        [
          ["s", "start"],
          ["z", "end"],
        ],
        [["s", "z"]],
      ),
    );
    for (let depth = 1; depth <= 5; depth += 1)
      await deployAll(engine, caller({}, `w${depth}`, `w${depth - 1}`));
    const shallow = accepted(await engine.start({ workflow: "w3", id: "shallow" }));
    const deep = accepted(await engine.start({ workflow: "w4", id: "deep" }));
    await settle();
    expect(await shallow.result()).toMatchObject({ outcomes: ["done"] });
    expect(await engine.run("deep/c.1/c.1/c.1").result()).toMatchObject({ outcomes: ["error"] });
    expect(await deep.result()).toMatchObject({ status: "completed" });
  });

  it("[D20.16] ten calls inside each other end from the inside out", async () => {
    const port = scriptedPort([answers({ patch: { n: 1 } })]);
    const { engine, settle } = testEngine({ ports: { t: port.port } });
    await deployAll(
      engine,
      flow(
        "w0",
        [
          ["t", "tool"],
          ["z", "end"],
          ["e", "end", { outcome: "error" }],
        ],
        [
          ["t", "z"],
          ["t", "e", "error"],
        ],
      ),
    );
    for (let depth = 1; depth <= 10; depth += 1)
      await deployAll(engine, caller({ outputs: { n: "n" } }, `w${depth}`, `w${depth - 1}`));
    const run = accepted(await engine.start({ workflow: "w10", id: "p" }));
    await settle();
    expect(port.calls).toHaveLength(1);
    expect(await run.result()).toMatchObject({ status: "completed", data: { n: 1 } });
  });

  it("[D20.16] a called version that cannot run here holds the call until somebody retries", async () => {
    const { engine, settle, store } = testEngine();
    await deployAll(engine, child, caller());
    accepted(await engine.close().then(() => ({ kind: "closed" })));
    const { hash } = (await store.newestDefinition("default", "child")) ?? { hash: "" };
    const blind = testEngine({
      store: { ...store, definition: async (wanted) => (wanted === hash ? null : store.definition(wanted)) },
    });
    accepted(await blind.engine.start({ workflow: "caller", id: "p" }));
    await blind.settle();
    expect(accepted(await blind.engine.run("p").state())).toMatchObject({
      status: "waiting",
      items: [{ kind: "intervention", reason: { code: "CALL_UNAVAILABLE" } }],
    });
    await blind.engine.close();
    const seeing = testEngine({ store });
    accepted(await seeing.engine.workItems.retry({ task: "p/c.1", by: { id: "op" }, reason: "it is there" }));
    await seeing.settle();
    await settle();
    expect(accepted(await seeing.engine.run("p/c.1").state())).toMatchObject({ status: "waiting" });
  });

  it("[D20.16] [C20-17] a port that throws in a child is the child's error, and the caller's business only by its label", async () => {
    const { engine, settle } = testEngine({ ports: { t: scriptedPort([throws(new Error("no"))]).port } });
    const failing = flow(
      "child",
      [
        ["t", "tool"],
        ["z", "end"],
        ["e", "end", { outcome: "broken" }],
      ],
      [
        ["t", "z"],
        ["t", "e", "error"],
      ],
    );
    await deployAll(engine, failing, caller({}, "caller", "child", ["done", "broken"]));
    const run = accepted(await engine.start({ workflow: "caller" }));
    await settle();
    expect(await run.result()).toMatchObject({ outcomes: ["broken"] });
  });

  it("[D20.16] a child that ends under several labels, which its proof forbids, is the caller's error", async () => {
    const { engine, settle } = testEngine();
    const split = flow(
      "child",
      [
        ["s", "gateway", undefined, { split: "all" }],
        ["a", "end", { outcome: "one" }],
        ["b", "end", { outcome: "two" }],
      ],
      [
        ["s", "a"],
        ["s", "b"],
      ],
    );
    accepted(await engine.deploy(split, { accept: [{ obligation: "O12", reason: "test", by: "test" }] }));
    await deployAll(engine, caller({}, "caller", "child", ["one", "two"]));
    const run = accepted(await engine.start({ workflow: "caller", id: "p" }));
    await settle();
    expect(await run.result()).toMatchObject({ outcomes: ["error"] });
    const { events } = accepted(await engine.history("p"));
    const trouble = events.flatMap((event) =>
      event.kind === "step" && event.trouble ? [event.trouble] : [],
    );
    expect(trouble).toMatchObject([{ code: "CALL_AMBIGUOUS", facts: { labels: ["one", "two"] } }]);
  });

  it("[D20.16] an end that the caller cannot take here is brought again until it can", async () => {
    const store = memoryStore();
    const guard = { predicate: "p" };
    const picky = flow(
      "caller",
      [
        ["c", "subprocess", { workflow: "child", outcomes: ["done"] }],
        ["z", "end"],
        ["y", "end"],
      ],
      [
        ["c", "z", "done", { guard }],
        ["c", "y", "done", { default: true }],
        ["c", "y", "error"],
        ["c", "y", "cancelled"],
      ],
    );
    const first = testEngine({ store, predicates: { p: () => true } });
    await deployAll(first.engine, child, picky);
    accepted(await first.engine.start({ workflow: "caller", id: "p" }));
    await first.settle();
    await first.engine.close();
    const blind = testEngine({ store, clock: first.clock });
    accepted(await blind.engine.workItems.complete({ task: "p/c.1/h.1", by: { id: "ann" } }));
    await blind.settle();
    expect(accepted(await blind.engine.run("p").state()).items).toMatchObject([{ kind: "child" }]);
    await blind.engine.close();
    const seeing = testEngine({ store, clock: first.clock, predicates: { p: () => true } });
    seeing.engine.resume();
    await first.clock.advance("PT1M");
    await seeing.settle();
    expect(await seeing.engine.run("p").result()).toMatchObject({ status: "completed" });
  });
});
