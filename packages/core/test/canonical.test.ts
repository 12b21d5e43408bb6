import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../src/canonical.ts";
import { contentHash, isHash, sha256Hex } from "../src/hash.ts";
import { InvariantViolation } from "../src/invariant.ts";
import { type Json, jsonEqual } from "../src/json.ts";
import { json, reversedCopy, smallJson, text } from "./json-arbitrary.ts";

/** Numbers of RFC 8785, appendix B: the bits of the double, and how it is written. */
const NUMBERS: readonly (readonly [bigint, string])[] = [
  [0x0000000000000000n, "0"],
  [0x8000000000000000n, "0"],
  [0x0000000000000001n, "5e-324"],
  [0x8000000000000001n, "-5e-324"],
  [0x7fefffffffffffffn, "1.7976931348623157e+308"],
  [0xffefffffffffffffn, "-1.7976931348623157e+308"],
  [0x4340000000000000n, "9007199254740992"],
  [0xc340000000000000n, "-9007199254740992"],
  [0x4430000000000000n, "295147905179352830000"],
  [0x44b52d02c7e14af5n, "9.999999999999997e+22"],
  [0x44b52d02c7e14af6n, "1e+23"],
  [0x44b52d02c7e14af7n, "1.0000000000000001e+23"],
  [0x444b1ae4d6e2ef4en, "999999999999999700000"],
  [0x444b1ae4d6e2ef4fn, "999999999999999900000"],
  [0x444b1ae4d6e2ef50n, "1e+21"],
  [0x3eb0c6f7a0b5ed8cn, "9.999999999999997e-7"],
  [0x3eb0c6f7a0b5ed8dn, "0.000001"],
  [0x41b3de4355555553n, "333333333.3333332"],
  [0x41b3de4355555554n, "333333333.33333325"],
  [0x41b3de4355555555n, "333333333.3333333"],
  [0x41b3de4355555556n, "333333333.3333334"],
  [0x41b3de4355555557n, "333333333.33333343"],
  [0xbecbf647612f3696n, "-0.0000033333333333333333"],
  [0x43143ff3c1cb0959n, "1424953923781206.2"],
];

function doubleOf(bits: bigint): number {
  return new DataView(new BigUint64Array([bits]).buffer).getFloat64(0, true);
}

/** Law: the text is that of the reference implementation, and it is the same text exactly for equal values. */
function canonicalLaw(write: (value: Json) => string): void {
  fc.assert(
    fc.property(json, (value) => {
      expect(write(value)).toBe(canonicalize(value));
      expect(write(reversedCopy(value))).toBe(write(value));
      expect(jsonEqual(JSON.parse(write(value)) as Json, value)).toBe(true);
    }),
    { numRuns: 300 },
  );
  fc.assert(
    fc.property(smallJson, smallJson, (a, b) => {
      expect(write(a) === write(b)).toBe(jsonEqual(a, b));
    }),
    { numRuns: 300 },
  );
}

