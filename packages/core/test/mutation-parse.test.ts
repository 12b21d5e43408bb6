import { describe, expect, it } from "vitest";
import { parseMutation, parseProductGraph } from "../src/mutation-parse.ts";
import { EMPTY_GRAPH, graphJson, objectOf } from "../src/product-graph.ts";

function issues(value: unknown, parse: (value: unknown, path: string[]) => unknown = parseMutation): unknown {
  const result = parse(value, ["m"]) as ReturnType<typeof parseMutation>;
  return result.ok ? [] : result.issues.map((issue) => [issue.code, issue.path.join("/")]);
}

const object = { id: "a", type: "doc", payload: { n: 1 }, links: [{ to: "b" }, { rel: "r", to: "b" }] };

describe("[D19.1] reading a mutation", () => {
  it("[D19.1] takes the three lists, each of which may be absent, as a copy in normal order", () => {
    expect(parseMutation({})).toEqual({ ok: true, value: { create: [], update: [], delete: [] } });
    const value = {
      create: [object],
      update: [{ id: "b" }, { id: "c", payload: {}, links: [] }],
      delete: ["d"],
    };
    const result = parseMutation(value);
    expect(result).toEqual({ ok: true, value });
    value.delete.push("e");
    expect(result.ok && result.value.delete).toEqual(["d"]);
    const ordered = parseMutation({ create: [{ ...object, payload: { b: 0, a: 0 } }] });
    expect(ordered.ok && Object.keys(ordered.value.create[0]?.payload ?? {})).toEqual(["a", "b"]);
  });

  it("[D19.1] GRAPH001 not JSON", () => {
    expect(issues({ create: [{ ...object, payload: { x: undefined } }] })).toEqual([
      ["GRAPH001", "m/create/0/payload/x"],
    ]);
    expect(issues(undefined)).toEqual([["GRAPH001", "m"]]);
  });

  it("[D19.1] GRAPH002 a member too few or too many", () => {
    for (const value of [null, [], "x", { created: [] }]) {
      expect(issues(value)).toEqual([["GRAPH002", "m"]]);
    }
    const { payload: _, ...withoutPayload } = object;
    for (const wrong of [withoutPayload, { ...object, x: 1 }, null, [object]]) {
      expect(issues({ create: [wrong] })).toEqual([["GRAPH002", "m/create/0"]]);
    }
    for (const wrong of [{}, { id: "a", type: "doc" }, "a"]) {
      expect(issues({ update: [wrong] })).toEqual([["GRAPH002", "m/update/0"]]);
    }
    for (const wrong of [{}, { rel: "r" }, { to: "b", x: 1 }, "b", { too: "b" }]) {
      expect(issues({ update: [{ id: "a", links: [wrong, wrong] }] })).toEqual([
        ["GRAPH002", "m/update/0/links/0"],
        ["GRAPH002", "m/update/0/links/1"],
        ...(typeof wrong === "object" && "to" in wrong ? [["GRAPH004", "m/update/0/links/1"]] : []),
      ]);
    }
    const result = parseMutation({ create: [0], update: [0] });
    expect(!result.ok && result.issues.map((issue) => issue.message)).toEqual([
      "Here stands an object with id, type, payload, links.",
      "Here stands an object with id; it may have payload, links.",
    ]);
    const none = parseMutation(0);
    expect(!none.ok && none.issues[0]?.message).toBe(
      "Here stands an object with no members; it may have create, update, delete.",
    );
  });

  it("[D19.1] GRAPH003 a member of the wrong type", () => {
    expect(issues({ create: {}, update: null, delete: "a" })).toEqual([
      ["GRAPH003", "m/create"],
      ["GRAPH003", "m/update"],
      ["GRAPH003", "m/delete"],
    ]);
    expect(issues({ create: [{ id: 1, type: "", payload: [], links: {} }] })).toEqual([
      ["GRAPH003", "m/create/0/id"],
      ["GRAPH003", "m/create/0/type"],
      ["GRAPH003", "m/create/0/payload"],
      ["GRAPH003", "m/create/0/links"],
    ]);
    expect(issues({ update: [{ id: "", payload: null, links: null }] })).toEqual([
      ["GRAPH003", "m/update/0/id"],
      ["GRAPH003", "m/update/0/payload"],
      ["GRAPH003", "m/update/0/links"],
    ]);
    expect(issues({ update: [{ id: "a", links: [{ to: 1 }, { to: "b", rel: "" }] }] })).toEqual([
      ["GRAPH003", "m/update/0/links/0/to"],
      ["GRAPH003", "m/update/0/links/1/rel"],
    ]);
    expect(issues({ delete: ["a", "", null] })).toEqual([
      ["GRAPH003", "m/delete/1"],
      ["GRAPH003", "m/delete/2"],
    ]);
  });

  it("[D19.1] says what should stand there", () => {
    const messages = (value: unknown): unknown => {
      const result = parseMutation(value);
      return result.ok ? [] : result.issues.map((issue) => `${issue.path.join("/")}: ${issue.message}`);
    };
    expect(messages({ create: 1, update: [{ id: 1, payload: 1 }], delete: ["a", "a"] })).toEqual([
      "create: Here stands a list.",
      "update/0/id: Here stands a text that is not empty.",
      "update/0/payload: Here stands an object.",
      "delete/1: This stands in the list before.",
    ]);
    expect(messages(undefined)).toEqual([": The value must be JSON: a value of type undefined is not JSON."]);
    const graph = parseProductGraph({ objects: 1 });
    expect(!graph.ok && graph.issues[0]?.path).toEqual(["objects"]);
  });

  it("[D19.1] GRAPH003 is said once for each place, also where the same wrong value stands twice", () => {
    expect(issues({ delete: [null, null, "", ""] })).toEqual([
      ["GRAPH003", "m/delete/0"],
      ["GRAPH003", "m/delete/1"],
      ["GRAPH003", "m/delete/2"],
      ["GRAPH003", "m/delete/3"],
      ["GRAPH004", "m/delete/3"],
    ]);
  });

  it("[D19.1] GRAPH004 an id or a link twice in one list", () => {
    expect(issues({ create: [object, { ...object, id: "b" }, object] })).toEqual([
      ["GRAPH004", "m/create/2"],
    ]);
    expect(issues({ update: [{ id: "a" }, { id: "a" }] })).toEqual([["GRAPH004", "m/update/1"]]);
    expect(issues({ delete: ["a", "b", "a", "a"] })).toEqual([
      ["GRAPH004", "m/delete/2"],
      ["GRAPH004", "m/delete/3"],
    ]);
    expect(issues({ create: [object], update: [{ id: "a" }], delete: ["a"] })).toEqual([]);
    expect(
      issues({
        update: [
          { id: "a", links: [{ to: "b" }, { to: "b", rel: "r" }, { rel: "r", to: "b" }, { to: "b" }] },
        ],
      }),
    ).toEqual([
      ["GRAPH004", "m/update/0/links/2"],
      ["GRAPH004", "m/update/0/links/3"],
    ]);
  });
});

