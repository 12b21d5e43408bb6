// What the simulation publishes: messages that start runs and messages that runs wait for, one that a run throws to
// another, a gateway that waits for events, boundary events that end the wait or go on beside it, signals, and starts
// that each need the other's message.
const flow = (id, entry, nodes, arcs) => ({
  format: 1,
  kind: "workflow",
  id,
  entry,
  nodes: nodes.map(([name, kind, meta]) => ({ id: name, kind, ...(meta === undefined ? {} : { meta }) })),
  arcs: arcs.map(([from, to, outcome]) => ({ from, to, ...(outcome === undefined ? {} : { outcome }) })),
});
const onMessage = (id, name, more = {}) => ({ id, on: "message", name, key: "order", ...more });

const ANSWER = flow(
  "answer",
  "begin",
  [
    ["begin", "start"],
    ["end", "end"],
  ],
  [["begin", "end"]],
);

const ORDER = flow(
  "order",
  "begin",
  [
    ["begin", "start", { events: [onMessage("ordered", "ordered", { payload: { sum: "sum" } })] }],
    [
      "pay",
      "catch",
      {
        events: [
          onMessage("paid", "paid", { payload: { paid: "sum" } }),
          { id: "late", on: "timer", duration: "PT20M" },
          { id: "halt", on: "signal", name: "halt" },
        ],
      },
    ],
    [
      "pack",
      "human",
      {
        outcomes: ["packed"],
        events: [
          onMessage("recall", "recalled"),
          onMessage("ask", "question", {
            interrupting: false,
            workflow: "answer",
            inputs: { order: "order" },
            openMax: 2,
          }),
          { id: "note", on: "signal", name: "halt", interrupting: false },
        ],
      },
    ],
    ["noted", "end"],
    ["ship", "throw", { on: "message", name: "shipped", key: "order", payload: { sum: "sum" }, ttl: "PT1H" }],
    ["done", "end"],
    ["lost", "end", { outcome: "lost", terminate: true }],
  ],
  [
    ["begin", "pay", "ordered"],
    ["pay", "pack", "paid"],
    ["pay", "lost", "late"],
    ["pay", "lost", "halt"],
    ["pay", "lost", "error"],
    ["pack", "ship", "packed"],
    ["pack", "lost", "recall"],
    ["pack", "noted", "note"],
    ["pack", "lost", "error"],
    ["ship", "done"],
    ["ship", "lost", "error"],
  ],
);

const PARCEL = flow(
  "parcel",
  "wait",
  [
    [
      "wait",
      "catch",
      {
        events: [
          onMessage("shipped", "shipped", { payload: { arrived: "sum" } }),
          { id: "given-up", on: "timer", duration: "PT40M" },
        ],
      },
    ],
    ["end", "end"],
    ["failed", "end", { outcome: "failed" }],
  ],
  [
    ["wait", "end", "shipped"],
    ["wait", "end", "given-up"],
    ["wait", "failed", "error"],
  ],
);

/** Begins with whichever of two comes first, and waits for the other. */
const PAIR = flow(
  "pair",
  "begin",
  [
    ["begin", "start", { events: [onMessage("left", "left-half"), onMessage("right", "right-half")] }],
    ["other-right", "catch", { events: [onMessage("came-right", "right-half")] }],
    ["other-left", "catch", { events: [onMessage("came-left", "left-half")] }],
    ["end", "end"],
    ["failed", "end", { outcome: "failed" }],
  ],
  [
    ["begin", "other-right", "left"],
    ["begin", "other-left", "right"],
    ["other-right", "end", "came-right"],
    ["other-right", "failed", "error"],
    ["other-left", "end", "came-left"],
    ["other-left", "failed", "error"],
  ],
);

const ALARM = flow(
  "alarm",
  "begin",
  [
    ["begin", "start", { events: [{ id: "halted", on: "signal", name: "halt" }] }],
    ["end", "end"],
  ],
  [["begin", "end", "halted"]],
);

const message = (name, key, more = {}) => ({ name, key, id: `${name}-${key}`, ...more });

/**
 * Two orders and their parcels, a pair, and a signal to everybody.
 *
 * @type {import("@tessera/engine/simulate").Scenario}
 */
export const CORRESPONDENCE = {
  definitions: [ANSWER, ORDER, PARCEL, PAIR, ALARM],
  // A note beside the wait ends under a label of its own.
  accept: [{ obligation: "O12", reason: "a note may be lost with its order", by: "simulation" }],
  starts: [
    { workflow: "parcel", id: "p1", data: { order: 1 } },
    { workflow: "parcel", id: "p2", data: { order: 2 } },
  ],
  messages: [
    message("ordered", 1, { data: { sum: 10 } }),
    message("ordered", 2, { data: { sum: 20 } }),
    message("paid", 1, { data: { sum: 10 } }),
    message("paid", 2, { data: { sum: 20 } }),
    // No id: each time it is another one.
    { name: "question", key: 1, data: {} },
    { name: "question", key: 2, data: {}, ttlMs: 60_000 },
    message("recalled", 2),
    message("left-half", "x"),
    message("right-half", "x"),
    { on: "signal", name: "halt", id: "halt-1", data: { why: "fire" } },
  ],
};
