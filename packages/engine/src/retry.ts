/** @module The retry policy of a job. */
import {
  type Issue,
  issue,
  type Json,
  type JsonObject,
  type Trouble,
  type WorkflowNode,
} from "@tessera/core";
import { durationMs } from "./due.ts";

/** How often and how fast a job is tried again after a failed attempt. */
export interface RetryPolicy {
  /** Attempts in all, at least 1. */
  readonly attempts: number;
  /** Before the second attempt, in ms. */
  readonly backoffMs: number;
  /** Each further wait is so many times as long. */
  readonly factor: number;
  /** The longest wait, in ms. */
  readonly maxMs: number;
  /** The part of a wait, from 0 to 1, that is left to chance. */
  readonly jitter: number;
  /** Codes of trouble that no further attempt can mend: the job has failed with the first one. */
  readonly nonRetryable: readonly string[];
  /** Does a job that has failed wait for an operator, as an intervention, instead of taking the outcome error? */
  readonly deadLetter: boolean;
}

const NO_RETRY: RetryPolicy = {
  attempts: 1,
  backoffMs: 1_000,
  factor: 2,
  maxMs: 3_600_000,
  jitter: 0,
  nonRetryable: [],
  deadLetter: false,
};

type Bounded = Exclude<keyof RetryPolicy, "nonRetryable" | "deadLetter">;

const BOUNDS: Readonly<Record<Bounded, readonly [min: number, max: number]>> = {
  attempts: [1, 1_000],
  backoffMs: [0, 86_400_000_000],
  factor: [1, 1_000],
  maxMs: [0, 86_400_000_000],
  jitter: [0, 1],
};

/** The policy of a node: meta.retry over the defaults; `backoff` may be an ISO 8601 duration instead of backoffMs. */
export function retryPolicy(node: WorkflowNode): RetryPolicy {
  const read = readPolicy(node);
  return "problems" in read ? NO_RETRY : read;
}

/** What is wrong with meta.retry. ENGINE002. */
export function retryIssues(node: WorkflowNode, path: Issue["path"]): readonly Issue[] {
  const read = readPolicy(node);
  if (!("problems" in read)) return [];
  return read.problems.map((member) => {
    const bounds = Object.hasOwn(BOUNDS, member) ? { bounds: [...BOUNDS[member as Bounded]] } : {};
    const message = `"${member}" of the retry policy of "${node.id}" is unknown or out of bounds`;
    return issue("ENGINE002", [...path, "meta", "retry", member], message, bounds);
  });
}

/** Has a job failed for good, after its `failed`-th failed attempt with this trouble? */
export function isLost({ attempts, nonRetryable }: RetryPolicy, failed: number, { code }: Trouble): boolean {
  return failed >= attempts || nonRetryable.includes(code);
}

/** The wait after the `failed`-th failed attempt (from 1), in ms. `chance` is in [0, 1). */
export function backoffMs(
  { backoffMs: first, factor, maxMs, jitter }: RetryPolicy,
  failed: number,
  chance: number,
): number {
  const wait = Math.min(maxMs, first * factor ** (failed - 1));
  return Math.round(wait * (1 - jitter * chance));
}

function readPolicy(node: WorkflowNode): RetryPolicy | { readonly problems: readonly string[] } {
  const retry: Json | undefined = node.meta?.["retry"];
  if (typeof retry !== "object" || retry === null || Array.isArray(retry)) return NO_RETRY;
  const { backoff, ...given } = retry as JsonObject;
  const problems = Object.entries(given)
    .filter(([member, value]) => !isWithin(member, value))
    .map(([member]) => member);
  const wait = typeof backoff === "string" ? durationMs(backoff, 0) : null;
  if (backoff !== undefined && wait === null) problems.push("backoff");
  if (problems.length > 0) return { problems };
  return { ...NO_RETRY, ...(wait === null ? {} : { backoffMs: wait }), ...(given as Partial<RetryPolicy>) };
}

function isWithin(member: string, value: Json): boolean {
  if (member === "deadLetter") return typeof value === "boolean";
  if (member === "nonRetryable")
    return Array.isArray(value) && value.every((code) => typeof code === "string" && code !== "");
  if (!Object.hasOwn(BOUNDS, member) || typeof value !== "number") return false;
  const [min, max] = BOUNDS[member as Bounded];
  return value >= min && value <= max && (member !== "attempts" || Number.isInteger(value));
}
