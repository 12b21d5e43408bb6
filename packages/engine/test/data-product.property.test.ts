/** @module The steps that a checker of data takes, against every turn of the real step, state by state. */
import {
  type CompiledWorkflow,
  canonicalJson,
  type Data,
  enabledTransitions,
  evaluateCondition,
  parseCondition,
  type WorkflowDefinition,
} from "@tessera/core";
import { eventsOf } from "@tessera/gateways";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { worldOfCases } from "../../proofs/src/certificate/data-cases.ts";
import { frameOf, type World } from "../../proofs/src/certificate/data-frame.ts";
import {
  FAILED,
  isCertain,
  type PlainProduct,
  productOf,
  type Taken,
} from "../../proofs/src/certificate/data-product.ts";
import { questionsOf } from "../../proofs/src/data-level/conditions-read.ts";
import { domainOf } from "../../proofs/src/data-level/domain.ts";
import { calledWorkflow, collectedWorkflow, VALUES } from "./called-workflow.ts";
import { answeringAll, compiledOf } from "./data-worlds.ts";
import { waitingWorkflow } from "./eventful-workflow.ts";
import { ROUTED_VALUES, routedWorkflow } from "./routed-workflow.ts";
import type { Values } from "./step-inputs.ts";
import { graphByStep, type StepGraph } from "./step-oracle.ts";

const SEED = 23_031;
const RUNS = 150;

/** What can come of a state: where the run rests or fails next, what fires meanwhile, and that an answer finds no arc. */
type Outcomes = ReadonlyMap<string, ReadonlySet<string>>;
type Add = (from: string, what: string) => void;

function gathered(fill: (add: Add) => void): Outcomes {
  const all = new Map<string, Set<string>>();
  fill((from, what) => {
    // That a state can stay as it is shows in no run.
    if (what === `to ${from}`) return;
    all.set(from, (all.get(from) ?? new Set<string>()).add(what));
  });
  return all;
}

const START = "start";

const passKeysOf = ({ nodes }: WorkflowDefinition): readonly string[] =>
  nodes.flatMap(({ kind, meta }) => (kind === "verifier" ? [String(meta?.passKey)] : []));

/**
 * What of data makes a difference: how each guard answers, what decisions select by, verdicts, and what kind of list
 * instances are over.
 */
function differences({ definition }: CompiledWorkflow): (data: Data) => string {
  const guards = definition.arcs.flatMap(({ guard }) => {
    const parsed = guard === undefined ? null : parseCondition(guard);
    return parsed?.ok === true ? [parsed.value] : [];
  });
  const decisions = definition.nodes.flatMap(({ meta = {} }) =>
    typeof meta.key === "string" ? [{ key: meta.key, branches: meta.branches as object }] : [],
  );
  const passKeys = passKeysOf(definition);
  const text = JSON.stringify(definition);
  const lists = ["items", "answers"].filter((key) => text.includes(`"collection":"${key}"`));
  return (data) => {
    const answers = guards.map((guard) => {
      const answer = evaluateCondition(guard, data);
      return answer.kind === "value" && answer.value;
    });
    const selected = decisions.map(({ key, branches }) => {
      const value = String(data[key]);
      return Object.hasOwn(branches, value) ? value : "other";
    });
    const verdicts = passKeys.map((key) => data[key] ?? "none");
    const kinds = lists.map((key) => {
      const list = data[key];
      return Array.isArray(list) ? list.length > 0 : "none";
    });
    return JSON.stringify([answers, selected, verdicts, kinds]);
  };
}

/** By the real step, turn by turn. */
function byStep({ plan, states, starts, answers }: StepGraph, seen: (data: Data) => string): Outcomes {
  const { compiled, net } = plan.program;
  if (compiled.kind !== "workflow") throw new Error(compiled.kind);
  const nameOf = ({ marking, data, terminal }: StepGraph["states"][number]): string =>
    terminal?.kind === "failed" && terminal.trouble.code !== "DEADLOCK"
      ? "failed"
      : `${Array.from(marking).join()} ${seen(data)}`;
  const nodeOf = (t: number): string => compiled.definition.nodes[net.transitions[t]!.origin!.node]!.id;
  return gathered((add) => {
    const note = (from: string, to: number, { record }: StepGraph["starts"][number]["ready"]): void => {
      const name = nameOf(states[to]!);
      const failing = record.steps.findLast(({ trouble }) => trouble !== undefined)?.node;
      add(from, `to ${name}`);
      if (name === "failed") add(from, "gap");
      for (const { fired = [], trouble } of record.steps) {
        if (/^NO_(?:TRUE_)?ARC$/u.test(trouble?.code ?? "")) add(from, "gap");
        // Of a run that fails nobody asks what fired at the node where it did.
        for (const t of fired)
          if (name !== "failed" || nodeOf(t) !== failing) add(from, `fires ${net.transitions[t]!.id}`);
      }
    };
    for (const { to, ready } of starts) note(START, to, ready);
    for (const { from, to, ready } of answers) {
      const name = nameOf(states[from]!);
      if (to === null || ready === null) add(name, "gap");
      else note(name, to, ready);
    }
  });
}

