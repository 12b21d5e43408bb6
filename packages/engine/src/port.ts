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
export type Port = (context: PortContext) => HandlerResult | undefined | Promise<HandlerResult | undefined>;
