/** @module Several runs of one call: opened in turn or at once, their results collected in order. Fires nothing. */
import {
  DONE,
  evaluateCondition,
  type InstanceCounts,
  type ItemId,
  invariant,
  type Json,
  type JsonObject,
  type OpenItem,
  type Outcome,
  parseCondition,
  type StepRecord,
  type Trouble,
} from "@tessera/core";
import { INSTANCES_MAX, type MultiInstance, multiOf } from "@tessera/gateways";
import { acceptAnswer, type Before, type Effect, plainEffect } from "./answer.ts";
import { adoptEffect, type Draft, nextItemId, record } from "./draft.ts";
import { conditionsAt } from "./route.ts";
import type { InputPayload } from "./turn.ts";

/** How the token of the node goes on: under the effect's outcome, with these items closed. */
export interface Leaving {
  readonly effect: Effect;
  readonly extra: Pick<StepRecord, "closed" | "trouble">;
}

/**
 * The instances of a node begin: `item` holds the token, and runs are opened, the first or all of them. Without any the
 * node is done at once, with an empty list of results. A collection that is no list, or too long, is trouble.
 *
 * @definition D17.7
 */
export function beginInstances(
  draft: Draft,
  node: number,
  multi: MultiInstance,
  item: OpenItem,
): { readonly opened: readonly OpenItem[]; readonly effect: Effect } | Leaving {
  const total = countOf(draft, multi);
  if (typeof total !== "number") return { effect: { kind: "trouble", trouble: total }, extra: {} };
  const effect = collected(draft, node, multi, (list) => {
    list.length = 0;
    for (let at = 0; at < total; at += 1) list.push(null);
  });
  if (effect.kind === "trouble" || total === 0) return { effect, extra: {} };
  const opened = multi.mode === "parallel" ? total : 1;
  const host = { ...item, kind: "event" as const, instances: { total, opened, completed: 0 } };
  const runs = Array.from({ length: opened }, (_, at) =>
    instanceItem(draft, node, multi, at, at + 2, item.id),
  );
  return { opened: [host, ...runs], effect };
}

/**
 * One instance has ended. Done: its result is kept, and the next one opens, or the node is done: after the last, or as
 * soon as the completion condition holds. Under another label all of them end, and the node under that label.
 */
export function settleInstance(
  draft: Draft,
  item: OpenItem,
  outcome: Outcome,
  { patch = {} }: InputPayload,
  trouble: Trouble | null,
): Leaving | null {
  const { plan } = draft;
  const node = plan.nodeIndex.get(item.node) ?? -1;
  const definition = plan.nodes[node];
  const multi = definition === undefined ? null : multiOf(definition);
  const host = hostOf(draft, item);
  invariant(multi !== null && host?.instances !== undefined, "D17.7", () => ({ item: item.id }));
  const closed = [host.id, ...instancesOf(draft, host)];
  const extra = { closed, ...(trouble === null ? {} : { trouble }) };
  if (outcome !== DONE) return { effect: plainEffect(draft, outcome), extra };
  const effect = collected(draft, node, multi, (list) => {
    list[item.instance ?? 0] = patch["value"] ?? null;
  });
  if (effect.kind === "trouble") return { effect, extra };
  const counts = { ...host.instances, completed: host.instances.completed + 1 };
  const over = isOver(draft, multi, counts, effect.data);
  if (typeof over !== "boolean") return { effect: { kind: "trouble", trouble: over }, extra };
  if (over) return { effect, extra };
  const isNext = multi.mode === "sequential";
  const gone = isNext ? memberTrouble(draft, multi, counts.opened) : null;
  if (gone !== null) return { effect: { kind: "trouble", trouble: gone }, extra };
  const opened = isNext ? [instanceItem(draft, node, multi, counts.opened, 1, host.id)] : [];
  const after = { ...host, instances: { ...counts, opened: counts.opened + opened.length } };
  adoptEffect(draft, effect);
  record(draft, {
    node: item.node,
    outcome,
    closed: [item.id],
    changed: [after],
    ...(opened.length === 0 ? {} : { opened }),
    ...(effect.patch === null ? {} : { patch: effect.patch }),
  });
  return null;
}

