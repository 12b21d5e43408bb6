/** @module Definition versions as the engine runs them: loaded by hash, checked against it, compiled once. */
import { compile, contentHash, type Hash, type Json, makeProgram } from "@tessera/core";
import { orJoinRules } from "@tessera/gateways";
import { type DefinitionRow, StoreError } from "@tessera/persist";
import { bodiesOf, type Pinned } from "./bodies.ts";
import { makePlan, type Plan } from "./plan.ts";
import { recentMap } from "./recent.ts";
import { type Refused, refused } from "./refusal.ts";
import type { Owner, Registry } from "./registry.ts";
import type { Bodies } from "./turn.ts";

/** A version that can run here. */
export interface Version {
  readonly kind: "version";
  readonly hash: Hash;
  readonly name: string;
  readonly owner: Owner;
  readonly plan: Plan;
  readonly pinned: Pinned;
  readonly row: DefinitionRow;
  /** Built when first asked. What is registered later is found all the same: functions and schemas are looked up by name. */
  readonly bodies: () => Bodies;
}

/** Versions by hash. */
export interface Versions {
  /** The version if it is known already. */
  readonly known: (hash: Hash) => Version | undefined;
  /** Compiles a stored row. Refused (`unavailable`) if a kind that it pins is not registered here in that version. */
  readonly open: (row: DefinitionRow) => Version | Refused;
}

/** Compiled versions that are kept. */
const VERSIONS_MAX = 200;

/** The versions of an engine with `registry`. */
export function makeVersions(registry: Registry): Versions {
  const compiled = recentMap<Version>(VERSIONS_MAX);
  return {
    known: (hash) => compiled.get(hash),
    open: (row) => {
      const found = compiled.get(row.hash) ?? openVersion(registry, row);
      if (found.kind === "version") compiled.set(row.hash, found);
      return found;
    },
  };
}

/** What the manifest of a stored definition holds; written by `deploy`. */
export interface VersionManifest extends Pinned {
  readonly format: 1;
  readonly kinds: Readonly<Record<string, number>>;
}

function openVersion(registry: Registry, row: DefinitionRow): Version | Refused {
  const { hash, name, definition } = row;
  const { format, kinds, functions, predicates, languages, calls } =
    row.manifest as unknown as VersionManifest;
  const covered = { format, definition, kinds, functions, predicates, languages, calls };
  // O15: what runs is what the hash says, or it does not run.
  if (contentHash(covered as unknown as Json) !== hash) {
    throw new StoreError("corrupt", `The definition ${hash} is not what its hash says.`);
  }
  const lacking = Object.entries(kinds).filter(
    ([kind, version]) => registry.kinds.get(kind)?.version !== version,
  );
  if (lacking.length > 0) {
    const facts = { hash, kinds: Object.fromEntries(lacking) };
    return refused("unavailable", `"${name}" needs kinds that are not registered here`, facts);
  }
  const result = compile(definition, registry.kinds);
  if (!result.ok) {
    const issues = result.issues.map(({ code, message }) => `${code}: ${message}`);
    return refused("unavailable", `"${name}" does not compile here`, { hash, issues });
  }
  const owner: Owner = { workflow: name, definition: contentHash(definition as unknown as Json) };
  const pinned: Pinned = { functions, predicates, languages, calls };
  const workflow = definition.kind === "workflow" ? definition : null;
  let bodies: Bodies | null = null;
  return {
    kind: "version",
    hash,
    name,
    owner,
    plan: makePlan(makeProgram(hash, result.value, orJoinRules(result.value))),
    pinned,
    row,
    bodies: () => {
      bodies ??= bodiesOf(registry, owner, workflow, pinned);
      return bodies;
    },
  };
}
