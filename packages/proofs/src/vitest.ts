/** @module @tessera/proofs/vitest: matchers for tests. Importing this module registers them. */
import type { CompiledWorkflow, Net } from "@tessera/core";
import { fireSequence, NO_RULES, type NonLocalRules } from "@tessera/core";
import { orJoinRules } from "@tessera/gateways";
import { expect } from "vitest";
import { drawRun, tokens } from "./draw-run.ts";
import { describeLimit, explainEvidence, transitionIds } from "./explain.ts";
import { proveNet } from "./pipeline.ts";
import type { Answer, Shown } from "./questions/answer.ts";
import { askNet } from "./questions/ask.ts";
import { parseQuestion } from "./questions/question.ts";
import { checkNet, type NetReport } from "./soundness.ts";
import type { NetEvidence, Verdict } from "./verdict.ts";
import { describeEvidence, type WorkflowEvidence } from "./workflow-evidence.ts";
import { type ProofOptions, proveWorkflow, type WorkflowReport } from "./workflow-proof.ts";

/** What can be asked: a net, a compiled workflow, or a report of either. */
export type Provable = Net | CompiledWorkflow | NetReport | WorkflowReport;

interface TesseraMatchers<R = unknown> {
  /** The net or workflow is proved sound: O1, O2 and O3 hold. `unknown` does not pass, nor does it with `.not`. */
  toBeSound: (options?: ProofOptions) => R;
  /**
   * An obligation, or a question as `tessera prove` takes it, holds: `"O2"`, `"2-sound"`, `"AG EF done = 1"`. `unknown`
   * does not pass, nor does it with `.not`.
   */
  toHold: (question: string, options?: ProofOptions) => R;
  /** Some reachable marking satisfies the predicate: `"done = 1 & open = 0"`. */
  toReach: (predicate: string, options?: ProofOptions) => R;
  /** The transitions, by id, fire one after the other from the start, and lead to the given tokens if some are given. */
  toReplay: (run: readonly string[], reached?: Readonly<Record<string, number>>) => R;
}

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: the declaration must repeat vitest's own type parameter.
  interface Matchers<T = any> extends TesseraMatchers<T> {}
}

/** The matchers, for an `expect` of one's own; importing this module adds them to vitest's. */
export const matchers: Parameters<typeof expect.extend>[0] = {
  toBeSound(received: Provable, options: ProofOptions = {}) {
    const { subject, report } = proved(received, options);
    return answer(this.isNot, report.soundness, ["it is sound", "it is not sound"], subject, "sound");
  },
  toHold(received: Provable, question: string, options: ProofOptions = {}) {
    // A report answers for what it lists, and a workflow has more obligations than a net.
    return /^O\d+$|^deadlock$/u.test(question) || "obligations" in received
      ? holds(this.isNot, received, question, options)
      : asked(this.isNot, received, question, options);
  },
  toReach(received: Net | CompiledWorkflow, predicate: string, options: ProofOptions = {}) {
    return asked(this.isNot, received, `EF (${predicate})`, options);
  },
  toReplay(
    received: Net | CompiledWorkflow,
    run: readonly string[],
    reached?: Readonly<Record<string, number>>,
  ) {
    return replayed(this.isNot, received, run, reached);
  },
};

expect.extend(matchers);

type Subject =
  | { readonly kind: "net"; readonly net: Net }
  | { readonly kind: "workflow"; readonly compiled: CompiledWorkflow }
  | { readonly kind: "report" };

interface Outcome {
  readonly pass: boolean;
  readonly message: () => string;
}

function proved(
  received: Provable,
  options: ProofOptions,
): { readonly subject: Subject; readonly report: NetReport | WorkflowReport } {
  if ("obligations" in received) return { subject: { kind: "report" }, report: received };
  if ("definition" in received) {
    return { subject: { kind: "workflow", compiled: received }, report: proveWorkflow(received, options) };
  }
  return { subject: { kind: "net", net: received }, report: proveNet(received, options) };
}

function holds(isNot: boolean, received: Provable, id: string, options: ProofOptions): Outcome {
  const { subject, report } = proved(received, options);
  const line = report.obligations.find((obligation) => obligation.id === id);
  if (line === undefined)
    return {
      pass: isNot,
      message: () => `there is no obligation ${id} here; a report answers for obligations only`,
    };
  return answer(isNot, line.verdict, [`${id} holds`, `${id} fails`], subject, id);
}

/** An open question fails the matcher in both directions: a test must not be green because a limit was reached. */
function answer(
  isNot: boolean,
  verdict: Verdict<WorkflowEvidence>,
  [yes, no]: readonly [yes: string, no: string],
  subject: Subject,
  id: string,
): Outcome {
  switch (verdict.kind) {
    case "holds":
      return { pass: true, message: () => `expected otherwise, but ${yes}` };
    case "fails":
      return { pass: false, message: () => `${no}: ${witness(subject, id, verdict.evidence)}` };
    case "unknown":
      return {
        pass: isNot,
        message: () => `it is open whether ${yes}: ${describeLimit(verdict.limit)}`,
      };
  }
}

