// A process that deploys a workflow which times start, and then starts it, until it is killed. Argument: the folder of the store.
import { createEngine } from "@tessera/engine";
import { openStore } from "./victim-store.mjs";

/** Between two times, in ms. */
export const EVERY_MS = 200;

const WORKFLOW = {
  format: 1,
  kind: "workflow",
  id: "timed",
  entry: "begin",
  nodes: [
    { id: "begin", kind: "start", meta: { events: [{ id: "often", on: "timer", cycle: "R/PT0.2S" }] } },
    { id: "end", kind: "end" },
  ],
  arcs: [{ from: "begin", outcome: "often", to: "end" }],
};

const [dir] = process.argv.slice(2);
if (dir !== undefined) {
  const engine = createEngine({ store: await openStore(dir), pollMs: 100 });
  const deployed = await engine.deploy(WORKFLOW);
  if (deployed.kind === "refused") throw new Error(deployed.message);
  process.stdout.write("ready\n");
}
