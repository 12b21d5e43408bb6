/** @module What answers leave of the cases of data: compared with all values that they can set, and by hand for who sets them. */
import type { Arc, ConditionData, Data, DataType, WorkflowNode } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CaseWorld, worldOfCases } from "../../src/certificate/data-cases.ts";
import { frameOf } from "../../src/certificate/data-frame.ts";
import { questionsOf } from "../../src/data-level/conditions-read.ts";
import { domainOf } from "../../src/data-level/domain.ts";
import { end, gateway, human, start, workflow } from "../workflow-text.ts";

const NODE = 1;

/** A workflow in which `node` answers before guards ask, as a world of cases. */
function worldWith(
  node: WorkflowNode,
  guards: readonly object[],
  types: Readonly<Record<string, DataType>>,
): CaseWorld {
  const asked = guards.map((guard): Arc => ({ from: "fork", to: "end", guard: guard as ConditionData }));
  const error = ["tool", "transform", "subprocess"].includes(node.kind) ? [`${node.id}: error -> fork`] : [];
  const cancelled = node.kind === "subprocess" ? [`${node.id}: cancelled -> fork`] : [];
  const compiled = workflow(
    [start, node, gateway("fork"), end],
    [
      `start -> ${node.id}`,
      `${node.id} -> fork`,
      ...error,
      ...cancelled,
      ...asked,
      { from: "fork", to: "end", default: true },
    ],
    types,
  );
  const found = domainOf(questionsOf(compiled));
  if (found.kind !== "domain") throw new Error(found.reason);
  return worldOfCases(frameOf(compiled, found.domain), found.domain);
}

const KEYS = ["x", "y", "z"] as const;
/** The integers from so far below the constants to as far above them. */
function around({ constants }: Ordered, distance: number): readonly number[] {
  const [least = 0, greatest = 0] = [constants.at(0), constants.at(-1)];
  return Array.from({ length: greatest - least + 2 * distance + 1 }, (_, at) => least - distance + at);
}

interface Ordered {
  readonly keys: readonly string[];
  readonly constants: readonly number[];
  readonly written: readonly string[];
}

const ordered: fc.Arbitrary<Ordered> = fc
  .record({
    count: fc.constantFrom(2, 2, 3),
    constants: fc.constantFrom<readonly number[]>([], [0], [0, 1], [0, 3], [0, 10], [0, 10]),
    written: fc.subarray([...KEYS], { minLength: 1 }),
  })
  .map(({ count, constants, written }) => {
    // Three keys in a wide gap are many patterns.
    const keys = KEYS.slice(0, constants.at(-1) === 10 ? 2 : count);
    const own = written.filter((key) => keys.includes(key));
    return { keys, constants, written: own.length > 0 ? own : ["x"] };
  });

function worldOf({ keys, constants, written }: Ordered, type: "integer" | "number"): CaseWorld {
  const pairs = keys.slice(1).map((key, at) => ({ key: keys[at]!, op: "lessThan", valueOf: key }));
  const bounds = constants.map((value) => ({ key: "x", op: "lessThan", value }));
  const node: WorkflowNode = { ...human("ask"), writes: written };
  return worldWith(node, [...pairs, ...bounds], Object.fromEntries(keys.map((key) => [key, { type }])));
}

/** How numbers stand to each other and to the constants; of a gap between two with at most eight integers each is one. */
function pattern({ keys, constants }: Ordered, data: Data): string {
  const values = keys.map((key) => Number(data[key]));
  const [least = 0, greatest = -1] = [constants[0], constants.at(-1)];
  const isWide = greatest - least > 9;
  const listed = isWide ? constants : Array.from({ length: greatest - least + 1 }, (_, at) => least + at);
  return values.map((one) => [...values, ...listed].map((other) => Math.sign(one - other)).join()).join(" ");
}

function assigned(keys: readonly string[], values: readonly number[]): readonly Data[] {
  return keys.reduce<readonly Data[]>(
    (all, key) => all.flatMap((data) => values.map((value) => ({ ...data, [key]: value }))),
    [{}],
  );
}

type Reached = { readonly some: Set<string>; readonly all: Set<string> };

/** By how the kept keys stand: how all can stand after the answer for some values of those, and for all values, by trying. */
function reachedByNumbers(given: Ordered): ReadonlyMap<string, Reached> {
  const found = new Map<string, Reached>();
  const { keys, written } = given;
  const kept = keys.filter((key) => !written.includes(key));
  // Every kept key may be beyond the constants, and every written one beyond those.
  const patches = assigned(written, around(given, 2 * keys.length));
  for (const before of assigned(kept, around(given, keys.length))) {
    const after = new Set(patches.map((patch) => pattern(given, { ...before, ...patch })));
    const name = pattern({ ...given, keys: kept }, before);
    const known = found.get(name);
    if (known === undefined) found.set(name, { some: new Set(after), all: after });
    else {
      for (const one of after) known.some.add(one);
      for (const one of known.all) if (!after.has(one)) known.all.delete(one);
    }
  }
  return found;
}

/** What the world says of answers that differs from what numbers can do. */
function differences(given: Ordered, { cases, world }: CaseWorld): readonly string[] {
  const byNumbers = reachedByNumbers(given);
  const kept = { ...given, keys: given.keys.filter((key) => !given.written.includes(key)) };
  const found: string[] = [];
  for (const before of cases) {
    const name = pattern(kept, before);
    const answers = world.answersTo(NODE, "done", before);
    const patterns = (some: typeof answers) => some.map(({ data }) => pattern(given, data)).sort();
    const wanted = byNumbers.get(name)!;
    if (String(patterns(answers)) !== String([...wanted.some].sort())) found.push(`${name}: other answers`);
    const sure = patterns(answers.filter(({ isSure }) => isSure));
    if (String(sure) !== String([...wanted.all].sort())) found.push(`${name}: other sure answers`);
  }
  return found;
}

