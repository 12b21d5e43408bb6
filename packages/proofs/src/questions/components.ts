/** @module Strongly connected components (Tarjan), without recursion. */

/** The components of the nodes 0 .. count - 1, or of those in `within` only. Cost: linear in the edges. */
export function componentsOf(
  count: number,
  next: readonly (readonly number[])[],
  within: ReadonlySet<number> | null,
): readonly number[][] {
  const index = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const isOpen = new Uint8Array(count);
  const at = new Int32Array(count);
  const stack: number[] = [];
  const found: number[][] = [];
  let clock = 0;
  const roots = within === null ? Array.from({ length: count }, (_, node) => node) : [...within];
  for (const root of roots) {
    if (index[root] !== -1) continue;
    const calls = [root];
    while (calls.length > 0) {
      const node = calls.at(-1)!;
      if (index[node] === -1) {
        index[node] = clock;
        low[node] = clock;
        clock += 1;
        stack.push(node);
        isOpen[node] = 1;
      }
      const to = next[node]![at[node]!];
      if (to !== undefined) {
        at[node]! += 1;
        if (within !== null && !within.has(to)) continue;
        if (index[to] === -1) calls.push(to);
        else if (isOpen[to] === 1) low[node] = Math.min(low[node]!, index[to]!);
        continue;
      }
      calls.pop();
      const above = calls.at(-1);
      if (above !== undefined) low[above] = Math.min(low[above]!, low[node]!);
      if (low[node] !== index[node]) continue;
      const members = stack.splice(stack.lastIndexOf(node));
      for (const member of members) isOpen[member] = 0;
      found.push(members);
    }
  }
  return found;
}
