/** @module Random workflows through the whole engine: ports that throw, hang and answer nonsense, people, time. The run never does. */
import type { JsonObject, OpenItem } from "@tessera/core";
import { memoryStore, type RunStore } from "@tessera/persist";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accepted, type Port, type Prover } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { arbitraryProgram, type Program } from "./workflow-arbitrary.ts";

/** What a port does at a call: chosen by the list, in the order of the calls. */
type Manner = "answer" | "other" | "throw" | "hang" | "nonsense" | "wild" | "late";

const arbitraryManners = fc.array(
  fc.constantFrom<Manner>("answer", "answer", "other", "throw", "hang", "nonsense", "wild", "late"),
  { minLength: 1, maxLength: 12 },
);

function portOf(manners: readonly Manner[]): Port {
  let call = 0;
  return ({ data }) => {
    const manner = manners[call % manners.length];
    call += 1;
    switch (manner) {
      case "other":
        return { outcome: "other", patch: { x: call % 5 } };
      case "throw":
        throw Object.assign(new Error("no"), { code: "DOWN" });
      case "hang":
        return new Promise(() => {});
      case "nonsense":
        return { outcome: "nowhere" };
      case "wild":
        return { patch: { x: () => data } } as never;
      case "late":
        return new Promise((resolve) => setImmediate(() => resolve({ patch: { x: 3 } })));
      default:
        return { patch: { x: call % 5 } };
    }
  };
}

/** Every obligation holds: these workflows are to run whatever the proofs say of them. */
const blind: Prover = async () => ({ obligations: [], labels: null, assumptions: [] });

/** Answers what people and the world must, and lets time pass. */
async function drive(
  test: ReturnType<typeof testEngine>,
  run: string,
  choices: readonly number[],
): Promise<void> {
  const { engine, clock, settle } = test;
  for (const choice of choices) {
    await settle();
    const view = accepted(await engine.run(run).state());
    if (view.status !== "running" && view.status !== "waiting") return;
    const open = view.items.filter(({ kind }) => kind !== "job" && kind !== "timer");
    const item: OpenItem | undefined = open[choice % Math.max(1, open.length)];
    if (item === undefined || choice % 5 === 0) {
      await clock.advance("PT2M");
      continue;
    }
    const by = { id: "ann" };
    const task = `${run}/${item.id}`;
    if (item.kind === "intervention") await engine.workItems.retry({ task, by, reason: "again" });
    else
      await engine.workItems.complete({
        task,
        by,
        data: { x: choice % 5 },
        ...(item.node.startsWith("human") ? { outcome: choice % 2 === 0 ? "yes" : "no" } : {}),
      });
  }
  await settle();
}

interface Case {
  readonly program: Program;
  readonly manners: readonly Manner[];
  readonly choices: readonly number[];
  readonly data: JsonObject;
}

const arbitraryCase: fc.Arbitrary<Case> = fc.record({
  program: arbitraryProgram,
  manners: arbitraryManners,
  choices: fc.array(fc.nat({ max: 40 }), { minLength: 5, maxLength: 20 }),
  data: fc.record({ x: fc.nat({ max: 4 }), when: fc.constantFrom("PT1M", "nonsense") }, { requiredKeys: [] }),
});

async function runCase({ program, manners, choices, data }: Case, store: RunStore = memoryStore()) {
  const port = portOf(manners);
  const ports = Object.fromEntries(
    program.definition.nodes.filter(({ kind }) => kind === "tool").map(({ id }) => [id, port]),
  );
  const test = testEngine({
    store,
    ports,
    functions: program.functions,
    prover: blind,
    limits: { jobTimeoutMs: 30_000, firingsMax: 15, stepsMax: 300, snapshotTurns: 4 },
  });
  accepted(await test.engine.deploy(program.definition));
  accepted(await test.engine.start({ workflow: "w", id: "r", data }));
  await drive(test, "r", choices);
  return test;
}

