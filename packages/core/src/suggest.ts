/** @module What was meant: the known name that a misspelt one is nearest to. */

/**
 * The known name nearest to `name` in small edits (insert, delete, replace, swap neighbours), where letter case
 * counts nothing; undefined if even the nearest needs more than a third of its length. The first of equally near ones.
 * Cost: the product of the lengths, for those known names that are about as long.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  const written = name.toLowerCase();
  for (const candidate of known) {
    const editsMax = Math.max(1, Math.floor(candidate.length / 3));
    if (Math.abs(candidate.length - name.length) > editsMax) continue;
    const distance = editDistance(written, candidate.toLowerCase());
    if (distance <= editsMax && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The least number of edits that turn `a` into `b`, where no part is edited twice. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replace = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? (beforeLast[j - 2] as number) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(replace, swap, (last[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] as number;
}
