/** @module Patches: how a change of D is recorded, in a form of our own that is kept for ever, and how it is applied. */

import { type Data, FORBIDDEN_KEY, forbiddenKey, orderedCopy } from "./data.ts";
import { unreachable } from "./invariant.ts";
import type { Issue } from "./issue.ts";
import {
  isJsonArray,
  isJsonObject,
  JSON_LIMITS,
  type Json,
  type JsonObject,
  jsonDepth,
  type Path,
  type PathStep,
} from "./json.ts";
import { bad, ok, type Result } from "./result.ts";

/** The version of the format that this code writes. A new meaning gets a new number; old ones stay readable. */
export const PATCH_VERSION = 1;

/** A change of a data map: its operations are applied in order, each to the result of those before it. */
export interface Patch {
  readonly version: typeof PATCH_VERSION;
  readonly ops: readonly PatchOp[];
}

/**
 * One operation. Its path has at least one step (D itself is never replaced).
 * `set`: the value at the path; the container must be there, an index must be that of a member.
 * `unset`: the key must be there. `splice`: the array at the path loses `remove` members from `index` on and gets
 * `insert` in their place; `index` + `remove` is at most its length.
 */
export type PatchOp =
  | { readonly kind: "set"; readonly path: Path; readonly value: Json }
  | { readonly kind: "unset"; readonly path: Path }
  | {
      readonly kind: "splice";
      readonly path: Path;
      readonly index: number;
      readonly remove: number;
      readonly insert: readonly Json[];
    };

/** The patch that changes nothing. */
export const EMPTY_PATCH: Patch = { version: PATCH_VERSION, ops: [] };

/**
 * The data `D` after `patch`. `D` is not changed; containers on no path of the patch are the same objects in the
 * result, and those that the patch touched are in normal order if they were before. An empty patch gives `D` itself.
 *
 * Issues, with the index of the operation in their path: PATCH101 no such place, PATCH102 an index outside the array,
 * PATCH103 too deep, DATA003 a forbidden key. An operation with an issue is left out when the later ones are checked.
 * Cost: the size of the patch, and once a copy of each container on one of its paths; never the size of `D`.
 *
 * @definition D4.11
 */
export function applyPatch(D: Data, patch: Patch): Result<Data, readonly Issue[]> {
  if (patch.ops.length === 0) {
    return ok(D);
  }
  const root = open(D) as Opened;
  const issues: Issue[] = [];
  for (const [i, op] of patch.ops.entries()) {
    const trouble = applyOp(root, op);
    if (trouble !== undefined) {
      issues.push({ ...trouble, path: ["ops", i, ...trouble.path] });
    }
  }
  return issues.length > 0 ? bad(issues) : ok(close(root) as Data);
}

/** Marks an opened container: no JSON value has a member under a symbol. */
const OPEN: unique symbol = Symbol("open");

/** A container that is being changed: its own copy, whose members may be opened in turn. */
type Opened = OpenedObject | OpenedArray;

/** `opened`: the keys under which members were opened. `isGrown`: a key was added, so the order must be made again. */
interface OpenedObject {
  readonly [OPEN]: "object";
  readonly members: { [key: string]: Member };
  readonly opened: string[];
  isGrown: boolean;
}

interface OpenedArray {
  readonly [OPEN]: "array";
  readonly members: Member[];
  isEntered: boolean;
}

type Member = Json | Opened;

/** What is wrong with an operation, with the path of that place within it. */
function applyOp(root: Opened, op: PatchOp): Issue | undefined {
  if (op.path.includes(FORBIDDEN_KEY)) {
    return forbiddenKey(["path"]);
  }
  switch (op.kind) {
    case "set":
      return applySet(root, op.path, op.value);
    case "unset":
      return applyUnset(root, op.path);
    case "splice":
      return applySplice(root, op.path, op.index, op.remove, op.insert);
    default:
      return unreachable(op);
  }
}

