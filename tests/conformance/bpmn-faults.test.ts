/** @module Kinds of fault of other engines, as BPMN models through import and engine: each must be impossible here. */
import { type ConditionResult, compile, type Data, type Definition, type Json } from "@tessera/core";
import { accepted } from "@tessera/engine";
import { testEngine } from "@tessera/engine/testing";
import { STANDARD_KINDS } from "@tessera/gateways";
import { evaluateFeel, importBpmn } from "@tessera/interchange";
import { proveWorkflow } from "@tessera/proofs";
import { describe, expect, it } from "vitest";
import { BY, ends, file, flows, start, tool, user } from "./bpmn-run.ts";
import { judgeBpmn } from "./front-door.mjs";

describe("joins and loops", () => {
  const joined = file(
    `${ends}<parallelGateway id="g"/><parallelGateway id="j"/>${tool("a")}${user("b")}${user("c")}${tool("z")}${flows("s > g", "g > a", "g > b", "g > c", "a > j", "b > j", "c > j", "j > z", "z > e")}`,
  );

  it("BR-020 BR-023 BR-032 BR-046 a join keeps its tokens over a stop: what waits is in the store, and nothing else", async () => {
    const first = await start(joined);
    await first.complete("b");
    await first.test.engine.close();
    const again = testEngine({
      store: first.test.store,
      clock: first.test.clock,
      ports: { a: () => undefined, z: () => undefined },
    });
    again.engine.resume();
    accepted(await again.engine.run("run").complete({ node: "c", by: BY }));
    await again.settle();
    expect(accepted(await again.engine.run("run").state()).status).toBe("completed");
  });

  it("BR-026 BR-041 BR-080 a run that is cancelled has nothing open, and each item was closed once", async () => {
    const { run, test, complete } = await start(joined);
    await complete("b");
    accepted(await run.cancel({ by: BY, reason: "no longer wanted" }));
    expect(accepted(await run.state())).toMatchObject({ status: "cancelled", items: [] });
    const { events } = accepted(await test.engine.history("run"));
    const opened = events.flatMap((event) =>
      event.kind === "step" ? (event.opened ?? []).map(({ id }) => id) : [],
    );
    const closed = events.flatMap((event) => (event.kind === "step" ? (event.closed ?? []) : []));
    expect([...closed].sort()).toEqual([...opened].sort());
    expect(accepted(await run.state())).toEqual(accepted(await test.engine.replay("run")));
  });

  it("BR-027 a cycle without a wait is stopped by the fuse, and the verdict names it before", async () => {
    const text = file(
      `${ends}<exclusiveGateway id="m"/><exclusiveGateway id="x"/>${flows("s > m", "m > x", "x > m : n = 1", "x > e : n = 2")}`,
    );
    const { run } = await start(text, { n: 1 }, {}, { limits: { stepsMax: 200 } });
    expect(accepted(await run.state())).toMatchObject({
      status: "failed",
      terminal: { trouble: { code: "FUSE" } },
    });
    const imported = await importBpmn(text);
    const compiled = imported.ok
      ? compile(imported.value.processes[0]?.definition as Definition, STANDARD_KINDS)
      : imported;
    if (!compiled.ok || compiled.value.kind !== "workflow") throw new Error("not compiled");
    const failing = proveWorkflow(compiled.value).obligations.filter(
      ({ verdict }) => verdict.kind === "fails",
    );
    expect(failing.map(({ id }) => id)).toContain("O7");
  });

  it("BR-029 a run that is stuck has failed, with the marked places", async () => {
    const text = file(
      `${ends}<exclusiveGateway id="x"/><parallelGateway id="j"/>${user("a")}${user("b")}${flows("s > x", "x > a : n = 1", "x > b : n = 2", "a > j", "b > j", "j > e")}`,
    );
    const { run, complete } = await start(text, { n: 1 });
    await complete("a");
    expect(accepted(await run.state())).toMatchObject({
      status: "failed",
      terminal: { trouble: { code: "DEADLOCK" } },
    });
  });

  it("BR-098 BR-099 no true condition is trouble that says where, and the first of equal ones wins", async () => {
    const text = file(
      `${ends}<exclusiveGateway id="x"/>${tool("a")}${tool("b")}${flows("s > x", "x > a : n = 1", "x > b : n = 1", "a > e", "b > e")}`,
    );
    const none = await start(text, { n: 2 });
    expect(accepted(await none.run.state())).toMatchObject({
      status: "failed",
      terminal: { trouble: { code: "NO_TRUE_ARC", facts: { node: "x" } } },
    });
    expect((await start(text, { n: 1 })).trace).toEqual(["a"]);
  });

  it("BR-116 BR-119 the verdict is of behaviour: joined in pairs is sound, a choice into a parallel join is not", async () => {
    const pairs = file(
      `${ends}<parallelGateway id="g"/><parallelGateway id="j1"/><parallelGateway id="j2"/>${user("a")}${user("b")}${user("c")}${flows("s > g", "g > a", "g > b", "g > c", "a > j1", "b > j1", "j1 > j2", "c > j2", "j2 > e")}`,
    );
    expect(await judgeBpmn(Buffer.from(pairs), { run: false })).toMatchObject({ verdict: "sound" });
    const choice = file(
      `${ends}<exclusiveGateway id="x"/><parallelGateway id="j"/>${user("a")}${user("b")}${flows("s > x", "x > a", "x > b", "a > j", "b > j", "j > e")}`,
    );
    expect(await judgeBpmn(Buffer.from(choice), { run: false })).toMatchObject({
      verdict: "unsound (O1 O3)",
    });
  });
});

