/** @module A persistent map from strings to values, in code-unit order: a change costs the logarithm and shares the rest. */

/**
 * A node of a weight-balanced tree: left keys are less than `key`, right keys greater, and neither side's weight
 * (its count plus one) is more than three times the other's. The empty map is undefined.
 */
export interface SortedNode<V> {
  readonly key: string;
  readonly value: V;
  readonly count: number;
  readonly left: SortedMap<V>;
  readonly right: SortedMap<V>;
}

/** An immutable map; undefined is the empty one. */
export type SortedMap<V> = SortedNode<V> | undefined;

/** The number of keys. Cost: constant. */
export function countOf<V>(map: SortedMap<V>): number {
  return map === undefined ? 0 : map.count;
}

/** The value under `key`; undefined if there is none. Cost: logarithmic. */
export function lookup<V>(map: SortedMap<V>, key: string): V | undefined {
  let node = map;
  while (node !== undefined && node.key !== key) {
    node = key < node.key ? node.left : node.right;
  }
  return node?.value;
}

/** The map in which `key` has `value`, whatever it had before. Cost: logarithmic. */
export function insert<V>(map: SortedMap<V>, key: string, value: V): SortedNode<V> {
  if (map === undefined) {
    return makeNode(key, value, undefined, undefined);
  }
  if (key === map.key) {
    return makeNode(key, value, map.left, map.right);
  }
  return key < map.key
    ? balance(map.key, map.value, insert(map.left, key, value), map.right)
    : balance(map.key, map.value, map.left, insert(map.right, key, value));
}

/** The map without `key`; the same map if it has none. Cost: logarithmic. */
export function remove<V>(map: SortedMap<V>, key: string): SortedMap<V> {
  if (map === undefined) {
    return undefined;
  }
  if (key === map.key) {
    return glue(map.left, map.right);
  }
  if (key < map.key) {
    const left = remove(map.left, key);
    return left === map.left ? map : balance(map.key, map.value, left, map.right);
  }
  const right = remove(map.right, key);
  return right === map.right ? map : balance(map.key, map.value, map.left, right);
}

/** Keys and values in code-unit order of the keys. */
export function* entriesOf<V>(map: SortedMap<V>): Generator<readonly [string, V], void, undefined> {
  const above: SortedNode<V>[] = [];
  let node = map;
  while (node !== undefined || above.length > 0) {
    while (node !== undefined) {
      above.push(node);
      node = node.left;
    }
    const next = above.pop() as SortedNode<V>;
    yield [next.key, next.value];
    node = next.right;
  }
}

/** The keys in code-unit order. */
export function keysOf<V>(map: SortedMap<V>): readonly string[] {
  return Array.from(entriesOf(map), ([key]) => key);
}

/** Past this ratio of weights a side is too heavy, and below the second one a single rotation mends it. */
const WEIGHT_RATIO_MAX = 3;
const ROTATION_RATIO = 2;

function weightOf<V>(map: SortedMap<V>): number {
  return countOf(map) + 1;
}

function makeNode<V>(key: string, value: V, left: SortedMap<V>, right: SortedMap<V>): SortedNode<V> {
  return { key, value, count: countOf(left) + countOf(right) + 1, left, right };
}

/** A node whose sides were balanced before one of them got or lost one key. */
function balance<V>(key: string, value: V, left: SortedMap<V>, right: SortedMap<V>): SortedNode<V> {
  if (weightOf(right) > WEIGHT_RATIO_MAX * weightOf(left)) {
    return rotateLeft(key, value, left, right as SortedNode<V>);
  }
  if (weightOf(left) > WEIGHT_RATIO_MAX * weightOf(right)) {
    return rotateRight(key, value, left as SortedNode<V>, right);
  }
  return makeNode(key, value, left, right);
}

function rotateLeft<V>(key: string, value: V, left: SortedMap<V>, right: SortedNode<V>): SortedNode<V> {
  if (weightOf(right.left) < ROTATION_RATIO * weightOf(right.right)) {
    return makeNode(right.key, right.value, makeNode(key, value, left, right.left), right.right);
  }
  // An inner side of that weight is not empty.
  const inner = right.left as SortedNode<V>;
  return makeNode(
    inner.key,
    inner.value,
    makeNode(key, value, left, inner.left),
    makeNode(right.key, right.value, inner.right, right.right),
  );
}

function rotateRight<V>(key: string, value: V, left: SortedNode<V>, right: SortedMap<V>): SortedNode<V> {
  if (weightOf(left.right) < ROTATION_RATIO * weightOf(left.left)) {
    return makeNode(left.key, left.value, left.left, makeNode(key, value, left.right, right));
  }
  const inner = left.right as SortedNode<V>;
  return makeNode(
    inner.key,
    inner.value,
    makeNode(left.key, left.value, left.left, inner.left),
    makeNode(key, value, inner.right, right),
  );
}

/** Joins the two sides of a removed node: the first key on the right takes its place. */
function glue<V>(left: SortedMap<V>, right: SortedMap<V>): SortedMap<V> {
  if (left === undefined || right === undefined) {
    return left ?? right;
  }
  let first = right;
  while (first.left !== undefined) {
    first = first.left;
  }
  return balance(first.key, first.value, left, remove(right, first.key));
}
