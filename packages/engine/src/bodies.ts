/** @module The pure functions that a turn of a version may ask, from what is registered and what the version pins. */
import {
  type Data,
  type Hash,
  invariant,
  type Json,
  type Trouble,
  type WorkflowDefinition,
} from "@tessera/core";
import { isOfType } from "./form.ts";
import type { Owner, Registry } from "./registry.ts";
import { journalText, thrownText } from "./trouble.ts";
import type { Bodies } from "./turn.ts";

/** Versions by name to which a definition is pinned. */
export interface Pinned {
  readonly functions: Readonly<Record<string, string | number>>;
  readonly predicates: Readonly<Record<string, string | number>>;
  readonly languages: Readonly<Record<string, string | number>>;
  readonly calls: Readonly<Record<string, Hash>>;
}

/**
 * The bodies of a version. A function, predicate or language that is registered under another version than the pinned
 * one is not there: the turn makes it an intervention.
 */
export function bodiesOf(
  registry: Registry,
  owner: Owner,
  definition: WorkflowDefinition | null,
  pinned: Pinned,
): Bodies {
  const isPinned = (
    table: Readonly<Record<string, string | number>>,
    name: string,
    version: string | number,
  ) => {
    return !Object.hasOwn(table, name) || table[name] === version;
  };
  const predicates = new Map<string, (data: Data) => boolean>();
  for (const name of registry.predicateNames()) {
    const found = registry.predicateOf(name);
    if (found !== undefined && isPinned(pinned.predicates, name, found.version))
      predicates.set(name, found.run);
  }
  return {
    functions: {
      get: (name) => {
        const found = registry.functionOf(owner, name);
        return found !== undefined && isPinned(pinned.functions, name, found.version) ? found.run : undefined;
      },
    },
    conditions: {
      predicates,
      evaluate: (language, text, data, now) => {
        const found = registry.languageOf(language);
        if (found === undefined || !isPinned(pinned.languages, language, found.version)) return undefined;
        invariant(now !== undefined, "D20.6", () => ({ language, text }));
        return found.run(text, data, now);
      },
    },
    validate: (patch) => valueTrouble(registry, owner, definition, patch),
    constraints: registry.constraints,
  };
}

/** The first thing that is wrong with new values of keys of D: their declared type, then their schema. */
export function valueTrouble(
  registry: Registry,
  owner: Owner,
  definition: WorkflowDefinition | null,
  patch: { readonly [key: string]: Json | undefined },
): Trouble | null {
  const schemas = registry.schemasOf(owner);
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const type =
      definition?.data !== undefined && Object.hasOwn(definition.data, key)
        ? definition.data[key]
        : undefined;
    if (type !== undefined && !isOfType(value, type)) {
      const message = `the value of "${key}" is not of its declared type`;
      return { code: "SCHEMA_INVALID", message, facts: { key, type: type.type } };
    }
    const trouble = Object.hasOwn(schemas, key) ? schemaTrouble(schemas[key], key, value) : null;
    if (trouble !== null) return trouble;
  }
  return null;
}

type Schema = ReturnType<Registry["schemasOf"]>[string];

function schemaTrouble(schema: Schema | undefined, key: string, value: Json): Trouble | null {
  try {
    const result = schema?.["~standard"].validate(value);
    if (result === undefined) return null;
    if ("then" in result) {
      result.then(ignore, ignore);
      const message = `the schema of "${key}" is asynchronous; a turn is not`;
      return { code: "SCHEMA_ASYNC", message, facts: { key } };
    }
    const [first] = result.issues ?? [];
    if (first === undefined) return null;
    const message = `the value of "${key}" does not satisfy its schema: ${journalText(first.message)}`;
    return { code: "SCHEMA_INVALID", message, facts: { key } };
  } catch (error) {
    return { code: "SCHEMA_THREW", message: thrownText(error), facts: { key } };
  }
}

function ignore(): void {}
