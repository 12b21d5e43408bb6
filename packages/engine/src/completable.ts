/** @module Can a run go on from a marking that an operator wants it to have? Proved before it is applied. */
import type { Json, JsonObject, Marking, Program } from "@tessera/core";
import { markedPlaces } from "@tessera/core";
import type { Acceptance } from "./deploy.ts";
import type { Prover } from "./prove.ts";
import { type Refused, refused } from "./refusal.ts";
import type { Version } from "./versions.ts";

/** What must hold of every marking that can be reached: it can complete, properly, and stays safe. */
const DEMANDED: ReadonlySet<string> = new Set(["O1", "O2", "O4"]);

/** The program as if it began in `marking`: its places, transitions and rules are the same. */
function programFrom(program: Program, marking: Marking): Program {
  const net = { ...program.net, initial: marking };
  return { ...program, net, compiled: { ...program.compiled, net } };
}

/**
 * Null if every marking that is reachable from `marking` in `version` can complete, safely and properly (O1, O2 and O4
 * from there); otherwise the refusal, with the marking and what the proof shows of it as witness. What was accepted when
 * the version was deployed is accepted here.
 *
 * @definition D9.20
 */
export async function markingRefusal(
  prover: Prover,
  version: Version,
  marking: Marking,
): Promise<Refused | null> {
  const { program } = version.plan;
  const proof = await prover(programFrom(program, marking), new Map());
  const accepted = acceptedObligations(version);
  const open = proof.obligations.filter(
    ({ id, verdict }) => DEMANDED.has(id) && verdict !== "holds" && !accepted.has(id),
  );
  if (open.length === 0) return null;
  const lines = open.map(({ id, verdict }) => `${id} ${verdict}`).join(", ");
  const facts: JsonObject = {
    marking: markedPlaces(program.net, marking),
    obligations: open as unknown as Json,
  };
  return refused("unproved", `from this marking of "${version.name}": ${lines}`, facts);
}

/** Obligations that somebody took upon themselves when the version was deployed. */
function acceptedObligations({ row }: Version): ReadonlySet<string> {
  const accepted = row.manifest["accepted"] as unknown as readonly Acceptance[] | undefined;
  return new Set((accepted ?? []).map(({ obligation }) => obligation));
}
