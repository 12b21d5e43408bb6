/** @module Evidence on data with one thing said wrongly: refused, for this very reason. */
import { type CompiledWorkflow, type ConditionData, fireSequence } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { checkDataLines } from "../../src/certificate/check-data.ts";
import type { DataEvidence, DataFinding, DataObligationId } from "../../src/data-level/data-verdicts.ts";
import { type CheckableDataLine, checkDataEvidence, proveWorkflow } from "../../src/index.ts";
import { holds, unknown } from "../../src/verdict.ts";
import { end, gateway, start, workflow } from "../workflow-text.ts";
import { FLOWS, merging, x } from "./evidence-flows.ts";
import { TYPES } from "./guarded-workflow.ts";

type RunEvidence = Extract<DataEvidence, { readonly kind: "data-run" }>;
type DeadEvidence = Extract<DataEvidence, { readonly kind: "data-dead" }>;
type Of<Kind extends DataFinding["kind"]> = Extract<DataFinding, { readonly kind: Kind }>;

const linesOf = (compiled: CompiledWorkflow): readonly CheckableDataLine[] =>
  proveWorkflow(compiled, { level: "data" }).data!.obligations;

/** The line of the workflow in which a run ends in a finding of the kind, if it is against `id`. */
function runIn<Kind extends DataFinding["kind"]>(
  compiled: CompiledWorkflow,
  kind: Kind,
  id?: DataObligationId,
): { readonly id: DataObligationId; readonly evidence: RunEvidence; readonly finding: Of<Kind> } {
  for (const line of linesOf(compiled)) {
    if (line.verdict.kind !== "fails" || line.verdict.evidence.kind !== "data-run") continue;
    const { evidence } = line.verdict;
    if (evidence.finding.kind === kind && (id ?? line.id) === line.id)
      return { id: line.id, evidence, finding: evidence.finding as Of<Kind> };
  }
  throw new Error(`no ${kind}`);
}

const reasonOf = (compiled: CompiledWorkflow, id: DataObligationId, evidence: DataEvidence): string => {
  const checked = checkDataEvidence(compiled, { id, verdict: { kind: "fails", evidence } });
  return checked.kind === "valid" ? "valid" : checked.reason;
};

/** The first steps of a run, with the marking and the data where they end. */
function beginningOf({ net }: CompiledWorkflow, run: RunEvidence["run"], length: number): RunEvidence["run"] {
  const steps = run.steps.slice(0, length);
  const end = fireSequence(
    net,
    net.initial,
    steps.flatMap(({ fired }) => [...fired]),
  );
  if (end.kind !== "fired") throw new Error("not a run");
  const data = Object.assign({}, run.start, ...steps.map(({ answer }) => answer.set)) as typeof run.data;
  return { ...run, steps, marking: end.marking, data };
}

