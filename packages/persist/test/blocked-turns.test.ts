/** Turns for which another transaction is in the way: they wait aside, in their order, a bounded time, and nobody with them. */
import { type CommitResult, groupCommitter, memoryStore, type RunStore, type Turn } from "@tessera/persist";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kinds, turn } from "../src/contract/sample.ts";

/** `faithful`: as the contract says; `leaky`: turns behind a blocked one of their run are judged all the same. */
type Kind = "faithful" | "leaky";

/** A memory store whose runs somebody else can hold, a committer before it, and its waits, which end when they are told to. */
function holding(kind: Kind = "faithful", patienceMs = 10_000, turnsMax = 256) {
  const store = memoryStore();
  const held = new Set<string>();
  const poisoned = new Set<string>();
  const groups: string[] = [];
  const waits: (() => void)[] = [];
  const commit: RunStore["commit"] = async (turns, onBlocked) => {
    const blocked = turns.map(
      ({ run }, at) =>
        held.has(run) && (kind === "faithful" || turns.findIndex((each) => each.run === run) === at),
    );
    // A committer that never waits would not let anybody else in.
    if (groups.length > 500) held.clear();
    groups.push(turns.map(({ run }, at) => (blocked[at] === true ? `(${run})` : run)).join(""));
    if (turns.some(({ run }) => poisoned.has(run))) throw new TypeError("a bug in this turn");
    blocked.forEach((isBlocked, at) => {
      if (isBlocked) onBlocked?.(at);
    });
    return store.commit(turns.filter((_, at) => blocked[at] !== true));
  };
  const sleep = (): Promise<void> => new Promise((resolve) => waits.push(resolve));
  const blocked = { patienceMs, sleep, random: () => 0.5 };
  const committer = groupCommitter({ commit }, { turnsMax, blocked });
  /** Lets the rounds of the event loop pass in which nothing waits by time. */
  const rounds = async (): Promise<void> => {
    for (let count = 0; count < 8; count += 1) await new Promise(setImmediate);
  };
  const pass = async (): Promise<void> => {
    for (const resolve of waits.splice(0)) resolve();
    await rounds();
  };
  return { store, held, poisoned, groups, waits, committer, rounds, pass };
}

const turnsOf = (run: string, ...expected: readonly number[]): readonly Turn[] =>
  expected.map((expect_) => turn({ run, expect: expect_ }));

describe("turns that are blocked", () => {
  it("[D10.5] wait aside; the others of their group are answered, and what comes for their run waits behind them", async () => {
    const { committer, held, groups, rounds, pass } = holding();
    held.add("a");
    const first = [...turnsOf("a", 0, 1), ...turnsOf("b", 0)].map(committer.commit);
    await first[2];
    const later = [...turnsOf("a", 2), ...turnsOf("b", 1)].map(committer.commit);
    await later[1];
    expect(groups).toEqual(["(a)(a)b", "b"]);
    await pass();
    expect(groups.at(-1)).toBe("(a)(a)(a)");
    held.clear();
    await pass();
    expect(kinds(await Promise.all([...first, ...later]))).toBe("ok ok ok ok ok");
    // Then the run is one like any other.
    const next = committer.commit(turn({ run: "a", expect: 3 }));
    await rounds();
    expect((await next).kind).toBe("ok");
  });

  it("[D10.5] are given up as busy after a time, with a bounded number of attempts and a fault that says why", async () => {
    const { committer, held, groups, pass } = holding();
    held.add("a");
    const given = committer.commit(turn({ run: "a", expect: 0 }));
    const outcome = given.then(
      () => null,
      (fault: unknown) => fault,
    );
    let isOver = false;
    void outcome.then(() => {
      isOver = true;
    });
    for (let count = 0; count < 1_000 && !isOver; count += 1) await pass();
    expect(await outcome).toMatchObject({
      name: "StoreError",
      code: "busy",
      message: expect.stringContaining(`run "a"`),
    });
    // Some twenty attempts in the first second, then one in 200 ms, three quarters of it: some 83 in 10 seconds.
    expect(groups.length).toBeGreaterThan(60);
    expect(groups.length).toBeLessThan(100);
    held.clear();
    const next = committer.commit(turn({ run: "a", expect: 0 }));
    expect((await next).kind).toBe("ok");
  });

  it("[D10.5] are told of, once, to those who ask for their run, also while they wait already", async () => {
    const { committer, held, rounds, pass } = holding();
    const told: string[] = [];
    const ask = (run: string, as: string) => committer.whenBlocked("default", run, () => told.push(as));
    ask("a", "first");
    ask("a", "no longer")();
    ask("b", "of another run");
    held.add("a");
    const given = [...turnsOf("a", 0), ...turnsOf("b", 0)].map(committer.commit);
    await rounds();
    expect(told).toEqual(["first"]);
    ask("a", "while it waits");
    expect(told).toEqual(["first", "while it waits"]);
    held.clear();
    await pass();
    expect(kinds(await Promise.all(given))).toBe("ok ok");
    ask("a", "when it is over");
    expect(told).toEqual(["first", "while it waits"]);
  });

  it("[D10.5] wait once an attempt, also where more of a run are waiting than a group may have", async () => {
    const { committer, held, groups, rounds, pass } = holding("faithful", 10_000, 2);
    held.add("a");
    const given = turnsOf("a", 0, 1, 2, 3, 4).map(committer.commit);
    await rounds();
    expect(groups).toEqual(["(a)(a)"]);
    await pass();
    await pass();
    expect(groups).toEqual(["(a)(a)", "(a)(a)", "(a)(a)"]);
    held.clear();
    await pass();
    expect(kinds(await Promise.all(given))).toBe("ok ok ok ok ok");
    expect(groups.slice(3)).toEqual(["aa", "aa", "a"]);
  });

  it("[D10.5] are waited for by a committer that is closed", async () => {
    const { committer, held, rounds, pass } = holding();
    held.add("a");
    const given = committer.commit(turn({ run: "a", expect: 0 }));
    await rounds();
    let isClosed = false;
    const closing = committer.close().then(() => {
      isClosed = true;
    });
    await pass();
    expect(isClosed).toBe(false);
    held.clear();
    await pass();
    await closing;
    expect((await given).kind).toBe("ok");
  });

  it("[D10.5] keep their order where the turns of a group are committed one by one", async () => {
    const { committer, held, poisoned, groups, rounds, pass } = holding();
    held.add("a");
    poisoned.add("c");
    const good = turnsOf("a", 0, 1).map(committer.commit);
    const bad = committer.commit(turn({ run: "c", expect: 0 }));
    await expect(bad).rejects.toThrow(TypeError);
    await rounds();
    // The second one of the run is not tried by itself: it would overtake.
    expect(groups).toEqual(["(a)(a)c", "(a)", "c"]);
    held.clear();
    await pass();
    expect(kinds(await Promise.all(good))).toBe("ok ok");
  });
});

