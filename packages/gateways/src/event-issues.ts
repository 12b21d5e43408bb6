/** @module What is wrong with the events of a node, all at once. */
import {
  EXPIRED,
  type Issue,
  issue,
  type Json,
  type JsonObject,
  type Outcome,
  type WorkflowNode,
} from "@tessera/core";
import { eventsOf, ONE_SHOTS_MAX, oneShotsOf } from "./events.ts";
import { isCount, isFlag, isText, isTextMap, type MetaShape, metaOf } from "./kinds/kind.ts";

/** What events of a node may be. */
export interface EventRules {
  /** Types of events. */
  readonly on: readonly ("timer" | "message" | "signal" | "escalation")[];
  /** May they leave the wait open? */
  readonly beside: boolean;
  /** The labels that the node has without events: an event has another one. */
  readonly labels: readonly Outcome[];
}

/** Events at a node that waits for somebody or something else. */
export const BESIDE_TASK: Omit<EventRules, "labels"> = { on: ["timer", "message", "signal"], beside: true };

const MEMBERS: MetaShape = {
  id: { is: isText, expected: "a label", required: true },
  on: { is: isText, expected: "timer, message, signal or escalation", required: true },
  name: { is: isText, expected: "the name of a message, a signal or an escalation" },
  date: { is: isText, expected: "an ISO 8601 date" },
  duration: { is: isText, expected: "an ISO 8601 duration" },
  cycle: { is: isText, expected: "an ISO 8601 repetition" },
  key: { is: isText, expected: "a key of D" },
  payload: { is: isTextMap, expected: "an object from keys to keys of what comes" },
  interrupting: { is: isFlag, expected: "true or false" },
  workflow: { is: isText, expected: "the name of a deployed workflow" },
  inputs: { is: isTextMap, expected: "an object from keys of the handler to keys of D" },
  outputs: { is: isTextMap, expected: "an object from keys of D to keys of the handler" },
  openMax: { is: (value) => isCount(value) && value !== 0, expected: "a positive integer" },
};

/** The members that an event of each type has besides id, on, interrupting and those of its handler. */
const OWN: Readonly<Record<EventRules["on"][number], readonly string[]>> = {
  timer: ["date", "duration", "cycle", "key"],
  message: ["name", "key", "payload"],
  signal: ["name", "payload"],
  escalation: ["name"],
};

const HANDLER = ["workflow", "inputs", "outputs", "openMax"];

/** KIND009 to KIND011: malformed events, labels that are not the event's alone, too many one-shot ones. */
export function eventIssues(node: WorkflowNode, rules: EventRules): readonly Issue[] {
  const list = metaOf(node, "events");
  if (list === undefined) return [];
  if (!Array.isArray(list) || list.length === 0)
    return [issue("KIND009", ["meta", "events"], `events of "${node.id}" is no list of events`)];
  const found = list.flatMap((member, at) => memberIssues(node, member as Json, at, rules));
  const seen = new Set<Outcome>([...rules.labels, EXPIRED]);
  eventsOf(node).forEach(({ id }, at) => {
    const message = `"${id}" is the label of something else at "${node.id}"`;
    if (seen.has(id)) found.push(issue("KIND010", ["meta", "events", at, "id"], message));
    seen.add(id);
  });
  if (oneShotsOf(node).length > ONE_SHOTS_MAX) {
    const message = `"${node.id}" has more than ${ONE_SHOTS_MAX} events that leave it open and have no workflow`;
    found.push(issue("KIND011", ["meta", "events"], message, { max: ONE_SHOTS_MAX }));
  }
  return found;
}

function memberIssues(node: WorkflowNode, member: Json, at: number, rules: EventRules): readonly Issue[] {
  const path = ["meta", "events", at];
  const wrong = (message: string, ...where: string[]) =>
    issue("KIND009", [...path, ...where], `event ${at} of "${node.id}": ${message}`);
  if (typeof member !== "object" || member === null || Array.isArray(member))
    return [wrong("it is no object")];
  const event = member as JsonObject;
  const found: Issue[] = [];
  for (const [name, { is, expected, required }] of Object.entries(MEMBERS)) {
    const value = Object.hasOwn(event, name) ? event[name] : undefined;
    if (value === undefined && required === true) found.push(wrong(`it needs ${name}: ${expected}`));
    if (value !== undefined && !is(value)) found.push(wrong(`${name} is not ${expected}`, name));
  }
  const { on } = event;
  const type = rules.on.find((known) => known === on);
  if (type === undefined) return [...found, wrong(`here an event is of ${rules.on.join(", ")}`, "on")];
  const isBeside = event["interrupting"] === false;
  const known = ["id", "on", "interrupting", ...OWN[type], ...(isBeside ? HANDLER : [])];
  for (const name of Object.keys(event))
    if (!known.includes(name)) found.push(wrong(`such an event has no "${name}"`, name));
  if (isBeside && !rules.beside) found.push(wrong("here it must be interrupting", "interrupting"));
  return [...found, ...typeIssues(event, type, isBeside, wrong)];
}

function typeIssues(
  event: JsonObject,
  type: EventRules["on"][number],
  isBeside: boolean,
  wrong: (message: string, ...where: string[]) => Issue,
): readonly Issue[] {
  const has = (name: string) => Object.hasOwn(event, name);
  switch (type) {
    case "timer": {
      const times = OWN.timer.filter(has);
      if (times.length !== 1) return [wrong(`it needs exactly one of ${OWN.timer.join(", ")}`)];
      return isBeside && has("cycle") && !has("workflow")
        ? [wrong("a cycle that leaves the wait open needs a workflow for each time", "cycle")]
        : [];
    }
    case "escalation":
      return [
        ...(has("name") ? [] : [wrong("it needs name")]),
        ...(isBeside && !has("workflow")
          ? []
          : [wrong("an escalation goes on along arcs beside the subprocess")]),
      ];
    case "message":
    case "signal":
      return has("name") ? [] : [wrong("it needs name")];
  }
}
