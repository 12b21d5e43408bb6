// Faults of messages and signals planted under the engine, each right but for one thing; see planted.mjs.

export const PLANTED_MESSAGES = {
  "ids forgotten: after a restart a message is stored again under its id": (store) => {
    const owners = new Set();
    return {
      ...store,
      claimEffects: (owner, ...args) => {
        owners.add(owner);
        return store.claimEffects(owner, ...args);
      },
      publish: (tenant, message, now) => {
        const { id: _forgotten, ...rest } = message;
        // Two workers begin; a third one is one of them that was started again.
        return store.publish(tenant, owners.size > 2 ? rest : message, now);
      },
    };
  },
  "received twice: a worker has the message that another one took meanwhile": (store) => ({
    ...store,
    commit: async (turns) => {
      const results = await store.commit(turns);
      const again = turns.flatMap(({ takes: _gone, ...turn }, at) =>
        results[at].kind === "conflict" && results[at].on === "message" ? [{ turn, at }] : [],
      );
      for (const { turn, at } of again) [results[at]] = await store.commit([turn]);
      return results;
    },
  }),
  "expiry ignored: what has expired is brought": (store) => ({
    ...store,
    deliveries: (_now, limit) => store.deliveries(0, limit),
  }),
  "expired too early: a minute before its time nobody is brought it": (store) => ({
    ...store,
    deliveries: (now, limit) => store.deliveries(now + 60_000, limit),
  }),
  "lost wake-up of the courier: a look never ends, now and then": (store, pick) => ({
    ...store,
    deliveries: async (...args) => {
      const found = await store.deliveries(...args);
      return pick(8) === 7 ? new Promise(() => {}) : found;
    },
  }),
  "lost message: one is answered and not stored, now and then": (store, pick) => ({
    ...store,
    publish: async (...args) => (pick(8) === 7 ? { kind: "stored", receivers: 0 } : store.publish(...args)),
  }),
  "wrong receiver: the key is not compared": (store) => ({
    ...store,
    deliveries: async (...args) => {
      const found = await store.deliveries(...args);
      const other = (name) =>
        found.findLast(({ message, to }) => message.name === name && to.kind === "item")?.to;
      return found.map(({ message, to }) => ({
        message,
        to: to.kind === "item" ? (other(message.name) ?? to) : to,
      }));
    },
  }),
  "torn throw: the turn without what it sends": (store) => ({
    ...store,
    commit: (turns) => store.commit(turns.map(({ sends: _gone, ...turn }) => turn)),
  }),
  "lost signal: one that is on its way is dropped, now and then": (store, pick) => ({
    ...store,
    claimEffects: async (...args) => {
      const claimed = await store.claimEffects(...args);
      const isLost = claimed.map(
        ({ effect }) => effect.kind === "signal" && (pick(20) > 0 || pick(20) > 0 || pick(20) > 0),
      );
      for (const [at, { effect, tenant, token }] of claimed.entries())
        if (isLost[at]) await store.dropEffect(effect.id, tenant, token);
      return claimed.filter((_, at) => !isLost[at]);
    },
  }),
  "doubled signal: one is handed out under two numbers": (store) => ({
    ...store,
    broadcast: async (tenant, signal) => {
      const { id: _first, ...again } = signal;
      const answer = await store.broadcast(tenant, signal);
      if (answer.kind === "stored") await store.broadcast(tenant, again);
      return answer;
    },
  }),
};