describe("[D18.3] reading a graph", () => {
  it("[D18.3] takes the form of graphJson", () => {
    const result = parseProductGraph({ objects: [object] });
    expect(result.ok && objectOf(result.value, "a")).toEqual(object);
    expect(parseProductGraph(graphJson(EMPTY_GRAPH))).toEqual({ ok: true, value: EMPTY_GRAPH });
  });

  it("[D18.3] GRAPH001 GRAPH002 GRAPH003 GRAPH004 names everything that is wrong", () => {
    expect(issues({}, parseProductGraph)).toEqual([["GRAPH002", "m"]]);
    expect(issues({ objects: [], x: 1 }, parseProductGraph)).toEqual([["GRAPH002", "m"]]);
    expect(issues({ objects: {} }, parseProductGraph)).toEqual([["GRAPH003", "m/objects"]]);
    expect(issues(Number.NaN, parseProductGraph)).toEqual([["GRAPH001", "m"]]);
    expect(issues({ objects: [object, { ...object, id: 1 }, object] }, parseProductGraph)).toEqual([
      ["GRAPH003", "m/objects/1/id"],
      ["GRAPH004", "m/objects/2"],
    ]);
    const result = parseProductGraph(0);
    expect(!result.ok && result.issues[0]?.message).toBe("Here stands an object with objects.");
  });
});
