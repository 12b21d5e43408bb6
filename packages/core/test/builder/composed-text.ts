/** @module Workflows of the builder as lines of text, for tests. */
import {
  arcOutcome,
  type Block,
  BuilderError,
  composeWorkflow,
  human,
  step,
  type WorkflowDefinition,
} from "@tessera/core";

export const definitionOf = (body: Block, onError?: Block): WorkflowDefinition =>
  composeWorkflow({ id: "w", body, ...(onError === undefined ? {} : { onError }) }).definition;

/** Arcs as lines, in document order. */
export function arcs(definition: WorkflowDefinition): readonly string[] {
  return definition.arcs.map((arc) => {
    const outcome = arcOutcome(arc) === "done" ? "" : `:${arc.outcome}`;
    const condition = arc.default === true ? " else" : arc.guard === undefined ? "" : " if";
    return `${arc.from}${outcome}${condition} -> ${arc.to}`;
  });
}

/** Nodes as lines: id, kind, what else routes, and the scope around it. */
export function nodes(definition: WorkflowDefinition): readonly string[] {
  return definition.nodes.map(({ id, kind, join, split, scope, meta }) => {
    const label =
      kind === "end" && meta?.outcome !== undefined
        ? ` ${meta.outcome}${meta.terminate === true ? "!" : ""}`
        : "";
    return `${scope === undefined ? "" : "  "}${id} ${kind}${label}${join === undefined ? "" : ` join ${join}`}${split === undefined ? "" : ` split ${split}`}`;
  });
}

/** The message of the builder where it refuses. */
export function refusal(act: () => unknown): string {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof BuilderError) return thrown.message;
    throw thrown;
  }
  return "accepted";
}

/** A person is asked. */
export const wait = (id: string): Block => step(id, human());
export const yes = { key: "k", op: "is", value: true } as const;
