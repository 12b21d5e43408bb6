import { readFileSync } from "node:fs";
import type { WorkflowDefinition } from "@tessera/core";
import { accepted, type Port } from "@tessera/engine";
import { answers, HANGS, type ManualClock, scriptedPort } from "@tessera/engine/testing";
import { sqliteStore } from "@tessera/persist/sqlite";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { BY, ends, file, flows, tool, user } from "./bpmn-run.ts";

import { begun, database, definitionOf, opened } from "./stored-run.ts";

const DAY = 86_400_000;

describe("what went wrong at a gateway", () => {
  it("BR-024 a join that could not fire keeps every token, and fires once when it can", async () => {
    const path = database();
    const joined: WorkflowDefinition = {
      format: 1,
      kind: "workflow",
      id: "p",
      entry: "s",
      nodes: [
        { id: "s", kind: "gateway", split: "all" },
        { id: "a", kind: "human" },
        { id: "b", kind: "human" },
        { id: "j", kind: "transform", join: "all" },
        { id: "z", kind: "human" },
        { id: "e", kind: "end" },
        { id: "x", kind: "end", meta: { outcome: "failed" } },
      ],
      arcs: [
        { from: "s", to: "a" },
        { from: "s", to: "b" },
        { from: "a", to: "j" },
        { from: "b", to: "j" },
        { from: "j", to: "z" },
        { from: "j", to: "x", outcome: "error" },
        { from: "z", to: "e" },
      ],
    };
    const calls: string[] = [];
    const functions = {
      j: () => {
        calls.push("j");
        return { patch: { joined: true } };
      },
    };
    const deployed = await begun(path, joined, { functions });
    await deployed.close();
    const lacking = opened(path);
    await lacking.complete("a");
    await lacking.complete("b");
    const stuck = await lacking.state();
    expect(stuck.marking).toEqual({ "a->j": 1, "b->j": 1 });
    const [held] = (await lacking.engine.workItems.list({ kind: "intervention" })).rows;
    expect(held).toMatchObject({ node: "j", reason: { code: "FUNCTION_MISSING" } });
    await lacking.close();
    const mended = opened(path, { functions });
    accepted(
      await mended.engine.workItems.retry({ task: held?.id ?? "", by: BY, reason: "it is there now" }),
    );
    await mended.settle();
    expect(calls).toEqual(["j"]);
    expect(await mended.state()).toMatchObject({ marking: { "z.active": 1 }, data: { joined: true } });
    await mended.complete("z");
    expect((await mended.state()).status).toBe("completed");
    await mended.close();
  });

  it("BR-025 an inclusive split whose condition met no value is asked again with one, and its join fires once", async () => {
    const path = database();
    const text = file(
      `${ends}${user("u")}<inclusiveGateway id="g"/><inclusiveGateway id="j"/>${tool("a")}${tool("b")}${tool("c")}${tool("z")}${flows("s > u", "u > g", "g > a : n > 1", "g > b : n > 2", "g > c : n > 3", "a > j", "b > j", "c > j", "j > z", "z > e")}`,
    );
    const trace: string[] = [];
    const ports = Object.fromEntries(
      ["a", "b", "c", "z"].map((name): [string, Port] => [name, () => void trace.push(name)]),
    );
    const { engine, settle, complete, state, close } = await begun(path, await definitionOf(text), { ports });
    await complete("u");
    const failed = await state();
    expect(failed).toMatchObject({ status: "failed", terminal: { trouble: { facts: { node: "g" } } } });
    expect(trace).toEqual([]);
    // The run is what it was; another one begins where it waited, and is answered with the value.
    accepted(
      await engine.operations.fork({ run: "run", at: 1, id: "again", by: BY, reason: "n was missing" }),
    );
    accepted(await engine.run("again").complete({ node: "u", by: BY, data: { n: 3 } }));
    await settle();
    expect(trace.toSorted()).toEqual(["a", "b", "z"]);
    expect(accepted(await engine.run("again").state()).status).toBe("completed");
    expect(await state()).toEqual(failed);
    await close();
  });
});

