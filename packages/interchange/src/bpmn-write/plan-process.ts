/** @module From a workflow to the elements and flows of a process: gateways in front and behind, outcomes, defaults. */
import {
  type Arc,
  arcOutcome,
  CANCELLED,
  DONE,
  ERROR,
  EXPIRED,
  type Json,
  type Split,
  splitOf,
  type WorkflowDefinition,
  type WorkflowNode,
} from "@tessera/core";
import { type FlowCondition, flowCondition } from "./feel-text.ts";
import { addNode, objectOf, textOf, textsOf, timerOf } from "./node-elements.ts";
import {
  addElement,
  addFlow,
  errorId,
  freshId,
  grouped,
  leaveOut,
  type Plan,
  type PlannedElement,
  refuse,
} from "./plan.ts";

/** A node that is planned: flows come in at `front`; `back` is where its outcome done leaves. */
interface Planned {
  readonly node: WorkflowNode;
  readonly front: PlannedElement;
  readonly back: PlannedElement;
}

interface Planning {
  readonly plan: Plan;
  readonly definition: WorkflowDefinition;
  readonly planned: Map<string, Planned>;
  /** Arcs that are written, by source. */
  readonly arcsFrom: ReadonlyMap<string, readonly Arc[]>;
  readonly arcsInto: ReadonlyMap<string, number>;
}

/** Plans the whole definition; returns the id of the process. Issues and warnings go to the plan. */
export function planProcess(plan: Plan, definition: WorkflowDefinition): string {
  const processId = freshId(plan, definition.id);
  if (Object.keys(definition.data ?? {}).length > 0)
    leaveOut(plan, "BPMN084", ["data"], "the declared types of data are not written");
  if ((definition.constraints ?? []).length > 0)
    refuse(plan, "BPMN080", ["constraints"], "constraints on the product graph have no place in BPMN");
  const left = uncaughtErrors(definition);
  const arcs = definition.arcs.filter((arc) => !(left.has(arc.to) && isUncaught(arc)));
  const kept = (node: WorkflowNode) => !left.has(node.id) || arcs.some(({ to }) => to === node.id);
  const into = new Map<string, number>();
  for (const { to } of arcs) into.set(to, (into.get(to) ?? 0) + 1);
  const planning: Planning = {
    plan,
    definition,
    planned: new Map(),
    arcsFrom: grouped(arcs, ({ from }) => from),
    arcsInto: into,
  };
  const scopeIds = new Map<string, string>();
  for (const [index, node] of outermostFirst(definition)) {
    if (!kept(node)) continue;
    const scope = node.scope === undefined ? undefined : scopeIds.get(node.scope);
    const made = planNode(planning, node, index, scope);
    if (made === undefined) continue;
    planning.planned.set(node.id, made);
    if (made.back.tag === "subProcess") scopeIds.set(node.id, made.back.id);
  }
  if (plan.issues.length > 0) return processId;
  for (const { node, back } of [...planning.planned.values()]) planOutcomes(planning, node, back);
  planEntries(planning, scopeIds);
  return processId;
}

/** Nodes with their index, each scope before what it holds. */
function outermostFirst(definition: WorkflowDefinition): readonly (readonly [number, WorkflowNode])[] {
  const inner = grouped([...definition.nodes.entries()], ([, node]) => node.scope);
  const ordered = [...(inner.get(undefined) ?? [])];
  for (const [, node] of ordered) ordered.push(...(inner.get(node.id) ?? []));
  return ordered;
}

/**
 * Ends that say what BPMN says of an error that nothing catches: it ends the scope, as an error. The arcs that lead there
 * from failing tasks need not be drawn.
 */
function uncaughtErrors({ nodes }: WorkflowDefinition): ReadonlySet<string> {
  const ends = nodes.filter(
    (node) => node.kind === "end" && node.meta?.terminate === true && textOf(node, "outcome") === ERROR,
  );
  return new Set(ends.map(({ id }) => id));
}

function isUncaught(arc: Arc): boolean {
  return [ERROR, CANCELLED].includes(arcOutcome(arc)) && arc.guard === undefined;
}

function planNode(
  planning: Planning,
  node: WorkflowNode,
  index: number,
  scope: string | undefined,
): Planned | undefined {
  const { plan } = planning;
  const isRoute = node.kind === "gateway" || node.kind === "decision";
  if (isRoute) return planRoute(planning, node, index, scope);
  const element = addNode(plan, planning.definition, index, scope);
  if (element === undefined) return undefined;
  const join = node.join ?? "any";
  if (join === "any" || inputsOf(planning, node) < 2) return { node, front: element, back: element };
  const front = addElement(plan, `${node.id}.join`, GATEWAY[join], "", scope);
  addFlow(plan, front, element);
  return { node, front, back: element };
}

const GATEWAY = {
  any: "exclusiveGateway",
  first: "exclusiveGateway",
  all: "parallelGateway",
  or: "inclusiveGateway",
} as const;

