/** @module The strongly connected parts of a directed graph that nothing enters, or that nothing leaves. */

/**
 * One vertex of each strongly connected part that no arc enters from another part. `next`: where arcs lead from a
 * vertex; with the arcs turned round, of each part that no arc leaves. Cost: linear.
 *
 * The vertex that a walk in depth leaves last lies in such a part (Kosaraju, Sharir); then the same without what it reaches.
 */
export function outermost(next: readonly (readonly number[])[]): readonly number[] {
  const isReached = new Uint8Array(next.length);
  return leavingOrder(next)
    .toReversed()
    .filter((vertex) => {
      if (isReached[vertex] === 1) return false;
      const pending = [vertex];
      for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
        if (isReached[at] === 1) continue;
        isReached[at] = 1;
        for (const target of next[at]!) pending.push(target);
      }
      return true;
    });
}

/** All vertices in the order in which a walk in depth leaves them. */
function leavingOrder(next: readonly (readonly number[])[]): readonly number[] {
  const left: number[] = [];
  const isSeen = new Uint8Array(next.length);
  const path: { readonly vertex: number; step: number }[] = [];
  const visit = (vertex: number) => {
    if (isSeen[vertex] === 1) return;
    isSeen[vertex] = 1;
    path.push({ vertex, step: 0 });
  };
  for (let start = 0; start < next.length; start += 1) {
    visit(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const target = next[top.vertex]![top.step];
      top.step += 1;
      if (target !== undefined) visit(target);
      else {
        left.push(top.vertex);
        path.pop();
      }
    }
  }
  return left;
}
