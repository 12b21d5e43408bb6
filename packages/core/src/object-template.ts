/** @module Templates of object ids as definitions write them: text with holes `{key}` that D fills. */
import type { Json, JsonObject } from "./json.ts";
import type { DataKey } from "./workflow.ts";

const HOLE = /\{([^{}]*)\}/gu;

/** The keys of D that a template names, each once, in the order of its holes. Cost: linear. */
export function templateKeys(template: string): readonly DataKey[] {
  return [...new Set([...template.matchAll(HOLE)].map(([, key = ""]) => key))];
}

/**
 * The id that `template` names on `data`: each hole filled with the text of its key's value, a text, number or boolean.
 * Null where a key is missing or has another value: then the template names no object. Cost: linear.
 *
 * @definition D16.10
 */
export function fillTemplate(template: string, data: JsonObject): string | null {
  const texts = new Map(templateKeys(template).map((key) => [key, textOf(data, key)]));
  if ([...texts.values()].includes(null)) return null;
  return template.replace(HOLE, (_, key: string) => texts.get(key) ?? "");
}

function textOf(data: JsonObject, key: DataKey): string | null {
  const value: Json | undefined = Object.hasOwn(data, key) ? data[key] : undefined;
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isScalar ? String(value) : null;
}
