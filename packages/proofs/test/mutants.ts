/** @module Values that differ from a given one in one place, for tests of checkers. */
import type { Json } from "@tessera/core";

/** What texts are changed to, besides: words that the form knows. */
const WORDS = [
  "O1",
  "O2",
  "O3",
  "O4",
  "deadlock",
  "bounded",
  "sound",
  "holds",
  "fails",
  "compact",
  "enumerated",
  "second-token",
  "unsafe",
  "post",
  "pre",
  "data-run",
  "data-dead",
  "gap",
  "stuck",
  "no-completion",
  "O5",
  "O7",
];

/** Every value that differs from `value` in one place: fields and items left out, doubled, swapped; numbers and texts changed. */
export function* mutants(value: Json): Generator<Json> {
  if (typeof value === "number") {
    yield value + 1;
    if (value > 0) yield value - 1;
    yield -value - 1;
    yield 0.5;
  } else if (typeof value === "string") {
    yield `${value}x`;
    for (const other of WORDS) if (other !== value) yield other;
  } else if (value === null) yield 1;
  else if (Array.isArray(value)) {
    const list = value as readonly Json[];
    yield [];
    for (const [index, item] of list.entries()) {
      yield list.toSpliced(index, 1);
      yield list.toSpliced(index, 0, item);
      for (const changed of mutants(item)) yield list.with(index, changed);
    }
    yield list.toReversed();
  } else if (typeof value === "object") {
    const record = value as Readonly<Record<string, Json>>;
    yield { ...record, unknown: 1 };
    for (const [key, item] of Object.entries(record)) {
      const { [key]: _, ...rest } = record;
      yield rest;
      for (const changed of mutants(item)) yield { ...record, [key]: changed };
    }
  }
}
