// What the simulation starts by time: dates, durations and cycles, in versions that replace each other while time goes on.

/** A workflow that these timers start: each run does a job and ends. `mark` makes a version differ from others. */
const timed = (id, events, mark) => ({
  format: 1,
  kind: "workflow",
  id,
  entry: "begin",
  nodes: [
    { id: "begin", kind: "start", meta: { events: events.map((event) => ({ on: "timer", ...event })) } },
    { id: "work", kind: "tool", meta: { retry: { attempts: 2, backoffMs: 500 } } },
    { id: mark, kind: "end" },
    { id: "failed", kind: "end", meta: { outcome: "failed" } },
  ],
  arcs: [
    ...events.map((event) => ({ from: "begin", to: "work", outcome: event.id })),
    { from: "work", to: mark },
    { from: "work", to: "failed", outcome: "error" },
  ],
});

/** Two versions share a date, which must start one run whoever comes first. */
const DATED = { id: "dated", date: "2026-01-01T00:13:00Z" };
const FIRST = timed(
  "report",
  [
    { id: "often", cycle: "R/PT7M" },
    { id: "once", duration: "PT4M" },
    DATED,
    { id: "few", cycle: "R3/2026-01-01T00:02:00Z/PT5M" },
  ],
  "first",
);
const SECOND = timed("report", [{ id: "often", cycle: "R/PT6M" }, DATED], "second");
/** Has passed when it is deployed: it comes at once. */
const THIRD = timed(
  "report",
  [
    { id: "past", date: "2025-12-31" },
    { id: "hourly", cycle: "R/PT11M" },
  ],
  "third",
);
/** Comes so often that a jump of a clock passes more times than are started late. */
const RUSH = timed("rush", [{ id: "tick", cycle: "R20/PT30S" }], "done");

/**
 * A report that three versions start in turn, one of them twice, and a rush.
 *
 * @type {import("@tessera/engine/simulate").Scenario}
 */
export const SCHEDULE = {
  definitions: [FIRST, RUSH],
  starts: [],
  deployments: [SECOND, FIRST, THIRD],
  lastsMs: 30 * 60_000,
};
