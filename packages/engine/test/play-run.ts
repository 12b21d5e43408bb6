/** @module Plays a run that a proof shows: every answer of it as an input of the real step. */
import {
  type CompiledWorkflow,
  contentHash,
  EMPTY_GRAPH,
  EXPIRED,
  type InlineFunction,
  initialState,
  type Json,
  makeProgram,
  type Outcome,
  type RunState,
  type StepRecord,
} from "@tessera/core";
import { eventsOf, multiOf, orJoinRules } from "@tessera/gateways";
import type { DataAnswer, DataEvidence } from "@tessera/proofs";
import { answerLabels } from "../src/input.ts";
import { makePlan } from "../src/plan.ts";
import { step } from "../src/step.ts";
import type { InputEvent } from "../src/turn.ts";
import { type BareOptions, environment } from "./host.ts";

type Shown = Extract<DataEvidence, { readonly kind: "data-run" }>;

/** What came of a run: its steps, the state, and the last input where that was refused. */
export interface Played {
  readonly steps: readonly StepRecord[];
  readonly state: RunState;
  readonly refused: string | null;
}

/** Plays the run, and the answer behind it where it ends in a gap. */
export function playRun(
  compiled: CompiledWorkflow,
  shown: Shown,
  expressions: Pick<BareOptions, "evaluate"> = {},
): Played {
  const { definition, net } = compiled;
  const { run, finding } = shown;
  const hash = contentHash(definition as unknown as Json);
  const plan = makePlan(makeProgram(hash, compiled, orJoinRules(compiled)));
  const functions = functionsOf(compiled, shown);
  const steps: StepRecord[] = [];
  let state = initialState(plan.program);
  let refused: string | null = null;
  const take = (event: InputEvent): void => {
    const settings = { limits: { stepsMax: 60 }, functions, ...expressions };
    const now = event.input.kind === "timer" ? event.input.dueAt : 1_000;
    const ready = step(plan, state, event, environment(settings, now, EMPTY_GRAPH));
    if (ready.kind === "refused") {
      refused = ready.code;
      return;
    }
    steps.push(...ready.record.steps);
    state = ready.state;
  };
  const [begun] = run.steps;
  const isByEvent =
    begun != null && eventsOf(definition.nodes[begun.node]!).some(({ id }) => id === begun.outcome);
  take({ input: { kind: "start", data: run.start, ...(isByEvent ? { event: begun.outcome! } : {}) } });
  const give = (node: number, outcome: Outcome, { set, unset }: DataAnswer): void => {
    const definitionOf = definition.nodes[node]!;
    const items = state.items.filter((item) => item.node === definitionOf.id);
    const host = items.find(({ instance, event }) => instance === undefined && event === undefined);
    const patch = { ...set, ...Object.fromEntries(unset.map((key) => [key, undefined])) };
    const labels = answerLabels(plan, definitionOf.id);
    const result = (item: string, label: Outcome) =>
      take({ input: { kind: "result", item, outcome: label }, payload: { patch } });
    const event = eventsOf(definitionOf).find(({ id }) => outcome === id || outcome === `${id}: ended`);
    // What leaves a scope, or is raised in it, comes by itself.
    const isOfScope = definitionOf.meta?.["entry"] !== undefined;
    if (event === undefined ? isOfScope : event.on === "escalation") return;
    const isOfClock = event?.on === "timer" || (outcome === EXPIRED && !labels.includes(EXPIRED));
    if (host?.kind === "timer" || (isOfClock && outcome !== `${event?.id}: ended`)) {
      take({ input: { kind: "timer", item: host!.id, dueAt: host!.dueAt ?? -1 } });
    } else if (event !== undefined && outcome === event.id) {
      const input = {
        kind: "event",
        item: host!.id,
        event: event.id,
        on: event.on as "message",
        name: event.name,
      } as const;
      const brought = Object.entries(event.handler === null ? event.payload : {}).flatMap(([key, from]) =>
        Object.hasOwn(set, key) ? [[String(from), set[key]!] as const] : [],
      );
      take({ input, payload: { data: Object.fromEntries(brought) } });
    } else if (event !== undefined) {
      result(items.find((item) => item.event === event.id)!.id, "done");
    } else if (multiOf(definitionOf) !== null) {
      for (let open = items; open.length > 0 && refused === null; ) {
        result(open.find(({ instance }) => instance !== undefined)!.id, outcome);
        open = state.items.filter((item) => item.node === definitionOf.id && state.terminal === null);
      }
    } else if (host?.kind === "work-item" || host?.kind === "external") {
      take({ input: { kind: "complete", item: host.id, outcome, by: "ann" }, payload: { patch } });
    } else if (host !== undefined) result(host.id, outcome);
  };
  const answers = finding.kind === "gap" ? [...run.steps, { ...finding, fired: [] as number[] }] : run.steps;
  for (const { node, outcome, answer, fired } of answers) {
    const phase = net.transitions[fired[0] ?? -1]?.origin?.phase;
    if (outcome !== null && phase !== "start" && phase !== "step") give(node, outcome, answer);
  }
  return { steps, state, refused };
}

/** Functions in the turn that end as the run says, one time after the other; what they set is what the run says they set. */
function functionsOf(
  { definition }: CompiledWorkflow,
  { run: { steps }, finding }: Shown,
): Readonly<Record<string, InlineFunction>> {
  const all = finding.kind === "gap" ? [...steps, finding] : steps;
  const functions = definition.nodes.flatMap(({ id, kind, meta }, index) => {
    if (kind !== "transform" && kind !== "verifier") return [];
    const ends = all.filter(({ node, outcome }) => node === index && outcome !== null);
    const next: InlineFunction = () => {
      const end = ends.shift();
      if (end?.outcome === "error") throw new Error("as the run says");
      if (kind === "verifier") return end?.answer.set[String(meta?.["passKey"])] === true;
      return { outcome: end?.outcome ?? "done", patch: { ...end?.answer.set } };
    };
    return [[id, next] as const];
  });
  return Object.fromEntries(functions);
}
