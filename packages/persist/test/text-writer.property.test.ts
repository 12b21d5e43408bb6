/** Laws of the writer of texts. Oracle: the same text put together by the platform, and its UTF-8 form. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  putBytes,
  putCharacter,
  putInteger,
  putString,
  putText,
  restart,
  type TextWriter,
  textWriter,
  writtenBytes,
  writtenText,
} from "../src/text-writer.ts";

type Piece =
  | { readonly kind: "string" | "text"; readonly text: string }
  | { readonly kind: "integer"; readonly value: number };

/** Around the powers of ten, where the number of digits changes, and where the two parts of a number meet. */
const integers = fc.oneof(
  fc
    .integer({ min: 0, max: 15 })
    .chain((power) => fc.integer({ min: -2, max: 2 }).map((by) => 10 ** power + by)),
  fc.maxSafeInteger(),
  fc.constant(-0),
);
const texts = fc.oneof(
  fc.string({ maxLength: 100 }),
  fc.string({ unit: "binary", maxLength: 100 }),
  fc.constantFrom('"', "\\", "\u007f", "\u0080", "a".repeat(80), "a".repeat(81), "é".repeat(2_000)),
);
const pieces: fc.Arbitrary<readonly Piece[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom("string" as const, "text" as const), text: texts }),
    fc.record({ kind: fc.constant("integer" as const), value: integers }),
  ),
  { maxLength: 60 },
);

function literally(all: readonly Piece[]): string {
  return all
    .map((piece) => {
      if (piece.kind === "integer") return String(piece.value);
      return piece.kind === "text" ? piece.text : JSON.stringify(piece.text);
    })
    .join("");
}

function put(writer: TextWriter, piece: Piece): void {
  if (piece.kind === "integer") putInteger(writer, piece.value);
  else if (piece.kind === "text") putText(writer, piece.text);
  else putString(writer, piece.text);
}

type Write = (writer: TextWriter, piece: Piece) => void;

function isWritten(write: Write): void {
  const writer = textWriter();
  fc.assert(
    fc.property(pieces, (all) => {
      restart(writer);
      for (const piece of all) write(writer, piece);
      expect(writtenText(writer)).toBe(literally(all));
      expect(Array.from(writtenBytes(writer))).toEqual(Array.from(Buffer.from(literally(all))));
    }),
    { numRuns: 300 },
  );
}

describe("the writer of texts", () => {
  it("[D10.1] writes texts, strings and integers as the platform does, whatever came before", () => {
    isWritten(put);
  });

  it("[D10.1] the law notices one that escapes nothing, and one that drops the sign", () => {
    const plain: Write = (writer, piece) =>
      piece.kind === "string" ? putText(writer, `"${piece.text}"`) : put(writer, piece);
    const unsigned: Write = (writer, piece) =>
      put(writer, piece.kind === "integer" ? { ...piece, value: Math.abs(piece.value) } : piece);
    for (const broken of [plain, unsigned]) expect(() => isWritten(broken)).toThrow("Property failed");
  });

  it("[D10.1] writes characters and parts of tables, and grows when it must", () => {
    const writer = textWriter();
    const table = Buffer.from("abcdef");
    for (let at = 0; at < 1_000; at += 1) {
      putCharacter(writer, 0x2c);
      putBytes(writer, table, 1, 4);
    }
    expect(writtenText(writer)).toBe(",bcd".repeat(1_000));
  });

  it("[D10.1] what was written stays when the writer begins anew, and a large one gives its room back", () => {
    const writer = textWriter();
    putText(writer, "x".repeat(100_000));
    const before = writtenBytes(writer);
    restart(writer);
    expect(writer.bytes.length).toBeLessThan(100_000);
    putText(writer, "y");
    expect(writtenText(writer)).toBe("y");
    expect(Buffer.from(before).toString()).toBe("x".repeat(100_000));
  });
});
