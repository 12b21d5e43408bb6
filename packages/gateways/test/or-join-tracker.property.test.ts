import {
  type CompiledWorkflow,
  canPlay,
  compileNet,
  compileNetDefinition,
  enabledTransitions,
  isEnabled,
  type Marking,
  type NonLocalRules,
  play,
  playable,
  type RuleTracker,
  startGame,
  type WorkflowDefinition,
} from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { orJoinEnabled, orJoinRules } from "../src/index.ts";
import { orGraph } from "./or-join-arbitrary.ts";
import { compiledOf } from "./workflow-text.ts";

const toggles = fc.array(fc.nat(999), { minLength: 10, maxLength: 60 });

/** The tracker of the rules; of none, where there are no joins. */
const trackerOf = ({ net }: CompiledWorkflow, rules: NonLocalRules): RuleTracker => {
  if (rules.track !== undefined) return rules.track(net);
  expect(rules.size).toBe(0);
  return { onMarked: () => {}, onEnabled: () => {}, permits: () => false };
};

/**
 * Law: a tracker that is told of every change says what the definition says of the marking. Oracle: `orJoinEnabled`
 * and a scan for what goes first. Generated: graphs with joins anywhere; places are marked and emptied at random, so
 * that tokens vanish as often as they come.
 */
function trackLaw(make: (workflow: CompiledWorkflow) => RuleTracker, endOnFailure = false) {
  const seen = { permitted: 0, refused: 0, freed: 0, blocked: 0 };
  fc.assert(
    fc.property(orGraph, toggles, fc.boolean(), (definition, numbers, onlyRests) => {
      const workflow = compiledOf(definition);
      const { net } = workflow;
      const tracker = make(workflow);
      const M: number[] = net.places.map(() => 0);
      const first = net.transitions.map(
        ({ rule, origin }) => rule === undefined && origin?.phase !== "finish",
      );
      const plain = { ...net, transitions: net.transitions.map(({ rule: _, ...t }) => t) };
      const isOn = net.transitions.map((_, t) => isEnabled(plain, M, t));
      const joins = net.transitions.flatMap(({ rule }, t) => (rule === undefined ? [] : [t]));
      // Where only rest places and inputs of joins are marked nothing goes first.
      const calm = net.places.flatMap(({ origin }, place) =>
        origin?.kind === "rest" || joins.some((t) => net.transitions[t]?.any.includes(place)) ? [place] : [],
      );
      const places = onlyRests && calm.length > 0 ? calm : [...net.places.keys()];
      for (const number of numbers) {
        const place = places[number % places.length] as number;
        const before = joins.map((t) => tracker.permits(t));
        M[place] = M[place] === 0 ? 1 : 0;
        tracker.onMarked(place, M[place] === 1);
        for (const t of net.transitions.keys()) {
          const now = isEnabled(plain, M, t);
          if (now !== isOn[t]) tracker.onEnabled(t, now);
          isOn[t] = now;
        }
        const isQuiet = !isOn.some((on, t) => on && first[t] === true);
        for (const [k, t] of joins.entries()) {
          const expected = isQuiet && orJoinEnabled(workflow, M, net.transitions[t]?.origin?.node ?? -1);
          expect(tracker.permits(t)).toBe(expected);
          seen[expected ? "permitted" : "refused"] += 1;
          if (expected && before[k] === false && M[place] === 0) seen.freed += 1;
          if (!expected && before[k] === true && M[place] === 1) seen.blocked += 1;
        }
      }
    }),
    { numRuns: 400, endOnFailure },
  );
  return seen;
}

/** The graph with a terminate end, so that its last step empties everything. */
const terminating = (definition: WorkflowDefinition): WorkflowDefinition => ({
  ...definition,
  nodes: definition.nodes.map((node) => (node.id === "e" ? { ...node, meta: { terminate: true } } : node)),
});

/**
 * Law: in a game the incremental rules enable what the plain rules do. Oracle: `isEnabled` with the plain rules.
 * Generated: as above, ends that empty the net included; random runs.
 */
