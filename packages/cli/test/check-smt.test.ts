/** @module `tessera check --smt`: guards that compute, asked of z3. */
import { join } from "node:path";
import * as smt from "@tessera/proofs/smt";
import { describe, expect, it, vi } from "vitest";
import { folder, jsonLines, tessera } from "./capture.ts";

vi.mock("@tessera/proofs/smt", { spy: true });

const feel = (text: string) => ({ language: "feel", text });

/** A premium that is checked against what was paid, in two parts. */
const premium = (less: string) =>
  JSON.stringify({
    format: 1,
    kind: "workflow",
    id: "premium",
    entry: "begin",
    data: { first: { type: "integer" }, second: { type: "integer" } },
    nodes: [
      { id: "begin", kind: "start" },
      { id: "route", kind: "gateway" },
      { id: "remind", kind: "human", writes: [] },
      { id: "end", kind: "end" },
    ],
    arcs: [
      { from: "begin", to: "route" },
      { from: "route", to: "end", guard: feel("first + second >= 100") },
      { from: "route", to: "remind", guard: feel(less) },
      { from: "remind", to: "end" },
    ],
  });

/** Machines that test may be slow. */
const PATIENT = ["--timeout-ms", "300000"] as const;

describe("tessera check --smt", () => {
  it("[D23.12] decides what is open without it, and says what rests on z3's word", async () => {
    const dir = folder({ "premium.json": premium("first + second < 100") });
    const file = join(dir, "premium.json");
    const alone = await tessera("check", file, "--level", "data");
    expect(alone.code).toBe(2);
    const { code, out } = await tessera("check", file, "--smt", ...PATIENT);
    expect(code).toBe(0);
    expect(out).toMatch(/O5 .*holds@data .*on the word of z3 \d/u);
    expect(out).toMatch(/guards +route \(done\) +total holds/u);
    expect(out).toMatch(/assuming: z3 \S+ is right where it says that no data give other answers/u);
    expect(out).toContain("assuming: of guards by themselves: declared keys have values of their types");
    const certificate = join(dir, "out.json");
    const [line] = jsonLines(
      (await tessera("check", file, "--smt", "--json", "--certificate", certificate, ...PATIENT)).out,
    );
    expect(line).toMatchObject({
      sound: true,
      guards: [
        { node: "route", question: "total", verdict: "holds" },
        { node: "route", question: "exclusive", verdict: "holds" },
      ],
    });
    // The checker is not asked to take its word.
    const verified = await tessera("verify", certificate, file);
    expect(verified.code).toBe(0);
    expect(verified.out).not.toMatch(/O5/u);
  }, 400_000);

  it("[D23.13] shows the values on which no arc can be taken: exit 1", async () => {
    const file = join(folder({ "premium.json": premium("first + second < 99") }), "premium.json");
    const { code, out } = await tessera("check", file, "--smt", "--json", ...PATIENT);
    expect(code).toBe(1);
    const [line] = jsonLines(out) as unknown as readonly [
      { readonly obligations: readonly { readonly id: string; readonly witness: unknown }[] },
    ];
    expect(line.obligations.find(({ id }) => id === "O5")).toMatchObject({
      verdict: "fails",
      level: "data",
      solver: { isTrusted: false },
      witness: { kind: "data-run", finding: { kind: "gap", node: "route" } },
    });
    const { first, second } = (
      line.obligations.find(({ id }) => id === "O5")!.witness as {
        readonly finding: { readonly data: { readonly first: number; readonly second: number } };
      }
    ).finding.data;
    expect(first + second).toBe(99);
    expect(Math.max(Math.abs(first), Math.abs(second))).toBeLessThan(1_000_001);
  }, 400_000);

  it("[D23.12] names what it leaves open, with the reason: exit 2", async () => {
    const file = join(folder({ "premium.json": premium("first ** 2 < 100") }), "premium.json");
    const { code, out } = await tessera("check", file, "--smt", ...PATIENT);
    expect(code).toBe(2);
    expect(out).toContain('open     feel "first ** 2 < 100": it asks for more than a term of declared keys');
  }, 400_000);

  it("says what to install where z3 is not there: exit 3, with the code", async () => {
    vi.mocked(smt.z3Solver).mockRejectedValueOnce(
      new smt.SolverError("SMT001", 'z3-solver is not installed: npm install "z3-solver@^5.2.0"'),
    );
    const file = join(folder({ "premium.json": premium("first + second < 100") }), "premium.json");
    const { code, err } = await tessera("check", file, "--smt", ...PATIENT);
    expect(code).toBe(3);
    expect(err).toContain('SMT001 z3-solver is not installed: npm install "z3-solver');
  });
});
