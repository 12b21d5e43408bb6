/** @module What the issues of events and of several instances say, word for word, and what is read from good ones. */
import type { JsonObject } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { type EventRules, eventIssues } from "../src/event-issues.ts";
import { eventsOf, isEventLabel, multiOf } from "../src/index.ts";
import { multiIssues } from "../src/multi-instance.ts";
import { node } from "./workflow-text.ts";

const TASK: EventRules = { on: ["timer", "message", "signal"], beside: true, labels: ["done"] };
const SCOPE: EventRules = { ...TASK, on: ["timer", "message", "signal", "escalation"] };
const late = { id: "late", on: "timer", duration: "P1D" };

/** Each issue as `CODE path: message`. */
const texts = (events: unknown, rules: EventRules = TASK) =>
  eventIssues(node("n", "human", { meta: { events: events as never } }), rules).map(
    ({ code, path, message }) => `${code} ${path.join(".")}: ${message}`,
  );
const one = (event: JsonObject, rules: EventRules = TASK) =>
  texts([event], rules).map((text) =>
    text.replace("KIND009 meta.events.0", "").replace('event 0 of "n": ', ""),
  );

describe("[D17.1] the issues of events", () => {
  it("KIND009: a list that is none, and members that are no objects", () => {
    const none = ['KIND009 meta.events: events of "n" is no list of events'];
    for (const list of [[], {}, "late", null, 3]) expect(texts(list)).toEqual(none);
    for (const member of [null, [], "late", 3])
      expect(texts([late, member])).toEqual(['KIND009 meta.events.1: event 1 of "n": it is no object']);
    expect(eventIssues(node("n", "human"), TASK)).toEqual([]);
    expect(texts([late])).toEqual([]);
  });

  it("KIND009: what each member must be", () => {
    const all: readonly (readonly [JsonObject, string])[] = [
      [{ ...late, id: 3 }, ".id: id is not a label"],
      [{ ...late, interrupting: "no" }, ".interrupting: interrupting is not true or false"],
      [{ ...late, duration: 3 }, ".duration: duration is not an ISO 8601 duration"],
      [{ id: "x", on: "timer", date: 3 }, ".date: date is not an ISO 8601 date"],
      [{ id: "x", on: "timer", cycle: 3 }, ".cycle: cycle is not an ISO 8601 repetition"],
      [{ id: "x", on: "timer", key: 3 }, ".key: key is not a key of D"],
      [
        { id: "x", on: "signal", name: 3 },
        ".name: name is not the name of a message, a signal or an escalation",
      ],
      [
        { id: "x", on: "signal", name: "s", payload: "k" },
        ".payload: payload is not an object from keys to keys of what comes",
      ],
      [
        { ...late, interrupting: false, workflow: 3 },
        ".workflow: workflow is not the name of a deployed workflow",
      ],
      [
        { ...late, interrupting: false, workflow: "w", inputs: 3 },
        ".inputs: inputs is not an object from keys of the handler to keys of D",
      ],
      [
        { ...late, interrupting: false, workflow: "w", outputs: 3 },
        ".outputs: outputs is not an object from keys of D to keys of the handler",
      ],
      [
        { ...late, interrupting: false, workflow: "w", openMax: 0 },
        ".openMax: openMax is not a positive integer",
      ],
    ];
    for (const [event, text] of all) expect(one(event)).toEqual([text]);
    expect(one({ on: "timer", duration: "P1D" })).toEqual([": it needs id: a label"]);
    expect(one({ id: "x" })).toEqual([
      ": it needs on: timer, message, signal or escalation",
      ".on: here an event is of timer, message, signal",
    ]);
    expect(one({ id: "x", on: 3 })).toEqual([
      ".on: on is not timer, message, signal or escalation",
      ".on: here an event is of timer, message, signal",
    ]);
  });

  it("KIND009: what an event of each type has, and needs", () => {
    const times = ": it needs exactly one of date, duration, cycle, key";
    expect(one({ id: "x", on: "timer" })).toEqual([times]);
    expect(one({ ...late, key: "k" })).toEqual([times]);
    expect(one({ ...late, name: "n" })).toEqual(['.name: such an event has no "name"']);
    expect(one({ id: "x", on: "message" })).toEqual([": it needs name"]);
    expect(one({ id: "x", on: "signal" })).toEqual([": it needs name"]);
    expect(one({ id: "x", on: "signal", name: "s", key: "k" })).toEqual(['.key: such an event has no "key"']);
    expect(one({ id: "x", on: "message", name: "m", key: "k", payload: {} })).toEqual([]);
    for (const name of ["workflow", "inputs", "outputs", "openMax"]) {
      const value = name === "workflow" ? "w" : name === "openMax" ? 1 : {};
      expect(one({ ...late, [name]: value })).toEqual([`.${name}: such an event has no "${name}"`]);
      expect(one({ ...late, interrupting: false, [name]: value })).toEqual([]);
    }
    const cycle = { id: "x", on: "timer", cycle: "R/PT1H" };
    expect(one(cycle)).toEqual([]);
    expect(one({ ...cycle, interrupting: false, workflow: "w" })).toEqual([]);
    expect(one({ ...cycle, interrupting: false })).toEqual([
      ".cycle: a cycle that leaves the wait open needs a workflow for each time",
    ]);
    expect(one({ ...late, interrupting: false }, { ...TASK, beside: false })).toEqual([
      ".interrupting: here it must be interrupting",
    ]);
    const up = { id: "x", on: "escalation", name: "E", interrupting: false };
    const along = ": an escalation goes on along arcs beside the subprocess";
    expect(one(up, SCOPE)).toEqual([]);
    expect(one({ ...up, interrupting: true }, SCOPE)).toEqual([along]);
    expect(one({ ...up, workflow: "w" }, SCOPE)).toEqual([along]);
    expect(one({ id: "x", on: "escalation", interrupting: false }, SCOPE)).toEqual([": it needs name"]);
  });

  it("KIND010 KIND011: labels that are taken, and too many that leave the wait open", () => {
    const taken = (id: string, position: number) =>
      `KIND010 meta.events.${position}.id: "${id}" is the label of something else at "n"`;
    expect(texts([late, { ...late, id: "done" }, { ...late, id: "expired" }, late])).toEqual([
      taken("done", 1),
      taken("expired", 2),
      taken("late", 3),
    ]);
    const beside = (count: number) =>
      Array.from({ length: count }, (_, position) => ({ ...late, id: `e${position}`, interrupting: false }));
    expect(texts(beside(4))).toEqual([]);
    expect(texts(beside(5))).toEqual([
      'KIND011 meta.events: "n" has more than 4 events that leave it open and have no workflow',
    ]);
    const handled = beside(5).map((event) => ({ ...event, workflow: "w" }));
    expect(texts(handled)).toEqual([]);
  });

  it("[D17.1] reads each kind of time, and what is not given as nothing", () => {
    const read = (event: JsonObject) => eventsOf(node("n", "human", { meta: { events: [event] } }))[0];
    const plain = { isInterrupting: true, name: "", key: null, payload: {}, handler: null };
    for (const by of ["date", "duration", "cycle"] as const)
      expect(read({ id: "x", on: "timer", [by]: "t" })).toEqual({
        id: "x",
        on: "timer",
        time: { by, text: "t" },
        ...plain,
      });
    expect(read({ id: "x", on: "timer", key: "k" })?.time).toEqual({ by: "key", key: "k" });
    expect(read({ id: "x", on: "timer" })?.time).toBeNull();
    expect(read({ id: "x", on: "signal", name: "s", key: "k", date: "d" })).toEqual({
      ...plain,
      id: "x",
      on: "signal",
      name: "s",
      time: null,
    });
    const handler = { workflow: "w", inputs: { a: "b" }, outputs: { c: "d" }, openMax: 2 };
    expect(read({ id: "x", on: "message", name: "m", interrupting: false, ...handler })?.handler).toEqual(
      handler,
    );
    const expired = node("n", "human", { meta: { events: [{ ...late, id: "expired" }, late] } });
    expect(isEventLabel(expired, "expired")).toBe(false);
    expect(isEventLabel(expired, "late")).toBe(true);
  });
});

