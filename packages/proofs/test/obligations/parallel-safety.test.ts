import { type Arc, acyclicConstraint, type GraphClaim, type WorkflowNode } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkWorkflowEvidence, type ProofOptions, proveWorkflow } from "../../src/index.ts";
import { reachableMarkings } from "../../src/reachability.ts";
import { fails } from "../../src/verdict.ts";
import { failure, line } from "../report-lines.ts";
import { workflow } from "../workflow-text.ts";

const start: WorkflowNode = { id: "start", kind: "start" };
const end: WorkflowNode = { id: "end", kind: "end" };
const failed: WorkflowNode = { id: "failed", kind: "end", meta: { outcome: "failed", terminate: true } };
const NONE: GraphClaim = { reads: {}, writes: {} };

/** A node that writes keys of D, and nothing of G unless it claims so. */
const job = (id: string, keys: readonly string[], graph: GraphClaim = NONE): WorkflowNode => ({
  id,
  kind: "tool",
  reads: [],
  writes: keys,
  graph,
});

/** start, a fork of the jobs, a join, end. */
function fork(jobs: readonly WorkflowNode[], change: Partial<WorkflowNode> = {}) {
  const merged = change.meta !== undefined ? ["join: error -> failed"] : [];
  const arcs = jobs.flatMap(({ id }) => [`split -> ${id}`, `${id} -> join`, `${id}: error -> failed`]);
  return workflow(
    [
      start,
      { id: "split", kind: "gateway", split: "all" },
      ...jobs,
      { id: "join", kind: "gateway", join: "all", ...change },
      end,
      failed,
    ],
    ["start -> split", ...arcs, "join -> end", ...merged],
  );
}
const asked = (compiled: ReturnType<typeof fork>) => ({
  ...compiled,
  definition: { ...compiled.definition, parallelSafety: "checked" as const },
});

