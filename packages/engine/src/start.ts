/** @module Starting runs: once for each id, whoever asks how often. */
import {
  DATA_LIMITS,
  type Data,
  formatIssue,
  type Hash,
  type Json,
  jsonEqual,
  parseData,
} from "@tessera/core";
import { DEFAULT_TENANT, type NewRun, type RunId, type TenantId, type Turn } from "@tessera/persist";
import { type Committed, type Host, keyOf, type TurnRequest } from "./host.ts";
import { findVersion, loadGraph, unbornRun } from "./live-run.ts";
import { type Refused, refused } from "./refusal.ts";
import { eventsOfStart } from "./start-event.ts";
import { adopt, commit, computeTurn } from "./submit.ts";
import type { Version } from "./versions.ts";

/** Which workflow: the newest version under a name, or one version. */
export type WorkflowRef = string | { readonly name: string } | { readonly hash: Hash };

/** What a run starts with. */
export interface StartRequest<D = { readonly [key: string]: unknown }> {
  readonly workflow: WorkflowRef;
  readonly tenant?: TenantId;
  /** A name of the application's own for what the run is about; it need not be unique. */
  readonly businessKey?: string;
  /** The run's id; with one, starting again changes nothing. Default: a new id. */
  readonly id?: RunId;
  readonly data?: D;
  readonly by?: string;
  /** The event of the workflow's start that it begins with; default: its first, where it has events. */
  readonly event?: string;
  /** The named graph that the run reads and writes. Default: one of its own. */
  readonly graph?: string;
}

/** A run that is there now. `isNew` is false when an earlier start with the same id and content made it. */
export interface Started {
  readonly kind: "started";
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly isNew: boolean;
  readonly committed: Committed | null;
}

/** Characters of an id that an application chooses. */
export const ID_MAX = 256;

/** A start that was checked: what `commitStart` needs. */
export interface StartOrder {
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly version: Version;
  readonly created: NewRun;
  readonly data: Data;
  readonly by?: string;
  readonly event?: string;
  readonly takes?: TurnRequest["takes"];
  readonly done?: readonly string[];
  readonly fence?: Turn["fence"];
}

/** Starts a run, or finds the one that the same request started before. */
export async function startRun(host: Host, request: StartRequest): Promise<Started | Refused> {
  const trouble = startTrouble(request);
  if (trouble !== null) return trouble;
  const tenant = request.tenant ?? DEFAULT_TENANT;
  const version = await resolveWorkflow(host, tenant, request.workflow);
  if (version.kind === "refused") return version;
  const order = checkStart(host, tenant, version, request);
  return order.kind === "refused" ? order : commitStart(host, order.order);
}

/** Why nothing can be looked up for a request, null if it can: programs that no compiler checks may give anything. */
export function startTrouble(request: StartRequest | undefined): Refused | null {
  const given = (request ?? {}) as StartRequest;
  return nameTrouble(given) ?? workflowTrouble(given);
}

/** Programs that no compiler checks: a workflow is named, or referred to by a name or a hash. */
function workflowTrouble({ workflow }: { readonly workflow: unknown }): Refused | null {
  const ref = (typeof workflow === "string" ? { name: workflow } : (workflow ?? {})) as {
    readonly [key: string]: unknown;
  };
  const isNamed = typeof ref["name"] === "string" || typeof ref["hash"] === "string";
  return isNamed ? null : refused("invalid", "workflow must be a name or a hash", { name: "workflow" });
}

/** The version that a reference means now. */
export async function resolveWorkflow(
  host: Host,
  tenant: TenantId,
  ref: WorkflowRef,
): Promise<Version | Refused> {
  if (typeof ref === "object" && "hash" in ref) return findVersion(host, ref.hash);
  const name = typeof ref === "string" ? ref : ref.name;
  const row = await host.store.newestDefinition(tenant, name);
  return row === null ? unknownWorkflow(name) : host.versions.open(row);
}

/** The refusal of a name under which nothing is deployed. */
export function unknownWorkflow(name: string): Refused {
  return refused("not-found", `no workflow "${name}" is deployed`, { workflow: name });
}

/** Checks a request against a version: ids, data, limits, schemas. No I/O. */
export function checkStart(
  host: Host,
  tenant: TenantId,
  version: Version,
  request: StartRequest,
): { readonly kind: "order"; readonly order: StartOrder } | Refused {
  const names = nameTrouble(request);
  if (names !== null) return names;
  const run = request.id ?? host.ids();
  const { dataBytesMax, messageBytesMax } = host.limits;
  const parsed = parseData(request.data ?? {}, [], {
    ...DATA_LIMITS,
    bytesMax: Math.min(dataBytesMax, messageBytesMax),
  });
  if (!parsed.ok) {
    const isLimit = parsed.issues.every(({ code }) => code === "DATA004");
    const issues = parsed.issues.map(formatIssue);
    return refused(isLimit ? "limit" : "invalid", issues.join("; "), { issues });
  }
  const trouble = version.bodies().validate(parsed.value);
  if (trouble !== null)
    return refused("invalid-data", trouble.message, { ...trouble.facts, code: trouble.code });
  const { businessKey, by, event } = request;
  const wrong = eventTrouble(version, event);
  if (wrong !== null) return wrong;
  const created: NewRun = {
    workflow: version.name,
    graph: request.graph ?? run,
    ...(businessKey === undefined ? {} : { businessKey }),
  };
  const order = { tenant, run, version, created, data: parsed.value, ...(by === undefined ? {} : { by }) };
  return { kind: "order", order: { ...order, ...(event === undefined ? {} : { event }) } };
}

