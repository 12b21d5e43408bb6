/** @module Guards with arithmetic, asked of z3 and confirmed by the evaluator of FEEL, as an application would. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CompiledWorkflow, compileWorkflow, type Data, type DataType } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { FEEL, readFeelTerm } from "@tessera/interchange";
import { type GuardFinding, proveGuards, type Solver, SolverError, z3Solver } from "@tessera/proofs/smt";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { constant, encodeGuard, vocabularyOf } from "../../packages/proofs/src/smt/encode.ts";
import { problemOf } from "../../packages/proofs/src/smt/problem.ts";

const read = (language: string, text: string) => (language === "feel" ? readFeelTerm(text) : null);
const environment = {
  evaluate: (language: string, text: string, data: Data) =>
    language === "feel" ? FEEL.run(text, data, 0) : undefined,
};

/** A gateway with FEEL guards, each to an end of its own; null is the default arc. */
function fork(
  guards: readonly (string | null)[],
  data: Readonly<Record<string, DataType>>,
): CompiledWorkflow {
  const compiled = compileWorkflow(
    {
      format: 1,
      kind: "workflow",
      id: "w",
      entry: "start",
      data,
      nodes: [
        { id: "start", kind: "start" },
        { id: "fork", kind: "gateway" },
        ...guards.map((_, index) => ({ id: `end${index}`, kind: "end" })),
      ],
      arcs: [
        { from: "start", to: "fork" },
        ...guards.map((text, index) => ({
          from: "fork",
          to: `end${index}`,
          ...(text === null ? { default: true as const } : { guard: { language: "feel", text } }),
        })),
      ],
    },
    STANDARD_KINDS,
  );
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return compiled.value;
}

const AMOUNTS = { net: { type: "number" }, tax: { type: "number" } } as const;
const COUNT = { count: { type: "integer" }, kind: { type: "string" }, isNew: { type: "boolean" } } as const;

/** Both guards of a fork to one end, as comparisons. */
const plainArcs = [
  { from: "start", to: "fork" },
  ...(["greaterThan", "atMost"] as const).map((op) => ({
    from: "fork",
    to: "end0",
    guard: { any: [{ key: "net", op, value: 1 }] },
  })),
];

