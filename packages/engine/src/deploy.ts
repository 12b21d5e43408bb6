/** @module Deploying: a definition is read, compiled, pinned and proved; what fails is refused with the witness. */
import {
  compile,
  contentHash,
  type Definition,
  type DefinitionReliances,
  definitionHash,
  formatIssue,
  guardReliances,
  type Hash,
  type Implementation,
  type Issue,
  issue,
  type Json,
  type JsonObject,
  jsonEqual,
  makeProgram,
  type Outcome,
  parseDefinition,
  type WorkflowNode,
} from "@tessera/core";
import { endLabel, eventsOf, type Footprint, mergeRules, orJoinRules } from "@tessera/gateways";
import { DEFAULT_TENANT, type TenantId } from "@tessera/persist";
import { durationMs, timeKind } from "./due.ts";
import { formIssues } from "./form.ts";
import type { Host } from "./host.ts";
import { metaText } from "./plan.ts";
import { isBinding, type ObligationVerdict, type Proof, type Prover } from "./prove.ts";
import { type Refused, refused } from "./refusal.ts";
import type { Owner, Registry } from "./registry.ts";
import { retryIssues } from "./retry.ts";
import { startEvents } from "./start-event.ts";
import { firstTimers } from "./start-timers.ts";

/** A failure, or an open question, that somebody takes upon themselves. Recorded in the version. */
export interface Acceptance {
  readonly obligation: string;
  readonly reason: string;
  readonly by: string;
}

/** How to deploy. */
export interface DeployOptions {
  readonly tenant?: TenantId;
  readonly accept?: readonly Acceptance[];
}

/** A version that is deployed now. `isNew` is false when the same content was deployed before. */
export interface Deployed {
  readonly kind: "deployed";
  readonly name: string;
  readonly hash: Hash;
  readonly isNew: boolean;
  /** Do times start it? */
  readonly isTimed: boolean;
  readonly obligations: readonly ObligationVerdict[];
  readonly accepted: readonly Acceptance[];
  readonly warnings: readonly Issue[];
}

/** A definition in any form: data, or built with its handlers. */
export type Deployable = Definition | Implementation | { readonly [member: string]: unknown };

/**
 * Deploys a definition under its id. Bad input is refused with all issues (`invalid`); an obligation that fails or is
 * open is refused (`unproved`) with its witness, unless `accept` names it. The same content is the same version; a
 * name points to what was deployed last. Runs that are under way stay on their version.
 */
export async function deploy(
  host: Host,
  prover: Prover,
  deployable: Deployable,
  options: DeployOptions = {},
): Promise<Deployed | Refused> {
  const tenant = options.tenant ?? DEFAULT_TENANT;
  const implementation = isImplementation(deployable) ? deployable : null;
  const parsed = parseDefinition(implementation?.definition ?? deployable, host.registry.kinds);
  if (!parsed.ok) return invalid(parsed.issues);
  const definition = parsed.value;
  const calls = await pinCalls(host, tenant, definition);
  const reliances = relianceIssues(host.registry, definition, implementation);
  const issues = [...calls.issues, ...reliances.issues, ...hostIssues(host.registry, definition)];
  const compiled = compile(definition, host.registry.kinds);
  if (!compiled.ok) return invalid([...issues, ...compiled.issues]);
  if (issues.length > 0) return invalid(issues);
  const { hash, manifest } = definitionHash(definition, host.registry.kinds, {
    ...reliances.pinned,
    calls: calls.pins,
  });
  const scopes = scopesOf(host.registry);
  const recorded = await recordedProof(host, tenant, definition.id, hash, scopes);
  const program = makeProgram(hash, compiled.value, orJoinRules(compiled.value));
  const footprints = { constraints: host.registry.constraints, children: calls.footprints };
  const proof = recorded ?? (await prover(program, calls.labels, footprints));
  const { obligations, labels, footprint, assumptions } = proof;
  const accepted = [...(options.accept ?? []), ...(recorded?.accepted ?? [])];
  const doubtful = obligations.filter((line) => isBinding(line) && line.verdict !== "holds");
  const open = doubtful.filter(({ id }) => !accepted.some(({ obligation }) => obligation === id));
  if (open.length > 0) return unproved(definition.id, open);
  const used = doubtful.flatMap(({ id }) => accepted.find(({ obligation }) => obligation === id) ?? []);
  const { definition: _stored, ...covered } = manifest;
  const record = {
    ...covered,
    accepted: used,
    obligations,
    labels,
    ...(footprint === undefined ? {} : { footprint }),
    assumptions,
  } as unknown as JsonObject;
  const deployedAt = host.clock.now();
  const starts = definition.kind === "net" ? [] : startEvents(definition.nodes, definition.entry);
  const timers = definition.kind === "net" ? [] : firstTimers(definition.nodes, definition.entry, deployedAt);
  const row = {
    hash,
    name: definition.id,
    definition,
    manifest: record,
    deployedAt,
    ...(starts.length === 0 ? {} : { starts }),
    ...(timers.length === 0 ? {} : { timers }),
  };
  const stored = await host.store.putDefinition(tenant, row);
  if (implementation !== null) host.registry.register(implementation);
  const isNew = stored === "stored";
  return {
    kind: "deployed",
    name: definition.id,
    hash,
    isNew,
    isTimed: timers.length > 0,
    obligations,
    accepted: used,
    warnings: parsed.warnings,
  };
}

