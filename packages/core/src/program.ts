/** @module A compiled definition with the tables that a turn needs: groups of transitions, chains, what is automatic. */
import type { Compiled } from "./compile.ts";
import { type CompiledNet, compileNet } from "./compiled.ts";
import { NO_RULES, type NonLocalRules } from "./fire.ts";
import type { Hash } from "./hash.ts";
import type { Net, PlaceIndex, Transition, TransitionIndex } from "./net.ts";

/**
 * One decision of a chain: its arc and the transitions that take or skip it, from each state of the chain.
 * `take` and `skip` go on to the next link if there is one; `stop` takes the arc and ends the chain before its end.
 */
export interface ChainLink {
  readonly arc: number;
  readonly take: readonly TransitionIndex[];
  readonly stop: readonly TransitionIndex[];
  readonly skip: readonly TransitionIndex[];
}

/** What a host needs to run a definition. Built once per definition version, immutable. */
export interface Program {
  readonly hash: Hash;
  readonly compiled: Compiled;
  readonly net: Net;
  readonly fast: CompiledNet;
  /** 1 for transitions that fire without anybody's input: step, start, enter, leave, settle, raise. */
  readonly automatic: Uint8Array;
  /** Transitions that compete for the same tokens of the same node and phase: one of them is the node's next step. */
  readonly groupOf: Int32Array;
  readonly groups: readonly (readonly TransitionIndex[])[];
  /** finish(n, ...) by node index. */
  readonly finish: ReadonlyMap<number, readonly TransitionIndex[]>;
  /** trigger(n, ...) by node index: the ways of its non-interrupting events. */
  readonly trigger: ReadonlyMap<number, readonly TransitionIndex[]>;
  /** Chains by the place that starts them. */
  readonly chains: ReadonlyMap<PlaceIndex, readonly ChainLink[]>;
  /** Rest place to node index. */
  readonly restNode: ReadonlyMap<PlaceIndex, number>;
  /** Non-local rules by the name that transitions carry. */
  readonly rules: NonLocalRules;
}

const AUTOMATIC: ReadonlySet<string> = new Set(["step", "start", "enter", "leave", "settle", "raise"]);

/**
 * The program of a compiled definition: which transitions fire by themselves, which compete for one node's next step,
 * which resolve an open item, which decide an OR split, link by link. `rules`: one for each name that a transition of
 * the net carries. Cost: linear in the net.
 *
 * @definition D2.5
 */
export function makeProgram(hash: Hash, compiled: Compiled, rules: NonLocalRules = NO_RULES): Program {
  const { net } = compiled;
  const automatic = new Uint8Array(net.transitions.length);
  const finish = new Map<number, TransitionIndex[]>();
  const trigger = new Map<number, TransitionIndex[]>();
  net.transitions.forEach((t, index) => {
    const phase = t.origin?.phase ?? "step";
    automatic[index] = AUTOMATIC.has(phase) ? 1 : 0;
    if (phase === "finish" && t.origin !== undefined) push(finish, t.origin.node, index);
    if (phase === "trigger" && t.origin !== undefined) push(trigger, t.origin.node, index);
  });
  const { groupOf, groups } = groupTransitions(net);
  const restNode = new Map<PlaceIndex, number>();
  net.places.forEach((place, index) => {
    if (place.origin?.kind === "rest") restNode.set(index, place.origin.node);
  });
  return {
    hash,
    compiled,
    net,
    fast: compileNet(net),
    automatic,
    groupOf,
    groups,
    finish,
    trigger,
    chains: chainsOf(net),
    restNode,
    rules,
  };
}

function groupTransitions(net: Net): {
  readonly groupOf: Int32Array;
  readonly groups: readonly (readonly TransitionIndex[])[];
} {
  const byKey = new Map<string, number>();
  const groups: TransitionIndex[][] = [];
  const groupOf = Int32Array.from(net.transitions, (t, index) => {
    const key = groupKey(net, t, index);
    const known = byKey.get(key) ?? groups.length;
    byKey.set(key, known);
    if (known === groups.length) groups.push([]);
    groups[known]?.push(index);
    return known;
  });
  return { groupOf, groups };
}

function groupKey(net: Net, t: Transition, index: TransitionIndex): string {
  if (t.origin === undefined) return String(index);
  const control = t.pre.map(([place]) => place).filter((place) => net.places[place]?.role === "control");
  return JSON.stringify([t.origin.node, t.origin.phase, control]);
}

function chainsOf(net: Net): ReadonlyMap<PlaceIndex, readonly ChainLink[]> {
  const heads = new Map<string, PlaceIndex>();
  const chainOfPlace = new Map<PlaceIndex, string>();
  net.places.forEach(({ origin }, index) => {
    if (origin?.kind !== "chain") return;
    const key = JSON.stringify([origin.node, origin.outcome]);
    chainOfPlace.set(index, key);
    if (!origin.taken && origin.position === 0) heads.set(key, index);
  });
  const links = new Map<string, Map<number, DraftLink>>();
  net.transitions.forEach(({ origin, pre }, index) => {
    const key = chainOfPlace.get(pre[0]?.[0] ?? -1);
    const arc = origin?.chosen[0];
    if (key === undefined || arc === undefined || (origin?.phase !== "take" && origin?.phase !== "skip"))
      return;
    const chain = links.get(key) ?? new Map<number, DraftLink>();
    links.set(key, chain);
    const link = chain.get(arc) ?? { take: [], stop: [], skip: [] };
    chain.set(arc, link);
    link[origin.phase === "take" && origin.stops === true ? "stop" : origin.phase].push(index);
  });
  return new Map(
    [...heads].map(
      ([key, head]) => [head, [...(links.get(key) ?? [])].map(([arc, link]) => ({ arc, ...link }))] as const,
    ),
  );
}

interface DraftLink {
  readonly take: TransitionIndex[];
  readonly stop: TransitionIndex[];
  readonly skip: TransitionIndex[];
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
