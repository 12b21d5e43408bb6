import type { CompiledWorkflow, Json } from "@tessera/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import {
  type CheckableDataLine,
  certificateJsonSchema,
  certificateOf,
  checkDataEvidence,
  dataCertificate,
  proveWorkflow,
  verifyCertificate,
} from "../../src/index.ts";
import { mutants } from "../mutants.ts";
import { workflow } from "../workflow-text.ts";
import { bruteForce, type Kind } from "./brute-force.ts";
import { FLOWS, x } from "./evidence-flows.ts";
import { TYPES } from "./guarded-workflow.ts";

/** What is so, by hand for O7, by brute force for the rest. */
const O7: Readonly<Record<string, Kind>> = { round: "fails" };
function truthOf(name: string, id: string): Kind {
  if (id === "O7") return O7[name] ?? "holds";
  return bruteForce(FLOWS[name]!, 2000)!.verdicts[id as "O1"];
}

function linesOf(compiled: CompiledWorkflow): readonly CheckableDataLine[] {
  const { obligations } = proveWorkflow(compiled, { level: "data" }).data!;
  return obligations.map(({ id, verdict }) => ({ id, verdict }));
}

function fileOf(compiled: CompiledWorkflow, lines = linesOf(compiled)): Json {
  const file = certificateOf(compiled.net, [], dataCertificate(compiled, lines));
  return JSON.parse(JSON.stringify(file)) as Json;
}

/** Claims that a verification accepts though they are not so. */
function falsehoods(name: string, file: Json): readonly string[] {
  const compiled = FLOWS[name]!;
  const found = verifyCertificate(compiled.net, file, { workflow: compiled, statesMax: 2000 });
  if (found.kind !== "verified") return [];
  return found.claims
    .filter(({ id, verdict, checked }) => checked.kind === "valid" && truthOf(name, id) !== verdict)
    .map(({ id, verdict }) => `${id} ${verdict}`);
}

describe("[D23.6] certificates of what is said of data", () => {
  it.each(Object.keys(FLOWS))(
    "[D23.6] %s: every line survives JSON, fits the schema, and is accepted",
    (name) => {
      const compiled = FLOWS[name]!;
      const validate = new Ajv2020({ strict: true }).compile(certificateJsonSchema());
      const file = fileOf(compiled);
      expect(validate(file)).toBe(true);
      const found = verifyCertificate(compiled.net, file, { workflow: compiled });
      if (found.kind !== "verified") throw new Error(found.kind);
      expect(found.claims.length).toBeGreaterThan(4);
      for (const claim of found.claims) {
        expect(claim).toMatchObject({ level: "data", checked: { kind: "valid" } });
        expect({ id: claim.id, truth: truthOf(name, claim.id) }).toEqual({
          id: claim.id,
          truth: claim.verdict,
        });
      }
    },
  );

  it("[D23.6] between them the workflows bring every kind of evidence", () => {
    const text = Object.values(FLOWS)
      .map((compiled) => JSON.stringify(fileOf(compiled)))
      .join();
    for (const kind of ["gap", "stuck", "no-completion", "second-token", "unsafe", "data-dead", "data-run"])
      expect({ kind, isThere: text.includes(`"kind":"${kind}"`) }).toEqual({ kind, isThere: true });
    expect(text).toContain('"class":"enumerated"');
  });

  it.each(Object.keys(FLOWS))(
    "[D23.6] %s: no mutant of any field makes a false claim acceptable",
    (name) => {
      const compiled = FLOWS[name]!;
      let count = 0;
      let refused = 0;
      for (const line of linesOf(compiled)) {
        for (const mutant of mutants(fileOf(compiled, [line]))) {
          count += 1;
          const found = verifyCertificate(compiled.net, mutant, { workflow: compiled, statesMax: 2000 });
          const isAccepted =
            found.kind === "verified" &&
            found.claims.length > 0 &&
            found.claims.every(({ checked }) => checked.kind === "valid");
          if (!isAccepted) refused += 1;
          expect({ mutant, accepted: falsehoods(name, mutant) }).toEqual({ mutant, accepted: [] });
        }
      }
      // Words of methods and troubles may change without harm, and one obligation that holds for another.
      expect(refused).toBeGreaterThan(count * 0.75);
    },
    60_000,
  );

  it("[D23.6] a certificate of one workflow is refused for another, and says nothing false with its hashes replaced", () => {
    for (const [from, compiled] of Object.entries(FLOWS)) {
      const file = fileOf(compiled) as { readonly [key: string]: Json };
      for (const [to, other] of Object.entries(FLOWS)) {
        if (from === to) continue;
        const kind = verifyCertificate(other.net, file, { workflow: other }).kind;
        expect({ from, to, kind }).not.toEqual({ from, to, kind: "verified" });
        const own = fileOf(other) as { readonly [key: string]: Json };
        const { claims } = file["data"] as { readonly claims: Json };
        const forged = { ...own, data: { ...(own["data"] as object), claims } } as unknown as Json;
        expect({ from, to, accepted: falsehoods(to, forged) }).toEqual({ from, to, accepted: [] });
      }
    }
  });

  it("[D23.6] the same net with other guards is another definition, and a bare net has no data", () => {
    const compiled = FLOWS["sound"]!;
    const other = workflow(
      compiled.definition.nodes,
      compiled.definition.arcs.map((one) =>
        one.guard === undefined ? one : { ...one, guard: x("atMost", 1) },
      ),
      TYPES,
    );
    const file = fileOf(compiled);
    expect(verifyCertificate(other.net, file, { workflow: other }).kind).toBe("other-definition");
    expect(verifyCertificate(compiled.net, file).kind).toBe("other-definition");
  });

  it("[D23.6] what is too large is not checked, and evidence of another class is none", () => {
    const compiled = FLOWS["sound"]!;
    const line = linesOf(compiled).find(({ id }) => id === "O1")!;
    expect(checkDataEvidence(compiled, line, { statesMax: 3 })).toEqual({
      kind: "unchecked",
      reason: "more than 3 states",
    });
    const mere = { class: "recomputable", method: "none", states: 0 } as const;
    const claim = { id: "O1", verdict: { kind: "holds", evidence: mere } } as const;
    expect(checkDataEvidence(compiled, claim).kind).toBe("invalid");
  });

  it("[D23.6] the tester: a checker that believes every run is found out by the mutants", () => {
    const line = linesOf(FLOWS["gap"]!).find(({ id }) => id === "O5")!;
    const claimed = [...mutants(fileOf(FLOWS["gap"]!, [line]))].flatMap((mutant) => {
      const { data } = mutant as {
        readonly data?: { readonly claims?: readonly { id?: string; verdict?: string }[] };
      };
      return Array.isArray(data?.claims) ? data.claims : [];
    });
    const isFalse = ({ id, verdict }: { id?: string; verdict?: string }) =>
      ["O1", "O2", "O4", "deadlock"].includes(id ?? "") && verdict === "fails";
    expect(claimed.some((claim) => isFalse(claim) && truthOf("gap", claim.id!) === "holds")).toBe(true);
  });
});
