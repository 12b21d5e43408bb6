/** @module Escalations: which subprocess around a throwing event catches what it throws. */
import type { Outcome } from "@tessera/core";
import type { BpmnNode, EventDefinition } from "./model.ts";
import { textOf } from "./raw.ts";

/** What catches an escalation: the activity, its boundary event, and the outcome under which it leaves if it interrupts. */
export interface EscalationTaker {
  readonly owner: BpmnNode;
  readonly event: BpmnNode;
  readonly label: Outcome;
}

/** The name of an escalation without code. */
const UNCODED = "escalation";

/** The code of an escalation that is thrown; one without has a name of its own. */
export function escalationOf({ reference }: EventDefinition): string {
  return caughtCode(reference) ?? UNCODED;
}

function caughtCode(reference: EventDefinition["reference"]): string | undefined {
  if (reference === undefined) return undefined;
  return (textOf(reference.raw, "escalationCode") ?? reference.name ?? reference.id)?.trim();
}

/** The outcome of an escalation that interrupts. */
export function escalationLabel(code: string): Outcome {
  return `escalation:${code}`;
}

export function isEscalation(label: Outcome): boolean {
  return label.startsWith("escalation:");
}

/** The innermost of the activities around (innermost first) that catches the code: by an event for it, else for all. */
export function escalationTaker(around: readonly BpmnNode[], code: string): EscalationTaker | undefined {
  for (const owner of around) {
    const event = catcherAt(owner, code);
    if (event !== undefined) return { owner, event, label: escalationLabel(code) };
  }
  return undefined;
}

/** The boundary event of `owner` that catches the code. */
export function catcherAt(owner: BpmnNode, code: string): BpmnNode | undefined {
  const events = owner.boundaries.flatMap((event) => {
    const [definition] = event.definitions;
    return definition?.type === "escalationEventDefinition"
      ? [{ event, code: caughtCode(definition.reference) }]
      : [];
  });
  return (
    events.find((each) => each.code === code)?.event ?? events.find((each) => each.code === undefined)?.event
  );
}
