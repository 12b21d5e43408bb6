import { describe, expect, it } from "vitest";
import { JSON_LIMITS, type Json, type JsonObject } from "../src/json.ts";
import { applyPatch, EMPTY_PATCH, type Patch, type PatchOp } from "../src/patch.ts";
import { PATCH_LIMITS, parsePatch } from "../src/patch-parse.ts";

function patch(...ops: readonly PatchOp[]): Patch {
  return { version: 1, ops };
}

function applied(D: JsonObject, ...ops: readonly PatchOp[]): unknown {
  const result = applyPatch(D, patch(...ops));
  return result.ok ? result.value : result.issues.map((issue) => [issue.code, issue.path.join("/")]);
}

function nested(depth: number): Json {
  let value: Json = 0;
  for (let i = 0; i < depth; i += 1) {
    value = { a: value };
  }
  return value;
}

const D: JsonObject = { a: { b: [10, 20, 30], c: null }, t: "text" };
const withList: JsonObject = { ...D, l: [{}] };

describe("[D4.11] application of a patch", () => {
  it.each<readonly [string, PatchOp, unknown]>([
    ["set a key", { kind: "set", path: ["t"], value: 1 }, { a: D["a"], t: 1 }],
    ["set a new key", { kind: "set", path: ["n"], value: [] }, { ...D, n: [] }],
    [
      "set a nested key",
      { kind: "set", path: ["a", "c"], value: {} },
      { a: { b: [10, 20, 30], c: {} }, t: "text" },
    ],
    [
      "set the first member",
      { kind: "set", path: ["a", "b", 0], value: 1 },
      { a: { b: [1, 20, 30], c: null }, t: "text" },
    ],
    [
      "set the last member",
      { kind: "set", path: ["a", "b", 2], value: 1 },
      { a: { b: [10, 20, 1], c: null }, t: "text" },
    ],
    ["unset", { kind: "unset", path: ["a"] }, { t: "text" }],
    ["unset a nested key", { kind: "unset", path: ["a", "b"] }, { a: { c: null }, t: "text" }],
    ["insert at the start", splice(0, 0, [1, 2]), { a: { b: [1, 2, 10, 20, 30], c: null }, t: "text" }],
    ["insert at the end", splice(3, 0, [1]), { a: { b: [10, 20, 30, 1], c: null }, t: "text" }],
    ["remove all", splice(0, 3, []), { a: { b: [], c: null }, t: "text" }],
    ["replace in the middle", splice(1, 1, [1, 2]), { a: { b: [10, 1, 2, 30], c: null }, t: "text" }],
    ["nothing", splice(1, 0, []), D],
  ])("[D4.11] %s", (_, op, expected) => {
    expect(applied(D, op)).toEqual(expected);
  });

  function splice(index: number, remove: number, insert: readonly Json[]): PatchOp {
    return { kind: "splice", path: ["a", "b"], index, remove, insert };
  }

  it("[D4.11] operations see the result of those before them", () => {
    expect(
      applied(
        { list: [1] },
        { kind: "set", path: ["m"], value: {} },
        { kind: "set", path: ["m", "x"], value: [0] },
        { kind: "splice", path: ["m", "x"], index: 1, remove: 0, insert: [{}] },
        { kind: "set", path: ["m", "x", 1, "y"], value: 5 },
        { kind: "splice", path: ["list"], index: 0, remove: 1, insert: [] },
        { kind: "unset", path: ["m", "x", 1, "y"] },
      ),
    ).toEqual({ list: [], m: { x: [0, {}] } });
  });

  it("[D4.11] an empty patch gives the data themselves", () => {
    expect(applyPatch(D, EMPTY_PATCH)).toEqual({ ok: true, value: D });
    const result = applyPatch(D, EMPTY_PATCH);
    expect(result.ok && result.value).toBe(D);
  });

  it("[D4.11] takes more members than a call takes arguments", () => {
    const insert = Array.from({ length: 300_000 }, (_, i) => i);
    const result = applyPatch(
      { list: [-1, -2] },
      patch({ kind: "splice", path: ["list"], index: 1, remove: 1, insert }),
    );
    expect(result.ok && (result.value["list"] as readonly Json[]).length).toBe(300_001);
  });

  it.each<readonly [string, PatchOp]>([
    ["a member of nothing", { kind: "set", path: ["x", "y"], value: 1 }],
    ["a member of a text", { kind: "set", path: ["t", "y"], value: 1 }],
    ["a member of null", { kind: "set", path: ["a", "c", "d"], value: 1 }],
    ["a key of an array", { kind: "set", path: ["a", "b", "0"], value: 1 }],
    ["an index of an object", { kind: "set", path: ["a", 0], value: 1 }],
    ["an index of D", { kind: "set", path: [0], value: 1 }],
    ["a key below an array", { kind: "set", path: ["a", "b", "0", "x"], value: 1 }],
    ["an index below an object", { kind: "set", path: ["a", 0, "x"], value: 1 }],
    ["a key below an array of objects", { kind: "set", path: ["l", "0", "x"], value: 1 }],
    ["two levels of nothing", { kind: "set", path: ["x", "y", "z"], value: 1 }],
    ["a member outside the array", { kind: "set", path: ["a", "b", 3, "x"], value: 1 }],
    ["an inherited member", { kind: "set", path: ["toString", "x"], value: 1 }],
    ["D itself", { kind: "set", path: [], value: {} }],
    ["unset of a missing key", { kind: "unset", path: ["a", "x"] }],
    ["unset of an inherited key", { kind: "unset", path: ["toString"] }],
    ["unset of a member of an array", { kind: "unset", path: ["a", "b", 0] }],
    ["unset with an index", { kind: "unset", path: ["a", 0] }],
    ["unset with a key of an array", { kind: "unset", path: ["a", "b", "0"] }],
    ["unset in a missing object", { kind: "unset", path: ["x", "y"] }],
    ["splice of an object", { kind: "splice", path: ["a"], index: 0, remove: 0, insert: [] }],
    ["splice of D", { kind: "splice", path: [], index: 0, remove: 0, insert: [] }],
    ["splice of nothing", { kind: "splice", path: ["x"], index: 0, remove: 0, insert: [] }],
  ])("[D4.11] PATCH101 no such place: %s", (_, op) => {
    expect(applied(withList, op)).toEqual([["PATCH101", "ops/0/path"]]);
    const result = applyPatch(withList, patch(op));
    expect(!result.ok && result.issues[0]).toMatchObject({
      message: "The data have no such place.",
      facts: { place: op.path },
    });
  });

  it.each<readonly [PatchOp, number]>([
    [{ kind: "set", path: ["a", "b", 3], value: 1 }, 3],
    [{ kind: "set", path: ["a", "b", -1], value: 1 }, -1],
    [{ kind: "set", path: ["a", "b", 0.5], value: 1 }, 0.5],
    [{ kind: "splice", path: ["a", "b"], index: 4, remove: 0, insert: [] }, 4],
    [{ kind: "splice", path: ["a", "b"], index: 2, remove: 2, insert: [] }, 4],
    [{ kind: "splice", path: ["a", "b"], index: -1, remove: 0, insert: [] }, -1],
    [{ kind: "splice", path: ["a", "b"], index: 3, remove: -1, insert: [] }, 2],
    [{ kind: "splice", path: ["a", "b"], index: 0, remove: 0.5, insert: [] }, 0.5],
  ])("[D4.11] PATCH102 outside the array: %j", (op, index) => {
    expect(applied(D, op)).toEqual([["PATCH102", "ops/0/path"]]);
    const result = applyPatch(D, patch(op));
    expect(!result.ok && result.issues[0]).toMatchObject({
      message: "The array has only 3 members.",
      facts: { index, length: 3 },
    });
  });

  it("[D4.11] PATCH103 nests no deeper than the limit, which is included", () => {
    const most = JSON_LIMITS.depthMax;
    const list = { list: [] };
    const set = (depth: number): PatchOp => ({ kind: "set", path: ["list"], value: nested(depth) });
    const insert = (depth: number): PatchOp => ({
      kind: "splice",
      path: ["list"],
      index: 0,
      remove: 0,
      insert: [0, nested(depth)],
    });
    expect(applied(list, set(most - 1))).toHaveProperty("list.a");
    expect(applied(list, set(most))).toEqual([["PATCH103", "ops/0/path"]]);
    expect(applied(list, insert(most - 2))).toHaveProperty("list.1.a");
    expect(applied(list, insert(most - 1))).toEqual([["PATCH103", "ops/0/path"]]);
    const result = applyPatch(list, patch(set(most)));
    expect(!result.ok && result.issues[0]).toMatchObject({
      message: "Data are at most 200 deep.",
      facts: { depthMax: most },
    });
  });

  it("[D4.11] DATA003 refuses __proto__ in a path, and takes constructor and prototype as names", () => {
    expect(applied(D, { kind: "set", path: ["__proto__", "x"], value: 1 })).toEqual([
      ["DATA003", "ops/0/path"],
    ]);
    expect(applied(D, { kind: "unset", path: ["__proto__"] })).toEqual([["DATA003", "ops/0/path"]]);
    expect(applied(D, { kind: "set", path: ["a", "__proto__"], value: {} })).toEqual([
      ["DATA003", "ops/0/path"],
    ]);
    expect(applied({}, { kind: "set", path: ["constructor"], value: { prototype: { x: 1 } } })).toEqual({
      constructor: { prototype: { x: 1 } },
    });
    expect(applied({}, { kind: "set", path: ["constructor", "prototype"], value: 1 })).toEqual([
      ["PATCH101", "ops/0/path"],
    ]);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it("[D4.11] keeps a key __proto__ inside values, touched or not", () => {
    const data = JSON.parse('{"a":{"__proto__":{"x":1},"b":0}}') as JsonObject;
    expect(JSON.stringify(applied(data, { kind: "set", path: ["a", "b"], value: data["a"] as Json }))).toBe(
      '{"a":{"__proto__":{"x":1},"b":{"__proto__":{"x":1},"b":0}}}',
    );
  });

  it("[D4.11] names the issues of all operations, each with its index", () => {
    expect(
      applied(
        D,
        { kind: "unset", path: ["x"] },
        { kind: "set", path: ["t"], value: 1 },
        { kind: "set", path: ["a", "b", 9], value: 1 },
        { kind: "unset", path: ["t"] },
      ),
    ).toEqual([
      ["PATCH101", "ops/0/path"],
      ["PATCH102", "ops/2/path"],
    ]);
  });
});

describe("[D4.10] reading a patch", () => {
  function codes(value: unknown, limits = PATCH_LIMITS): unknown {
    const result = parsePatch(value, ["p"], limits);
    return result.ok ? [] : result.issues.map((issue) => [issue.code, issue.path.join("/")]);
  }

  const set = { kind: "set", path: ["a", 0, ""], value: null };
  const unset = { kind: "unset", path: ["a"] };
  const splice = { kind: "splice", path: ["a"], index: 0, remove: 1, insert: [[]] };

  it("[D4.10] takes the three kinds, as a copy in normal order", () => {
    const value = { version: 1, ops: [set, unset, { ...splice, insert: [{ b: 0, a: 0 }] }] };
    const result = parsePatch(value);
    expect(result).toEqual({ ok: true, value });
    expect(JSON.stringify(result.ok && result.value.ops[2])).toContain('[{"a":0,"b":0}]');
    value.ops.length = 0;
    expect(result.ok && result.value.ops).toHaveLength(3);
    expect(parsePatch(EMPTY_PATCH)).toEqual({ ok: true, value: EMPTY_PATCH });
  });

  it("[D4.10] PATCH001 not JSON, or not of this form", () => {
    expect(codes({ version: 1, ops: [{ ...set, value: undefined }] })).toEqual([
      ["PATCH001", "p/ops/0/value"],
    ]);
    for (const value of [
      null,
      [],
      "x",
      {},
      { version: 1 },
      { ops: [] },
      { version: 1, ops: {} },
      { version: 1, ops: [], x: 0 },
    ]) {
      expect(codes(value)).toEqual([["PATCH001", "p"]]);
    }
    const result = parsePatch(undefined);
    expect(!result.ok && result.issues[0]?.message).toBe(
      "A patch must be JSON: a value of type undefined is not JSON.",
    );
  });

  it("[D4.10] PATCH002 another version", () => {
    for (const version of [0, 2, "1", null]) {
      expect(codes({ version, ops: [] })).toEqual([["PATCH002", "p/version"]]);
    }
  });

  it("[D4.10] PATCH003 a wrong operation", () => {
    const wrong = [
      null,
      [],
      {},
      { kind: "move", path: ["a"] },
      { kind: 1, path: ["a"] },
      { kind: "set", path: ["a"] },
      { kind: "unset", path: ["a"], value: 1 },
      { kind: "splice", path: ["a"], index: 0, remove: 0 },
      { path: ["a"], value: 1 },
    ];
    for (const op of wrong) {
      expect(codes({ version: 1, ops: [op] })).toEqual([["PATCH003", "p/ops/0"]]);
    }
    for (const path of [[], "a", null, [0], [0, "a"], ["a", -1], ["a", 0.5], ["a", null], ["a", 2 ** 53]]) {
      expect(codes({ version: 1, ops: [{ ...unset, path }] })).toEqual([["PATCH003", "p/ops/0/path"]]);
    }
    expect(
      codes({ version: 1, ops: [set, { ...splice, path: [], index: -1, remove: "1", insert: {} }] }),
    ).toEqual([
      ["PATCH003", "p/ops/1/path"],
      ["PATCH003", "p/ops/1/index"],
      ["PATCH003", "p/ops/1/remove"],
      ["PATCH003", "p/ops/1/insert"],
    ]);
    const result = parsePatch({ version: 1, ops: [0] });
    expect(!result.ok && result.issues[0]?.message).toBe(
      "An operation is of kind set, unset or splice, with the members kind, path, value; kind, path; index, insert, kind, path, remove.",
    );
  });

  it("[D4.10] DATA003 the key __proto__ in a path, not in a value", () => {
    const value = JSON.parse('{"__proto__":1}') as Json;
    expect(codes({ version: 1, ops: [{ ...set, value }] })).toEqual([]);
    for (const path of [["__proto__"], ["a", "__proto__"]]) {
      expect(codes({ version: 1, ops: [{ ...set, path }] })).toEqual([["DATA003", "p/ops/0/path"]]);
    }
  });

  it("[D4.10] PATCH004 above a limit, which is included", () => {
    const value = { version: 1, ops: [unset, unset] };
    const bytes = JSON.stringify(value).length;
    expect(codes(value, { bytesMax: bytes, opsMax: 2 })).toEqual([]);
    expect(codes(value, { bytesMax: bytes - 1, opsMax: 2 })).toEqual([["PATCH004", "p"]]);
    expect(codes(value, { bytesMax: bytes, opsMax: 1 })).toEqual([["PATCH004", "p"]]);
    const result = parsePatch(value, [], { bytesMax: 1, opsMax: 1 });
    expect(!result.ok && result.issues.map((issue) => issue.facts)).toEqual([
      { ops: 2, opsMax: 1 },
      { bytesMax: 1 },
    ]);
    expect(PATCH_LIMITS).toEqual({ bytesMax: 2 ** 24, opsMax: 100_000 });
  });

  it("[D4.10] says what should stand there", () => {
    const messages = (value: unknown, limits = PATCH_LIMITS): unknown => {
      const result = parsePatch(value, [], limits);
      return result.ok ? [] : result.issues.map((issue) => `${issue.path.join("/")}: ${issue.message}`);
    };
    expect(messages(0)).toEqual([": A patch is an object with the members version and ops, a list."]);
    expect(
      messages(
        { version: 0, ops: [{ ...splice, path: [], index: -1, insert: 0 }] },
        { bytesMax: 1, opsMax: 0 },
      ),
    ).toEqual([
      "version: The version of the patch must be 1.",
      "ops/0/path: A path is a list of keys and indices that starts with a key.",
      "ops/0/index: Here stands a whole number from 0 on.",
      "ops/0/insert: Here stands the list of the new members.",
      ": A patch has at most 0 operations.",
      ": A patch takes at most 1 bytes.",
    ]);
    const result = parsePatch({ version: 0, ops: [] });
    expect(!result.ok && result.issues[0]?.path).toEqual(["version"]);
  });

  it("[D4.10] names all issues at once", () => {
    expect(
      codes({ version: 3, ops: [0, unset, { ...unset, path: [] }] }, { bytesMax: 0, opsMax: 9 }),
    ).toEqual([
      ["PATCH002", "p/version"],
      ["PATCH003", "p/ops/0"],
      ["PATCH003", "p/ops/2/path"],
      ["PATCH004", "p"],
    ]);
  });
});
