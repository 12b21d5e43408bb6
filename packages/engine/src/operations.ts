/** @module What operators do to running instances: each authorized, with a reason, recorded in the run's history. */
import type { Json, NodeId, Outcome, TurnInput } from "@tessera/core";
import { DEFAULT_TENANT, type RunId, type TenantId } from "@tessera/persist";
import { type Actor, type Authorize, denial } from "./actor.ts";
import { type Forked, type ForkRequest, forkRun } from "./fork.ts";
import type { Host, TurnRequest } from "./host.ts";
import {
  type MigrateAllRequest,
  type Migrated,
  type MigratedAll,
  type MigrateRequest,
  migrateAll,
  migrateRun,
} from "./migrate.ts";
import { type MappingProved, proveMapping } from "./migration-proof.ts";
import type { Prover } from "./prove.ts";
import type { Refused } from "./refusal.ts";
import { rerouteItem } from "./reroute.ts";
import { findDuplicate, submit } from "./submit.ts";
import {
  answerOf,
  commandOf,
  commandTrouble,
  type Done,
  readMessage,
  submitCommand,
  type TaskRequest,
} from "./work-items.ts";

/** An operation on a whole run. `commandId`: doing it again with the same id changes nothing and answers the same. */
export interface OperationRequest {
  readonly tenant?: TenantId;
  readonly run: RunId;
  readonly by: Actor;
  readonly reason: string;
  readonly commandId?: string;
}

/** A change of D: keys to set; a key that is undefined is taken out. */
export interface EditRequest extends OperationRequest {
  readonly data: { readonly [key: string]: unknown };
}

/** What an intervention holds leaves its node under `outcome`, with `data` as if the node had answered so. */
export interface SkipRequest extends TaskRequest {
  readonly reason: string;
  readonly outcome: Outcome;
  readonly data?: { readonly [key: string]: unknown };
}

/** What an intervention holds goes on at the node `to`. */
export interface RerouteRequest extends TaskRequest {
  readonly reason: string;
  readonly to: NodeId;
}

/** The operations. Every one is refused without a reason. */
export interface Operations {
  /** Changes D: valid by the declared types and schemas; a pass key is refused. */
  readonly edit: (request: EditRequest) => Promise<Done | Refused>;
  /**
   * Stops a run: nothing automatic happens, no job is called, no timer fires, nobody can complete anything. Calls under
   * way are abandoned and repeated, under the same keys, after `resume`. Called runs go on; their results are taken.
   */
  readonly suspend: (request: OperationRequest) => Promise<Done | Refused>;
  readonly resume: (request: OperationRequest) => Promise<Done | Refused>;
  readonly skip: (request: SkipRequest) => Promise<Done | Refused>;
  /** Refused (`unproved`, with the marking as witness) unless every marking reachable from there can complete. */
  readonly reroute: (request: RerouteRequest) => Promise<Done | Refused>;
  /** Begins a new run where another one was after one of its turns. */
  readonly fork: (request: ForkRequest) => Promise<Forked | Refused>;
  /** Moves a run to another definition by a mapping that is proved for its marking first. */
  readonly migrate: (request: MigrateRequest) => Promise<Migrated | Refused>;
  /** Moves all runs of a definition, each for itself. */
  readonly migrateAll: (request: MigrateAllRequest) => Promise<MigratedAll | Refused>;
  /** Proves a mapping for every run of a definition, wherever it may be at rest. */
  readonly proveMigration: (
    request: Pick<MigrateAllRequest, "tenant" | "from" | "to" | "mapping">,
  ) => Promise<MappingProved | Refused>;
}

/** The operations over a host, under the application's rule of authorization. */
export function makeOperations(host: Host, authorize: Authorize, prover: Prover): Operations {
  const onRun = (kind: "suspend" | "resume", request: OperationRequest) =>
    operate(host, authorize, kind, request, {});
  return {
    edit: async (request) => {
      const values = readEdit(host, request.data);
      return values.kind === "refused" ? values : operate(host, authorize, "edit", request, values.patch);
    },
    suspend: (request) => onRun("suspend", request),
    resume: (request) => onRun("resume", request),
    skip: async (request) => {
      const message = readMessage(host, request.data ?? {});
      if (message.kind === "refused") return message;
      const { by, reason, outcome } = request;
      const trouble = commandTrouble({ by, reason, commandId: request.commandId });
      if (trouble !== null) return trouble;
      const decide = commandOf(authorize, "skip", request, ({ item }) => {
        const input: TurnInput = { kind: "skip", item: item.id, outcome, by: by.id, reason };
        return { event: { input, payload: { patch: message.data } } };
      });
      return submitCommand(host, request, decide);
    },
    reroute: (request) => rerouteItem(host, authorize, prover, request),
    fork: (request) => forkRun(host, authorize, request),
    migrate: (request) => migrateRun(host, authorize, prover, request),
    migrateAll: (request) => migrateAll(host, authorize, prover, request),
    proveMigration: ({ tenant = DEFAULT_TENANT, mapping = {}, ...request }) =>
      proveMapping(host, prover, { ...request, tenant, mapping }),
  };
}

/** An operation on a whole run that needs nothing but itself. */
async function operate(
  host: Host,
  authorize: Authorize,
  kind: "edit" | "suspend" | "resume",
  { tenant = DEFAULT_TENANT, run, by, reason, commandId }: OperationRequest,
  patch: { readonly [key: string]: Json | undefined },
): Promise<Done | Refused> {
  const trouble = commandTrouble({ by, reason, commandId });
  if (trouble !== null) return trouble;
  const submitted = await submit(host, tenant, run, (live): TurnRequest | Refused => {
    const denied = denial(authorize, kind, by, { tenant, run, workflow: live.workflow });
    if (denied !== null) return denied;
    const event = { input: { kind, by: by.id, reason }, payload: { patch } } as const;
    return { event, ...(commandId === undefined ? {} : { dedupe: commandId }) };
  });
  const isRefused = submitted.kind === "refused" && commandId !== undefined;
  const earlier = isRefused ? await findDuplicate(host, tenant, run, commandId) : null;
  return answerOf(run, earlier === null ? submitted : { kind: "duplicate", sequence: earlier });
}

/** What an edit sets is read like every message; what it takes out is undefined. */
function readEdit(
  host: Host,
  data: EditRequest["data"],
): { readonly kind: "edit"; readonly patch: { readonly [key: string]: Json | undefined } } | Refused {
  const set = Object.entries(data).filter(([, value]) => value !== undefined);
  const message = readMessage(host, Object.fromEntries(set));
  if (message.kind === "refused") return message;
  const unset = Object.keys(data).filter((key) => data[key] === undefined);
  return {
    kind: "edit",
    patch: { ...message.data, ...Object.fromEntries(unset.map((key) => [key, undefined])) },
  };
}
