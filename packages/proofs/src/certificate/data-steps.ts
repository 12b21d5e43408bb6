/** @module The steps of a workflow on plain data, read from the text of the product (D23.3), for checkers. */
import {
  arcOutcome,
  type Data,
  DONE,
  ERROR,
  EXPIRED,
  enabledTransitions,
  type Outcome,
  type TransitionIndex,
  type WorkflowNode,
} from "@tessera/core";
import { canFail, decisionOutcome, eventsOf, FAIL, loopOf, PASS } from "@tessera/gateways";
import { isAnsweredByPerson } from "../data-level/answers-of-nodes.ts";
import { besideSteps } from "./data-beside.ts";
import { endSteps } from "./data-ends.ts";
import type { PlainState, World } from "./data-frame.ts";
import { severalBegin, severalDone } from "./data-instances.ts";
import { cleared, type Leaving, labelOf, leave, moved, type PlainStep } from "./data-leave.ts";

/** Every step from the state: those of the engine's next offer are ordered, the others need that an input comes first. */
export function stepsAt(world: World, state: PlainState): readonly PlainStep[] {
  const { marking, data, open } = state;
  const { program, compiled } = world;
  const { automatic, groupOf, groups, rules, net } = program;
  const enabled = enabledTransitions(net, marking, rules);
  const firsts = enabled.filter(
    (t, at) =>
      automatic[t] === 1 &&
      !enabled.slice(0, at).some((u) => automatic[u] === 1 && groupOf[u] === groupOf[t]),
  );
  const resting = [...program.restNode].filter(([place]) => (marking[place] ?? 0) > 0);
  const at = (group: readonly TransitionIndex[], isOrdered: boolean): Leaving => ({
    world,
    marking,
    open,
    group: group.filter((t) => enabled.includes(t)),
    isOrdered,
  });
  const own = firsts.flatMap((t, index) => automaticSteps(at(groups[groupOf[t]!]!, index === 0), t, data));
  const answers = resting.flatMap(([, node]) => {
    const definition = compiled.definition.nodes[node]!;
    const kind = compiled.kinds[node]!;
    const finish = at(program.finish.get(node) ?? [], firsts.length === 0);
    const trigger = at(program.trigger.get(node) ?? [], firsts.length === 0);
    return kind.alphabet(definition).flatMap((outcome) => {
      const event = eventsOf(definition).find(({ id }) => id === outcome);
      if (event?.on === "escalation") return [];
      const isTrigger = event !== undefined && !event.isInterrupting;
      const from = isTrigger ? { ...trigger, repair: finish.group } : finish;
      const isOpen = from.group.some((t) => labelOf(world, t) === outcome);
      const hasArcs = (compiled.graph.outgoing[node] ?? []).some(
        (arc) => arcOutcome(compiled.definition.arcs[arc]!) === outcome,
      );
      const isByEvent = outcome === ERROR && mayErr(definition, trigger);
      if (!isOpen && (isTrigger || hasArcs)) return [];
      // A scope leaves by itself under the labels of its ends; only an event takes it away under error.
      if (kind.body(definition) === "scope" && !(outcome === ERROR ? isByEvent : isOpen)) return [];
      const several = outcome === DONE ? world.several.get(node) : undefined;
      if (several !== undefined) return severalDone(from, node, several, data);
      const isByClock = outcome === EXPIRED && Object.hasOwn(definition.meta ?? {}, "deadline");
      const isPerson = isAnsweredByPerson(kind.body(definition), definition, outcome);
      const steps = answered(from, node, outcome, data);
      if (!isPerson || !(isByClock || isByEvent)) return steps;
      // Without a person nothing is filled in; a run does not say who it was.
      return [...steps, leave(from, node, outcome, data, data, { isSure: isByClock, isPlayable: false })];
    });
  });
  return [...own, ...answers, ...besideSteps(world, state, firsts.length === 0)];
}

/** Can an event go wrong there: one that reads a key of D or writes what comes, and that may still come? */
function mayErr(node: WorkflowNode, { world, group }: Leaving): boolean {
  return eventsOf(node).some((event) => {
    const isOnce = !event.isInterrupting && event.handler === null;
    return canFail(event) && (!isOnce || group.some((t) => labelOf(world, t) === event.id));
  });
}

function automaticSteps(leaving: Leaving, first: TransitionIndex, before: Data): readonly PlainStep[] {
  const { compiled, program } = leaving.world;
  const { node, phase, outcome } = program.net.transitions[first]!.origin!;
  const definition = compiled.definition.nodes[node]!;
  const kind = compiled.kinds[node]!;
  const data = cleared(leaving.world, first, before);
  const several = phase === "start" ? leaving.world.several.get(node) : undefined;
  if (several !== undefined) return [severalBegin(leaving, node, several, first, data)];
  if (phase === "start" || phase === "enter") return [moved(leaving, node, first, data)];
  if (phase === "settle" || (phase === "step" && definition.kind === "end"))
    return [moved(leaving, node, first, before)];
  if (phase === "leave" || phase === "raise") return [leave(leaving, node, outcome ?? DONE, before, before)];
  const alphabet = kind.alphabet(definition);
  if (definition.kind === "throw" || (definition.kind === "start" && eventsOf(definition).length > 0))
    return alphabet.map((label) => {
      const isSure = definition.kind === "start" || label !== ERROR;
      return leave(leaving, node, label, before, before, { isSure });
    });
  const end = leaving.world.ends.get(node);
  if (end !== undefined && definition.kind !== "decision") return endSteps(leaving, node, end, DONE, data);
  if (kind.body(definition) !== "inline") return [leave(leaving, node, DONE, data, data)];
  if (definition.kind !== "decision")
    return alphabet.flatMap((label) => answered(leaving, node, label, data));
  const loop = loopOf(definition);
  const key = String(loop?.passKey ?? definition.meta?.key ?? "");
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  const verdict = value === true ? PASS : value === false ? FAIL : ERROR;
  const label = loop === null ? decisionOutcome(definition, value) : verdict;
  if (end !== undefined && label === PASS) return endSteps(leaving, node, end, PASS, data);
  const chosen = leave(leaving, node, label, data, data);
  if (label === ERROR || !alphabet.includes(ERROR)) return [chosen];
  return [chosen, leave(leaving, node, ERROR, data, data, { isProvision: true })];
}

/** The outcome with all data that it can leave. */
function answered(leaving: Leaving, node: number, outcome: Outcome, before: Data): readonly PlainStep[] {
  const { compiled, answersTo } = leaving.world;
  const definition = compiled.definition.nodes[node]!;
  const body = compiled.kinds[node]!.body(definition);
  const isPerson = isAnsweredByPerson(body, definition, outcome);
  const mayHappen = outcome !== ERROR || !["timer", "event", "scope"].includes(body);
  return answersTo(node, outcome, before).map(({ data, isSure }) =>
    leave(leaving, node, outcome, data, before, { isSure: isSure && mayHappen, isPerson }),
  );
}
