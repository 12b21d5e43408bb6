/** @module Kinds of fault of other engines, as BPMN models through import and engine: each must be impossible here. */
import { type ConditionResult, compile, type Data, type Definition, type Json } from "@tessera/core";
import { accepted, type RunHandle } from "@tessera/engine";
import { type TestEngine, type TestOptions, testEngine } from "@tessera/engine/testing";
import { STANDARD_KINDS } from "@tessera/gateways";
import { evaluateFeel, importBpmn } from "@tessera/interchange";
import { proveWorkflow } from "@tessera/proofs";
import { describe, expect, it } from "vitest";
import { judgeBpmn } from "./front-door.mjs";

const BY = { id: "tester" };

/** A file with one process around `content`. */
function file(content: string, before = ""): string {
  return `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" id="d" targetNamespace="t" expressionLanguage="feel">${before}<process id="p" isExecutable="true">${content}</process></definitions>`;
}

/** Flows "a > b" or "a > b : condition". */
function flows(...given: readonly string[]): string {
  return given
    .map((text, index) => {
      const [, source, target, condition] = /^(\S+) > (\S+?)(?: : (.*))?$/u.exec(text) ?? [];
      const inner =
        condition === undefined
          ? ""
          : `<conditionExpression>${condition.replace(/</gu, "&lt;")}</conditionExpression>`;
      return `<sequenceFlow id="f${index}" sourceRef="${source}" targetRef="${target}">${inner}</sequenceFlow>`;
    })
    .join("");
}

interface Running {
  readonly test: TestEngine;
  readonly run: RunHandle;
  readonly trace: readonly string[];
  readonly complete: (...nodes: readonly string[]) => Promise<void>;
  readonly status: () => Promise<string>;
  readonly data: () => Promise<Data>;
}

/** Starts the last process of a file; a port appends its name to the trace and answers what `answers` says. */
async function start(
  text: string,
  data: { readonly [key: string]: Json } = {},
  answers: Readonly<Record<string, (data: Data) => { readonly [key: string]: Json }>> = {},
  options: TestOptions = {},
): Promise<Running> {
  const imported = await importBpmn(text);
  if (!imported.ok)
    throw new Error(imported.issues.map(({ code, message }) => `${code} ${message}`).join("\n"));
  const definitions = imported.value.processes.map(({ definition }) => definition);
  const trace: string[] = [];
  const names = definitions.flatMap(({ nodes }) => nodes.flatMap(({ meta }) => meta?.["port"] ?? []));
  const test = testEngine({
    ports: Object.fromEntries(
      names.map((name) => [
        String(name),
        ({ data: seen }: { readonly data: Data }) => {
          trace.push(String(name));
          return { patch: answers[String(name)]?.(seen) ?? {} };
        },
      ]),
    ),
    prover: async () => ({ obligations: [], labels: null, assumptions: [] }),
    ...options,
  });
  for (const definition of definitions) accepted(await test.engine.deploy(definition));
  const run = accepted(await test.engine.start({ workflow: definitions.at(-1)?.id ?? "", id: "run", data }));
  await test.settle();
  return {
    test,
    run,
    trace,
    complete: async (...nodes) => {
      for (const node of nodes) {
        accepted(await run.complete({ node, by: BY }));
        await test.settle();
      }
    },
    status: async () => accepted(await run.state()).status,
    data: async () => accepted(await run.state()).data,
  };
}

const ends = `<startEvent id="s"/><endEvent id="e"/>`;
const tool = (id: string) => `<serviceTask id="${id}" name="${id}"/>`;
const user = (id: string, more = "") => `<userTask id="${id}">${more}</userTask>`;

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