describe("events", () => {
  it("BR-056 when one event subprocess interrupts, the others of its scope are closed", async () => {
    const handler = (id: string, time: string) =>
      `<subProcess id="${id}" triggeredByEvent="true"><startEvent id="${id}s"><timerEventDefinition><timeDuration>${time}</timeDuration></timerEventDefinition></startEvent>${user(`${id}t`)}<sequenceFlow id="${id}f" sourceRef="${id}s" targetRef="${id}t"/></subProcess>`;
    const { run, test, complete } = await start(
      file(`${ends}${user("a")}${flows("s > a", "a > e")}${handler("h1", "PT1H")}${handler("h2", "PT2H")}`),
    );
    await test.clock.advance("PT90M");
    expect(accepted(await run.state()).items.map(({ node }) => node)).toEqual(["h1t"]);
    await test.clock.advance("PT3H");
    await complete("h1t");
    expect(accepted(await run.state()).status).toBe("completed");
  });

  it("BR-045 of parallel waits in a subprocess only the one that is addressed goes on", async () => {
    const text = file(
      `${ends}<subProcess id="x"><startEvent id="i"/><parallelGateway id="g"/><parallelGateway id="j"/><receiveTask id="a"/><receiveTask id="b"/>${flows("i > g", "g > a", "g > b", "a > j", "b > j").replace(/"f/gu, '"x')}</subProcess>${flows("s > x", "x > e")}`,
    );
    const { run, complete, status } = await start(text);
    await complete("b");
    expect(accepted(await run.state()).items.map(({ node }) => node)).toEqual(["a"]);
    await complete("a");
    expect(await status()).toBe("completed");
  });

  it("BR-058 BR-068 BR-079 conditional events and compensation are refused with the element, not half done", async () => {
    const codes = async (text: string) => {
      const imported = await importBpmn(text);
      return imported.ok ? [] : imported.issues.map(({ code, facts }) => [code, facts?.["element"]]);
    };
    const conditional = `<intermediateCatchEvent id="c"><conditionalEventDefinition><condition>x > 5</condition></conditionalEventDefinition></intermediateCatchEvent>`;
    expect(await codes(file(`${ends}${conditional}${flows("s > c", "c > e")}`))).toEqual([["BPMN042", "c"]]);
    const compensation = `<intermediateThrowEvent id="c"><compensateEventDefinition/></intermediateThrowEvent>`;
    expect(await codes(file(`${ends}${compensation}${flows("s > c", "c > e")}`))).toEqual([["BPMN035", "c"]]);
  });

  it("BR-072 a repetition that began in the past is caught up, one occurrence at a time", async () => {
    const timer = `<intermediateCatchEvent id="t"><timerEventDefinition><timeCycle>R2/1776-07-04T00:00:00Z/PT1S</timeCycle></timerEventDefinition></intermediateCatchEvent>`;
    const { test, status } = await start(file(`${ends}${timer}${flows("s > t", "t > e")}`));
    await test.clock.advance(1);
    expect(await status()).toBe("completed");
  });
});

