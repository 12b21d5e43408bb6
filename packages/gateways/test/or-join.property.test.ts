import {
  type CompiledWorkflow,
  enabledTransitions,
  type Marking,
  type Net,
  NO_RULES,
  type NonLocalRules,
  orJoinRule,
} from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isQuiet, orJoinEnabled, orJoinRules, standing } from "../src/index.ts";
import { cycles, markingOf, orGraph } from "./or-join-arbitrary.ts";
import { compiledOf } from "./workflow-text.ts";

const counts = fc.array(fc.nat(9), { minLength: 7, maxLength: 40 });

/** An answer for every non-local join in a marking, priority left out. */
type JoinRule = (workflow: CompiledWorkflow) => (M: Marking, join: number) => boolean;

const literal: JoinRule = (workflow) => (M, join) => orJoinEnabled(workflow, M, join);

/** The fast rules on a net in which nothing goes first. */
const fast: JoinRule = (workflow) => {
  const transitions = workflow.net.transitions.filter(
    ({ rule, origin }) => rule !== undefined || origin?.phase === "finish",
  );
  const net: Net = { ...workflow.net, transitions };
  const rules = orJoinRules({ ...workflow, net });
  return (M, join) => rules.get(orJoinRule(workflow.definition.nodes[join]?.id ?? ""))?.(net, M, -1) === true;
};

/** The non-local joins of a workflow: node indices. */
function joinsOf({ net }: CompiledWorkflow): readonly number[] {
  return net.transitions.flatMap(({ rule, origin }) =>
    rule === undefined || origin === undefined ? [] : [origin.node],
  );
}

/**
 * The definition by a matrix: which arc leads to which with the join taken out, closed by Warshall; then every pair of
 * a token and an input. Places are read by their ids, as documented: `a->b`, `n.active`, `source`, `n.source`, `n.end`.
 */
function oracle({ definition, net }: CompiledWorkflow): (M: Marking, join: number) => boolean {
  const { arcs, nodes } = definition;
  return (M, join) => {
    const id = nodes[join]?.id ?? "";
    const leads = arcs.map(({ to }) => arcs.map(({ from }) => to === from && to !== id));
    for (const k of arcs.keys())
      for (const i of arcs.keys())
        for (const j of arcs.keys()) {
          const row = leads[i];
          if (row?.[k] && leads[k]?.[j]) row[j] = true;
        }
    const tokensOn = (arc: number) => {
      const name = `${arcs[arc]?.from}->${arcs[arc]?.to}`;
      return M[net.places.findIndex((place) => place.id === name)] ?? 0;
    };
    const inputs = [...arcs.keys()].filter((arc) => arcs[arc]?.to === id);
    const marked = inputs.filter((arc) => tokensOn(arc) > 0);
    const blocks = (from: readonly number[]) => {
      const reached = inputs.filter((input) => from.some((arc) => arc === input || leads[arc]?.[input]));
      return reached.some((arc) => !marked.includes(arc)) && !reached.some((arc) => marked.includes(arc));
    };
    const outOf = (node: string) => [...arcs.keys()].filter((arc) => arcs[arc]?.from === node);
    return (
      marked.length > 0 &&
      net.places.every((place, index) => {
        if ((M[index] ?? 0) === 0 || inputs.some((arc) => `${arcs[arc]?.from}->${id}` === place.id))
          return true;
        const onArc = arcs.findIndex(({ from, to }) => `${from}->${to}` === place.id);
        const scope = nodes.find((node) => node.id === arcs[onArc]?.from)?.scope;
        if (onArc >= 0) return !blocks(scope === undefined ? [onArc] : outOf(scope));
        const [, owner = "", suffix = ""] = place.id.match(/^(.*)\.(active|source|end)$/u) ?? [];
        const around = nodes.find((node) => node.id === owner)?.scope;
        if (place.id === "source") return !blocks(outOf("n0"));
        if (suffix === "active" || suffix === "end") {
          if (around !== undefined) return !blocks(outOf(around));
          return suffix === "end" || !blocks(outOf(owner));
        }
        return suffix !== "source" || !blocks(outOf(owner));
      })
    );
  };
}

/** Law: the rule of every join in every marking is the oracle's. Generated: graphs and markings as in `or-join-arbitrary`. */
function joinLaw(rule: JoinRule, numRuns = 1_000, endOnFailure = false): void {
  fc.assert(
    fc.property(orGraph, counts, (definition, numbers) => {
      const workflow = compiledOf(definition);
      const M = markingOf(workflow.net, numbers);
      const answer = rule(workflow);
      const expected = oracle(workflow);
      for (const join of joinsOf(workflow)) expect(answer(M, join)).toBe(expected(M, join));
    }),
    { numRuns, endOnFailure },
  );
}

