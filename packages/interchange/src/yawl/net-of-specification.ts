/** @module The net of a YAWL specification: conditions and flows are places, tasks start and end, nets of tasks are put in place. */
import type { NetDefinition, NetDefinitionPlace, NetDefinitionTransition } from "@tessera/core";
import type { IssueLog } from "../issue-log.ts";
import type { YawlElement, YawlNet, YawlSpecification } from "./specification.ts";

/** Flows out of an OR split: each non-empty subset of them is a transition. */
export const OR_FLOWS_MAX = 10;
/** Places and transitions of the whole, with the nets of tasks put in place. */
const SIZE_MAX = 100_000;

/** One per specification; never shared. */
interface Draft {
  readonly specification: YawlSpecification;
  readonly log: IssueLog;
  readonly places: NetDefinitionPlace[];
  readonly transitions: NetDefinitionTransition[];
  /** Nets that are being put in place, outermost first. */
  readonly open: string[];
}

/**
 * The net of a specification. A condition is a place; so is a flow between two tasks, which is a condition that YAWL
 * does not draw. A task has a place that is marked while it is at work, a start for each way in and an end for each way
 * out. A task that stands for a net has that net's input condition and output condition for its start and its end.
 * `joinSemantics` is yawl; final is one token on the output condition. Undefined with the issues in the log.
 *
 * @definition D18.2
 */
export function netOfSpecification(
  specification: YawlSpecification,
  log: IssueLog,
): NetDefinition | undefined {
  const draft: Draft = { specification, log, places: [], transitions: [], open: [] };
  addNet(draft, specification.root, "");
  if (log.hasErrors()) return undefined;
  const { root, uri } = specification;
  const places = draft.places.map((place) => (place.id === root.input ? { ...place, initial: 1 } : place));
  return {
    format: 1,
    kind: "net",
    id: uri,
    places,
    transitions: draft.transitions,
    finals: [{ [root.output]: 1 }],
    joinSemantics: "yawl",
  };
}

/** Adds a net, every id behind `prefix`. Gives all its places, those of the nets inside included. */
function addNet(draft: Draft, net: YawlNet, prefix: string): readonly string[] {
  const before = draft.places.length;
  draft.open.push(net.id);
  const inside = new Map<string, readonly string[]>();
  for (const element of net.elements.values()) {
    if (element.kind !== "task") addPlace(draft, prefix + element.id, element.name);
    else inside.set(element.id, addWork(draft, element, prefix));
    for (const to of element.flowsTo)
      if (isBetweenTasks(net, element.id, to)) addPlace(draft, prefix + flowId(element.id, to), undefined);
  }
  for (const element of net.elements.values())
    if (element.kind === "task" && isSmall(draft, element)) addTask(draft, net, element, prefix, inside);
  draft.open.pop();
  return draft.places.slice(before).map(({ id }) => id);
}

function isBetweenTasks({ elements }: YawlNet, from: string, to: string): boolean {
  return elements.get(from)?.kind === "task" && elements.get(to)?.kind === "task";
}

/** The id of the condition between two tasks. */
function flowId(from: string, to: string): string {
  return `${from}->${to}`;
}

/** The place of a flow: its condition, or the one between two tasks. */
function placeOfFlow(net: YawlNet, from: string, to: string, prefix: string): string {
  const between = isBetweenTasks(net, from, to) ? flowId(from, to) : undefined;
  return prefix + (between ?? (net.elements.get(from)?.kind === "task" ? to : from));
}

/** The places of a task that is at work: one, or those of its net. */
function addWork(draft: Draft, task: YawlElement, prefix: string): readonly string[] {
  const net = task.net === undefined ? undefined : draft.specification.nets.get(task.net);
  if (net === undefined) {
    const id = activeId(task, prefix);
    addPlace(draft, id, task.name);
    return [id];
  }
  if (draft.open.includes(net.id)) {
    draft.log.error(
      "YAWL008",
      task.at,
      `task "${task.id}" stands for the net "${net.id}", in which it is itself`,
      { id: task.id },
    );
    return [];
  }
  return isSmall(draft, task) ? addNet(draft, net, `${prefix}${task.id}/`) : [];
}

