/** @module The proof of a mapping for every run at once: over all markings at which a run of the old definition can rest. */
import { firstPlayable, type Hash, type Marking, markedPlaces, startGame } from "@tessera/core";
import type { TenantId } from "@tessera/persist";
import { reachableMarkings } from "@tessera/proofs";
import { markingRefusal } from "./completable.ts";
import type { Host } from "./host.ts";
import { findVersion } from "./live-run.ts";
import { nodeMisfit } from "./node-fit.ts";
import { type Mapping, mappedNode, markingMap } from "./place-map.ts";
import type { Plan } from "./plan.ts";
import type { Prover } from "./prove.ts";
import { type Refused, refused } from "./refusal.ts";
import { resolveWorkflow, type WorkflowRef } from "./start.ts";
import type { Version } from "./versions.ts";

/** Which mapping. */
export interface MappingRequest {
  readonly tenant: TenantId;
  readonly from: Hash;
  readonly to: WorkflowRef;
  readonly mapping: Mapping;
}

/** The mapping takes every run: `markings` at rest were looked at, `searched` of their images needed a proof of their own. */
export interface MappingProved {
  readonly kind: "proved";
  readonly markings: number;
  readonly searched: number;
}

/** Markings of either net that are looked at. */
const STATES_MAX = 50_000;

/**
 * Proves a mapping for all runs of a definition: at every reachable marking of the old net at which nothing automatic is
 * enabled, h says where every token goes, what rests there can rest at its new node, and from the image every reachable
 * marking can complete. An image that is reachable in the new net needs no search where O1, O2 and O4 hold of it. Refused
 * with the first marking as witness; `limit` where the old net has too many markings.
 *
 * @definition D9.25
 */
export async function proveMapping(
  host: Host,
  prover: Prover,
  { tenant, from: hash, to: ref, mapping }: MappingRequest,
): Promise<MappingProved | Refused> {
  const from = await findVersion(host, hash);
  if (from.kind === "refused") return from;
  const to = await resolveWorkflow(host, tenant, ref);
  if (to.kind === "refused") return to;
  const { net, rules } = from.plan.program;
  const old = reachableMarkings(net, net.initial, STATES_MAX, rules);
  if (!old.complete)
    return refused("limit", `"${from.name}" has more than ${STATES_MAX} markings`, { statesMax: STATES_MAX });
  const resting = old.markings.filter((marking) => isAtRest(from.plan, marking));
  const map = markingMap(from.plan, to.plan, mapping);
  const known = knownMarkings(to);
  let searched = 0;
  for (const marking of resting) {
    const witness = markedPlaces(net, marking);
    const mapped = map(marking);
    if (mapped.kind === "unmapped")
      return refused("unproved", "the mapping says nothing of marked places", {
        marking: witness,
        places: [...mapped.places],
      });
    const misfit = restMisfit(from.plan, to.plan, marking, mapping);
    if (misfit !== null) return refused("unproved", misfit, { marking: witness });
    const key = mapped.marking.join();
    if (known.has(key)) continue;
    searched += 1;
    const unproved = await markingRefusal(prover, to, mapped.marking);
    if (unproved !== null)
      return refused(unproved.code, unproved.message, { ...unproved.facts, from: witness });
    known.add(key);
  }
  return { kind: "proved", markings: resting.length, searched };
}

function isAtRest({ program }: Plan, marking: Marking): boolean {
  return firstPlayable(startGame(program.fast, marking, program.automatic, program.rules)) === -1;
}

function restMisfit(from: Plan, to: Plan, marking: Marking, mapping: Mapping): string | null {
  for (const [place, index] of from.program.restNode) {
    const node = from.nodes[index]?.id;
    if ((marking[place] ?? 0) === 0 || node === undefined) continue;
    const misfit = nodeMisfit(from, to, node, mappedNode(mapping, node));
    if (misfit !== null) return misfit;
  }
  return null;
}

/** The reachable markings of a version from which nobody needs to search: it is proved, and they are not too many. */
function knownMarkings({ plan, row }: Version): Set<string> {
  const lines = (row.manifest["obligations"] ?? []) as readonly {
    readonly id: string;
    readonly verdict: string;
  }[];
  const isProved = ["O1", "O2", "O4"].every((id) =>
    lines.some((line) => line.id === id && line.verdict === "holds"),
  );
  if (!isProved) return new Set();
  const { net, rules } = plan.program;
  return new Set(
    reachableMarkings(net, net.initial, STATES_MAX, rules).markings.map((marking) => marking.join()),
  );
}
