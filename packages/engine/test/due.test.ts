/** @module Times in ISO 8601. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dueTime, durationMs, timeKind } from "../src/due.ts";

const FROM = Date.UTC(2026, 0, 31);
const at = (text: string, from = FROM) => {
  const due = dueTime(text, from);
  return due.kind === "due" ? new Date(due.at).toISOString() : due.trouble.code;
};

describe("due times", () => {
  it.each([
    ["2026-05-01T10:00:00Z", "2026-05-01T10:00:00.000Z"],
    ["2026-05-01T10:00:00+02:00", "2026-05-01T08:00:00.000Z"],
    ["2026-05-01T10:00:00", "2026-05-01T10:00:00.000Z"],
    ["2026-05-01", "2026-05-01T00:00:00.000Z"],
    ["PT36H", "2026-02-01T12:00:00.000Z"],
    ["P1W", "2026-02-07T00:00:00.000Z"],
    ["P1M", "2026-02-28T00:00:00.000Z"],
    ["P3M", "2026-04-30T00:00:00.000Z"],
    ["P1Y2M", "2027-03-31T00:00:00.000Z"],
    ["PT0.5S", "2026-01-31T00:00:00.500Z"],
    ["PT0S", "2026-01-31T00:00:00.000Z"],
    ["-PT5M", "2026-01-31T00:00:00.000Z"],
    [" PT1H ", "2026-01-31T01:00:00.000Z"],
  ])("[D9.7] %s is due at %s", (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  it.each([
    "",
    "P",
    "PT",
    "P3X",
    "garbage",
    "2026-02-30",
    "12",
    "R",
    "R3",
    "R3/",
    "R3/PT1H/PT1H/PT1H",
    "R0/PT1H",
    "R-1/PT1H",
    "R2/PT-54M",
    "R/PT-0.5S",
    "R2/PT0S",
    "Rx/PT1H",
    "R2/2026-01-02/2026-01-01",
    "R1000001/PT1S",
  ])("[D9.7] %j is no time, and says which part is none", (text) => {
    const due = dueTime(text, FROM);
    expect(due).toMatchObject({ kind: "trouble", trouble: { code: "TIMER_INVALID", facts: { text } } });
  });

  it("[D9.7] midnight of a day on which clocks change somewhere is 24 hours after the one before", () => {
    expect(at("P1D", Date.UTC(2026, 2, 28))).toBe("2026-03-29T00:00:00.000Z");
    expect(at("P1D", Date.UTC(2026, 2, 29))).toBe("2026-03-30T00:00:00.000Z");
  });
});

/** All occurrences, by asking for the next one again and again. */
function occurrences(text: string, from = FROM): readonly string[] {
  const first = dueTime(text, from);
  if (first.kind === "trouble") return [first.trouble.code];
  const found = [first.at];
  for (let left = first.remaining; left > 0; left -= 1) {
    const next = dueTime(first.repeat ?? "", found.at(-1) ?? 0);
    if (next.kind === "due") found.push(next.at);
  }
  return found.map((each) => new Date(each).toISOString());
}

describe("repetitions", () => {
  it("[D9.7] without a start the first occurrence is one duration away", () => {
    expect(occurrences("R3/PT1H")).toEqual([
      "2026-01-31T01:00:00.000Z",
      "2026-01-31T02:00:00.000Z",
      "2026-01-31T03:00:00.000Z",
    ]);
  });

  it("[D9.7] with a start it is the start, also where that is long past", () => {
    expect(occurrences("R2/1776-07-04T00:00:00Z/PT1S")).toEqual([
      "1776-07-04T00:00:00.000Z",
      "1776-07-04T00:00:01.000Z",
    ]);
  });

  it("[D9.7] months are counted from the start, so they do not drift to its shortest one", () => {
    expect(occurrences("R4/2026-01-31/P1M")).toEqual([
      "2026-01-31T00:00:00.000Z",
      "2026-02-28T00:00:00.000Z",
      "2026-03-31T00:00:00.000Z",
      "2026-04-30T00:00:00.000Z",
    ]);
    expect(occurrences("R3/P1M")).toEqual([
      "2026-02-28T00:00:00.000Z",
      "2026-03-31T00:00:00.000Z",
      "2026-04-30T00:00:00.000Z",
    ]);
  });

  it("[D9.7] a start and an end are the first interval; an end after a duration cuts off", () => {
    expect(occurrences("R3/2026-01-01/2026-01-03")).toEqual([
      "2026-01-01T00:00:00.000Z",
      "2026-01-03T00:00:00.000Z",
      "2026-01-05T00:00:00.000Z",
    ]);
    expect(occurrences("R9/PT1H/2026-01-31T03:30:00Z")).toHaveLength(3);
    expect(occurrences("R9/PT1H/2026-01-30")).toEqual(["TIMER_INVALID"]);
    expect(occurrences("R/PT1H/2026-01-31T03:30:00Z")).toHaveLength(3);
    expect(occurrences("R/PT1H/2026-01-30")).toEqual(["TIMER_INVALID"]);
    // 30 years, seven of them with a 29th of February; the last one is at the end itself.
    expect(dueTime("R/PT1S/2056-01-31", FROM)).toMatchObject({ remaining: 10_957 * 86_400 - 1 });
  });

  it("[D9.7] an offset of the start is kept", () => {
    expect(occurrences("R2/2026-01-31T23:30:00-05:00/P1M")).toEqual([
      "2026-02-01T04:30:00.000Z",
      "2026-03-01T04:30:00.000Z",
    ]);
  });

  it("[D9.7] without a number there is no last occurrence, and the next one is due", () => {
    const due = dueTime("R/2026-01-01/P1D", FROM + 1);
    expect(due).toMatchObject({ kind: "due", at: Date.UTC(2026, 1, 1), remaining: -1 });
  });

  it("[D9.7] the next occurrence is the first one after the last (oracle: counting)", () => {
    const seconds = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(seconds, fc.integer({ min: 0, max: 1_000 }), fc.nat({ max: 999 }), (every, k, offset) => {
        const from = FROM + k * every * 1_000 + (offset % (every * 1_000));
        const due = dueTime(`R/2026-01-31T00:00:00Z/PT${every}S`, from);
        expect(due.kind === "due" ? due.at : null).toBe(FROM + (k + 1) * every * 1_000);
      }),
    );
  });
});

describe("durations and kinds", () => {
  it("[D9.7] a duration in milliseconds is positive or none", () => {
    expect([
      durationMs("PT1M", 0),
      durationMs("P1D", 0),
      durationMs("PT0S", 0),
      durationMs("-PT1S", 0),
      durationMs("x", 0),
    ]).toEqual([60_000, 86_400_000, null, null, null]);
  });

  it("[D9.7] a text is a date, a duration, a cycle, or nothing", () => {
    expect(["2026-01-01", "P1D", "R2/P1D", "tomorrow"].map(timeKind)).toEqual([
      "date",
      "duration",
      "cycle",
      null,
    ]);
  });
});
