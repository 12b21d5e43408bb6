/** @module The name of a mutant that stays the same from run to run. */

/** Where it is and what it puts there. `file` is relative to the root, lines and columns count from 0. */
export function mutantKey(file, { location: { start, end }, mutatorName, replacement }) {
  const place = `${start.line}:${start.column}-${end.line}:${end.column}`;
  return `${file.replaceAll("\\", "/")} ${place} ${mutatorName} ${replacement}`;
}

/** The key of a mutant in a result, whose lines and columns count from 1. */
export function resultKey(file, result) {
  const back = ({ line, column }) => ({ line: line - 1, column: column - 1 });
  const { start, end } = result.location;
  return mutantKey(file, { ...result, location: { start: back(start), end: back(end) } });
}
