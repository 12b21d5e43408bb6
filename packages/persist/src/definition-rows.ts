/** @module What the rows of definitions hold in a store on SQL, and what they say to its callers. */
import type { Definition, Json, JsonObject } from "@tessera/core";
import { parseJson } from "./blob.ts";
import { hashOf } from "./hash-bytes.ts";
import { type DefinitionRow, StoreError } from "./store.ts";

/** A row of the tables of definitions; the texts are canonical JSON. */
export interface StoredDefinition {
  readonly hash: Uint8Array;
  readonly name: string;
  readonly definition: string;
  readonly manifest: string;
  readonly deployed_at: number;
}

/** A row as queries see it. */
export function definitionRow({
  hash,
  name,
  definition,
  manifest,
  deployed_at: deployedAt,
}: StoredDefinition): DefinitionRow {
  return {
    hash: hashOf(hash),
    name,
    definition: parsed(definition) as unknown as Definition,
    manifest: parsed(manifest) as JsonObject,
    deployedAt,
  };
}

function parsed(text: string): Json {
  const value = parseJson(text);
  if (value === undefined) throw new StoreError("corrupt", "A stored definition is not JSON.");
  return value;
}