function gameLaw(rulesOf: (workflow: CompiledWorkflow) => NonLocalRules, endOnFailure = false) {
  const seen = { joined: 0, reset: 0 };
  fc.assert(
    fc.property(orGraph, fc.boolean(), toggles, (graph, terminates, numbers) => {
      const workflow = compiledOf(terminates ? terminating(graph) : graph);
      const { net } = workflow;
      const rules = orJoinRules(workflow);
      const plain: NonLocalRules = new Map(rules);
      const game = startGame(compileNet(net), net.initial, null, rulesOf(workflow));
      for (const number of numbers) {
        const M: Marking = Array.from(game.marking);
        const enabled = enabledTransitions(net, M, plain);
        expect(playable(game)).toEqual(enabled);
        for (const t of net.transitions.keys()) expect(canPlay(game, t)).toBe(enabled.includes(t));
        const t = enabled[number % Math.max(1, enabled.length)];
        if (t === undefined) break;
        if (net.transitions[t]?.rule !== undefined) seen.joined += 1;
        if ((net.transitions[t]?.reset.length ?? 0) > 0) seen.reset += 1;
        play(game, t);
      }
    }),
    { numRuns: 400, endOnFailure },
  );
  return seen;
}

describe("[D15.3] [D15.4] OR-joins kept up to date token by token", () => {
  it("[D15.3] [D15.4] [C20-27] a tracker says what the definition says, whatever comes and vanishes", () => {
    const seen = trackLaw((workflow) => trackerOf(workflow, orJoinRules(workflow)));
    for (const count of [seen.permitted, seen.freed, seen.blocked]) expect(count).toBeGreaterThan(100);
  });

  it("[D15.3] [D15.4] the law catches a tracker that forgets what vanishes, or what goes first", () => {
    const deaf = (workflow: CompiledWorkflow): RuleTracker => {
      const tracker = trackerOf(workflow, orJoinRules(workflow));
      const inputs = new Set(workflow.net.transitions.flatMap(({ any }) => any));
      return {
        ...tracker,
        onMarked: (place, isMarked) => {
          if (isMarked || inputs.has(place)) tracker.onMarked(place, isMarked);
        },
      };
    };
    const hasty = (workflow: CompiledWorkflow): RuleTracker => ({
      ...trackerOf(workflow, orJoinRules(workflow)),
      onEnabled: () => {},
    });
    for (const broken of [deaf, hasty]) expect(() => trackLaw(broken, true)).toThrow();
  });

  it("[D15.3] [D15.4] [C20-27] a game with the incremental rules plays what the plain rules enable, resets included", () => {
    const seen = gameLaw(orJoinRules);
    expect(seen.joined).toBeGreaterThan(50);
    expect(seen.reset).toBeGreaterThan(20);
  });

  it("[D15.3] the law catches a game whose rules permit too early", () => {
    const eager = (workflow: CompiledWorkflow): NonLocalRules =>
      Object.assign(new Map(orJoinRules(workflow)), {
        track: () => ({ onMarked: () => {}, onEnabled: () => {}, permits: () => true }),
      });
    expect(() => gameLaw(eager, true)).toThrow();
  });

  it("[D15.6] [D15.9] follows the joins of a bare net, and there nothing goes first", () => {
    const compiled = compileNetDefinition({
      format: 1,
      kind: "net",
      id: "n",
      places: ["i", "a", "b", "l", "x", "o"].map((id) => ({ id, ...(id === "i" ? { initial: 1 } : {}) })),
      transitions: [
        {
          id: "fork",
          pre: [["i", 1]],
          post: [
            ["l", 1],
            ["a", 1],
            ["x", 1],
          ],
        },
        { id: "late", pre: [["l", 1]], post: [["b", 1]] },
        { id: "join", pre: [], post: [["o", 1]], orJoin: ["a", "b"] },
        { id: "other", pre: [["x", 1]], post: [["o", 1]] },
      ],
    });
    if (!compiled.ok) throw new Error("no net");
    const { net } = compiled.value;
    const game = startGame(compileNet(net), net.initial, null, orJoinRules(compiled.value));
    play(game, 0);
    expect(playable(game)).toEqual([1, 3]);
    play(game, 1);
    expect(playable(game)).toEqual([2, 3]);
    play(game, 2);
    expect([...game.marking]).toEqual([0, 0, 0, 0, 1, 1]);
  });
});
