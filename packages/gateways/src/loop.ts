/** @module The governed loop of 20.15: a verdict, a budget of fail branches, and the branch they lead to. */
import { type Arc, arcOutcome, type Json, type Outcome, type WorkflowNode } from "@tessera/core";

/** The labels of a loop's decision. */
export const PASS: Outcome = "pass";
export const FAIL: Outcome = "fail";
export const EXHAUSTED: Outcome = "exhausted";

/** The greatest budget that the full encoding takes; it has budget + 1 variants of every exit. */
export const LOOP_BUDGET_MAX = 100;

/** L = (id, b, passKey, proves) and the nodes of its block besides the decision. */
export interface GovernedLoop {
  readonly id: string;
  readonly budget: number;
  readonly passKey: string;
  readonly proves: string;
  readonly body: readonly string[];
  /** Does the loop hold the mutations of its body until it passes? */
  readonly isStaged: boolean;
}

/** The loop that `node` governs, if its meta has a well-typed one. */
export function loopOf(node: WorkflowNode): GovernedLoop | null {
  const { id, budget, passKey, proves, body, stage } = (node.meta?.loop ?? {}) as {
    readonly [key: string]: Json;
  };
  const isTyped =
    typeof id === "string" &&
    typeof budget === "number" &&
    typeof passKey === "string" &&
    typeof proves === "string";
  if (!isTyped || !Array.isArray(body) || !body.every((member) => typeof member === "string")) return null;
  return { id, budget, passKey, proves, body: body as readonly string[], isStaged: stage === true };
}

/**
 * The branch of a loop's decision for the verdict D[passKey] after `failed` fail branches: pass iff true, fail iff
 * false and failed < budget, exhausted iff false and failed >= budget. So `budget` fail branches and budget + 1
 * evaluations at most. A verdict that is missing or not boolean is never a pass: `error`.
 *
 * @definition D20.15
 */
export function loopBranch(
  verdict: Json | undefined,
  failed: number,
  budget: number,
): "pass" | "fail" | "exhausted" | "error" {
  if (verdict === true) return "pass";
  if (verdict !== false) return "error";
  return failed < budget ? "fail" : "exhausted";
}

/**
 * Is `arc` compiled away? The fail arc of a loop with budget 0 is: `left` never holds a token to fail with.
 */
export function omitsFailArc(node: WorkflowNode, arc: Arc): boolean {
  return loopOf(node)?.budget === 0 && arcOutcome(arc) === FAIL;
}
