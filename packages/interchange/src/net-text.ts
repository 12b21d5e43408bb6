/** @module What a net writer gives: a text, and what the format could not hold. */
import type { Issue, Net } from "@tessera/core";
import type { InterchangeCode } from "./issue-codes.ts";
import { isDefaultEnds } from "./net-definition.ts";

/** A file. Show the warnings: they say what whoever reads it will not find. */
export interface NetText {
  readonly text: string;
  readonly warnings: readonly Issue[];
}

/** Options of the writers of nets. */
export interface NetWriteOptions {
  /** The net's name. */
  readonly name?: string;
}

/** The transitions that a format without resets, optional inputs and rules cannot hold, one issue each. */
export function plainIssues(net: Net, code: InterchangeCode, format: string): readonly Issue[] {
  return net.transitions.flatMap(({ id, any, rule, reset }, t) => {
    if (any.length === 0 && rule === undefined && reset.length === 0) return [];
    const what = reset.length > 0 ? "resets places" : "has optional inputs or a rule";
    const message = `the transition "${id}" ${what}, which ${format} cannot say`;
    return [{ code, path: ["transitions", t], message: message.slice(0, 400) }];
  });
}

/** What is lost where the format holds no final markings and the net's are not the default of a reader. */
export function finalsWarning(net: Net, format: string): readonly Issue[] {
  if (isDefaultEnds(net)) return [];
  const message = `${format} holds no final markings: state them again where the file is read`;
  return [{ code: "IMP011", path: ["finals"], message, severity: "warning" }];
}