describe("[D23.1] [L23.1] answers on cases of integers that are compared by order", () => {
  it("[L23.1] are those that some integers give, and sure where all integers of the case do (oracle: all in a range)", () => {
    fc.assert(
      fc.property(ordered, (given) => {
        expect(differences(given, worldOf(given, "integer"))).toEqual([]);
      }),
      { seed: 23_001, numRuns: 40 },
    );
  }, 60_000);

  it("[L23.1] the law catches a world in which there is always room, as there is among numbers", () => {
    const caught = fc.sample(ordered, { seed: 23_001, numRuns: 40 }).filter((given) => {
      const { cases, world } = worldOf(given, "integer");
      const answersTo: typeof world.answersTo = (...asked) =>
        world.answersTo(...asked).map(({ data }) => ({ data, isSure: true }));
      return differences(given, { cases, world: { ...world, answersTo } }).length > 0;
    });
    expect(caught.length).toBeGreaterThan(5);
  }, 60_000);

  it("[L23.1] among numbers every answer is sure", () => {
    for (const given of fc.sample(ordered, { seed: 23_002, numRuns: 20 })) {
      const { cases, world } = worldOf(given, "number");
      for (const before of cases)
        expect(world.answersTo(NODE, "done", before).every(({ isSure }) => isSure)).toBe(true);
    }
  });
});

describe("[D23.3] who answers sets, leaves out and takes away what they may", () => {
  const isK = [{ key: "o", op: "is", value: "k" }];
  const NONE = "none";
  /** Of a case in which `o` has a value, or none: which it can have after the answer, as text. */
  function leftBy(world: CaseWorld, before: unknown, outcome = "done"): readonly string[] {
    const from = world.cases.find(({ o }) => (before === NONE ? o === undefined : o === before));
    if (from === undefined) throw new Error(`no case of ${String(before)}`);
    const found = world.world.answersTo(NODE, outcome, from).map(({ data }) => data["o"] ?? NONE);
    return [...new Set(found.map((value) => (value === "k" || value === NONE ? value : "other")))].sort();
  }
  const form = (field: object): WorkflowNode => ({
    ...human("ask"),
    writes: ["o"],
    meta: { form: { o: { type: "string", ...field } } },
  });
  const job: WorkflowNode = { id: "ask", kind: "tool", writes: ["o"], meta: {} };
  const call: WorkflowNode = { id: "ask", kind: "subprocess", meta: { workflow: "w", outputs: { o: "v" } } };

  it.each<readonly [who: string, node: WorkflowNode, fromNone: readonly string[], fromK: readonly string[]]>([
    ["a job takes it away, too", job, ["k", "none", "other"], ["k", "none", "other"]],
    [
      "a person leaves it as it is",
      { ...human("ask"), writes: ["o"] },
      ["k", "none", "other"],
      ["k", "other"],
    ],
    ["a called run leaves it as it is", call, ["k", "none", "other"], ["k", "other"]],
    ["a form must be filled", form({}), ["k", "other"], ["k", "other"]],
    ["a form with listed values takes these", form({ values: ["k", "l"] }), ["k", "other"], ["k", "other"]],
    ["a form with one value takes this", form({ values: ["k"] }), ["k"], ["k"]],
    ["a field is left out where it may be", form({ optional: true }), ["k", "none", "other"], ["k", "other"]],
    ["a field with one value, too", form({ optional: true, values: ["k"] }), ["k", "none"], ["k"]],
    ["who writes another key leaves it", { ...human("ask"), writes: ["p"] }, ["none"], ["k"]],
  ])("[D23.3] %s", (_, node, fromNone, fromK) => {
    const world = worldWith(node, isK, {});
    expect(leftBy(world, NONE)).toEqual([...fromNone].sort());
    expect(leftBy(world, "k")).toEqual([...fromK].sort());
  });

  it("[D23.3] a call that fails, or is cancelled, writes nothing", () => {
    const world = worldWith(call, isK, {});
    for (const outcome of ["error", "cancelled"]) {
      expect(leftBy(world, NONE, outcome)).toEqual([NONE]);
      expect(leftBy(world, "k", outcome)).toEqual(["k"]);
    }
  });

  it("[D23.3] of a key in an order one that may be left out keeps just its value", () => {
    const asked: readonly object[] = [
      { key: "o", op: "lessThan", valueOf: "p" },
      { key: "o", op: "isAssigned" },
    ];
    const types = { o: { type: "number" }, p: { type: "number" } } as const;
    const node: WorkflowNode = {
      ...human("ask"),
      writes: ["o"],
      meta: { form: { o: { type: "number", optional: true } } },
    };
    const { cases, world } = worldWith(node, asked, types);
    const none = cases.find(({ o }) => o === undefined)!;
    const left = world.answersTo(NODE, "done", none).map(({ data }) => data);
    expect(left.some(({ o }) => o === undefined)).toBe(true);
    expect(left.some(({ o }) => typeof o === "number")).toBe(true);
    const some = cases.find(({ o }) => typeof o === "number")!;
    expect(world.answersTo(NODE, "done", some).some(({ data }) => data["o"] === undefined)).toBe(false);
  });

  it("[D23.3] a part of what a form asks for is there, or not, with any value", () => {
    const part = [{ key: "o", path: ["size"], op: "is", value: 1 }];
    const node: WorkflowNode = { ...human("ask"), writes: ["o"], meta: { form: { o: { type: "object" } } } };
    const { cases, world } = worldWith(node, part, {});
    for (const from of cases)
      expect(world.answersTo(NODE, "done", from).map(({ data }) => data)).toEqual(cases);
  });
});
