/** @module What the application registered: kinds, functions, predicates, languages, ports, schemas, constraints. */
import {
  type ConditionResult,
  type Constraint,
  contentHash,
  type Data,
  type DataSchemas,
  type Hash,
  type Implementation,
  type InlineFunction,
  type Json,
  type KindSpec,
  type KindTable,
  kindTable,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import type { Port } from "./port.ts";

/** Something with the version that definitions pin; alone it has version 1. */
export type Versioned<T> = T | { readonly version: string | number; readonly run: T };

/** A predicate of guards: pure, on D. */
export type Predicate = (data: Data) => boolean;

/**
 * An evaluator of conditions in an expression language: pure. `now` is the recorded time of the turn that asks, in
 * milliseconds since the epoch: the only time that an answer may rest on.
 */
export type LanguageEvaluator = (text: string, data: Data, now: number) => ConditionResult;

/** What an application registers. Everything is optional; names are those that definitions use. */
export interface Registrations {
  /** Kinds beside the standard ones. */
  readonly kinds?: readonly KindSpec[];
  readonly functions?: Readonly<Record<string, Versioned<InlineFunction>>>;
  readonly predicates?: Readonly<Record<string, Versioned<Predicate>>>;
  /** Evaluators of `{ language, text }` conditions, by language. */
  readonly conditions?: Readonly<Record<string, Versioned<LanguageEvaluator>>>;
  readonly ports?: Readonly<Record<string, Port>>;
  /** Standard Schemas of keys of D, for every workflow. */
  readonly schemas?: DataSchemas;
  /** Constraints of G. All of them gate every mutation of every workflow. */
  readonly constraints?: readonly Constraint[];
  /** Built workflows whose handlers must be there before anything runs. `deploy` registers those that it deploys. */
  readonly implementations?: readonly Implementation[];
}

/** A registered function with its version. */
export interface Entry<T> {
  readonly version: string | number;
  readonly run: T;
}

/**
 * Look-up for a version: the handlers that were built with its definition, then those of the workflow as it was
 * registered last, then those for all workflows.
 */
export interface Registry {
  readonly kinds: KindTable;
  readonly constraints: readonly Constraint[];
  readonly functionOf: (owner: Owner, name: string) => Entry<InlineFunction> | undefined;
  readonly portOf: (owner: Owner, name: string) => Port | undefined;
  readonly predicateOf: (name: string) => Entry<Predicate> | undefined;
  readonly languageOf: (name: string) => Entry<LanguageEvaluator> | undefined;
  readonly predicateNames: () => readonly string[];
  readonly schemasOf: (owner: Owner) => DataSchemas;
  /** Adds the handlers of a built workflow. */
  readonly register: (implementation: Implementation) => void;
}

/** The version for which something is looked up; `definition` is the content hash of the definition alone. */
export interface Owner {
  readonly workflow: string;
  readonly definition: Hash;
}

/** The registry of `given`. */
export function makeRegistry(given: Registrations): Registry {
  const functions = entries(given.functions);
  const predicates = entries(given.predicates);
  const languages = entries(given.conditions);
  const ports = new Map(Object.entries(given.ports ?? {}));
  const byDefinition = new Map<Hash, Implementation>();
  const byWorkflow = new Map<string, Implementation>();
  const builds = ({ workflow, definition }: Owner): readonly Implementation[] => {
    return [byDefinition.get(definition), byWorkflow.get(workflow)].filter((found) => found !== undefined);
  };
  const register = (implementation: Implementation): void => {
    byWorkflow.set(implementation.definition.id, implementation);
    byDefinition.set(contentHash(implementation.definition as unknown as Json), implementation);
  };
  for (const implementation of given.implementations ?? []) register(implementation);
  return {
    kinds: given.kinds === undefined ? STANDARD_KINDS : kindTable(given.kinds, STANDARD_KINDS),
    constraints: given.constraints ?? [],
    functionOf: (owner, name) => {
      for (const build of builds(owner)) {
        const run = build.functions.get(name);
        if (run !== undefined) return { version: 1, run };
      }
      return functions.get(name);
    },
    portOf: (owner, name) => {
      for (const build of builds(owner)) {
        const port = build.ports.get(name);
        if (port !== undefined) return port;
      }
      return ports.get(name);
    },
    predicateOf: (name) => predicates.get(name),
    languageOf: (name) => languages.get(name),
    predicateNames: () => [...predicates.keys()],
    schemasOf: (owner) => ({ ...given.schemas, ...builds(owner)[0]?.schemas }),
    register,
  };
}

function entries<T>(given: Readonly<Record<string, Versioned<T>>> = {}): ReadonlyMap<string, Entry<T>> {
  return new Map(
    Object.entries(given).map(([name, entry]) => {
      return [name, isVersioned(entry) ? entry : { version: 1, run: entry }] as const;
    }),
  );
}

function isVersioned<T>(
  entry: Versioned<T>,
): entry is { readonly version: string | number; readonly run: T } {
  return typeof entry === "object" && entry !== null && "run" in entry;
}
