/** @module Random answers on random data: the data after them have a case among those that the world of cases says they leave. */
import { type Data, type Json, jsonEqual, readData, type WorkflowNode } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CaseWorld, worldOfCases } from "../../src/certificate/data-cases.ts";
import { frameOf } from "../../src/certificate/data-frame.ts";
import { questionsOf } from "../../src/data-level/conditions-read.ts";
import { type Domain, domainOf } from "../../src/data-level/domain.ts";
import { human } from "../workflow-text.ts";
import { answersOn, compiledOf, type Given, given, isOf, KEYS, rangeOf } from "./asked-workflows.ts";

const WRITER = 1;
type Who = "form" | "person" | "job" | "call";
const who = fc.constantFrom<Who>("form", "person", "job", "call");
const written = fc.subarray(KEYS, { minLength: 1, maxLength: 2 });

function writerOf(kind: Who, { form }: Given, writes: readonly string[]): WorkflowNode {
  switch (kind) {
    case "form":
      return { ...human("set"), writes, meta: { form: form ?? {} } };
    case "person":
      return { ...human("set"), writes };
    case "job":
      return { id: "set", kind: "tool", writes, meta: {} };
    case "call":
      return {
        id: "set",
        kind: "subprocess",
        meta: { workflow: "w", outputs: Object.fromEntries(writes.map((key) => [key, "v"])) },
      };
  }
}

type Field = { readonly type: string; readonly values?: readonly Json[]; readonly optional?: boolean };

/** What the writer can make of a key, of the value that it has; undefined: none. */
function choices(kind: Who, given: Given, key: string, now: Json | undefined): readonly (Json | undefined)[] {
  const all = rangeOf(given, key);
  const some = all.filter((value) => value !== undefined);
  if (kind === "job") return all.includes(undefined) ? [...all, now] : [...some, now];
  if (kind !== "form") return [...some, now];
  const raw = given.form?.[key];
  if (raw === undefined) return [now];
  const field = (typeof raw === "string" ? { type: raw } : raw) as unknown as Field;
  const fit = some.filter(
    (value) =>
      isOf(value, field.type) &&
      (field.values === undefined || field.values.some((one) => jsonEqual(one, value))),
  );
  return field.optional === true ? [...fit, now] : fit;
}

/** A pseudo-random choice; the same salt gives the same ones. */
function chooser(salt: number) {
  let state = salt;
  return <T>(from: readonly T[]): T => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return from[Math.floor((state / 2 ** 31) * from.length)]!;
  };
}

function withKey(data: Data, key: string, value: Json | undefined): Data {
  const { [key]: _, ...rest } = data;
  return value === undefined ? rest : { ...rest, [key]: value };
}

/** What is answered, and how values that are compared stand to each other. */
function standing(asked: Given, { questions, open, slots }: Domain, data: Data): string {
  const numbers = questions.leaves.flatMap((leaf, at) => (open.has(leaf) ? [at] : []));
  const signs = questions.leaves.map((leaf) => {
    if (open.has(leaf) || leaf.kind !== "compare" || leaf.right.kind !== "reference") return "";
    const { left, right } = leaf;
    if (left.key === right.reference.key) return "";
    const [one, other] = [left, right.reference].map(({ key, path }) => readData(data, key, path));
    if (one === undefined || other === undefined) return "missing";
    if (jsonEqual(one, other)) return "same";
    // Where only equality is asked, cases do not say which of two is greater.
    if (leaf.op.startsWith("is")) return "other";
    if (typeof one === "number" && typeof other === "number") return String(one < other);
    return typeof one === "string" && typeof other === "string" ? String(one < other) : "other";
  });
  const gone = slots.map(({ reference: { key, path } }) => readData(data, key, path) === undefined);
  return JSON.stringify([answersOn(asked, numbers, data), signs, gone]);
}

interface Written {
  readonly asked: Given;
  readonly kind: Who;
  readonly keys: readonly string[];
  readonly domain: Domain;
  readonly world: CaseWorld;
}

const CASES_MAX = 400;
/** The workflow as a world of cases, or null where there are none, or too many. */
function writtenOf(asked: Given, kind: Who, keys: readonly string[]): Written | null {
  // A form that allows nothing that the declaration does cannot be filled (D23.3).
  try {
    const compiled = compiledOf(asked, writerOf(kind, asked, keys));
    const found = domainOf(questionsOf(compiled));
    if (found.kind !== "domain" || found.domain.slots.length === 0) return null;
    const world = worldOfCases(frameOf(compiled, found.domain), found.domain);
    if (world.cases.length > CASES_MAX) return null;
    return { asked, kind, keys, domain: found.domain, world };
  } catch {
    return null;
  }
}

