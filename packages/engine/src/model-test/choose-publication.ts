/** @module Which message or signal a test publishes, and how. */
import type { JsonObject } from "@tessera/core";
import { eventsOf } from "@tessera/gateways";
import { eventsOfStart } from "../start-event.ts";
import type { Version } from "../versions.ts";
import type { ModelAction } from "./action.ts";
import { openItems, rootRuns, type World } from "./world.ts";

/** How something is published: as it is awaited, mostly. */
const MANNERS = ["plain", "plain", "again", "brief", "elsewhere"] as const;
const BRIEF_MS = 30_000;

/** What somebody waits for, or what starts a workflow; keys as they are awaited. */
export function choosePublication(
  world: World,
  [which, second, third, on]: readonly [number, number, number, number],
  runsMax: number,
): ModelAction | null {
  const awaited = openItems(world, () => true).flatMap(({ item }) =>
    (item.subscriptions ?? []).flatMap(({ on: what, name, key }) =>
      what === "timer" || name === undefined ? [] : [{ what, name, ...(key === undefined ? {} : { key }) }],
    ),
  );
  const starting = [...world.ready.versions.values()].flatMap(({ plan }) =>
    eventsOfStart(plan.nodes, entryOf(plan)).flatMap(({ on: what, name, key }) =>
      what === "message" || what === "signal"
        ? [{ what, name, ...(key === null ? {} : { key: `k${second % 2}` }) }]
        : [],
    ),
  );
  const possible = [...awaited, ...(rootRuns(world) < runsMax ? starting : [])];
  const chosen = possible[which % Math.max(1, possible.length)];
  if (chosen === undefined) return null;
  const manner = MANNERS[third % MANNERS.length];
  const earlier = world.script.findLast((action) => action.do === "publish");
  if (manner === "again" && earlier !== undefined) return { ...earlier, on };
  return {
    do: "publish",
    ...chosen,
    ...(manner === "brief" && chosen.what === "message" ? { ttlMs: BRIEF_MS } : {}),
    ...(manner === "elsewhere" && "key" in chosen ? { key: `${chosen.key}-other` } : {}),
    data: payloadOf(world, chosen.name, second),
    id: `m${world.script.length}`,
    on,
  };
}

function payloadOf({ ready }: World, name: string, number: number): JsonObject {
  const keys = [...ready.versions.values()].flatMap(({ plan }) =>
    plan.nodes.flatMap((node) =>
      eventsOf(node).flatMap((event) => (event.name === name ? Object.values(event.payload) : [])),
    ),
  );
  return Object.fromEntries(keys.filter((key) => typeof key === "string").map((key) => [key, number % 4]));
}

function entryOf({ program }: Version["plan"]): string {
  return program.compiled.kind === "net" ? "" : program.compiled.definition.entry;
}
