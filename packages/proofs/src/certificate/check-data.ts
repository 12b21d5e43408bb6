/** @module Checks the evidence of verdicts on data: runs are played on their values, the product is built again plainly. */
import type { CompiledWorkflow } from "@tessera/core";
import { questionsOf } from "../data-level/conditions-read.ts";
import type { DataEvidence, DataObligationId } from "../data-level/data-verdicts.ts";
import { type Domain, domainOf } from "../data-level/domain.ts";
import { unmodelled } from "../data-level/unmodelled.ts";
import type { Verdict } from "../verdict.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";
import { isCrowded } from "./data-beside.ts";
import { type CaseWorld, worldOfCases } from "./data-cases.ts";
import { checkRunClaim, type Setting, said } from "./data-claims.ts";
import { type Frame, frameOf } from "./data-frame.ts";
import { productOf } from "./data-product.ts";
import { type ListedCases, regionTrouble } from "./data-regions.ts";
import { TooManyAnswers } from "./data-route.ts";
import { deadTrouble, holdsTrouble, type Product, shownBy } from "./data-sets.ts";

/** A verdict on the data of a workflow, as reports list them. */
export interface CheckableDataLine {
  readonly id: DataObligationId;
  readonly verdict: Verdict<DataEvidence>;
}

/** Options of the checker. `statesMax` bounds the product that it builds again. */
export interface DataCheckerOptions {
  readonly statesMax: number;
}

/**
 * Are the verdicts on the data of the workflow supported? A run is played on its own values; what is said of all data is
 * asked of the product of net and cases, which is built again from the plain firing rule, up to `statesMax` states.
 * `unknown` claims nothing and is valid.
 *
 * @definition D23.6
 */
export function checkDataLines(
  compiled: CompiledWorkflow,
  lines: readonly CheckableDataLine[],
  { statesMax = 20_000 }: Partial<DataCheckerOptions> = {},
): readonly Checked[] {
  const questions = questionsOf(compiled);
  const found = domainOf(questions);
  const reason = found.kind === "undecided" ? found.reason : unmodelled(compiled, found.domain);
  if (reason !== null || found.kind === "undecided")
    return lines.map(({ verdict }) => (verdict.kind === "unknown" ? VALID : invalid(String(reason))));
  const { domain } = found;
  const uncovered = regionTrouble(compiled, listedCases(domain));
  if (uncovered !== null)
    return lines.map(({ verdict }) => (verdict.kind === "unknown" ? VALID : invalid(uncovered)));
  const frame = frameOf(compiled, domain);
  const cases = once(() => worldOfCases(frame, domain));
  const product = once(() => build(frame, cases(), statesMax));
  return lines.map((line) => guarded(() => checkLine({ frame, domain, cases, product }, line)));
}

/** What a domain says stands for all data. */
export function listedCases({ questions, slots, open, orders }: Domain): ListedCases {
  return {
    places: slots.map(({ reference: { key, path }, values }) => ({ key, path, values })),
    open: questions.leaves.flatMap((leaf, at) => (open.has(leaf) ? [at] : [])),
    patterns: orders.map((part) => ({
      places: part.slots,
      tuples: part.tuples.map((tuple) => tuple.map((cell) => part.values[cell])),
    })),
  };
}

/** `checkDataLines` for one verdict. */
export function checkDataEvidence(
  compiled: CompiledWorkflow,
  line: CheckableDataLine,
  options: Partial<DataCheckerOptions> = {},
): Checked {
  return checkDataLines(compiled, [line], options)[0]!;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function build(frame: Frame, { cases, world }: CaseWorld, statesMax: number): Product | Checked {
  const product = productOf(world, cases, statesMax);
  if (product === null) return { kind: "unchecked", reason: `more than ${statesMax} states` };
  if (product.states.every((state) => !isCrowded(frame, state))) return shownBy(frame, product);
  return { kind: "unchecked", reason: "two tokens rest where events are awaited beside them" };
}

/** A decision with too many open answers is a limit of the checker. */
function guarded(check: () => Checked): Checked {
  try {
    return check();
  } catch (error) {
    if (error instanceof TooManyAnswers) return { kind: "unchecked", reason: "too many open answers" };
    throw error;
  }
}

function checkLine(setting: Setting, { id, verdict }: CheckableDataLine): Checked {
  if (verdict.kind === "unknown") return VALID;
  const evidence = verdict.evidence;
  if (verdict.kind === "fails" && verdict.evidence.kind === "data-run")
    return checkRunClaim(setting, id, verdict.evidence);
  const product = setting.product();
  if (!("may" in product)) return product;
  const states =
    verdict.kind === "holds" ? verdict.evidence.states : "states" in evidence ? evidence.states : -1;
  if (states !== product.may.size) return invalid(`not ${states} states, but ${product.may.size}`);
  if (verdict.kind === "fails") {
    if (id !== "O3" || verdict.evidence.kind !== "data-dead") return invalid(`no evidence against ${id}`);
    return said(deadTrouble(product, verdict.evidence.dead));
  }
  if (verdict.evidence.class !== "enumerated")
    return invalid(`${verdict.evidence.class} is no evidence here`);
  return said(holdsTrouble(product, id));
}
