/** @module The model of times that start workflows, against which simulations are checked. */
import type { Json } from "@tessera/core";
import type { NodeEvent } from "@tessera/gateways";
import type { StartTimerRow, Turn } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { dueTime } from "../src/due.ts";
import { timesOf } from "../src/simulate/times.ts";
import { makeTimetable } from "../src/simulate/timetable.ts";
import { nextTimer } from "../src/start-timers.ts";
import { flow } from "./definitions.ts";
import { planOf } from "./host.ts";

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const iso = (minute: number): string => new Date(START + minute * MINUTE).toISOString();

/** A version of the workflow "w" that a cycle of five minutes starts. */
const versionOf = (hash: string) => {
  const events = [{ id: "e", on: "timer", cycle: "R/PT5M" }] as unknown as Json;
  const plan = planOf(
    flow(
      "w",
      [
        ["s", "start", { events }],
        ["z", "end"],
      ],
      [["s", "z", "e"]],
    ),
  );
  return { hash, name: "w", plan } as never;
};
const row = (minute: number, definition = "v1"): StartTimerRow => ({
  tenant: "default",
  workflow: "w",
  event: "e",
  definition: definition as never,
  dueAt: START + minute * MINUTE,
  remaining: -1,
  repeat: "R/2026-01-01T00:00:00.000Z/PT5M",
});
const startOf = (minute: number, definition = "v1"): Turn =>
  ({
    run: `w/e@${iso(minute)}`,
    definition,
    created: { workflow: "w", graph: "g" },
    record: { input: { kind: "start", event: "e", data: {} } },
  }) as never;

/** A timetable with one version, and the runs that it sees. */
function timetable(missedMax = 10, now = START) {
  const runs = new Map<string, never>();
  const versions = new Map([
    ["v1", versionOf("v1")],
    ["v2", versionOf("v2")],
  ]);
  const clock = { now };
  const made = makeTimetable(runs, versions, missedMax, () => clock.now);
  const deploy = (hash: string, minute: number) =>
    made.deployed({ name: "w", hash, deployedAt: START + minute * MINUTE } as never);
  deploy("v1", 0);
  const look = (minute: number, found: readonly StartTimerRow[]) =>
    made.looked({ dueBy: START + minute * MINUTE, limit: 10 }, found);
  const begin = (minute: number) => {
    made.turned(startOf(minute));
    runs.set(`w/e@${iso(minute)}`, {} as never);
  };
  return { ...made, deploy, look, begin, clock };
}

describe("[D17.15] the model of times", () => {
  it("[D17.15] lets pass what is right: shown, started, moved on, replaced, started once more under the same id", () => {
    const times = timetable();
    times.look(4, []);
    times.look(5, [row(5)]);
    times.begin(5);
    times.moved(row(5), row(10), true);
    times.moved(row(5), row(10), false);
    times.look(10, [row(10)]);
    times.deploy("v2", 0);
    times.look(11, [row(5, "v2")]);
    // A look of before: the start was under way.
    times.begin(10);
    times.moved(row(10), row(15), false);
    times.moved(row(5, "v2"), row(10, "v2"), true);
    expect(times.overdue(START + 12 * MINUTE)).toBeNull();
    expect(times.overdue(START + 15 * MINUTE)).toMatchObject({ run: `w/e@${iso(15)}` });
  });

  it("[D17.15] says which law is broken", () => {
    expect(() => timetable().look(5, [])).toThrow("w/e is due and not shown");
    expect(() => timetable().look(4, [row(5)])).toThrow("60000 ms before it comes");
    expect(() => timetable().look(10, [row(10)])).toThrow("not the time that comes next");
    expect(() => timetable().look(5, [row(5, "v2")])).toThrow("the newest version has no such timer");
    expect(() => timetable().begin(5)).toThrow("no worker was shown such a time");
    const shown = timetable();
    shown.look(5, [row(5)]);
    expect(() => shown.turned({ ...startOf(5), run: "other" })).toThrow("no worker was shown such a time");
    expect(() => shown.moved(row(5), row(10), true)).toThrow("left out");
    expect(() => shown.moved(row(10), row(15), true)).toThrow("is moved on, and is not there");
    expect(() => shown.moved(row(5), row(10), false)).toThrow("is not moved on, and is there");
    shown.begin(5);
    expect(() => shown.moved(row(5), row(11), true)).toThrow("not to its next time");
    expect(() => shown.moved(row(5), null, true)).toThrow("not to its next time");
    expect(() => shown.moved(row(5), row(15), true)).toThrow("left out");
  });

  it("[D17.15] allows to leave out what lies before the latest that have passed, and no more", () => {
    const late = () => {
      const times = timetable(3);
      times.clock.now = START + 32 * MINUTE;
      times.look(32, [row(5)]);
      return times;
    };
    // 5, 10, 15 and the latest three: 20, 25, 30.
    expect(() => late().moved(row(5), row(20), true)).not.toThrow();
    expect(() => late().moved(row(5), row(25), true)).toThrow("left out");
  });
});

describe("[D9.7] [D17.15] times of a text", () => {
  it.each([
    ["date", "2026-03-01"],
    ["duration", "P1M"],
    ["cycle", "R/PT7M"],
    ["cycle", "R5/P1M"],
    ["cycle", "R4/2026-01-31T00:00:00Z/P1M"],
    ["cycle", "R/2025-10-31/P1M"],
    ["cycle", "R3/2026-01-01T10:00:00Z/2026-01-01T11:30:00Z"],
    ["cycle", "R90/P1D/2026-01-12"],
  ] as const)("are the engine's, counted apart from it: %s %s", (by, text) => {
    const times = timesOf({ time: { by, text } } as unknown as NodeEvent, START);
    const due = dueTime(text, START);
    if (due.kind === "trouble") throw new Error("no time");
    const { at, remaining, repeat = null } = due;
    let timer: ReturnType<typeof nextTimer> = { event: "e", dueAt: at, remaining, repeat };
    for (let k = 0; k < 12; k += 1) {
      expect(times(k)).toBe(timer?.dueAt ?? null);
      timer = timer === null ? null : nextTimer(timer);
    }
  });
});
