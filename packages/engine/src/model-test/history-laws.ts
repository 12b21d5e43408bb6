/** @module What the journal of a run must say: what was acknowledged at its turn, nothing twice, nothing early. */
import type { TurnInput } from "@tessera/core";
import type { Engine } from "../engine.ts";
import { accepted } from "../refusal.ts";
import type { RunView } from "../run-view.ts";
import { violated } from "../simulate/violation.ts";
import { readTaskId } from "../task.ts";
import type { World } from "./world.ts";

/** Turns of a run that are looked at. */
const TURNS = 10_000;

/** Checks the inputs of a run, as its history tells them. */
export async function checkHistory(
  { sent, clock }: World,
  observer: Engine,
  { run }: RunView,
): Promise<void> {
  const { events } = accepted(await observer.history(run, { turns: TURNS }));
  const once = new Set<string>();
  const inputs = new Map<number, TurnInput>();
  for (const event of events) {
    if (event.kind !== "input") continue;
    inputs.set(event.sequence, event.input);
    const what = unrepeatable(event.input);
    if (what !== null && once.has(what)) violated(`${run} has taken twice: ${what}`);
    if (what !== null) once.add(what);
    if (event.input.kind === "timer" && event.input.dueAt > event.at)
      violated(`${run} has taken ${what} at ${event.at}, before it was due`);
    if (event.at > clock.now()) violated(`${run} has a turn of the future, ${event.at}`);
  }
  for (const [command, { action, sequence }] of sent) {
    if (sequence === null || readTaskId(action.task).run !== run) continue;
    const input = inputs.get(sequence);
    const { item } = readTaskId(action.task);
    const isIt =
      input?.kind === "complete" &&
      input.item === item &&
      input.outcome === action.outcome &&
      input.by === action.by;
    if (!isIt)
      violated(
        `${command} was acknowledged for turn ${sequence} of ${run}, which is ${JSON.stringify(input)}`,
      );
  }
}

/** What an input does that no other input of the run may do again. */
function unrepeatable(input: TurnInput): string | null {
  switch (input.kind) {
    case "start":
      return "its start";
    case "complete":
    case "result":
      return `the end of "${input.item}"`;
    case "timer":
      return `"${input.item}" due at ${input.dueAt}`;
    case "attempt-failed":
      return `failed attempt ${input.attempt} of "${input.item}"`;
    case "event":
      return input.message === undefined ? null : `the ${input.on} "${input.message}" by "${input.item}"`;
    default:
      return null;
  }
}
