/** @module JSON values: what D, G, definitions and the journal are made of, and nothing else. */

import { isWellFormed, utf8Length } from "./utf8.ts";

/** A JSON value: numbers are finite, strings are well-formed UTF-16. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Read a key that came from outside with `ownValue`: every object inherits members. */
export type JsonObject = { readonly [key: string]: Json };

/** One step of a path into JSON: a key of an object or an index of an array, counted from 0. */
export type PathStep = string | number;

/** Where a value stands in its document: the steps from the root; the empty path is the root itself. */
export type Path = readonly PathStep[];

/** Limits that make the check of any value terminate, cyclic and heavily shared ones included. */
export interface JsonLimits {
  /** Greatest depth (included): a scalar has depth 0, a container one more than its deepest member, at least 1. */
  readonly depthMax: number;
  /** Greatest number of values (included), counted as in the text: a shared part once for each occurrence. */
  readonly nodesMax: number;
}

/** The limits of every value that enters the engine. */
export const JSON_LIMITS: JsonLimits = { depthMax: 200, nodesMax: 16_777_216 };

/** Why a value is not JSON, and where. */
export interface JsonProblem {
  readonly path: Path;
  readonly message: string;
}

/**
 * Is `value` JSON, strictly? Plain objects and arrays whose members are own, enumerable and data (no accessors,
 * symbols, holes, class instances), finite numbers, well-formed strings and keys, no cycles, within `limits`.
 * -0 is accepted: it equals 0 here and is written as 0, so a stored -0 comes back as 0.
 * The key `__proto__` is an ordinary key of a value; `parseData` refuses it as a key of D.
 * Cost: linear in the value, and never more than `limits.nodesMax` values.
 *
 * @definition D4.1
 */
export function isJson(value: unknown, limits: JsonLimits = JSON_LIMITS): value is Json {
  return jsonProblems(value, limits, 1).length === 0;
}

/**
 * Why `value` is not JSON: the problems in document order, at most `problemsMax`; empty iff it is JSON.
 * A container past the depth limit is one problem and is not entered; past the node limit the scan ends.
 * Containers that `trusted`, a JSON value, has at the same place, or anywhere in the same array, are not entered:
 * checking a changed value costs what was changed, and the width of the containers above.
 */
export function jsonProblems(
  value: unknown,
  limits: JsonLimits = JSON_LIMITS,
  problemsMax = 100,
  trusted?: Json,
): readonly JsonProblem[] {
  const scan: Scan = { limits, problemsMax, nodeCount: 0, problems: [], ancestors: new Set(), path: [] };
  scanValue(value, trusted, scan);
  return scan.problems;
}

/**
 * Are two JSON values equal: same type, equal numbers (0 equals -0), same code units, members pairwise equal,
 * objects regardless of the order of their keys? Cost: linear; constant for a part that both share.
 *
 * @definition D4.2
 */
export function jsonEqual(a: Json, b: Json): boolean {
  if (a === b) {
    return true;
  }
  if (isJsonArray(a)) {
    return isJsonArray(b) && a.length === b.length && a.every((member, i) => jsonEqual(member, b[i] as Json));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) {
    return false;
  }
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key] as Json, b[key] as Json))
  );
}

/**
 * The number of bytes of the canonical form of `value` in UTF-8, without building it.
 * With `bytesMax` the count may stop as soon as it is above: the answer is exact up to `bytesMax`, else just greater.
 * Cost: linear in the value, or in `bytesMax` where that is less.
 */
export function jsonBytes(value: Json, bytesMax: number = Number.POSITIVE_INFINITY): number {
  if (typeof value === "string") {
    return stringBytes(value);
  }
  if (value === null || typeof value !== "object") {
    return String(value).length;
  }
  return isJsonArray(value) ? arrayBytes(value, bytesMax) : objectBytes(value as JsonObject, bytesMax);
}

/** The depth of `value`: 0 for a scalar, for a container one more than its deepest member, at least 1. */
export function jsonDepth(value: Json): number {
  if (value === null || typeof value !== "object") {
    return 0;
  }
  let deepest = 0;
  for (const member of isJsonArray(value) ? value : Object.values(value)) {
    deepest = Math.max(deepest, jsonDepth(member));
  }
  return deepest + 1;
}

