/** @module Starting runs and waiting for them. */
import { describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow, single } from "./definitions.ts";

const plain = single("w", ["h", "human"], ["done"]);

describe("starting", () => {
  it("[D9.9] the same id with the same content is the same run", async () => {
    const { engine } = testEngine();
    accepted(await engine.deploy(plain));
    const request = { workflow: "w", id: "r", businessKey: "k", data: { a: [1, { b: 2 }] } };
    const first = accepted(await engine.start(request));
    const again = accepted(await engine.start({ ...request, data: { a: [1, { b: 2 }] } }));
    expect([first.isNew, again.isNew, again.id]).toEqual([true, false, "r"]);
    expect((await engine.runs({ limit: 9 })).rows).toHaveLength(1);
    accepted(await engine.workItems.complete({ task: "r/h.1", by: { id: "ann" } }));
    expect(accepted(await engine.start(request)).isNew).toBe(false);
  });

  it.each([
    ["data", { data: { a: 2 } }],
    ["business key", { businessKey: "other" }],
    ["graph", { graph: "g" }],
    ["workflow", { workflow: "v" }],
  ])("[D9.9] the same id with another %s is refused", async (_, more) => {
    const { engine } = testEngine();
    accepted(await engine.deploy(plain));
    accepted(await engine.deploy({ ...plain, id: "v" }));
    const request = { workflow: "w", id: "r", data: { a: 1 } };
    accepted(await engine.start(request));
    expect(await engine.start({ ...request, ...more })).toMatchObject({ kind: "refused", code: "exists" });
  });

  it("[D9.9] twenty starts at once, in two engines, are one run", async () => {
    const one = testEngine();
    const two = testEngine({ store: one.store, clock: one.clock });
    accepted(await one.engine.deploy(plain));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? one : two).engine.start({ workflow: "w", id: "r", data: { a: 1 } }),
      ),
    );
    expect(answers.every(({ kind }) => kind === "started")).toBe(true);
    expect(answers.filter((answer) => answer.kind === "started" && answer.isNew)).toHaveLength(1);
  });

  it.each<readonly [string, object, string]>([
    ["an unknown workflow", { workflow: "nowhere" }, "not-found"],
    ["an unknown version", { workflow: { hash: `sha256:${"0".repeat(64)}` } }, "not-found"],
    ["an empty id", { id: "" }, "invalid"],
    ["an endless id", { id: "x".repeat(300) }, "invalid"],
    ["an id with a lone surrogate", { id: "\ud800" }, "invalid"],
    ["a tenant that is no text", { tenant: 7 }, "invalid"],
    ["data that are no JSON", { data: { f: () => 1 } }, "invalid"],
    ["data with __proto__", { data: JSON.parse('{"__proto__": 1}') }, "invalid"],
    ["more data than the limit", { data: { x: "0123456789".repeat(50) } }, "limit"],
    ["a value that is not of its type", { data: { n: "one" } }, "invalid-data"],
  ])("[D9.9] %s is refused", async (_, more, code) => {
    const { engine } = testEngine({ limits: { messageBytesMax: 200 } });
    accepted(await engine.deploy({ ...plain, data: { n: { type: "number" } } }));
    expect(await engine.start({ workflow: "w", ...more } as never)).toMatchObject({ kind: "refused", code });
  });

  it("[D9.9] what a caller changes afterwards does not reach the run", async () => {
    const { engine } = testEngine();
    accepted(await engine.deploy(plain));
    const data = { list: [1] };
    const run = accepted(await engine.start({ workflow: "w", data }));
    data.list.push(2);
    const view = accepted(await run.state());
    (view.data["list"] as number[]).push(3);
    expect(accepted(await run.state()).data).toEqual({ list: [1] });
  });

  it("[D9.9] tenants see nothing of each other", async () => {
    const { engine } = testEngine();
    accepted(await engine.deploy(plain, { tenant: "a" }));
    accepted(await engine.start({ workflow: "w", id: "r", tenant: "a" }));
    expect(await engine.start({ workflow: "w", id: "r", tenant: "b" })).toMatchObject({ code: "not-found" });
    expect(accepted(await engine.run("r", "a").state()).tenant).toBe("a");
    expect(await engine.run("r", "b").state()).toMatchObject({ code: "not-found" });
    expect(await engine.workItems.complete({ task: "r/h.1", by: { id: "x" }, tenant: "b" })).toMatchObject({
      code: "not-found",
    });
    expect((await engine.workItems.list({ tenant: "b" })).rows).toEqual([]);
    expect((await engine.workItems.list({ tenant: "a" })).rows).toHaveLength(1);
  });

  it("[D9.1] a run with an endless inline cycle ends by its fuse while others go on", async () => {
    const { engine, settle } = testEngine({
      functions: { f: () => undefined },
      limits: { firingsMax: 50, stepsMax: 20_000 },
    });
    const endless = flow(
      "endless",
      [
        ["s", "gateway"],
        ["f", "transform"],
        ["z", "end"],
      ],
      [
        ["s", "f"],
        ["f", "s", "done", { guard: { key: "stop", op: "isNot", value: true } }],
        ["f", "z", "done", { default: true }],
        ["f", "s", "error"],
      ],
    );
    const accept = ["O1", "O3", "O5", "O7"].map((obligation) => ({ obligation, reason: "test", by: "test" }));
    accepted(await engine.deploy(endless, { accept }));
    accepted(await engine.deploy(plain));
    const spinning = accepted(await engine.start({ workflow: "endless", id: "spin" }));
    const other = accepted(await engine.start({ workflow: "w", id: "other" }));
    accepted(await engine.workItems.complete({ task: "other/h.1", by: { id: "ann" } }));
    expect(await other.result()).toMatchObject({ status: "completed" });
    expect(accepted(await spinning.state()).status).toBe("running");
    await settle();
    expect(await spinning.result()).toMatchObject({ status: "failed", trouble: { code: "FUSE" } });
    expect(await engine.audit()).toMatchObject({ isSound: true });
  });

  it("[D9.5] an unfinished run whose process died is taken up by another", async () => {
    const first = testEngine({ functions: { f: () => undefined }, limits: { firingsMax: 5 } });
    const long = flow(
      "long",
      [
        ["s", "gateway"],
        ...Array.from({ length: 30 }, (_, index) => [`g${index}`, "gateway"] as const),
        ["z", "end"],
      ],
      [
        ["s", "g0"],
        ...Array.from({ length: 29 }, (_, index) => [`g${index}`, `g${index + 1}`] as const),
        ["g29", "z"],
      ],
    );
    accepted(await first.engine.deploy(long));
    // A process that dies with its first turn committed: its clock stands still and its store no longer answers.
    let isDead = false;
    const victim = testEngine({
      store: {
        ...first.store,
        commit: async (turns) => {
          if (isDead) return new Promise(() => {});
          isDead = true;
          return first.store.commit(turns);
        },
      },
      limits: { firingsMax: 5 },
    });
    accepted(await victim.engine.start({ workflow: "long", id: "r" }));
    expect(accepted(await first.engine.run("r").state())).toMatchObject({ status: "running", sequence: 1 });
    const heir = testEngine({ store: first.store, clock: first.clock, limits: { firingsMax: 5 } });
    heir.engine.resume();
    await heir.settle();
    await first.clock.advance("PT1M");
    await heir.settle();
    expect(await heir.engine.run("r").result()).toMatchObject({ status: "completed" });
    expect(await first.store.nextEffect()).toBeNull();
  });
});

