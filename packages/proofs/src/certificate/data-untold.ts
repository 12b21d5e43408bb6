/** @module A step of which it is not told which of several it is, for checkers. */
import type { PlainStep } from "./data-leave.ts";

/** One step that leads to what any of them does: which of them it is, is not told. */
export function untoldOf(
  steps: readonly PlainStep[],
  { isPlayable }: Pick<PlainStep, "isPlayable">,
): PlainStep {
  const isAll = steps.every(({ gap }) => gap === "all");
  const gap = isAll ? "all" : steps.every((step) => step.gap === "never") ? "never" : "some";
  const byText = new Map(
    steps.flatMap(({ results }) => results.map((one) => [JSON.stringify(one), one] as const)),
  );
  return { ...steps[0]!, isPlayable, gap, results: [...byText.values()] };
}