describe("data and instances", () => {
  const fork = (left: string, right: string) =>
    file(
      `${ends}<parallelGateway id="g"/><parallelGateway id="j"/>${tool(left)}${tool(right)}${flows("s > g", `g > ${left}`, `g > ${right}`, `${left} > j`, `${right} > j`, "j > e")}`,
    );

  it("BR-083 parallel branches that write different keys lose nothing, in either order", async () => {
    for (const [left, right] of [
      ["a", "b"],
      ["b", "a"],
    ] as const) {
      const { data } = await start(fork(left, right), { v: 0 }, { a: () => ({ x: 1 }), b: () => ({ y: 2 }) });
      expect(await data()).toEqual({ v: 0, x: 1, y: 2 });
    }
  });

  const many = (collection: string, mode: string, more = "") =>
    file(
      `${ends}<serviceTask id="a" name="a"><multiInstanceLoopCharacteristics isSequential="${mode === "sequential"}"><extensionElements><zeebe:loopCharacteristics inputCollection="=${collection}" inputElement="item" ${more}/></extensionElements></multiInstanceLoopCharacteristics></serviceTask>${flows("s > a", "a > e")}`,
    );
  const collected = 'outputCollection="results" outputElement="=result"';

  it.each(["sequential", "parallel"])(
    "BR-084 BR-086 BR-087 BR-089 BR-090 BR-092 %s instances: none, one, many, each with its own item, and nothing leaks",
    async (mode) => {
      const seen: Json[] = [];
      const double = {
        a: (data: Data) => {
          seen.push([data["item"] ?? null, data["loopCounter"] ?? null]);
          return { result: Number(data["item"]) * 2, local: true };
        },
      };
      for (const items of [[], [7], [1, 2, 3]]) {
        seen.length = 0;
        const { data, status } = await start(many("items", mode, collected), { items }, double);
        expect(await status()).toBe("completed");
        expect(await data()).toEqual({ items, results: items.map((item) => item * 2) });
        expect(seen).toEqual(items.map((item, index) => [item, index]));
      }
      const { data } = await start(many("items", mode), { items: [1, 2] }, double);
      expect(await data()).toEqual({ items: [1, 2] });
    },
  );

  it("BR-087 a collection that is no list is trouble, not nothing", async () => {
    const { run } = await start(many("items", "parallel"), { items: null });
    expect(accepted(await run.state()).status).not.toBe("waiting");
    const { events } = accepted(
      await (await start(many("items", "parallel"), { items: null })).test.engine.history("run"),
    );
    expect(events.flatMap((event) => (event.kind === "step" ? (event.trouble?.code ?? []) : []))).toContain(
      "COLLECTION_INVALID",
    );
  });

  it("BR-088 the instances are those of the moment when they begin", async () => {
    const { trace, status } = await start(
      many("items", "parallel"),
      { items: [1, 2, 3] },
      { a: () => ({ items: [] }) },
    );
    expect([trace.length, await status()]).toEqual([3, "completed"]);
  });

  it("BR-094 BR-095 a second entry makes a new set of instances, and conditions behind them are asked once", async () => {
    const text = file(
      `${ends}<serviceTask id="a" name="a"><multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics></serviceTask>${tool("b")}${tool("c")}${flows("s > a", "a > b : n = 1", "a > c : n = 2", "b > a", "c > e")}`,
    );
    const { trace, status } = await start(text, { n: 1 }, { b: () => ({ n: 2 }) });
    expect([trace, await status()]).toEqual([["a", "a", "b", "a", "a", "c"], "completed"]);
  });

  it("BR-106 a condition reaches nothing but the data, and cannot run for ever", async () => {
    const text = (condition: string) =>
      file(`${ends}<exclusiveGateway id="x"/>${flows("s > x", `x > e : ${condition}`)}`);
    const feel = (condition: string, data: Data): ConditionResult => evaluateFeel(condition, data, 0);
    for (const condition of [
      "process.exit(1)",
      "x.constructor.constructor('return 1')()",
      "for i in 1..1000000000 return i",
    ]) {
      const imported = await importBpmn(text(condition));
      const answers = imported.ok ? [feel(condition, { x: {} }).kind] : ["error"];
      expect([condition, answers]).toEqual([condition, ["error"]]);
    }
  });
});

