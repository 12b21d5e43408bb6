/** @module The identity of a definition: a hash over it and over the versions of everything that it relies on. */

import type { Condition } from "./condition.ts";
import { parseCondition } from "./condition-parse.ts";
import { contentHash, type Hash } from "./hash.ts";
import { invariant, unreachable } from "./invariant.ts";
import { isJsonObject, type Json } from "./json.ts";
import type { KindTable } from "./kinds.ts";
import type { Definition } from "./workflow.ts";

/** Versions by name of what the host registered and the definition uses; absent members are empty. */
export interface DefinitionReliances {
  /** Inline functions (transforms, verifiers) by the name that nodes give. */
  readonly functions?: Readonly<Record<string, string | number>>;
  /** Predicates that guards name. */
  readonly predicates?: Readonly<Record<string, string | number>>;
  /** Evaluators of the expression languages of guards. */
  readonly languages?: Readonly<Record<string, string | number>>;
  /** Called workflows, by the name that nodes give, with the version to which the call is pinned. */
  readonly calls?: Readonly<Record<string, Hash>>;
}

/** What a definition hash covers. JSON: its canonical form is what is hashed. */
export interface DefinitionManifest {
  readonly format: 1;
  readonly definition: Definition;
  readonly kinds: Readonly<Record<string, number>>;
  readonly functions: Readonly<Record<string, string | number>>;
  readonly predicates: Readonly<Record<string, string | number>>;
  readonly languages: Readonly<Record<string, string | number>>;
  readonly calls: Readonly<Record<string, Hash>>;
}

/**
 * The hash w that a run pins, and the manifest that it covers: the definition, name@version of every kind that its
 * nodes have, and the reliances passed in. The order of the keys of objects counts nothing, the order of arrays does.
 * Requires: `definition` was parsed with `kinds` (else InvariantViolation D12.4 where a kind is missing).
 * Cost: linear in the definition, and the sorting of keys.
 *
 * @definition D12.4
 */
export function definitionHash(
  definition: Definition,
  kinds: KindTable,
  reliances: DefinitionReliances = {},
): { readonly hash: Hash; readonly manifest: DefinitionManifest } {
  const manifest: DefinitionManifest = {
    format: 1,
    definition,
    kinds: kindVersions(definition, kinds),
    functions: reliances.functions ?? {},
    predicates: reliances.predicates ?? {},
    languages: reliances.languages ?? {},
    calls: reliances.calls ?? {},
  };
  return { hash: contentHash(manifest as unknown as Json), manifest };
}

/** Names of predicates and expression languages in the conditions of a definition, each list in code-unit order. */
export interface GuardReliances {
  readonly predicates: readonly string[];
  readonly languages: readonly string[];
}

/** What the guards of a parsed definition rely on: the host looks up their versions for `definitionHash`. */
export function guardReliances(definition: Definition): GuardReliances {
  const predicates = new Set<string>();
  const languages = new Set<string>();
  for (const condition of conditionsOf(definition)) {
    const parsed = condition === undefined ? undefined : parseCondition(condition);
    if (parsed?.ok === true) collect(parsed.value, predicates, languages);
  }
  return { predicates: [...predicates].sort(), languages: [...languages].sort() };
}

/** The guards of arcs, and the conditions under which several runs of a call are complete. */
function conditionsOf(definition: Definition): readonly unknown[] {
  if (definition.kind === "net") return [];
  const completions = definition.nodes.map(({ meta }) => {
    const multi: Json | undefined = meta?.["multi"];
    return isJsonObject(multi) ? multi["completion"] : undefined;
  });
  return [...definition.arcs.map(({ guard }) => guard), ...completions];
}

function kindVersions(definition: Definition, kinds: KindTable): Readonly<Record<string, number>> {
  const names =
    definition.kind === "net" ? [] : [...new Set(definition.nodes.map((node) => node.kind))].sort();
  return Object.fromEntries(
    names.map((name) => {
      const kind = kinds.get(name);
      invariant(kind !== undefined, "D12.4", () => ({ kind: name, registered: false }));
      return [name, kind.version];
    }),
  );
}

function collect(condition: Condition, predicates: Set<string>, languages: Set<string>): void {
  switch (condition.kind) {
    case "all":
    case "any":
      for (const part of condition.conditions) collect(part, predicates, languages);
      return;
    case "not":
      collect(condition.condition, predicates, languages);
      return;
    case "opaque":
      languages.add(condition.language);
      return;
    case "predicate":
      predicates.add(condition.name);
      return;
    case "compare":
    case "isAssigned":
    case "matches":
      return;
    default:
      unreachable(condition);
  }
}