/** By the checker: those of its steps that are taken, until none comes by itself. */
function byChecker(
  world: World,
  { states, initial, steps }: PlainProduct,
  seen: (data: Data) => string,
  takes: (step: Taken) => boolean,
): Outcomes {
  const { net, automatic, rules } = world.program;
  const isRest = ({ marking }: PlainProduct["states"][number]) =>
    !enabledTransitions(net, marking, rules).some((t) => automatic[t] === 1);
  const rests = states.map(isRest);
  const nameOf = (state: number): string =>
    state === FAILED ? "failed" : `${Array.from(states[state]!.marking).join()} ${seen(states[state]!.data)}`;
  return gathered((add) => {
    const taken = (from: string, state: number): readonly number[] =>
      steps[state]!.filter(takes).flatMap(({ gap, results, targets }) => {
        if (gap !== "never") add(from, "gap");
        for (const result of results)
          for (const t of result.kind === "state" ? result.fired : [])
            add(from, `fires ${net.transitions[t]!.id}`);
        return targets;
      });
    const rested = new Set<number>();
    const follow = (from: string, begun: readonly number[]): void => {
      const met = new Set(begun);
      for (const state of met) {
        if (state !== FAILED && rests[state] !== true) {
          for (const target of taken(from, state)) met.add(target);
          continue;
        }
        add(from, `to ${nameOf(state)}`);
        if (state !== FAILED) rested.add(state);
      }
    };
    follow(
      START,
      Array.from({ length: initial }, (_, state) => state),
    );
    for (const state of rested) follow(nameOf(state), taken(nameOf(state), state));
  });
}

/** The engine's next steps, whatever they lead to. */
const isNext = ({ isOrdered, isProvision }: Taken) => isOrdered && !isProvision;

/** What the one has and the other has not. */
function beyond(one: Outcomes, other: Outcomes): readonly string[] {
  return [...one].flatMap(([from, all]) =>
    [...all].filter((what) => other.get(from)?.has(what) !== true).map((what) => `${from}: ${what}`),
  );
}

/** A kind of workflows, with the values that stand for all of theirs. */
interface Family {
  readonly arbitrary: fc.Arbitrary<WorkflowDefinition>;
  readonly values: Values;
  /** Where the checker counts with more than the runs show. */
  readonly isMore: (definition: WorkflowDefinition) => boolean;
}

const CALLED: Family = {
  arbitrary: calledWorkflow,
  // What is no list, too: people write it where no type forbids it.
  values: { ...VALUES, items: [undefined, false, [], [1], [1, 2]], answers: [undefined, false, [], [1]] },
  // What a block holds back may be refused for what its branches propose, of which nobody but they knows; a condition of
  // completion without an answer is left open, and which list results make.
  isMore: (definition) =>
    /"stage":true|"merge":|"key":"missing"|"collection":"answers"/u.test(JSON.stringify(definition)),
};

const COLLECTED: Family = { ...CALLED, arbitrary: collectedWorkflow };

const ROUTED: Family = {
  arbitrary: routedWorkflow,
  values: ROUTED_VALUES,
  isMore: () => false,
};

const EVENTFUL: Family = {
  arbitrary: waitingWorkflow,
  values: ROUTED_VALUES,
  // A run does not bring it about that a time comes once more.
  isMore: (definition) => /"on":"timer"[^}]*"workflow":"h"/u.test(JSON.stringify(definition)),
};

