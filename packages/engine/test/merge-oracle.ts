/**
 * @module What blocks that merge do to D, by other means than the engine: plain maps, a tree of blocks instead of a net,
 * and for each branch what it found under a key and what it made of it.
 */
import type { Json } from "@tessera/core";

/** How a task makes a new value of a key from the one that it sees. */
export interface Change {
  readonly key: string;
  readonly how: "add" | "push" | "text";
  readonly n: number;
}

/** A block: a job, parts one after the other, or branches at once whose join merges keys. */
export type Tree =
  | { readonly kind: "task"; readonly id: string; readonly changes: readonly Change[] }
  | { readonly kind: "sequence"; readonly id: string; readonly parts: readonly Tree[] }
  | {
      readonly kind: "fork";
      readonly id: string;
      readonly parts: readonly Tree[];
      readonly isStaged: boolean;
      /** Rules by key; "count" is a function: the number of the branches that wrote. */
      readonly rules: ReadonlyMap<string, Rule>;
      /** Does an arc take what is refused? */
      readonly isCaught: boolean;
    };

export type Rule = "append" | "sum" | "max" | "last" | "count";

interface Written {
  readonly found: Json | undefined;
  value: Json;
}

interface Place {
  readonly tree: Tree;
  readonly parent: Place | null;
  readonly part: number;
  done: number;
  /** Of each branch, the keys that it has written. */
  readonly held: readonly Map<string, Written>[];
}

/** The world of a run: D, what is open, where a merge was refused, whether the run has failed. */
export interface World {
  readonly data: Map<string, Json>;
  readonly open: Map<string, Place>;
  readonly refused: string[];
  hasFailed: boolean;
  readonly seen: { nested: number; merged: number; refused: number };
}

/** A run of `tree` on `data`, before its first answer. */
export function worldOf(tree: Tree, data: Readonly<Record<string, Json>>): World {
  const world: World = {
    data: new Map(Object.entries(data)),
    open: new Map(),
    refused: [],
    hasFailed: false,
    seen: { nested: 0, merged: 0, refused: 0 },
  };
  begin(world, tree, null, 0);
  return world;
}

function begin(world: World, tree: Tree, parent: Place | null, part: number): void {
  const held = tree.kind === "fork" ? tree.parts.map(() => new Map<string, Written>()) : [];
  const place: Place = { tree, parent, part, done: 0, held };
  if (tree.kind === "task") world.open.set(tree.id, place);
  else if (tree.kind === "sequence") begin(world, tree.parts[0] as Tree, place, 0);
  else for (const [at, branch] of tree.parts.entries()) begin(world, branch, place, at);
}

/** The branches around a place whose block merges `key`, the innermost first. */
function holders(place: Place, key: string): readonly Map<string, Written>[] {
  const { parent, part } = place;
  if (parent === null) return [];
  const own = parent.tree.kind === "fork" && parent.tree.rules.has(key) ? [parent.held[part]] : [];
  return [...own.filter((held) => held !== undefined), ...holders(parent, key)];
}

function seenAt(world: World, place: Place, key: string): Json | undefined {
  const written = holders(place, key).find((held) => held.has(key));
  return written === undefined ? world.data.get(key) : written.get(key)?.value;
}

function write(world: World, place: Place, key: string, value: Json): void {
  const around = holders(place, key);
  const [inner] = around;
  if (inner === undefined) world.data.set(key, value);
  else {
    const known = inner.get(key);
    if (known === undefined) inner.set(key, { found: seenAt(world, place, key), value });
    else known.value = value;
  }
  if (around.length > 1) world.seen.nested += 1;
}

/** What the open job `id` writes, as it sees D now. */
export function patchOf(world: World, id: string): Readonly<Record<string, Json>> {
  const place = world.open.get(id);
  if (place?.tree.kind !== "task") throw new Error(`${id} is not open`);
  return Object.fromEntries(
    place.tree.changes.map(({ key, how, n }) => [key, changed(seenAt(world, place, key), how, n)]),
  );
}

function changed(seen: Json | undefined, how: Change["how"], n: number): Json {
  if (how === "text") return `t${n}`;
  if (how === "push") return [...(Array.isArray(seen) ? (seen as readonly Json[]) : []), n];
  return (typeof seen === "number" ? seen : 0) + n;
}

/** The job answers with that. */
export function answer(world: World, id: string): void {
  const place = world.open.get(id);
  const patch = patchOf(world, id);
  world.open.delete(id);
  if (place === undefined) return;
  for (const [key, value] of Object.entries(patch)) write(world, place, key, value);
  finish(world, place);
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
  if (!close(world, parent)) {
    world.refused.push(`${tree.id}.join`);
    world.seen.refused += 1;
    if (!tree.isCaught) {
      world.hasFailed = true;
      return;
    }
  }
  finish(world, parent);
}

/** All keys, or none. */
function close(world: World, fork: Place): boolean {
  if (fork.tree.kind !== "fork") return true;
  const values = new Map<string, Json>();
  for (const [key, rule] of fork.tree.rules) {
    const written = fork.held.flatMap((held) => held.get(key) ?? []);
    if (written.length === 0) continue;
    const value = mergedBy(rule, seenAt(world, fork, key), written);
    if (value === undefined) return false;
    values.set(key, value);
  }
  for (const [key, value] of values) write(world, fork, key, value);
  if (values.size > 0) world.seen.merged += 1;
  return true;
}

/** undefined: the rule cannot take one of the values. */
function mergedBy(rule: Rule, there: Json | undefined, written: readonly Written[]): Json | undefined {
  const all = [there, ...written.flatMap(({ found, value }) => [found, value])];
  const isAll = (test: (value: unknown) => boolean) =>
    all.every((value) => value === undefined || test(value));
  if (rule === "last") return written.at(-1)?.value;
  if (rule === "count") return written.length;
  if (rule === "append") {
    if (!isAll(Array.isArray)) return undefined;
    const list = [...((there as readonly Json[] | undefined) ?? [])];
    for (const { found, value } of written) {
      const before = (found as readonly Json[] | undefined) ?? [];
      const after = value as readonly Json[];
      if (before.some((one, at) => after[at] !== one)) return undefined;
      list.push(...after.slice(before.length));
    }
    return list;
  }
  if (rule === "sum") {
    if (!isAll((value) => typeof value === "number")) return undefined;
    let sum = (there as number | undefined) ?? 0;
    for (const { found, value } of written) sum += (value as number) - ((found as number | undefined) ?? 0);
    return sum;
  }
  const numbers = [there, ...written.map(({ value }) => value)].filter((value) => value !== undefined);
  return numbers.every((value) => typeof value === "number")
    ? (numbers as number[]).toSorted((a, b) => b - a)[0]
    : undefined;
}
