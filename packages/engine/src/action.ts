/** @module What an input does first in its turn, or why it does nothing. */
import type { Json, OpenItem, Outcome, StepRecord, Subscription, Terminal, Trouble } from "@tessera/core";
import type { NodeEvent } from "@tessera/gateways";
import type { InputPayload, InputRefusal } from "./turn.ts";

/** What the turn does first. */
export type Action =
  | { readonly kind: "start" }
  | { readonly kind: "continue" }
  | { readonly kind: "end"; readonly terminal: Terminal }
  | { readonly kind: "record"; readonly step: StepRecord }
  | { readonly kind: "edit" }
  | { readonly kind: "place"; readonly step: StepRecord }
  | {
      readonly kind: "finish";
      readonly item: OpenItem;
      readonly outcome: Outcome;
      readonly payload: InputPayload;
      readonly trouble: Trouble | null;
    }
  /** An event that leaves its item open; `after` is its subscription from now on. */
  | {
      readonly kind: "beside";
      readonly item: OpenItem;
      readonly event: NodeEvent;
      readonly after: Subscription | null;
      readonly payload: InputPayload;
    }
  /** The end of a run that stands beside its node's token: of a handler, or of one of several instances. */
  | {
      readonly kind: "settle";
      readonly item: OpenItem;
      readonly outcome: Outcome;
      readonly payload: InputPayload;
      readonly trouble: Trouble | null;
    };

/** A refusal: nothing of the input is recorded. */
export function refuse(
  code: InputRefusal["code"],
  message: string,
  facts: { readonly [key: string]: Json } = {},
): InputRefusal {
  return { kind: "refused", code, message, facts };
}
