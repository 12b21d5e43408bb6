/** @module `tessera prove`: answers questions about the net of a file, each with what shows the answer. */
import { writeFile } from "node:fs/promises";
import {
  type Json,
  type JsonObject,
  type Marking,
  type Net,
  type NonLocalRules,
  type PlaceIndex,
  unreachable,
} from "@tessera/core";
import {
  type Answer,
  askNet,
  claimOf,
  explainEvidence,
  explainManyTokens,
  itfTrace,
  namedNumbers,
  parseQuestion,
  QUESTION_NAMES,
  type Question,
  questionCertificateOf,
  type Shown,
  transitionIds,
} from "@tessera/proofs";
import { EXIT, type Io, mark, UsageError } from "../io.ts";
import { netsOfFile } from "../nets-of-file.ts";
import { shownLines } from "../told-lines.ts";

/** Options of the command. */
export interface ProveCommand {
  readonly json: boolean;
  readonly statesMax?: number;
  readonly timeoutMs?: number;
  /** Where the first run that an answer shows goes, as an ITF trace. */
  readonly itf?: string;
  /** Where the answers go that show what `tessera verify` can check. */
  readonly certificate?: string;
}

/** Answers each question. Exit: 0 all hold, 1 one fails, 2 one is open, 3 a question or the file is wrong. */
export async function proveCommand(
  file: string,
  texts: readonly string[],
  options: ProveCommand,
  io: Io,
): Promise<number> {
  const questions = texts.map(questionOf);
  const { net, rules, workflow } = (await netsOfFile(file)).at(-1)!;
  const limits = {
    ...(options.statesMax === undefined ? {} : { statesMax: options.statesMax }),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  };
  const answers = questions.map((question) => askNet(net, question, { limits, rules }));
  answers.forEach((answer, index) => {
    const question = texts[index] ?? "";
    const told = workflow === null || answer.kind === "unknown" ? [] : shownLines(workflow, answer.shown);
    const more = told.length === 0 ? {} : { told };
    if (options.json)
      io.out(JSON.stringify({ question, verdict: answer.kind, ...details(net, answer), ...more }));
    else for (const line of readable(net, question, answer, told)) io.out(line);
  });
  if (options.certificate !== undefined) {
    const claims = answers.map((answer, index) => claimOf(net, texts[index] ?? "", answer));
    const file = questionCertificateOf(
      net,
      claims.filter((claim) => claim !== null),
    );
    await writeFile(options.certificate, `${JSON.stringify(file)}\n`);
  }
  if (options.itf !== undefined) await writeTrace(options.itf, net, rules, answers);
  if (answers.some(({ kind }) => kind === "fails")) return EXIT.fails;
  return answers.some(({ kind }) => kind === "unknown") ? EXIT.unknown : EXIT.done;
}

function questionOf(text: string): Question {
  const parsed = parseQuestion(text);
  if (parsed.kind === "question") return parsed.question;
  throw new UsageError(
    `"${text}": ${parsed.message} (at ${parsed.at})`,
    `a formula, home before a predicate, 2-sound, 3-bounded, or one of ${QUESTION_NAMES.join(", ")}`,
  );
}

async function writeTrace(
  out: string,
  net: Net,
  rules: NonLocalRules,
  answers: readonly Answer[],
): Promise<void> {
  const runs = answers.flatMap((answer) => (answer.kind === "unknown" ? [] : [runOf(answer.shown)]));
  const run = runs.find((found) => found !== null);
  if (run === undefined) throw new UsageError(`${out}: no answer shows a run`);
  const { sequence, loop } = run!;
  const trace = itfTrace(net, sequence, { rules, ...(loop === undefined ? {} : { loop }) });
  await writeFile(out, `${JSON.stringify(trace)}\n`);
}

function runOf(shown: Shown): { readonly sequence: readonly number[]; readonly loop?: number } | null {
  if (shown.kind === "run") return { sequence: shown.run.sequence };
  if (shown.kind === "closed") return { sequence: shown.sets[0]!.run.sequence };
  if (shown.kind === "lasso")
    return { sequence: [...shown.lasso.stem, ...shown.lasso.loop], loop: shown.lasso.stem.length };
  const evidence = shown.kind === "evidence" || shown.kind === "tokens" ? shown.evidence : null;
  return evidence !== null && "run" in evidence && shown.kind === "evidence"
    ? { sequence: evidence.run.sequence }
    : null;
}