type Act =
  | { readonly kind: "commit" | "hold" | "release"; readonly run: string }
  | { readonly kind: "pass" | "rounds" };

const runs = fc.constantFrom("a", "b", "c");
const sizes = fc.constantFrom(1, 2, 256);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("commit" as const), run: runs }) },
  fc.record({ kind: fc.constantFrom("hold" as const, "release" as const), run: runs }),
  fc.record({ kind: fc.constantFrom("pass" as const, "rounds" as const) }),
);

/**
 * Law: whatever is held when, of turns that expect 0, 1, 2, ... of their run in the order in which they are given each is
 * taken (so none is lost, doubled or overtaken), and one whose run is not held is answered without any wait.
 */
async function lawOfOrder(acts: readonly Act[], kind: Kind, turnsMax: number): Promise<void> {
  const { store, committer, held, rounds, pass } = holding(kind, Number.POSITIVE_INFINITY, turnsMax);
  const given: Promise<CommitResult>[] = [];
  const next = new Map<string, number>();
  for (const each of acts) {
    if (each.kind === "commit") {
      const expected = next.get(each.run) ?? 0;
      next.set(each.run, expected + 1);
      given.push(committer.commit(turn({ run: each.run, expect: expected })));
    } else if (each.kind === "hold") held.add(each.run);
    else if (each.kind === "release") held.delete(each.run);
    else await (each.kind === "pass" ? pass() : rounds());
  }
  // Nobody holds this one.
  expect((await committer.commit(turn({ run: "free", expect: 0 }))).kind).toBe("ok");
  held.clear();
  await rounds();
  await pass();
  await pass();
  expect((await Promise.all(given)).map((result) => result.kind)).toEqual(given.map(() => "ok"));
  for (const [run, count] of next)
    expect((await store.journal("default", run, 0, 999)).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: count }, (_, at) => at + 1),
    );
  await committer.close();
}

describe("the order of blocked turns", () => {
  it("[D10.5] is that in which they came, whatever is held when (oracle: the journal of the memory store)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 30 }), sizes, (acts, size) =>
        lawOfOrder(acts, "faithful", size),
      ),
      { numRuns: 150, seed: 6 },
    );
  }, 60_000);

  it("[D10.5] the law notices a store that judges what stands behind a blocked turn (planted)", async () => {
    const property = fc.asyncProperty(fc.array(act, { maxLength: 30 }), (acts) =>
      lawOfOrder(acts, "leaky", 256),
    );
    expect((await fc.check(property, { numRuns: 150, seed: 6 })).failed).toBe(true);
  }, 60_000);
});
