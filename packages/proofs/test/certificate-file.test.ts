import type { Json, Net } from "@tessera/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { replayReduction } from "../src/certificate/reduction.ts";
import {
  type CheckableLine,
  certificateJsonSchema,
  certificateOf,
  checkNet,
  netHash,
  proveNet,
  verifyCertificate,
} from "../src/index.ts";
import { rankTheorem } from "../src/rank.ts";
import { reduce } from "../src/reduction/reduce.ts";
import { finish } from "../src/soundness.ts";
import { equationStage } from "../src/state-equation/stage.ts";
import { mutants } from "./mutants.ts";
import { net as parse } from "./net-text.ts";
import { judge } from "./oracle.ts";
import { bySets } from "./stubborn/lines-by-sets.ts";

/** Nets that between them bring every kind of evidence. */
const NETS: Readonly<Record<string, Net>> = {
  sound: parse("t: i -> a + b; u: a -> c; v: b -> d; w: c + d -> o"),
  loop: parse("t: i -> a; u: a -> b; v: b -> a; w: b -> o"),
  improper: parse("t: i -> a + b; u: a -> o; v: b -> o"),
  deadlock: parse("t: i -> a; u: i -> b; v: a + b -> o"),
  starved: parse("t: i -> a; u: a -> o; v: b -> c; w: c -> o"),
  pump: parse("t: i -> p; u: p -> p + q; v: p -> o"),
  twoEnds: parse("t: i -> a; u: a -> a + o; v: a -> e", { ends: ["o", "e"] }),
  livelock: parse("t: i -> a + x; u: a + x -> b; v: b -> c; w: c -> b; z: c + x -> o; d: a + x -> o"),
  leftover: parse("t: i -> a + b; u: a -> o; v: b -> b"),
  choices: parse("t: i -> a; u: i -> b; v: a + c -> d; w: b -> c; x: c -> o; y: d -> o"),
  listed: parse("t: i -> a + b; u: a -> o; v: b -> b; w: b -> c", { finals: [{ o: 1 }, { o: 1, c: 1 }] }),
  weighted: parse("t: i -> 2a; u: 2a -> o; v: a -> b"),
  twins: parse("t: i -> a; u: a -> b; v: a -> b; w: b -> o"),
  early: parse("s: i -> a + b + c; t: a + b -> q; u: q + c -> o"),
  trap: parse("t1: i -> p; t2: p + a -> q + b; t3: q + b -> a + o"),
  terminated: parse("s: i -> a + b; j: a + b -> o; x: a -> f; k: f -> e reset i a b f", { ends: ["o", "e"] }),
  // A trap of two tokens that the equation lets vanish; a transition that needs half a step; one that never starts.
  equation: parse("t: 2x -> x + o; u: x + b -> c; v: y + o -> b + y; w: k -> k + x", { initial: { x: 2 } }),
  terminatedDead: parse("s: i -> o; u: a -> o; x: a -> f; k: f -> e reset i a f", { ends: ["o", "e"] }),
};

const run = (sequence: readonly number[], marking: readonly number[]) => ({ sequence, marking });

/** Evidence that the provers give only where nothing better is found. */
const RARE: Readonly<Record<string, readonly CheckableLine[]>> = {
  pump: [
    {
      id: "sound",
      verdict: { kind: "fails", evidence: { kind: "E3-pump", run: run([0, 1], [0, 1, 1, 0]), from: 1 } },
    },
    {
      id: "O1",
      verdict: { kind: "fails", evidence: { kind: "E3-pump", run: run([0, 1], [0, 1, 1, 0]), from: 1 } },
    },
  ],
  early: (["O1", "O2", "O3", "O4", "sound"] as const).map((id) => {
    const certificate = { kind: "reduction", steps: [{ kind: "pre", place: 4 }] } as const;
    return {
      id,
      verdict: {
        kind: "holds",
        evidence: { class: "enumerated", method: "by hand", states: 3, certificate },
      },
    };
  }),
  terminated: [
    {
      id: "O2",
      verdict: {
        kind: "holds",
        evidence: {
          class: "enumerated",
          method: "by hand",
          states: 3,
          certificate: {
            kind: "terminating",
            part: { exits: [2], places: [4] },
            inner: { class: "enumerated", method: "by hand", states: 3 },
          },
        },
      },
    },
  ],
  terminatedDead: [
    {
      id: "O3",
      verdict: {
        kind: "fails",
        evidence: {
          kind: "E3",
          dead: [1, 2, 3].map((transition) => ({
            element: { kind: "transition", transition },
            transitions: [transition],
          })),
          certificate: {
            kind: "terminating",
            part: { exits: [2], places: [3] },
            inner: {
              kind: "closed-set",
              size: 2,
              markings: [
                [1, 0, 0],
                [0, 1, 0],
              ],
            },
          },
        },
      },
    },
  ],
  leftover: [
    {
      id: "O1",
      verdict: {
        kind: "fails",
        evidence: { kind: "E2", run: run([0], [0, 1, 1, 0]), certificate: { kind: "trap", places: [2] } },
      },
    },
  ],
};