function details(net: Net, answer: Answer): JsonObject {
  return answer.kind === "unknown"
    ? { limit: answer.limit as unknown as Json }
    : { shown: explained(net, answer.shown) };
}

function explained(net: Net, shown: Shown): JsonObject {
  const named = (places: readonly PlaceIndex[]) => places.map((p) => net.places[p]?.id ?? String(p));
  const isMarked = (places: readonly PlaceIndex[]) => places.some((place) => net.initial[place]! > 0);
  switch (shown.kind) {
    case "markings":
    case "theorem":
      return { ...shown };
    case "run":
      return { kind: shown.kind, run: transitionIds(net, shown.run.sequence) };
    case "closed": {
      const at = (M: Marking) =>
        Object.fromEntries(net.places.flatMap(({ id }, p) => (M[p] === 0 ? [] : [[id, M[p]!]])));
      const sets = shown.sets.map(({ run, size, markings }) => ({
        run: transitionIds(net, run.sequence),
        size,
        markings: markings === null ? null : markings.map(at),
      }));
      return { kind: shown.kind, sets };
    }
    case "lasso": {
      const { stem, loop } = shown.lasso;
      return { kind: shown.kind, stem: transitionIds(net, stem), loop: transitionIds(net, loop) };
    }
    case "transitions":
      return { kind: shown.kind, transitions: transitionIds(net, shown.transitions) };
    case "places":
    case "bare-siphon":
      return { kind: shown.kind, places: named(shown.places) };
    case "terminal":
      return { kind: shown.kind, states: shown.states };
    case "changes":
    case "enables":
      return { kind: shown.kind, runs: shown.runs.map(({ sequence }) => transitionIds(net, sequence)) };
    case "minimal-sets": {
      const sets = shown.argument.sets.map((places) => ({
        places: named(places),
        isMarked: isMarked(places),
      }));
      return { kind: shown.kind, of: shown.of, sets };
    }
    case "siphon-traps": {
      const { siphons, traps } = shown.certificate;
      const pairs = siphons.map((siphon, k) => ({ siphon: named(siphon), trap: named(traps[k]!) }));
      return { kind: shown.kind, siphons: pairs };
    }
    case "never":
      return { kind: "state-equation", steps: shown.certificate.proofs.flat().length };
    case "many-tokens":
      return explainManyTokens(net, shown.reason);
    case "weights":
      return { kind: shown.kind, weights: namedNumbers(net.places, shown.certificate.weights) };
    case "rising":
      return { kind: shown.kind, weights: namedNumbers(net.places, shown.weights) };
    case "firings":
      return { kind: shown.kind, firings: namedNumbers(net.transitions, shown.firings) };
    case "semiflows": {
      const { of, flows, isComplete } = shown.semiflows;
      return { kind: shown.kind, of, flows: flows.map((flow) => namedNumbers(net[of], flow)), isComplete };
    }
    case "evidence":
      return explainEvidence(net, shown.evidence);
    case "tokens":
      return {
        kind: shown.kind,
        tokens: shown.tokens,
        ...(shown.evidence === null ? {} : { evidence: explainEvidence(net, shown.evidence) }),
      };
    default:
      return unreachable(shown);
  }
}

/** Of a workflow what is `told` in its elements, of a bare net its own names. */
function readable(net: Net, question: string, answer: Answer, told: readonly string[]): readonly string[] {
  const verdict =
    answer.kind === "holds"
      ? mark.good("holds")
      : answer.kind === "fails"
        ? mark.bad("fails")
        : mark.open("unknown");
  if (told.length > 0) return [`${question}: ${verdict}`, ...told.map((line) => `  ${line}`)];
  return [`${question}: ${verdict}`, `  ${mark.dim(JSON.stringify(details(net, answer)))}`];
}
