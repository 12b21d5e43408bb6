// npm run simulate -- [--seeds N] [--first SEED] [--minutes M] [--messages | --schedule] [--sqlite] [--planted]
// The whole engine in a simulated world, a seed at a time. Prints the counts of every fault point; exit 1 on a violation.
// --sqlite: the workers share a SQLite store in a file instead of one in memory.
// --messages: the scenario of correspondence.mjs, where people and runs send messages and signals, instead of the orders.
// --schedule: the scenario of schedule.mjs, where times start workflows, in versions that replace each other.
// --planted: instead, plants each fault of planted.mjs, planted-messages.mjs and planted-schedule.mjs and says after how many
// seeds it was found.
import { parseArgs } from "node:util";
import {
  describeFailure,
  pointsOf,
  readyScenario,
  STORE_CALLS,
  simulate,
  WORLD_POINTS,
} from "@tessera/engine/simulate";
import { CORRESPONDENCE } from "./correspondence.mjs";
import { PLANTED } from "./planted.mjs";
import { PLANTED_MESSAGES } from "./planted-messages.mjs";
import { PLANTED_SCHEDULE } from "./planted-schedule.mjs";
import { onSqlite, SCENARIO, SMALL } from "./scenarios.mjs";
import { SCHEDULE } from "./schedule.mjs";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "500" },
    first: { type: "string", default: "1" },
    minutes: { type: "string", default: "0" },
    messages: { type: "boolean", default: false },
    schedule: { type: "boolean", default: false },
    sqlite: { type: "boolean", default: false },
    planted: { type: "boolean", default: false },
  },
});
const seeds = Number(values.seeds);
const firstSeed = Number(values.first);
const print = (line) => process.stdout.write(`${line}\n`);

if (values.planted) await findPlanted();
else await search();

async function findPlanted() {
  const small = await readyScenario(SMALL);
  const posted = await readyScenario(CORRESPONDENCE);
  const timed = await readyScenario(SCHEDULE);
  const all = [
    ...Object.entries(PLANTED).map((planted) => [small, ...planted]),
    ...Object.entries(PLANTED_MESSAGES).map((planted) => [posted, ...planted]),
    ...Object.entries(PLANTED_SCHEDULE).map((planted) => [timed, ...planted]),
  ];
  for (const [scenario, name, plant] of all) {
    const report = await simulate(scenario, { seeds, firstSeed, plant, shrinksMax: 0, eventsMax: 3_000 });
    print(`${report.failure === null ? "NOT FOUND" : `found with seed ${report.failure.seed}`}: ${name}`);
    if (report.failure === null) process.exitCode = 1;
    else print(`  ${report.failure.violation.slice(0, 160)}`);
  }
}

async function search() {
  const end =
    Number(values.minutes) === 0
      ? Number.POSITIVE_INFINITY
      : performance.now() + Number(values.minutes) * 60_000;
  const scenario = values.messages ? CORRESPONDENCE : values.schedule ? SCHEDULE : SCENARIO;
  const ready = await readyScenario(values.sqlite ? onSqlite(scenario) : scenario);
  const faults = new Map();
  let [done, events] = [0, 0];
  while (done < seeds && performance.now() < end) {
    const count = Math.min(50, seeds - done);
    const report = await simulate(ready, { seeds: count, firstSeed: firstSeed + done });
    done += report.seeds;
    events += report.events;
    for (const [point, hits] of report.faults) faults.set(point, (faults.get(point) ?? 0) + hits);
    if (report.failure !== null) {
      print(describeFailure(report.failure));
      process.exitCode = 1;
      break;
    }
  }
  print(`${done} seeds, ${events} events, ${process.exitCode === 1 ? "a violation" : "0 violations"}`);
  const points = [...STORE_CALLS.flatMap(pointsOf), ...WORLD_POINTS, ...faults.keys()];
  for (const point of new Set(points)) print(`${String(faults.get(point) ?? 0).padStart(8)} ${point}`);
}
