/** @module Stores that list what is to be pruned wrongly, each in one way, for tests of the contract. */
import type { RunStore } from "@tessera/persist";

/** What a broken store does otherwise than `store`. */
export type Break = (store: RunStore) => Partial<RunStore>;

/** By what is wrong with them. */
export const BROKEN_PRUNABLE: Readonly<Record<string, Break>> = {
  "that lists nothing as to be pruned": () => ({ prunable: async () => ({ rows: [], next: null }) }),
  "that lists as to be pruned whatever has ended": (store) => ({
    prunable: async ({ tenant, before, limit }) => {
      const { rows } = await store.runs({ tenant, limit: 999 });
      const ended = rows.filter(
        ({ status, updatedAt }) => status !== "waiting" && status !== "running" && updatedAt < before,
      );
      const oldest = ended.reverse().sort((a, b) => a.updatedAt - b.updatedAt);
      return { rows: oldest.slice(0, limit), next: null };
    },
  }),
  "that lists as to be pruned what goes on": (store) => ({
    prunable: async (query) => {
      const page = await store.prunable(query);
      const { rows } = await store.runs({ tenant: query.tenant, limit: 1, status: "waiting" });
      return { ...page, rows: [...rows, ...page.rows] };
    },
  }),
  "that lists as to be pruned of any tenant": (store) => ({
    prunable: (query) => store.prunable({ ...query, tenant: "default" }),
  }),
  "that lists as to be pruned what ended at the time": (store) => ({
    prunable: (query) => store.prunable({ ...query, before: query.before + 1 }),
  }),
  "that lists what is to be pruned in the order of its age": (store) => ({
    prunable: async (query) => {
      const page = await store.prunable(query);
      return { ...page, rows: [...page.rows].sort((a, b) => (a.run < b.run ? -1 : 1)) };
    },
  }),
  "that counts what is to be pruned from the first again": (store) => ({
    prunable: async ({ after = "0", limit, ...query }) => {
      const all = await store.prunable({ ...query, limit: 999 });
      const end = Number(after) + limit;
      return {
        rows: all.rows.slice(Number(after), end),
        next: end < all.rows.length ? String(end) : null,
      };
    },
  }),
};