function linesOf(net: Net): readonly CheckableLine[] {
  const line = ({ id, verdict }: CheckableLine): CheckableLine => ({ id, verdict });
  const [search, pipeline] = [checkNet(net), proveNet(net)];
  const lines = [...search.obligations, ...pipeline.obligations].map(line);
  const sound = [search, pipeline].map(({ soundness }) => ({ id: "sound" as const, verdict: soundness }));
  const rare = Object.entries(RARE).flatMap(([name, found]) => (NETS[name] === net ? found : []));
  const small = equationalInReduced(net);
  return [
    ...[...lines, ...sound, ...structural(net), ...equational(net), ...small],
    ...[...bySets(name(net), net), ...rare],
  ];
}

/** What the state equation would say of the reduced net. */
function equationalInReduced(net: Net): readonly CheckableLine[] {
  const { net: small, steps } = reduce(net);
  if (typeof replayReduction(net, steps) === "string") return [];
  return equational(small).flatMap(({ id, verdict }) => {
    if (verdict.kind !== "holds") return [];
    const { certificate: equation, ...support } = verdict.evidence;
    if (equation?.kind !== "state-equation" && equation?.kind !== "weights") throw new Error(id);
    const certificate = { kind: "reduction", steps, equation } as const;
    return [{ id, verdict: { kind: "holds", evidence: { ...support, certificate } } } as const];
  });
}

/** What the state equation would say; the pipeline asks it only where a search reached its limits. */
function equational(net: Net): readonly CheckableLine[] {
  const steps = equationStage(
    net,
    new Set(["O1", "O2", "O3", "O4", "deadlock", "bounded"]),
    () => false,
    () => false,
  );
  const stage = finish(steps, {});
  return [...stage].map(([id, verdict]) => ({ id, verdict }));
}

function name(net: Net): string {
  return Object.entries(NETS).find(([, known]) => known === net)?.[0] ?? "";
}

/** What the rank theorem would say; the pipeline asks it only of large nets. */
function structural(net: Net): readonly CheckableLine[] {
  const reduction = reduce(net);
  const [small, whole] = [rankTheorem(reduction.net), rankTheorem(net)];
  const lines: CheckableLine[] = [];
  const known = [
    { steps: reduction.steps, answer: small },
    { steps: [], answer: whole },
  ];
  for (const { steps, answer } of known) {
    if (answer.kind !== "sound") continue;
    const certificate = { kind: "reduction", steps, rank: answer.certificate } as const;
    const evidence = { class: "compact", method: "rank theorem", states: 0, certificate } as const;
    lines.push({ id: "sound", verdict: { kind: "holds", evidence } });
  }
  if (whole.kind === "unsound")
    lines.push({
      id: "sound",
      verdict: { kind: "fails", evidence: { kind: "E3-ill-formed", reason: whole.reason } },
    });
  return lines;
}

/** The truth of a claim, from an enumeration by hand; unbounded nets are unsound, and nothing else is claimed of them here. */
function isTrue(net: Net, id: string, verdict: string): boolean {
  const truth = judge(net, 2000);
  const holds = (): boolean => {
    if (truth === null) return false;
    if (id === "sound") return truth.O1 && truth.O2 && truth.O3;
    return id === "bounded" ? true : truth[id as "O1"];
  };
  if (truth === null && !["O1", "bounded", "sound"].includes(id)) return id !== "O3" || verdict === "holds";
  return holds() === (verdict === "holds");
}

/** Claims that a verification accepts though they are not true. */
function falseAcceptances(net: Net, file: Json): readonly string[] {
  const found = verifyCertificate(net, file, { statesMax: 3000 });
  if (found.kind !== "verified") return [];
  return found.claims
    .filter(({ id, verdict, checked }) => checked.kind === "valid" && !isTrue(net, id, verdict))
    .map(({ id, verdict }) => `${id} ${verdict}`);
}

function certificate(net: Net, line: CheckableLine): Json {
  return JSON.parse(JSON.stringify(certificateOf(net, [line]))) as Json;
}