/** A gateway has one rule; a node that joins by one and splits by another becomes two. */
function planRoute(
  planning: Planning,
  node: WorkflowNode,
  index: number,
  scope: string | undefined,
): Planned | undefined {
  const { plan } = planning;
  if (node.meta?.loop !== undefined) {
    refuse(
      plan,
      "BPMN081",
      ["nodes", index],
      `"${node.id}" governs a loop with a budget, which BPMN cannot say`,
    );
    return undefined;
  }
  const name = node.label ?? "";
  const joins = inputsOf(planning, node) > 1 ? GATEWAY[node.join ?? "any"] : null;
  const isKeyed = node.meta?.branches !== undefined;
  const split = isKeyed ? "first" : splitOf(node, DONE);
  const out = planning.arcsFrom.get(node.id) ?? [];
  const splits = out.length > 1 || out.some(({ guard }) => guard !== undefined) ? GATEWAY[split] : null;
  if (joins === null || splits === null || joins === splits) {
    const only = addElement(plan, node.id, joins ?? splits ?? GATEWAY.any, name, scope);
    return { node, front: only, back: only };
  }
  const front = addElement(plan, `${node.id}.join`, joins, "", scope);
  const back = addElement(plan, node.id, splits, name, scope);
  addFlow(plan, front, back);
  return { node, front, back };
}

/** Ways into a node, the start of its scope included. */
function inputsOf({ definition, arcsInto }: Planning, node: WorkflowNode): number {
  const isEntry = entryOf(definition, node.scope) === node.id;
  return (arcsInto.get(node.id) ?? 0) + (isEntry ? 1 : 0);
}

function entryOf(definition: WorkflowDefinition, scope: string | undefined): string | undefined {
  if (scope === undefined) return definition.entry;
  const owner = definition.nodes.find(({ id }) => id === scope);
  return owner === undefined ? undefined : textOf(owner, "entry");
}

/** A start event where the entry of a scope is none. */
function planEntries({ plan, definition, planned }: Planning, scopeIds: ReadonlyMap<string, string>): void {
  for (const scope of [undefined, ...scopeIds.keys()]) {
    const entry = planned.get(entryOf(definition, scope) ?? "");
    if (entry === undefined || entry.front.tag === "startEvent") continue;
    const within = scope === undefined ? undefined : scopeIds.get(scope);
    addFlow(plan, addElement(plan, `${scope ?? definition.id}.start`, "startEvent", "", within), entry.front);
  }
}

function planOutcomes(planning: Planning, node: WorkflowNode, back: PlannedElement): void {
  const groups = grouped(planning.arcsFrom.get(node.id) ?? [], arcOutcome);
  if (node.kind === "decision" && node.meta?.branches !== undefined) {
    planKeyed(planning, node, back, groups);
    return;
  }
  if (["human", "collect", "wait"].includes(node.kind)) {
    planAnswers(planning, node, back, groups);
    return;
  }
  for (const [outcome, arcs] of groups) {
    if (outcome === DONE) leave(planning, node, back, arcs, splitOf(node, DONE));
    else leave(planning, node, boundary(planning, node, back, outcome), arcs, splitOf(node, outcome));
  }
}

/** The boundary event that catches an outcome other than done. */
function boundary(
  planning: Planning,
  node: WorkflowNode,
  host: PlannedElement,
  outcome: string,
): PlannedElement {
  const { plan } = planning;
  const event = addElement(plan, `${node.id}.${outcome}`, "boundaryEvent", outcome, host.scope);
  event.attributes.set("attachedToRef", host.id);
  if (outcome === EXPIRED) event.body = timerOf(textOf(node, "deadline") ?? "PT0S");
  else if (outcome === ERROR) event.body = "<errorEventDefinition/>";
  else if (outcome === CANCELLED)
    refuse(
      plan,
      "BPMN082",
      pathOf(planning, node),
      `the cancellation of "${node.id}" is caught, which BPMN cannot say of a call`,
    );
  else event.body = `<errorEventDefinition errorRef="${errorId(plan, outcome)}"/>`;
  return event;
}

/** The answers of a person: a gateway that asks for the answer, which is written to a variable named after the task. */
function planAnswers(
  planning: Planning,
  node: WorkflowNode,
  back: PlannedElement,
  groups: ReadonlyMap<string, readonly Arc[]>,
): void {
  const { plan } = planning;
  const expired = groups.get(EXPIRED);
  if (expired !== undefined)
    leave(planning, node, boundary(planning, node, back, EXPIRED), expired, splitOf(node, EXPIRED));
  const answers = [...groups].filter(([outcome]) => outcome !== EXPIRED);
  const [only] = answers;
  if (answers.length === 1 && only?.[0] === DONE && textsOf(node, "outcomes").length <= 1) {
    leave(planning, node, back, only[1], splitOf(node, DONE));
    return;
  }
  if (answers.length === 0) return;
  const variable = `${node.id.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "_")}_answer`;
  const gateway = addElement(plan, `${node.id}.answer`, GATEWAY.first, "", back.scope);
  addFlow(plan, back, gateway);
  for (const [index, [outcome, arcs]] of answers.entries()) {
    const isLast = index === answers.length - 1;
    const condition = flowCondition({ key: variable, op: "is", value: outcome }, {});
    if (condition === null && !isLast)
      refuse(plan, "BPMN083", pathOf(planning, node), `the answer "${outcome}" cannot be written in FEEL`);
    branch(planning, node, gateway, arcs, splitOf(node, outcome), isLast ? null : condition, isLast);
  }
}