function activeId(task: YawlElement, prefix: string): string {
  return `${prefix}${task.id}.active`;
}

function addTask(
  draft: Draft,
  net: YawlNet,
  task: YawlElement,
  prefix: string,
  inside: ReadonlyMap<string, readonly string[]>,
): void {
  const name = prefix + task.id;
  const own = task.net === undefined ? undefined : draft.specification.nets.get(task.net);
  const begin = own === undefined ? activeId(task, prefix) : `${name}/${own.input}`;
  const finish = own === undefined ? activeId(task, prefix) : `${name}/${own.output}`;
  const label = { label: task.name ?? task.id };
  const inputs = task.flowsFrom.map((from) => placeOfFlow(net, from, task.id, prefix));
  const start = { ...label, post: [[begin, 1]] as const };
  const one = (place: string) => [place, 1] as const;
  if (inputs.length === 1 || task.join === "and")
    addTransition(draft, { id: `${name}.start`, pre: inputs.map(one), ...start });
  else if (task.join === "or")
    addTransition(draft, { id: `${name}.start`, pre: [], orJoin: inputs, ...start });
  else
    for (const [flow, place] of inputs.entries())
      addTransition(draft, { id: `${name}.start<${task.flowsFrom[flow]}`, pre: [one(place)], ...start });
  const reset = emptied(net, task, prefix, inside);
  const outputs = task.flowsTo.map((to) => placeOfFlow(net, task.id, to, prefix));
  for (const chosen of waysOut(draft, task, outputs)) {
    const numbers = chosen.map((place) => outputs.indexOf(place));
    const suffix =
      chosen.length === outputs.length ? "" : `>${numbers.map((flow) => task.flowsTo[flow]).join("+")}`;
    addTransition(draft, {
      id: `${name}.end${suffix}`,
      ...label,
      pre: [one(finish)],
      post: chosen.map(one),
      ...(reset.length === 0 ? {} : { reset }),
    });
  }
}

/** The sets of places that the end of a task marks, the larger first. */
function waysOut(
  draft: Draft,
  task: YawlElement,
  outputs: readonly string[],
): readonly (readonly string[])[] {
  if (task.split === "and" || outputs.length < 2) return [outputs];
  if (task.split === "xor") return outputs.map((place) => [place]);
  if (outputs.length > OR_FLOWS_MAX) {
    const message = `task "${task.id}" chooses among ${outputs.length} flows; ${OR_FLOWS_MAX} are supported`;
    draft.log.error("YAWL012", task.at, message, { id: task.id, flows: outputs.length });
    return [];
  }
  const subsets = Array.from({ length: 2 ** outputs.length - 1 }, (_, bits) =>
    outputs.filter((_place, index) => ((bits + 1) & (1 << index)) !== 0),
  );
  return subsets.sort((a, b) => b.length - a.length);
}

/** The places that the end of a task empties: of conditions, of flows, and of tasks at work. */
function emptied(
  net: YawlNet,
  task: YawlElement,
  prefix: string,
  inside: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const ofElements = task.removes.flatMap((id) => inside.get(id) ?? [prefix + id]);
  const ofFlows = task.removesFlows
    .filter(([from, to]) => net.elements.get(from)?.flowsTo.includes(to) === true)
    .map(([from, to]) => placeOfFlow(net, from, to, prefix));
  return [...new Set([...ofElements, ...ofFlows])];
}

function addPlace(draft: Draft, id: string, label: string | undefined): void {
  draft.places.push({ id, ...(label === undefined ? {} : { label }) });
}

function addTransition(draft: Draft, transition: NetDefinitionTransition): void {
  draft.transitions.push(transition);
}

/** Nets inside nets can be exponentially many; false, with an issue, beyond the limit. */
function isSmall({ places, transitions, log }: Draft, task: YawlElement): boolean {
  if (places.length + transitions.length <= SIZE_MAX) return true;
  const message = `with the nets of its tasks the specification has more than ${SIZE_MAX} places and transitions`;
  log.error("YAWL013", task.at, message, { sizeMax: SIZE_MAX });
  return false;
}
