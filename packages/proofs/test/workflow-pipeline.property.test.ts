import type { CompiledWorkflow } from "@tessera/core";
import { endLabel } from "@tessera/gateways";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkNet, checkWorkflowEvidence, proveWorkflow, type WorkflowReport } from "../src/index.ts";
import { andJoins, arrivalFollows } from "../src/obligations/join-arrival.ts";
import { graphOf, isFinalByHand } from "./oracle.ts";
import { arbitraryPart, definitionOf } from "./random-workflow.ts";
import { end, gateway, human, start, workflow } from "./workflow-text.ts";

const STATES_MAX = 3000;
const LIMITS = { statesMax: STATES_MAX, statesAfterFailureMax: STATES_MAX };

/** Block-structured workflows, some with one arc redirected to a second end that carries another label. */
const workflows = fc
  .tuple(arbitraryPart(2, true), fc.nat(), fc.boolean())
  .map(([part, seed, isDamaged]): CompiledWorkflow | null => {
    const { nodes, arcs } = definitionOf(part);
    if (!isDamaged) return workflow(nodes, arcs);
    const at = seed % arcs.length;
    const stop = { id: "stop", kind: "end", meta: { outcome: "failed" } };
    try {
      return workflow(
        [...nodes, stop],
        arcs.map((arc, index) => (index === at ? { ...arc, to: "stop" } : arc)),
      );
    } catch {
      return null; // No longer a definition: a node is cut off, or a loop is not one any more.
    }
  })
  .filter((compiled) => compiled !== null);

type Prove = (compiled: CompiledWorkflow) => WorkflowReport;
const prove: Prove = (compiled) => proveWorkflow(compiled, { limits: LIMITS });

/** What an enumeration by hand says of join arrival, and of the labels of final markings; null if it is too large. */
function byHand({
  net,
  definition,
}: CompiledWorkflow): { readonly O6: boolean; readonly labels: string[] } | null {
  const graph = graphOf(net, net.initial, STATES_MAX);
  if (graph === null) return null;
  const markings = [...graph.keys()].map((key) => JSON.parse(key) as number[]);
  const arrives = (from: number[], helps: (M: number[]) => boolean) =>
    [...graphOf(net, from, STATES_MAX)!.keys()].some((key) => helps(JSON.parse(key) as number[]));
  const O6 = andJoins(net).every(({ transitions, inputs }) =>
    inputs.every((place) =>
      markings
        .filter((M) => M[place]! > 0)
        .every((from) =>
          arrives(from, (M) =>
            [...transitions, ...net.transitions.filter((t) => t.reset.includes(place))].some(({ pre }) =>
              pre.every(([p, weight]) => M[p]! >= weight),
            ),
          ),
        ),
    ),
  );
  const finals = markings.filter((M) => isFinalByHand(net, M));
  const labels = net.places.flatMap(({ origin }, place) =>
    origin?.kind === "end" && finals.some((M) => M[place]! > 0)
      ? [endLabel(definition.nodes[origin.node]!)]
      : [],
  );
  return { O6, labels: [...new Set(labels)] };
}

/** Law: through the pipeline a workflow gets the answers of the plain search and of an enumeration by hand. */
function agrees(implementation: Prove, compiled: CompiledWorkflow): void {
  const report = implementation(compiled);
  const plain = checkNet(compiled.net, { limits: LIMITS });
  for (const { id, verdict } of plain.obligations) {
    const line = report.obligations.find((other) => other.id === id)!;
    if (plain.complete) expect({ id, kind: line.verdict.kind }).toEqual({ id, kind: verdict.kind });
  }
  const truth = byHand(compiled);
  if (truth === null) return;
  expect(report.labels).toEqual(truth.labels);
  const o6 = report.obligations.find(({ id }) => id === "O6")!.verdict;
  expect(o6.kind).toBe(truth.O6 ? "holds" : "fails");
}

function forAll(implementation: Prove, numRuns: number): void {
  fc.assert(
    fc.property(workflows, (compiled) => agrees(implementation, compiled)),
    { numRuns },
  );
}

const crossed = workflow(
  [start, gateway("fork", { split: "all" }), human("a"), human("b"), gateway("join", { join: "all" }), end],
  ["start -> fork", "fork -> a", "fork -> b", "a -> join", "b -> join", "join -> end"],
);

describe("workflows in the pipeline", () => {
  it("[L8.6] [L13.2] [D8.11] [D8.14] agree with the plain search and with an enumeration by hand", () => {
    forAll(prove, 120);
  });

  it("[L8.6] [L13.2] the law refuses a proof that does not look at joins, and one that knows one label only", () => {
    const silent: Prove = (compiled) => {
      const report = prove(compiled);
      const yes = { kind: "holds", evidence: { class: "compact", method: "none", states: 0 } } as const;
      const obligations = report.obligations.map((line) =>
        line.id === "O6" ? { ...line, verdict: yes } : line,
      );
      return { ...report, obligations };
    };
    const narrow: Prove = (compiled) => ({ ...prove(compiled), labels: ["done"] });
    expect(() => forAll(silent, 300)).toThrow();
    expect(() => forAll(narrow, 300)).toThrow();
  });

  it("[T13.1] [D8.9] the pipeline reduces plain workflows, and every line passes the checker", () => {
    const report = proveWorkflow(crossed);
    expect({ stage: report.stage, states: report.states, labels: report.labels }).toEqual({
      stage: "reduction",
      states: 1,
      labels: ["done"],
    });
    for (const line of report.obligations)
      expect({ id: line.id, kind: checkWorkflowEvidence(crossed, line).kind }).not.toEqual({
        id: line.id,
        kind: "invalid",
      });
    expect(report.obligations.find(({ id }) => id === "O6")?.method).toBe("compact: O1");
  });

  it("[L8.6] says nothing where something else takes the token, or where an input is an end", () => {
    const { net } = crossed;
    expect(arrivalFollows(net)).toBe(true);
    const [join] = andJoins(net);
    const input = join!.inputs[0]!;
    const thief = { id: "thief", pre: [[input, 1] as const], any: [], post: [[0, 1] as const], reset: [] };
    expect(arrivalFollows({ ...net, transitions: [...net.transitions, thief] })).toBe(false);
    const hidden = { ...thief, pre: [], any: [input] };
    expect(arrivalFollows({ ...net, transitions: [...net.transitions, hidden] })).toBe(false);
    expect(arrivalFollows({ ...net, transitions: [...net.transitions, { ...hidden, reset: [input] }] })).toBe(
      true,
    );
    expect(arrivalFollows({ ...net, finals: { kind: "ends", ends: [input] } })).toBe(false);
    expect(arrivalFollows({ ...net, finals: { kind: "markings", markings: [] } })).toBe(false);
  });
});
