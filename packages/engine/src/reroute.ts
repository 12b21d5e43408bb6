/** @module Re-routing: what an intervention holds goes on at another node, if the run can complete from there. */
import type { Marking, NodeId, OpenItem, PlaceIndex, StepRecord } from "@tessera/core";
import { DEFAULT_TENANT } from "@tessera/persist";
import type { Authorize } from "./actor.ts";
import { markingRefusal } from "./completable.ts";
import type { Host, LiveRun } from "./host.ts";
import { loadRun } from "./live-run.ts";
import type { RerouteRequest } from "./operations.ts";
import type { Plan } from "./plan.ts";
import type { Prover } from "./prove.ts";
import { type Refused, refused } from "./refusal.ts";
import { readTaskId } from "./task.ts";
import { commandOf, commandTrouble, type Done, submitCommand } from "./work-items.ts";

/**
 * Takes the tokens that the intervention holds and puts one before `to`, on its first incoming arc. The marking is proved
 * (D9.20) before anything is recorded; should the run move meanwhile, it is computed and proved again.
 */
export async function rerouteItem(
  host: Host,
  authorize: Authorize,
  prover: Prover,
  request: RerouteRequest,
): Promise<Done | Refused> {
  const { tenant = DEFAULT_TENANT, task, by, reason, to, commandId } = request;
  const trouble = commandTrouble({ by, reason, commandId });
  if (trouble !== null) return trouble;
  const { run, item } = readTaskId(task);
  for (let attempt = 0; attempt < host.limits.conflictsMax; attempt += 1) {
    const live = await loadRun(host, tenant, run);
    if (live.kind === "refused") return live;
    const held = live.state.items.find(({ id, kind }) => id === item && kind === "intervention");
    const placing = held === undefined ? null : placingOf(live, held, to);
    if (placing?.kind === "refused") return placing;
    if (placing !== null) {
      const unproved = await markingRefusal(prover, live.version, placing.marking);
      if (unproved !== null) return unproved;
    }
    const { sequence } = live.state;
    const decide = commandOf(authorize, "reroute", request, ({ item: found, live: now }) => {
      if (found.kind !== "intervention")
        return refused("wrong-kind", `"${task}" is no intervention`, { task, kind: found.kind });
      if (now.state.sequence !== sequence || placing === null)
        return refused("stale", "the run has moved meanwhile", { run, sequence });
      const input = { kind: "reroute", item: found.id, to, by: by.id, reason } as const;
      return { event: { input, payload: { placing: placing.step } } };
    });
    const answer = await submitCommand(host, request, decide);
    if (answer.kind !== "refused" || answer.code !== "stale") return answer;
  }
  return refused("busy", "the run moved every time", { run });
}

interface Placing {
  readonly kind: "placing";
  readonly marking: Marking;
  readonly step: StepRecord;
}

function placingOf({ state, version }: LiveRun, held: OpenItem, to: NodeId): Placing | Refused {
  const { plan } = version;
  const target = placeBefore(plan, to);
  if (target === null) return refused("not-found", `no arc leads to a node "${to}"`, { to });
  const marking = Array.from(state.marking);
  for (const place of placesHeld(plan, marking.slice(), held)) marking[place] = (marking[place] ?? 0) - 1;
  marking[target] = (marking[target] ?? 0) + 1;
  return { kind: "placing", marking, step: { node: to, marking, closed: [held.id] } };
}

/** Where the tokens are that an intervention holds: its node's rest place, else the marked places before the node. */
function placesHeld(
  { program, nodeIndex }: Plan,
  marking: Marking,
  { node }: OpenItem,
): readonly PlaceIndex[] {
  const index = nodeIndex.get(node) ?? -1;
  const marked = program.net.places.flatMap((_, place) => ((marking[place] ?? 0) > 0 ? [place] : []));
  const resting = marked.filter((place) => program.restNode.get(place) === index);
  if (resting.length > 0) return resting.slice(0, 1);
  const arcs = program.compiled.kind === "net" ? [] : program.compiled.definition.arcs;
  return marked.filter((place) => {
    const origin = program.net.places[place]?.origin;
    return origin?.kind === "arc" && arcs[origin.arc]?.to === node;
  });
}

/** The place of the first arc, in document order, that leads to `to`. */
function placeBefore({ program }: Plan, to: NodeId): PlaceIndex | null {
  if (program.compiled.kind === "net") return null;
  const { arcs } = program.compiled.definition;
  const place = program.net.places.findIndex(
    ({ origin }) => origin?.kind === "arc" && arcs[origin.arc]?.to === to,
  );
  return place === -1 ? null : place;
}
