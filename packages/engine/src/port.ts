/** @module Ports: the functions that touch the world, called outside every turn. */
import type { HandlerResult, JobContext, WorkflowNode } from "@tessera/core";

/**
 * What a port gets. `data` is D as the turn that opened the item left it (the keys that the node reads, where it says
 * so): the same for every attempt. `idempotencyKey` is the same for every attempt, in every process. `signal` is
 * aborted when time is up, when the run no longer waits, when another worker has the job, and when the engine closes.
 */
export interface PortContext extends JobContext {
  readonly node: WorkflowNode;
  readonly run: string;
}

/**
 * A port: answers `{ outcome, patch, mutation }` or nothing. Expected trouble is an outcome. A throw is a failed
 * attempt; when the attempts are used up it becomes the outcome `error`, with `error.code` where that is a text.
 */
export interface Port {
  (context: PortContext): HandlerResult | undefined | Promise<HandlerResult | undefined>;
  readonly reconcile?: Reconcile;
}

/**
 * Asks the world what became of an earlier call under the same idempotency key: its answer if the effect was done, null
 * if it was not and the port is to be called.
 */
export type Reconcile = (context: PortContext) => HandlerResult | null | Promise<HandlerResult | null>;

/**
 * A port whose effect is looked up before it is done again. `reconcile` is asked before every call that may be a
 * repetition: after a failed attempt, when an operator retries a job that was held or resumes a run that was suspended,
 * and when a job is claimed again because the worker before has not answered.
 */
export function reconciled(call: Port, reconcile: Reconcile): Port {
  return Object.assign((context: PortContext) => call(context), { reconcile });
}

/** What a port answers: what an earlier call did, if this one may repeat it and the port can say; else what the call answers. */
export async function askPort(
  port: Port,
  context: PortContext,
  isRepeated: boolean,
): Promise<HandlerResult | undefined> {
  const known = isRepeated && port.reconcile !== undefined ? await port.reconcile(context) : null;
  return known ?? port(context);
}
