/** @module The proof of a workflow at the level of its data: guards asked on values, not free choices. */
import type { CompiledWorkflow, Condition, Data, JsonObject, Outcome } from "@tessera/core";
import { type Names, wordOf, writtenNode } from "../element-words.ts";
import { describeLimit } from "../explain.ts";
import { type Abortable, DEFAULT_LIMITS, type Limits, startBudget } from "../limits.ts";
import type { Told } from "../told-evidence.ts";
import { type Limit, unknown, type Verdict } from "../verdict.ts";
import { writesOf } from "./answers-of-nodes.ts";
import { leavesOf, questionsOf, slotKey } from "./conditions-read.ts";
import {
  type DataEvidence,
  type DataObligationId,
  type DataVerdicts,
  dataVerdicts,
} from "./data-verdicts.ts";
import { explainDataEvidence, tellDataEvidence } from "./data-words.ts";
import { type Domain, domainOf, isOptional } from "./domain.ts";
import { explore, type Product } from "./product.ts";
import { stepperOf } from "./stepper.ts";
import { unmodelled } from "./unmodelled.ts";

/** One line of a report at the level of the data; `message` is empty where it holds. */
export interface DataObligation {
  readonly id: DataObligationId;
  readonly verdict: Verdict<DataEvidence>;
  readonly level: "data";
  readonly method: string;
  readonly message: string;
  /** The evidence of a failure as JSON, and told in elements. */
  readonly witness?: JsonObject;
  readonly told?: Told;
  /** Where a solver was asked (D23.12, D23.13); certificates say nothing of such lines. */
  readonly solver?: SolverShare;
}

/**
 * What a solver has to do with a verdict. `isTrusted`: it rests on the solver's word that nothing fits the `questions`
 * (SMT-LIB 2.6). Otherwise the solver named values, and the evaluator of the guards confirmed them.
 */
export interface SolverShare {
  readonly name: string;
  readonly isTrusted: boolean;
  readonly questions: readonly string[];
}

/** What is known of a workflow with its data. */
export interface DataReport {
  /** O1 to O5, O7, deadlock. */
  readonly obligations: readonly DataObligation[];
  /** States of the product that were looked at; 0 where there is no product. */
  readonly states: number;
  /** Guards of an XOR split that hold at once on data that a run reaches; the order of the arcs decides there. */
  readonly overlaps: readonly {
    readonly node: string;
    readonly outcome: Outcome;
    readonly arcs: readonly number[];
    readonly data: Data;
  }[];
  /** Conditions that are not decided here, as they stand in the definition: each of their answers is reckoned with. */
  readonly open: readonly string[];
  readonly assumptions: readonly string[];
  /** Where a solver was asked: which, how many questions, and why conditions are open all the same. */
  readonly solver?: { readonly name: string; readonly questions: number; readonly left: readonly string[] };
}

/** Options of a proof at the level of the data; `limits.statesMax` counts states of the product. */
export interface DataProofOptions {
  readonly limits?: Partial<Limits>;
  readonly signal?: Abortable;
  readonly now?: () => number;
  readonly names?: Names;
  /** O7 at the level of the net: it holds with the data where no loop is found that cannot be left. */
  readonly loopBounds?: Verdict<unknown>;
}

/** How the assumption of O1 begins that names where the run may fail because no arc can be taken. */
export const MODULO = "O1 is modulo failure at";

/** How the assumption of O3 ends that names an element which only errors use that the data do not allow. */
export const PROVIDED = "is there for an error only";

const IDS: readonly DataObligationId[] = ["O1", "O2", "O3", "O4", "O5", "O7", "deadlock"];
/** States of the product unless the limits say otherwise: each holds a case of the data besides a marking. */
const STATES_MAX = 50_000;
/** Open guards of one OR split: each doubles its ways. */
const OPEN_MAX = 10;

/**
 * Decides O1 to O5, O7 and deadlock of a workflow on its data, as far as the limits go. Yields the number of states now
 * and then.
 */
export function* proveDataSteps(
  compiled: CompiledWorkflow,
  options: DataProofOptions = {},
): Generator<number, DataReport> {
  const found = domainOf(questionsOf(compiled));
  if (found.kind === "undecided") return undecided({ kind: "method", reason: found.reason });
  const explored = yield* exploreDataSteps(compiled, found.domain, options);
  return explored.kind === "undecided"
    ? undecided({ kind: "method", reason: explored.reason })
    : dataReportOf(compiled, explored, options);
}

/** The product of a workflow with the cases of a domain, and what it says. */
export interface ExploredData {
  readonly kind: "explored";
  readonly domain: Domain;
  readonly product: Product;
  readonly found: DataVerdicts;
}

/** Explores the product, or says why there is none. Yields the number of states now and then. */
export function* exploreDataSteps(
  compiled: CompiledWorkflow,
  domain: Domain,
  options: DataProofOptions,
): Generator<number, ExploredData | { readonly kind: "undecided"; readonly reason: string }> {
  const reason = unmodelled(compiled, domain);
  if (reason !== null) return { kind: "undecided", reason };
  const crowded = crowdedSplit(compiled, domain);
  if (crowded !== null)
    return { kind: "undecided", reason: `"${crowded}" has too many guards that are not decided here` };
  const { signal = null, now = () => performance.now() } = options;
  const limits = { ...DEFAULT_LIMITS, statesMax: STATES_MAX, ...options.limits };
  const product = yield* explore(stepperOf(compiled, domain), startBudget(limits, now, signal));
  return { kind: "explored", domain, product, found: dataVerdicts(compiled, domain, product) };
}