describe("waiting for the end", () => {
  it("[D9.9] a result comes to everybody who waits, and to those who come later", async () => {
    const { engine } = testEngine();
    accepted(await engine.deploy(plain));
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    const waiting = [run.result(), engine.run("r").result(), run.result()];
    accepted(await engine.workItems.complete({ task: "r/h.1", by: { id: "ann" } }));
    const end = {
      kind: "ended",
      run: "r",
      status: "completed",
      outcomes: ["done"],
      data: {},
      trouble: null,
      terminal: null,
    };
    expect(await Promise.all([...waiting, run.result()])).toEqual([end, end, end, end]);
  });

  it("[D9.9] the waiting ends by a signal, in time, or when the engine closes; the run goes on", async () => {
    const { engine, clock, settle } = testEngine();
    accepted(await engine.deploy(plain));
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    const abort = new AbortController();
    const aborted = run.result({ signal: abort.signal });
    const timed = run.result({ timeoutMs: 1_000 });
    const closed = run.result();
    abort.abort();
    await clock.advance(1_000);
    await settle();
    await engine.close();
    expect(await Promise.all([aborted, timed, closed, run.result()])).toMatchObject([
      { kind: "unfinished", reason: "aborted" },
      { kind: "unfinished", reason: "timeout" },
      { kind: "unfinished", reason: "closed" },
      { kind: "unfinished", reason: "closed" },
    ]);
    expect(await run.result({ signal: AbortSignal.abort() })).toMatchObject({ kind: "unfinished" });
    expect(accepted(await run.state()).status).toBe("waiting");
  });

  it("[D9.9] the end that another process brought about is seen at the next look", async () => {
    const one = testEngine({ pollMs: 500 });
    const two = testEngine({ store: one.store, clock: one.clock });
    accepted(await one.engine.deploy(plain));
    const run = accepted(await one.engine.start({ workflow: "w", id: "r" }));
    const waiting = run.result();
    accepted(await two.engine.workItems.complete({ task: "r/h.1", by: { id: "ann" } }));
    await one.clock.advance(500);
    expect(await waiting).toMatchObject({ status: "completed" });
  });

  it("[D9.9] nobody waits for what is not there", async () => {
    const { engine } = testEngine();
    expect(await engine.run("nowhere").result()).toMatchObject({ kind: "unfinished", reason: "not-found" });
  });
});
