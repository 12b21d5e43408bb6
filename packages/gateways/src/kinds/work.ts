/** @module Kinds with a body: transform and verifier run in the turn; tool, integration and agent are jobs. */
import { ERROR, type KindSpec, type Outcome, type WorkflowNode } from "@tessera/core";
import { BESIDE_TASK, eventIssues } from "../event-issues.ts";
import { eventOutcomes } from "../events.ts";
import { restFragment, stepFragment } from "../fragment.ts";
import {
  EVENTS,
  expiry,
  isCount,
  isFlag,
  isObject,
  isText,
  isTexts,
  type MetaShape,
  metaIssues,
  metaOf,
  outcomesOf,
} from "./kind.ts";

const INLINE: MetaShape = {
  function: { is: isText, expected: "the name of a registered function" },
  outcomes: { is: isTexts, expected: "a list of distinct labels" },
};

/** transform: a pure function of D and G, run inside the turn. meta.function names it (default: the node's id). */
export const TRANSFORM: KindSpec = {
  name: "transform",
  version: 1,
  body: () => "inline",
  alphabet: (node) => outcomesOf(node, ERROR),
  fragment: stepFragment,
  validate: (node) => metaIssues(node, INLINE),
};

/** verifier: a deterministic predicate of D and G that writes the boolean D[passKey], and nothing else. */
export const VERIFIER: KindSpec = {
  name: "verifier",
  version: 1,
  body: () => "inline",
  alphabet: () => ["done", ERROR],
  fragment: stepFragment,
  validate: (node) =>
    metaIssues(node, {
      function: { is: isText, expected: "the name of a registered function" },
      passKey: { is: isText, expected: "a key of D", required: true },
    }),
};

const JOB: MetaShape = {
  ...EVENTS,
  port: { is: isText, expected: "the name of a registered port" },
  outcomes: { is: isTexts, expected: "a list of distinct labels" },
  deadline: { is: isText, expected: "an ISO 8601 date or duration" },
  timeout: { is: isText, expected: "an ISO 8601 duration" },
  retry: { is: isObject, expected: "{ attempts, backoff? }" },
  inputs: { is: isObject, expected: "an object" },
};

/** The body of a job is a port: meta.port names it (default: the node's id). */
function job(name: string, extra: MetaShape, added: (node: WorkflowNode) => readonly Outcome[]): KindSpec {
  const alphabet = (node: WorkflowNode) =>
    outcomesOf(node, ...eventOutcomes(node), ...added(node), ERROR, ...expiry(node));
  return {
    name,
    version: 1,
    body: () => "job",
    alphabet,
    fragment: restFragment,
    validate: (node) => [
      ...metaIssues(node, { ...JOB, ...extra }),
      ...eventIssues(node, { ...BESIDE_TASK, labels: outcomesOf(node, ...added(node), ERROR) }),
    ],
  };
}

/** tool: calls a declared tool outside the turn. */
export const TOOL: KindSpec = job("tool", {}, () => []);

/** integration: calls a sealed connector; D and the journal hold handles only. */
export const INTEGRATION: KindSpec = job(
  "integration",
  { connector: { is: isText, expected: "a connector id" } },
  () => [],
);

/** agent: an agentic step; everything agentic happens inside. With a budget it can end `exhausted`. */
export const AGENT: KindSpec = job(
  "agent",
  {
    orchestration: { is: isObject, expected: "{ pattern, agents, handoffs, interrupts, budget }" },
    ideCapable: { is: isFlag, expected: "true or false" },
    turnsMax: { is: isCount, expected: "a non-negative integer" },
  },
  (node) =>
    metaOf(node, "orchestration") === undefined && metaOf(node, "turnsMax") === undefined
      ? []
      : ["exhausted"],
);
