/** @module What a matcher was given: nets, definitions and what was made of them, told apart. */
import {
  type Compiled,
  type CompiledWorkflow,
  compile,
  type Definition,
  formatIssue,
  type Implementation,
  type Issue,
  type Net,
  NO_RULES,
  type NonLocalRules,
  parseDefinition,
  type Result,
} from "@tessera/core";
import { orJoinRules, STANDARD_KINDS } from "@tessera/gateways";
import type { NetReport } from "./soundness.ts";
import type { WorkflowReport } from "./workflow-proof.ts";

/** What can be asked: a net, a workflow in any form, or a report of either. A definition is read with the standard kinds. */
export type Provable = Playable | NetReport | WorkflowReport;

/** What has runs: a net, or a workflow as data, built, compiled, or as what compiling answered. */
export type Playable =
  | Net
  | Compiled
  | Definition
  | Implementation
  | Result<Net | Compiled, readonly Issue[]>;

/** A net, with the workflow that it stands for if it stands for one; or a report; or why it is neither. */
export type Subject =
  | {
      readonly kind: "net";
      readonly net: Net;
      readonly rules: NonLocalRules;
      readonly compiled: CompiledWorkflow | null;
    }
  | { readonly kind: "report"; readonly report: NetReport | WorkflowReport }
  | { readonly kind: "wrong"; readonly why: string };

/** Reads what a test gave: anything at all. Never throws. */
export function readSubject(received: unknown): Subject {
  if (typeof received !== "object" || received === null) return wrong(String(received));
  if ("ok" in received) {
    const result = received as Result<unknown, readonly Issue[]>;
    return result.ok ? readSubject(result.value) : issuesOf(result.issues);
  }
  if ("obligations" in received && Array.isArray(received.obligations))
    return { kind: "report", report: received as NetReport | WorkflowReport };
  if ("net" in received && "definition" in received) return compiledSubject(received as Compiled);
  if ("definition" in received) return readSubject(received.definition);
  if ("format" in received) return definitionSubject(received);
  if ("places" in received && "transitions" in received && "initial" in received)
    return { kind: "net", net: received as Net, rules: NO_RULES, compiled: null };
  return wrong(`an object with ${Object.keys(received).slice(0, 5).join(", ") || "nothing in it"}`);
}

function compiledSubject(compiled: Compiled): Subject {
  const workflow = compiled.kind === "workflow" ? compiled : null;
  return { kind: "net", net: compiled.net, rules: orJoinRules(compiled), compiled: workflow };
}

function definitionSubject(given: object): Subject {
  const parsed = parseDefinition(given, STANDARD_KINDS);
  if (!parsed.ok) return issuesOf(parsed.issues);
  const compiled = compile(parsed.value, STANDARD_KINDS);
  return compiled.ok ? compiledSubject(compiled.value) : issuesOf(compiled.issues);
}

function issuesOf(issues: readonly Issue[]): Subject {
  return { kind: "wrong", why: `the definition cannot be read:\n  ${issues.map(formatIssue).join("\n  ")}` };
}

function wrong(what: string): Subject {
  return { kind: "wrong", why: `expected a net, a workflow or a report of one, and got ${what}` };
}
