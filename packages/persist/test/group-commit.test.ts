import {
  type CommitResult,
  type GroupOptions,
  groupCommitter,
  memoryStore,
  StoreError,
  type Turn,
} from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { kinds, turn } from "../src/contract/sample.ts";

/** A store that notes its groups, and a hand that opens the next round of the event loop. */
function noted(
  options: GroupOptions = {},
  commit?: (turns: readonly Turn[]) => Promise<readonly CommitResult[]>,
) {
  const groups: string[] = [];
  const rounds: (() => void)[] = [];
  const store = memoryStore();
  const committer = groupCommitter(
    {
      commit: (turns) => {
        groups.push(turns.map(({ run }) => run).join(""));
        return (commit ?? store.commit)(turns);
      },
    },
    { schedule: (flush) => rounds.push(flush), ...options },
  );
  const tick = async () => {
    for (let count = 0; count < 20; count += 1) await Promise.resolve();
  };
  const settle = async () => {
    await tick();
    while (rounds.length > 0) {
      rounds.shift()?.();
      await tick();
    }
  };
  return { committer, groups, rounds, settle, store };
}

const starts = (...runs: readonly string[]) => runs.map((run) => turn({ run, expect: 0 }));

describe("the group committer", () => {
  it("[D10.5] commits what is ready at the end of a round as one group, and answers each by itself", async () => {
    const { committer, groups, settle } = noted();
    const all = Promise.all([...starts("a", "b", "a"), turn({ run: "b", expect: 1 })].map(committer.commit));
    expect(groups).toEqual([]);
    await settle();
    expect(groups).toEqual(["abab"]);
    expect(kinds(await all)).toBe("ok ok conflict:run ok");
  });

  it("[D10.5] uses setImmediate: turns of one round share a group, those of the next have their own", async () => {
    const { committer, groups } = noted({ schedule: setImmediate });
    const first = Promise.all(starts("a", "b").map(committer.commit));
    await Promise.resolve();
    const second = committer.commit(turn({ run: "c", expect: 0 }));
    await Promise.all([first, second]);
    await committer.commit(turn({ run: "d", expect: 0 }));
    expect(groups).toEqual(["abc", "d"]);
  });

  it("[D10.5] cuts groups of at most turnsMax from the head of the queue", async () => {
    const { committer, groups, settle } = noted({ turnsMax: 2 });
    const all = Promise.all(starts("a", "b", "c", "d", "e").map(committer.commit));
    await settle();
    expect(groups).toEqual(["ab", "cd", "e"]);
    expect(kinds(await all)).toBe("ok ok ok ok ok");
  });

  it("[D10.5] cuts groups by bytes; a turn above the limit goes alone, one above turnBytesMax not at all", async () => {
    const { committer, groups, settle } = noted({ bytesMax: 3_000, turnBytesMax: 9_000 });
    const sized = (run: string, size: number) => turn({ run, expect: 0, data: { text: "x".repeat(size) } });
    const turns = [sized("a", 2_000), sized("b", 2_000), sized("c", 10), sized("d", 5_000), sized("e", 10)];
    const all = Promise.all(turns.map(committer.commit));
    await expect(committer.commit(sized("f", 9_001))).rejects.toMatchObject({ code: "limit" });
    await settle();
    expect(groups).toEqual(["a", "bc", "d", "e"]);
    expect(kinds(await all)).toBe("ok ok ok ok ok");
  });

  it("[D10.5] takes whole groups by default: 256 turns", async () => {
    const { committer, groups, settle } = noted();
    const all = Promise.all(starts(...Array.from({ length: 300 }, (_, n) => `r${n}`)).map(committer.commit));
    await settle();
    expect(groups.map((group) => group.split("r").length - 1)).toEqual([256, 44]);
    await all;
  });

  it("[D10.5] has one group under way at a time; who comes meanwhile is first in the next", async () => {
    const finish: (() => void)[] = [];
    const slow = (turns: readonly Turn[]) =>
      new Promise<readonly CommitResult[]>((resolve) => {
        finish.push(() => resolve(turns.map(() => ({ kind: "duplicate", sequence: 1 }))));
      });
    const { committer, groups, settle } = noted({}, slow);
    const first = committer.commit(turn({ run: "a", expect: 0 }));
    await settle();
    const others = Promise.all(starts("b", "c").map(committer.commit));
    await settle();
    expect(groups).toEqual(["a"]);
    finish.shift()?.();
    await first;
    await settle();
    expect(groups).toEqual(["a", "bc"]);
    finish.shift()?.();
    await others;
  });

  it("[D10.5] a fault of the store rejects the callers of its group and of no other", async () => {
    let isFull = true;
    const store = memoryStore();
    const failing = async (turns: readonly Turn[]) => {
      if (isFull) throw new StoreError("full", "no space");
      return store.commit(turns);
    };
    const { committer, settle } = noted({ turnsMax: 2 }, failing);
    const outcomes = Promise.allSettled(starts("a", "b").map(committer.commit));
    await settle();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "full" } });
    }
    isFull = false;
    const next = committer.commit(turn({ run: "a", expect: 0 }));
    await settle();
    expect(kinds([await next])).toBe("ok");
  });

  it("[D10.5] what is wrong with one turn is not the fault of its neighbours", async () => {
    const { committer, groups, settle } = noted();
    const data = { n: Number.NaN };
    const turns = [...starts("a"), turn({ run: "b", expect: 0, data }), turn({ run: "a", expect: 1 })];
    const outcomes = Promise.allSettled(turns.map(committer.commit));
    await settle();
    expect(groups).toEqual(["aba", "a", "b", "a"]);
    expect((await outcomes).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await outcomes)[1]).toMatchObject({ reason: { code: "INVARIANT" } });
  });

  it("[D10.5] [D10.6] a turn that does not agree with itself is refused before it joins a group", async () => {
    const { committer, groups, settle } = noted();
    const wrong = { ...turn({ run: "x", expect: 0 }), expect: 3 };
    const good = committer.commit(turn({ run: "a", expect: 0 }));
    await expect(committer.commit(wrong)).rejects.toMatchObject({ code: "INVARIANT", id: "D10.6" });
    await settle();
    expect(groups).toEqual(["a"]);
    expect(kinds([await good])).toBe("ok");
  });

  it("[D10.5] close takes no more, commits what waits, and may be called again", async () => {
    const { committer, groups, settle } = noted({ turnsMax: 1 });
    const waiting = Promise.all(starts("a", "b").map(committer.commit));
    const closing = Promise.all([committer.close(), committer.close()]);
    await expect(committer.commit(turn({ run: "c", expect: 0 }))).rejects.toMatchObject({ code: "closed" });
    await settle();
    await closing;
    expect(groups).toEqual(["a", "b"]);
    expect(kinds(await waiting)).toBe("ok ok");
    await committer.close();
  });
});