describe("certificate files", () => {
  it.each(Object.keys(NETS))(
    "[D8.9] %s: every line survives JSON, fits the schema, and is accepted",
    (name) => {
      const net = NETS[name]!;
      const validate = new Ajv2020({ strict: true }).compile(certificateJsonSchema());
      const file = JSON.parse(JSON.stringify(certificateOf(net, linesOf(net)))) as Json;
      expect(validate(file)).toBe(true);
      const found = verifyCertificate(net, file);
      if (found.kind !== "verified") throw new Error(found.kind);
      expect(found.claims.length).toBeGreaterThan(6);
      for (const { id, verdict, checked } of found.claims) {
        expect({ id, checked }).toEqual({ id, checked: { kind: "valid" } });
        expect({ id, verdict, isTrue: isTrue(net, id, verdict) }).toEqual({ id, verdict, isTrue: true });
      }
    },
  );

  it("[D8.9] between them the nets bring every kind of evidence", () => {
    const kinds = new Set(
      Object.values(NETS).flatMap((net) =>
        JSON.stringify(certificateOf(net, linesOf(net)))
          .match(/"kind":"[a-zA-Z0-9-]+"/g)!
          .map((found) => found.slice(8, -1)),
      ),
    );
    for (const kind of [
      ...["E1", "E2", "E3", "E3-pump", "E3-ill-formed", "second-token", "unsafe", "deadlock", "pump"],
      ...[
        "closed-set",
        "covers-final",
        "overfull",
        "trap",
        "empty-siphon",
        "reduced",
        "reduction",
        "rank",
        "terminating",
        "stubborn",
        "improper",
        "crowded",
        "enabled",
      ],
      ...["state-equation", "weights", "farkas", "siphon", "trap", "either"],
      ...["post", "pre", "twin-place", "twin-transition", "idle", "beyond-final", "transition"],
    ])
      expect({ kind, isThere: kinds.has(kind) }).toEqual({ kind, isThere: true });
  });

  it.each(Object.keys(NETS))("[D8.9] %s: no mutant of any field makes a false claim acceptable", (name) => {
    const net = NETS[name]!;
    let count = 0;
    let refused = 0;
    for (const line of linesOf(net)) {
      for (const mutant of mutants(certificate(net, line))) {
        count += 1;
        const found = verifyCertificate(net, mutant, { statesMax: 3000 });
        const isAccepted =
          found.kind === "verified" &&
          found.claims.length > 0 &&
          found.claims.every(({ checked }) => checked.kind === "valid");
        if (!isAccepted) refused += 1;
        expect({ name, mutant, accepted: falseAcceptances(net, mutant) }).toEqual({
          name,
          mutant,
          accepted: [],
        });
      }
    }
    // Names of methods, counts of runs and the order of closed sets may change without harm; most fields may not.
    expect(refused).toBeGreaterThan(count * 0.75);
  });

  it("[D8.9] a certificate of one net is refused for another, and says nothing false with its hash replaced", () => {
    for (const [from, net] of Object.entries(NETS)) {
      const file = JSON.parse(JSON.stringify(certificateOf(net, linesOf(net)))) as Record<string, Json>;
      for (const [to, other] of Object.entries(NETS)) {
        if (from === to) continue;
        expect({ from, to, kind: verifyCertificate(other, file).kind }).not.toEqual({
          from,
          to,
          kind: "verified",
        });
        const forged = { ...file, net: netHash(other) };
        expect({ from, to, accepted: falseAcceptances(other, forged) }).toEqual({ from, to, accepted: [] });
      }
    }
  });

  it("[D8.9] the tester: a checker that accepts everything is found out by the mutants", () => {
    const net = NETS["improper"]!;
    const line = linesOf(net).find(({ id, verdict }) => id === "O2" && verdict.kind === "fails")!;
    const claims = [...mutants(certificate(net, line))].flatMap(
      (mutant) => (mutant as { claims?: { id?: string; verdict?: string }[] }).claims ?? [],
    );
    const believed = claims.filter(
      ({ id, verdict }) => ["O1", "O3", "O4"].includes(id ?? "") && verdict === "holds",
    );
    const swapped = claims.filter(({ id, verdict }) => id === "O2" && verdict === "holds");
    expect([...believed, ...swapped].some(({ id, verdict }) => !isTrue(net, id!, verdict!))).toBe(true);
  });

  it("[D8.9] what is open or has no checker is left out; what is too large is not checked", () => {
    const net = NETS["improper"]!;
    const open: CheckableLine = { id: "O1", verdict: { kind: "unknown", limit: { kind: "states", at: 1 } } };
    const mere: CheckableLine = {
      id: "O4",
      verdict: { kind: "holds", evidence: { class: "recomputable", method: "none", states: 0 } },
    };
    expect(certificateOf(net, [open, mere])).toMatchObject({ claims: [], reductions: [], parts: [] });
    const sound = NETS["weighted"]!;
    const found = verifyCertificate(sound, certificateOf(sound, linesOf(sound)), { statesMax: 1 });
    if (found.kind !== "verified") throw new Error(found.kind);
    expect(found.claims.some(({ checked }) => checked.kind === "unchecked")).toBe(true);
    expect(found.claims.every(({ checked }) => checked.kind !== "invalid")).toBe(true);
  });
});
