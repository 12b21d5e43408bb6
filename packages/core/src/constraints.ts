/** @module The constraints that come with the core: references, schemas, cycles, orphans, rules on payloads. */

import type { Condition } from "./condition.ts";
import { type ConditionEnvironment, evaluateCondition } from "./condition-eval.ts";
import type { Constraint, Finding } from "./integrity.ts";
import type { Touched } from "./mutation.ts";
import { type ObjectSchema, schemaFindings } from "./object-schema.ts";
import {
  hasObject,
  type Link,
  objectOf,
  type ProductGraph,
  type ProductObject,
  sourcesOf,
} from "./product-graph.ts";

/**
 * I_ref: every link leads to an object (axiom 18.3).
 * Cost: the links of the written objects. (A deletion takes the links to the deleted object along.)
 */
export const REFERENCES: Constraint = {
  name: "references",
  version: 1,
  class: "reference",
  scope: { kind: "links" },
  check: (graph, touched) =>
    writtenObjects(graph, touched).flatMap((object) =>
      object.links
        .filter((link) => !hasObject(graph, link.to))
        .map((link) => ({
          message: `${object.id} links to ${link.to}, which does not exist.`,
          facts: { id: object.id, to: link.to, ...relFact(link.rel) },
        })),
    ),
};

/**
 * I_type: every object has a known type, and its payload satisfies the schema of that type (axiom 18.2).
 * `schemas` is by type. Cost: the payloads of the written objects.
 */
export function schemaConstraint(schemas: ReadonlyMap<string, ObjectSchema>): Constraint {
  return {
    name: "schemas",
    version: 1,
    class: "type",
    scope: { kind: "object" },
    check: (graph, touched) =>
      writtenObjects(graph, touched).flatMap(({ id, type, payload }) => {
        const schema = schemas.get(type);
        return schema === undefined
          ? [{ message: `${id} is of the type ${type}, which has no schema.`, facts: { id, type } }]
          : schemaFindings(id, payload, schema);
      }),
  };
}

/**
 * I_str: the links of the relation `rel` (absent: all links) have no cycle. The finding holds the ids of one.
 * Cost: what the written objects reach along the relation.
 */
export function acyclicConstraint(rel?: string): Constraint {
  return {
    name: rel === undefined ? "acyclic" : `acyclic:${rel}`,
    version: 1,
    class: "structural",
    scope: { kind: "relation", ...relFact(rel) },
    check: (graph, touched) => {
      // A new cycle has a new link, and the object that has the link was written.
      const cycle = findCycle(touched.written, (id) => targetsOf(objectOf(graph, id), rel));
      return cycle === undefined
        ? []
        : [{ message: `The links form a cycle: ${cycle.join(", ")}.`, facts: { cycle, ...relFact(rel) } }];
    },
  };
}

/**
 * I_str: every object of one of `types` has a link from another object, of the relation `rel` if one is given.
 * Cost: the links to the written and released objects, and the links of those that have them.
 */
export function noOrphanConstraint(types: readonly string[], rel?: string): Constraint {
  return {
    name: rel === undefined ? "no-orphan" : `no-orphan:${rel}`,
    version: 1,
    class: "structural",
    scope: { kind: "relation", ...relFact(rel) },
    check: (graph, touched) =>
      [...new Set([...touched.written, ...touched.released])]
        .sort()
        .filter((id) => types.includes(objectOf(graph, id)?.type ?? "") && isOrphan(graph, id, rel))
        .map((id) => ({ message: `No other object links to ${id}.`, facts: { id, ...relFact(rel) } })),
  };
}

/**
 * I_sem: the payload of every object of `type` satisfies `condition`, read as data. An error of the condition is a
 * violation like false. Cost: the condition for each written object.
 */
export function payloadRule(
  name: string,
  version: number,
  type: string,
  condition: Condition,
  environment: ConditionEnvironment = {},
): Constraint {
  return {
    name,
    version,
    class: "semantic",
    scope: { kind: "object" },
    check: (graph, touched) =>
      writtenObjects(graph, touched)
        .filter((object) => object.type === type)
        .flatMap((object) => payloadFindings(name, object, condition, environment)),
  };
}

function payloadFindings(
  name: string,
  object: ProductObject,
  condition: Condition,
  environment: ConditionEnvironment,
): readonly Finding[] {
  const result = evaluateCondition(condition, object.payload, environment);
  if (result.kind === "error") {
    const facts = { id: object.id, code: result.code, ...result.facts };
    return [{ message: `The rule ${name} cannot be decided for ${object.id}: ${result.message}`, facts }];
  }
  return result.value
    ? []
    : [{ message: `${object.id} does not satisfy the rule ${name}.`, facts: { id: object.id } }];
}

function writtenObjects(graph: ProductGraph, touched: Touched): readonly ProductObject[] {
  return touched.written.map((id) => objectOf(graph, id)).filter((object) => object !== undefined);
}

function isOrphan(graph: ProductGraph, id: string, rel: string | undefined): boolean {
  return !sourcesOf(graph, id).some(
    (source) => source !== id && targetsOf(objectOf(graph, source), rel).includes(id),
  );
}

/** Where the links of the relation lead, in the order of the links. */
function targetsOf(object: ProductObject | undefined, rel: string | undefined): readonly string[] {
  const links = object?.links ?? [];
  return links.filter((link) => rel === undefined || link.rel === rel).map((link: Link) => link.to);
}

function relFact(rel: string | undefined): { readonly rel?: string } {
  return rel === undefined ? {} : { rel };
}

/**
 * The ids of one cycle that can be reached from `starts`, in the order of its links from the first id that is met;
 * undefined if there is none. Depth first, without recursion.
 */
function findCycle(
  starts: readonly string[],
  targets: (id: string) => readonly string[],
): readonly string[] | undefined {
  const finished = new Set<string>();
  for (const start of starts) {
    const cycle = searchFrom(start, targets, finished);
    if (cycle !== undefined) {
      return cycle;
    }
  }
  return undefined;
}

/** `finished` holds the ids from which no cycle can be reached, and gets those that are found to be such. */
function searchFrom(
  start: string,
  targets: (id: string) => readonly string[],
  finished: Set<string>,
): readonly string[] | undefined {
  const path: string[] = [];
  const isOnPath = new Set<string>();
  const pending: { readonly id: string; readonly next: Iterator<string> }[] = [];
  const enter = (id: string): void => {
    path.push(id);
    isOnPath.add(id);
    pending.push({ id, next: targets(id)[Symbol.iterator]() });
  };
  enter(start);
  for (let top = pending.at(-1); top !== undefined; top = pending.at(-1)) {
    const next = top.next.next();
    if (next.done === true) {
      finished.add(top.id);
      isOnPath.delete(top.id);
      path.pop();
      pending.pop();
    } else if (isOnPath.has(next.value)) {
      return path.slice(path.indexOf(next.value));
    } else if (!finished.has(next.value)) {
      enter(next.value);
    }
  }
  return undefined;
}
