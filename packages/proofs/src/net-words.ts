/** @module Evidence about a net in a sentence, with the net's own ids: what `describeEvidence` says of workflows. */
import { type Net, type PlaceIndex, type TransitionIndex, unreachable } from "@tessera/core";
import { tokens } from "./draw-run.ts";
import { transitionIds } from "./explain.ts";
import type { Element, Finding, NetEvidence } from "./verdict.ts";

/** What is wrong; the run that leads there is not told. */
export function netEvidenceWords(net: Net, evidence: NetEvidence): string {
  switch (evidence.kind) {
    case "E1":
      return findingWords(net, evidence.finding, tokens(net, evidence.run.marking));
    case "E2":
      return `no final marking can be reached any more from ${tokens(net, evidence.run.marking)}`;
    case "E3":
      return `never possible: ${evidence.dead.map(({ element }) => elementWord(net, element)).join(", ")}`;
    case "E3-pump":
      return "tokens multiply without end";
    case "E3-ill-formed":
      return "splits and joins do not match: by its structure the net cannot be sound";
    default:
      return unreachable(evidence);
  }
}

function findingWords({ places }: Net, finding: Finding, marked: string): string {
  const name = (place: PlaceIndex): string => `"${places[place]?.id ?? place}"`;
  switch (finding.kind) {
    case "second-token":
      return `a second token on the end ${name(finding.place)}`;
    case "unsafe":
      return `two tokens on ${name(finding.place)}`;
    case "deadlock":
      return `nothing is enabled, and the marking is not final: ${marked}`;
    case "beyond-final":
      return `more than a final marking: ${marked}`;
    case "pump":
      return "tokens multiply without end";
    default:
      return unreachable(finding);
  }
}

function elementWord(net: Net, element: Element): string {
  const first = (list: readonly TransitionIndex[]): string => transitionIds(net, list)[0] ?? "";
  if (element.kind === "transition") return first([element.transition]);
  return element.kind === "arc"
    ? `arc ${element.arc}`
    : `node ${element.node}: ${element.outcome ?? element.phase}`;
}