/**
 * The open instances beside the token that `host` holds: they go when it goes. Those of another token at the node stay.
 * Instances of runs that are older than `host` have none: then only one token was thought of.
 */
export function instancesOf({ items }: Draft, { id, node }: OpenItem): readonly ItemId[] {
  return [...items.values()].flatMap((item) =>
    item.node === node && item.instance !== undefined && (item.host ?? id) === id ? [item.id] : [],
  );
}

/** The item that holds the token beside which an instance runs. */
function hostOf({ items }: Draft, { node, host }: OpenItem): OpenItem | undefined {
  if (host !== undefined) return items.get(host);
  return [...items.values()].find((item) => item.node === node && item.instances !== undefined);
}

function countOf({ data }: Draft, { collection, count }: MultiInstance): number | Trouble {
  if (collection === null) return count;
  const list = Object.hasOwn(data, collection) ? data[collection] : undefined;
  const facts = { key: collection };
  if (!Array.isArray(list))
    return { code: "COLLECTION_INVALID", message: `the key "${collection}" holds no list`, facts };
  if (list.length <= INSTANCES_MAX) return list.length;
  const message = `the list "${collection}" has ${list.length} members`;
  return { code: "INSTANCES_LIMIT", message, facts: { ...facts, instancesMax: INSTANCES_MAX } };
}

/** What is wrong with the list when the instance at `position` is to begin: somebody may have changed it since the first. */
function memberTrouble({ data }: Draft, { collection }: MultiInstance, position: number): Trouble | null {
  if (collection === null) return null;
  const list = data[collection];
  if (Array.isArray(list) && position < list.length) return null;
  const what = Array.isArray(list) ? `has no member ${position}` : "holds no list";
  const facts = { key: collection, position };
  return { code: "COLLECTION_INVALID", message: `the key "${collection}" ${what} any more`, facts };
}

/** The item of the instance at `position` beside `host`; `nth`: which item of the node it is, counted from those there were. */
function instanceItem(
  draft: Draft,
  node: number,
  multi: MultiInstance,
  position: number,
  nth: number,
  host: ItemId,
): OpenItem {
  const { collection, element, index } = multi;
  const list = collection === null ? [] : draft.data[collection];
  const member = Array.isArray(list) ? (list[position] as Json | undefined) : undefined;
  const data: JsonObject = {
    ...(element === null ? {} : { [element]: member ?? null }),
    ...(index === null ? {} : { [index]: position }),
  };
  const { id: name = "" } = draft.plan.nodes[node] ?? {};
  return {
    id: nextItemId(draft, node, nth),
    kind: "child",
    node: name,
    openedAt: draft.env.at,
    instance: position,
    data,
    host,
  };
}

/** The effect of a change of the list of results; of nothing where none are collected. Cost: the change. */
function collected(
  draft: Draft,
  node: number,
  { results }: MultiInstance,
  change: (list: Json[]) => void,
): Effect {
  const before: Before = draft;
  if (results === null) return plainEffect(before, DONE);
  const answer = { outcome: DONE, patch: {}, mutation: null };
  return acceptAnswer(
    draft.plan,
    node,
    before,
    (data) => {
      const list = data[results];
      if (Array.isArray(list)) change(list as Json[]);
      else {
        const fresh: Json[] = [];
        change(fresh);
        data[results] = fresh;
      }
      return { kind: "answer", answer };
    },
    draft.env,
  );
}

/** Is the activity complete? Its condition sees D and the four counts of BPMN. */
function isOver(
  { env }: Draft,
  { completion }: MultiInstance,
  { total, opened, completed }: InstanceCounts,
  data: JsonObject,
): boolean | Trouble {
  if (completed === total) return true;
  const parsed = completion === null ? null : parseCondition(completion);
  if (parsed?.ok !== true) return false;
  const counts = {
    numberOfInstances: total,
    numberOfActiveInstances: opened - completed,
    numberOfCompletedInstances: completed,
    numberOfTerminatedInstances: 0,
  };
  const answer = evaluateCondition(parsed.value, { ...data, ...counts }, conditionsAt(env));
  if (answer.kind === "value") return answer.value;
  return {
    code: answer.code,
    message: answer.message,
    ...(answer.facts === undefined ? {} : { facts: answer.facts }),
  };
}
