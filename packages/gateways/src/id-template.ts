/** @module Templates of object ids: text with holes that D fills, and whether two can name the same object. */

/**
 * The ids that `template` can name: `doc/{order}/summary` with any text, empty or not, in place of each `{...}`.
 * A brace that opens no hole stands for itself.
 */
function partsOf(template: string): readonly string[] {
  return template.split(/\{[^{}]*\}/u);
}

/** Is `id` an instance of `template`? Cost: the length of the id times the number of holes. */
export function isInstance(template: string, id: string): boolean {
  const [first, ...rest] = partsOf(template) as [string, ...string[]];
  const last = rest.pop();
  if (last === undefined) return id === first;
  if (id.length < first.length + last.length || !id.startsWith(first) || !id.endsWith(last)) return false;
  const middle = id.slice(first.length, id.length - last.length);
  let from = 0;
  for (const part of rest) {
    const at = middle.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
}

/**
 * Can the two templates name the same object? With a hole in both that is so iff one's beginning continues the
 * other's and one's end the other's: whatever lies between can be filled in. With a hole in one only, iff the other
 * is an instance of it. Cost: the length of the templates.
 *
 * @definition D16.3
 */
export function templatesMeet(left: string, right: string): boolean {
  const [ownParts, otherParts] = [partsOf(left), partsOf(right)];
  if (ownParts.length === 1) return isInstance(right, left);
  if (otherParts.length === 1) return isInstance(left, right);
  const [first, otherFirst] = [ownParts[0]!, otherParts[0]!];
  const [last, otherLast] = [ownParts.at(-1)!, otherParts.at(-1)!];
  const beginTogether = first.startsWith(otherFirst) || otherFirst.startsWith(first);
  return beginTogether && (last.endsWith(otherLast) || otherLast.endsWith(last));
}
