/** @module Workflows compiled, and functions for them, for laws of what proofs say of data. */
import {
  type CompiledWorkflow,
  compileWorkflow,
  type InlineFunction,
  type WorkflowDefinition,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import type { Values } from "./step-inputs.ts";
import type { OracleWorld } from "./step-oracle.ts";

/** The compiled form of a definition that must compile. */
export function compiledOf(definition: WorkflowDefinition): CompiledWorkflow {
  const compiled = compileWorkflow(definition, STANDARD_KINDS);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return compiled.value;
}

/** Functions in the turn that do nothing: of all that the proofs expect of them the least. */
export function doingNothing({ nodes }: WorkflowDefinition): Readonly<Record<string, InlineFunction>> {
  const functions = nodes.filter(({ kind }) => kind === "transform");
  return Object.fromEntries(functions.map(({ id }) => [id, () => undefined]));
}

/**
 * Functions that answer in every way that they may: a verifier with either verdict, a transform done or under error with any
 * value or none of each key that it declares, and both with a throw. The predicate "open" answers, or throws, as it likes.
 */
export function answeringAll(
  { nodes }: WorkflowDefinition,
  values: Values,
): NonNullable<OracleWorld["deciding"]> {
  return (choose) => {
    const thrown = (): never => {
      throw new Error("no");
    };
    const either = () => [true, false, null][choose(3)] ?? thrown();
    const patchOf = (key: string) => {
      const value = (values[key] ?? []).filter((one) => one !== undefined);
      const way = choose(value.length + 1);
      return way === value.length ? [] : [[key, value[way]] as const];
    };
    const answer = (writes: readonly string[]) => () => {
      const outcome = ["done", "error", null][choose(3)] ?? thrown();
      return { outcome, patch: Object.fromEntries(writes.flatMap(patchOf)) };
    };
    const functions = nodes.flatMap(
      ({ id, kind, writes = [] }): readonly (readonly [string, InlineFunction])[] => {
        if (kind === "verifier") return [[id, either]];
        return kind === "transform" ? [[id, answer(writes)]] : [];
      },
    );
    return { functions: Object.fromEntries(functions), predicates: { open: either } };
  };
}
