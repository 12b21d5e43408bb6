/** @module What a test does to an engine, as data: a list of actions is a script that can be played again. */
import type { JsonObject, Outcome } from "@tessera/core";
import type { RunId } from "@tessera/persist";
import type { TaskId } from "../task.ts";

/** One action. `on`: the process that is asked, counted from 0 (default 0). Tasks and jobs are "run/item". */
export type ModelAction =
  | {
      readonly do: "start";
      readonly workflow: string;
      readonly run: RunId;
      readonly data: JsonObject;
      readonly on?: number;
    }
  /** `rival`: somebody else answers under this outcome at the same time, through the next process. */
  | {
      readonly do: "complete";
      readonly task: TaskId;
      readonly by: string;
      readonly outcome: Outcome;
      readonly data: JsonObject;
      readonly command: string;
      readonly rival?: Outcome;
      readonly on?: number;
    }
  | { readonly do: "claim" | "release"; readonly task: TaskId; readonly by: string; readonly on?: number }
  /** A completion is sent again, as it was. */
  | { readonly do: "again"; readonly command: string; readonly on?: number }
  | { readonly do: "advance"; readonly ms: number }
  | {
      readonly do: "publish";
      readonly what: "message" | "signal";
      readonly name: string;
      readonly key?: string;
      readonly data: JsonObject;
      readonly id: string;
      readonly ttlMs?: number;
      readonly on?: number;
    }
  /** The call of a job answers; a port of the application's own answers itself. */
  | { readonly do: "answer"; readonly job: TaskId; readonly outcome: Outcome; readonly data: JsonObject }
  | { readonly do: "throw"; readonly job: TaskId }
  | { readonly do: "hang"; readonly job: TaskId }
  | { readonly do: "cancel"; readonly run: RunId; readonly on?: number }
  /** At once: the turns of one process that are ready together are committed together. */
  | { readonly do: "together"; readonly actions: readonly ModelAction[] }
  /** The process dies: now, or before or after one of its next calls of the store. Another one takes its place. */
  | {
      readonly do: "crash";
      readonly on?: number;
      readonly calls?: number;
      readonly point?: "before" | "after";
    };

/** The actions as a program that plays them again. */
export function scriptOf(actions: readonly ModelAction[]): string {
  return ["await model.play([", ...actions.map((action) => `  ${JSON.stringify(action)},`), "]);"].join("\n");
}
