/** @module What a complex gateway still waits for: an input is given up when no token can come to it any more. */
import type { CompiledWorkflow } from "@tessera/core";
import { joinInputs } from "./or-join.ts";
import { type JoinTable, workflowJoinTable } from "./or-join-table.ts";

/**
 * May the complex gateway `node` give up its late input `arc` in `M`? The input is empty, and every marked place f that
 * is no input, if it reaches `arc`, reaches an input that has had its token as well: the inclusive gateway's rule with
 * "has had its token" for "marked". Cost: the places that can reach the gateway; its table is made at the first question.
 *
 * @definition D15.11
 */
export function restTest(
  workflow: CompiledWorkflow,
  node: number,
  arc: number,
): (M: ArrayLike<number>) => boolean {
  const { net } = workflow;
  const arcs = joinInputs(workflow, node);
  const late = arcs.map((input) =>
    net.places.findIndex(
      ({ origin }) => origin?.kind === "skip" && origin.node === node && origin.arc === input,
    ),
  );
  const own = arcs.indexOf(arc);
  let known: JoinTable | undefined;
  return (M) => {
    known ??= workflowJoinTable(workflow, node);
    const { inputs, places, classOf, classesOf } = known;
    if ([...inputs].some(([place, input]) => input === own && M[place] !== 0)) return false;
    const isWaiting = new Set(classesOf[own]);
    for (const [input, classes] of classesOf.entries())
      if (M[late[input] as number] === 0) for (const met of classes) isWaiting.delete(met);
    return !places.some((place) => M[place] !== 0 && isWaiting.has(classOf[place] as number));
  };
}
