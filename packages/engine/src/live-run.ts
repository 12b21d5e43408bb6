/** @module Runs and graphs as they are now: from memory, else folded from what the store has. */
import { applyTurn, EMPTY_GRAPH, type Hash, initialState, invariant, type OpenItem } from "@tessera/core";
import {
  type GraphId,
  type LoadedRun,
  type NewRun,
  type RunId,
  type RunRow,
  StoreError,
  type TenantId,
} from "@tessera/persist";
import { type Host, keyOf, type LiveGraph, type LiveRun, RECORD_BYTES } from "./host.ts";
import { type Refused, refused } from "./refusal.ts";
import type { Version } from "./versions.ts";

/** The run as the store has it, or why it cannot run here. */
export async function loadRun(
  host: Host,
  tenant: TenantId,
  run: RunId,
  atSequence?: number,
): Promise<LiveRun | Refused> {
  const loaded = await host.store.load(tenant, run, atSequence);
  if (loaded === null) return refused("not-found", `there is no run "${run}"`, { run });
  const version = await findVersion(host, loaded.definition);
  if (version.kind === "refused") return version;
  return liveRun(loaded, version);
}

/**
 * The run for a look that concerns one item: from memory, unless what is remembered does not have the item as it
 * should be; another process may have moved the run since, so then the store is asked.
 */
export async function runWith(
  host: Host,
  tenant: TenantId,
  run: RunId,
  isExpected: (item: OpenItem) => boolean,
): Promise<LiveRun | Refused> {
  const key = keyOf(tenant, run);
  const known = host.runs.get(key);
  if (known?.state.items.some(isExpected) === true) return known;
  const loaded = await loadRun(host, tenant, run);
  const remembered = host.runs.get(key);
  const isNews = loaded.kind === "live" && (remembered?.state.sequence ?? 0) < loaded.state.sequence;
  if (isNews) host.runs.set(key, loaded);
  return loaded;
}

/** The row of a run as it is now, without its state; null when there is no such run. Cost: one row. */
export async function rowOf(host: Host, tenant: TenantId, run: RunId): Promise<RunRow | null> {
  return (await host.store.load(tenant, run, 0))?.row ?? null;
}

/** The version of a hash: known, or from the store. */
export async function findVersion(host: Host, hash: Hash): Promise<Version | Refused> {
  const known = host.versions.known(hash);
  if (known !== undefined) return known;
  const row = await host.store.definition(hash);
  return row === null
    ? refused("not-found", `there is no definition ${hash}`, { hash })
    : host.versions.open(row);
}

/** A loaded run with its state: rho is the fold of H. */
export function liveRun(loaded: LoadedRun, version: Version): LiveRun | Refused {
  const { row, snapshot, tail, erasedAt, anchor } = loaded;
  if (erasedAt !== null) {
    const message = `turn ${erasedAt} of run "${row.run}" was erased and no later snapshot is there`;
    return refused("erased", message, { run: row.run, sequence: erasedAt });
  }
  if (snapshot === null && anchor !== null) return prunedAway(row.run, anchor.sequence);
  const { program } = version.plan;
  let state = snapshot ?? initialState(program);
  for (const record of tail) {
    const applied = applyTurn(program, state, record);
    if (applied.kind === "refused") {
      const where = `turn ${record.sequence} of run "${row.run}"`;
      if (applied.code === "semantics") {
        const message = `${where} was written under rules of version ${record.semantics}, which this release does not know`;
        throw new StoreError("schema", message);
      }
      throw new StoreError("corrupt", `${where} does not follow from the turns before it: ${applied.code}`);
    }
    state = applied.state;
  }
  const { tenant, run, workflow, businessKey, parent, graph } = row;
  const bytes = tail.length * RECORD_BYTES;
  const size = { turns: tail.length, bytes };
  const names = { tenant, run, workflow, businessKey, parent, graph };
  return { kind: "live", ...names, version, state, at: row.updatedAt, tail: size, wasUnfinished: true };
}

/** The refusal of what lies before the anchor of a run. */
export function prunedAway(run: RunId, sequence: number): Refused {
  return refused("pruned", `the turns of run "${run}" before turn ${sequence} are pruned`, { run, sequence });
}

/** The state of a run before its first turn. */
export function unbornRun(
  tenant: TenantId,
  run: RunId,
  version: Version,
  { workflow, businessKey = undefined, parent, graph }: NewRun,
): LiveRun {
  return {
    kind: "live",
    tenant,
    run,
    workflow,
    businessKey: businessKey ?? null,
    parent: parent ?? null,
    graph,
    version,
    state: initialState(version.plan.program),
    at: Number.NEGATIVE_INFINITY,
    tail: { turns: 0, bytes: 0 },
    wasUnfinished: false,
  };
}

/** The graph as this process knows it, else as the store has it. */
export async function loadGraph(host: Host, tenant: TenantId, id: GraphId): Promise<LiveGraph> {
  const known = host.graphs.get(keyOf(tenant, id));
  if (known !== undefined) return known;
  const loaded = await host.store.graph(tenant, id);
  invariant(loaded.sequence > 0 || loaded.graph.objects === EMPTY_GRAPH.objects, "D18.3", () => ({
    graph: id,
  }));
  host.graphs.set(keyOf(tenant, id), loaded);
  return loaded;
}
