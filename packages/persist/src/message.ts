/** @module Messages and signals as a store keeps them: buffered until a receiver takes them, or handed to all at once. */
import type { ItemId, JsonObject, Outcome } from "@tessera/core";
import type { RunId, TenantId } from "./store.ts";

/**
 * A message for one receiver: an open item, or a start, that waits for its name and key. `id`: a message with this name
 * and id is taken once, ever. It is there until `expiresAt` (ms since the epoch, excluded).
 */
export interface NewMessage {
  readonly name: string;
  readonly key?: string;
  readonly data: JsonObject;
  readonly id?: string;
  readonly expiresAt: number;
}

/** A signal for everybody who waits for its name now. `id`: a signal with this name and id is given once, ever. */
export interface NewSignal {
  readonly name: string;
  readonly data: JsonObject;
  readonly id?: string;
  readonly at: number;
}

/** What a turn sends, and what the clock says then. */
export interface Sent {
  readonly messages: readonly NewMessage[];
  readonly signals: readonly NewSignal[];
  readonly now?: number;
}

/** A workflow that a message or a signal starts: the newest version under a name; `event` is the label of its start. */
export interface StartEvent {
  readonly on: "message" | "signal";
  readonly name: string;
  readonly event: Outcome;
}

/** A message that is buffered, or a signal that starts a workflow. `number` names it to the turn that takes it. */
export interface BufferedMessage {
  readonly number: number;
  readonly tenant: TenantId;
  readonly on: "message" | "signal";
  readonly name: string;
  readonly key: string | null;
  readonly id: string | null;
  readonly data: JsonObject;
  readonly expiresAt: number;
}

/** A buffered message with one of those who could take it. */
export interface Delivery {
  readonly message: BufferedMessage;
  readonly to:
    | { readonly kind: "item"; readonly run: RunId; readonly item: ItemId; readonly event: Outcome }
    | { readonly kind: "start"; readonly workflow: string; readonly event: Outcome };
}

/** What became of a message or a signal. known: its id was given before. `receivers`: open items that a signal is for. */
export type Published = { readonly kind: "stored"; readonly receivers: number } | { readonly kind: "known" };

/** The id of the outbox row that hands a signal to an item; `number` is the signal's own. */
export function signalEffectId(run: RunId, item: ItemId, number: number): string {
  return `${run}/${item}/signal@${number}`;
}
