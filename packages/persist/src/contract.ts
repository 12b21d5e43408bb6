/** @module The contract that every store keeps, as a suite for any runner: `storeContract(name, makeStore, { describe, it })`. */
import { ARGUMENT_CASES } from "./contract/argument-cases.ts";
import { COMMIT_CASES } from "./contract/commit-cases.ts";
import { END_CASES, ERASE_CASES, GRAPH_CASES } from "./contract/graph-cases.ts";
import { ITEM_CASES } from "./contract/item-cases.ts";
import { MESSAGE_CASES } from "./contract/message-cases.ts";
import { OUTBOX_CASES } from "./contract/outbox-cases.ts";
import { PRUNABLE_CASES, PRUNE_CASES } from "./contract/prune-cases.ts";
import { QUERY_CASES } from "./contract/query-cases.ts";
import { RUN_CASES } from "./contract/run-cases.ts";
import type { Case } from "./contract/sample.ts";
import { START_TIMER_CASES } from "./contract/start-timer-cases.ts";
import type { RunStore } from "./store.ts";

/** The two functions that vitest, jest and node:test have in common. */
export interface ContractRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/** Makes an empty store for one case; `end` clears away what it left. */
export type MakeStore = () => Promise<{ readonly store: RunStore; readonly end?: () => Promise<void> }>;

/**
 * Registers the contract with a test runner: one test a case, each with a store of its own.
 * A store without `transaction` passes the cases about it.
 */
export function storeContract(name: string, makeStore: MakeStore, { describe, it }: ContractRunner): void {
  describe(name, () => {
    for (const [topic, cases] of TOPICS) {
      describe(topic, () => {
        for (const each of cases) it(each.name, () => showCase(each, makeStore));
      });
    }
  });
}

const TOPICS: readonly (readonly [topic: string, cases: readonly Case[]])[] = [
  ["commit", COMMIT_CASES],
  ["runs", RUN_CASES],
  ["items", ITEM_CASES],
  ["queries", QUERY_CASES],
  ["outbox", OUTBOX_CASES],
  ["messages", MESSAGE_CASES],
  ["timers that start workflows", START_TIMER_CASES],
  ["graphs", GRAPH_CASES],
  ["erasure", ERASE_CASES],
  ["pruning", PRUNE_CASES],
  ["what is to be pruned", PRUNABLE_CASES],
  ["arguments", ARGUMENT_CASES],
  ["end", END_CASES],
];

async function showCase({ show }: Case, makeStore: MakeStore): Promise<void> {
  const { store, end } = await makeStore();
  try {
    await show(store);
  } finally {
    await store.close();
    await end?.();
  }
}
