/** @module Keys of D whose names could change what an expression says. */
import { type CompiledWorkflow, parseCondition, type WorkflowNode } from "@tessera/core";
import { eventsOf, multiOf, thrownBy } from "@tessera/gateways";
import { leavesOf, type Questions, referencesOf } from "../data-level/conditions-read.ts";
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
    ...definition.nodes.flatMap((node) => [...namesOf(node), ...completionKeys(node)]),
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

/** Keys of D that a node names: what it reads and writes, sends and waits for, but for the mark of all. */
function namesOf(node: WorkflowNode): readonly string[] {
  const { writes = [], reads = [], meta = {} } = node;
  const thrown = thrownBy(node);
  const multi = multiOf(node);
  const events = eventsOf(node);
  const written = [meta["outputs"], meta["merge"], ...events.map(({ payload }) => payload)];
  const read = [meta["inputs"], thrown?.payload, ...events.map(({ handler }) => handler?.inputs)];
  const single = [
    node.kind === "timer" ? meta["key"] : null,
    thrown?.key,
    multi?.collection,
    multi?.results,
    ...events.flatMap(({ key, time }) => [key, time?.by === "key" ? time.key : null]),
  ];
  const all = [
    ...[...written, ...events.map(({ handler }) => handler?.outputs)].flatMap((one) =>
      Object.keys(membersOf(one)),
    ),
    ...read.flatMap((one) => Object.values(membersOf(one))),
    ...single,
  ];
  return [...writes, ...reads, ...all.filter((key) => typeof key === "string" && key !== "*")] as string[];
}

function membersOf(value: unknown): object {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** Keys that completion conditions of several instances ask for. */
function completionKeys(node: WorkflowNode): readonly string[] {
  const completion = multiOf(node)?.completion ?? null;
  const parsed = completion === null ? null : parseCondition(completion);
  return parsed?.ok === true
    ? leavesOf(parsed.value)
        .flatMap(referencesOf)
        .map(({ key }) => key)
    : [];
}