describe("[D15.3] the non-local OR-join", () => {
  it("[D15.3] [D15.1] [D15.2] [C20-27] read off the definition, is what a matrix of reachability says", () =>
    joinLaw(literal));

  it("[D15.3] [C20-27] in bits, is the same", () => joinLaw(fast));

  it("[D15.3] the law catches a rule that counts inputs, forgets resting tokens, or walks through the join", () => {
    const eager: JoinRule = (workflow) => (M, join) =>
      workflow.net.places.some(
        ({ origin }, place) =>
          origin?.kind === "arc" &&
          (M[place] ?? 0) > 0 &&
          workflow.definition.arcs[origin.arc]?.to === workflow.definition.nodes[join]?.id,
      );
    const forgetful: JoinRule = (workflow) => (M, join) =>
      orJoinEnabled(
        workflow,
        M.map((tokens, place) => (workflow.net.places[place]?.origin?.kind === "rest" ? 0 : tokens)),
        join,
      );
    const through: JoinRule = (workflow) => (M, join) => {
      const { definition, net } = workflow;
      const isInput = (arc: number) => definition.arcs[arc]?.to === definition.nodes[join]?.id;
      const placeOf = (arc: number) =>
        net.places.findIndex(({ origin }) => origin?.kind === "arc" && origin.arc === arc);
      const isMarked = (arc: number) => (M[placeOf(arc)] ?? 0) > 0;
      const inputs = [...definition.arcs.keys()].filter(isInput);
      if (!inputs.some(isMarked)) return false;
      return net.places.every((_, place) => {
        if ((M[place] ?? 0) === 0 || inputs.some((arc) => placeOf(arc) === place)) return true;
        const seen = new Set(standing(workflow, place, definition.nodes[join]?.scope));
        for (const arc of seen)
          for (const [next, { from }] of definition.arcs.entries())
            if (from === definition.arcs[arc]?.to) seen.add(next);
        const reached = [...seen].filter(isInput);
        return reached.every(isMarked) || reached.some(isMarked);
      });
    };
    for (const broken of [eager, forgetful, through]) expect(() => joinLaw(broken, 1_000, true)).toThrow();
  });

  it("[D15.3] the generated graphs are hard enough: cycles, joins that share one, tokens whose vanishing matters", () => {
    const seen = { cases: 0, cyclic: 0, twoJoins: 0, vanishing: 0, permitted: 0, refused: 0 };
    fc.assert(
      fc.property(orGraph, counts, (definition, numbers) => {
        const workflow = compiledOf(definition);
        const M = markingOf(workflow.net, numbers);
        const joins = joinsOf(workflow);
        const names = joins.map((join) => definition.nodes[join]?.id ?? "");
        const groups = cycles(definition);
        const without = (place: number) => M.map((tokens, index) => (index === place ? 0 : tokens));
        const changes = joins.some((join) => {
          const now = orJoinEnabled(workflow, M, join);
          seen[now ? "permitted" : "refused"] += 1;
          return M.some(
            (tokens, place) => tokens > 0 && orJoinEnabled(workflow, without(place), join) && !now,
          );
        });
        seen.cases += 1;
        if (groups.length > 0) seen.cyclic += 1;
        if (groups.some((group) => names.filter((name) => group.includes(name)).length > 1))
          seen.twoJoins += 1;
        if (changes) seen.vanishing += 1;
      }),
      { numRuns: 1_000 },
    );
    expect(seen.cyclic / seen.cases).toBeGreaterThanOrEqual(0.2);
    expect(seen.twoJoins / seen.cases).toBeGreaterThanOrEqual(0.1);
    expect(seen.vanishing / seen.cases).toBeGreaterThanOrEqual(0.1);
    expect(seen.permitted / (seen.permitted + seen.refused)).toBeGreaterThanOrEqual(0.1);
    expect(seen.refused / (seen.permitted + seen.refused)).toBeGreaterThanOrEqual(0.1);
  });
});

/**
 * Law: a rule of the map permits iff the join is enabled and no transition without a rule, but for those that finish a
 * wait, is enabled. Oracle: the enabled transitions of the net without its rules. Generated: as above, fewer tokens.
 */
function priorityLaw(rulesOf: (workflow: CompiledWorkflow) => NonLocalRules): void {
  const seen = { quiet: 0, busy: 0 };
  const few = fc.array(fc.nat(6), { minLength: 17, maxLength: 40 });
  fc.assert(
    fc.property(orGraph, few, (definition, numbers) => {
      const workflow = compiledOf(definition);
      const { net } = workflow;
      const M = markingOf(net, numbers);
      const open = { ...net, transitions: net.transitions.filter(({ rule }) => rule === undefined) };
      const busy = enabledTransitions(open, M, NO_RULES).some(
        (t) => open.transitions[t]?.origin?.phase !== "finish",
      );
      expect(isQuiet(net, M)).toBe(!busy);
      const rules = rulesOf(workflow);
      for (const join of joinsOf(workflow)) {
        const isEnabled = orJoinEnabled(workflow, M, join);
        if (isEnabled) seen[busy ? "busy" : "quiet"] += 1;
        const name = orJoinRule(definition.nodes[join]?.id ?? "");
        expect(rules.get(name)?.(net, M, 0)).toBe(isEnabled && !busy);
      }
    }),
    { numRuns: 1_000 },
  );
  expect(seen.quiet).toBeGreaterThan(20);
  expect(seen.busy).toBeGreaterThan(20);
}

describe("[D15.4] priority", () => {
  it("[D15.4] [C20-27] an OR-join is permitted only when nothing that fires by itself goes first", () =>
    priorityLaw(orJoinRules));

  it("[D15.4] the law catches a rule without priority", () => {
    const hasty = (workflow: CompiledWorkflow): NonLocalRules =>
      new Map(
        joinsOf(workflow).map((join) => [
          orJoinRule(workflow.definition.nodes[join]?.id ?? ""),
          (_net, M) => orJoinEnabled(workflow, M, join),
        ]),
      );
    expect(() => priorityLaw(hasty)).toThrow();
  });
});
