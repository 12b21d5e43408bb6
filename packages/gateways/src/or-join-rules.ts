/** @module The rules of a definition's OR-joins: BPMN's or YAWL's, as the definition says. */
import {
  type Compiled,
  type Net,
  NO_RULES,
  type NonLocalRule,
  type NonLocalRules,
  orJoinRule,
  type TransitionIndex,
} from "@tessera/core";
import { goesFirst } from "./or-join.ts";
import { isJoinEnabled, type JoinTable, netJoinTable, workflowJoinTable } from "./or-join-table.ts";
import { orJoinTracker, type TableOf } from "./or-join-tracker.ts";
import { yawlJoinTest } from "./yawl-join.ts";

/**
 * The rules of the non-local OR-joins of a compiled definition, by the names that its transitions carry; empty where
 * there are none. `joinSemantics` of the definition chooses the rule: `bpmn` (the default, D15.3, D15.6) or `yawl`
 * (D15.8). In a workflow an OR-join is permitted only when nothing that goes first is enabled (D15.4); a bare net has
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
  const rulesOf = (testOf: (rule: string) => (M: ArrayLike<number>) => boolean) =>
    new Map(
      [...names].map((rule): readonly [string, NonLocalRule] => {
        const test = testOf(rule);
        return [rule, (_net, M) => isQuiet(M) && test(M)];
      }),
    );
  if (semantics === "yawl") return rulesOf((rule) => yawlJoinTest(net, rule));
  const tables = new Map([...names].map((rule) => [rule, tableOnce(compiled, rule)]));
  const rules = rulesOf((rule) => (M) => isJoinEnabled((tables.get(rule) as TableOf)(), M));
  return Object.assign(rules, { track: () => orJoinTracker(net, tables, compiled.kind === "workflow") });
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
    if (goesFirst(t) && watched !== undefined) watchers[watched]?.push(index);
  });
  const isReady = (M: ArrayLike<number>) => (t: TransitionIndex) =>
    net.transitions[t]?.pre.every(([place, weight]) => (M[place] ?? 0) >= weight) === true;
  return (M) => {
    for (let place = 0; place < M.length; place += 1)
      if (M[place] !== 0 && watchers[place]?.some(isReady(M)) === true) return false;
    return true;
  };
}
