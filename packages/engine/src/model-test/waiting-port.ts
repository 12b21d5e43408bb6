/** @module Ports whose calls wait until a test says what comes of them. */
import type { HandlerResult } from "@tessera/core";
import type { Port, PortContext } from "../port.ts";
import type { Registry } from "../registry.ts";
import type { TaskId } from "../task.ts";

/** A call that has not been answered. `own`: the port that the application registered. */
export interface WaitingCall {
  readonly job: TaskId;
  readonly process: number;
  readonly context: PortContext;
  readonly own: Port | undefined;
  readonly resolve: (value: HandlerResult | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls in the order in which they were made. */
export interface WaitingCalls {
  readonly calls: WaitingCall[];
  readonly portsOf: (process: number, registry: Registry) => Registry;
}

/** Every port of every workflow, registered or not, as one whose calls wait. */
export function waitingCalls(): WaitingCalls {
  const calls: WaitingCall[] = [];
  const portsOf = (process: number, registry: Registry): Registry => ({
    ...registry,
    portOf: (owner, name) => {
      const own = registry.portOf(owner, name);
      return (context) =>
        new Promise((resolve, reject) => {
          calls.push({ job: context.idempotencyKey, process, context, own, resolve, reject });
        });
    },
  });
  return { calls, portsOf };
}
