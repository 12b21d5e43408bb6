/** @module Checks a JSON value against a shape: every place where it differs, with what stands there instead. */
import { canonicalJson } from "./canonical.ts";
import { parseCondition } from "./condition-parse.ts";
import { FORBIDDEN_KEY, forbiddenKey } from "./data.ts";
import { type Member, NAME_LENGTH_MAX, type Shape } from "./definition-shape.ts";
import { unreachable } from "./invariant.ts";
import { type Issue, issue } from "./issue.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject, type Path } from "./json.ts";
import { nearest } from "./suggest.ts";

/** What was found. `isGraphReadable`: no issue concerns a member on which the graph depends. */
export interface ShapeReport {
  readonly issues: readonly Issue[];
  readonly isGraphReadable: boolean;
}

/** Issues of values that have the right type all the same. */
const MILD: ReadonlySet<string> = new Set(["WF024", "WF027"]);

interface Log {
  readonly issues: Issue[];
  isGraphReadable: boolean;
}

/**
 * The places where `value` differs from `shape`, in document order of the shape's members.
 * Issues: WF021 wrong type, WF022 unknown member, WF023 missing member, WF024 malformed name, WF025 none of the
 * possible values, WF026 too many members, WF027 a member of a list twice, WF028 number out of range, DATA003 a
 * forbidden data key, and those of conditions. Cost: linear in the value.
 */
export function checkShape(value: Json, shape: Shape): ShapeReport {
  const log: Log = { issues: [], isGraphReadable: true };
  checkValue(value, shape, [], log);
  return log;
}

function checkValue(value: Json, shape: Shape, path: Path, log: Log): void {
  switch (shape.kind) {
    case "json":
      return;
    case "name":
      checkName(value, path, log);
      return;
    case "text":
      if (typeof value !== "string") wrongType(value, "a text", path, log);
      return;
    case "const":
      if (value !== shape.value) notAllowed(value, [shape.value], path, log);
      return;
    case "choice":
      if (typeof value !== "string" || !shape.values.includes(value))
        notAllowed(value, shape.values, path, log);
      return;
    case "count":
      checkCount(value, shape, path, log);
      return;
    case "condition": {
      const condition = parseCondition(value, path);
      // Not spread: there may be more issues than a call takes arguments.
      for (const found of condition.ok ? [] : condition.issues) log.issues.push(found);
      return;
    }
    case "json-object":
      if (!isJsonObject(value)) wrongType(value, "an object", path, log);
      return;
    case "either":
      checkValue(value, typeof value === "string" ? shape.text : shape.object, path, log);
      return;
    case "object":
      checkObject(value, shape.members, path, log);
      return;
    case "list":
      checkList(value, shape, path, log);
      return;
    case "tuple":
      checkTuple(value, shape.of, path, log);
      return;
    case "table":
      checkTable(value, shape, path, log);
      return;
    default:
      unreachable(shape);
  }
}

function checkName(value: Json, path: Path, log: Log): void {
  if (typeof value !== "string") {
    wrongType(value, "a text", path, log);
    return;
  }
  const problem = nameProblem(value);
  if (problem !== undefined) log.issues.push(issue("WF024", path, `the name ${quote(value)} ${problem}`));
}

/** Why `text` cannot name anything. Dots, spaces and every script are fine. */
function nameProblem(text: string): string | undefined {
  if (text.trim() === "") return "is empty";
  if (/[\p{Cc}\u2028\u2029]/u.test(text)) return "contains a control character";
  // Most names are short: code points are counted only where units cannot decide.
  const isLong =
    text.length > NAME_LENGTH_MAX &&
    (text.length > 2 * NAME_LENGTH_MAX || [...text].length > NAME_LENGTH_MAX);
  return isLong ? `is longer than ${NAME_LENGTH_MAX} characters` : undefined;
}

function checkCount(
  value: Json,
  { min, max }: Shape & { readonly kind: "count" },
  path: Path,
  log: Log,
): void {
  if (typeof value !== "number") {
    wrongType(value, "an integer", path, log);
    return;
  }
  if (Number.isInteger(value) && value >= min && value <= max) return;
  log.issues.push(issue("WF028", path, `${value} is no integer from ${min} to ${max}`));
}