describe("[D4.3] canonical form", () => {
  it("[D4.3] [L4.1] agrees with the reference implementation, and tells equal from different", () => {
    canonicalLaw(canonicalJson);
  });

  it("[D4.3] [L4.1] the law finds wrong implementations", () => {
    const byCodePoint = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const sorted = (value: Json, order?: (a: string, b: string) => number): Json =>
      typeof value !== "object" || value === null
        ? value
        : Array.isArray(value)
          ? value.map((member) => sorted(member, order))
          : Object.fromEntries(
              Object.entries(value)
                .sort(([a], [b]) => (order === undefined ? 0 : order(a, b)))
                .map(([key, member]) => [key, sorted(member, order)]),
            );
    expect(() => canonicalLaw((value) => JSON.stringify(value))).toThrow();
    expect(() => canonicalLaw((value) => JSON.stringify(sorted(value, byCodePoint)))).toThrow();
    expect(() => canonicalLaw((value) => JSON.stringify(value, undefined, 1))).toThrow();
  });

  it("[D4.3] writes the example of RFC 8785, section 3.2.2", () => {
    const value: Json = {
      // biome-ignore lint/correctness/noPrecisionLoss: the number of the example.
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it("[D4.3] sorts keys by code units, as in RFC 8785, section 3.2.3", () => {
    const keys = ["\u20ac", "\r", "\ufb33", "1", "\u{1f600}", "\u0080", "\u00f6"];
    const written = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
    expect(Object.keys(JSON.parse(written) as object)).toEqual([
      "1",
      "\r",
      "\u0080",
      "\u00f6",
      "\u20ac",
      "\u{1f600}",
      "\ufb33",
    ]);
    expect(written.startsWith('{"\\r":0,"1":0,')).toBe(true);
  });

  it("[D4.3] writes the numbers of RFC 8785, appendix B", () => {
    expect(NUMBERS.map(([bits]) => canonicalJson(doubleOf(bits)))).toEqual(
      NUMBERS.map(([, written]) => written),
    );
  });

  it("[D4.3] escapes no more than it must", () => {
    expect(canonicalJson('\b\t\n\v\f\r\u0000\u001f\u007f\u2028 "\\/é\u{1f600}')).toBe(
      '"\\b\\t\\n\\u000b\\f\\r\\u0000\\u001f\u007f\u2028 \\"\\\\/é\u{1f600}"',
    );
  });

  it("[D4.3] [D4.1] stops at what is not JSON", () => {
    const deep = (depth: number): Json => {
      let value: Json = 0;
      for (let i = 0; i < depth; i += 1) {
        value = { a: value };
      }
      return value;
    };
    const cyclic: Json[] = [];
    cyclic.push(cyclic);
    const violations: readonly (readonly [Json, object])[] = [
      [Number.NaN, { number: "NaN" }],
      [Number.NEGATIVE_INFINITY, { number: "-Infinity" }],
      ["a\ud800", { length: 2 }],
      [{ "\udc00": 0 }, { length: 1 }],
      [cyclic, { depthMax: 1_000 }],
      [deep(1_001), { depthMax: 1_000 }],
    ];
    for (const [value, facts] of violations) {
      expect(() => canonicalJson(value)).toThrow(InvariantViolation);
      expect(() => canonicalJson(value)).toThrow(expect.objectContaining({ id: "D4.1", facts }));
    }
    expect(canonicalJson(deep(1_000))).toHaveLength(6_001);
  });
});

describe("[D4.4] content hash", () => {
  it("[D4.4] is SHA-256 of the canonical form in UTF-8", () => {
    fc.assert(
      fc.property(json, (value) => {
        const digest = createHash("sha256")
          .update(canonicalize(value) as string, "utf8")
          .digest("hex");
        expect(contentHash(value)).toBe(`sha256:${digest}`);
        expect(isHash(contentHash(value))).toBe(true);
      }),
    );
    expect(contentHash({ b: -0, a: "é" })).toBe(contentHash({ a: "é", b: 0 }));
  });

  it("[D4.4] the vectors of FIPS 180-4", () => {
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(sha256Hex(new Uint8Array())).toBe(
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
  });

  it("[D4.4] hashes text as its UTF-8, and bytes as they are", () => {
    fc.assert(
      fc.property(text, (sample) => {
        const digest = createHash("sha256").update(sample, "utf8").digest("hex");
        expect(sha256Hex(sample)).toBe(digest);
        expect(sha256Hex(new Uint8Array(Buffer.from(sample, "utf8")))).toBe(digest);
      }),
    );
    expect(() => sha256Hex("a\ud800")).toThrow(InvariantViolation);
    expect(() => sha256Hex("a\ud800")).toThrow(expect.objectContaining({ id: "D4.1", facts: { length: 2 } }));
  });

  it("[D4.4] knows the form of a hash", () => {
    const hash = contentHash(null);
    expect(
      [
        hash,
        hash.toUpperCase(),
        hash.slice(1),
        `${hash}0`,
        hash.slice(0, -1),
        ` ${hash}`,
        `${hash}\n`,
        1,
        undefined,
        [hash],
      ].map(isHash),
    ).toEqual([true, ...Array(9).fill(false)]);
  });
});