/**
 * What was proved of the version, and accepted, when it was deployed here before: a program that starts again does not
 * prove again. Null where it was not deployed under this name, where a verdict was open (a second look may settle it), or
 * where constraints have other scopes now: O9 rests on them.
 */
async function recordedProof(
  host: Host,
  tenant: TenantId,
  name: string,
  hash: Hash,
  scopes: Json,
): Promise<(Proof & { readonly accepted: readonly Acceptance[] }) | null> {
  const versions = await host.store.definitionVersions(tenant, name);
  const manifest = versions.find((row) => row.hash === hash)?.manifest;
  const recorded = manifest as unknown as (Proof & { readonly accepted: readonly Acceptance[] }) | undefined;
  if (!Array.isArray(recorded?.obligations) || !Array.isArray(recorded.accepted)) return null;
  if (!jsonEqual(manifest?.["scopes"] ?? [], scopes)) return null;
  return recorded.obligations.some((line) => isBinding(line) && line.verdict === "unknown") ? null : recorded;
}

/** The scopes of the registered constraints, by name. */
function scopesOf({ constraints }: Registry): Json {
  return constraints.map(({ name, version, scope }) => ({ name, version, scope: { ...scope } }));
}

function isImplementation(deployable: Deployable): deployable is Implementation {
  return "functions" in deployable && deployable.functions instanceof Map && "definition" in deployable;
}

function invalid(issues: readonly Issue[]): Refused {
  const lines = issues.map(formatIssue);
  return refused("invalid", lines.join("\n"), { issues: issues as unknown as Json });
}

function unproved(name: string, open: readonly ObligationVerdict[]): Refused {
  const lines = open.map(({ id, verdict }) => `${id} ${verdict}`).join(", ");
  return refused("unproved", `"${name}" is not deployed: ${lines}`, { obligations: open as unknown as Json });
}

/** What a definition calls: each name pinned to the version that is the newest now, with the labels it can end under. */
interface Calls {
  readonly pins: Readonly<Record<string, Hash>>;
  readonly labels: ReadonlyMap<string, readonly Outcome[]>;
  /** What each does with G, where its proof said so. */
  readonly footprints: ReadonlyMap<string, Footprint>;
  readonly issues: readonly Issue[];
}

async function pinCalls(host: Host, tenant: TenantId, definition: Definition): Promise<Calls> {
  const pins: Record<string, Hash> = {};
  const labels = new Map<string, readonly Outcome[]>();
  const footprints = new Map<string, Footprint>();
  const issues: Issue[] = [];
  for (const { name, node, path } of callsOf(definition)) {
    if (Object.hasOwn(pins, name)) continue;
    const row = await host.store.newestDefinition(tenant, name);
    if (row === null) {
      issues.push(issue("ENGINE003", path, `"${node}" calls "${name}", which is not deployed`));
      continue;
    }
    pins[name] = row.hash;
    const footprint = row.manifest["footprint"] as unknown as Footprint | undefined;
    if (footprint !== undefined) footprints.set(name, footprint);
    const proved = row.manifest["labels"];
    labels.set(name, Array.isArray(proved) ? (proved as readonly Outcome[]) : topLabels(row.definition));
  }
  return { pins, labels, footprints, issues };
}

/** Every place of a definition that names a workflow: calls, and handlers of events. */
function callsOf(
  definition: Definition,
): readonly { readonly name: string; readonly node: string; readonly path: Issue["path"] }[] {
  return nodesOf(definition).flatMap((node, index) => {
    const called = node.kind === "subprocess" ? metaText(node, "workflow") : undefined;
    const path = ["nodes", index, "meta"];
    return [
      ...(called === undefined ? [] : [{ name: called, node: node.id, path: [...path, "workflow"] }]),
      ...eventsOf(node).flatMap(({ handler }, at) =>
        handler === null
          ? []
          : [{ name: handler.workflow, node: node.id, path: [...path, "events", at, "workflow"] }],
      ),
    ];
  });
}

function nodesOf(definition: Definition): readonly WorkflowNode[] {
  return definition.kind === "net" ? [] : definition.nodes;
}

/** The labels of the ends at top level: what a definition declares, where its proof did not say. */
function topLabels(definition: Definition): readonly Outcome[] {
  if (definition.kind === "net") return ["done"];
  const ends = definition.nodes.filter((node) => node.kind === "end" && node.scope === undefined);
  return [...new Set(ends.map(endLabel))];
}