describe("[D23.7] guards asked of z3", () => {
  let z3: Solver;
  beforeAll(async () => {
    z3 = await z3Solver();
  }, 60_000);
  afterAll(() => z3.close());

  const ask = async (
    guards: readonly (string | null)[],
    data: Readonly<Record<string, DataType>>,
    more: { readonly timeoutMs?: number; readonly solver?: Solver } = {},
  ): Promise<Readonly<Record<string, GuardFinding["verdict"]>>> => {
    const settings = { read, environment, solver: z3, timeoutMs: 60_000, ...more };
    const { findings } = await proveGuards(fork(guards, data), settings);
    return Object.fromEntries(findings.map(({ question, verdict }) => [question, verdict]));
  };

  it("[D23.7] a sum that leaves no gap and no overlap: the solver's word, with the text for another one", async () => {
    const { total, exclusive } = await ask(["net + tax > 100", "net + tax <= 100"], AMOUNTS);
    for (const verdict of [total, exclusive])
      expect(verdict).toMatchObject({
        kind: "holds",
        evidence: {
          class: "solver",
          method: expect.stringMatching(/^z3 /),
          smtlib: expect.stringContaining("(check-sat)"),
        },
      });
  }, 120_000);

  it("[D23.7] a gap and an overlap come with values on which the guards were evaluated", async () => {
    const { total } = await ask(["net + tax > 100", "net + tax < 100"], AMOUNTS);
    if (total?.kind !== "fails" || total.evidence.kind !== "gap") throw new Error(JSON.stringify(total));
    const { net, tax } = total.evidence.data as { readonly net: number; readonly tax: number };
    expect(net + tax).toBe(100);
    const { exclusive } = await ask(["2 * count > 10", 'kind = "gold" and count > 0', null], COUNT);
    if (exclusive?.kind !== "fails" || exclusive.evidence.kind !== "overlap")
      throw new Error(JSON.stringify(exclusive));
    const { data, arcs } = exclusive.evidence;
    expect(arcs).toEqual([1, 2]);
    expect(data["kind"]).toBe("gold");
    expect(Number.isInteger(data["count"]) && Number(data["count"]) > 5).toBe(true);
  }, 120_000);

  it("[D23.7] numbers are doubles: what holds of the reals and not of them is found", async () => {
    // Of reals net + 1 > net always; a large double swallows the 1.
    const { total } = await ask(["net + 1 > net"], { net: { type: "number" } });
    if (total?.kind !== "fails" || total.evidence.kind !== "gap") throw new Error(JSON.stringify(total));
    const net = Number(total.evidence.data["net"]);
    expect(net + 1 > net).toBe(false);
  }, 120_000);

  it("[D23.7] listed values and truth values bound what is asked", async () => {
    const data = { ...COUNT, count: { type: "integer", values: [1, 2, 3] } } as const;
    expect((await ask(["count * 2 >= 4", "count = 1"], data))["total"]?.kind).toBe("holds");
    expect((await ask(["isNew", "not(isNew) and count > 1"], data))["total"]).toMatchObject({
      kind: "fails",
      evidence: { data: { isNew: false, count: 1 } },
    });
  }, 120_000);

  it.each(["and", "or", "not", "true", "net - tax"])(
    "[D23.7] a declared key %s, which expressions would take for a part of them, leaves them open",
    async (key) => {
      const data = { ...AMOUNTS, [key]: { type: "number" } } as const;
      const guards = [
        "net - tax > 1 and not(net < 0) or false",
        "net - tax <= 1 or net < 0 or net > tax and true",
      ];
      const { total } = await ask(guards, data);
      expect(total).toEqual({
        kind: "unknown",
        limit: {
          kind: "method",
          reason: `${JSON.stringify(key)} is a key that expressions could mean otherwise`,
        },
      });
      // Conditions that are no expressions do not mind.
      const plain = compileWorkflow({ ...fork([null], data).definition, arcs: plainArcs }, STANDARD_KINDS);
      if (!plain.ok) throw new Error(JSON.stringify(plain.issues));
      const { findings } = await proveGuards(plain.value, {
        read,
        environment,
        solver: z3,
        timeoutMs: 60_000,
      });
      expect(findings.map(({ verdict }) => verdict.kind)).toEqual(["holds", "holds"]);
    },
    120_000,
  );

  it("[D23.7] what no term says, what is not declared, and what takes too long is unknown, with the reason", async () => {
    const reason = (verdict: GuardFinding["verdict"] | undefined) =>
      verdict?.kind === "unknown" ? verdict.limit : verdict;
    expect(reason((await ask(["net ** 2 > 1", null], AMOUNTS))["total"])).toEqual({
      kind: "method",
      reason: 'the guard of the arc to "end0" is more than a term of declared keys',
    });
    expect(reason((await ask(["gross + 1 > 1", null], AMOUNTS))["total"])).toMatchObject({ kind: "method" });
    const slow: Solver = { ...z3, check: async () => ({ kind: "unknown", reason: "timeout" }) };
    expect(reason((await ask(["net > 1"], AMOUNTS, { solver: slow, timeoutMs: 7 }))["total"])).toEqual({
      kind: "time",
      at: 7,
    });
  });

  it("[D23.7] a key of which a guard asks whether it is there may be without a value: no model has that", async () => {
    const { definition } = fork([null], AMOUNTS);
    const guard = { key: "net", op: "isAssigned" } as const;
    const compiled = compileWorkflow(
      { ...definition, arcs: [definition.arcs[0]!, { from: "fork", to: "end0", guard }] },
      STANDARD_KINDS,
    );
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
    const { findings } = await proveGuards(compiled.value, { read, environment, solver: z3 });
    const limit = { kind: "method", reason: '"net" may have no value' };
    expect(findings).toMatchObject([{ question: "total", verdict: { kind: "unknown", limit } }]);
  });

  it("[D23.7] what z3 does not decide in time is unknown, though it would go on, and it answers the next question", async () => {
    const hard = "net * net * tax + tax * tax * net != 12345.678 + net * tax";
    const limited = await ask([hard], AMOUNTS, { timeoutMs: 500 });
    expect(["unknown", "fails"]).toContain(limited["total"]?.kind);
    expect((await ask(["net > 1", "net <= 1"], AMOUNTS))["total"]?.kind).toBe("holds");
  }, 120_000);

  it("[D23.7] no number that D cannot hold is taken from a model, whatever the guards say of it", async () => {
    const infinite = "(define-fun v0 () (_ FloatingPoint 11 53) (fp #b0 #b11111111111 #x0000000000000))";
    const liar: Solver = { ...z3, check: async () => ({ kind: "sat", model: infinite }) };
    const { total } = await ask(["net - net = 0"], AMOUNTS, { solver: liar });
    expect(total?.kind).toBe("unknown");
  });

  it("[D23.7] a model is never believed: the guards are evaluated on it", async () => {
    const liar: Solver = {
      name: "liar",
      check: async () => ({
        kind: "sat",
        model: "(define-fun v0 () (_ FloatingPoint 11 53) (_ +zero 11 53))",
      }),
      close: async () => {},
    };
    const { total, exclusive } = await ask(["net > 1", "net <= 1"], AMOUNTS, { solver: liar });
    for (const verdict of [total, exclusive])
      expect(verdict).toMatchObject({
        kind: "unknown",
        limit: { reason: expect.stringContaining("do not confirm") },
      });
  });

  /** Law: with the values of the keys given, the formula of a guard is true where FEEL says so, and only there. */
  async function formulasAreRight(change: (body: string) => string, numRuns: number): Promise<void> {
    const number = fc.oneof(
      fc.constantFrom(0, 1, 2.5, 100, Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, 2 ** 53),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    );
    const operand = fc.constantFrom(
      "net",
      "tax",
      "0.1",
      "3",
      "(net + tax)",
      "(net - tax)",
      "net * 3",
      "-net",
      "tax / 3",
    );
    const comparison = fc
      .tuple(
        operand,
        fc.constantFrom("+", "-", "*"),
        operand,
        fc.constantFrom("=", "!=", "<", "<=", ">", ">="),
        operand,
      )
      .map((parts) => parts.join(" "));
    const truth = fc.oneof(
      comparison,
      fc.tuple(comparison, fc.constantFrom("and", "or"), comparison).map((parts) => parts.join(" ")),
      comparison.map((text) => `not(${text})`),
    );
    const answers = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(truth, number, number, async (text, net, tax) => {
        const vocabulary = vocabularyOf(AMOUNTS, read);
        const encoded = encodeGuard(vocabulary, { kind: "opaque", language: "feel", text })!;
        const evaluated = FEEL.run(text, { net, tax }, 0);
        if (evaluated.kind !== "value") throw new Error(evaluated.message);
        answers.add(evaluated.value);
        // The keys are given their values, so that nothing is to be searched.
        const valueBy = new Map(
          [...vocabulary.variables.values()].map(({ symbol, key }) => [symbol, key === "net" ? net : tax]),
        );
        const { body } = problemOf(vocabulary, encoded.truth);
        const given = body.replace(
          /\(declare-const (v\d) (\(_ FloatingPoint 11 53\))\)/gu,
          (_, symbol: string, sort: string) =>
            `(define-fun ${symbol} () ${sort} ${constant(vocabulary, valueBy.get(symbol)!)!.text})`,
        );
        expect(given).not.toContain("declare-const");
        const { kind } = await z3.check(change(given), 60_000);
        expect({ text, net, tax, kind }).toEqual({ text, net, tax, kind: evaluated.value ? "sat" : "unsat" });
      }),
      {
        seed: 237,
        numRuns,
        // A difference of infinities is no number.
        examples: ["<=", ">=", "<", ">", "=", "!="].map((op): [string, number, number] => [
          `net * 3 - net * 3 ${op} 1`,
          Number.MAX_VALUE,
          0,
        ]),
      },
    );
    expect(answers.size).toBe(2);
  }

  it("[D23.7] formulas say what the evaluator computes, also where doubles end (oracle: FEEL on the values)", async () => {
    await formulasAreRight((body) => body, 200);
  }, 120_000);

  it.each([
    ["rounds upward", (body: string) => body.replaceAll("RNE", "RTP")],
    [
      "takes what is no number for smaller",
      (body: string) => body.replaceAll(/\(not \(fp.gt/gu, "(or (fp.leq"),
    ],
  ] as const)(
    "[D23.7] the law catches an encoding that %s",
    async (_, change) => {
      await expect(formulasAreRight(change, 400)).rejects.toThrow();
    },
    120_000,
  );
});

/** A file that stands for z3-solver: `check` runs what is given, on the body of the question, and answers unsat. */
function imitation(check: string): string {
  const file = join(mkdtempSync(join(tmpdir(), "z3-")), "z3.cjs");
  writeFileSync(
    file,
    `let body = "";
    const own = {
      solver_from_string(context, solver, text) { body = text; },
      async solver_check() { ${check}; return -1; },
      get_full_version: () => "0",
    };
    exports.Z3_ast_print_mode = {};
    exports.Z3_error_code = { Z3_OK: 0 };
    exports.Z3_lbool = { Z3_L_FALSE: -1, Z3_L_TRUE: 1 };
    exports.init = async () => ({ Z3: new Proxy(own, { get: (made, name) => made[name] ?? (() => 0) }) });`,
  );
  return file;
}

describe("[D23.7] without a solver", () => {
  it("[D23.7] says what to install, and what it was that did not start", async () => {
    const missing = () => {
      throw new Error("Cannot find package");
    };
    const error: unknown = await z3Solver(missing).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SolverError);
    expect(error).toMatchObject({ code: "SMT001", message: expect.stringContaining("npm install") });
    const broken = imitation("throw new Error('no threads')");
    await expect(z3Solver(() => broken)).rejects.toMatchObject({
      code: "SMT002",
      cause: expect.stringContaining("no threads"),
    });
  }, 60_000);

  it("[D23.7] a solver that does not stop in time is ended, and the next question has a new one", async () => {
    const stubborn = imitation("if (body === 'hang') for (;;);");
    const solver = await z3Solver(() => stubborn);
    expect(await solver.check("hang", 10)).toEqual({ kind: "unknown", reason: "timeout" });
    expect(await solver.check("hang", 10)).toEqual({ kind: "unknown", reason: "timeout" });
    expect(await solver.check("", 30_000)).toEqual({ kind: "unsat" });
    await solver.close();
    await solver.close();
  }, 60_000);

  it("[D23.7] a time that no timer can wait, or none at all, is a long one and not a short one", async () => {
    const solver = await z3Solver();
    for (const timeoutMs of [Number.POSITIVE_INFINITY, 2 ** 31, 1e12])
      expect(await solver.check("(assert false)", timeoutMs)).toEqual({ kind: "unsat" });
    await solver.close();
  }, 60_000);

  it("[D23.7] questions that are put at the same time get each its own answer", async () => {
    const solver = await z3Solver();
    const never = "(declare-const a Bool)(assert (and a (not a)))";
    const sometimes = "(declare-const a Bool)(assert a)";
    const asked = [never, sometimes, never, sometimes, sometimes, never];
    const answers = await Promise.all(asked.map((body) => solver.check(body, 60_000)));
    expect(answers.map(({ kind }) => kind)).toEqual(["unsat", "sat", "unsat", "sat", "sat", "unsat"]);
    await solver.close();
  }, 60_000);

  it("[D23.7] a solver that is closed answers what was waiting, and begins no thread for it", async () => {
    const solver = await z3Solver(() => imitation("if (body === 'hang') for (;;);"));
    const open = [solver.check("hang", 30_000), solver.check("", 30_000)];
    await new Promise((resolve) => setTimeout(resolve, 100));
    await solver.close();
    expect(await Promise.all(open)).toEqual([
      { kind: "unknown", reason: "the thread of z3 ended" },
      { kind: "unknown", reason: "the solver was closed" },
    ]);
  }, 60_000);

  it("[D23.7] a workflow without guards asks nothing, and loads nothing", async () => {
    const none = await proveGuards(fork([null], {}), { read, environment });
    expect(none).toEqual({ findings: [], assumptions: [] });
  });
});
