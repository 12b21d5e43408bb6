/** @module Which edges of an undirected graph lie on the same cycles, in linear time. */

/** An undirected graph with parallel edges: edge i joins `from[i]` and `to[i]`, two different vertices. */
export interface UndirectedGraph {
  readonly vertexCount: number;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/**
 * A walk in depth from one vertex, and the classes of the edges that it saw. By vertex: its number in the `order` of
 * the walk (-1: not seen), the edge by which the walk came (-1: none), and how many vertices hang below it, itself included.
 * By edge: its class; -1 if it lies on no cycle or was not seen.
 */
export interface CycleClasses {
  readonly order: readonly number[];
  readonly number: Int32Array;
  readonly parentEdge: Int32Array;
  readonly size: Int32Array;
  readonly classOf: Int32Array;
}

/**
 * Two edges are in one class iff every cycle with one of them has the other. Cost: linear in vertices and edges.
 *
 * Johnson, Pearson, Pingali: The Program Structure Tree, PLDI 1994, section 3. The brackets of a vertex are the edges
 * that lead from below it to above it; two edges of the tree are in one class iff the latest bracket and the number of
 * brackets agree. Where two subtrees reach up, a bracket of its own keeps their edges apart. The classes are those of D6.10.
 */
export function cycleClasses(graph: UndirectedGraph, root: number): CycleClasses {
  const walk = walkInDepth(graph, root);
  return { ...walk, classOf: classify(graph, walk) };
}

type Tree = Omit<CycleClasses, "classOf"> & {
  readonly parent: Int32Array;
  /** Edges outside the tree: by the lower end, and by the upper end. */
  readonly up: ReadonlyMap<number, readonly number[]>;
  readonly down: ReadonlyMap<number, readonly number[]>;
};

function walkInDepth(graph: UndirectedGraph, root: number): Tree {
  const { vertexCount, from, to } = graph;
  const edges = edgesByVertex(graph);
  const next = Array.from({ length: vertexCount }, () => 0);
  const [number, parentEdge, parent] = [filled(vertexCount), filled(vertexCount), filled(vertexCount)];
  const size = new Int32Array(vertexCount).fill(1);
  const isUsed = new Uint8Array(from.length);
  const [up, down] = [new Map<number, number[]>(), new Map<number, number[]>()];
  const order = [root];
  number[root] = 0;
  for (let vertex = root; vertex >= 0; ) {
    const edge = edges[vertex]![next[vertex]!];
    next[vertex]! += 1;
    if (edge === undefined) {
      const above = parent[vertex]!;
      if (above >= 0) size[above]! += size[vertex]!;
      vertex = above;
      continue;
    }
    if (isUsed[edge] === 1) continue;
    isUsed[edge] = 1;
    const other = from[edge] === vertex ? to[edge]! : from[edge]!;
    if (number[other]! >= 0) {
      // Without direction an edge that is not of the tree leads to a vertex above.
      listAt(up, vertex).push(edge);
      listAt(down, other).push(edge);
      continue;
    }
    number[other] = order.length;
    parentEdge[other] = edge;
    parent[other] = vertex;
    order.push(other);
    vertex = other;
  }
  return { order, number, parentEdge, parent, size, up, down };
}

function edgesByVertex({ vertexCount, from, to }: UndirectedGraph): readonly (readonly number[])[] {
  const edges = Array.from({ length: vertexCount }, (): number[] => []);
  from.forEach((vertex, edge) => {
    edges[vertex]!.push(edge);
    edges[to[edge]!]!.push(edge);
  });
  return edges;
}

function filled(length: number): Int32Array {
  return new Int32Array(length).fill(-1);
}

function listAt(lists: Map<number, number[]>, key: number): number[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** Brackets as linked lists, one for each vertex: joined, pushed to and deleted from in constant time. */
interface Brackets {
  /** The bracket below, and the one above, in its list. */
  readonly below: number[];
  readonly above: number[];
  readonly top: Int32Array;
  readonly bottom: Int32Array;
  readonly count: Int32Array;
}

function classify({ from, to }: UndirectedGraph, tree: Tree): Int32Array {
  const { order, number, parent, parentEdge, up, down } = tree;
  const vertexCount = number.length;
  const lists: Brackets = {
    below: from.map(() => -1),
    above: from.map(() => -1),
    top: filled(vertexCount),
    bottom: filled(vertexCount),
    count: new Int32Array(vertexCount),
  };
  const classOf = filled(from.length);
  const [recentCount, recentClass] = [from.map(() => -1), from.map(() => -1)];
  const capsAt = new Map<number, number[]>();
  const far = order.length;
  // How far up edges from below a vertex lead: the highest, and the highest from another child.
  const highest = new Int32Array(vertexCount).fill(far);
  const second = new Int32Array(vertexCount).fill(far);
  let classes = 0;
  for (let index = order.length - 1; index >= 0; index -= 1) {
    const vertex = order[index]!;
    for (const cap of capsAt.get(vertex) ?? []) remove(lists, vertex, cap);
    for (const edge of down.get(vertex) ?? []) {
      remove(lists, vertex, edge);
      if (classOf[edge] === -1) classOf[edge] = classes++;
    }
    const own = up.get(vertex) ?? [];
    const reach = own.reduce(
      (known, edge) => Math.min(known, number[from[edge] === vertex ? to[edge]! : from[edge]!]!),
      far,
    );
    for (const edge of own) push(lists, vertex, edge);
    if (second[vertex]! < reach && second[vertex]! < index) {
      const cap = recentCount.push(-1) - 1;
      recentClass.push(-1);
      push(lists, vertex, cap);
      listAt(capsAt, order[second[vertex]!]!).push(cap);
    }
    const above = parent[vertex]!;
    if (above < 0) continue;
    const bracket = lists.top[vertex]!;
    if (bracket >= 0) {
      if (recentCount[bracket] !== lists.count[vertex]) {
        recentCount[bracket] = lists.count[vertex]!;
        recentClass[bracket] = classes++;
      }
      classOf[parentEdge[vertex]!] = recentClass[bracket]!;
      if (lists.count[vertex] === 1 && bracket < from.length) classOf[bracket] = recentClass[bracket]!;
    }
    const reached = Math.min(reach, highest[vertex]!);
    second[above] = Math.min(second[above]!, Math.max(highest[above]!, reached));
    highest[above] = Math.min(highest[above]!, reached);
    append(lists, above, vertex);
  }
  return classOf;
}

function push(lists: Brackets, vertex: number, bracket: number): void {
  const top = lists.top[vertex]!;
  lists.below[bracket] = top;
  lists.above[bracket] = -1;
  if (top >= 0) lists.above[top] = bracket;
  else lists.bottom[vertex] = bracket;
  lists.top[vertex] = bracket;
  lists.count[vertex]! += 1;
}

/** The list of `child` goes on top of that of `vertex`. */
function append(lists: Brackets, vertex: number, child: number): void {
  if (lists.count[child] === 0) return;
  const [top, bottom] = [lists.top[vertex]!, lists.bottom[child]!];
  if (top >= 0) lists.above[top] = bottom;
  else lists.bottom[vertex] = bottom;
  lists.below[bottom] = top;
  lists.top[vertex] = lists.top[child]!;
  lists.count[vertex]! += lists.count[child]!;
}

function remove(lists: Brackets, vertex: number, bracket: number): void {
  const [below, above] = [lists.below[bracket]!, lists.above[bracket]!];
  if (below >= 0) lists.above[below] = above;
  else lists.bottom[vertex] = above;
  if (above >= 0) lists.below[above] = below;
  else lists.top[vertex] = below;
  lists.count[vertex]! -= 1;
}