function applySet(root: Opened, path: Path, value: Json): Issue | undefined {
  const container = openAt(root, path.slice(0, -1));
  const step = path.at(-1);
  if (jsonDepth(value) + path.length > JSON_LIMITS.depthMax) {
    return tooDeep();
  }
  if (container?.[OPEN] === "object" && typeof step === "string") {
    container.isGrown ||= !Object.hasOwn(container.members, step);
    container.members[step] = orderedCopy(value);
    return undefined;
  }
  if (container?.[OPEN] !== "array" || typeof step !== "number") {
    return noPlace(path);
  }
  if (!isIndex(step, container.members.length - 1)) {
    return outside(step, container.members.length);
  }
  container.members[step] = orderedCopy(value);
  return undefined;
}

function applyUnset(root: Opened, path: Path): Issue | undefined {
  const container = openAt(root, path.slice(0, -1));
  const step = path.at(-1);
  const isThere =
    container?.[OPEN] === "object" && typeof step === "string" && Object.hasOwn(container.members, step);
  if (!isThere) {
    return noPlace(path);
  }
  delete container.members[step];
  return undefined;
}

function applySplice(
  root: Opened,
  path: Path,
  index: number,
  remove: number,
  insert: readonly Json[],
): Issue | undefined {
  const array = openAt(root, path);
  if (array?.[OPEN] !== "array") {
    return noPlace(path);
  }
  if (!isIndex(index, array.members.length) || !isIndex(remove, array.members.length - index)) {
    return outside(index + remove, array.members.length);
  }
  if (insert.some((member) => jsonDepth(member) + path.length + 1 > JSON_LIMITS.depthMax)) {
    return tooDeep();
  }
  // Not `splice(...insert)`: the number of arguments of a call is limited.
  const tail = array.members.splice(index);
  for (const member of insert) {
    array.members.push(orderedCopy(member));
  }
  for (const member of tail.slice(remove)) {
    array.members.push(member);
  }
  return undefined;
}

/** Is `value` a whole number from 0 to `max`, both included? */
function isIndex(value: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= max;
}

/** The container at `path`, opened with all containers on the way; undefined if there is none. */
function openAt(root: Opened, path: Path): Opened | undefined {
  let container: Opened | undefined = root;
  for (const step of path) {
    container = openMember(container, step);
    if (container === undefined) {
      return undefined;
    }
  }
  return container;
}

function openMember(container: Opened, step: PathStep): Opened | undefined {
  const members = container.members as { [step: PathStep]: Member };
  const isStep = typeof step === (container[OPEN] === "object" ? "string" : "number");
  const member = isStep && Object.hasOwn(members, step) ? members[step] : undefined;
  if (isOpened(member)) {
    return member;
  }
  const opened = open(member);
  if (opened !== undefined) {
    members[step] = opened;
    if (container[OPEN] === "object") {
      container.opened.push(step as string);
    } else {
      container.isEntered = true;
    }
  }
  return opened;
}

/** The spread of an object defines its members, so a key `__proto__` inside a value stays a key. */
function open(value: Json | undefined): Opened | undefined {
  if (isJsonArray(value)) {
    return { [OPEN]: "array", members: [...value], isEntered: false };
  }
  return isJsonObject(value)
    ? { [OPEN]: "object", members: { ...value }, opened: [], isGrown: false }
    : undefined;
}

function isOpened(member: Member | undefined): member is Opened {
  return typeof member === "object" && member !== null && OPEN in member;
}

function close(member: Member): Json {
  if (!isOpened(member)) {
    return member;
  }
  if (member[OPEN] === "array") {
    return member.isEntered ? member.members.map(close) : (member.members as Json[]);
  }
  const { members, opened, isGrown } = member;
  for (const key of opened) {
    // It may have been unset since.
    if (Object.hasOwn(members, key)) {
      members[key] = close(members[key] as Member);
    }
  }
  const closed = members as JsonObject;
  return isGrown ? Object.fromEntries(Object.entries(closed).sort(([a], [b]) => (a < b ? -1 : 1))) : closed;
}

function noPlace(path: Path): Issue {
  return {
    code: "PATCH101",
    path: ["path"],
    message: "The data have no such place.",
    facts: { place: path },
  };
}

function outside(index: number, length: number): Issue {
  const facts = { index, length };
  return { code: "PATCH102", path: ["path"], message: `The array has only ${length} members.`, facts };
}

function tooDeep(): Issue {
  const { depthMax } = JSON_LIMITS;
  return {
    code: "PATCH103",
    path: ["path"],
    message: `Data are at most ${depthMax} deep.`,
    facts: { depthMax },
  };
}
