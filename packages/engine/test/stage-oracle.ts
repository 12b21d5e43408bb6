/**
 * @module What staged blocks do to G, by other means than the engine: plain maps, a tree of blocks instead of a net, and
 * for each branch what it made, changed and deleted on balance.
 */
import type { Mutation } from "@tessera/core";

/** A block: a job, parts one after the other, or branches at once that are staged or not. */
export type Tree =
  | { readonly kind: "task"; readonly id: string; readonly delta: Mutation }
  | { readonly kind: "sequence"; readonly id: string; readonly parts: readonly Tree[] }
  | {
      readonly kind: "fork";
      readonly id: string;
      readonly parts: readonly Tree[];
      readonly isStaged: boolean;
      /** Does an arc take what is refused? */
      readonly isCaught: boolean;
    };

interface Thing {
  readonly n: number;
  readonly links: readonly string[];
}
type Graph = ReadonlyMap<string, Thing>;

/** What a branch did on balance. */
interface Net {
  readonly created: ReadonlyMap<string, Thing>;
  readonly updated: ReadonlyMap<string, Partial<Thing>>;
  readonly deleted: ReadonlySet<string>;
}

const NOTHING: Net = { created: new Map(), updated: new Map(), deleted: new Set() };

/** Where a tree stands: what is open in it, what its staged branches hold back. */
interface Place {
  readonly tree: Tree;
  readonly parent: Place | null;
  /** Which part of the parent it is. */
  readonly part: number;
  done: number;
  readonly held: Net[];
}

/** The world of a run: G, what is open, what went wrong where, whether it has failed. */
export interface World {
  graph: Graph;
  readonly open: Map<string, Place>;
  readonly troubles: (readonly [node: string, code: string])[];
  hasFailed: boolean;
  readonly seen: { held: number; nested: number; refused: number; committed: number };
}

/** A run of `tree` on the objects `given`, all of payload 0 and without links, before its first answer. */
export function worldOf(tree: Tree, given: readonly string[]): World {
  const world: World = {
    graph: new Map(given.map((id) => [id, { n: 0, links: [] }])),
    open: new Map(),
    troubles: [],
    hasFailed: false,
    seen: { held: 0, nested: 0, refused: 0, committed: 0 },
  };
  begin(world, tree, null, 0);
  return world;
}

/** G as JSON, in the manner of a product graph. */
export function shown(world: World): readonly (readonly [string, Thing])[] {
  return [...world.graph].sort(([a], [b]) => (a < b ? -1 : 1));
}

function begin(world: World, tree: Tree, parent: Place | null, part: number): void {
  const place: Place = { tree, parent, part, done: 0, held: [] };
  if (tree.kind === "task") world.open.set(tree.id, place);
  else if (tree.kind === "sequence") begin(world, tree.parts[0] as Tree, place, 0);
  else for (const [at, branch] of tree.parts.entries()) begin(world, branch, place, at);
}

/** The job `id` answers with what it has to say. */
export function answer(world: World, id: string): void {
  const place = world.open.get(id);
  if (place?.tree.kind !== "task") throw new Error(`${id} is not open`);
  world.open.delete(id);
  const { delta } = place.tree;
  if (delta.create.length + delta.update.length + delta.delete.length > 0) {
    const stages = stagesAround(place);
    const code = propose(world, stages, netOf(NOTHING, delta), delta);
    if (code !== null) world.troubles.push([id, code]);
    else if (stages.length > 0) world.seen.held += 1;
    if (stages.length > 1) world.seen.nested += 1;
  }
  finish(world, place);
}

/** The branches of staged forks around a place, the outermost first. */
function stagesAround(place: Place): readonly { readonly fork: Place; readonly branch: number }[] {
  const { parent, part } = place;
  if (parent === null) return [];
  const isStaged = parent.tree.kind === "fork" && parent.tree.isStaged;
  return [...stagesAround(parent), ...(isStaged ? [{ fork: parent, branch: part }] : [])];
}

/** Gives a change to the innermost staged branch, or to G; answers why not. */
function propose(
  world: World,
  stages: ReturnType<typeof stagesAround>,
  change: Net,
  delta: Mutation | null,
): string | null {
  let seen = world.graph;
  for (const { fork, branch } of stages) seen = apply(seen, fork.held[branch] ?? NOTHING);
  if (!fits(seen, change, delta)) return "GATE_REJECTED";
  const inner = stages.at(-1);
  if (inner === undefined) {
    const after = apply(world.graph, change);
    if (!isIntegral(after)) return "GATE_REJECTED";
    world.graph = after;
    return null;
  }
  const own = inner.fork.held[inner.branch] ?? NOTHING;
  const touched = [
    ...change.created.keys(),
    ...[...change.created.values(), ...change.updated.values()].flatMap(({ links = [] }) => links),
    ...(delta === null ? [] : [...delta.create.map(({ id }) => id), ...linksOf(delta)]),
  ];
  if (touched.some((id) => own.deleted.has(id))) return "STAGE_DELETED";
  inner.fork.held[inner.branch] = delta === null ? joined(own, change) : netOf(own, delta);
  return null;
}

