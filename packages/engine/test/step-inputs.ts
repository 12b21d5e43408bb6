/** @module Everything that can come to a run as it rests, on concrete values: for oracles that look at all runs. */
import { type Data, EMPTY_MUTATION, type Json, type OpenItem, type RunState } from "@tessera/core";
import { eventsOf, mergeBlocks, multiOf } from "@tessera/gateways";
import { answerLabels } from "../src/input.ts";
import type { Plan } from "../src/plan.ts";
import type { InputEvent } from "../src/turn.ts";

/** The values that each key takes; undefined: it is not there. */
export type Values = Readonly<Record<string, readonly (Json | undefined)[]>>;

type Patch = { readonly [key: string]: Json | undefined };

/** What no key of D takes: a message brings it, too. */
export const UNTAKEN = "(untaken)";

/** Every way to give the keys values, or to leave them out where that is among the values. */
export function combinations(keys: readonly string[], values: Values): readonly Data[] {
  return keys.reduce<readonly Data[]>(
    (all, key) =>
      all.flatMap((data) =>
        (values[key] ?? []).map((value) => (value === undefined ? data : { ...data, [key]: value })),
      ),
    [{}],
  );
}

/** Patches that set some of the keys: each one of its values, or left as it is. */
function patches(keys: readonly string[], values: Values): readonly Data[] {
  const there = Object.fromEntries(
    keys.map((key) => [key, [undefined, ...(values[key] ?? []).filter((value) => value !== undefined)]]),
  );
  return combinations(keys, there);
}

/** Everything that can come to the run as it rests. */
export function inputsOf(
  plan: Plan,
  state: RunState,
  values: Values,
  isErrorWriting: boolean,
): readonly InputEvent[] {
  return state.items.flatMap((item): readonly InputEvent[] => {
    const node = plan.nodes[plan.nodeIndex.get(item.node)!]!;
    const labels = answerLabels(plan, item.node);
    const form = node.meta?.form as object | undefined;
    const writable = form === undefined ? (node.writes ?? []) : Object.keys(form);
    // Whoever leaves out what a form asks for is asked again: no run comes of that.
    const asked = Object.entries(form ?? {}).flatMap(([key, field]) => (isOptional(field) ? [] : [key]));
    const fitting = Object.fromEntries(
      writable.flatMap((key) => {
        const listed = listedIn(form, key);
        const all = Object.hasOwn(values, key) ? values[key]! : null;
        return all === null ? [] : [[key, all.filter((value) => listed?.includes(value ?? null) !== false)]];
      }),
    );
    const own = patches(Object.keys(fitting), fitting).filter((patch) =>
      asked.every((key) => !Object.hasOwn(values, key) || Object.hasOwn(patch, key)),
    );
    const events = eventInputs(item, values, node);
    if (item.kind === "job") {
      // A job may also take a value away.
      const away = Object.keys(fitting).filter((key) => fitting[key]!.includes(undefined));
      const given: readonly Patch[] = [...own, ...away.map((key) => ({ [key]: undefined }))];
      const mutations = isStaged(plan, item.node) ? [undefined, proposal(item.node)] : [undefined];
      return [
        ...events,
        ...labels.flatMap((outcome) =>
          (outcome === "error" && !isErrorWriting ? [{}] : given).flatMap((patch) =>
            mutations.map((mutation) => ({
              input: { kind: "result", item: item.id, outcome } as const,
              payload: { patch, ...(mutation === undefined ? {} : { mutation }) },
            })),
          ),
        ),
      ];
    }
    if (item.kind === "work-item" || item.kind === "external")
      return [
        ...events,
        ...labels.flatMap((outcome) =>
          own.map((patch) => ({
            input: { kind: "complete", item: item.id, outcome, by: "ann" } as const,
            payload: { patch },
          })),
        ),
      ];
    if (item.kind !== "child") return events;
    const answers = (outcomes: readonly string[], given: readonly Data[]) =>
      outcomes.flatMap((outcome) =>
        (outcome === "done" ? given : [{}]).map((patch) => ({
          input: { kind: "result", item: item.id, outcome } as const,
          payload: { patch },
        })),
      );
    if (item.event !== undefined) {
      const { handler } = eventsOf(node).find(({ id }) => id === item.event)!;
      return answers(["done", "error"], patches(Object.keys(handler!.outputs), values));
    }
    if (multiOf(node) !== null) return answers(labels, [{ value: 1 }]);
    const outputs = Object.keys((node.meta?.outputs ?? {}) as object);
    return [...events, ...answers(labels, patches(outputs, values))];
  });
}

function isOptional(field: unknown): boolean {
  return (
    typeof field === "object" &&
    field !== null &&
    (field as { readonly optional?: boolean }).optional === true
  );
}

/** The values that the field of a form lists; undefined where it lists none. */
function listedIn(form: object | undefined, key: string): readonly Json[] | undefined {
  const field = Object.entries(form ?? {}).find(([name]) => name === key)?.[1] as unknown;
  if (typeof field !== "object" || field === null) return undefined;
  return (field as { readonly values?: readonly Json[] }).values;
}

function eventInputs(item: OpenItem, values: Values, node: Plan["nodes"][number]): readonly InputEvent[] {
  if (item.subscriptions === undefined && item.dueAt !== undefined)
    return [{ input: { kind: "timer", item: item.id, dueAt: item.dueAt } }];
  return (item.subscriptions ?? []).flatMap((subscription): readonly InputEvent[] => {
    const { event, on, name = "", dueAt } = subscription;
    if (on === "timer" && dueAt === item.dueAt && dueAt !== undefined)
      return [{ input: { kind: "timer", item: item.id, dueAt } }];
    if (on === "timer" || subscription.isFull === true) return [];
    const payload = eventsOf(node).find(({ id }) => id === event)!.payload;
    const isHandled = eventsOf(node).find(({ id }) => id === event)!.handler !== null;
    const keys = isHandled ? [] : Object.keys(payload);
    const untaken = keys.slice(0, 1).map((key): Data => ({ [key]: UNTAKEN }));
    return [...patches(keys, values), ...untaken].map((patch) => {
      const data = Object.fromEntries(
        Object.entries(patch).map(([key, value]) => [String(payload[key]), value]),
      );
      return { input: { kind: "event", item: item.id, event, on, name }, payload: { data } };
    });
  });
}

function isStaged({ program }: Plan, id: string): boolean {
  const { compiled } = program;
  if (compiled.kind === "net") return false;
  const index = compiled.graph.nodeIndex.get(id)!;
  return mergeBlocks(compiled.graph).some(
    ({ isStaged: isOne, branches }) => isOne && branches.some(({ members }) => members.has(index)),
  );
}

/** Two of these say different things of one object. */
function proposal(node: string) {
  const made = { id: "o", type: "t", payload: { by: node }, links: [] };
  return { ...EMPTY_MUTATION, create: [made] };
}