/** Both sides of a definition; null where there are too many states. */
function bothOf(
  { values: all }: Family,
  definition: WorkflowDefinition,
  change: (world: World) => World = (world) => world,
): { readonly step: Outcomes; readonly checker: Outcomes; readonly certain: Outcomes } | null {
  const compiled = compiledOf(definition);
  const found = domainOf(questionsOf(compiled));
  if (found.kind !== "domain") throw new Error(found.reason);
  const text = JSON.stringify(definition);
  // Of a key that nothing asks of one value is enough.
  const own = Object.entries(all).map(([key, values]) => {
    const isAsked = text.includes(`"key":"${key}"`) || text.includes(`"collection":"${key}"`);
    return [key, isAsked ? values : values.slice(-1)] as const;
  });
  // A run may start with verdicts, which the entry of the loop clears.
  const verdicts = passKeysOf(definition).map((key) => [key, [undefined, true, false, 0]] as const);
  const values = Object.fromEntries([...own, ...verdicts]);
  const options = { deciding: answeringAll(definition, values), isErrorWriting: true };
  const graph = graphByStep(compiled, values, 800, options);
  const { cases, world } = worldOfCases(frameOf(compiled, found.domain), found.domain);
  const product = productOf(change(world), cases, 20_000);
  if (graph === null || product === null) return null;
  const seen = differences(compiled);
  const by = (takes: (step: Taken) => boolean) => byChecker(world, product, seen, takes);
  return { step: byStep(graph, seen), checker: by(isNext), certain: by(isCertain) };
}

describe("[D23.3] the steps that a checker of data takes", () => {
  it.each([
    ["with calls and blocks", CALLED, RUNS, 0.3, 0.2],
    ["that collect", COLLECTED, RUNS, 0, 0.9],
    ["that route", ROUTED, RUNS, 0.3, 0],
    ["that wait for what comes", EVENTFUL, 60, 0.3, 0.05],
  ] as const)(
    "[D23.3] [D23.8] [D23.9] [D23.10] in workflows %s lead from every state to what turns of the real step lead to",
    (_, family, numRuns, equal, included) => {
      const compared = { equal: 0, included: 0 };
      fc.assert(
        fc.property(family.arbitrary, (definition) => {
          const both = bothOf(family, definition);
          if (both === null) return;
          expect(beyond(both.step, both.checker)).toEqual([]);
          // Of what a certain step leads to a run can be shown.
          expect(beyond(both.certain, both.step)).toEqual([]);
          const isMore = family.isMore(definition);
          if (!isMore) expect(beyond(both.checker, both.step)).toEqual([]);
          compared[isMore ? "included" : "equal"] += 1;
        }),
        { seed: SEED, numRuns },
      );
      expect(compared.equal).toBeGreaterThanOrEqual(numRuns * equal);
      expect(compared.included).toBeGreaterThanOrEqual(numRuns * included);
    },
    120_000,
  );

  it.each<readonly [what: string, family: Family, broken: (world: World) => World]>([
    ["the answers that write nothing", CALLED, (world) => ({ ...world, answersTo: onlyOther(world) })],
    ["what instances collect", COLLECTED, (world) => ({ ...world, asked: new Set<string>() })],
    ["that instances may be none", CALLED, (world) => ({ ...world, several: new Map() })],
    ["handlers", CALLED, (world) => ({ ...world, beside: [] })],
    ["handlers of times", EVENTFUL, (world) => ({ ...world, beside: [] })],
    ["that an event may write", EVENTFUL, (world) => ({ ...world, answersTo: writingNothing(world) })],
    ["that a block may be refused", CALLED, (world) => ({ ...world, ends: new Map() })],
    ["that the entry of a loop clears its verdict", ROUTED, (world) => ({ ...world, clears: new Map() })],
    ["what guards ask", ROUTED, (world) => ({ ...world, guards: world.guards.map(() => null) })],
  ])(
    "[D23.3] the law catches a checker that forgets %s",
    (_, family, broken) => {
      const isCaught = fc.sample(family.arbitrary, { seed: SEED, numRuns: 500 }).some((definition) => {
        const both = bothOf(family, definition, broken);
        if (both === null) return false;
        const isLess = beyond(both.step, both.checker).length + beyond(both.certain, both.step).length > 0;
        return isLess || (!family.isMore(definition) && beyond(both.checker, both.step).length > 0);
      });
      expect(isCaught).toBe(true);
    },
    60_000,
  );
});

/** Answers that leave other data than there were. */
function onlyOther({ answersTo }: World): World["answersTo"] {
  return (node, outcome, before) => {
    const all = answersTo(node, outcome, before);
    const others = all.filter(({ data }) => canonicalJson(data) !== canonicalJson(before));
    return others.length > 0 ? others : all;
  };
}

/** Events leave the data that there were. */
function writingNothing({ answersTo, compiled }: World): World["answersTo"] {
  return (node, outcome, before) => {
    const isEvent = eventsOf(compiled.definition.nodes[node]!).some(({ id }) => id === outcome);
    return isEvent ? [{ data: before, isSure: true }] : answersTo(node, outcome, before);
  };
}
