/** @module One call of a port: with its data, its time, its lease, and whatever comes of it. */
import {
  type Data,
  isJson,
  type Json,
  jsonBytes,
  type OpenItem,
  type ProductGraph,
  type Trouble,
  type WorkflowNode,
} from "@tessera/core";
import type { ClaimedEffect } from "@tessera/persist";
import { type Answer, readBodyAnswer } from "./body-answer.ts";
import { effectId, isAskedAgain } from "./commands.ts";
import { durationMs } from "./due.ts";
import { type GraphRead, type WatchedGraph, watchedGraph } from "./graph-reads.ts";
import type { Host } from "./host.ts";
import { loggerWith } from "./logger.ts";
import { metaText } from "./plan.ts";
import { askPort, type Port } from "./port.ts";
import { isJournalText, journalText, thrownText } from "./trouble.ts";

/**
 * What came of a call. failed: it threw, or took too long; it may be tried again. invalid: it answered, but no answer.
 * gone: nobody wants the result: the item is closed, the lease is lost, or the engine closes.
 */
export type JobEnd =
  | { readonly kind: "answered"; readonly answer: Answer; readonly reads: readonly GraphRead[] }
  | { readonly kind: "failed"; readonly trouble: Trouble }
  | { readonly kind: "invalid"; readonly trouble: Trouble }
  | { readonly kind: "gone"; readonly why: GoneReason };

/** Why a result is not wanted. */
export type GoneReason = "closed" | "lease" | "shutdown";

/** A call that is under way. */
export interface JobCall {
  readonly end: Promise<JobEnd>;
  readonly abandon: (why: GoneReason) => void;
  /** What came of it is stored, or nobody will: until then the lease is renewed, so that nobody calls again meanwhile. */
  readonly release: () => void;
}

/** What a call needs. `data` is the caller's own copy. */
export interface JobOrder {
  readonly claimed: ClaimedEffect;
  readonly node: WorkflowNode;
  readonly item: OpenItem;
  readonly data: Data;
  readonly port: Port;
  /** G as the job may see it; asked at most once. */
  readonly graph: () => Promise<ProductGraph>;
}

/**
 * Calls the port, outside any transaction. Ends when the port answers or throws, when its time is up, or when it is
 * abandoned; then the signal is aborted and what the port does later is nobody's business. Never rejects.
 */
export function callPort(host: Host, order: JobOrder): JobCall {
  const { claimed, node, item } = order;
  const abort = new AbortController();
  let settle: (end: JobEnd) => void = () => {};
  const settled = new Promise<JobEnd>((resolve) => {
    settle = resolve;
  });
  const timeoutMs = timeoutOf(host, node);
  const cancelTimeout = host.clock.schedule(timeoutMs, () => {
    const message = `the port of "${node.id}" took longer than ${timeoutMs} ms`;
    settle({ kind: "failed", trouble: { code: "JOB_TIMEOUT", message, facts: { timeoutMs } } });
  });
  const release = heartbeat(host, claimed, () => settle({ kind: "gone", why: "lease" }));
  const { port, data } = order;
  const attempt = (item.attempt ?? 0) + 1;
  const idempotencyKey = effectId(claimed.run, item.id);
  const log = loggerWith(host.logger, { run: claimed.run, node: node.id, attempt });
  let watched: Promise<WatchedGraph> | null = null;
  let reads = (): readonly GraphRead[] => [];
  const graph = async () => {
    watched ??= order.graph().then(watchedGraph);
    const own = await watched;
    reads = own.reads;
    return own.graph;
  };
  const context = {
    data,
    graph,
    signal: abort.signal,
    idempotencyKey,
    attempt,
    log,
    now: item.openedAt,
    node,
    run: claimed.run,
  };
  Promise.resolve()
    .then(() => askPort(port, context, attempt > 1 || mayRepeat(claimed)))
    .then(
      (value) => settle(readPortAnswer(host, value, reads())),
      (error) => settle({ kind: "failed", trouble: portTrouble(error) }),
    );
  const end = settled.then((outcome) => {
    cancelTimeout();
    if (outcome.kind === "failed" || outcome.kind === "gone") abort.abort(reasonOf(outcome));
    return outcome;
  });
  return { end, abandon: (why) => settle({ kind: "gone", why }), release };
}

/** May there have been a call under the same key: before the job was held or its run suspended, or by a worker before? */
function mayRepeat({ claimCount, effect }: ClaimedEffect): boolean {
  return claimCount > 1 || isAskedAgain(effect);
}

function reasonOf(end: JobEnd): Error {
  const text = end.kind === "gone" ? `the result is no longer wanted: ${end.why}` : "the attempt is over";
  return new Error(text);
}

function timeoutOf(host: Host, node: WorkflowNode): number {
  const text = metaText(node, "timeout");
  const own = text === undefined ? null : durationMs(text, 0);
  return own ?? host.limits.jobTimeoutMs;
}

/** Renews the lease three times in its length; tells when another worker has it. */
function heartbeat(host: Host, claimed: ClaimedEffect, lost: () => void): () => void {
  const { effect, tenant, token } = claimed;
  const { leaseMs } = host.limits;
  let isOver = false;
  let cancel = (): void => {};
  const arm = (): void => {
    cancel = host.clock.schedule(Math.ceil(leaseMs / 3), () => {
      host.store.renewLease(effect.id, tenant, token, host.clock.now() + leaseMs).then(
        (isHeld) => {
          if (isOver) return;
          if (isHeld) arm();
          else lost();
        },
        (fault) => {
          host.logger.warn("a lease could not be renewed", { effect: effect.id, error: thrownText(fault) });
          if (!isOver) arm();
        },
      );
    });
  };
  arm();
  return () => {
    isOver = true;
    cancel();
  };
}

/** An answer that is none, that is no JSON, or that is too large is the error of the node: asking again gives the same. */
function readPortAnswer(host: Host, value: unknown, reads: readonly GraphRead[]): JobEnd {
  const reading = readBodyAnswer(value);
  if (reading.kind === "trouble") return { kind: "invalid", trouble: reading.trouble };
  const { patch, mutation } = reading.answer;
  const values = Object.values(patch).filter((member) => member !== undefined);
  if (!values.every((member) => isJson(member))) {
    const trouble = { code: "DATA_INVALID", message: "the patch holds something that is no JSON" };
    return { kind: "invalid", trouble };
  }
  const { messageBytesMax } = host.limits;
  const parts: readonly Json[] = mutation === null ? values : [...values, mutation as unknown as Json];
  const bytes = parts.reduce<number>((sum, part) => sum + jsonBytes(part, messageBytesMax), 0);
  if (bytes <= messageBytesMax) return { kind: "answered", answer: reading.answer, reads };
  const facts = { messageBytesMax };
  return {
    kind: "invalid",
    trouble: { code: "MESSAGE_LIMIT", message: "the answer is larger than the limit", facts },
  };
}

/** What a port threw, with its own code where it has one. */
function portTrouble(error: unknown): Trouble {
  const own = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  const code = typeof own === "string" && own !== "" && isJournalText(own) ? journalText(own) : "PORT_THREW";
  return { code, message: thrownText(error) };
}
