/** @module Reads mutations and product graphs from JSON: the value, or everything that is wrong with it. */

import { orderedCopy } from "./data.ts";
import { type Issue, issue } from "./issue.ts";
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonProblems,
  ownValue,
  type Path,
} from "./json.ts";
import type { Mutation } from "./mutation.ts";
import { type ProductGraph, type ProductObject, productGraph } from "./product-graph.ts";
import { bad, ok, type Result } from "./result.ts";

/**
 * Reads a mutation: an object with the lists `create`, `update` and `delete`, each of which may be absent.
 * The result is a copy whose values are in normal order. Whether it fits a graph is for the gate to say.
 * Issues: GRAPH001 not JSON, GRAPH002 an object without the right members, GRAPH003 a member of the wrong type,
 * GRAPH004 an id or a link twice.
 */
export function parseMutation(value: unknown, path: Path = []): Result<Mutation, readonly Issue[]> {
  return read(value, path, (json, issues) => {
    const mutation = readMembers(json, path, [], ["create", "update", "delete"], issues);
    const create = readList(mutation, "create", path, issues);
    const update = readList(mutation, "update", path, issues);
    const deleted = readList(mutation, "delete", path, issues);
    for (const [i, object] of create.entries()) {
      checkObject(object, [...path, "create", i], issues);
    }
    for (const [i, object] of update.entries()) {
      checkUpdate(object, [...path, "update", i], issues);
    }
    for (const [i, id] of deleted.entries()) {
      checkText(id, [...path, "delete", i], issues);
    }
    checkOnce(create.map(idOf), [...path, "create"], issues);
    checkOnce(update.map(idOf), [...path, "update"], issues);
    checkOnce(deleted, [...path, "delete"], issues);
    return { create, update, delete: deleted } as unknown as Mutation;
  });
}

/** Reads a product graph in the form of `graphJson`. The issues are those of `parseMutation`. */
export function parseProductGraph(value: unknown, path: Path = []): Result<ProductGraph, readonly Issue[]> {
  const objects = read(value, path, (json, issues) => {
    const graph = readMembers(json, path, ["objects"], [], issues);
    const list = readList(graph, "objects", path, issues);
    for (const [i, object] of list.entries()) {
      checkObject(object, [...path, "objects", i], issues);
    }
    checkOnce(list.map(idOf), [...path, "objects"], issues);
    return list as unknown as readonly ProductObject[];
  });
  return objects.ok ? ok(productGraph(objects.value)) : objects;
}

function read<T>(
  value: unknown,
  path: Path,
  reader: (json: Json, issues: Issue[]) => T,
): Result<T, readonly Issue[]> {
  const problems = jsonProblems(value);
  if (problems.length > 0) {
    return bad(
      problems.map((problem) =>
        issue("GRAPH001", [...path, ...problem.path], `The value must be JSON: ${problem.message}.`),
      ),
    );
  }
  const issues: Issue[] = [];
  const result = reader(orderedCopy(value as Json), issues);
  return issues.length > 0 ? bad(issues) : ok(result);
}

/** The object, if it has the required members and no others than these and the optional ones; else an empty one. */
function readMembers(
  value: Json,
  path: Path,
  required: readonly string[],
  optional: readonly string[],
  issues: Issue[],
): JsonObject {
  const members = [...required, ...optional];
  const isComplete =
    isJsonObject(value) &&
    required.every((member) => Object.hasOwn(value, member)) &&
    Object.keys(value).every((member) => members.includes(member));
  if (isComplete) {
    return value;
  }
  const may = optional.length === 0 ? "" : `; it may have ${optional.join(", ")}`;
  issues.push(
    issue("GRAPH002", path, `Here stands an object with ${required.join(", ") || "no members"}${may}.`),
  );
  return {};
}

function readList(object: JsonObject, member: string, path: Path, issues: Issue[]): readonly Json[] {
  const list = ownValue(object, member);
  if (list === undefined) {
    return [];
  }
  if (isJsonArray(list)) {
    return list;
  }
  issues.push(issue("GRAPH003", [...path, member], "Here stands a list."));
  return [];
}

function checkObject(value: Json, path: Path, issues: Issue[]): void {
  const object = readMembers(value, path, ["id", "type", "payload", "links"], [], issues);
  checkMembers(object, path, issues);
}

function checkUpdate(value: Json, path: Path, issues: Issue[]): void {
  const update = readMembers(value, path, ["id"], ["payload", "links"], issues);
  checkMembers(update, path, issues);
}

/** Checks the members that are there. */
function checkMembers(object: JsonObject, path: Path, issues: Issue[]): void {
  for (const member of ["id", "type"]) {
    const text = ownValue(object, member);
    if (text !== undefined) {
      checkText(text, [...path, member], issues);
    }
  }
  const payload = ownValue(object, "payload");
  if (payload !== undefined && !isJsonObject(payload)) {
    issues.push(issue("GRAPH003", [...path, "payload"], "Here stands an object."));
  }
  const links = readList(object, "links", path, issues);
  for (const [i, link] of links.entries()) {
    checkLink(link, [...path, "links", i], issues);
  }
  checkOnce(links.map(linkKey), [...path, "links"], issues);
}

function checkLink(value: Json, path: Path, issues: Issue[]): void {
  const link = readMembers(value, path, ["to"], ["rel"], issues);
  for (const [member, text] of Object.entries(link)) {
    checkText(text, [...path, member], issues);
  }
}

function checkText(value: Json, path: Path, issues: Issue[]): void {
  if (typeof value !== "string" || value === "") {
    issues.push(issue("GRAPH003", path, "Here stands a text that is not empty."));
  }
}

/** GRAPH004 for every value that stood before in the list; what is no value of its kind was reported already. */
function checkOnce(values: readonly (Json | undefined)[], path: Path, issues: Issue[]): void {
  const seen = new Set<Json>();
  for (const [i, value] of values.entries()) {
    if (typeof value === "string" && seen.has(value)) {
      issues.push(issue("GRAPH004", [...path, i], "This stands in the list before."));
    }
    if (value !== undefined) {
      seen.add(value);
    }
  }
}

function idOf(value: Json): Json | undefined {
  return isJsonObject(value) ? ownValue(value, "id") : undefined;
}

/** A text that two links share iff they are the same. */
function linkKey(value: Json): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, "to")
    ? JSON.stringify([value["to"], ownValue(value, "rel")])
    : undefined;
}
