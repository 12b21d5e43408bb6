/** @module Questions that the incidence matrix answers for every initial marking. */
import type { Net } from "@tessera/core";
import { isMonotone } from "../obligations/boundedness.ts";
import type { CheckOptions } from "../soundness.ts";
import { semiflows } from "../state-equation/semiflows.ts";
import { placeWeights, positiveFirings } from "../state-equation/weights.ts";
import type { Answer } from "./answer.ts";
import { budgetOf } from "./graph.ts";

/** The questions of this file. */
export type StructureQuestion = "structurally-bounded" | "conservative" | "consistent";

/**
 * structurally-bounded: bounded from every initial marking. conservative: a positive weight of each place that no transition
 * changes. consistent: so many firings of each transition that nothing changes. What refutes them are firings that leave
 * something over, or places whose weighted sum rises. The minimal semiflows are shown as far as the time goes.
 *
 * @definition D24.8
 */
export function askStructure(net: Net, kind: StructureQuestion, options: CheckOptions): Answer {
  if (!isMonotone(net)) return open("the incidence matrix does not say everything of this net");
  const budget = budgetOf(options);
  const isOver = () => budget.exhausted(0) !== null;
  const ended = (): Answer => {
    const limit = budget.exhausted(0);
    return limit === null ? open("too much work, or numbers too large") : { kind: "unknown", limit };
  };
  if (kind === "consistent") {
    const found = positiveFirings(net, { isOver });
    if (found.kind === "limit") return ended();
    return found.kind === "firings"
      ? {
          kind: "holds",
          shown: {
            kind: "semiflows",
            semiflows: semiflows(net, "transitions", { isOver }),
            covering: found.firings,
          },
        }
      : { kind: "fails", shown: { kind: "rising", weights: found.weights } };
  }
  const found = placeWeights(net, { isExact: kind === "conservative", isOver });
  if (found.kind === "limit") return ended();
  if (found.kind === "none") return { kind: "fails", shown: { kind: "firings", firings: found.firings } };
  return kind === "conservative"
    ? {
        kind: "holds",
        shown: {
          kind: "semiflows",
          semiflows: semiflows(net, "places", { isOver }),
          covering: found.certificate.weights,
        },
      }
    : { kind: "holds", shown: { kind: "weights", certificate: found.certificate } };
}

function open(reason: string): Answer {
  return { kind: "unknown", limit: { kind: "method", reason } };
}
