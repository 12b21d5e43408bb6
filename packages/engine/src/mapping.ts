/** @module Mappings between the data of two parties: names there, keys here. Pure. */
import type { Data, Json, JsonObject } from "@tessera/core";

/** Values by the names that `mapping` gives: { name there: key here }. A key that D does not have is left out. */
export function mapData(mapping: Json | undefined, data: Data): { readonly [key: string]: Json } {
  if (typeof mapping !== "object" || mapping === null || Array.isArray(mapping)) return {};
  return Object.fromEntries(
    Object.entries(mapping as JsonObject).flatMap(([name, key]) => {
      const value = typeof key === "string" && Object.hasOwn(data, key) ? data[key] : undefined;
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
