/** @module Random blocks that merge keys of D, nested, in sequence and beside what merges nothing, in every order of answers. */
import type { HandlerResult, InlineContext, Json, JsonObject, WorkflowDefinition } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flow } from "./definitions.ts";
import { bareRun, result, starting } from "./host.ts";
import { answer, type Change, patchOf, type Rule, type Tree, worldOf } from "./merge-oracle.ts";
import { foldOf, plain } from "./stage-run.ts";

const GIVEN = { num: 10, list: [0], text: "t0" } as const;
const KEYS = ["num", "list", "text", "fresh"] as const;

type Shape =
  | { readonly kind: "task"; readonly changes: readonly Change[] }
  | { readonly kind: "sequence"; readonly parts: readonly Shape[] }
  | {
      readonly kind: "fork";
      readonly parts: readonly Shape[];
      readonly isStaged: boolean;
      readonly rules: readonly (readonly [string, Rule])[];
      readonly isCaught: boolean;
    };

/** Mostly what fits the key, now and then something else. */
const change: fc.Arbitrary<Change> = fc
  .record({ key: fc.constantFrom(...KEYS), n: fc.integer({ min: -3, max: 9 }), odd: fc.nat(19) })
  .map(({ key, n, odd }) => {
    const fitting = ({ num: "add", list: "push", text: "text", fresh: "add" } as const)[key];
    return { key, n, how: odd === 0 ? "text" : odd === 1 ? "push" : fitting };
  });

const changes = fc.uniqueArray(change, { maxLength: 2, selector: ({ key }) => key });

const rules = fc
  .record({
    num: fc.constantFrom<Rule | null>(null, "sum", "sum", "max", "last", "count"),
    list: fc.constantFrom<Rule | null>(null, "append", "append", "last", "count"),
    text: fc.constantFrom<Rule | null>(null, "last", "count", "sum"),
    fresh: fc.constantFrom<Rule | null>(null, "sum", "max", "count"),
  })
  .map((by) => Object.entries(by).flatMap(([key, rule]) => (rule === null ? [] : [[key, rule] as const])));

function shape(depth: number): fc.Arbitrary<Shape> {
  const task = fc.record({ kind: fc.constant("task" as const), changes });
  if (depth === 0) return task;
  const parts = fc.array(shape(depth - 1), { minLength: 2, maxLength: 3 });
  const kind = fc.constant("fork" as const);
  const isCaught = fc.nat(4).map((n) => n > 0);
  return fc.oneof(
    { weight: 1, arbitrary: task },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("sequence" as const), parts }) },
    { weight: 3, arbitrary: fc.record({ kind, parts, isStaged: fc.boolean(), rules, isCaught }) },
  );
}

/** The shape with ids; what is not staged has no "last". */
function treeOf(root: Shape): Tree {
  let count = 0;
  const make = (made: Shape): Tree => {
    count += 1;
    const id = `n${String(count).padStart(2, "0")}`;
    if (made.kind === "task") return { kind: "task", id, changes: made.changes };
    const parts = made.parts.map(make);
    if (made.kind === "sequence") return { kind: "sequence", id, parts };
    const { isStaged, isCaught } = made;
    const allowed = made.rules.filter(([, rule]) => isStaged || rule !== "last");
    return { kind: "fork", id, parts, isStaged, rules: new Map(allowed), isCaught };
  };
  return make(root);
}

function workflowOf(root: Tree): WorkflowDefinition {
  const nodes: Parameters<typeof flow>[1][number][] = [];
  const arcs: Parameters<typeof flow>[2][number][] = [];
  /** Adds a tree; its first and its last node. */
  const add = (tree: Tree): readonly [first: string, last: string] => {
    const { id } = tree;
    if (tree.kind === "task") {
      nodes.push([id, "tool"]);
      return [id, id];
    }
    const split = `${id}.split`;
    if (tree.kind === "fork") nodes.push([split, "gateway", undefined, { split: "all" }]);
    const ways = tree.parts.map(add);
    if (tree.kind === "sequence") {
      for (const [at, [first]] of ways.slice(1).entries()) arcs.push([ways[at]?.[1] ?? "", first]);
      return [ways[0]?.[0] ?? "", ways.at(-1)?.[1] ?? ""];
    }
    const isHolding = tree.isStaged || tree.rules.size > 0;
    nodes.push(
      [`${id}.join`, "gateway", isHolding ? metaOf(tree) : undefined, { join: "all" }],
      [`${id}.after`, "gateway"],
    );
    for (const [first] of ways) arcs.push([split, first]);
    for (const [, last] of ways) arcs.push([last, `${id}.join`]);
    arcs.push([`${id}.join`, `${id}.after`]);
    if (isHolding && tree.isCaught) arcs.push([`${id}.join`, `${id}.after`, "error"]);
    return [split, `${id}.after`];
  };
  const [first, last] = add(root);
  return flow(
    "w",
    [["begin", "start"], ...nodes, ["end", "end"]],
    [["begin", first], ...arcs, [last, "end"]],
  );
}