describe("[D16.15] O9, parallel safety", () => {
  it("[D16.15] [C20-77] holds where parallel nodes keep apart, asked for or not, at the level of data", () => {
    const apart = fork([job("a", ["x"]), job("b", ["y"])]);
    expect(line(proveWorkflow(apart), "O9")).toEqual({
      id: "O9",
      verdict: {
        kind: "holds",
        evidence: {
          class: "recomputable",
          method: "disjoint footprints of what is co-marked",
          states: 0,
        },
      },
      level: "data",
      method: "recomputable: disjoint footprints of what is co-marked",
      isDiagnosis: true,
      message: "",
    });
    expect(line(proveWorkflow(asked(apart)), "O9")).not.toHaveProperty("isDiagnosis");
    expect(proveWorkflow(apart).assumptions.join()).not.toContain("O9");
  });

  it("[D16.15] [C20-77] fails with both nodes, the regions and a run to a marking that has both", () => {
    const racing = fork([job("a", ["k"]), job("b", ["k"])]);
    const { message, witness, level } = failure(racing, "O9");
    expect(message).toBe('after start: done, split: done: "a" and "b" meet: key k');
    expect(level).toBe("net");
    expect(witness).toMatchObject({
      kind: "conflicts",
      conflicts: [
        {
          nodes: ["a", "b"],
          overlaps: [{ left: { kind: "key", key: "k" }, right: { kind: "key", key: "k" } }],
        },
      ],
    });
    const [conflict] = (witness as { conflicts: { places: string[]; marking: Record<string, number> }[] })
      .conflicts;
    for (const place of conflict?.places ?? []) expect(conflict?.marking[place]).toBe(1);
    expect(proveWorkflow(racing).assumptions).toContain("parallel steps do not race for what O9 names");
    expect(proveWorkflow(asked(racing)).assumptions.join()).not.toContain("O9");
  });

  it("[D16.15] [C20-77] takes the constraints of I and the footprints of called workflows into account", () => {
    const writing = (id: string): GraphClaim => ({ reads: {}, writes: { objects: [id] } });
    const compiled = fork([job("a", [], writing("x/{k}")), job("b", [], writing("y/{k}"))]);
    const options: ProofOptions = { footprints: { constraints: [acyclicConstraint("r")] } };
    expect(line(proveWorkflow(compiled), "O9").verdict.kind).toBe("holds");
    const found = line(proveWorkflow(compiled, options), "O9");
    expect(found.message).toMatch(/"a" and "b" meet: links r$/u);
    expect(checkWorkflowEvidence(compiled, found, options).kind).toBe("valid");
    // Without the constraint the claim is not true.
    expect(checkWorkflowEvidence(compiled, found).kind).toBe("invalid");
    expect(proveWorkflow(compiled).footprint).toEqual({
      reads: [],
      writes: [
        { kind: "object", id: "x/{k}" },
        { kind: "object", id: "y/{k}" },
      ],
    });
  });

  it("[D16.15] [C20-77] a node meets itself where two tokens of it can be", () => {
    const twice = workflow(
      [start, { id: "split", kind: "gateway", split: "all" }, job("a", ["k"]), end, failed],
      ["start -> split", "split -> a", "split: other -> end", "a -> end", "a: error -> failed"].filter(
        (text) => !text.includes("other"),
      ),
    );
    expect(line(proveWorkflow(twice), "O9").verdict.kind).toBe("holds");
    const doubled = workflow(
      [
        start,
        { id: "split", kind: "gateway", split: "all" },
        { id: "left", kind: "gateway" },
        { id: "right", kind: "gateway" },
        job("a", ["k"]),
        end,
        failed,
      ],
      [
        "start -> split",
        "split -> left",
        "split -> right",
        "left -> a",
        "right -> a",
        "a -> end",
        "a: error -> failed",
      ],
    );
    expect(failure(doubled, "O9").witness).toMatchObject({ conflicts: [{ nodes: ["a", "a"] }] });
  });

  it("[D16.15] in a large net a run that leaves much under way shows conflicts before anything is searched", () => {
    const line50 = Array.from({ length: 50 }, (_, n) => job(`s${n}`, []));
    const chain = line50.flatMap(({ id }, n) => [
      `${n === 0 ? "start" : `s${n - 1}`} -> ${id}`,
      `${id}: error -> failed`,
    ]);
    const jobs = [job("a", ["k"]), job("b", ["k"]), job("c", ["z"])];
    const arcs = jobs.flatMap(({ id }) => [`split -> ${id}`, `${id} -> join`, `${id}: error -> failed`]);
    const large = workflow(
      [
        start,
        ...line50,
        { id: "split", kind: "gateway", split: "all" },
        ...jobs,
        { id: "join", kind: "gateway", join: "all" },
        end,
        failed,
      ],
      [...chain, "s49 -> split", ...arcs, "join -> end"],
    );
    expect(large.net.places.length).toBeGreaterThan(64);
    const found = line(proveWorkflow(large, { limits: { statesMax: 1, statesAfterFailureMax: 1 } }), "O9");
    expect(found.witness).toMatchObject({ conflicts: [{ nodes: ["a", "b"] }] });
    expect(checkWorkflowEvidence(large, found)).toEqual({ kind: "valid" });
  });

  it("[D16.15] [C20-77] suspected pairs that no marking shows are none; past a limit they are open", () => {
    // Two joins that exclude each other: the fixed point sees both branches, the state space does not.
    const racing = fork([job("a", ["k"]), job("b", ["k"])]);
    const open = line(proveWorkflow(racing, { limits: { statesMax: 2 } }), "O9");
    expect(open.verdict).toEqual({ kind: "unknown", limit: { kind: "states", at: 2 } });
  });

  it("[D16.15] evidence that is not true of the workflow is not accepted", () => {
    const racing = fork([job("a", ["k"]), job("b", ["k"]), job("c", ["l"])]);
    const { verdict } = line(proveWorkflow(racing), "O9");
    if (verdict.kind !== "fails" || verdict.evidence.kind !== "conflicts") throw new Error("no failure");
    const [conflict] = verdict.evidence.conflicts;
    if (conflict === undefined) throw new Error("no conflict");
    const check = (change: Partial<typeof conflict>) =>
      checkWorkflowEvidence(racing, {
        id: "O9",
        verdict: fails({ kind: "conflicts", conflicts: [{ ...conflict, ...change }] }),
      }).kind;
    expect(check({})).toBe("valid");
    expect(check({ nodes: ["a", "c"] })).toBe("invalid");
    expect(check({ overlaps: [] })).toBe("invalid");
    expect(check({ places: conflict.places.slice(0, 1) })).toBe("invalid");
    expect(check({ run: { sequence: [], marking: racing.net.initial } })).toBe("invalid");
    expect(check({ run: { sequence: [0], marking: conflict.run.marking } })).toBe("invalid");
    const empty = fails({ kind: "conflicts" as const, conflicts: [] });
    expect(checkWorkflowEvidence(racing, { id: "O9", verdict: empty }).kind).toBe("invalid");
    expect(checkWorkflowEvidence(racing, { id: "O8", verdict }).kind).toBe("invalid");
  });

  /**
   * Law: the pairs that O9 names are those that some reachable marking has under way together and that race for a key.
   * Oracle: all reachable markings, enumerated plainly, and the declared keys. Generated: forks in a row and nested.
   */
  it("[D16.15] [D16.8] [C20-77] names exactly the pairs that a reachable marking shows (oracle: enumeration)", () => {
    const key = fc.subarray(["k", "l", "m"], { maxLength: 2 });
    const seen = { holds: 0, fails: 0 };
    fc.assert(
      fc.property(fc.array(key, { minLength: 4, maxLength: 4 }), fc.boolean(), (keys, isNested) => {
        const jobs = keys.map((own, index) => job(`j${index}`, own));
        const arcs: (string | Arc)[] = isNested
          ? [
              "start -> s",
              "s -> j0",
              "s -> t",
              "t -> j1",
              "t -> j2",
              "j1 -> u",
              "j2 -> u",
              "u -> j3",
              "j3 -> v",
              "j0 -> v",
              "v -> end",
            ]
          : [
              "start -> s",
              "s -> j0",
              "s -> j1",
              "j0 -> t",
              "j1 -> t",
              "t -> u",
              "u -> j2",
              "u -> j3",
              "j2 -> v",
              "j3 -> v",
              "v -> end",
            ];
        const gates: WorkflowNode[] = isNested
          ? [
              { id: "s", kind: "gateway", split: "all" },
              { id: "t", kind: "gateway", split: "all" },
              { id: "u", kind: "gateway", join: "all" },
              { id: "v", kind: "gateway", join: "all" },
            ]
          : [
              { id: "s", kind: "gateway", split: "all" },
              { id: "t", kind: "gateway", join: "all" },
              { id: "u", kind: "gateway", split: "all" },
              { id: "v", kind: "gateway", join: "all" },
            ];
        const errors = jobs.map(({ id }) => `${id}: error -> failed`);
        const compiled = workflow([start, ...gates, ...jobs, end, failed], [...arcs, ...errors]);
        const { markings } = reachableMarkings(compiled.net, compiled.net.initial, 5_000);
        const under = (node: string, M: readonly number[]) =>
          compiled.net.places.some(({ origin }, place) => {
            if ((M[place] ?? 0) === 0) return false;
            if (origin?.kind === "rest") return compiled.definition.nodes[origin.node]?.id === node;
            return origin?.kind === "arc" && compiled.definition.arcs[origin.arc]?.to === node;
          });
        const expected = jobs.flatMap((left, i) =>
          jobs.slice(i + 1).flatMap((right) => {
            const isRace = left.writes?.some((own) => right.writes?.includes(own)) === true;
            const isTogether = markings.some((M) => under(left.id, [...M]) && under(right.id, [...M]));
            return isRace && isTogether ? [`${left.id} ${right.id}`] : [];
          }),
        );
        const { verdict } = line(proveWorkflow(compiled), "O9");
        const found =
          verdict.kind === "fails" && verdict.evidence.kind === "conflicts"
            ? verdict.evidence.conflicts.map(({ nodes }) => nodes.join(" "))
            : [];
        seen[verdict.kind === "holds" ? "holds" : "fails"] += 1;
        expect(found).toEqual(expected);
      }),
      { numRuns: 60 },
    );
    expect(Math.min(seen.holds, seen.fails)).toBeGreaterThan(5);
  });
});