/** A decision by key: one flow for each label, the default or the error as default flow. */
function planKeyed(
  planning: Planning,
  node: WorkflowNode,
  back: PlannedElement,
  groups: ReadonlyMap<string, readonly Arc[]>,
): void {
  const { plan, definition } = planning;
  const key = textOf(node, "key") ?? "";
  const type = Object.hasOwn(definition.data ?? {}, key) ? definition.data?.[key]?.type : undefined;
  const values = grouped(Object.entries(objectOf(node, "branches")), ([, label]) => String(label));
  for (const [outcome, arcs] of groups) {
    const own = (values.get(outcome) ?? []).map(([value]) => constantOf(value, type));
    const isRest = own.length === 0;
    const condition = isRest
      ? null
      : flowCondition(
          own.length === 1 ? { key, op: "is", value: own[0] ?? null } : { key, op: "isOneOf", value: own },
          {},
        );
    if (!isRest && condition === null)
      refuse(plan, "BPMN083", pathOf(planning, node), `the branch "${outcome}" cannot be written in FEEL`);
    branch(planning, node, back, arcs, splitOf(node, outcome), condition, isRest);
  }
}

/** Keys are compared as text; a declared type says what the text stands for. */
function constantOf(value: string, type: string | undefined): Json {
  if ((type === "number" || type === "integer") && String(Number(value)) === value) return Number(value);
  return type === "boolean" && (value === "true" || value === "false") ? value === "true" : value;
}

/** One flow of a gateway that stands for a whole outcome: to its target, or to a gateway of the outcome's own. */
function branch(
  planning: Planning,
  node: WorkflowNode,
  gateway: PlannedElement,
  arcs: readonly Arc[],
  split: Split,
  condition: FlowCondition | null,
  isDefault: boolean,
): void {
  const { plan } = planning;
  const [only] = arcs;
  const isPlain = arcs.length === 1 && only?.guard === undefined;
  const direct = isPlain && only !== undefined ? planning.planned.get(only.to)?.front : undefined;
  const target =
    direct ??
    addElement(
      plan,
      `${node.id}.${only === undefined ? "" : arcOutcome(only)}`,
      GATEWAY[split],
      "",
      gateway.scope,
    );
  const flow = addFlow(plan, gateway, target, condition);
  if (isDefault) gateway.attributes.set("default", flow.id);
  if (direct === undefined) spread(planning, target, arcs, split);
}

/** The arcs of one outcome out of `source`, behind a gateway where `source` is none and there is a choice. */
function leave(
  planning: Planning,
  node: WorkflowNode,
  source: PlannedElement,
  arcs: readonly Arc[],
  split: Split,
): void {
  const { plan } = planning;
  const isGateway = source.tag.endsWith("Gateway");
  const isChoice = arcs.length > 1 || arcs.some(({ guard }) => guard !== undefined);
  if (isGateway || !isChoice) {
    spread(planning, source, arcs, split);
    return;
  }
  const gateway = addElement(plan, `${node.id}.next`, GATEWAY[split], "", source.scope);
  addFlow(plan, source, gateway);
  spread(planning, gateway, arcs, split);
}

function spread(planning: Planning, source: PlannedElement, arcs: readonly Arc[], split: Split): void {
  const { plan, definition } = planning;
  for (const [index, arc] of arcs.entries()) {
    const target = planning.planned.get(arc.to)?.front;
    if (target === undefined) continue;
    const isDefault = arc.default === true;
    const guard = split === "all" || isDefault ? undefined : arc.guard;
    const condition = guard === undefined ? null : flowCondition(guard, definition.data ?? {});
    if (guard !== undefined && condition === null)
      refuse(
        plan,
        "BPMN083",
        ["arcs", definition.arcs.indexOf(arc), "guard"],
        "the guard cannot be written in FEEL",
      );
    const flow = addFlow(plan, source, target, condition);
    // The last way without a guard is what is taken otherwise.
    const isLast =
      split === "first" && index === arcs.length - 1 && arcs.length > 1 && arc.guard === undefined;
    if (source.tag.endsWith("Gateway") && (isDefault || (isLast && !source.attributes.has("default"))))
      source.attributes.set("default", flow.id);
  }
}

function pathOf({ definition }: Planning, node: WorkflowNode): readonly (string | number)[] {
  return ["nodes", definition.nodes.indexOf(node)];
}
