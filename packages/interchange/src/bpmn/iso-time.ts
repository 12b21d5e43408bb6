/** @module ISO 8601 times as they stand in timers: which kind a text is, judged by its form. */

const DURATION =
  /^P(?=\d|T\d)(?:\d+(?:[.,]\d+)?Y)?(?:\d+(?:[.,]\d+)?M)?(?:\d+(?:[.,]\d+)?W)?(?:\d+(?:[.,]\d+)?D)?(?:T(?=\d)(?:\d+(?:[.,]\d+)?H)?(?:\d+(?:[.,]\d+)?M)?(?:\d+(?:[.,]\d+)?S)?)?$/u;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}(?::\d{2}(?::\d{2}(?:[.,]\d+)?)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/u;

/** The longest text that can be a time; anything longer is none. */
const TEXT_MAX = 100;

/**
 * The kind of time that the text is by its form, null if it is none. A cycle needs a count, `R3/PT10S`, unless it may go on
 * without end: `R/PT10S`.
 */
export function isoKind(text: string, mayBeEndless = false): "date" | "duration" | "cycle" | null {
  if (text.length > TEXT_MAX) return null;
  if (DURATION.test(text)) return "duration";
  if (DATE.test(text)) return "date";
  const [head = "", ...parts] = text.split("/");
  const isEndless = mayBeEndless && head === "R";
  if (!(isEndless || /^R[1-9]\d{0,5}$/u.test(head)) || parts.length < 1 || parts.length > 2) return null;
  const kinds = parts.map((part) => (DURATION.test(part) ? "duration" : DATE.test(part) ? "date" : null));
  if (kinds.includes(null) || (isEndless && kinds[0] === "duration" && kinds.length === 2)) return null;
  return kinds.includes("duration") || kinds.length === 2 ? "cycle" : null;
}
