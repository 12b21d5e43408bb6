/** @module UTF-8 of well-formed UTF-16 strings, without the platform's encoder. */

/**
 * Does `text` hold no lone surrogate? Only such strings have a UTF-8 form (RFC 8785, section 3.2.2.2).
 * Cost: linear in the length.
 */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** The number of bytes of the UTF-8 form of `text`, which must be well-formed. Cost: linear, nothing is built. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    // Both units of a pair count 2: together the 4 bytes of their code point.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || isSurrogate(unit) ? 2 : 3;
  }
  return bytes;
}

/** The UTF-8 form of `text`, which must be well-formed. */
export function utf8Encode(text: string): Uint8Array {
  const bytes = new Uint8Array(utf8Length(text));
  let at = 0;
  for (const character of text) {
    const point = character.codePointAt(0) as number;
    if (point < 0x80) {
      bytes[at] = point;
      at += 1;
    } else if (point < 0x800) {
      bytes[at] = 0xc0 | (point >> 6);
      bytes[at + 1] = tail(point);
      at += 2;
    } else if (point < 0x10000) {
      bytes[at] = 0xe0 | (point >> 12);
      bytes[at + 1] = tail(point >> 6);
      bytes[at + 2] = tail(point);
      at += 3;
    } else {
      bytes[at] = 0xf0 | (point >> 18);
      bytes[at + 1] = tail(point >> 12);
      bytes[at + 2] = tail(point >> 6);
      bytes[at + 3] = tail(point);
      at += 4;
    }
  }
  return bytes;
}

/** A continuation byte: the low six bits of `bits` under the mark 10. */
function tail(bits: number): number {
  return 0x80 | (bits & 0x3f);
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