describe("stopped in the middle", () => {
  it("BR-031 the other branch is not lost: what ran is run again under its key, what was done is not", async () => {
    const path = database();
    const text = file(
      `${ends}${tool("a")}<parallelGateway id="g"/><parallelGateway id="j"/>${tool("b")}${tool("c")}${tool("z")}${flows("s > a", "a > g", "g > b", "g > c", "b > j", "c > j", "j > z", "z > e")}`,
    );
    const keys: string[] = [];
    const done: Port = ({ idempotencyKey }) => void keys.push(idempotencyKey);
    const slow = scriptedPort([HANGS, answers()]);
    const ports = { a: done, b: slow.port, c: done, z: done };
    const first = await begun(path, await definitionOf(text), { ports });
    expect(keys).toEqual(["run/a.1", "run/c.1"]);
    // Nobody closes it: it is gone. Its claim on the work runs out.
    const second = opened(path, { ports, startAt: first.clock.now() + 10 * 60_000 });
    await second.settle();
    await second.clock.advance(60_000);
    expect((await second.state()).status).toBe("completed");
    expect(keys).toEqual(["run/a.1", "run/c.1", "run/z.1"]);
    expect(new Set(slow.calls.map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set(["run/b.1"]));
    expect(accepted(await second.engine.audit({ runs: ["run"] }))).toMatchObject({ isSound: true });
    await second.close();
  });

  it.each([
    ["one day", DAY, 1],
    ["three days", 3 * DAY, 0],
  ])(
    "BR-034 BR-035 a timer of two days, stopped for %s, is due when it was due, once",
    async (_, away, left) => {
      const path = database();
      const timer = `<intermediateCatchEvent id="t"><timerEventDefinition><timeDuration>P2D</timeDuration></timerEventDefinition></intermediateCatchEvent>`;
      const calls: number[] = [];
      const text = file(`${ends}${timer}${tool("z")}${flows("s > t", "t > z", "z > e")}`);
      const at =
        (clock: () => ManualClock): Port =>
        () =>
          void calls.push(clock().now());
      const first = await begun(path, await definitionOf(text), { ports: { z: () => void calls.push(-1) } });
      const start = first.clock.now();
      await first.close();
      const second = opened(path, { startAt: start + away, ports: { z: at(() => second.clock) } });
      await second.settle();
      await second.clock.advance(1);
      expect(calls).toHaveLength(left === 0 ? 1 : 0);
      if (left > 0) await second.clock.advance(left * DAY - 2);
      expect(calls).toHaveLength(left === 0 ? 1 : 0);
      await second.clock.advance(10 * DAY);
      expect(calls).toHaveLength(1);
      if (left === 1) expect(calls[0]).toBe(start + 2 * DAY);
      expect((await second.state()).status).toBe("completed");
      await second.close();
    },
  );

  it("BR-039 an engine without the port leaves the work alone: it is held, with the reason, no attempt and no failure; one that has it does it", async () => {
    const path = database();
    const text = file(`${ends}${tool("a")}${flows("s > a", "a > e")}`);
    const first = await begun(path, await definitionOf(text), {
      concurrency: 0,
      ports: { a: () => undefined },
    });
    await first.close();
    const bare = opened(path);
    await bare.clock.advance(30 * DAY);
    const { events } = accepted(await bare.engine.history("run"));
    expect(events.flatMap((event) => (event.kind === "input" ? [event.input.kind] : []))).toEqual([
      "start",
      "hold",
    ]);
    expect(await bare.state()).toMatchObject({ status: "waiting", marking: { "a.active": 1 } });
    const [held] = (await bare.engine.workItems.list({ kind: "intervention" })).rows;
    expect(held).toMatchObject({ node: "a", reason: { code: "PORT_MISSING" } });
    await bare.close();
    const port = scriptedPort([answers()]);
    const ready = opened(path, { ports: { a: port.port }, startAt: bare.clock.now() });
    accepted(await ready.engine.workItems.retry({ task: held?.id ?? "", by: BY, reason: "it is there now" }));
    await ready.settle();
    expect(port.calls.map(({ attempt }) => attempt)).toEqual([1]);
    expect((await ready.state()).status).toBe("completed");
    await ready.close();
  });

  it("BR-073 a start event with a time starts one run for each time, however often it is deployed and by how many engines", async () => {
    const path = database();
    const text = file(
      `${ends}${tool("a")}${flows("s > a", "a > e")}`.replace(
        '<startEvent id="s"/>',
        '<startEvent id="s"><timerEventDefinition><timeCycle>R/PT1M</timeCycle></timerEventDefinition></startEvent>',
      ),
    );
    const definition = await definitionOf(text);
    const options = { ports: { a: () => undefined } };
    const first = opened(path, options);
    const deployed = [
      accepted(await first.engine.deploy(definition)),
      accepted(await first.engine.deploy(definition)),
    ];
    expect(new Set(deployed.map(({ hash }) => hash)).size).toBe(1);
    const second = opened(path, options);
    accepted(await second.engine.deploy(definition));
    const MINUTE = 60_000;
    for (const each of [first, second, first]) await each.clock.advance(2 * MINUTE);
    const times = [1, 2, 3, 4].map((n) => new Date(Date.UTC(2026, 0, 1) + n * MINUTE).toISOString());
    const runs = async () => (await second.engine.runs({ limit: 99 })).rows.map(({ run }) => run).sort();
    expect(await runs()).toEqual(times.map((time) => `p/done@${time}`));
    await first.close();
    await second.close();
  });

  it("BR-033 a file of a later form is refused before anything is written, one of an earlier form is taken on", async () => {
    const path = database();
    const inner = `<subProcess id="x"><startEvent id="i"/>${user("u")}<endEvent id="o"/>${flows("i > u", "u > o").replace(/"f/gu, '"x')}</subProcess>`;
    const text = file(`${ends}${inner}${flows("s > x", "x > e")}`);
    const first = await begun(path, await definitionOf(text));
    const before = await first.state();
    await first.close();
    const raw = new Database(path);
    const version = raw.pragma("user_version", { simple: true }) as number;
    raw.exec("UPDATE tessera_meta SET value = value + 1 WHERE key = 'schema'");
    raw.close();
    const bytes = readFileSync(path);
    expect(() => sqliteStore({ path })).toThrow(expect.objectContaining({ code: "schema" }));
    expect(readFileSync(path).equals(bytes)).toBe(true);
    const mend = new Database(path);
    mend.exec("UPDATE tessera_meta SET value = value - 1 WHERE key = 'schema'");
    mend.close();
    expect(version).toBeGreaterThanOrEqual(0);
    const again = opened(path);
    expect(await again.state()).toEqual(before);
    await again.complete("u");
    expect((await again.state()).status).toBe("completed");
    await again.close();
  });
});
