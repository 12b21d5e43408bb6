/** @module @tessera/proofs/vitest: matchers for tests. Importing this module registers them. */
import { fireSequence, type Net, type NonLocalRules } from "@tessera/core";
import { expect } from "vitest";
import { drawRun, tokens } from "./draw-run.ts";
import { describeLimit, transitionIds } from "./explain.ts";
import { type Playable, type Provable, readSubject, type Subject } from "./matcher-subject.ts";
import { netEvidenceWords } from "./net-words.ts";
import { proveNet } from "./pipeline.ts";
import type { Answer, Shown } from "./questions/answer.ts";
import { askNet } from "./questions/ask.ts";
import { parseQuestion, QUESTION_NAMES } from "./questions/question.ts";
import { checkNet, type NetReport } from "./soundness.ts";
import type { NetEvidence, Verdict } from "./verdict.ts";
import { describeEvidence, type WorkflowEvidence } from "./workflow-evidence.ts";
import { type ProofOptions, proveWorkflow, type WorkflowReport } from "./workflow-proof.ts";

export type { Playable, Provable } from "./matcher-subject.ts";

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
    const subject = readSubject(received);
    if (subject.kind === "wrong") return wrongly(this.isNot, subject.why);
    const { soundness } = reportOf(subject, options);
    return answer(this.isNot, soundness, ["it is sound", "it is not sound"], subject, "sound");
  },
  toHold(received: Provable, question: string, options: ProofOptions = {}) {
    const subject = readSubject(received);
    if (subject.kind === "wrong") return wrongly(this.isNot, subject.why);
    // A report answers for what it lists, and a workflow has more obligations than a net.
    const isObligation = /^O\d+$|^deadlock$/u.test(question);
    return isObligation || subject.kind === "report"
      ? holds(this.isNot, subject, question, options)
      : asked(this.isNot, subject, question, options);
  },
  toReach(received: Playable, predicate: string, options: ProofOptions = {}) {
    const subject = readSubject(received);
    return subject.kind === "net"
      ? asked(this.isNot, subject, `EF (${predicate})`, options)
      : wrongly(this.isNot, whyNoRuns(subject));
  },
  toReplay(received: Playable, run: readonly string[], reached?: Readonly<Record<string, number>>) {
    const subject = readSubject(received);
    return subject.kind === "net"
      ? replayed(this.isNot, subject, run, reached)
      : wrongly(this.isNot, whyNoRuns(subject));
  },
};

expect.extend(matchers);

type NetSubject = Subject & { readonly kind: "net" };
type Known = Exclude<Subject, { readonly kind: "wrong" }>;

interface Outcome {
  readonly pass: boolean;
  readonly message: () => string;
}

/** What cannot be asked fails the matcher in both directions. */
function wrongly(isNot: boolean, why: string): Outcome {
  return { pass: isNot, message: () => why };
}

function whyNoRuns(subject: Exclude<Subject, NetSubject>): string {
  return subject.kind === "wrong" ? subject.why : "a report has no runs: give the net or the workflow";
}

function reportOf(subject: Known, options: ProofOptions): NetReport | WorkflowReport {
  if (subject.kind === "report") return subject.report;
  const { net, rules, compiled } = subject;
  return compiled === null ? proveNet(net, { rules, ...options }) : proveWorkflow(compiled, options);
}

function holds(isNot: boolean, subject: Known, id: string, options: ProofOptions): Outcome {
  const { obligations } = reportOf(subject, options);
  const line = obligations.find((obligation) => obligation.id === id);
  if (line !== undefined) return answer(isNot, line.verdict, [`${id} holds`, `${id} fails`], subject, id);
  const there = obligations.map((obligation) => obligation.id).join(", ");
  const more = subject.kind === "report" ? "; a report answers for obligations only" : "";
  return wrongly(isNot, `there is no obligation ${id} here, but ${there}${more}`);
}

/** An open question fails the matcher in both directions: a test must not be green because a limit was reached. */
function answer(
  isNot: boolean,
  verdict: Verdict<WorkflowEvidence>,
  [yes, no]: readonly [yes: string, no: string],
  subject: Known,
  id: string,
): Outcome {
  switch (verdict.kind) {
    case "holds":
      return { pass: true, message: () => `expected otherwise, but ${yes}` };
    case "fails":
      return { pass: false, message: () => `${no}: ${witness(subject, id, verdict.evidence)}` };
    case "unknown":
      return wrongly(isNot, `it is open whether ${yes}: ${describeLimit(verdict.limit)}`);
  }
}

function witness(subject: Known, id: string, given: WorkflowEvidence): string {
  if (subject.kind === "report") return given.kind;
  const { net, rules, compiled } = subject;
  const evidence = shortest(net, rules, id, given);
  const said =
    compiled === null ? netEvidenceWords(net, evidence as NetEvidence) : describeEvidence(compiled, evidence);
  return "run" in evidence ? `${said}\n${drawRun(net, evidence.run.sequence, rules)}` : said;
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

function asked(isNot: boolean, { net, rules }: NetSubject, text: string, options: ProofOptions): Outcome {
  const parsed = parseQuestion(text);
  if (parsed.kind === "wrong") {
    const names = `obligations, ${QUESTION_NAMES.join(", ")}, and formulas; a name that is no word stands in double quotes`;
    return wrongly(isNot, `"${text}": ${parsed.message} (at ${parsed.at})\n  what can be asked: ${names}`);
  }
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
    case "semiflows":
      return `, by ${shown.semiflows.flows.length} semiflows`;
    case "firings":
    case "rising":
      return `, by ${shown.kind}`;
    case "many-tokens":
      return `: ${shown.reason.kind}`;
    case "weights":
      return ", by weights of places that no transition raises";
    case "terminal":
      return `, in ${shown.states} markings with stubborn sets`;
    case "changes":
    case "enables":
      return `, as ${shown.runs.length} runs show`;
    case "minimal-sets":
      return `: ${shown.argument.sets.length} minimal ${shown.of}`;
    case "siphon-traps":
      return `, by a marked trap in each of ${shown.certificate.siphons.length} siphons`;
    case "bare-siphon":
      return `: no marked trap in ${shown.places.map((place) => net.places[place]?.id ?? place).join(", ")}`;
  }
}

function replayed(
  isNot: boolean,
  { net, rules }: NetSubject,
  run: readonly string[],
  reached: Readonly<Record<string, number>> | undefined,
): Outcome {
  const sequence = run.map((id) => net.transitions.findIndex((t) => t.id === id));
  const places = new Set(net.places.map(({ id }) => id));
  const unknown = [
    ...run.filter((_, index) => sequence[index] === -1),
    ...Object.keys(reached ?? {}).filter((id) => !places.has(id)),
  ];
  if (unknown.length > 0) return wrongly(isNot, `the net has no ${unknown.join(", ")}`);
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
