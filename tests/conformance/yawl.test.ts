/** @module YAWL specifications of YAWL's own repository: what is refused, what is sound, and where OR-joins wait. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  type CompiledNetDefinition,
  compileNetDefinition,
  enabledTransitions,
  fire,
  type Marking,
} from "@tessera/core";
import { orJoinRules } from "@tessera/gateways";
import { importYawl } from "@tessera/interchange";
import { proveNet } from "@tessera/proofs";
import { describe, expect, it } from "vitest";
import { hasNets, readSource } from "./real-nets.ts";

const TESTS = "yawl-test-xml";
const SAMPLES = "yawl";
const isThere = hasNets(TESTS) && hasNets(SAMPLES);
if (!isThere) console.warn("skipped: the folder shared/data/nets is not beside the checkout");
const NETS = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../../shared/data/nets");

function compiledOf(file: string): CompiledNetDefinition {
  const imported = importYawl(readSource(TESTS, file));
  if (!imported.ok) throw new Error(`${file}: ${JSON.stringify(imported.issues[0])}`);
  const compiled = compileNetDefinition(imported.value.definition);
  if (!compiled.ok) throw new Error(`${file}: ${JSON.stringify(compiled.issues[0])}`);
  return compiled.value;
}

const LIMITS = { statesMax: 20_000, statesAfterFailureMax: 20_000, timeoutMs: 60_000 };

function verdicts(file: string): Readonly<Record<string, string>> {
  const compiled = compiledOf(file);
  const report = proveNet(compiled.net, { rules: orJoinRules(compiled), limits: LIMITS });
  return Object.fromEntries([
    ["sound", String(report.sound)],
    ...report.obligations.map(({ id, verdict }) => [id, verdict.kind]),
  ]);
}

/** The tasks that can start in each marking of a run that is given by transition ids. */
function startsAlong(file: string, run: readonly string[]): readonly (readonly string[])[] {
  const compiled = compiledOf(file);
  const { net } = compiled;
  const rules = orJoinRules(compiled);
  const starts = (M: Marking) =>
    enabledTransitions(net, M, rules).flatMap((t) => {
      const [task = "", phase = ""] = (net.transitions[t]?.id ?? "").split(".");
      return phase.startsWith("start") ? [task] : [];
    });
  let M = net.initial;
  const found = [starts(M)];
  for (const id of run) {
    const t = net.transitions.findIndex((own) => own.id === id);
    const result = fire(net, M, t, rules);
    if (result.kind !== "fired") throw new Error(`${id}: ${result.kind}`);
    M = result.marking;
    found.push(starts(M));
  }
  return found;
}

describe.skipIf(!isThere)("[D18.1] [D18.2] YAWL's own specifications", () => {
  it("[D18.1] every file is read, or refused with its line; what YAWL refuses for its structure is refused", () => {
    const refused: string[] = [];
    for (const folder of [TESTS, SAMPLES]) {
      for (const file of readdirSync(path.join(NETS, folder)).filter((name) => !name.endsWith(".md"))) {
        const result = importYawl(readSource(folder, file));
        if (result.ok) continue;
        refused.push(file);
        for (const issue of result.issues) expect([file, issue.position?.line]).not.toContain(undefined);
      }
    }
    for (const name of [
      "elements__BadMI.xml",
      "elements__BadNetSpecification.xml",
      "elements__infiniteDecomps.xml",
    ])
      expect(refused).toContain(name);
    // Beside them only files that are no XML at all.
    expect(refused.filter((name) => !name.endsWith(".ywl"))).toHaveLength(3);
    expect(refused).not.toContain("elements__GoodNetSpecification.xml");
  });

  it("[D18.2] the verdicts that the names of the files promise", () => {
    expect(verdicts("engine__DeadlockingSpecification.xml")).toMatchObject({
      deadlock: "fails",
      O1: "fails",
      O2: "holds",
    });
    for (const file of ["engine__ImproperCompletion.xml", "engine__TestImproperCompletion.xml"])
      expect(verdicts(file)).toMatchObject({ O2: "fails", sound: "false" });
    for (const file of [
      "elements__ORJoin_ORsplit.xml",
      "elements__OrJoin_structuralrestriction_1.xml",
      "engine__MakeMusic.xml",
      "unmarshal__RemoveTokens.xml",
    ])
      expect(verdicts(file)).toMatchObject({ sound: "true", deadlock: "holds" });
  }, 120_000);

  it("[D15.8] [D18.2] TestOrJoin: the join waits while the loop can still bring the token behind the AND join", () => {
    const run = ["A.start<input", "A.end", "F.start", "F.end", "C.start", "C.end"];
    const starts = startsAlong("engine__TestOrJoin.xml", run);
    expect(starts.map((tasks) => tasks.includes("E"))).toEqual(new Array(run.length + 1).fill(false));
  });

  it("[D15.8] [D18.2] ORJoin_Cancel_Infiniteloop: decided although the net has no bound and tasks empty the inputs", () => {
    // C empties c2 when it ends; at work twice, it can leave c3 marked while D has brought a token to c2 again.
    const run = ["8_A.start", "8_A.end", "7_B.start", "7_B.end", "6_C.start", "6_C.end"];
    const starts = startsAlong("elements__ORJoin_Cancel_Infiniteloop.xml", run);
    expect(starts.at(-3)).toEqual(["6_C"]);
    expect(starts.at(-1)).toEqual(["5_D"]);
    expect(verdicts("elements__ORJoin_Cancel_Infiniteloop.xml")).toMatchObject({ O1: "fails" });
  });

  it("[D15.8] [D18.2] YAWLOrJoinTestSpecification: d waits for b and a, and starts when nothing more can come", () => {
    const run = ["q.start", "q.end", "b.start", "b.end", "a.start", "a.end"];
    const starts = startsAlong("state__YAWLOrJoinTestSpecification.xml", run);
    expect(starts.map((tasks) => tasks.includes("d"))).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
  });
});