/** The member of `object` under `key`; undefined if it has none of its own, whatever it inherits. */
export function ownValue(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Is `value` an array? (`Array.isArray` does not narrow a readonly array.) */
export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Is `value` an object, neither null nor an array? */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface Scan {
  readonly limits: JsonLimits;
  readonly problemsMax: number;
  nodeCount: number;
  readonly problems: JsonProblem[];
  readonly ancestors: Set<object>;
  readonly path: PathStep[];
}

function scanValue(value: unknown, trusted: Json | undefined, scan: Scan): void {
  scan.nodeCount += 1;
  if (scan.nodeCount > scan.limits.nodesMax) {
    report(scan, `more than ${scan.limits.nodesMax} values`);
    return;
  }
  if (typeof value === "object" && value !== null) {
    if (value !== trusted) {
      scanContainer(value, trusted, scan);
    }
    return;
  }
  const problem = scalarProblem(value);
  if (problem !== undefined) {
    report(scan, problem);
  }
}

function scalarProblem(value: unknown): string | undefined {
  if (value === null || typeof value === "boolean") {
    return undefined;
  }
  if (typeof value === "number") {
    return Number.isFinite(value) ? undefined : `the number ${value} is not finite`;
  }
  if (typeof value === "string") {
    return isWellFormed(value) ? undefined : "the string has a lone surrogate";
  }
  return `a value of type ${typeof value} is not JSON`;
}

function scanContainer(container: object, trusted: Json | undefined, scan: Scan): void {
  if (scan.ancestors.has(container)) {
    report(scan, "the value contains itself");
    return;
  }
  if (scan.ancestors.size >= scan.limits.depthMax) {
    report(scan, `deeper than ${scan.limits.depthMax}`);
    return;
  }
  if (!isPlain(container)) {
    report(scan, "an instance of a class is not JSON");
    return;
  }
  scan.ancestors.add(container);
  scanMembers(container, trusted, scan);
  scan.ancestors.delete(container);
}

function scanMembers(container: object, trusted: Json | undefined, scan: Scan): void {
  const isArray = Array.isArray(container);
  const keys = Reflect.ownKeys(container);
  if (isArray && keys.length <= container.length) {
    report(scan, "the array has a hole");
    return;
  }
  const sharedMembers = new Set<unknown>(isArray && isJsonArray(trusted) ? trusted : []);
  for (const [i, key] of keys.entries()) {
    if (isArray && key === "length") {
      continue;
    }
    if (scan.problems.length >= scan.problemsMax || scan.nodeCount > scan.limits.nodesMax) {
      return;
    }
    scan.path.push(isArray && key === String(i) ? i : String(key));
    const problem = memberProblem(container, key, isArray ? i : undefined);
    if (problem === undefined) {
      const value = (container as Record<PropertyKey, unknown>)[key];
      const counterpart = trustedMember(trusted, key as string);
      scanValue(value, sharedMembers.has(value) ? (value as Json) : counterpart, scan);
    } else {
      report(scan, problem);
    }
    scan.path.pop();
  }
}

/** The member of the trusted value at the same place, if it has one. */
function trustedMember(trusted: Json | undefined, key: string): Json | undefined {
  return typeof trusted === "object" && trusted !== null ? ownValue(trusted as JsonObject, key) : undefined;
}

/** Why the member itself, whatever its value, cannot stand in JSON. `index` is where an array must have it. */
function memberProblem(
  container: object,
  key: string | symbol,
  index: number | undefined,
): string | undefined {
  if (typeof key === "symbol") {
    return "a symbol is not a key";
  }
  if (index !== undefined && key !== String(index)) {
    return "an array has no named members";
  }
  if (!isWellFormed(key)) {
    return "the key has a lone surrogate";
  }
  const descriptor = Object.getOwnPropertyDescriptor(container, key);
  if (descriptor === undefined || !("value" in descriptor)) {
    return "the member is computed by an accessor";
  }
  return descriptor.enumerable ? undefined : "the member is not enumerable";
}

/** Object and array literals of any realm: the chain of prototypes ends where theirs does. */
function isPlain(container: object): boolean {
  const proto: object | null = Object.getPrototypeOf(container);
  if (!Array.isArray(container)) {
    return proto === null || isBaseProto(proto);
  }
  return proto !== null && isBaseProto(Object.getPrototypeOf(proto));
}

/** Is it the `Object.prototype` of some realm? */
function isBaseProto(proto: object | null): boolean {
  return proto !== null && Object.getPrototypeOf(proto) === null && Object.hasOwn(proto, "isPrototypeOf");
}

function report(scan: Scan, message: string): void {
  scan.problems.push({ path: [...scan.path], message });
}

/** The closing bracket, and before each member its comma or the opening bracket: only `[]` has one byte more. */
function arrayBytes(array: readonly Json[], bytesMax: number): number {
  let bytes = 1;
  for (const member of array) {
    if (bytes > bytesMax) {
      return bytes;
    }
    bytes += 1 + jsonBytes(member, bytesMax - bytes);
  }
  return Math.max(bytes, 2);
}

/** As `arrayBytes`, with the key and the colon of each member. */
function objectBytes(object: JsonObject, bytesMax: number): number {
  let bytes = 1;
  for (const key of Object.keys(object)) {
    if (bytes > bytesMax) {
      return bytes;
    }
    bytes += 2 + stringBytes(key) + jsonBytes(object[key] as Json, bytesMax - bytes);
  }
  return Math.max(bytes, 2);
}

/** The bytes of `text` as a JSON string: its quotes, its UTF-8, and what its escapes add. */
function stringBytes(text: string): number {
  let bytes = 2 + utf8Length(text);
  for (let i = 0; i < text.length; i += 1) {
    bytes += escapeExtra(text.charCodeAt(i));
  }
  return bytes;
}

/** How many bytes longer than the character its escape is: 1 for a short escape, 5 for `\u00xx`, else 0. */
function escapeExtra(unit: number): number {
  if (unit >= 0x20) {
    return unit === 0x22 || unit === 0x5c ? 1 : 0;
  }
  // Backspace, tab, line feed, form feed and carriage return have a short escape; the vertical tab between has none.
  return unit >= 0x08 && unit <= 0x0d && unit !== 0x0b ? 1 : 5;
}
