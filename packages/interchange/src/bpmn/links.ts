/** @module Links: events that stand for a flow to another place of the same scope. */
import type { BpmnNode } from "./model.ts";
import { textOf } from "./raw.ts";

/** The name of a link event; undefined for every other node. */
export function linkName({ definitions, name }: BpmnNode): string | undefined {
  const [definition] = definitions;
  if (definition?.type !== "linkEventDefinition") return undefined;
  return textOf(definition.raw, "name")?.trim() ?? name ?? "";
}
