/** @module Kinds of fault of other engines in what is kept of runs: journals that fold to what was, state and memory that do not grow. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { applyTurn, compile, initialState, type Json, makeProgram } from "@tessera/core";
import { accepted, type Port } from "@tessera/engine";
import { testEngine } from "@tessera/engine/testing";
import { STANDARD_KINDS } from "@tessera/gateways";
import { sqliteStore } from "@tessera/persist/sqlite";
import { describe, expect, it } from "vitest";
import { ends, file, flows, tool, user } from "./bpmn-run.ts";

import { begun, database, definitionOf, opened } from "./stored-run.ts";

describe("the journal", () => {
  const message = (id: string) =>
    `<intermediateCatchEvent id="c${id}"><messageEventDefinition messageRef="m${id}"/></intermediateCatchEvent>`;
  const choice = file(
    `${ends}<eventBasedGateway id="g"/>${message("1")}${message("2")}<businessRuleTask id="r" name="r"/>${tool("a")}${flows("s > g", "g > c1", "g > c2", "c1 > r", "c2 > r", "r > a", "a > e")}`,
    '<message id="m1" name="one"/><message id="m2" name="two"/>',
  );

  it("BR-040 every prefix of the journal folds to the state that the run had then", async () => {
    const path = database();
    const live: Json[] = [];
    const seen = async () => void live.push((await first.state()) as unknown as Json);
    const ports: Record<string, Port> = { r: seen, a: seen };
    const first = opened(path, { ports });
    accepted(await first.engine.deploy(await definitionOf(choice)));
    accepted(await first.engine.start({ workflow: "p", id: "run" }));
    await first.settle();
    await seen();
    accepted(await first.engine.publish({ name: "two" }));
    await first.settle();
    await seen();
    expect((await first.state()).status).toBe("completed");
    const sequences = live.map((state) => (state as { readonly sequence: number }).sequence);
    expect(sequences).toEqual(Array.from({ length: (await first.state()).sequence }, (_, turn) => turn + 1));
    await first.close();
    const second = opened(path, { concurrency: 0 });
    for (const state of live) {
      const at = (state as { readonly sequence: number }).sequence;
      expect(accepted(await second.engine.replay("run", { at }))).toEqual(state);
    }
    await second.close();
  });

  it("BR-043 the interleaving is recorded and never computed again; rules of a version that is not known are refused", async () => {
    const path = database();
    const timer = (id: string, time: string) =>
      `<intermediateCatchEvent id="${id}"><timerEventDefinition><timeDuration>${time}</timeDuration></timerEventDefinition></intermediateCatchEvent>`;
    const text = file(
      `${ends}<parallelGateway id="g"/><parallelGateway id="j"/>${timer("t1", "PT3S")}${timer("t2", "PT1S")}${timer("t3", "PT2S")}${user("a")}${user("b")}${flows("s > g", "g > t1", "g > t2", "g > t3", "g > a", "g > b", "t1 > j", "t2 > j", "t3 > j", "a > j", "b > j", "j > e")}`,
    );
    const definition = await definitionOf(text);
    const first = await begun(path, definition);
    await first.complete("b");
    await first.clock.advance(1_500);
    await first.complete("a");
    await first.clock.advance(5_000);
    const end = await first.state();
    expect(end.status).toBe("completed");
    const records = (await first.store.journal("default", "run", 0, 99)).flatMap(
      ({ record }) => record ?? [],
    );
    await first.close();
    const compiled = compile(definition, STANDARD_KINDS);
    if (!compiled.ok) throw new Error("not compiled");
    const program = makeProgram(end.definition, compiled.value);
    // Folding asks no clock, no port and no step: only what the records say happens.
    let state = initialState(program);
    for (const record of records) {
      const applied = applyTurn(program, state, record);
      if (applied.kind !== "applied") throw new Error(JSON.stringify(applied));
      ({ state } = applied);
    }
    expect([state.status, state.sequence, state.data]).toEqual(["completed", end.sequence, end.data]);
    const [start] = records;
    if (start === undefined) throw new Error("no record");
    expect(applyTurn(program, initialState(program), { ...start, semantics: 999 })).toMatchObject({
      kind: "refused",
      code: "semantics",
    });
    // Where a later release wrote the journal, the run is refused.
    const later = sqliteStore({ path });
    const foreign = testEngine({
      store: {
        ...later,
        load: async (...args) => {
          const loaded = await later.load(...args);
          const tail = records.map((record) => ({ ...record, semantics: 999 }));
          return loaded === null ? null : { ...loaded, snapshot: null, tail };
        },
      },
    });
    await expect(foreign.engine.run("run").state()).rejects.toMatchObject({ code: "schema" });
    await later.close();
  });
});

describe("what does not grow", () => {
  it("BR-051 rounds of waiting for a person leave nothing behind but their history", async () => {
    const path = database();
    const text = file(
      `${ends}<exclusiveGateway id="m"/>${user("u")}<exclusiveGateway id="x" default="f3"/>${flows("s > m", "m > u", "u > x", "x > e : again = false", "x > m").replace('id="f4"', 'id="f3x"').replace('id="f3"', 'id="f4"').replace('id="f3x"', 'id="f3"')}`,
    );
    let test = await begun(path, await definitionOf(text), { limits: { stepsMax: 1_000_000 } });
    const sizes: number[] = [];
    for (let round = 1; round <= 1_000; round += 1) {
      await test.complete("u", { again: true, note: "x".repeat(50) });
      if (round % 250 !== 0) continue;
      const { history: _, ...state } = { history: 0, ...(await test.state()) };
      sizes.push(JSON.stringify(state).length);
      await test.close();
      test = opened(path, { limits: { stepsMax: 1_000_000 } });
    }
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(20);
    await test.complete("u", { again: false });
    expect((await test.state()).status).toBe("completed");
    await test.close();
  }, 120_000);

  it("BR-052 runs that are over leave nothing in memory", () => {
    const program = `
      const { createEngine, accepted } = await import("@tessera/engine");
      const { sqliteStore } = await import("@tessera/persist/sqlite");
      const nodes = [["s", "start"], ["a", "tool"], ["b", "tool"], ["c", "tool"], ["z", "end"], ["x", "end"]];
      const arcs = [["s", "a"], ["a", "b"], ["b", "c"], ["c", "z"], ["a", "x", "error"], ["b", "x", "error"], ["c", "x", "error"]];
      const definition = { format: 1, kind: "workflow", id: "w", entry: "s", nodes: nodes.map(([id, kind]) => ({ id, kind })),
        arcs: arcs.map(([from, to, outcome]) => ({ from, to, ...(outcome ? { outcome } : {}) })) };
      const step = () => ({ patch: { text: "x".repeat(8000) } });
      const store = sqliteStore({ path: process.argv[1] });
      const engine = createEngine({ store, limits: { cachedRunsMax: 20 }, ports: { a: step, b: step, c: step } });
      await engine.deploy(definition);
      const heap = [];
      for (const count of [400, 150, 150]) {
        for (let k = 0; k < count; k += 1) await accepted(await engine.start({ workflow: "w", data: { k } })).result();
        globalThis.gc();
        heap.push(process.memoryUsage().heapUsed);
      }
      await engine.close();
      process.stdout.write(JSON.stringify(heap));`;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--expose-gc", "--input-type=module", "--eval", program, database()],
      {
        cwd: fileURLToPath(new URL("../../packages/engine", import.meta.url)),
        encoding: "utf8",
        timeout: 110_000,
      },
    );
    expect([status, stderr]).toEqual([0, ""]);
    const heap = JSON.parse(stdout) as readonly number[];
    // What the engine remembers is bounded, and full after the first batch. A run that stayed would keep its text, 8 kB
    // at least, in each of its three steps: 7 MB in the other two.
    expect(Number(heap.at(-1)) - Number(heap[0])).toBeLessThan(2_000_000);
  }, 120_000);
});
