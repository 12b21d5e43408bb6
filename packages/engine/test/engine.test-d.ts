/** @module What the types of the engine accept and refuse. Checked by the compiler. */
import {
  defineWorkflow,
  end,
  type Implementation,
  implement,
  type Json,
  start,
  transform,
} from "@tessera/core";
import { memoryStore } from "@tessera/persist";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import {
  accepted,
  createEngine,
  type Done,
  type Engine,
  type Port,
  type Refused,
  type RunResult,
  type StartedRun,
} from "../src/index.ts";

const order = implement(
  defineWorkflow({
    id: "order",
    data: { amount: z.number(), note: z.string() },
    nodes: { placed: start({ input: ["amount"] }), f: transform(), z: end() },
    entry: "placed",
    arcs: [
      ["placed", "f"],
      ["f", "z"],
      ["f", "error", "z"],
    ],
  }),
  { f: () => undefined },
);

const engine: Engine = createEngine({ store: memoryStore() });

// The data of a built workflow are those of its schemas; its inputs must be there.
void engine.start({ workflow: order, data: { amount: 1 } });
void engine.start({ workflow: order, data: { amount: 1, note: "n" }, businessKey: "k" });
// @ts-expect-error - amount is a number
void engine.start({ workflow: order, data: { amount: "1" } });
// @ts-expect-error - amount is an input
void engine.start({ workflow: order, data: { note: "n" } });
// A workflow by its name takes any data; the engine checks them.
void engine.start({ workflow: "order", data: { anything: 1 } });
// @ts-expect-error - nothing to start
void engine.start({});

// A refusal must be looked at before the answer can be used.
const started = await engine.start({ workflow: "order" });
expectTypeOf(started).toEqualTypeOf<StartedRun | Refused>();
// @ts-expect-error - it may be refused
void started.result();
expectTypeOf(accepted(started)).toEqualTypeOf<StartedRun>();
expectTypeOf(await accepted(started).result()).toEqualTypeOf<RunResult>();
expectTypeOf(
  accepted(await engine.workItems.claim({ task: "r/h.1", by: { id: "a" } })),
).toEqualTypeOf<Done>();
// @ts-expect-error - somebody must do it
void engine.workItems.complete({ task: "r/h.1" });

// Ports: the data are read-only JSON, the answer is an answer.
expectTypeOf<Parameters<Port>[0]["data"]>().toEqualTypeOf<{ readonly [key: string]: Json }>();
createEngine({
  store: memoryStore(),
  ports: { p: async ({ idempotencyKey }) => ({ patch: { idempotencyKey } }) },
});
// @ts-expect-error - a port answers { outcome, patch, mutation }
createEngine({ store: memoryStore(), ports: { p: () => "done" } });
// @ts-expect-error - an engine needs a store
createEngine({});

// What a transaction offers is synchronous.
expectTypeOf(
  engine.transaction((tx) => accepted(tx.start({ workflow: "order" })).run),
).toEqualTypeOf<string>();
expectTypeOf(engine.deploy).parameter(0).extract<Implementation>().not.toBeNever();
