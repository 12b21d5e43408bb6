/** @module The rules of a definition's OR-joins, BPMN's or YAWL's as the definition says, and of its complex gateways. */
import {
  type Compiled,
  isEnabled,
  type Net,
  NO_RULES,
  type NonLocalRule,
  type NonLocalRules,
  orJoinRule,
  type TransitionIndex,
} from "@tessera/core";
import { restTest } from "./complex-rest.ts";
import { isStartRule, restOf, startRules } from "./complex-rules.ts";
import { goesFirst } from "./or-join.ts";
import { isJoinEnabled, type JoinTable, netJoinTable, workflowJoinTable } from "./or-join-table.ts";
import { orJoinTracker, type TableOf } from "./or-join-tracker.ts";
import { yawlJoinTest } from "./yawl-join.ts";

/**
 * The rules of the non-local OR-joins of a compiled definition, by the names that its transitions carry; empty where
 * there are none. `joinSemantics` of the definition chooses the rule: `bpmn` (the default, D15.3, D15.6) or `yawl`
 * (D15.8). Complex gateways have rules of their own (D15.10, D15.11). In a workflow an OR-join is permitted only when nothing that goes first is enabled (D15.4); a bare net has
 * no such order. Tables are made when first asked for, one for each join.
 *
 * @definition D15.9
 */
export function orJoinRules(compiled: Compiled): NonLocalRules {
  return joinRules(compiled, compiled.definition.joinSemantics ?? "bpmn");
}

/** As `orJoinRules`, under the semantics given instead of the definition's own. */
export function joinRules(compiled: Compiled, semantics: "bpmn" | "yawl"): NonLocalRules {
  const { net } = compiled;
  const names = new Set(net.transitions.flatMap(({ rule }) => (rule === undefined ? [] : [rule])));
  if (names.size === 0) return NO_RULES;
  const isQuiet = compiled.kind === "net" ? () => true : quietTest(net);
  const joins = [...names].filter((rule) => !isStartRule(rule) && restOf(rule) === null);
  const last =
    (test: (M: ArrayLike<number>) => boolean): NonLocalRule =>
    (_net, M) =>
      isQuiet(M) && test(M);
  const others = complexRules(compiled, names, last);
  if (semantics === "yawl")
    return new Map([...others, ...joins.map((rule) => [rule, last(yawlJoinTest(net, rule))] as const)]);
  const tables = new Map(joins.map((rule) => [rule, tableOnce(compiled, rule)]));
  const ofTable = (table: TableOf) => last((M) => isJoinEnabled(table(), M));
  const rules = new Map([...others, ...[...tables].map(([rule, table]) => [rule, ofTable(table)] as const)]);
  if (others.size > 0) return rules;
  return Object.assign(rules, { track: () => orJoinTracker(net, tables, compiled.kind === "workflow") });
}

/** The rules of complex gateways: how they start, and, last as OR-joins are, what they give up. */
function complexRules(
  compiled: Compiled,
  names: ReadonlySet<string>,
  last: (test: (M: ArrayLike<number>) => boolean) => NonLocalRule,
): NonLocalRules {
  const rules = new Map(startRules(compiled.net));
  for (const rule of names) {
    const rest = restOf(rule);
    if (rest !== null && compiled.kind === "workflow")
      rules.set(rule, last(restTest(compiled, rest.node, rest.arc)));
  }
  return rules;
}

function tableOnce(compiled: Compiled, rule: string): TableOf {
  let table: JoinTable | undefined;
  return () => {
    table ??= compiled.kind === "net" ? netJoinTable(compiled.net, rule) : workflowTable(compiled, rule);
    return table;
  };
}

function workflowTable(compiled: Compiled & { readonly kind: "workflow" }, rule: string): JoinTable {
  const join = compiled.definition.nodes.findIndex(({ id }) => orJoinRule(id) === rule);
  return workflowJoinTable(compiled, join);
}

/**
 * `isQuiet` by way of the marked places: each transition that goes first is looked for at one place of its preset.
 *
 * @refines D15.4
 */
function quietTest(net: Net): (M: ArrayLike<number>) => boolean {
  const watchers: TransitionIndex[][] = net.places.map(() => []);
  net.transitions.forEach((t, index) => {
    const watched = t.pre[0]?.[0];
    if (goesFirst(t) && watched !== undefined) watchers[watched]!.push(index);
  });
  const starts = startRules(net);
  const isReady = (M: ArrayLike<number>) => (t: TransitionIndex) => isEnabled(net, M, t, starts);
  return (M) => {
    for (let place = 0; place < M.length; place += 1)
      if (M[place] !== 0 && watchers[place]!.some(isReady(M))) return false;
    return true;
  };
}