/** O14-O17: nothing escapes; what is stored is what the journal says; a second engine reads the same run. */
async function isWhole(given: Case, store?: RunStore): Promise<void> {
  const { engine } = await runCase(given, store);
  const view = accepted(await engine.run("r").state());
  expect(accepted(await engine.replay("r"))).toEqual(view);
  const audit = await engine.audit();
  expect(audit.runs.flatMap(({ findings }) => findings)).toEqual([]);
  expect(audit.isSound).toBe(true);
  await engine.close({ drainMs: 0 });
}

describe("random workflows through the engine", () => {
  it("[D9.13] [HZ-47] O14, O15, O16, O17: whatever ports and functions do, the run is whole", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCase, (given) => isWhole(given)),
      { numRuns: 40 },
    );
  });

  it("[D9.1] [HZ-38] the same case is the same run, byte by byte", async () => {
    const bytes = async (given: Case) => {
      const { engine, store } = await runCase(given);
      const rows = await store.journal("default", "r", 0, 1_000);
      await engine.close({ drainMs: 0 });
      return rows.map(({ payload }) => Buffer.from(payload ?? []).toString("hex"));
    };
    await fc.assert(
      fc.asyncProperty(arbitraryCase, async (given) => {
        expect(await bytes(given)).toEqual(await bytes(given));
      }),
      { numRuns: 15 },
    );
  });
});

/** Hosts that break a law on their way to the store. */
const BROKEN: readonly (readonly [name: string, wrap: (store: RunStore) => RunStore])[] = [
  [
    "sets the status by hand",
    (store) => ({
      ...store,
      commit: (turns) => store.commit(turns.map((turn) => ({ ...turn, status: "running", modes: [] }))),
    }),
  ],
  [
    "forgets to close items",
    (store) => ({
      ...store,
      commit: (turns) =>
        store.commit(turns.map((turn) => ({ ...turn, items: { ...turn.items, closed: [] } }))),
    }),
  ],
  [
    "forgets to open items",
    (store) => ({
      ...store,
      commit: (turns) => store.commit(turns.map((turn) => ({ ...turn, items: { ...turn.items, set: [] } }))),
    }),
  ],
  [
    "stores a snapshot of another state",
    (store) => ({
      ...store,
      commit: (turns) =>
        store.commit(
          turns.map((turn) =>
            turn.snapshot === undefined
              ? turn
              : { ...turn, snapshot: { ...turn.snapshot, data: { forged: true } } },
          ),
        ),
    }),
  ],
];

describe("broken hosts", () => {
  for (const [name, wrap] of BROKEN) {
    it(`[D9.13] one that ${name} is caught`, async () => {
      await expect(
        fc.assert(
          fc.asyncProperty(arbitraryCase, (given) => isWhole(given, wrap(memoryStore()))),
          { numRuns: 300, endOnFailure: true },
        ),
      ).rejects.toThrow();
    });
  }

  it("[D9.8] one that commits without the fence lets a worker answer that has lost its lease", async () => {
    const late = async (wrap: (store: RunStore) => RunStore) => {
      const disk = memoryStore();
      let answer = (_: { readonly patch: JsonObject }): void => {};
      const port: Port = () =>
        new Promise((resolve) => {
          answer = resolve;
        });
      const program = {
        format: 1,
        kind: "workflow",
        id: "w",
        entry: "t",
        nodes: [
          { id: "t", kind: "tool" },
          { id: "z", kind: "end" },
          { id: "e", kind: "end" },
        ],
        arcs: [
          { from: "t", to: "z" },
          { from: "t", to: "e", outcome: "error" },
        ],
      };
      const test = testEngine({ store: wrap(disk), ports: { t: port } });
      accepted(await test.engine.deploy(program));
      accepted(await test.engine.start({ workflow: "w", id: "r" }));
      await test.settle();
      await disk.claimEffects("thief", test.clock.now() + 60_000, 60_000, 1);
      answer({ patch: { by: "the first" } });
      await test.settle();
      return accepted(await test.engine.run("r").state()).status;
    };
    expect(await late((store) => store)).toBe("running");
    const unfenced = (store: RunStore): RunStore => ({
      ...store,
      commit: (turns) => store.commit(turns.map(({ fence: _, ...turn }) => turn)),
    });
    expect(await late(unfenced)).toBe("completed");
  });
});
