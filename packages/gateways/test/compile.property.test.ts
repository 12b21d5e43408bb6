import type { CompiledWorkflow, WorkflowDefinition, WorkflowNode } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { smallWorkflow } from "./workflow-arbitrary.ts";
import { compiledOf } from "./workflow-text.ts";

/** The net without the names and numbers that a document happens to have: what each place and transition stands for. */
function described({ net, definition }: CompiledWorkflow): readonly string[] {
  const nodeId = (index: number) => definition.nodes[index]?.id ?? "?";
  const arcText = (index: number) => {
    const {
      from,
      to,
      outcome = "done",
      default: isDefault = false,
    } = definition.arcs[index] ?? { from: "?", to: "?" };
    return `${from}:${outcome}->${to}${isDefault ? " default" : ""}`;
  };
  const placeName = (index: number): string => {
    const { origin, role } = net.places[index] ?? {};
    switch (origin?.kind) {
      case "arc":
        return arcText(origin.arc);
      case "source":
        return `source of ${origin.scope === null ? "all" : nodeId(origin.scope)}`;
      case "skip":
        return `${nodeId(origin.node)} settled ${arcText(origin.arc)}`;
      case "chain":
        return `${nodeId(origin.node)} ${origin.outcome} ${String(origin.taken)} ${origin.position}`;
      default:
        return `${origin?.kind} ${role} ${nodeId(origin?.node ?? -1)}`;
    }
  };
  const side = (arcs: readonly (readonly [number, number])[]) =>
    arcs.map(([place, weight]) => `${weight} ${placeName(place)}`).sort();
  const transitions = net.transitions.map(({ origin, pre, post, reset, any, generated }) =>
    JSON.stringify({
      node: nodeId(origin?.node ?? -1),
      phase: origin?.phase,
      outcome: origin?.outcome,
      consumed: origin?.consumed.map(arcText).sort(),
      chosen: origin?.chosen.map(arcText).sort(),
      pre: side(pre),
      post: side(post),
      reset: reset.map(placeName).sort(),
      any: any.length,
      generated: generated === true,
    }),
  );
  const places = net.places.map((_, index) => `${placeName(index)} ${net.initial[index]}`);
  const ends = net.finals.kind === "ends" ? net.finals.ends.map((end) => `end ${placeName(end)}`) : [];
  return [...places.sort(), ...transitions.sort(), ...ends.sort()];
}

/** `members` in the order of `keys`, a permutation by sorting. */
function shuffled<T>(members: readonly T[], keys: readonly number[]): readonly T[] {
  return members
    .map((member, index) => ({ member, key: keys[index % keys.length] ?? 0, index }))
    .sort((a, b) => a.key - b.key || a.index - b.index)
    .map(({ member }) => member);
}

const keys = fc.array(fc.nat(), { minLength: 40, maxLength: 40 });

/** The definition with every id changed by `rename`, wherever it stands. */
function renamed(definition: WorkflowDefinition, rename: (id: string) => string): WorkflowDefinition {
  const node = ({ scope, meta, ...rest }: WorkflowNode): WorkflowNode => {
    const loop = meta?.loop as { readonly body: readonly string[] } | undefined;
    return {
      ...rest,
      id: rename(rest.id),
      ...(scope === undefined ? {} : { scope: rename(scope) }),
      ...(meta === undefined
        ? {}
        : {
            meta: {
              ...meta,
              ...(typeof meta.entry === "string" ? { entry: rename(meta.entry) } : {}),
              ...(loop === undefined ? {} : { loop: { ...loop, body: loop.body.map(rename) } }),
            },
          }),
    };
  };
  const arcs = definition.arcs.map((arc) => ({ ...arc, from: rename(arc.from), to: rename(arc.to) }));
  return { ...definition, entry: rename(definition.entry), nodes: definition.nodes.map(node), arcs };
}