describe("[D23.6] a run that ends otherwise than it is said to", () => {
  it("[D23.6] is no evidence against another obligation", () => {
    for (const [name, kind, id] of [
      ["gap", "gap", "O5"],
      ["waits", "stuck", "deadlock"],
      ["round", "no-completion", "O1"],
      ["twice", "second-token", "O2"],
      ["twice", "unsafe", "O4"],
    ] as const) {
      const compiled = FLOWS[name]!;
      const { evidence } = runIn(compiled, kind, id);
      expect(reasonOf(compiled, id, evidence)).toBe("valid");
      for (const other of ["O1", "O2", "O3", "O4", "O5", "O7", "deadlock"] as const) {
        const isFine = other === id || (kind === "no-completion" && other === "O7");
        if (!isFine)
          expect(reasonOf(compiled, other, evidence)).toBe(`${kind} is no evidence against ${other}`);
      }
    }
  });

  it("[D23.6] two tokens are on the place that is named, an end or a control place", () => {
    const compiled = FLOWS["twice"]!;
    const { net } = compiled;
    const isEnd = (place: number) => net.finals.kind === "ends" && net.finals.ends.includes(place);
    const second = runIn(compiled, "second-token").evidence;
    const unsafe = runIn(compiled, "unsafe").evidence;
    for (const [place, { role }] of [...net.places, { role: "control" }].entries()) {
      const tokensAt = ({ run }: RunEvidence) => run.marking[place] ?? 0;
      const forged = { ...second, finding: { kind: "second-token", place } } as const;
      const hasTwo = isEnd(place) && tokensAt(second) > 1;
      expect(reasonOf(compiled, "O2", forged)).toBe(hasTwo ? "valid" : "no second token on an end");
      const crowded = { ...unsafe, finding: { kind: "unsafe", place } } as const;
      const isCrowded = role === "control" && tokensAt(unsafe) > 1;
      expect(reasonOf(compiled, "O4", crowded)).toBe(isCrowded ? "valid" : "the place is safe there");
    }
    // One token is none too many: the same on every way to the second one.
    let once = 0;
    for (const evidence of [second, unsafe]) {
      for (let length = 0; length < evidence.run.steps.length; length += 1) {
        const run = beginningOf(compiled, evidence.run, length);
        for (const place of net.places.keys()) {
          const tokens = run.marking[place]!;
          const [end, control] = [
            { kind: "second-token", place } as const,
            { kind: "unsafe", place } as const,
          ];
          const isSecond = isEnd(place) && tokens > 1;
          expect(reasonOf(compiled, "O2", { ...evidence, run, finding: end }) === "valid").toBe(isSecond);
          const isUnsafe = net.places[place]!.role === "control" && tokens > 1;
          expect(reasonOf(compiled, "O4", { ...evidence, run, finding: control }) === "valid").toBe(isUnsafe);
          if (isEnd(place) && tokens === 1) once += 1;
        }
      }
    }
    expect(once).toBeGreaterThan(0);
  });

  it("[D23.6] an answer finds no arc: this node, with this answer, on these data", () => {
    const compiled = FLOWS["gap"]!;
    const { evidence, finding } = runIn(compiled, "gap");
    const no = "an arc can be taken";
    const forged = (more: Partial<Of<"gap">>) =>
      reasonOf(compiled, "O5", { ...evidence, finding: { ...finding, ...more } });
    expect(forged({})).toBe("valid");
    expect(forged({ node: 0 })).toBe(no);
    expect(forged({ outcome: "error" })).toBe(no);
    expect(forged({ answer: { set: { x: 2 }, unset: [] } })).toBe(no);
    expect(forged({ data: { x: 5 } })).toBe(no);
    expect(forged({ data: {} })).toBe(no);
    // Words about it are nobody's claim.
    expect(forged({ trouble: "other words" })).toBe("valid");
  });

  it("[D23.6] nothing can happen any more, and the run is not complete", () => {
    const compiled = FLOWS["waits"]!;
    const { evidence } = runIn(compiled, "stuck");
    // A step less, and something can.
    const { run } = evidence;
    expect(run.steps.length).toBeGreaterThan(0);
    const before = { ...run, steps: [], marking: compiled.net.initial };
    expect(reasonOf(compiled, "deadlock", { ...evidence, run: before })).toBe("something can happen");
  });

  it("[D23.6] as many states follow as are said to, round the nodes that are said to, and none of them is final", () => {
    const compiled = FLOWS["round"]!;
    const { evidence, finding } = runIn(compiled, "no-completion", "O1");
    const forged = (more: Partial<Of<"no-completion">>, id: DataObligationId = "O1") =>
      reasonOf(compiled, id, { ...evidence, finding: { ...finding, ...more } });
    expect([forged({}), forged({}, "O7")]).toEqual(["valid", "valid"]);
    expect(finding.cycle.length).toBeGreaterThan(0);
    const no = "not so many states follow";
    expect(forged({ size: finding.size + 1 })).toBe(no);
    expect(forged({ size: finding.size - 1 })).toBe(no);
    expect(forged({ cycle: [] })).toBe(no);
    expect(forged({ cycle: [...finding.cycle, compiled.definition.nodes.length - 1] })).toBe(no);
    // From the start of a workflow that can complete.
    const sound = FLOWS["sound"]!;
    const run = { start: { x: 0 }, steps: [], marking: sound.net.initial, data: { x: 0 } };
    const lost = {
      kind: "data-run",
      run,
      finding: { kind: "no-completion", size: 1, cycle: [] },
    } as unknown as RunEvidence;
    for (const id of ["O1", "O7"] as const) expect(reasonOf(sound, id, lost)).toBe("the run can complete");
    // One that waits for ever goes round nothing.
    const waiting = runIn(FLOWS["waits"]!, "no-completion", "O1");
    expect(waiting.finding.cycle).toEqual([]);
    const round = { ...waiting.evidence, finding: { ...waiting.finding, cycle: [0] } };
    expect(reasonOf(FLOWS["waits"]!, "O1", round)).toBe(no);
  });
});

