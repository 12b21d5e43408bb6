/** @module Keys of D whose names could change what an expression says. */
import { type CompiledWorkflow, isJson, type WorkflowNode } from "@tessera/core";
import { eventsOf, multiOf } from "@tessera/gateways";
import { type Questions, referencesOf } from "../data-level/conditions-read.ts";
import { TOLD_PREFIX } from "../data-level/told-answers.ts";

/** Words of FEEL that terms are made of (D14.27): a key of the name takes their place. */
const WORDS: ReadonlySet<string> = new Set(["and", "or", "not", "true", "false"]);

/**
 * Why expressions may not say what their terms say: a key that the definition names could be taken for a part of one
 * ("a + b" is a name in FEEL), for a word or for a function. Null if there is none.
 */
export function oddKey({ definition }: CompiledWorkflow, questions: Questions): string | null {
  const named = [
    ...Object.keys(questions.declared),
    ...definition.nodes.flatMap(namesOf),
    ...questions.forms.flat().flatMap((field) => field?.key ?? []),
    ...questions.keyed.map(({ key }) => key),
    ...questions.passKeys,
    ...questions.verdictKeys,
    ...questions.lists,
    ...questions.leaves.flatMap(referencesOf).map(({ key }) => key),
  ];
  const odd = named.find(
    (key) => WORDS.has(key) || key.startsWith(TOLD_PREFIX) || !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(key),
  );
  return odd === undefined ? null : `${JSON.stringify(odd)} is a key that expressions could mean otherwise`;
}

/** Keys that a node says that it writes, but for the mark of all. */
function namesOf(node: WorkflowNode): readonly string[] {
  const events = eventsOf(node).flatMap(({ payload, handler }) => [payload, handler?.outputs]);
  const mapped = [node.meta?.outputs, ...events].flatMap((keys) =>
    isJson(keys) && typeof keys === "object" && keys !== null ? Object.keys(keys) : [],
  );
  const results = multiOf(node)?.results ?? [];
  return [...(node.writes ?? []), ...mapped.filter((key) => key !== "*"), ...[results].flat()];
}
