/** @module What the proof of a workflow takes for granted, in sentences with node ids. */
import type { BodyKind, CompiledWorkflow } from "@tessera/core";
import { awaitedEvents } from "@tessera/gateways";
import { assumedAnswers, type TotalityEvidence } from "./obligations/totality.ts";
import type { Verdict } from "./verdict.ts";

/** The notion of fairness of every report. */
export const FAIRNESS =
  "O1 says that completion stays possible. That a run does complete supposes strong fairness: an outcome that is possible again and again occurs.";

/**
 * The assumptions of a proof of `compiled`, most general first. `children`: names of called workflows whose own
 * proofs were given. `o5`: where it does not hold, O1 holds up to failure at its gaps. `o9`: where it does not hold and
 * is not asked for, parallel steps are supposed to keep apart.
 */
export function assumptionsOf(
  compiled: CompiledWorkflow,
  o5: Verdict<TotalityEvidence>,
  o9: Verdict<unknown>,
  children: ReadonlySet<string>,
): readonly string[] {
  const { definition, kinds } = compiled;
  const withBody = (...bodies: readonly BodyKind[]) =>
    definition.nodes.flatMap((node, index) => {
      const body = kinds[index]?.body(node);
      return body !== undefined && bodies.includes(body) ? [node.id] : [];
    });
  const hasGuards = definition.arcs.some(({ guard }) => guard !== undefined);
  const people = withBody("work-item");
  const bodies = withBody("inline", "job", "work-item", "external", "event", "child");
  const scopes = definition.nodes.filter(
    (node, index) => kinds[index]?.body(node) === "scope" && awaitedEvents(node).length > 0,
  );
  const answering = [...bodies, ...scopes.map(({ id }) => id)];
  const timed = definition.nodes.some(
    (node, index) =>
      kinds[index]?.body(node) === "timer" ||
      node.meta?.deadline !== undefined ||
      awaitedEvents(node).some(({ on }) => on === "timer"),
  );
  const handlers = definition.nodes.flatMap((node) =>
    awaitedEvents(node).flatMap(({ id, handler }) =>
      handler === null ? [] : [{ node: node.id, id, ...handler }],
    ),
  );
  const called = [
    ...definition.nodes.flatMap(({ meta }) => (typeof meta?.workflow === "string" ? [meta.workflow] : [])),
    ...handlers.map(({ workflow }) => workflow),
  ];
  const unproved = [...new Set(called)].filter((name) => !children.has(name));
  return [
    ...(answering.length === 0 ? [] : [`every outcome of these nodes can occur: ${answering.join(", ")}`]),
    ...(hasGuards ? ["guards are free choices where the level is net"] : []),
    ...answered(compiled),
    ...(hasGuards && definition.data !== undefined
      ? ["keys of D that are declared and that guards read are assigned, with values of their declared types"]
      : []),
    ...(timed ? ["time is not modelled: a timer or deadline may come before or after anything else"] : []),
    ...(people.length === 0
      ? []
      : [`somebody is entitled to complete each work item of ${people.join(", ")}`]),
    ...(unproved.length === 0
      ? []
      : [`called workflows end, under the labels of their nodes: ${unproved.join(", ")}`]),
    ...handlers.map(
      ({ node, id, workflow, openMax }) =>
        `at most ${openMax} runs of ${workflow} handle ${id} of ${node} at a time, and each of them ends`,
    ),
    ...(called.length === 0 ? [] : ["no message that only this run or its children send is awaited in them"]),
    ...(o9.kind === "holds" || definition.parallelSafety !== undefined
      ? []
      : ["parallel steps do not race for what O9 names"]),
    ...failures(compiled, o5),
  ];
}

/** Guards of which O5 takes for granted that they have an answer: one that has none ends its step under error. */
function answered(compiled: CompiledWorkflow): readonly string[] {
  const arcs = assumedAnswers(compiled).map(({ from, to }) => `${from} to ${to}`);
  if (arcs.length === 0) return [];
  return [
    `these guards, which read what is not declared or are opaque, have an answer where they are asked: ${[...new Set(arcs)].join(", ")}`,
  ];
}

function failures({ definition }: CompiledWorkflow, o5: Verdict<TotalityEvidence>): readonly string[] {
  if (o5.kind === "holds") return [];
  if (o5.kind === "unknown") return ["O1 is modulo failure where O5 is open"];
  const places = o5.evidence.gaps.map(({ node, outcome }) => `${definition.nodes[node]?.id} (${outcome})`);
  return [`O1 is modulo failure at ${places.join(", ")}`];
}
