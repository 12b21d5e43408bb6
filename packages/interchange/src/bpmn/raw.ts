/** @module Reading elements of the BPMN library as data: nothing here is trusted to be there or to have a type. */

import type { ConditionData } from "@tessera/core";

/** An element as the library made it. */
export interface Raw {
  readonly $type: string;
  readonly [property: string]: unknown;
}

/** Is the value an element of the library? */
export function isRaw(value: unknown): value is Raw {
  return typeof value === "object" && value !== null && "$type" in value && typeof value.$type === "string";
}

/** A property that is a text; undefined if it is not, or empty. */
export function textOf(raw: Raw, property: string): string | undefined {
  const value = raw[property];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** A property that is one element. */
export function childOf(raw: Raw, property: string): Raw | undefined {
  const value = raw[property];
  return isRaw(value) ? value : undefined;
}

/** A property that is a list of elements; anything else is an empty list. */
export function listOf(raw: Raw, property: string): readonly Raw[] {
  const value = raw[property];
  return Array.isArray(value) ? value.filter(isRaw) : [];
}

/** The type without its prefix, first letter small: `bpmn:UserTask` is `userTask`. Others keep their prefix. */
export function typeOf(raw: Raw): string {
  const match = /^bpmn:(.)(.*)$/su.exec(raw.$type);
  return match === null ? raw.$type : `${match[1]?.toLowerCase()}${match[2]}`;
}

/** The text and the language of an expression. */
export interface Expression {
  readonly text: string;
  readonly language: string | undefined;
  /** What it says, where that is known without reading the text. */
  readonly data?: ConditionData;
}

/** The expression under a property; undefined if there is none. */
export function expressionOf(raw: Raw, property: string): Expression | undefined {
  const child = childOf(raw, property);
  if (child === undefined) return undefined;
  return { text: (textOf(child, "body") ?? "").trim(), language: textOf(child, "language") };
}
