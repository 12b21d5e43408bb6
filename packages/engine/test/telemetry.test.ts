/** Traces and metrics, as an SDK receives them. Oracle: the history of the run. */
import { SpanStatusCode } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { memoryStore, type RunStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted, createEngine, type Observer } from "../src/index.ts";
import { telemetry } from "../src/telemetry.ts";
import { answers, scriptedPort, testEngine, throws } from "../src/testing.ts";
import { flow, single } from "./definitions.ts";
import { LONG } from "./lived-run.ts";

function received() {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 1_000_000,
  });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const points = async (name: string) => {
    metricExporter.reset();
    await reader.forceFlush();
    const [collected] = metricExporter.getMetrics();
    const found = collected?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
    return found
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints }) => [...dataPoints]);
  };
  return {
    exporter,
    points,
    observer: telemetry({ tracerProvider, meterProvider }),
    end: () => reader.shutdown(),
  };
}

const ms = ([seconds, nanos]: readonly [number, number]): number => seconds * 1_000 + nanos / 1_000_000;

describe("telemetry", () => {
  it("[D9.27] has a span for each turn and each step, with node, outcome and run", async () => {
    const { exporter, observer, end } = received();
    const port = scriptedPort([throws(new Error("once")), answers({ patch: { t: 1 } })]);
    const { engine, settle, clock } = testEngine({
      observer,
      ports: { t: port.port },
      functions: { f: () => ({ patch: { f: 1 } }) },
      startAt: 5_000,
    });
    accepted(await engine.deploy(LONG));
    accepted(await engine.start({ workflow: "w", id: "r" }));
    await settle();
    await clock.advance(2_500);
    accepted(await engine.workItems.complete({ task: "r/h.1", by: { id: "ann" } }));
    await clock.advance("PT2H");
    const spans = exporter.getFinishedSpans();
    const { events } = accepted(await engine.history("r"));
    const turns = spans.filter(({ name }) => name.startsWith("turn "));
    const inputs = events.filter((event) => event.kind === "input");
    expect(
      turns.map(({ name, attributes, endTime }) => [name, attributes["tessera.sequence"], ms(endTime)]),
    ).toEqual(inputs.map(({ input, sequence, at }) => [`turn ${input.kind}`, sequence, at]));
    const steps = spans.filter(({ name }) => name.startsWith("step "));
    const took = events.filter((event) => event.kind === "step");
    expect(
      steps.map(({ attributes }) => [attributes["tessera.node"], attributes["tessera.outcome"]]),
    ).toEqual(took.map(({ node, outcome }) => [node ?? undefined, outcome]));
    for (const step of steps) {
      expect(step.attributes).toMatchObject({
        "tessera.run": "r",
        "tessera.workflow": "w",
        "tessera.tenant": "default",
      });
      const turn = turns.find(
        ({ attributes }) => attributes["tessera.sequence"] === step.attributes["tessera.sequence"],
      );
      expect(step.parentSpanContext?.spanId).toBe(turn?.spanContext().spanId);
      expect(ms(step.startTime)).toBeGreaterThanOrEqual(ms(turn?.startTime ?? [0, 0]));
    }
    const person = steps.find(
      ({ attributes }) => attributes["tessera.node"] === "h" && attributes["tessera.outcome"] === "done",
    );
    expect([ms(person?.startTime ?? [0, 0]), ms(person?.endTime ?? [0, 0])]).toEqual([5_000, 7_500]);
    const failed = steps.filter(({ status }) => status.code === SpanStatusCode.ERROR);
    expect(failed.map(({ attributes, status }) => [attributes["tessera.node"], status.message])).toEqual([
      ["t", expect.stringContaining("once")],
    ]);
    await engine.close();
    await end();
  });

  it("[D9.27] [D10.19] measures what is open, how late timers are, and the commits", async () => {
    const { points, observer, end } = received();
    const inner = memoryStore();
    let asked = 0;
    const counts: RunStore["counts"] = (...args) => {
      asked += 1;
      return inner.counts(...args);
    };
    const { engine, clock } = testEngine({ observer, startAt: 1_000_000, store: { ...inner, counts } });
    const wait = flow(
      "t",
      [
        ["d", "timer", { duration: "PT1S" }],
        ["z", "end"],
      ],
      [["d", "z"]],
    );
    accepted(await engine.deploy(wait));
    accepted(await engine.deploy(single("w", ["h", "human"], ["done"])));
    for (const id of ["a", "b"]) accepted(await engine.start({ workflow: "w", id }));
    accepted(await engine.start({ workflow: "t", id: "c" }));
    const where = { "tessera.tenant": "default" };
    const items = await points("tessera.items.open");
    expect(items.map(({ attributes, value }) => [attributes["tessera.item.kind"], value]).sort()).toEqual([
      ["timer", 1],
      ["work-item", 2],
    ]);
    const runs = await points("tessera.runs");
    expect(runs.map(({ attributes, value }) => [attributes["tessera.workflow"], value]).sort()).toEqual([
      ["t", 1],
      ["w", 2],
    ]);
    expect((await points("tessera.timers.lag")).map(({ value }) => value)).toEqual([0]);
    expect(await points("tessera.turns")).toMatchObject([
      { attributes: { ...where, "tessera.workflow": "w", "tessera.input": "start" }, value: 2 },
      { attributes: { "tessera.workflow": "t" }, value: 1 },
    ]);
    await clock.advance(1_500);
    const [delay] = await points("tessera.timer.delay");
    expect(delay).toMatchObject({ value: { count: 1 } });
    const [commit] = await points("tessera.journal.commit.turns");
    expect(commit).toMatchObject({ attributes: { "tessera.failed": false }, value: { sum: 4 } });
    expect(await points("tessera.journal.commit.duration")).toHaveLength(1);
    await engine.close();
    const before = asked;
    await points("tessera.items.open");
    expect([before > 0, asked]).toEqual([true, before]);
    await end();
  });

  it("[D9.27] says how long the most overdue timer has waited", async () => {
    const store = memoryStore();
    const { engine, clock } = testEngine({ store, startAt: 1_000 });
    accepted(
      await engine.deploy(
        flow(
          "t",
          [
            ["d", "timer", { duration: "PT1S" }],
            ["z", "end"],
          ],
          [["d", "z"]],
        ),
      ),
    );
    accepted(await engine.start({ workflow: "t", id: "c" }));
    await engine.close();
    const { points, observer, end } = received();
    await clock.advance(4_000);
    const idle = createEngine({ store, clock, concurrency: 0, observer });
    expect((await points("tessera.timers.lag")).map(({ value }) => value)).toEqual([3_000]);
    await idle.close();
    await end();
  });

  it("[D9.27] an observer that throws changes nothing, and without one the store is the one that was given", async () => {
    const throwing = (): never => {
      throw new Error("boom");
    };
    const observer: Observer = { begin: throwing, turn: throwing, commit: throwing, end: throwing };
    const errors: string[] = [];
    const logger = {
      debug: () => {},
      info: () => {},
      warn: () => {},
      error: (text: string) => void errors.push(text),
    };
    const { engine } = testEngine({ observer, logger });
    accepted(await engine.deploy(single("w", ["h", "human"], ["done"])));
    accepted(await engine.start({ workflow: "w", id: "r" }));
    accepted(await engine.run("r").complete({ node: "h", by: { id: "ann" } }));
    expect(accepted(await engine.run("r").state())).toMatchObject({ status: "completed" });
    await engine.close();
    expect(new Set(errors)).toEqual(new Set(["an observer threw"]));
    expect(errors.length).toBeGreaterThanOrEqual(6);
  });
});
