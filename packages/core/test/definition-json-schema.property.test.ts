import fs from "node:fs";
import { definitionJsonSchema, type Json, type JsonObject } from "@tessera/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NET_SHAPE, WORKFLOW_SHAPE } from "../src/definition-shape.ts";
import { checkShape } from "../src/parse-shape.ts";
import { damaged, netDefinition, workflowDefinition } from "./definition-arbitrary.ts";

const PUBLISHED = new URL("../../../docs/schema/workflow.schema.json", import.meta.url);

type Accepts = (value: Json) => boolean;

function accepting(schema: JsonObject): Accepts {
  const validate = new Ajv2020({ strict: true, strictTypes: false, strictTuples: false }).compile(schema);
  return (value) => validate(value) === true;
}

/** The reader's word. Patterns that are no RE2 are beyond a schema. */
const hasForm: Accepts = (value) =>
  [WORKFLOW_SHAPE, NET_SHAPE].some((shape) =>
    checkShape(value, shape).issues.every(({ code }) => code === "COND007"),
  );

/** Law: schema and reader accept the same values. Oracle: each is the other's. Generated: damaged definitions. */
function lawSame(
  accepts: Accepts,
  counted: { readonly accepted: { count: number }; readonly all: { count: number } },
) {
  const definition: fc.Arbitrary<Json> = fc.oneof(workflowDefinition, netDefinition) as never;
  const value = definition.chain((sound) =>
    fc.oneof(damaged(sound), damaged(sound).chain(damaged), fc.constant(sound)),
  );
  return fc.property(value, (candidate) => {
    counted.all.count += 1;
    if (hasForm(candidate)) counted.accepted.count += 1;
    expect(accepts(candidate)).toBe(hasForm(candidate));
  });
}

const counters = () => ({ accepted: { count: 0 }, all: { count: 0 } });

describe("the JSON Schema of definitions", () => {
  it("[D12.1] accepts exactly the values that have the form of a definition", () => {
    const counted = counters();
    fc.assert(lawSame(accepting(definitionJsonSchema()), counted), { numRuns: 1_000 });
    // Both answers must have been tried often.
    expect(counted.accepted.count).toBeGreaterThan(counted.all.count / 10);
    expect(counted.accepted.count).toBeLessThan((counted.all.count * 9) / 10);
  });

  it("[D12.1] the law fails for a schema that forgets one thing", () => {
    const parts = [
      ["workflow", "additionalProperties"],
      ["name", "pattern"],
      ["workflow", "required"],
    ] as const;
    for (const [part, member] of parts) {
      const schema = JSON.parse(JSON.stringify(definitionJsonSchema()));
      delete schema.$defs[part][member];
      expect(fc.check(lawSame(accepting(schema), counters()), { numRuns: 2_000 }).failed).toBe(true);
    }
  });

  it("[D12.1] refuses the data key __proto__, wherever it stands", () => {
    const accepts = accepting(definitionJsonSchema());
    const withGuard = (key: string) => ({
      format: 1,
      kind: "workflow",
      id: "w",
      entry: "a",
      nodes: [],
      arcs: [{ from: "a", to: "b", guard: { key, op: "isAssigned" } }],
      data: JSON.parse(`{ ${JSON.stringify(key)}: { "type": "any" } }`),
    });
    for (const [key, answer] of [
      ["k", true],
      ["constructor", true],
      ["__proto__", false],
    ] as const) {
      const { data, ...guarded } = withGuard(key);
      const { arcs: _, ...declaring } = withGuard(key);
      for (const value of [guarded, { ...declaring, arcs: [] }]) {
        expect([key, accepts(value), hasForm(value)]).toEqual([key, answer, answer]);
      }
    }
  });

  it("is the published one (TESSERA_WRITE=schema writes it)", () => {
    if (process.env["TESSERA_WRITE"] === "schema") {
      fs.mkdirSync(new URL(".", PUBLISHED), { recursive: true });
      fs.writeFileSync(PUBLISHED, `${JSON.stringify(definitionJsonSchema(), null, 2)}\n`);
    }
    expect(JSON.parse(fs.readFileSync(PUBLISHED, "utf8"))).toEqual(definitionJsonSchema());
  });
});