/** Law: a change of the document that means nothing leaves the net, up to names and numbers. */
function metamorphicLaw(
  change: (definition: WorkflowDefinition, keys: readonly number[]) => WorkflowDefinition,
): void {
  fc.assert(
    fc.property(smallWorkflow, keys, (definition, numbers) => {
      expect(described(compiledOf(change(definition, numbers)))).toEqual(described(compiledOf(definition)));
    }),
    { numRuns: 60 },
  );
}

describe("[D2.3] compilation does not depend on what has no meaning", () => {
  it("[D2.3] the same definition gives the same net, index by index, also after a trip through JSON", () => {
    fc.assert(
      fc.property(smallWorkflow, (definition) => {
        const { net } = compiledOf(definition);
        expect(compiledOf(definition).net).toEqual(net);
        expect(compiledOf(JSON.parse(JSON.stringify(definition))).net).toEqual(net);
        expect(JSON.parse(JSON.stringify(net))).toEqual(net);
      }),
      { numRuns: 60 },
    );
  });

  it("[D2.3] [C20-07] [OH-06] the facet, labels, documentation and positions change nothing at all", () => {
    fc.assert(
      fc.property(smallWorkflow, (definition) => {
        const nodes = definition.nodes.map((node, index) => ({
          ...node,
          label: `node ${index}`,
          meta: { ...node.meta, documentation: "text", position: { x: index } },
        }));
        const dressed = { ...definition, facet: "hybrid" as const, label: "w", description: "d", nodes };
        expect(compiledOf(dressed).net).toEqual(compiledOf(definition).net);
      }),
      { numRuns: 60 },
    );
  });

  it("[D2.3] the order of the nodes changes numbers only", () =>
    metamorphicLaw((definition, numbers) => ({ ...definition, nodes: shuffled(definition.nodes, numbers) })));

  it("[D2.3] the order of arcs that leave different nodes changes numbers only", () =>
    metamorphicLaw((definition, numbers) => {
      const keyOf = new Map(
        definition.nodes.map(({ id }, index) => [id, numbers[index % numbers.length] ?? 0]),
      );
      return {
        ...definition,
        arcs: shuffled(
          definition.arcs,
          definition.arcs.map(({ from }) => keyOf.get(from) ?? 0),
        ),
      };
    }));

  it("[D2.3] other ids change names only, whatever characters they have", () => {
    const odd = (id: string) => `${id.slice(1)}->x.active:done#2 ${id}`;
    fc.assert(
      fc.property(smallWorkflow, (definition) => {
        const plain = compiledOf(definition).net;
        const { net } = compiledOf(renamed(definition, odd));
        const nameless = (of: typeof net) => ({
          ...of,
          places: of.places.map(({ id: _, ...rest }) => rest),
          transitions: of.transitions.map(({ id: _, ...rest }) => rest),
        });
        expect(nameless(net)).toEqual(nameless(plain));
      }),
      { numRuns: 60 },
    );
  });

  it("[D2.3] the law catches a change that means something", () => {
    const swapped = (definition: WorkflowDefinition) => ({
      ...definition,
      nodes: definition.nodes.map((node) =>
        node.split === "all" ? { ...node, split: "first" as const } : node,
      ),
    });
    const reversed = (definition: WorkflowDefinition) => ({
      ...definition,
      arcs: [...definition.arcs].reverse(),
    });
    expect(() => metamorphicLaw(swapped)).toThrow();
    expect(() => metamorphicLaw(reversed)).toThrow();
  });

  it("[D2.3] every transition has an output, and no reset empties an end of the top level", () => {
    fc.assert(
      fc.property(smallWorkflow, (definition) => {
        const { net } = compiledOf(definition);
        const ends = net.finals.kind === "ends" ? net.finals.ends : [];
        for (const { post, reset } of net.transitions) {
          expect(post.length).toBeGreaterThan(0);
          expect(reset.some((place) => ends.includes(place))).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });
});
