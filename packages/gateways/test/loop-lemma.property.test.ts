import type { Marking, Net, WeightedPlace, WorkflowDefinition } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explore, keyOf, soundnessOf } from "./explore.ts";
import { type Block, blockUpTo, loopOver, workflowOf } from "./workflow-arbitrary.ts";
import { netOf } from "./workflow-text.ts";

/** The control places of `net`, in order. */
const controlOf = (net: Net) => net.places.flatMap(({ role }, place) => (role === "control" ? [place] : []));

/** The net N-: no counters, and the variants of an exit are one transition. */
function withoutCounters(net: Net): Net {
  const control = controlOf(net);
  const indexOf = new Map(control.map((place, index) => [place, index]));
  const side = (arcs: readonly WeightedPlace[]) =>
    arcs.flatMap(([place, weight]): WeightedPlace[] => {
      const index = indexOf.get(place);
      return index === undefined ? [] : [[index, weight]];
    });
  const merged = new Map<string, Net["transitions"][number]>();
  for (const t of net.transitions) {
    const id = t.id.replace(/#.*$/u, "");
    const reset = t.reset.flatMap((place) => indexOf.get(place) ?? []);
    merged.set(id, { ...t, id, pre: side(t.pre), post: side(t.post), reset });
  }
  const ends = net.finals.kind === "ends" ? net.finals.ends.flatMap((end) => indexOf.get(end) ?? []) : [];
  return {
    places: control.map((place) => net.places[place]!),
    transitions: [...merged.values()],
    initial: control.map((place) => net.initial[place] ?? 0),
    finals: { kind: "ends", ends },
  };
}

/** The verdicts that the lemma speaks of; dead transitions by what the variants have in common. */
function verdicts(net: Net) {
  const { dead, deadlocks, ...rest } = soundnessOf(net);
  const alive = new Set(
    net.transitions.filter(({ id }) => !dead.includes(id)).map(({ id }) => id.replace(/#.*$/u, "")),
  );
  return { ...rest, isStuck: deadlocks.length > 0, alive: [...alive].sort() };
}

/** Lemma L7.1 for one workflow. */
function lemma(definition: WorkflowDefinition, reduce: (net: Net) => Net): void {
  const net = netOf(definition);
  const reduced = reduce(net);
  const control = controlOf(net);
  const project = (marking: Marking) => keyOf(control.map((place) => marking[place] ?? 0));
  const projected = new Set([...explore(net).markings.values()].map(project));
  expect([...projected].sort()).toEqual([...explore(reduced).markings.keys()].sort());
  expect(verdicts(net)).toEqual(verdicts(reduced));
}

/** A loop with random body, or two nested ones, in a random context that may be unsound. */
const loops: fc.Arbitrary<Block> = fc.oneof(loopOver(blockUpTo(1)), loopOver(loopOver(blockUpTo(0))));
const contexts: fc.Arbitrary<WorkflowDefinition> = fc
  .record({
    loop: loops,
    beside: blockUpTo(0),
    kind: fc.constantFrom("sequence", "choice", "parallel"),
    mutation: fc.constantFrom("none", "join", "split"),
  })
  .map(({ loop, beside, kind, mutation }) => {
    const definition = workflowOf({ kind: kind as "sequence", parts: [loop, beside] });
    if (kind === "sequence" || mutation === "none") return definition;
    const entry = definition.entry;
    const join = definition.arcs.find(({ to }) => to === definition.nodes.at(-1)?.id)?.from;
    return {
      ...definition,
      nodes: definition.nodes.map((node) => {
        if (mutation === "split" && node.id === entry)
          return { ...node, split: kind === "choice" ? "all" : "first" };
        if (mutation === "join" && node.id === join)
          return { ...node, join: kind === "choice" ? "all" : "any" };
        return node;
      }),
    } as WorkflowDefinition;
  });

function lemmaLaw(reduce: (net: Net) => Net): void {
  fc.assert(
    fc.property(contexts, (definition) => lemma(definition, reduce)),
    { numRuns: 150 },
  );
}

describe("[L7.1] dropping the counters", () => {
  it("[L7.1] [D7.1] leaves the reachable markings and the verdicts as they are, in sound and unsound contexts", () =>
    lemmaLaw(withoutCounters));

  it("[L7.1] the law catches a reduction that drops the fail arc or the exhausted branch too", () => {
    for (const outcome of ["fail", "exhausted"]) {
      const dropping = (net: Net) => {
        const reduced = withoutCounters(net);
        return {
          ...reduced,
          transitions: reduced.transitions.filter(({ origin }) => origin?.outcome !== outcome),
        };
      };
      expect(() => lemmaLaw(dropping)).toThrow();
    }
  });

  it("[L7.1] holds for budget 0 as it is compiled: without the fail arc", () => {
    const definition = workflowOf({
      kind: "loop",
      body: { kind: "task", of: "gateway", escapes: false },
      repair: null,
      budget: 0,
    });
    const net = netOf(definition);
    expect(net.transitions.some(({ origin }) => origin?.outcome === "fail")).toBe(false);
    lemma(definition, withoutCounters);
  });
});
