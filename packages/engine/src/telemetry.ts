/**
 * @module @tessera/engine/telemetry: traces and metrics of an engine through the OpenTelemetry API. Which SDK receives
 * them, and whether any does, is the application's to choose.
 */
import {
  type Attributes,
  context,
  type HrTime,
  type Meter,
  type MeterProvider,
  metrics,
  type ObservableGauge,
  type ObservableResult,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import type { EngineFigures, ObservedStep, ObservedTurn, Observer } from "./observer.ts";

/** Whose tracer and meter; default: the global ones. */
export interface TelemetryOptions {
  readonly tracerProvider?: TracerProvider;
  readonly meterProvider?: MeterProvider;
}

const NAME = "@tessera/engine";

/**
 * An observer for `createEngine({ observer: telemetry() })`. One for each engine.
 *
 * Traces: a span for each committed turn, `turn <input>`, and in it one for each step, `step <node>`, from when the item
 * that it answers was opened (a job, a person's task, a timer) to the turn; with tenant, run, workflow, sequence, node,
 * outcome, and the trouble as its status. Metrics: tessera.turns, tessera.steps (counters), tessera.journal.commit.duration
 * and tessera.timer.delay (histograms, ms), tessera.journal.commit.turns (histogram), tessera.runs, tessera.items.open and
 * tessera.timers.lag (gauges, asked of the store whenever the reader collects).
 */
export function telemetry(options: TelemetryOptions = {}): Observer {
  const tracer = (options.tracerProvider ?? trace).getTracer(NAME);
  const meter = (options.meterProvider ?? metrics).getMeter(NAME);
  const turns = meter.createCounter("tessera.turns", { description: "committed turns" });
  const steps = meter.createCounter("tessera.steps", { description: "committed steps" });
  const duration = meter.createHistogram("tessera.journal.commit.duration", { unit: "ms" });
  const size = meter.createHistogram("tessera.journal.commit.turns", { unit: "{turn}" });
  const delay = meter.createHistogram("tessera.timer.delay", { unit: "ms" });
  let stop = (): void => {};
  return {
    begin: (figures) => {
      stop = observeGauges(meter, figures);
    },
    turn: (turn) => {
      const { workflow, tenant, input } = turn;
      const where = { "tessera.tenant": tenant, "tessera.workflow": workflow };
      turns.add(1, { ...where, "tessera.input": input, "tessera.status": turn.status });
      for (const step of turn.steps) steps.add(1, { ...where, ...stepAttributes(step) });
      if (turn.lateMs !== null) delay.record(turn.lateMs, where);
      traceTurn(tracer, turn);
    },
    commit: ({ turns: count, ms, isFailed }) => {
      duration.record(ms, { "tessera.failed": isFailed });
      size.record(count, { "tessera.failed": isFailed });
    },
    end: () => stop(),
  };
}

function observeGauges(meter: Meter, figures: EngineFigures): () => void {
  const runs = meter.createObservableGauge("tessera.runs", { unit: "{run}" });
  const items = meter.createObservableGauge("tessera.items.open", { unit: "{item}" });
  const lag = meter.createObservableGauge("tessera.timers.lag", { unit: "ms" });
  const ofCounts: Parameters<Meter["addBatchObservableCallback"]>[0] = async (result) => {
    const counts = await figures.counts();
    for (const { count, attributes } of summed(counts.runs, ({ tenant, workflow, status }) => ({
      "tessera.tenant": tenant,
      "tessera.workflow": workflow,
      "tessera.status": status,
    })))
      result.observe(runs, count, attributes);
    for (const { tenant, kind, count } of counts.items)
      result.observe(items, count, { "tessera.tenant": tenant, "tessera.item.kind": kind });
  };
  const ofLag = async (result: ObservableResult): Promise<void> => result.observe(await figures.timerLagMs());
  const gauges: ObservableGauge[] = [runs, items];
  meter.addBatchObservableCallback(ofCounts, gauges);
  lag.addCallback(ofLag);
  return () => {
    meter.removeBatchObservableCallback(ofCounts, gauges);
    lag.removeCallback(ofLag);
  };
}

/** Counts that have the same attributes, added up. */
function summed<T extends { readonly count: number }>(
  rows: readonly T[],
  attributesOf: (row: T) => Attributes,
): readonly { readonly count: number; readonly attributes: Attributes }[] {
  const sums = new Map<string, { count: number; readonly attributes: Attributes }>();
  for (const row of rows) {
    const attributes = attributesOf(row);
    const key = JSON.stringify(attributes);
    const found = sums.get(key);
    if (found === undefined) sums.set(key, { count: row.count, attributes });
    else found.count += row.count;
  }
  return [...sums.values()];
}

function traceTurn(tracer: Tracer, turn: ObservedTurn): void {
  const { tenant, run, workflow, definition, sequence, input, at, status, trouble } = turn;
  const attributes: Attributes = {
    "tessera.tenant": tenant,
    "tessera.run": run,
    "tessera.workflow": workflow,
    "tessera.sequence": sequence,
  };
  const more = { "tessera.definition": definition, "tessera.input": input, "tessera.status": status };
  const began = Math.min(at, ...turn.steps.map(({ since }) => since));
  const span = tracer.startSpan(`turn ${input}`, {
    startTime: timeOf(began),
    attributes: { ...attributes, ...more },
  });
  const within = trace.setSpan(context.active(), span);
  for (const step of turn.steps) {
    const child = tracer.startSpan(
      `step ${step.node ?? "data"}`,
      { startTime: timeOf(step.since), attributes: { ...attributes, ...stepAttributes(step) } },
      within,
    );
    if (step.trouble !== null) child.setStatus(failure(step.trouble));
    child.end(timeOf(at));
  }
  if (trouble !== null) span.setStatus(failure(trouble));
  span.end(timeOf(at));
}

function stepAttributes({ node, outcome, trouble }: ObservedStep): Attributes {
  return {
    ...(node === null ? {} : { "tessera.node": node }),
    ...(outcome === null ? {} : { "tessera.outcome": outcome }),
    ...(trouble === null ? {} : { "tessera.trouble": trouble.code }),
  };
}

function failure({ code, message }: { readonly code: string; readonly message: string }): {
  readonly code: SpanStatusCode;
  readonly message: string;
} {
  return { code: SpanStatusCode.ERROR, message: `${code}: ${message}` };
}

/** A time in ms since the epoch as seconds and nanoseconds: small numbers would be taken for times since the process began. */
function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}