/** A start that names an event names one of the workflow's. */
function eventTrouble({ plan, name }: Version, event: string | undefined): Refused | null {
  const { compiled } = plan.program;
  if (event === undefined) return null;
  const known = compiled.kind === "net" ? [] : eventsOfStart(plan.nodes, compiled.definition.entry);
  if (known.some(({ id }) => id === event)) return null;
  return refused("invalid", `"${name}" does not start with the event "${event}"`, { event });
}

/** Ids and names that an application chooses are texts that every store and journal can keep. */
function nameTrouble({ id, tenant, businessKey, graph, by }: StartRequest): Refused | null {
  const given = Object.entries({ id, tenant, businessKey, graph, by }).filter(
    ([, text]) => text !== undefined,
  );
  const bad = given.find(([, text]) => {
    return typeof text !== "string" || text === "" || text.length > ID_MAX || /\p{Surrogate}/u.test(text);
  });
  if (bad === undefined) return null;
  return refused("invalid", `${bad[0]} must be a text of 1 to ${ID_MAX} characters`, { name: bad[0] });
}

/**
 * Commits the first turn of a run, exclusive for its id. If the run is there already, it is the same run when it was
 * started with the same content, and a refusal otherwise.
 *
 * @definition D9.9
 */
export function commitStart(host: Host, order: StartOrder): Promise<Started | Refused> {
  const { tenant, run } = order;
  return host.mailboxes.exclusive(keyOf(tenant, run), async () => {
    for (let attempt = 0; attempt < host.limits.conflictsMax; attempt += 1) {
      if (host.runs.get(keyOf(tenant, run)) !== undefined) return existingRun(host, order);
      const graph = await loadGraph(host, tenant, order.created.graph);
      const computed = computeStart(host, order, graph);
      if (computed.kind === "refused") return computed;
      const result = await commit(host, computed);
      if (result.kind === "ok") {
        return {
          kind: "started",
          tenant,
          run,
          isNew: true,
          committed: adopt(host, null, computed, result.claimed ?? []),
        };
      }
      if (result.kind === "duplicate") return existingRun(host, order);
      if (result.on === "run") return existingRun(host, order);
      if (result.on === "fence") return refused("fenced", "another worker has taken over", { run });
      if (result.on === "message") return refused("taken", "somebody else has the message", { run });
      if (result.on === "parent") return refused("orphan", "nobody waits for this run any longer", { run });
      host.graphs.delete(keyOf(tenant, order.created.graph));
    }
    return refused("busy", "other writers were faster every time", { run });
  });
}

/** The first turn of a run. No I/O. */
export function computeStart(
  host: Host,
  order: StartOrder,
  graph: Parameters<typeof computeTurn>[3],
): ReturnType<typeof computeTurn> {
  const { tenant, run, version, created, data, by, event, takes, done, fence } = order;
  const named = { ...(by === undefined ? {} : { by }), ...(event === undefined ? {} : { event }) };
  const input = { kind: "start", data, ...named } as const;
  return computeTurn(host, unbornRun(tenant, run, version, created), created, graph, {
    event: { input },
    ...(takes === undefined ? {} : { takes }),
    ...(done === undefined ? {} : { done }),
    ...(fence === undefined ? {} : { fence }),
  });
}

/** The same id: the same content is the same run, other content is a refusal. */
async function existingRun(
  host: Host,
  { tenant, run, created, data }: StartOrder,
): Promise<Started | Refused> {
  const [loaded, [first]] = await Promise.all([
    host.store.load(tenant, run),
    host.store.journal(tenant, run, 0, 1),
  ]);
  if (loaded === null) return refused("busy", `run "${run}" is being started`, { run });
  const { row } = loaded;
  // What is erased or pruned cannot be compared.
  const input = first?.sequence === 1 ? first.record?.input : undefined;
  const isSameData =
    input === undefined || (input.kind === "start" && jsonEqual(input.data as Json, data as Json));
  const isSame =
    row.workflow === created.workflow &&
    row.businessKey === (created.businessKey ?? null) &&
    row.graph === created.graph &&
    row.parent?.run === created.parent?.run &&
    row.parent?.item === created.parent?.item;
  if (isSame && isSameData) return { kind: "started", tenant, run, isNew: false, committed: null };
  return refused("exists", `run "${run}" was started with other content`, { run, workflow: row.workflow });
}
