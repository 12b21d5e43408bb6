// Faults planted under the engine, each right but for one thing. The simulation must find every one of them.
// A plant gets the store that all workers share and a chooser, `pick(n)`: mostly 0.

const onTurns = (change) => (store, pick) => ({
  ...store,
  commit: (turns) => store.commit(turns.map((turn) => change(turn, pick))),
});

const without = (key) =>
  onTurns((turn) => {
    const { [key]: _gone, ...rest } = turn;
    return rest;
  });

export const PLANTED = {
  "unfenced commit: a run is written over whoever wrote it meanwhile": (store) => ({
    ...store,
    commit: async (turns) => {
      const results = await store.commit(turns);
      // A conflict is answered as if the turn had been taken.
      return results.map((result, index) =>
        result.kind === "conflict" && result.on === "run"
          ? { kind: "ok", sequence: turns[index].expect + 1, head: "sha256:0" }
          : result,
      );
    },
  }),
  "double completion: a command's id is not kept": without("dedupe"),
  "dropped write: a group is answered and not written, now and then": (store, pick) => ({
    ...store,
    commit: async (turns) => {
      if (pick(8) !== 7) return store.commit(turns);
      return turns.map(({ expect }) => ({ kind: "ok", sequence: expect + 1, head: "sha256:0" }));
    },
  }),
  "torn group: a part of it is written, the rest is a fault": (store, pick) => ({
    ...store,
    commit: async (turns) => {
      if (turns.length < 2 || pick(4) === 0) return store.commit(turns);
      const [first, ...rest] = await store.commit(turns.slice(0, 1));
      return [
        first,
        ...rest,
        ...turns.slice(1).map(({ expect }) => ({ kind: "ok", sequence: expect + 1, head: "sha256:0" })),
      ];
    },
  }),
  "torn turn: the record without its outbox": onTurns((turn, pick) =>
    pick(8) === 7 ? { ...turn, effects: { add: [], done: turn.effects.done } } : turn,
  ),
  "torn turn: the record without its items": onTurns((turn, pick) =>
    pick(8) === 7 ? { ...turn, items: { set: [], closed: turn.items.closed } } : turn,
  ),
  "late timer after cancel: closed items stay due": onTurns((turn) => ({
    ...turn,
    items: { ...turn.items, closed: [] },
    status: turn.status === "cancelled" ? "waiting" : turn.status,
  })),
  "lost wake-up: nobody is told when the next item is due": (store) => ({
    ...store,
    nextDue: async () => null,
    dueItems: async (now, limit) =>
      (await store.dueItems(now, limit)).filter(({ item }) => item.kind !== "timer"),
  }),
  "lost wake-up: jobs are claimed and never given out": (store, pick) => ({
    ...store,
    claimEffects: async (...args) => {
      const claimed = await store.claimEffects(...args);
      for (const { effect, tenant, token } of claimed)
        if (pick(8) === 7) await store.dropEffect(effect.id, tenant, token);
      return claimed.filter(({ leaseUntil }) => leaseUntil >= 0);
    },
  }),
  "no lease: what is claimed is given back at once, behind the worker's back": (store, pick) => ({
    ...store,
    claimEffects: async (owner, now, ...args) => {
      const claimed = await store.claimEffects(owner, now, ...args);
      if (pick(2) === 1)
        for (const { effect, tenant, token } of claimed)
          await store.releaseEffect(effect.id, tenant, token, now + 1e12);
      return claimed;
    },
  }),
  "stale snapshot: a state is kept under the next turn's number": onTurns((turn) =>
    turn.snapshot === undefined
      ? turn
      : { ...turn, snapshot: { ...turn.snapshot, stepCount: turn.snapshot.stepCount + 1 } },
  ),
  "status of before: the row says that the run goes on": onTurns((turn) =>
    turn.status === "completed" ? { ...turn, status: "running" } : turn,
  ),
  "no fence on graphs: what was decided on an old graph is written on a new one": (store) => ({
    ...store,
    commit: async (turns) => {
      const fresh = async (turn) => {
        if (turn.graph === undefined) return turn;
        const { sequence } = await store.graph(turn.tenant, turn.graph.id);
        return { ...turn, graph: { ...turn.graph, expect: sequence } };
      };
      return store.commit(await Promise.all(turns.map(fresh)));
    },
  }),
  "answers nobody gave: acknowledged before it is written": (store, pick) => ({
    ...store,
    commit: async (turns) => {
      if (pick(6) !== 5) return store.commit(turns);
      // The write comes later; a process that dies in between has promised what is not there.
      setImmediate(() =>
        setImmediate(() => setImmediate(() => void store.commit(turns).catch(() => undefined))),
      );
      return turns.map(({ expect }) => ({ kind: "ok", sequence: expect + 1, head: "sha256:0" }));
    },
  }),
};