/** Pairs of data, before an answer and after it, that no case and none of what is left of it stand as. */
function uncovered({ asked, kind, keys, domain, world }: Written, salt: number): readonly unknown[] {
  const choose = chooser(salt);
  const byStanding = new Map<string, readonly Data[]>();
  for (const data of world.cases) {
    const name = standing(asked, domain, data);
    byStanding.set(name, [...(byStanding.get(name) ?? []), data]);
  }
  const known = new Map<string, ReadonlySet<string>>();
  const leftOf = (name: string) => {
    const found =
      known.get(name) ??
      new Set(
        (byStanding.get(name) ?? []).flatMap((data) =>
          world.world.answersTo(WRITER, "done", data).map((one) => standing(asked, domain, one.data)),
        ),
      );
    known.set(name, found);
    return found;
  };
  const found: unknown[] = [];
  for (let count = 0; count < 300; count += 1) {
    let before: Data = {};
    for (const key of KEYS) before = withKey(before, key, choose(rangeOf(asked, key)));
    let after = before;
    let isPossible = true;
    for (const key of keys) {
      const possible = choices(kind, asked, key, before[key]);
      if (possible.length === 0) isPossible = false;
      else after = withKey(after, key, choose(possible));
    }
    if (isPossible && !leftOf(standing(asked, domain, before)).has(standing(asked, domain, after)))
      found.push({ before, after });
  }
  return found;
}

/** Where nothing is compared with anything else: what is left surely, of some data of the case, and no answer leaves. */
function unmade({ asked, kind, keys, domain, world }: Written, salt: number): readonly unknown[] {
  const choose = chooser(salt);
  const found: unknown[] = [];
  for (let count = 0; count < 10; count += 1) {
    let before: Data = {};
    for (const key of KEYS) before = withKey(before, key, choose(rangeOf(asked, key)));
    const own = standing(asked, domain, before);
    const made = keys.reduce<readonly Data[]>(
      (all, key) =>
        all.flatMap((data) => choices(kind, asked, key, data[key]).map((value) => withKey(data, key, value))),
      [before],
    );
    // A form that nobody can fill is told where cases know of its key alone.
    if (made.length === 0 && keys.some((key) => !domain.slotsOfKey.has(key))) continue;
    const names = new Set(made.map((data) => standing(asked, domain, data)));
    for (const data of world.cases.filter((one) => standing(asked, domain, one) === own))
      for (const one of world.world.answersTo(WRITER, "done", data))
        if (one.isSure && !names.has(standing(asked, domain, one.data)))
          found.push({ before, left: one.data });
  }
  return found;
}

/** Without what is compared with others. */
const alone = (asked: Given): Given => ({
  ...asked,
  guards: asked.guards.filter((guard) => !("valueOf" in guard)),
});

describe("[L23.1] answers on cases", () => {
  it("[L23.1] what an answer makes of data is left by it of a case of theirs (oracle: values set on the data themselves)", () => {
    const count = { all: 0 };
    fc.assert(
      fc.property(
        given,
        who,
        written,
        fc.integer({ min: 1, max: 2 ** 31 - 1 }),
        (asked, kind, keys, salt) => {
          const one = writtenOf(asked, kind, keys);
          if (one === null) return;
          count.all += 1;
          expect({ asked, kind, keys, uncovered: uncovered(one, salt).slice(0, 1) }).toEqual({
            asked,
            kind,
            keys,
            uncovered: [],
          });
        },
      ),
      { seed: 23_120, numRuns: 150 },
    );
    expect(count.all).toBeGreaterThan(80);
  }, 120_000);

  it("[L23.1] where nothing is compared with others, what is left surely can be made of all data of the case", () => {
    const count = { all: 0 };
    fc.assert(
      fc.property(
        given.map(alone),
        who,
        written,
        fc.integer({ min: 1, max: 2 ** 31 - 1 }),
        (asked, kind, keys, salt) => {
          const one = writtenOf(asked, kind, keys);
          if (one === null) return;
          count.all += 1;
          expect({ asked, kind, keys, unmade: unmade(one, salt).slice(0, 1) }).toEqual({
            asked,
            kind,
            keys,
            unmade: [],
          });
        },
      ),
      { seed: 23_121, numRuns: 150 },
    );
    expect(count.all).toBeGreaterThan(20);
  }, 120_000);

  it("[L23.1] the law catches a world in which what is written stays as it was", () => {
    const caught = fc.sample(fc.tuple(given, who, written), { seed: 23_122, numRuns: 60 }).filter((one) => {
      const found = writtenOf(...one);
      if (found === null) return false;
      const answersTo: CaseWorld["world"]["answersTo"] = (_, __, data) => [{ data, isSure: true }];
      const { cases, world } = found.world;
      return uncovered({ ...found, world: { cases, world: { ...world, answersTo } } }, 7).length > 0;
    });
    expect(caught.length).toBeGreaterThan(5);
  }, 120_000);
});