function linksOf({ create, update }: Mutation): readonly string[] {
  return [...create, ...update].flatMap(({ links = [] }) => links.map(({ to }) => to));
}

/** What is created is not there, what is changed or deleted is. As it was said, where somebody said it. */
function fits(seen: Graph, change: Net, delta: Mutation | null): boolean {
  const created = delta === null ? [...change.created.keys()] : delta.create.map(({ id }) => id);
  const needed =
    delta === null
      ? [...change.updated.keys(), ...change.deleted]
      : [...delta.update.map(({ id }) => id), ...delta.delete];
  return created.every((id) => !seen.has(id)) && needed.every((id) => seen.has(id) || created.includes(id));
}

/** Every link leads to an object, and no way along links leads back. */
function isIntegral(graph: Graph): boolean {
  const isBack = (id: string, on: readonly string[]): boolean =>
    on.includes(id) || (graph.get(id)?.links ?? []).some((to) => !graph.has(to) || isBack(to, [...on, id]));
  return [...graph.keys()].every((id) => !isBack(id, []));
}

function finish(world: World, place: Place): void {
  const { parent, part } = place;
  if (parent === null || world.hasFailed) return;
  const { tree } = parent;
  if (tree.kind === "sequence") {
    const next = tree.parts[part + 1];
    if (next === undefined) finish(world, parent);
    else begin(world, next, parent, part + 1);
    return;
  }
  parent.done += 1;
  if (tree.kind !== "fork" || parent.done < tree.parts.length) return;
  if (tree.isStaged) {
    const code = close(world, parent);
    world.seen[code === null ? "committed" : "refused"] += 1;
    if (code !== null) {
      world.troubles.push([`${tree.id}.join`, code]);
      if (!tree.isCaught) {
        world.hasFailed = true;
        return;
      }
    }
  }
  finish(world, parent);
}

/** The union of what the branches hold back, proposed where the fork stands. */
function close(world: World, fork: Place): string | null {
  const nets = fork.held.filter((net) => net !== undefined);
  for (const [at, left] of nets.entries())
    for (const right of nets.slice(at + 1)) if (areTorn(left, right)) return "MERGE_CONFLICT";
  const union = nets.reduce(joined, NOTHING);
  if (union.created.size + union.updated.size + union.deleted.size === 0) return null;
  const code = propose(world, stagesAround(fork), union, null);
  return code === "GATE_REJECTED" && stagesAround(fork).length === 0 ? "MERGE_REJECTED" : code;
}

/** Do the two say different things of one object? */
function areTorn(left: Net, right: Net): boolean {
  const differ = (a: unknown, b: unknown) =>
    a !== undefined && b !== undefined && JSON.stringify(a) !== JSON.stringify(b);
  const isTorn = (a: ReadonlyMap<string, Partial<Thing>>, b: ReadonlyMap<string, Partial<Thing>>) =>
    [...a].some(([id, { n, links }]) => differ(n, b.get(id)?.n) || differ(links, b.get(id)?.links));
  return isTorn(left.created, right.created) || isTorn(left.updated, right.updated);
}

/** What a branch did, and then this. */
function netOf(before: Net, { create, update, delete: gone }: Mutation): Net {
  const change: Net = {
    created: new Map(
      create.map(({ id, payload, links }) => [
        id,
        { n: Number(payload["n"]), links: links.map(({ to }) => to) },
      ]),
    ),
    updated: new Map(
      update.map(({ id, payload, links }) => [
        id,
        {
          ...(payload === undefined ? {} : { n: Number(payload["n"]) }),
          ...(links === undefined ? {} : { links: links.map(({ to }) => to) }),
        },
      ]),
    ),
    deleted: new Set(gone),
  };
  return joined(before, change);
}

/** Both together: an object that is made is changed by being made otherwise; what is deleted is neither, and has no links to it. */
function joined(before: Net, change: Net): Net {
  const created = new Map([...before.created, ...change.created]);
  const updated = new Map(before.updated);
  for (const [id, said] of change.updated) updated.set(id, { ...updated.get(id), ...said });
  for (const [id, said] of [...updated]) {
    const made = created.get(id);
    if (made === undefined) continue;
    created.set(id, { ...made, ...said });
    updated.delete(id);
  }
  const gone = new Set([...before.deleted, ...change.deleted]);
  const deleted = new Set([...gone].filter((id) => !created.has(id)));
  for (const id of gone) {
    created.delete(id);
    updated.delete(id);
  }
  const without = <T extends Partial<Thing>>(map: Map<string, T>) =>
    new Map(
      [...map].map(([id, said]) => {
        const links = said.links?.filter((to) => !gone.has(to));
        return [id, links === undefined ? said : { ...said, links }];
      }),
    );
  return { created: without(created), updated: without(updated), deleted };
}

function apply(graph: Graph, { created, updated, deleted }: Net): Graph {
  const after = new Map([...graph, ...created]);
  for (const [id, said] of updated) {
    const found = after.get(id);
    if (found !== undefined) after.set(id, { ...found, ...said });
  }
  for (const id of deleted) after.delete(id);
  return new Map(
    [...after].map(([id, { n, links }]) => [id, { n, links: links.filter((to) => !deleted.has(to)) }]),
  );
}
