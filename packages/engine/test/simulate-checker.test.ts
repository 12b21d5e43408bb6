/** @module What a simulation checks after every event: right turns pass, and each law that is broken is named. */
import type { Turn } from "@tessera/persist";
import { beforeAll, describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { makeChecker } from "../src/simulate/checker.ts";
import { type ReadyScenario, readyScenario, scenarioStore } from "../src/simulate/scenario.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

let ready: ReadyScenario;
/** The turns of one run that waits for two people: its start and a completion. */
let turns: readonly Turn[];

beforeAll(async () => {
  const definition = flow(
    "w",
    [
      ["s", "gateway", undefined, { split: "all" }],
      ["h", "human"],
      ["k", "human"],
      ["j", "gateway", undefined, { join: "all" }],
      ["z", "end"],
    ],
    [
      ["s", "h"],
      ["s", "k"],
      ["h", "j"],
      ["k", "j"],
      ["j", "z"],
    ],
  );
  ready = await readyScenario({ definitions: [definition], starts: [] });
  const inner = await scenarioStore(ready);
  const taken: Turn[] = [];
  const store: typeof inner = {
    ...inner,
    commit: async (given) => {
      taken.push(...given);
      return inner.commit(given);
    },
  };
  const { engine } = testEngine({ store });
  accepted(await engine.start({ workflow: "w", id: "r" }));
  accepted(await engine.workItems.complete({ task: "r/h.1", by: { id: "ann" } }));
  await engine.close();
  turns = taken;
}, 60_000);

const checker = (of: ReadyScenario = ready) => makeChecker(of, 10, () => 0);
const nth = (at: number, change: Partial<Turn> = {}): Turn => ({ ...(turns[at] as Turn), ...change });

describe("[O14] [O16] [D9.26] the checker of a simulation", () => {
  it("lets pass what an engine does", () => {
    const own = checker();
    own.committed(turns);
    own.acknowledged("r", 2);
    own.called("key", "{}");
    own.called("key", "{}");
    const [kind, limit] = ["work-item", 9] as const;
    const query = { tenant: "default", kind, limit };
    const row = { run: "r", item: { id: "k.1" } };
    own.listed(query, { rows: [row as never], next: null });
    expect(own.states.get("r")?.state.sequence).toBe(2);
  });

  it("says of a turn that it does not follow, or comes twice", () => {
    expect(() => checker().committed([nth(1)])).toThrow("does not follow");
    expect(() => checker().committed([nth(0), nth(0)])).toThrow("does not follow");
    const unknown = { definition: `sha256:${"0".repeat(64)}` } as never;
    expect(() => checker().committed([nth(0, unknown)])).toThrow("unknown definition");
  });

  it("[O16] says that a status is not that of the marking", () => {
    expect(() => checker().committed([nth(0, { status: "completed" })])).toThrow("is stored as completed");
    expect(() => checker().committed([nth(0, { modes: [] })])).toThrow("its marking says waiting");
  });

  it("[D9.26] says that tokens were lost or made", () => {
    const [[hash, basis] = []] = [...ready.invariants];
    expect(basis?.length).toBeGreaterThan(0);
    // No invariant: the tokens on one place alone.
    const wrong = (place: number) => (basis?.[0] ?? []).map((_, at) => (at === place ? 1n : 0n));
    const places = (basis?.[0] ?? []).map((_, at) => at);
    const said = places.filter((place) => {
      const of = { ...ready, invariants: new Map([[hash ?? "", [wrong(place)]]]) };
      try {
        checker(of).committed(turns);
        return false;
      } catch (thrown) {
        expect(String(thrown)).toContain("tokens were lost or made");
        return true;
      }
    });
    expect(said.length).toBeGreaterThan(1);
  });

  it("[D19.2] says that a graph was changed past the gate", () => {
    const mutations = [{ create: [], update: [], delete: ["nobody"] }];
    const graph = { id: "r", expect: 0, mutations };
    expect(() => checker().committed([nth(0, { graph })])).toThrow("what the gate refuses");
  });

  it("says that an answer is not stored, and that a port was called with other data", () => {
    const own = checker();
    own.committed([nth(0)]);
    expect(() => own.acknowledged("r", 2)).toThrow("was acknowledged and is not stored");
    expect(() => own.acknowledged("x", 1)).toThrow("was acknowledged and is not stored");
    own.called("key", "1");
    expect(() => own.called("key", "2")).toThrow("with other data");
  });

  it("[D10.13] says what is listed and closed, and what is open and not listed", () => {
    const own = checker();
    own.committed(turns);
    const query = { tenant: "default", kind: "work-item", limit: 9 } as const;
    const row = (id: string) => ({ run: "r", item: { id } }) as never;
    expect(() => own.listed(query, { rows: [row("h.1"), row("k.1")], next: null })).toThrow("is not open");
    expect(() => own.listed(query, { rows: [], next: null })).toThrow("not listed");
    expect(() => own.listed(query, { rows: [], next: "more" })).not.toThrow();
  });
});
