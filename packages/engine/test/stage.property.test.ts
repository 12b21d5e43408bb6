/** @module Random staged blocks, nested, in sequence and beside what is not staged, in every order of answers. */
import {
  EMPTY_MUTATION,
  type Mutation,
  objectsOf,
  productGraph,
  type WorkflowDefinition,
} from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flow } from "./definitions.ts";
import { bareRun, result, starting } from "./host.ts";
import { answer, shown, type Tree, worldOf } from "./stage-oracle.ts";
import { acyclic, foldOf, object, plain, staged } from "./stage-run.ts";

const IDS = ["a", "b", "c", "d", "e", "f"] as const;
/** What is there at first. */
const GIVEN = IDS.slice(0, 4);

const someId = fc.constantFrom(...IDS);
const change = fc.record({
  kind: fc.constantFrom("create", "payload", "links", "links", "delete"),
  id: someId,
  n: fc.nat(1),
  links: fc.uniqueArray(someId, { maxLength: 2 }),
});

/** One or two changes of different objects. */
const delta: fc.Arbitrary<Mutation> = fc
  .uniqueArray(change, { maxLength: 2, selector: ({ id }) => id })
  .map((changes) => {
    const of = (kind: string) => changes.filter((each) => each.kind === kind);
    const to = (links: readonly string[]) => [...links].sort().map((id) => ({ to: id }));
    return {
      create: of("create").map(({ id, n, links }) => ({ id, type: "t", payload: { n }, links: to(links) })),
      update: [
        ...of("payload").map(({ id, n }) => ({ id, payload: { n } })),
        ...of("links").map(({ id, links }) => ({ id, links: to(links) })),
      ],
      delete: of("delete").map(({ id }) => id),
    };
  });

type Shape =
  | { readonly kind: "task"; readonly delta: Mutation }
  | { readonly kind: "sequence"; readonly parts: readonly Shape[] }
  | {
      readonly kind: "fork";
      readonly parts: readonly Shape[];
      readonly stage: number;
      readonly caught: number;
    };

function shape(depth: number): fc.Arbitrary<Shape> {
  const task = fc.record({ kind: fc.constant("task" as const), delta });
  if (depth === 0) return task;
  const parts = fc.array(shape(depth - 1), { minLength: 2, maxLength: 3 });
  return fc.oneof(
    { weight: 1, arbitrary: task },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("sequence" as const), parts }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("fork" as const),
        parts,
        stage: fc.nat(3),
        caught: fc.nat(4),
      }),
    },
  );
}

/** The shape with ids. */
function treeOf(root: Shape): Tree {
  let count = 0;
  const make = (made: Shape): Tree => {
    count += 1;
    const id = `n${String(count).padStart(2, "0")}`;
    if (made.kind === "task") return { kind: "task", id, delta: made.delta };
    const parts = made.parts.map(make);
    if (made.kind === "sequence") return { kind: "sequence", id, parts };
    return { kind: "fork", id, parts, isStaged: made.stage > 0, isCaught: made.caught > 0 };
  };
  return make(root);
}

/** The workflow of a tree: every job goes on also where its mutation is refused. */
function workflowOf(root: Tree): WorkflowDefinition {
  const nodes: Parameters<typeof flow>[1][number][] = [];
  const arcs: Parameters<typeof flow>[2][number][] = [];
  /** Adds a tree; its first and its last node. */
  const add = (tree: Tree): readonly [first: string, last: string] => {
    const { id } = tree;
    if (tree.kind === "task") {
      nodes.push([id, "tool"], [`${id}.after`, "gateway"]);
      arcs.push([id, `${id}.after`], [id, `${id}.after`, "error"]);
      return [id, `${id}.after`];
    }
    if (tree.kind === "sequence") {
      const ways = tree.parts.map(add);
      ways
        .slice(1)
        .forEach(([first], at) => void arcs.push([(ways[at] as readonly string[])[1] as string, first]));
      return [ways[0]?.[0] ?? "", ways.at(-1)?.[1] ?? ""];
    }
    nodes.push([`${id}.split`, "gateway", undefined, { split: "all" }]);
    const ways = tree.parts.map(add);
    nodes.push(
      [`${id}.join`, "gateway", tree.isStaged ? staged : undefined, { join: "all" }],
      [`${id}.after`, "gateway"],
    );
    for (const [first] of ways) arcs.push([`${id}.split`, first]);
    for (const [, last] of ways) arcs.push([last, `${id}.join`]);
    arcs.push([`${id}.join`, `${id}.after`]);
    if (tree.isStaged && tree.isCaught) arcs.push([`${id}.join`, `${id}.after`, "error"]);
    return [`${id}.split`, `${id}.after`];
  };
  const [first, last] = add(root);
  return flow(
    "w",
    [["begin", "start"], ...nodes, ["end", "end"]],
    [["begin", first], ...arcs, [last, "end"]],
  );
}

