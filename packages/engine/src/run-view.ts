/** @module A run as callers see it. */
import {
  type Data,
  type Hash,
  markedPlaces,
  type NodeId,
  type OpenItem,
  type Outcome,
  type RunStatus,
  type Terminal,
  type Trouble,
  tokenNodes,
  type WaitingMode,
} from "@tessera/core";
import type { GraphId, ParentLink, RunId, TenantId } from "@tessera/persist";
import { endLabels } from "./commands.ts";
import type { LiveRun } from "./host.ts";

/** A run between two turns. `marking` names places, `tokens` the nodes that have one; `outcomes` the labels it ended under. */
export interface RunView {
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly workflow: string;
  readonly definition: Hash;
  readonly businessKey: string | null;
  readonly parent: ParentLink | null;
  readonly graph: GraphId;
  readonly status: RunStatus;
  readonly modes: readonly WaitingMode[];
  readonly data: Data;
  readonly marking: Readonly<Record<string, number>>;
  readonly tokens: readonly NodeId[];
  readonly items: readonly OpenItem[];
  readonly sequence: number;
  readonly stepCount: number;
  readonly outcomes: readonly Outcome[];
  readonly terminal: Terminal | null;
}

/** How a run ended. `outcomes` of a completed run are the labels of its ends; `trouble` says why one failed. */
export interface RunEnd {
  readonly kind: "ended";
  readonly run: RunId;
  readonly status: "completed" | "failed" | "cancelled";
  readonly outcomes: readonly Outcome[];
  readonly data: Data;
  readonly trouble: Trouble | null;
  readonly terminal: Terminal | null;
}

/** The view of a run. Its data are a copy: who reads cannot change what runs. */
export function viewOfRun(live: LiveRun): RunView {
  const { tenant, run, workflow, businessKey, parent, graph, state, version } = live;
  const { program } = version.plan;
  return {
    tenant,
    run,
    workflow,
    definition: state.definition,
    businessKey,
    parent,
    graph,
    status: state.status,
    modes: state.modes,
    data: structuredClone(state.data),
    marking: markedPlaces(program.net, state.marking),
    tokens: [...tokenNodes(program, state.marking)],
    items: state.items,
    sequence: state.sequence,
    stepCount: state.stepCount,
    outcomes: endLabels(version.plan, state),
    terminal: state.terminal,
  };
}

/** The end of a run that has ended, else null. */
export function endOf(live: LiveRun): RunEnd | null {
  const { run, state, version } = live;
  const { status, terminal } = state;
  if (status === "running" || status === "waiting") return null;
  const trouble = terminal?.kind === "failed" ? terminal.trouble : null;
  const outcomes = endLabels(version.plan, state);
  return { kind: "ended", run, status, outcomes, data: structuredClone(state.data), trouble, terminal };
}
