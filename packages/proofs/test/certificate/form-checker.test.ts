/** @module The form of certificates: shapes, what a file shares, and which files are read at all. */
import { readFileSync } from "node:fs";
import type { Json, JsonObject, Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import type { CheckableLine } from "../../src/certificate/check.ts";
import { workflowHash } from "../../src/certificate/data-file.ts";
import {
  certificateOf,
  netHash,
  questionCertificateOf,
  verifyCertificate,
} from "../../src/certificate/file.ts";
import { certificateJsonSchema } from "../../src/certificate/format.ts";
import { packFailure, packSupport, type Shared, unpack } from "../../src/certificate/packed.ts";
import { conforms, either, jsonSchemaOf, list, named, type Shape } from "../../src/certificate/shape.ts";
import type { NetEvidence, NeverFires, StubbornCertificate, Support } from "../../src/verdict.ts";
import { net } from "../net-text.ts";
import { end, start, transform, workflow } from "../workflow-text.ts";

const kind = (name: string): Shape => ({ kind: name }) as Shape;

describe("shapes", () => {
  const VALUES: readonly (Json | undefined)[] = [
    ...[undefined, null, true, "", "a", "b", -1, 0, 0.5, 1, 2, 3, 2 ** 53],
    ...[
      [],
      [0],
      [0, 3],
      [0, -1],
      [0, "a"],
      {},
      { kind: "a" },
      { kind: "a", x: 1 },
      { kind: "b", x: 1, y: 2 },
    ],
  ];
  const fitting = (shape: Shape) =>
    VALUES.filter((value) => conforms(shape, value, { places: 2, transitions: 3 }));

  it.each<[string, Shape, readonly (Json | undefined)[]]>([
    ["natural", kind("natural"), [0, 1, 2, 3]],
    ["integer", kind("integer"), [-1, 0, 1, 2, 3]],
    ["place", kind("place"), [0, 1]],
    ["transition", kind("transition"), [0, 1, 2]],
    ["marking", kind("marking"), [[0, 3]]],
    ["null", kind("null"), [null]],
    ["json", kind("json"), VALUES.slice(1)],
    ["object", kind("object"), VALUES.slice(-4)],
    ["text", kind("text"), ["", "a", "b"]],
    ["text of some", { kind: "text", values: ["b", "c"] }, ["b"]],
    ["list", list(kind("natural")), [[], [0], [0, 3]]],
    ["list of places", list(kind("place")), [[], [0]]],
    ["choice", either(kind("null"), list(kind("text")), kind("place")), [null, 0, 1, []]],
    ["no choice", either(), []],
    ["record", named(["a", "b"], { x: kind("natural") }), [{ kind: "a", x: 1 }]],
    [
      "record with optional fields",
      named(["a", "b"], { x: kind("natural"), y: kind("json") }, ["y"]),
      [
        { kind: "a", x: 1 },
        { kind: "b", x: 1, y: 2 },
      ],
    ],
    [
      "record of a kind",
      named(["b"], { x: kind("natural"), y: kind("json") }, ["y", "x"]),
      [{ kind: "b", x: 1, y: 2 }],
    ],
    ["record with another field", named(["a"], { x: kind("null") }, ["x"]), [{ kind: "a" }]],
    ["record without fields", { kind: "record", fields: {} }, [{}]],
  ])("[D8.9] %s", (_, shape, meant) => {
    expect(fitting(shape)).toEqual(meant);
  });

  it("[D8.9] what an object inherits is no field", () => {
    const shape: Shape = { kind: "record", fields: { toString: kind("json") }, optional: [] };
    expect(conforms(shape, {}, { places: 0, transitions: 0 })).toBe(false);
    const given = JSON.parse('{"__proto__": 1}') as Json;
    expect(conforms({ kind: "record", fields: {} }, given, { places: 0, transitions: 0 })).toBe(false);
  });

  it("[D8.9] the same as JSON Schema", () => {
    const natural = { type: "integer", minimum: 0 };
    for (const name of ["natural", "place", "transition"]) expect(jsonSchemaOf(kind(name))).toEqual(natural);
    expect(jsonSchemaOf(kind("integer"))).toEqual({ type: "integer" });
    expect(jsonSchemaOf(kind("marking"))).toEqual({ type: "array", items: natural });
    expect(jsonSchemaOf(kind("null"))).toEqual({ type: "null" });
    expect(jsonSchemaOf(kind("json"))).toEqual({});
    expect(jsonSchemaOf(kind("object"))).toEqual({ type: "object" });
    expect(jsonSchemaOf(kind("text"))).toEqual({ type: "string" });
    expect(jsonSchemaOf({ kind: "text", values: ["a"] })).toEqual({ enum: ["a"] });
    expect(jsonSchemaOf(list(kind("integer")))).toEqual({ type: "array", items: { type: "integer" } });
    expect(jsonSchemaOf(either(kind("null"), kind("text")))).toEqual({
      anyOf: [{ type: "null" }, { type: "string" }],
    });
    expect(jsonSchemaOf(named(["a"], { x: kind("place"), y: kind("json") }, ["y"]))).toEqual({
      type: "object",
      properties: { kind: { enum: ["a"] }, x: natural, y: {} },
      required: ["kind", "x"],
      additionalProperties: false,
    });
    expect(jsonSchemaOf({ kind: "record", fields: { x: kind("null") } })).toMatchObject({ required: ["x"] });
  });

  it("[D8.9] the published schema is that of the code", () => {
    const published = JSON.parse(
      readFileSync(new URL("../../../../docs/schema/certificate.schema.json", import.meta.url), "utf8"),
    ) as Json;
    expect(published).toEqual(certificateJsonSchema());
  });
});

describe("what a file shares", () => {
  const none = (): Shared => ({ reductions: [], parts: [], stubborn: [] });
  const steps = [{ kind: "post", place: 1 }] as const;
  const sets: StubbornCertificate = { kind: "stubborn", graphs: [] };
  const part = { exits: [1], places: [2] };
  const plain: Support = { class: "enumerated", method: "by hand", states: 3 };
  const supports: readonly [Support, object][] = [
    [plain, { ...plain }],
    [
      { ...plain, certificate: { kind: "weights", weights: [1] } },
      { ...plain, certificate: { kind: "weights", weights: [1] } },
    ],
    [
      { ...plain, certificate: sets },
      { ...plain, certificate: { kind: "stubborn", stubborn: 0 } },
    ],
    [
      { ...plain, certificate: { kind: "reduction", steps } },
      { ...plain, certificate: { kind: "reduction", reduction: 0 } },
    ],
    [
      { ...plain, certificate: { kind: "reduction", steps, stubborn: sets } },
      { ...plain, certificate: { kind: "reduction", reduction: 0, stubborn: 0 } },
    ],
    [
      { ...plain, certificate: { kind: "terminating", part, inner: { ...plain, certificate: sets } } },
      {
        ...plain,
        certificate: {
          kind: "terminating",
          part: 0,
          inner: { ...plain, certificate: { kind: "stubborn", stubborn: 0 } },
        },
      },
    ],
    [
      {
        ...plain,
        certificate: {
          kind: "terminating",
          part,
          inner: plain,
          proper: { ...plain, certificate: { kind: "reduction", steps } },
        },
      },
      {
        ...plain,
        certificate: {
          kind: "terminating",
          part: 0,
          inner: { ...plain },
          proper: { ...plain, certificate: { kind: "reduction", reduction: 0 } },
        },
      },
    ],
  ];

  it.each(supports)("[D8.9] support is packed and comes back, %#", (support, packed) => {
    const shared = none();
    expect(packSupport(support, shared)).toStrictEqual(packed);
    expect(packSupport(support, shared)).toStrictEqual(packed);
    expect(unpack(packed, shared)).toStrictEqual(support);
    // What a number names may not be there.
    if (JSON.stringify(packed).includes("0")) expect(unpack(packed, none())).toBeNull();
    else expect(unpack(packed, none())).toStrictEqual(support);
  });

  it("[D8.9] failures are packed and come back", () => {
    const dead = (certificate: NeverFires): NetEvidence => ({ kind: "E3", dead: [], certificate });
    const siphon: NeverFires = { kind: "empty-siphon", places: [1] };
    const rows: readonly [NetEvidence, object][] = [
      [dead(siphon), { kind: "E3", dead: [], certificate: siphon }],
      [dead(sets), { kind: "E3", dead: [], certificate: { kind: "stubborn", stubborn: 0 } }],
      [
        dead({ kind: "reduced", size: 4, steps }),
        { kind: "E3", dead: [], certificate: { kind: "reduced", size: 4, reduction: 0 } },
      ],
      [
        dead({ kind: "reduced", size: 0, steps, stubborn: sets }),
        { kind: "E3", dead: [], certificate: { kind: "reduced", size: 0, reduction: 0, stubborn: 0 } },
      ],
      [
        dead({ kind: "terminating", part, inner: sets }),
        {
          kind: "E3",
          dead: [],
          certificate: { kind: "terminating", part: 0, inner: { kind: "stubborn", stubborn: 0 } },
        },
      ],
    ];
    for (const [evidence, packed] of rows) {
      const shared = none();
      expect(packFailure(evidence, shared)).toStrictEqual(packed);
      expect(unpack(packed, shared)).toStrictEqual(evidence);
    }
    const run: NetEvidence = {
      kind: "E1",
      run: { sequence: [], marking: [1] },
      finding: { kind: "deadlock" },
    };
    expect(packFailure(run, none())).toBe(run);
  });

  it("[D8.9] everything that is shared has a number of its own, which what is the same shares", () => {
    const shared = none();
    const reduction = (own: typeof steps) =>
      packSupport({ ...plain, certificate: { kind: "reduction", steps: own } }, shared) as {
        readonly certificate: { readonly reduction: number };
      };
    const other = [...steps] as unknown as typeof steps;
    expect([steps, other, steps, other].map((own) => reduction(own).certificate.reduction)).toEqual([
      0, 1, 0, 1,
    ]);
    expect(shared.reductions).toEqual([steps, other]);
    expect(unpack({ reduction: 2 }, shared)).toBeNull();
    expect(unpack({ reduction: 1 }, shared)).toEqual({ steps: other });
  });
});

describe("certificate files", () => {
  const line = net("t: i -> a; u: a -> o");
  const holds = (id: CheckableLine["id"], states = 3): CheckableLine => ({
    id,
    verdict: { kind: "holds", evidence: { class: "enumerated", method: "by hand", states } },
  });
  const fails: CheckableLine = {
    id: "O4",
    verdict: {
      kind: "fails",
      evidence: {
        kind: "E1",
        run: { sequence: [], marking: [1, 0, 0] },
        finding: { kind: "unsafe", place: 0 },
      },
    },
  };
  const verified = (n: Net, file: JsonObject, options: Parameters<typeof verifyCertificate>[2] = {}) => {
    const found = verifyCertificate(n, file, options);
    return found.kind === "verified" ? found.claims : found.kind;
  };
  const valid = { kind: "valid" } as const;

  it("[D8.9] list the lines that hold or fail, and say what the checkers say", () => {
    const open: CheckableLine = { id: "O2", verdict: { kind: "unknown", limit: { kind: "states", at: 1 } } };
    const mere: CheckableLine = {
      id: "O3",
      verdict: { kind: "holds", evidence: { class: "recomputable", method: "by hand", states: 0 } },
    };
    const file = certificateOf(line, [holds("O1"), open, mere, fails]);
    expect(Object.keys(file).sort()).toEqual(["claims", "format", "net", "parts", "reductions"]);
    expect(file).toMatchObject({
      format: "tessera-certificate/1",
      net: netHash(line),
      reductions: [],
      parts: [],
    });
    expect(verified(line, file)).toEqual([
      { id: "O1", verdict: "holds", checked: valid },
      { id: "O4", verdict: "fails", checked: { kind: "invalid", reason: "the place is safe there" } },
    ]);
    expect(verified(line, certificateOf(line, [holds("O1")]), { statesMax: 2 })).toMatchObject([
      { checked: { kind: "unchecked" } },
    ]);
    expect(verified(line, certificateOf(line, []))).toEqual([]);
  });

  it("[D8.9] are of one net, and of the right form", () => {
    const file = certificateOf(line, [holds("O1")]);
    expect(verified({ ...line, initial: [0, 1, 0] }, file)).toBe("other-net");
    expect(verifyCertificate({ ...line, initial: [0, 1, 0] }, file)).toEqual({
      kind: "other-net",
      net: netHash(line),
    });
    expect(netHash({ ...line, initial: [0, 1, 0] })).not.toBe(netHash(line));
    expect(verified(line, { ...file, format: "tessera-certificate/2" })).toBe("bad");
    expect(verified(line, { ...file, more: 1 })).toBe("bad");
    const [claim] = file["claims"] as readonly JsonObject[];
    const certified = (certificate: Json) =>
      verified(line, {
        ...file,
        claims: [claim!, { ...claim, evidence: { ...(claim!["evidence"] as JsonObject), certificate } }],
      });
    expect(certified({ kind: "reduction", reduction: 0 })).toBe("bad");
    expect(certified({ kind: "stubborn", stubborn: 0 })).toBe("bad");
  });

  it("[D8.9] share reductions and stubborn sets", () => {
    const sets: StubbornCertificate = { kind: "stubborn", graphs: [], runs: [[0], [0, 1]] };
    const support = { class: "compact", method: "by hand", states: 0, certificate: sets } as const;
    const file = certificateOf(line, [{ id: "O3", verdict: { kind: "holds", evidence: support } }]);
    expect(file["stubborn"]).toEqual([{ graphs: [], runs: [[0], [0, 1]] }]);
    expect(verified(line, file)).toEqual([{ id: "O3", verdict: "holds", checked: valid }]);
  });

  it("[D8.9] answer questions", () => {
    const question = "structurally-bounded";
    const weights = {
      question,
      verdict: "holds",
      evidence: { kind: "weights", weights: [1, 1, 1] },
    } as const;
    const stable = {
      question: "stable-place",
      verdict: "holds",
      evidence: { kind: "stable-place", place: 0, by: { kind: "closed-set", size: 3, markings: null } },
    } as const;
    const file = questionCertificateOf(line, [weights, stable]);
    expect(verified(line, file)).toEqual([
      { id: "question", question, verdict: "holds", checked: valid },
      {
        id: "question",
        question: "stable-place",
        verdict: "holds",
        checked: { kind: "invalid", reason: "the place changes" },
      },
    ]);
    expect(verified(line, file, { statesMax: 2 })).toMatchObject([
      { checked: valid },
      { checked: { kind: "unchecked" } },
    ]);
    const both = { ...file, claims: certificateOf(line, [holds("O1")])["claims"] as Json };
    expect(verified(line, both)).toMatchObject([{ id: "O1" }, { id: "question" }, { id: "question" }]);
  });

  it("[D8.9] with claims on data need the workflow", () => {
    const compiled = workflow([start, transform("n"), end], ["start -> n", "n -> end"]);
    const part = { definition: workflowHash(compiled), slots: [], open: [], claims: [] };
    const file = certificateOf(compiled.net, [holds("bounded", 1)], part);
    expect(file["data"]).toEqual(part);
    expect(verified(compiled.net, file)).toBe("other-definition");
    expect(verified(compiled.net, file, { workflow: compiled })).toMatchObject([{ id: "bounded" }]);
    const other = { ...file, data: { ...part, definition: "another" } };
    expect(verified(compiled.net, other, { workflow: compiled })).toBe("other-definition");
    const slot = { key: "x", path: [], values: [[1]] };
    expect(
      verified(compiled.net, { ...file, data: { ...part, slots: [slot] } }, { workflow: compiled }),
    ).toBe("bad");
    expect(Object.hasOwn(certificateOf(compiled.net, []), "data")).toBe(false);
  });
});