const objects = (graph: Parameters<typeof objectsOf>[0]) =>
  objectsOf(graph)
    .map(
      ({ id, payload, links }) => [id, { n: payload["n"] ?? 0, links: links.map(({ to }) => to) }] as const,
    )
    .sort(([a], [b]) => (a < b ? -1 : 1));

/**
 * Law: after every answer G, what was refused and where, and whether the run goes on, are those of the oracle; a refused
 * merge leaves the very graph that was there; replay gives the same state.
 */
function stageLaw(change: (definition: WorkflowDefinition) => WorkflowDefinition, numRuns: number): void {
  const seen = { held: 0, nested: 0, refused: 0, committed: 0, failed: 0, conflicts: 0 };
  fc.assert(
    fc.property(shape(3), fc.array(fc.nat(99), { minLength: 1, maxLength: 9 }), (made, order) => {
      const tree = treeOf(made);
      const world = worldOf(tree, GIVEN);
      const run = bareRun(change(workflowOf(tree)), { constraints: acyclic });
      run.graph = productGraph(GIVEN.map((id) => object(id)));
      run.take(starting());
      for (let turn = 0; world.open.size > 0 && !world.hasFailed; turn += 1) {
        const open = [...world.open.keys()].sort();
        expect(run.state.items.map(({ node }) => node).sort()).toEqual(open);
        const id = open[(order[turn % order.length] ?? 0) % open.length] ?? "";
        const told = taskOf(tree, id);
        const { input } = result(run.item(id));
        const before = run.graph;
        const was = shown(world);
        answer(world, id);
        const { record } = run.take({ input, payload: { patch: {}, mutation: told } });
        expect(objects(run.graph)).toEqual(shown(world));
        if (
          JSON.stringify(was) === JSON.stringify(shown(world)) &&
          record.steps.every(({ mutation }) => mutation === undefined)
        )
          expect(run.graph).toBe(before);
        const troubles = run.records.flatMap(({ steps }) =>
          steps.flatMap(({ node, trouble }) => (trouble === undefined ? [] : [[node, trouble.code]])),
        );
        if (!world.hasFailed) expect(troubles).toEqual(world.troubles);
        expect(plain(foldOf(run))).toEqual(plain(run.state));
      }
      expect(run.state.status).toBe(world.hasFailed ? "failed" : "completed");
      if (world.hasFailed) expect(JSON.stringify(run.state.terminal)).toContain(world.troubles.at(-1)?.[1]);
      expect(run.state).not.toHaveProperty("overlays");
      for (const name of ["held", "nested", "refused", "committed"] as const) seen[name] += world.seen[name];
      seen.failed += Number(world.hasFailed);
      seen.conflicts += world.troubles.filter(([, code]) => code === "MERGE_CONFLICT").length;
    }),
    { numRuns, endOnFailure: true },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(30);
}

function taskOf(tree: Tree, id: string): Mutation {
  if (tree.kind === "task") return tree.id === id ? tree.delta : EMPTY_MUTATION;
  return (
    tree.parts.map((part) => taskOf(part, id)).find((found) => found !== EMPTY_MUTATION) ?? EMPTY_MUTATION
  );
}

describe("[D21.9] random staged blocks", () => {
  it(
    "[D21.9] [D21.6] [D21.7] [D21.8] [C20-40] [C20-41] do to G what the oracle does, all at the join or nothing",
    () => stageLaw((definition) => definition, 300),
    120_000,
  );

  it("[D21.9] the law catches a join that holds nothing back, and one that lets no refusal pass", () => {
    const each =
      (next: (node: WorkflowDefinition["nodes"][number]) => WorkflowDefinition["nodes"][number]) =>
      (definition: WorkflowDefinition) => ({ ...definition, nodes: definition.nodes.map(next) });
    const bare = each(({ meta, ...node }) =>
      meta?.["stage"] === true ? node : { ...node, ...(meta === undefined ? {} : { meta }) },
    );
    const unstaged = (definition: WorkflowDefinition) => {
      const made = bare(definition);
      return {
        ...made,
        arcs: made.arcs.filter(({ from, outcome }) => !(from.endsWith(".join") && outcome === "error")),
      };
    };
    const uncaught = (definition: WorkflowDefinition) => ({
      ...definition,
      arcs: definition.arcs.filter(({ from, outcome }) => !(from.endsWith(".join") && outcome === "error")),
    });
    for (const broken of [unstaged, uncaught]) expect(() => stageLaw(broken, 300)).toThrow();
  }, 120_000);
});