describe("what parallel branches and instances share", () => {
  it("BR-085 two branches that write members of one value: the proof names both, and a definition that asks is refused", async () => {
    const branch = (id: string) => `<serviceTask id="${id}" name="${id}"/>`;
    const text = file(
      `${ends}<parallelGateway id="g"/><parallelGateway id="j"/>${branch("left")}${branch("right")}${flows("s > g", "g > left", "g > right", "left > j", "right > j", "j > e")}`,
    );
    const imported = await importBpmn(text);
    if (!imported.ok) throw new Error("not imported");
    const [process] = imported.value.processes;
    if (process === undefined) throw new Error("no process");
    const writes = (id: string) => (id === "left" || id === "right" ? { reads: ["d"], writes: ["d"] } : {});
    const nodes = process.definition.nodes.map((node) => ({ ...node, ...writes(node.id) }));
    const asking = { ...process.definition, nodes, parallelSafety: "checked" as const };
    const { engine } = testEngine();
    const answer = await engine.deploy(asking);
    expect(answer).toMatchObject({ kind: "refused", code: "unproved" });
    expect(JSON.stringify(answer)).toContain("key d");
    for (const id of ["left", "right"]) expect(JSON.stringify(answer)).toContain(`\\"${id}\\"`);
    // With keys of their own they are proved apart, and lose nothing.
    const own = nodes.map((node) =>
      node.id === "left" || node.id === "right"
        ? { ...node, reads: [], writes: [node.id], graph: { reads: {}, writes: {} } }
        : node,
    );
    expect(
      await testEngine({ ports: { left: () => undefined, right: () => undefined } }).engine.deploy({
        ...asking,
        nodes: own,
      }),
    ).toMatchObject({ kind: "deployed" });
  });

  it("BR-093 instances in turn go on when a spoilt list is mended; one that has no member is trouble, never nothing", async () => {
    const text = file(
      `${ends}<userTask id="a"><multiInstanceLoopCharacteristics isSequential="true"><extensionElements><zeebe:loopCharacteristics inputCollection="=items" inputElement="item"/></extensionElements></multiInstanceLoopCharacteristics></userTask>${flows("s > a", "a > e")}`,
    );
    const turns = async (edits: readonly (readonly Json[])[]) => {
      const { run, test } = await start(text, { items: [1, 2, 3] });
      const seen: Json[] = [];
      for (const lists of edits) {
        const [item] = (await test.engine.workItems.list({ kind: "work-item" })).rows;
        if (item === undefined) break;
        seen.push(accepted(await test.engine.run(item.run).state()).data["item"] ?? null);
        for (const items of lists)
          accepted(
            await test.engine.operations.edit({ run: "run", data: { items }, by: BY, reason: "a slip" }),
          );
        accepted(await test.engine.workItems.complete({ task: item.id, by: BY }));
        await test.settle();
      }
      const { events } = accepted(await test.engine.history("run"));
      const codes = events.flatMap((event) => (event.kind === "step" ? (event.trouble?.code ?? []) : []));
      return { seen, codes, status: accepted(await run.state()).status };
    };
    // Spoilt and mended while the first is open; and never mended, or mended too short.
    const mended = await turns([["x", [1, 2, 3]], [], []]);
    expect(mended).toEqual({ seen: [1, 2, 3], codes: [], status: "completed" });
    for (const list of ["x", [1], null]) {
      const spoilt = await turns([[list], [], []]);
      expect([spoilt.seen, spoilt.codes]).toEqual([[1], ["COLLECTION_INVALID"]]);
    }
  });
});

describe("people", () => {
  it("BR-102 of many who complete one task at once exactly one does", async () => {
    const { run, status } = await start(
      file(`${ends}${user("a")}${tool("b")}${flows("s > a", "a > b", "b > e")}`),
    );
    const answers = await Promise.all(Array.from({ length: 20 }, () => run.complete({ node: "a", by: BY })));
    expect(answers.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(await status()).not.toBe("failed");
  });
});
