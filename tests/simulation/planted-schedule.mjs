// Faults of times that start workflows planted under the engine, each right but for one thing; see planted.mjs.

/** Is this turn the start of a run by a timer? */
const isTimed = ({ created, record }) =>
  created !== undefined && record.input.kind === "start" && record.input.event !== undefined;

export const PLANTED_SCHEDULE = {
  "double start: the start of a run that is there is done again, under another id": (store) => {
    let count = 0;
    const renamed = (turn) => {
      if (!isTimed(turn)) return turn;
      count += 1;
      return { ...turn, run: `${turn.run}~${count}` };
    };
    return { ...store, commit: (turns) => store.commit(turns.map(renamed)) };
  },
  "missed start after a restart: what has passed when a worker begins is left out": (store) => {
    const owners = new Set();
    return {
      ...store,
      claimEffects: (owner, ...args) => {
        owners.add(owner);
        return store.claimEffects(owner, ...args);
      },
      startTimers: async (query) => {
        const found = await store.startTimers(query);
        // Two workers begin; a third one is one of them that was started again.
        if (owners.size <= 2 || query.dueBy === undefined) return found;
        return found.filter(({ dueAt }) => dueAt > query.dueBy - 1_000);
      },
    };
  },
  "old version's timer: it stays when a newer version comes": (store) => {
    const old = [];
    return {
      ...store,
      putDefinition: async (tenant, row) => {
        const before = await store.startTimers({ tenant, limit: 100 });
        const answer = await store.putDefinition(tenant, row);
        const gone = ({ workflow, definition }) => workflow === row.name && definition !== row.hash;
        old.push(...before.filter(gone));
        return answer;
      },
      startTimers: async (query) => {
        const due = old.filter(({ dueAt }) => dueAt <= (query.dueBy ?? Number.POSITIVE_INFINITY));
        return [...due, ...(await store.startTimers(query))].slice(0, query.limit);
      },
      moveStartTimer: async (row, next) => {
        const at = old.findIndex(
          ({ workflow, event, definition }) =>
            workflow === row.workflow && event === row.event && definition === row.definition,
        );
        if (at === -1) return store.moveStartTimer(row, next);
        old.splice(at, 1, ...(next === null ? [] : [{ ...row, ...next }]));
        return true;
      },
    };
  },
  "moved before it is started: a worker that dies in between leaves a time out": (store) => {
    const moved = new Map();
    const key = ({ workflow, event, definition }) => JSON.stringify([workflow, event, definition]);
    return {
      ...store,
      // The move is done with the look, by what the engine said of such a timer the last time.
      startTimers: async (query) => {
        const found = await store.startTimers(query);
        if (query.dueBy === undefined) return found;
        for (const row of found) {
          const [, start, every] = row.repeat?.split("/") ?? [];
          const ms = every === undefined ? null : Number(/PT(\d+)M/.exec(every)?.[1] ?? 0.25) * 60_000;
          if (start !== undefined && ms !== null && row.remaining !== 0) {
            const next = { ...row, dueAt: row.dueAt + ms, remaining: Math.max(-1, row.remaining - 1) };
            moved.set(key(row), row.dueAt);
            await store.moveStartTimer(row, next);
          }
        }
        return found;
      },
      moveStartTimer: async (row, next) =>
        moved.get(key(row)) === row.dueAt ? true : store.moveStartTimer(row, next),
    };
  },
  "drift: the next time is counted from when the last one was late": (store) => {
    let now = 0;
    return {
      ...store,
      startTimers: (query) => {
        now = query.dueBy ?? now;
        return store.startTimers(query);
      },
      moveStartTimer: (row, next) =>
        store.moveStartTimer(
          row,
          next === null ? null : { ...next, dueAt: next.dueAt + Math.max(0, now - row.dueAt) },
        ),
    };
  },
  "too early: what comes within a minute is there": (store) => ({
    ...store,
    startTimers: (query) =>
      store.startTimers(query.dueBy === undefined ? query : { ...query, dueBy: query.dueBy + 60_000 }),
  }),
  "lost wake-up: nobody is told when the next time comes": (store) => ({
    ...store,
    startTimers: async (query) => (query.dueBy === undefined ? [] : store.startTimers(query)),
  }),
  "counted anew: a deployment of what is the newest already begins its times again": (store) => {
    let count = 0;
    return {
      ...store,
      putDefinition: async (tenant, row) => {
        count += 1;
        const answer = await store.putDefinition(tenant, row);
        const [first] = await store.startTimers({ tenant, limit: 1 });
        if (count % 2 === 0 && first !== undefined)
          await store.moveStartTimer(first, { ...first, dueAt: first.dueAt + 1 });
        return answer;
      },
    };
  },
  "hasty: with two times behind it a timer goes on to the latest": (store) => {
    let now = 0;
    return {
      ...store,
      startTimers: (query) => {
        now = query.dueBy ?? now;
        return store.startTimers(query);
      },
      moveStartTimer: async (row, next) => {
        const passed = next !== null && next.dueAt + 30_000 <= now && row.workflow === "rush";
        if (!passed) return store.moveStartTimer(row, next);
        const left = next.remaining === -1 ? -1 : next.remaining - 1;
        return store.moveStartTimer(row, { ...next, dueAt: next.dueAt + 30_000, remaining: left });
      },
    };
  },
  "lost look: one at the timers never ends, now and then": (store, pick) => ({
    ...store,
    startTimers: async (query) => {
      const found = await store.startTimers(query);
      return pick(20) > 0 ? new Promise(() => {}) : found;
    },
  }),
  "lost start: a worker is told that somebody else has started the run, now and then for good": (
    store,
    pick,
  ) => {
    const lost = new Set();
    return {
      ...store,
      commit: async (turns) => {
        for (const turn of turns) if (isTimed(turn) && pick(20) > 0) lost.add(turn.run);
        const isLost = (turn) => isTimed(turn) && lost.has(turn.run);
        const kept = turns.filter((turn) => !isLost(turn));
        const results = kept.length === 0 ? [] : await store.commit(kept);
        const taken = { kind: "conflict", on: "run", expected: 0, found: 1 };
        return turns.map((turn) => (isLost(turn) ? taken : results.shift()));
      },
    };
  },
  "dropped timer: the last move before a restart is lost, and the timer with it": (store, pick) => ({
    ...store,
    moveStartTimer: async (row, next) =>
      store.moveStartTimer(row, next !== null && pick(8) === 7 ? null : next),
  }),
};