function checkObject(value: Json, members: ReadonlyMap<string, Member>, path: Path, log: Log): void {
  if (!isJsonObject(value)) {
    wrongType(value, "an object", path, log);
    return;
  }
  for (const [name, member] of members) {
    const before = log.issues.length;
    if (Object.hasOwn(value, name)) {
      checkValue(value[name] as Json, member.shape, [...path, name], log);
    } else if (member.isRequired) {
      log.issues.push(issue("WF023", path, `"${name}" is missing`, { missing: name }));
    }
    // Lists of nodes and arcs answer for their own members.
    const isSevere = log.issues.slice(before).some(({ code }) => !MILD.has(code));
    if (isSevere && member.isStructure && !isContainer(value[name], member.shape))
      log.isGraphReadable = false;
  }
  for (const name of Object.keys(value)) {
    if (!members.has(name)) unknownMember(name, members, path, log);
  }
}

/** A list whose members have members: what is wrong inside was judged there. */
function isContainer(value: Json | undefined, shape: Shape): boolean {
  const isList = shape.kind === "list" && shape.of.kind === "object" && isJsonArray(value);
  return isList && value.length <= shape.max && value.every(isJsonObject);
}

/** A member that is nearly one of the graph's was meant to be it, so the graph without it would be another one. */
function unknownMember(name: string, members: ReadonlyMap<string, Member>, path: Path, log: Log): void {
  const meant = nearest(name, [...members.keys()]);
  if (meant !== undefined && members.get(meant)?.isStructure === true) log.isGraphReadable = false;
  const hint =
    meant === undefined ? `the members are ${[...members.keys()].join(", ")}` : `did you mean "${meant}"?`;
  const facts = { known: [...members.keys()], ...(meant === undefined ? {} : { suggestion: meant }) };
  log.issues.push(issue("WF022", [...path, name], `unknown member ${quote(name)}: ${hint}`, facts));
}

function checkList(value: Json, shape: Shape & { readonly kind: "list" }, path: Path, log: Log): void {
  if (!isJsonArray(value)) {
    wrongType(value, "a list", path, log);
    return;
  }
  if (value.length > shape.max) {
    tooMany(value.length, shape.max, path, log);
    return;
  }
  for (const [i, member] of value.entries()) checkValue(member, shape.of, [...path, i], log);
  if (shape.unique === true) checkUnique(value, path, log);
}

function checkUnique(list: readonly Json[], path: Path, log: Log): void {
  const seen = new Map<string, number>();
  for (const [i, member] of list.entries()) {
    const key = canonicalJson(member);
    const earlier = seen.get(key);
    if (earlier === undefined) seen.set(key, i);
    else log.issues.push(issue("WF027", [...path, i], `repeats member ${earlier} of the list`));
  }
}

function checkTuple(value: Json, shapes: readonly Shape[], path: Path, log: Log): void {
  if (!isJsonArray(value) || value.length !== shapes.length) {
    wrongType(value, `a list of ${shapes.length} members`, path, log);
    return;
  }
  for (const [i, shape] of shapes.entries()) checkValue(value[i] as Json, shape, [...path, i], log);
}

function checkTable(value: Json, shape: Shape & { readonly kind: "table" }, path: Path, log: Log): void {
  if (!isJsonObject(value)) {
    wrongType(value, "an object", path, log);
    return;
  }
  const keys = Object.keys(value);
  if (keys.length > shape.max) {
    tooMany(keys.length, shape.max, path, log);
    return;
  }
  for (const key of keys) {
    const at = [...path, key];
    checkName(key, at, log);
    if (shape.isData === true && key === FORBIDDEN_KEY) log.issues.push(forbiddenKey(at));
    checkValue((value as JsonObject)[key] as Json, shape.of, at, log);
  }
}

function wrongType(value: Json, expected: string, path: Path, log: Log): void {
  log.issues.push(issue("WF021", path, `here stands ${expected}, not ${nameOfType(value)}`));
}

function notAllowed(value: Json, allowed: readonly Json[], path: Path, log: Log): void {
  const list = allowed.map((member) => JSON.stringify(member)).join(", ");
  const meant =
    typeof value === "string"
      ? nearest(
          value,
          allowed.filter((member) => typeof member === "string"),
        )
      : undefined;
  const found = typeof value === "object" ? nameOfType(value) : quote(value);
  const hint = meant === undefined ? "" : `: did you mean "${meant}"?`;
  const facts = { allowed: [...allowed], ...(meant === undefined ? {} : { suggestion: meant }) };
  log.issues.push(issue("WF025", path, `${found} is none of ${list}${hint}`, facts));
}

function tooMany(count: number, max: number, path: Path, log: Log): void {
  log.issues.push(issue("WF026", path, `${count} members are more than the limit of ${max}`, { count, max }));
}

function nameOfType(value: Json): string {
  if (value === null) return "null";
  if (isJsonArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A value as it goes into a message: never longer than a line. */
function quote(value: string | number | boolean | null): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}..."` : text;
}
