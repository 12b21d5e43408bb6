import {
  canonicalJson,
  contentHash,
  type Definition,
  definitionHash,
  guardReliances,
  type Json,
  type KindTable,
  kindTable,
  type WorkflowDefinition,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { damaged, netDefinition, relaid, workflowDefinition } from "./definition-arbitrary.ts";

type HashOf = (definition: Definition, kinds: KindTable) => string;
const hashOf: HashOf = (definition, kinds) => definitionHash(definition, kinds).hash;
const definition = fc.oneof(workflowDefinition, netDefinition) as fc.Arbitrary<Definition>;
const asJson = (value: Definition) => value as unknown as Json;

/** Law: the layout counts nothing. Generated: two layouts of one definition. */
const lawLayout = (hash: HashOf) =>
  fc.property(
    definition.chain((value) => fc.tuple(fc.constant(value), relaid(asJson(value)))),
    ([value, other]) => {
      expect(hash(other as never, STANDARD_KINDS)).toBe(hash(value, STANDARD_KINDS));
    },
  );

/** Law: equal hashes iff equal definitions. Oracle: the canonical text. Generated: a definition and a damaged one. */
const lawContent = (hash: HashOf) =>
  fc.property(
    netDefinition.chain((value) => fc.tuple(fc.constant(value), damaged(value as unknown as Json))),
    ([value, other]) => {
      // Kinds are looked up in nodes, which a damaged workflow may not have; nets have none.
      fc.pre((other as { readonly kind?: Json } | null)?.kind === "net");
      const isSame = canonicalJson(asJson(value)) === canonicalJson(other);
      expect(hash(value, STANDARD_KINDS) === hash(other as never, STANDARD_KINDS)).toBe(isSame);
    },
  );

/** Law: the version of a kind counts iff a node has the kind. */
const lawKinds = (hash: HashOf) =>
  fc.property(workflowDefinition, fc.constantFrom(...STANDARD_KINDS.keys()), (value, name) => {
    const kind = STANDARD_KINDS.get(name);
    if (kind === undefined) throw new Error("not a standard kind");
    const newer = kindTable([{ ...kind, version: kind.version + 1 }], STANDARD_KINDS);
    const isUsed = value.nodes.some((node) => node.kind === name);
    expect(hash(value, newer) !== hash(value, STANDARD_KINDS)).toBe(isUsed);
  });

describe("definitionHash", () => {
  it("[D12.4] does not depend on the order of keys", () => {
    fc.assert(lawLayout(hashOf));
  });

  it("[D12.4] tells different definitions apart", () => {
    fc.assert(lawContent(hashOf));
  });

  it("[D12.4] covers the versions of the kinds that are used, and of no others", () => {
    fc.assert(lawKinds(hashOf));
  });

  it("[D12.4] the laws fail for hashes of the text, of the id, and of the definition alone", () => {
    const ofText: HashOf = (value) => contentHash(JSON.stringify(value));
    expect(fc.check(lawLayout(ofText)).failed).toBe(true);
    const ofId: HashOf = (value) => contentHash(value.id ?? null);
    expect(fc.check(lawContent(ofId)).failed).toBe(true);
    const ofDefinition: HashOf = (value) => contentHash(asJson(value));
    expect(fc.check(lawKinds(ofDefinition)).failed).toBe(true);
  });

  const small: WorkflowDefinition = {
    format: 1,
    kind: "workflow",
    id: "w",
    entry: "a",
    nodes: [
      { id: "a", kind: "start" },
      { id: "b", kind: "end" },
      { id: "c", kind: "end" },
    ],
    arcs: [
      {
        from: "a",
        to: "b",
        guard: { any: [{ predicate: "isBig" }, { not: { language: "feel", text: "x" } }] },
      },
      { from: "a", to: "c", guard: { all: [{ key: "k", op: "is", value: 1 }, { predicate: "isAny" }] } },
    ],
  };

  it("[D12.4] depends on the order of arrays, which is meaning", () => {
    const { nodes, arcs } = small;
    const hashes = [
      small,
      { ...small, nodes: [...nodes].reverse() },
      { ...small, arcs: [...arcs].reverse() },
    ].map((value) => hashOf(value, STANDARD_KINDS));
    expect(new Set(hashes).size).toBe(3);
  });

  it("[D12.4] [D15.9] depends on the rule of OR joins, for workflows and for nets", () => {
    const net: Definition = { format: 1, kind: "net", id: "n", places: [], transitions: [] };
    for (const definition of [small, net]) {
      const hashes = [
        definition,
        ...(["bpmn", "yawl"] as const).map((joinSemantics) => ({ ...definition, joinSemantics })),
      ].map((value) => hashOf(value, STANDARD_KINDS));
      expect(new Set(hashes).size).toBe(3);
    }
  });

  it("[D12.4] is the hash of the manifest, which lists what is relied on", () => {
    const pin = contentHash("child");
    const reliances = {
      functions: { f: "2.0.1" },
      predicates: { isBig: 1 },
      languages: { feel: 1 },
      calls: { child: pin },
    };
    const { hash, manifest } = definitionHash(small, STANDARD_KINDS, reliances);
    expect(manifest).toEqual({ format: 1, definition: small, kinds: { end: 1, start: 1 }, ...reliances });
    expect(hash).toBe(contentHash(manifest as unknown as Json));
    const others = [
      {},
      { functions: { f: "2.0.2" } },
      { predicates: { f: "2.0.1" } },
      { calls: { f: pin } },
      { languages: { f: 1 } },
    ];
    const hashes = others.map((other) => definitionHash(small, STANDARD_KINDS, other).hash);
    expect(new Set([hash, ...hashes]).size).toBe(6);
  });

  it("[D12.4] asks for a definition that was parsed with the kinds", () => {
    expect(() => definitionHash(small, new Map())).toThrow("D12.4");
  });

  it("names the predicates and languages of guards", () => {
    expect(guardReliances(small)).toEqual({ predicates: ["isAny", "isBig"], languages: ["feel"] });
    expect(guardReliances({ format: 1, kind: "net", id: "n", places: [], transitions: [] })).toEqual({
      predicates: [],
      languages: [],
    });
  });
});