function metaOf({ isStaged, rules: by }: Tree & { readonly kind: "fork" }): JsonObject {
  const merge = [...by].map(([key, rule]) => [key, rule === "count" ? { function: `count ${key}` } : rule]);
  return {
    ...(isStaged ? { stage: true } : {}),
    ...(by.size === 0 ? {} : { merge: Object.fromEntries(merge) as JsonObject }),
  };
}

const functions = Object.fromEntries(
  KEYS.map((key) => [
    `count ${key}`,
    ({ data }: InlineContext): HandlerResult => ({
      patch: { [key]: (data["values"] as readonly Json[]).length },
    }),
  ]),
);

/** Law: after every answer D, and where a merge was refused, are those of the oracle; replay gives the same state. */
function mergeLaw(change: (definition: WorkflowDefinition) => WorkflowDefinition, numRuns: number): void {
  const seen = { nested: 0, merged: 0, refused: 0, failed: 0 };
  fc.assert(
    fc.property(shape(3), fc.array(fc.nat(99), { minLength: 1, maxLength: 9 }), (made, order) => {
      const tree = treeOf(made);
      const world = worldOf(tree, GIVEN);
      const run = bareRun(change(workflowOf(tree)), { functions });
      run.take(starting(GIVEN));
      for (let turn = 0; world.open.size > 0 && !world.hasFailed; turn += 1) {
        const open = [...world.open.keys()].sort();
        const id = open[(order[turn % order.length] ?? 0) % open.length] ?? "";
        const patch = patchOf(world, id);
        const { input } = result(run.item(id));
        answer(world, id);
        run.take({ input, payload: { patch } });
        expect(run.state.data).toEqual(Object.fromEntries(world.data));
        expect(plain(foldOf(run))).toEqual(plain(run.state));
      }
      const troubles = run.records.flatMap(({ steps }) =>
        steps.flatMap(({ node, trouble }) => (trouble === undefined ? [] : [`${node} ${trouble.code}`])),
      );
      const caught = world.hasFailed ? world.refused.slice(0, -1) : world.refused;
      expect(troubles.slice(0, caught.length)).toEqual(caught.map((join) => `${join} MERGE_INVALID`));
      expect(run.state.status).toBe(world.hasFailed ? "failed" : "completed");
      expect(run.state).not.toHaveProperty("overlays");
      for (const name of ["nested", "merged", "refused"] as const) seen[name] += world.seen[name];
      seen.failed += Number(world.hasFailed);
    }),
    { numRuns, endOnFailure: true },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(numRuns / 20);
}

describe("[D21.10] random blocks that merge keys", () => {
  it(
    "[D21.10] [D21.9] [D21.7] [D21.6] [C20-37] leave in D what the oracle leaves, in every order, all keys or none",
    () => mergeLaw((definition) => definition, 250),
    120_000,
  );

  it("[D21.10] the law catches a rule that is another, and a join that merges nothing", () => {
    const joins =
      (next: (meta: JsonObject) => JsonObject | undefined) =>
      (definition: WorkflowDefinition): WorkflowDefinition => ({
        ...definition,
        nodes: definition.nodes.map(({ meta, ...node }) => {
          const given = meta === undefined ? undefined : next(meta);
          return given === undefined ? node : { ...node, meta: given };
        }),
      });
    const swapped = (from: string, to: string) =>
      joins((meta) => JSON.parse(JSON.stringify(meta).replaceAll(`"${from}"`, `"${to}"`)) as JsonObject);
    expect(() => mergeLaw(swapped("sum", "max"), 400)).toThrow();
    expect(() => mergeLaw(swapped("append", "max"), 400)).toThrow();
    expect(() =>
      mergeLaw(
        joins(({ stage }) => (stage === true ? { stage } : undefined)),
        400,
      ),
    ).toThrow();
  }, 120_000);
});