describe("[D23.6] what is said of all data otherwise than it is", () => {
  const deadOf = (compiled: CompiledWorkflow): DeadEvidence => {
    const line = linesOf(compiled).find(({ id }) => id === "O3")!;
    if (line.verdict.kind !== "fails" || line.verdict.evidence.kind !== "data-dead") throw new Error("alive");
    return line.verdict.evidence;
  };

  it("[D23.6] dead elements: so many states, all their transitions, and O3 only", () => {
    const compiled = FLOWS["dead"]!;
    const evidence = deadOf(compiled);
    const { dead, states } = evidence;
    expect(reasonOf(compiled, "O3", evidence)).toBe("valid");
    expect(reasonOf(compiled, "O3", { ...evidence, states: states + 1 })).toBe(
      `not ${states + 1} states, but ${states}`,
    );
    expect(reasonOf(compiled, "O1", evidence)).toBe("no evidence against O1");
    expect(reasonOf(compiled, "O3", { ...evidence, dead: [] })).not.toBe("valid");
    const first = dead[0]!;
    const alive = compiled.net.transitions.findIndex((_, t) =>
      dead.every(({ transitions }) => !transitions.includes(t)),
    );
    const more = { ...first, transitions: [...first.transitions, alive] };
    expect(reasonOf(compiled, "O3", { ...evidence, dead: [more] })).not.toBe("valid");
    const none = { ...first, transitions: [] };
    expect(reasonOf(compiled, "O3", { ...evidence, dead: [none] })).not.toBe("valid");
  });

  it("[D23.6] what holds: by the whole product, and by nothing else", () => {
    const compiled = FLOWS["sound"]!;
    for (const { id, verdict } of linesOf(compiled)) {
      if (verdict.kind !== "holds") throw new Error(id);
      const { evidence } = verdict;
      const checked = (more: object) =>
        checkDataEvidence(compiled, {
          id,
          verdict: holds({ ...evidence, ...more }) as CheckableDataLine["verdict"],
        });
      expect({ id, checked: checked({}) }).toEqual({ id, checked: { kind: "valid" } });
      const { states } = evidence;
      const reason = `not ${states - 1} states, but ${states}`;
      expect(checked({ states: states - 1 })).toEqual({ kind: "invalid", reason });
      for (const other of ["compact", "solver", "recomputable"])
        expect(checked({ class: other })).toEqual({
          kind: "invalid",
          reason: `${other} is no evidence here`,
        });
    }
  });

  it("[D23.6] holds is refused for what fails, whatever number of states is said", () => {
    for (const [name, ids] of [
      ["gap", ["O5"]],
      ["waits", ["deadlock", "O1"]],
      ["twice", ["O2", "O4"]],
      ["dead", ["O3"]],
      ["round", ["O1", "O7"]],
    ] as const) {
      const compiled = FLOWS[name]!;
      const states = linesOf(compiled).flatMap(({ verdict }) =>
        verdict.kind === "holds" ? [verdict.evidence.states] : [],
      )[0]!;
      for (const id of ids) {
        const support = { class: "enumerated", method: "cases", states } as const;
        const line = { id, verdict: holds(support) } as CheckableDataLine;
        expect({ name, id, kind: checkDataEvidence(compiled, line).kind }).toEqual({
          name,
          id,
          kind: "invalid",
        });
      }
    }
  });

  it("[D23.6] a product that is too large, and answers that are too many, are limits of the checker", () => {
    const compiled = FLOWS["sound"]!;
    const lines = linesOf(compiled);
    const checked = checkDataLines(compiled, lines, { statesMax: 1 });
    expect(new Set(checked.map(({ kind }) => kind))).toEqual(new Set(["unchecked"]));
    const ways = Array.from({ length: 15 }, (_, at): ConditionData => ({ predicate: `p${at}` }));
    const many = workflow(
      [start, gateway("fork", { split: "or" }), gateway("j", { join: "or" }), end],
      [
        "start -> fork",
        ...ways.map((guard) => ({ from: "fork", to: "j", guard })),
        { from: "fork", to: "j", guard: x("lessThan", 0) },
        "j -> end",
      ],
      TYPES,
    );
    const support = { class: "enumerated", method: "cases", states: 1 } as const;
    const line: CheckableDataLine = { id: "O2", verdict: holds(support) };
    expect(checkDataEvidence(many, line)).toEqual({ kind: "unchecked", reason: "too many open answers" });
  });

  it("[D23.6] where nothing can be decided only what claims nothing is valid", () => {
    // A merged key that a guard asks for is named, and nothing is decided.
    const merged = merging(x("atLeast", 0));
    const none = unknown({ kind: "method", reason: "not decided" });
    const support = { class: "enumerated", method: "cases", states: 1 } as const;
    const checked = checkDataLines(merged, [
      { id: "O1", verdict: none },
      { id: "O1", verdict: holds(support) as CheckableDataLine["verdict"] },
    ]);
    expect(checked).toEqual([
      { kind: "valid" },
      { kind: "invalid", reason: expect.stringContaining("merges what its branches write") },
    ]);
    expect(checkDataLines(FLOWS["sound"]!, [{ id: "O1", verdict: none }])).toEqual([{ kind: "valid" }]);
  });
});
