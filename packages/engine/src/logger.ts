/** @module The logger port: the engine writes nowhere by itself. */
import type { JsonObject } from "@tessera/core";

/** Where an engine and its jobs report to. A logger must not throw; one that does is ignored. */
export interface Logger {
  readonly debug: (message: string, facts?: JsonObject) => void;
  readonly info: (message: string, facts?: JsonObject) => void;
  readonly warn: (message: string, facts?: JsonObject) => void;
  readonly error: (message: string, facts?: JsonObject) => void;
}

const nothing = (): void => {};

/** Says nothing. */
export const SILENT: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** `logger` with `facts` added to whatever it is told, and deaf to its throws. */
export function loggerWith(logger: Logger, facts: JsonObject): Logger {
  const wrap = (level: keyof Logger) => (message: string, more?: JsonObject) => {
    try {
      logger[level](message, { ...facts, ...more });
    } catch {
      // A log that fails must not fail a run.
    }
  };
  return { debug: wrap("debug"), info: wrap("info"), warn: wrap("warn"), error: wrap("error") };
}