function witness(subject: Subject, id: string, given: WorkflowEvidence): string {
  if (subject.kind === "report") return given.kind;
  const net = netOf(subject);
  const evidence = shortest(net, rulesOf(subject), id, given);
  const said =
    subject.kind === "workflow"
      ? describeEvidence(subject.compiled, evidence)
      : JSON.stringify(explainEvidence(net, evidence as NetEvidence));
  return "run" in evidence ? `${said}\n${drawRun(net, evidence.run.sequence, rulesOf(subject))}` : said;
}

/** Breadth first finds the shortest run; a proof by way of a smaller net may have shown a longer one. */
function shortest(net: Net, rules: NonLocalRules, id: string, given: WorkflowEvidence): WorkflowEvidence {
  if (!("run" in given)) return given;
  const report = checkNet(net, { rules, limits: { statesMax: 20_000, statesAfterFailureMax: 2000 } });
  const verdict =
    id === "sound"
      ? report.soundness
      : report.obligations.find((obligation) => obligation.id === id)?.verdict;
  if (verdict?.kind !== "fails" || !("run" in verdict.evidence)) return given;
  return verdict.evidence.run.sequence.length < given.run.sequence.length ? verdict.evidence : given;
}

function asked(
  isNot: boolean,
  received: Net | CompiledWorkflow,
  text: string,
  options: ProofOptions,
): Outcome {
  const parsed = parseQuestion(text);
  if (parsed.kind === "wrong")
    return { pass: isNot, message: () => `"${text}": ${parsed.message} (at ${parsed.at})` };
  const subject = subjectOf(received);
  const [net, rules] = [netOf(subject), rulesOf(subject)];
  const found = askNet(net, parsed.question, { rules, ...options });
  return {
    pass: found.kind === "unknown" ? isNot : found.kind === "holds",
    message: () => messageOf(net, rules, text, found),
  };
}

function messageOf(net: Net, rules: NonLocalRules, text: string, found: Answer): string {
  if (found.kind === "unknown") return `it is open whether ${text}: ${describeLimit(found.limit)}`;
  const said = `${text} ${found.kind}`;
  const seen = drawn(net, rules, found.shown);
  return found.kind === "holds" ? `expected otherwise, but ${said}${seen}` : `${said}${seen}`;
}

function drawn(net: Net, rules: NonLocalRules, shown: Shown): string {
  switch (shown.kind) {
    case "run":
      return `\n${drawRun(net, shown.run.sequence, rules)}`;
    case "lasso": {
      const { stem, loop } = shown.lasso;
      const end =
        loop.length === 0 ? "and there it ends" : `and on for ever: ${transitionIds(net, loop).join(" ")}`;
      return `\n${drawRun(net, [...stem, ...loop], rules)}\n  ${end}`;
    }
    case "evidence":
      return "run" in shown.evidence
        ? `\n${drawRun(net, shown.evidence.run.sequence, rules)}`
        : `: ${shown.evidence.kind}`;
    case "transitions":
      return `: ${transitionIds(net, shown.transitions).join(", ")}`;
    case "places":
      return `: ${shown.places.map((place) => net.places[place]?.id ?? place).join(", ")}`;
    case "closed":
      return shown.sets
        .map(({ run, size }) => `\n${drawRun(net, run.sequence, rules)}\n  and on within ${size} markings`)
        .join("");
    case "markings":
      return `, in all ${shown.states} markings`;
    case "tokens":
      return `, for ${shown.tokens} on the source`;
    case "theorem":
      return `, by ${shown.id}`;
    case "never":
      return ", by the state equation";
    case "weights":
      return ", by weights of places that no transition raises";
  }
}

function replayed(
  isNot: boolean,
  received: Net | CompiledWorkflow,
  run: readonly string[],
  reached: Readonly<Record<string, number>> | undefined,
): Outcome {
  const subject = subjectOf(received);
  const [net, rules] = [netOf(subject), rulesOf(subject)];
  const sequence = run.map((id) => net.transitions.findIndex((t) => t.id === id));
  const unknown = run.filter((_, index) => sequence[index] === -1);
  if (unknown.length > 0) return { pass: isNot, message: () => `the net has no ${unknown.join(", ")}` };
  const result = fireSequence(net, net.initial, sequence, rules);
  const drawing = drawRun(net, sequence, rules);
  if (result.kind !== "fired") return { pass: false, message: () => `the run does not fire\n${drawing}` };
  const expected = net.places.map(({ id }) => reached?.[id] ?? 0);
  const isThere = reached === undefined || result.marking.every((count, place) => count === expected[place]);
  const said = isThere
    ? "expected otherwise, but the run fires"
    : `the run does not lead to ${tokens(net, expected)}`;
  return { pass: isThere, message: () => `${said}\n${drawing}` };
}

function subjectOf(received: Net | CompiledWorkflow): Exclude<Subject, { kind: "report" }> {
  return "definition" in received ? { kind: "workflow", compiled: received } : { kind: "net", net: received };
}

function netOf(subject: Exclude<Subject, { kind: "report" }>): Net {
  return subject.kind === "workflow" ? subject.compiled.net : subject.net;
}

function rulesOf(subject: Subject): NonLocalRules {
  return subject.kind === "workflow" ? orJoinRules(subject.compiled) : NO_RULES;
}
