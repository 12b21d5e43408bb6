/** @module Kinds of events on the way: catch waits for the first of its events, throw sends one and goes on. */
import {
  DONE,
  ERROR,
  type Issue,
  issue,
  type Json,
  type KindSpec,
  type WorkflowGraph,
  type WorkflowNode,
} from "@tessera/core";
import { escalationTaker, raisedPlace } from "../event-fragment.ts";
import { eventIssues } from "../event-issues.ts";
import { eventOutcomes } from "../events.ts";
import { produce, restFragment } from "../fragment.ts";
import { entries } from "../join.ts";
import { EVENTS, isText, isTextMap, metaIssues, metaOf } from "./kind.ts";

/**
 * catch: rests until the first of `events` comes; the others are closed in the same turn. One event makes an
 * intermediate catch event or a receive task, several an event-based gateway with what stands behind it.
 */
export const CATCH: KindSpec = {
  name: "catch",
  version: 1,
  body: () => "event",
  alphabet: (node) => [...new Set(eventOutcomes(node))],
  fragment: restFragment,
  validate: (node) => [
    ...metaIssues(node, EVENTS),
    ...eventIssues(node, { on: ["timer", "message", "signal"], beside: false, labels: [ERROR] }),
    ...(metaOf(node, "events") === undefined
      ? [issue("KIND012", ["meta"], `catch "${node.id}" needs events`)]
      : []),
  ],
};

/** What a throw sends. `key` and `payload` read D; a `payload` maps keys of what is sent to keys of D. */
export interface Thrown {
  readonly on: "message" | "signal" | "escalation";
  readonly name: string;
  readonly key: string | null;
  readonly payload: Json;
  /** How long a message waits for its receiver, ISO 8601. */
  readonly ttl: string | null;
}

/** What the node throws, null when it is no throw. */
export function thrownBy(node: WorkflowNode): Thrown | null {
  const on = metaOf(node, "on");
  const name = metaOf(node, "name");
  const isThrown = on === "message" || on === "signal" || on === "escalation";
  if (node.kind !== THROW_NAME || !isThrown || typeof name !== "string") return null;
  const text = (value: Json | undefined) => (typeof value === "string" ? value : null);
  return {
    on,
    name,
    key: text(metaOf(node, "key")),
    payload: metaOf(node, "payload") ?? {},
    ttl: text(metaOf(node, "ttl")),
  };
}

const THROW_NAME = "throw";

/**
 * throw: sends a message or a signal with the turn, or raises an escalation for the innermost subprocess around it that
 * takes it, and goes on. Where the correlation key is read from D it can be missing: then the outcome is error.
 */
export const THROW: KindSpec = {
  name: THROW_NAME,
  version: 1,
  body: () => "route",
  alphabet: (node) => (metaOf(node, "key") === undefined ? [DONE] : [DONE, ERROR]),
  fragment: (b) => {
    const thrown = thrownBy(b.node);
    const taker = thrown?.on === "escalation" ? escalationTaker(b.graph, b.node.id, thrown.name) : null;
    const raised = taker === null ? [] : [[raisedPlace(b, taker.scope, taker.event.id), 1] as const];
    produce(b, "step", entries(b), "by-structure", raised);
  },
  validate: (node, graph) => [
    ...metaIssues(node, {
      on: { is: isText, expected: "message, signal or escalation", required: true },
      name: { is: isText, expected: "the name of what is thrown", required: true },
      key: { is: isText, expected: "a key of D" },
      payload: { is: isTextMap, expected: "an object from keys of what is sent to keys of D" },
      ttl: { is: isText, expected: "an ISO 8601 duration" },
    }),
    ...throwIssues(node, graph),
  ],
};

function throwIssues(node: WorkflowNode, graph: WorkflowGraph): readonly Issue[] {
  const thrown = thrownBy(node);
  const wrong = (message: string) => [issue("KIND012", ["meta"], `throw "${node.id}" ${message}`)];
  if (thrown === null) return wrong("sends a message, a signal or an escalation with a name");
  const { on, name, key, ttl } = thrown;
  if (on !== "message" && (key !== null || ttl !== null)) return wrong("has key or ttl and sends no message");
  if (on === "escalation" && metaOf(node, "payload") !== undefined) return wrong("raises no data");
  if (on === "escalation" && escalationTaker(graph, node.id, name) === null)
    return wrong(`raises "${name}", which no subprocess around it takes`);
  return [];
}
