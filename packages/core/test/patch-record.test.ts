// biome-ignore-all lint/suspicious/noExplicitAny: data of any shape are edited and read here.
import { describe, expect, it } from "vitest";
import { type Json, type JsonObject, jsonBytes } from "../src/json.ts";
import { recordPatch } from "../src/patch-record.ts";

type Loose = Record<string, any>;

function codes(recipe: (draft: Loose) => unknown, D: JsonObject = { a: { b: 1 }, list: [1, 2] }): unknown {
  const result = recordPatch(D, recipe as (draft: Loose) => undefined);
  return result.ok
    ? result.value.patch.ops
    : result.issues.map((issue) => [issue.code, issue.path.join("/")]);
}

describe("[D4.13] recorded patch", () => {
  it("[D4.13] records what the recipe did", () => {
    const D = { a: { b: 1 }, list: [1, 2] };
    const result = recordPatch(D, (draft) => {
      draft.a.b = 2;
      draft.list.push(3);
    });
    expect(result).toEqual({
      ok: true,
      value: {
        next: { a: { b: 2 }, list: [1, 2, 3] },
        patch: {
          version: 1,
          ops: [
            { kind: "set", path: ["a", "b"], value: 2 },
            { kind: "set", path: ["list"], value: [1, 2, 3] },
          ],
        },
      },
    });
    expect(D).toEqual({ a: { b: 1 }, list: [1, 2] });
  });

  it("[D4.13] a recipe that does nothing gives the data themselves", () => {
    const D = { a: [1] };
    const result = recordPatch(D, (draft) => {
      draft.a[0] = 1;
    });
    expect(result.ok && result.value.next).toBe(D);
    expect(result.ok && result.value.patch.ops).toEqual([]);
  });

  it("[D4.13] takes what the recipe returns instead", () => {
    expect(codes(() => ({ a: { b: 1 } }))).toEqual([{ kind: "unset", path: ["list"] }]);
  });

  it("[D4.13] keeps nothing that the recipe could change later, and leaves it unfrozen", () => {
    const mine = { x: [1] };
    const D: JsonObject = { kept: { deep: [] } };
    const result = recordPatch(D, (draft) => {
      (draft as Loose)["mine"] = mine;
    });
    mine.x.push(2);
    expect(result.ok && result.value.next).toEqual({ kept: { deep: [] }, mine: { x: [1] } });
    expect(result.ok && result.value.patch.ops).toEqual([{ kind: "set", path: ["mine"], value: { x: [1] } }]);
    expect([mine, mine.x, D, D["kept"]].some(Object.isFrozen)).toBe(false);
  });

  it("[D4.13] does not read what the recipe did not touch", () => {
    let readCount = 0;
    const count = (target: object): (string | symbol)[] => {
      readCount += 1;
      return Reflect.ownKeys(target);
    };
    const untouched = new Proxy({ note: "x".repeat(100) }, { ownKeys: count }) as unknown as JsonObject;
    const rows = Array.from({ length: 200 }, () => ({ untouched }));
    const D: Loose = { untouched, rows };
    const result = recordPatch(D, (draft) => {
      draft["x"] = 1;
      draft["rows"].unshift(2);
      draft["rows"].push(3);
    });
    expect(result.ok && result.value.patch.ops).toHaveLength(3);
    expect(result.ok && (result.value.next as Loose)["untouched"]).toBe(untouched);
    expect(result.ok && (result.value.next as Loose)["rows"][200]).toBe(rows[199]);
    expect(readCount).toBeLessThan(30);
  });

  it("[D4.13] a one-key patch costs the same whatever the data hold", () => {
    const large: Json[] = Array.from({ length: 5_000 }, (_, i) => ({ id: i, note: "x".repeat(100) }));
    const bytes = [{ large }, { large: [] }].map((D) => {
      const result = recordPatch(D as Loose, (draft) => {
        draft["x"] = 1;
      });
      return result.ok && jsonBytes(result.value.patch as unknown as Json);
    });
    expect(bytes[0]).toBe(bytes[1]);
  });

  it("[D4.13] DATA001 it returned something else than data", () => {
    expect(codes(() => [1])).toEqual([["DATA001", ""]]);
    expect(codes(() => 5)).toEqual([["DATA001", ""]]);
  });

  it("[D4.13] DATA002 it left something that is not JSON", () => {
    expect(
      codes((draft) => {
        draft["a"].b = undefined;
      }),
    ).toEqual([["DATA002", "a/b"]]);
    expect(codes((draft) => void draft["list"].push(new Date(0), Number.NaN))).toEqual([
      ["DATA002", "list/2"],
      ["DATA002", "list/3"],
    ]);
    expect(codes((draft) => void delete draft["list"][0])).toEqual([["DATA002", "list/0"]]);
    expect(
      codes((draft) => {
        draft["m"] = new Map();
      }),
    ).toEqual([["DATA002", "m"]]);
    expect(codes(() => Promise.resolve())).toEqual([["DATA002", ""]]);
  });

  it("[D4.13] DATA003 it made a key __proto__ of D", () => {
    expect(codes(() => JSON.parse('{"__proto__":1}'))).toEqual([["DATA003", "__proto__"]]);
  });

  it("[D4.13] keeps a key __proto__ inside values", () => {
    const D = JSON.parse('{"a":{"__proto__":{"x":1},"k":1}}') as Loose;
    const result = recordPatch(D, (draft) => {
      draft["a"].k = 2;
    });
    expect(result.ok && JSON.stringify(result.value.next)).toBe('{"a":{"__proto__":{"x":1},"k":2}}');
  });

  it("[D4.13] PATCH004 above a limit", () => {
    const D: Loose = { x: 0 };
    const result = recordPatch(
      D,
      (draft) => {
        draft["x"] = "long";
      },
      { bytesMax: 10, opsMax: 1 },
    );
    expect(!result.ok && result.issues.map(({ code, path }) => [code, path])).toEqual([["PATCH004", []]]);
  });

  it("[D4.13] passes a throw of the recipe on", () => {
    expect(() => codes(() => fail())).toThrow("boom");
    function fail(): never {
      throw new Error("boom");
    }
  });
});