describe("several instances", () => {
  const issues = (multi: unknown, more: JsonObject = { workflow: "w" }) =>
    multiIssues(node("n", "subprocess", { meta: { ...more, multi: multi as never } })).map(
      ({ code, path, message }) =>
        `${code} ${path.join(".")}: ${message}`
          .replace("KIND013 meta.multi", "")
          .replace('multi of "n": ', ""),
    );
  const good = { mode: "parallel", count: 2 };

  it("KIND013: what each member must be", () => {
    for (const value of ["x", null, [], 3]) expect(issues(value)).toEqual([": it is no object"]);
    expect(issues(good)).toEqual([]);
    expect(multiIssues(node("n", "subprocess"))).toEqual([]);
    expect(issues({ count: 1 })).toEqual([": it needs mode: sequential or parallel"]);
    expect(issues({ ...good, mode: "sequential" })).toEqual([]);
    expect(issues({ ...good, mode: "both" })).toEqual([".mode: mode is not sequential or parallel"]);
    expect(issues({ mode: "parallel", collection: 3 })).toEqual([
      ".collection: collection is not a key of D",
    ]);
    for (const count of [-1, 10_001, "2", 1.5])
      expect(issues({ ...good, count })).toEqual([".count: count is not an integer from 0 to 10000"]);
    for (const count of [0, 10_000]) expect(issues({ ...good, count })).toEqual([]);
    expect(issues({ mode: "parallel", collection: "l", element: 3 })).toEqual([
      ".element: element is not a key of the instance's data",
    ]);
    expect(issues({ ...good, index: 3 })).toEqual([".index: index is not a key of the instance's data"]);
    expect(issues({ ...good, result: 3, results: 4 })).toEqual([
      ".result: result is not a key of the instance's data",
      ".results: results is not a key of D",
    ]);
    expect(issues({ ...good, completion: 3 })).toEqual([".completion: completion is not a condition"]);
    expect(issues({ ...good, cardinality: 3 })).toEqual(['.cardinality: it has no "cardinality"']);
  });

  it("KIND013: what goes together", () => {
    const either = ": it needs either collection or count";
    expect(issues({ mode: "parallel" })).toEqual([either]);
    expect(issues({ ...good, collection: "l" })).toEqual([either]);
    const both = ": it needs both result and results, or neither";
    expect(issues({ ...good, result: "y" })).toEqual([both]);
    expect(issues({ ...good, results: "ys" })).toEqual([both]);
    expect(issues({ ...good, element: "x" })).toEqual([".element: an element is of a collection"]);
    expect(issues(good, {})).toEqual([": only a called workflow runs several times"]);
    expect(issues(good, { workflow: "w", outputs: {} })).toEqual([
      ": several runs have no outputs: their results are collected",
    ]);
  });

  it("are read member by member, with nothing for what is not given", () => {
    const read = (multi: unknown) => multiOf(node("n", "subprocess", { meta: { multi: multi as never } }));
    const completion = { key: "n", op: "is", value: 1 };
    const full = {
      mode: "parallel",
      collection: "l",
      count: 3,
      element: "x",
      index: "i",
      result: "y",
      results: "ys",
    };
    expect(read({ ...full, completion })).toEqual({ ...full, completion });
    expect(read({})).toEqual({
      mode: "sequential",
      collection: null,
      count: 0,
      element: null,
      index: null,
      result: null,
      results: null,
      completion: null,
    });
    for (const value of ["x", null, [], 3]) expect(read(value)).toBeNull();
    expect(multiOf(node("n", "subprocess", { meta: {} }))).toBeNull();
  });
});
