import {
  canonicalJson,
  compileWorkflow,
  type Json,
  type Net,
  type Parsed,
  parseDefinition,
  parseWorkflow,
  type WorkflowDefinition,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { awkwardName, damaged, netDefinition, relaid, workflowDefinition } from "./definition-arbitrary.ts";
import { json } from "./json-arbitrary.ts";

type Parse = (value: unknown) => Parsed<unknown>;
const parse: Parse = (value) => parseDefinition(value, STANDARD_KINDS);

const definition = fc.oneof(workflowDefinition, netDefinition) as fc.Arbitrary<never> as fc.Arbitrary<Json>;

/** Law: equal definitions come out as equal text. Oracle: the text of JSON.stringify. Generated: layouts. */
const lawNormal = (read: Parse) =>
  fc.property(
    definition.chain((value) => fc.tuple(fc.constant(value), relaid(value))),
    ([left, right]) => {
      const texts = [left, right].map((value) => {
        const parsed = read(value);
        return JSON.stringify(parsed.ok ? parsed.value : parsed.issues);
      });
      expect(texts[0]).toBe(texts[1]);
    },
  );

/** Law: a sound definition is accepted as it is, and reading what was read changes nothing. */
const lawAccepts = (read: Parse) =>
  fc.property(definition, (value) => {
    const before = canonicalJson(value);
    const parsed = read(value);
    expect(parsed).toEqual({ ok: true, value, warnings: [] });
    expect(canonicalJson(value)).toBe(before);
    expect(read(parsed.ok ? parsed.value : null)).toEqual(parsed);
  });

/** Law: whatever the input, the answer is a definition that compiles, or issues; nothing is thrown. */
const lawTotal = (read: Parse) =>
  fc.property(fc.oneof(json, fc.anything(), definition.chain(damaged)), (value) => {
    const parsed = read(value);
    if (!parsed.ok) {
      expect(parsed.issues.length).toBeGreaterThan(0);
      return;
    }
    const found = parsed.value as WorkflowDefinition;
    if (found.kind === "workflow") expect(compileWorkflow(found, STANDARD_KINDS).ok).toBe(true);
  });

/** Law: a definition without one of its nodes, to which something still refers, is refused, and the issues name it. */
const lawResolved = (read: Parse) =>
  fc.property(workflowDefinition, fc.nat(), (value, seed) => {
    const missing = value.nodes[seed % value.nodes.length]?.id ?? "";
    const isNamed =
      value.entry === missing || value.arcs.some(({ from, to }) => from === missing || to === missing);
    fc.pre(isNamed);
    const parsed = read({ ...value, nodes: value.nodes.filter(({ id }) => id !== missing) });
    expect(parsed.ok ? [] : parsed.issues.map(({ message }) => message).join("; ")).toContain(
      JSON.stringify(missing),
    );
  });

describe("parseDefinition", () => {
  it("[D12.2] [D2.1] [HZ-59] refuses references to a node that is not there, whichever it is", () => {
    fc.assert(lawResolved(parse));
    const forgiving: Parse = (value) => {
      const { nodes, arcs, ...rest } = value as WorkflowDefinition;
      const isThere = (wanted: string) => nodes.some(({ id }) => id === wanted);
      return parse({ ...rest, nodes, arcs: arcs.filter(({ from, to }) => isThere(from) && isThere(to)) });
    };
    expect(fc.check(lawResolved(forgiving)).failed).toBe(true);
  });

  it("[D12.2] accepts what the builder makes, and what it accepted", () => {
    fc.assert(lawAccepts(parse));
  });

  it("[D12.2] gives equal definitions the same layout", () => {
    fc.assert(lawNormal(parse));
  });

  it("[D12.2] answers every input with a definition that compiles, or with issues", () => {
    fc.assert(lawTotal(parse), { numRuns: 500 });
  });

  it("[D12.2] the laws fail for readers that keep the layout, change the value, or trust it", () => {
    const keeping: Parse = (value) => (parse(value).ok ? { ok: true, value, warnings: [] } : parse(value));
    expect(fc.check(lawNormal(keeping)).failed).toBe(true);
    const dropping: Parse = (value) => {
      const parsed = parse(value);
      return parsed.ok ? { ...parsed, value: { ...(parsed.value as object), label: "x" } } : parsed;
    };
    expect(fc.check(lawAccepts(dropping)).failed).toBe(true);
    const trusting: Parse = (value) => ({ ok: true, value, warnings: [] });
    expect(fc.check(lawTotal(trusting), { numRuns: 500 }).failed).toBe(true);
  });
});

describe("[BR-101] names", () => {
  /** The net without its names: what is left must not depend on them. */
  const bare = (net: Net) => ({
    places: net.places.map(({ role, origin }) => ({ role, origin })),
    transitions: net.transitions.map(({ pre, post, reset, generated }) => ({ pre, post, reset, generated })),
    finals: net.finals,
  });
  const renamed = (value: WorkflowDefinition, nameOf: (id: string) => string): WorkflowDefinition => {
    const rename = (id: string): string => nameOf(id);
    return {
      ...value,
      entry: rename(value.entry),
      nodes: value.nodes.map((node): WorkflowDefinition["nodes"][number] => {
        const { entry, loop } = (node.meta ?? {}) as {
          readonly entry?: string;
          readonly loop?: { readonly body: readonly string[] };
        };
        const meta = {
          ...node.meta,
          ...(entry === undefined ? {} : { entry: rename(entry) }),
          ...(loop === undefined ? {} : { loop: { ...loop, body: loop.body.map(rename) } }),
        };
        return {
          ...node,
          id: rename(node.id),
          ...(node.scope === undefined ? {} : { scope: rename(node.scope) }),
          ...(node.meta === undefined ? {} : { meta }),
        };
      }),
      arcs: value.arcs.map((arc) => ({ ...arc, from: rename(arc.from), to: rename(arc.to) })),
    };
  };

  it("[BR-101] change nothing but themselves: any distinct ids give the same net, index by index", () => {
    fc.assert(
      fc.property(
        workflowDefinition,
        fc.uniqueArray(awkwardName, { minLength: 60, maxLength: 60 }),
        (value, names) => {
          fc.pre(value.nodes.length <= names.length);
          const index = new Map(value.nodes.map(({ id }, i) => [id, i]));
          const other = renamed(value, (id) => names[index.get(id) ?? -1] as string);
          fc.pre(other.nodes.every(({ id }) => id.trim() !== "" && !/[\p{Cc}\u2028\u2029]/u.test(id)));
          const parsed = parseWorkflow(other, STANDARD_KINDS);
          expect(parsed.ok ? [] : parsed.issues).toEqual([]);
          const [left, right] = [value, other].map((one) => compileWorkflow(one, STANDARD_KINDS));
          if (left?.ok !== true || right?.ok !== true) throw new Error("does not compile");
          expect(bare(right.value.net)).toEqual(bare(left.value.net));
        },
      ),
    );
  });
});
