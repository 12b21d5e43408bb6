/** @module What conditions can answer on a case, and which arcs an outcome can take there. */
import { type CompiledWorkflow, type Condition, type Data, evaluateCondition, splitOf } from "@tessera/core";
import type { Domain } from "./domain.ts";
import { toldAnswer } from "./told-answers.ts";

/** Sets of answers, as bits. */
const TRUE = 1;
const FALSE = 2;
const ERROR = 4;

/** One way that an outcome can go: the arcs taken, or why none is. */
export type Way =
  | { readonly kind: "arcs"; readonly arcs: readonly number[] }
  | { readonly kind: "trouble"; readonly trouble: string };

/** An arc's guard, as far as routing needs it. */
interface Guarded {
  readonly arc: number;
  readonly guard: Condition | null;
}

/**
 * The answers that the condition can give on data of the case: more than one only where an open leaf decides. The order
 * of the parts counts, as in D4.8.
 *
 * @definition D23.2
 */
export function answersOn(domain: Domain, condition: Condition, data: Data): number {
  const ask = (part: Condition): number => {
    switch (part.kind) {
      case "all":
      case "any": {
        const neutral = part.kind === "all" ? TRUE : FALSE;
        let found = 0;
        for (const member of part.conditions) {
          const answers = ask(member);
          found |= answers & ~neutral;
          if ((answers & neutral) === 0) return found;
        }
        return found | neutral;
      }
      case "not": {
        const answers = ask(part.condition);
        return (
          (answers & ERROR) | ((answers & TRUE) === 0 ? 0 : FALSE) | ((answers & FALSE) === 0 ? 0 : TRUE)
        );
      }
      default: {
        if (domain.open.has(part)) return TRUE | FALSE | ERROR;
        const told = toldAnswer(domain, part, data);
        if (told !== null) return { t: TRUE, f: FALSE, e: ERROR }[told];
        const answer = evaluateCondition(part, data);
        return answer.kind === "error" ? ERROR : answer.value ? TRUE : FALSE;
      }
    }
  };
  return ask(condition);
}

/**
 * The ways that `node` can go under `outcome` on the data: exactly one where no open leaf decides. As D20.6: arcs in
 * document order, defaults last; a guard without an answer is trouble.
 */
export function waysOn(
  compiled: CompiledWorkflow,
  domain: Domain,
  node: number,
  arcs: readonly number[],
  outcome: string,
  data: Data,
): readonly Way[] {
  const { definition } = compiled;
  const found = definition.nodes[node];
  if (arcs.length === 0 || found === undefined)
    return [{ kind: "trouble", trouble: `no arc leaves "${found?.id}" under "${outcome}"` }];
  const split = splitOf(found, outcome);
  if (split === "all") return [{ kind: "arcs", arcs }];
  const guarded = arcs
    .filter((arc) => definition.arcs[arc]?.default !== true)
    .map((arc): Guarded => ({ arc, guard: domain.questions.guards[arc] ?? null }));
  const fallback = arcs.find((arc) => definition.arcs[arc]?.default === true);
  const ways: Way[] = [];
  const go = (at: number, taken: readonly number[]): void => {
    const next = guarded[at];
    if (next === undefined) {
      const last = taken.length > 0 ? taken : fallback === undefined ? null : [fallback];
      ways.push(
        last === null
          ? { kind: "trouble", trouble: `no guard of "${found.id}" under "${outcome}" holds` }
          : { kind: "arcs", arcs: last },
      );
      return;
    }
    const answers = next.guard === null ? TRUE : answersOn(domain, next.guard, data);
    if ((answers & TRUE) !== 0) {
      if (split === "first") ways.push({ kind: "arcs", arcs: [next.arc] });
      else go(at + 1, [...taken, next.arc]);
    }
    if ((answers & ERROR) !== 0) ways.push({ kind: "trouble", trouble: troubleOf(domain, next, data) });
    if ((answers & FALSE) !== 0) go(at + 1, taken);
  };
  go(0, []);
  return ways;
}

/** The arcs of `arcs` whose guards are certainly true on the data: two of an XOR split are a choice by their order. */
export function certainlyTrue(domain: Domain, arcs: readonly number[], data: Data): readonly number[] {
  return arcs.filter((arc) => {
    const guard = domain.questions.guards[arc] ?? null;
    return guard !== null && answersOn(domain, guard, data) === TRUE;
  });
}

function troubleOf(domain: Domain, { guard }: Guarded, data: Data): string {
  const isPlain = domain.open.size === 0 && domain.told === undefined;
  const answer = guard !== null && isPlain ? evaluateCondition(guard, data) : null;
  return answer?.kind === "error" ? answer.message : "a guard cannot be answered";
}
