/** @module The standard table of kinds: the 13 of chapter 20, the verifier, and events on the way. */
import { type KindTable, kindTable } from "@tessera/core";
import { CATCH, THROW } from "./event.ts";
import { COLLECT, HUMAN } from "./people.ts";
import { DECISION, END, GATEWAY, START } from "./route.ts";
import { SUBPROCESS, TIMER, WAIT } from "./wait.ts";
import { AGENT, INTEGRATION, TOOL, TRANSFORM, VERIFIER } from "./work.ts";

/**
 * The 13 kinds of 20.2 (start, end, collect, decision, gateway, human, agent, tool, transform, integration,
 * subprocess, wait, timer), `verifier`, `catch` and `throw`. Further kinds: `kindTable([mine], STANDARD_KINDS)`.
 *
 * @definition D6.9
 */
export const STANDARD_KINDS: KindTable = kindTable([
  START,
  END,
  COLLECT,
  DECISION,
  GATEWAY,
  HUMAN,
  AGENT,
  TOOL,
  TRANSFORM,
  INTEGRATION,
  SUBPROCESS,
  WAIT,
  TIMER,
  VERIFIER,
  CATCH,
  THROW,
]);
