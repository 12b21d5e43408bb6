/** @module Mappings between the data of two parties: names there, keys here. Pure. */
import type { Data, Json, JsonObject } from "@tessera/core";

/** In a mapping, as name and as key: every key under its own name. */
const ALL = "*";

/**
 * Values by the names that `mapping` gives: { name there: key here }. A key that D does not have is left out. With
 * { "*": "*" } every key crosses under its own name, those that are named besides under theirs.
 */
export function mapData(mapping: Json | undefined, data: Data): { readonly [key: string]: Json } {
  if (typeof mapping !== "object" || mapping === null || Array.isArray(mapping)) return {};
  const named = Object.entries(mapping as JsonObject).flatMap(([name, key]) => {
    const value = typeof key === "string" && Object.hasOwn(data, key) ? data[key] : undefined;
    return value === undefined || name === ALL ? [] : [[name, value] as const];
  });
  const isAll = Object.hasOwn(mapping, ALL) && (mapping as JsonObject)[ALL] === ALL;
  return Object.fromEntries(isAll ? [...Object.entries(data), ...named] : named);
}
