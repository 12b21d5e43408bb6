/** @module What a job reads of G, and whether that is still so when its answer arrives. */
import {
  contentHash,
  type Hash,
  type JobGraph,
  type Json,
  objectJson,
  objectOf,
  objectsOf,
  type ProductGraph,
  type ProductObject,
  sourcesOf,
} from "@tessera/core";

/**
 * One thing that was read: an object by id, all objects of a type, the ids of what links to an id. `version` is the
 * hash of what was there, null where no object was.
 */
export interface GraphRead {
  readonly kind: "object" | "type" | "sources";
  readonly name: string;
  readonly version: Hash | null;
}

/** G for a job, and what it has read so far, each thing once. */
export interface WatchedGraph {
  readonly graph: JobGraph;
  readonly reads: () => readonly GraphRead[];
}

/** `G` behind a watch: every look is noted with the version that it saw. Cost: the hash of what is looked at. */
export function watchedGraph(G: ProductGraph): WatchedGraph {
  const seen = new Map<string, GraphRead>();
  const note = (kind: GraphRead["kind"], name: string): void => {
    const key = `${kind} ${name}`;
    if (!seen.has(key)) seen.set(key, { kind, name, version: versionOf(G, kind, name) });
  };
  return {
    graph: {
      object: (id) => {
        note("object", id);
        return objectOf(G, id);
      },
      objectsOfType: (type) => {
        note("type", type);
        return ofType(G, type);
      },
      sourcesOf: (id) => {
        note("sources", id);
        return sourcesOf(G, id);
      },
    },
    reads: () => [...seen.values()],
  };
}

/**
 * Those of `reads` that `G` would answer otherwise now. Law: none, if what was read is as it was, whatever else changed.
 * Cost: the hash of what was read.
 *
 * @definition D16.14
 */
export function staleReads(G: ProductGraph, reads: readonly GraphRead[]): readonly GraphRead[] {
  return reads.filter(({ kind, name, version }) => versionOf(G, kind, name) !== version);
}

function versionOf(G: ProductGraph, kind: GraphRead["kind"], name: string): Hash | null {
  switch (kind) {
    case "object": {
      const object = objectOf(G, name);
      return object === undefined ? null : contentHash(objectJson(object));
    }
    case "type":
      return contentHash(ofType(G, name).map(objectJson));
    case "sources":
      return contentHash(sourcesOf(G, name) as Json);
  }
}

function ofType(G: ProductGraph, type: string): readonly ProductObject[] {
  return objectsOf(G).filter((object) => object.type === type);
}