/** The versions of what the definition relies on; what is not registered is an issue: its version could not be pinned. */
function relianceIssues(
  registry: Registry,
  definition: Definition,
  implementation: Implementation | null,
): { readonly pinned: DefinitionReliances; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  // The handlers that come with the definition are registered when it has been accepted, not before.
  const owner: Owner = { workflow: definition.id, definition: contentHash(definition as unknown as Json) };
  const functionOf = (name: string) => {
    const own = implementation?.functions.get(name);
    return own === undefined ? registry.functionOf(owner, name) : { version: 1 };
  };
  const functions: Record<string, string | number> = {};
  for (const [index, node] of nodesOf(definition).entries()) {
    for (const name of functionNames(registry, node)) {
      const found = functionOf(name);
      if (found === undefined)
        issues.push(
          issue("ENGINE004", ["nodes", index], `no function "${name}" is registered for "${node.id}"`),
        );
      else functions[name] = found.version;
    }
  }
  const guards = guardReliances(definition);
  const predicates: Record<string, string | number> = {};
  for (const name of guards.predicates) {
    const found = registry.predicateOf(name);
    if (found === undefined)
      issues.push(issue("ENGINE005", ["arcs"], `no predicate "${name}" is registered`));
    else predicates[name] = found.version;
  }
  const languages: Record<string, string | number> = {};
  for (const name of guards.languages) {
    const found = registry.languageOf(name);
    if (found === undefined)
      issues.push(issue("ENGINE006", ["arcs"], `no evaluator of the language "${name}" is registered`));
    else languages[name] = found.version;
  }
  return { pinned: { functions, predicates, languages }, issues };
}

/** The functions that a node asks in the turn: its body, and the rules by which it merges keys. */
function functionNames({ kinds }: Registry, node: WorkflowNode): readonly string[] {
  const rules = [...mergeRules(node.meta?.["merge"]).values()];
  const merging = rules.flatMap((rule) => (rule.kind === "function" ? [rule.name] : []));
  const isInline = kinds.get(node.kind)?.body(node) === "inline" && node.kind !== "decision";
  return isInline ? [metaText(node, "function") ?? node.id] : merging;
}

/** What the kinds cannot know: times, forms, retry policies, constraints that the host must have. */
function hostIssues(registry: Registry, definition: Definition): readonly Issue[] {
  const found = nodesOf(definition).flatMap((node, index) => {
    const path = ["nodes", index];
    return [
      ...timeIssues(node, path),
      ...eventTimeIssues(node, path),
      ...formIssues(node, path),
      ...retryIssues(node, path),
    ];
  });
  const named = definition.kind === "net" ? [] : (definition.constraints ?? []);
  const lacking = named.filter(
    (name) => !registry.constraints.some((constraint) => constraint.name === name),
  );
  return [
    ...found,
    ...lacking.map((name) => issue("ENGINE008", ["constraints"], `no constraint "${name}" is registered`)),
  ];
}

function eventTimeIssues(node: WorkflowNode, path: Issue["path"]): readonly Issue[] {
  const events = eventsOf(node).flatMap(({ time }, at) => {
    if (time === null || time.by === "key" || timeKind(time.text) === time.by) return [];
    const message = `"${time.text}" of "${node.id}" is no ISO 8601 ${time.by}`;
    return [issue("ENGINE007", [...path, "meta", "events", at, time.by], message)];
  });
  const ttl = metaText(node, "ttl");
  if (ttl === undefined || durationMs(ttl, 0) !== null) return events;
  const message = `"${ttl}" of "${node.id}" is no positive ISO 8601 duration`;
  return [...events, issue("ENGINE007", [...path, "meta", "ttl"], message)];
}

function timeIssues(node: WorkflowNode, path: Issue["path"]): readonly Issue[] {
  const expected: Readonly<Record<string, readonly string[]>> = {
    date: ["date"],
    duration: ["duration"],
    cycle: ["cycle"],
    deadline: ["date", "duration"],
  };
  const found = Object.entries(expected).flatMap(([name, kinds]) => {
    const text = metaText(node, name);
    const kind = text === undefined ? undefined : timeKind(text);
    if (text === undefined || (kind !== null && kind !== undefined && kinds.includes(kind))) return [];
    return [
      issue(
        "ENGINE007",
        [...path, "meta", name],
        `"${text}" of "${node.id}" is no ISO 8601 ${kinds.join(" or ")}`,
      ),
    ];
  });
  const timeout = metaText(node, "timeout");
  if (timeout === undefined || durationMs(timeout, 0) !== null) return found;
  return [
    ...found,
    issue(
      "ENGINE007",
      [...path, "meta", "timeout"],
      `"${timeout}" of "${node.id}" is no positive ISO 8601 duration`,
    ),
  ];
}