/** The report of what the product says. */
export function dataReportOf(
  compiled: CompiledWorkflow,
  { domain, product, found }: ExploredData,
  options: DataProofOptions,
): DataReport {
  const { names = {} } = options;
  const { verdicts, overlaps, provisions, failures } = found;
  const idOf = (node: number) => compiled.definition.nodes[node]?.id ?? String(node);
  return {
    obligations: IDS.flatMap((id) => {
      const verdict = verdicts.get(id)!;
      // That every loop can be left is not yet that it is bounded.
      if (id === "O7" && verdict.kind === "holds" && options.loopBounds?.kind !== "holds") return [];
      return [lineOf(compiled, id, verdict, names)];
    }),
    states: product.states.length,
    overlaps: overlaps.map((overlap) => ({ ...overlap, node: idOf(overlap.node) })),
    open: openWords(compiled, domain),
    assumptions: [
      ...assumptions(compiled, domain),
      ...(failures.length === 0
        ? []
        : [`${MODULO} ${failures.map(({ node, outcome }) => `${idOf(node)} (${outcome})`).join(", ")}`]),
      ...provisions.flatMap(({ transitions }) => {
        const node = compiled.net.transitions[transitions[0] ?? -1]?.origin?.node;
        return node === undefined ? [] : [`${wordOf(writtenNode(compiled, names, node))} ${PROVIDED}`];
      }),
    ].filter((text, index, all) => all.indexOf(text) === index),
  };
}

/** An OR split with more open guards than can be enumerated. */
function crowdedSplit({ definition, graph }: CompiledWorkflow, { open, questions }: Domain): string | null {
  const found = definition.nodes.find(({ split }, node) => {
    const isOr = split === "or" || (typeof split === "object" && Object.values(split).includes("or"));
    const guards = (graph.outgoing[node] ?? []).map((arc) => questions.guards[arc] ?? null);
    const isOpen = (guard: Condition | null) =>
      guard !== null && leavesOf(guard).some((leaf) => open.has(leaf));
    return isOr && guards.filter(isOpen).length > OPEN_MAX;
  });
  return found?.id ?? null;
}

function undecided(limit: Limit): DataReport {
  const message = describeLimit(limit);
  const obligations = IDS.map(
    (id): DataObligation => ({ id, verdict: unknown(limit), level: "data", method: "unknown", message }),
  );
  return { obligations, states: 0, overlaps: [], open: [], assumptions: [] };
}

function lineOf(
  compiled: CompiledWorkflow,
  id: DataObligationId,
  verdict: Verdict<DataEvidence>,
  names: Names,
): DataObligation {
  const line = { id, verdict, level: "data" } as const;
  switch (verdict.kind) {
    case "holds":
      return { ...line, method: verdict.evidence.method, message: "" };
    case "unknown":
      return { ...line, method: "unknown", message: describeLimit(verdict.limit) };
    case "fails": {
      const { evidence } = verdict;
      const told = tellDataEvidence(compiled, evidence, names);
      return {
        ...line,
        method: evidence.kind,
        message: told.what,
        witness: explainDataEvidence(compiled, evidence, names),
        told,
      };
    }
  }
}

function openWords({ definition }: CompiledWorkflow, { open, questions }: Domain): readonly string[] {
  return definition.arcs.flatMap(({ from, to }, arc) => {
    const guard = questions.guards[arc] ?? null;
    if (guard === null || !leavesOf(guard).some((leaf) => open.has(leaf))) return [];
    return leavesOf(guard)
      .filter((leaf) => open.has(leaf))
      .map((leaf) => `${leafWords(leaf)} on the arc from ${from} to ${to}`);
  });
}

/** A condition that combines no others, in a few words. */
export function leafWords(leaf: Condition): string {
  switch (leaf.kind) {
    case "opaque":
      return `${leaf.language} "${leaf.text}"`;
    case "predicate":
      return `predicate ${leaf.name}`;
    case "matches":
      return `matches of ${slotKey(leaf.left)}`;
    case "compare":
      return `${leaf.op} of ${slotKey(leaf.left)}`;
    default:
      return leaf.kind;
  }
}

function assumptions(compiled: CompiledWorkflow, domain: Domain): readonly string[] {
  const { definition, kinds } = compiled;
  const { questions, slots, slotsOfKey } = domain;
  const assigned = [...slotsOfKey.keys()].filter((key) => !isOptional(questions, key));
  const writers = definition.nodes.flatMap((node, index) => {
    const body = kinds[index]!.body(node);
    const writes = kinds[index]!.alphabet(node).map(
      (outcome) => writesOf(questions, body, node, index, outcome).keys,
    );
    const keys = [...slotsOfKey.keys()].filter((key) => {
      return !questions.passKeys.has(key) && writes.some((own) => own === null || own.includes(key));
    });
    return keys.length === 0 ? [] : [`${node.id} can produce every value of the types of ${keys.join(", ")}`];
  });
  const open = openWords(compiled, domain);
  return [
    "a run starts with any data that fit the declarations, and no operator changes them",
    ...(assigned.length === 0 ? [] : [`these keys always have a value: ${assigned.join(", ")}`]),
    ...domain.orders.map(({ slots: own, isDiscrete }) => {
      const keys = own.map((slot) => slots[slot]!.reference.key).join(", ");
      return isDiscrete
        ? `integers have no bounds: ${keys}`
        : `numbers lie dense and have no bounds: ${keys}`;
    }),
    ...(questions.lists.size === 0
      ? []
      : [`no list has more members than there may be instances: ${[...questions.lists].sort().join(", ")}`]),
    ...writers,
    ...(open.length === 0
      ? []
      : [`these conditions are not decided here, and may answer anything: ${open.join("; ")}`]),
  ];
}
