/**
 * @module The nets of the Model Checking Contest, each in a process of its own with a limit of time and memory: how many
 * answers of the published table are given, and whether each is the published one. An answer that differs is an error.
 *
 * `node tests/conformance/mcc.mjs [--seconds 20] [--megabytes 2048] [--at-once 1] [--only TEXT]`; minutes to an hour.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const NETS = path.resolve(HERE, "../../../shared/data/nets/mcc");
const COLUMNS = [
  "deadlock",
  "one_safe",
  "quasi_live",
  "live",
  "stable_marking",
  "states",
  "transitions",
  "max_token_in_place",
];

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "20" },
    megabytes: { type: "string", default: "2048" },
    "at-once": { type: "string", default: "1" },
    only: { type: "string", default: "" },
  },
});

function readRows() {
  const [head, ...lines] = readFileSync(path.join(NETS, "VERDICTS.csv"), "utf8").trim().split("\n");
  const names = head.trim().split(",");
  return lines.map((line) => {
    const cells = line.trim().split(",");
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""]));
  });
}

/** The answers for a net, whatever ended the process: its end, the time, or the memory. */
function answersFor(name) {
  const { seconds, megabytes } = values;
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${megabytes}`,
      path.join(HERE, "mcc-net.mjs"),
      path.join(NETS, `${name}.pnml`),
      seconds,
      megabytes,
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let [text, trouble] = ["", ""];
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  child.stderr.on("data", (chunk) => {
    trouble += chunk;
  });
  let isKilled = false;
  // The process keeps to its time between slices; what hangs in one is ended here.
  const timer = setTimeout(
    () => {
      isKilled = true;
      child.kill("SIGKILL");
    },
    Number(seconds) * 1000 + 3000,
  );
  return new Promise((resolve) => {
    child.on("close", (code) => {
      clearTimeout(timer);
      const lines = text.split("\n").filter((line) => line.endsWith("}"));
      const isOutOfMemory = /heap|memory|allocation/iu.test(trouble);
      const fault =
        code === 0 || isKilled || isOutOfMemory
          ? null
          : (trouble.trim().split("\n").at(-1) ?? `exit ${code}`);
      resolve({
        answers: lines.map((line) => JSON.parse(line)),
        end: code === 0 ? "done" : isKilled ? "time" : "memory",
        fault,
      });
    });
  });
}

if (!existsSync(NETS)) {
  process.stdout.write("skipped: the nets of the contest are not beside the repository\n");
  process.exit(0);
}
const rows = readRows().filter(({ instance }) => instance.includes(values.only));
const counts = new Map(COLUMNS.map((column) => [column, { given: 0, compared: 0, published: 0 }]));
const wrong = [];
const ends = { done: 0, time: 0, memory: 0 };
let [whole, some] = [0, 0];

async function work(queue) {
  for (let row = queue.shift(); row !== undefined; row = queue.shift()) {
    const name = row.instance;
    const { answers, end, fault } = await answersFor(name);
    ends[end] += 1;
    if (fault !== null) wrong.push(`${name}: ${fault}`);
    const known = new Map(answers.map(({ column, value }) => [column, value]));
    for (const column of COLUMNS) {
      const count = counts.get(column);
      const [value, published] = [known.get(column), row[column] ?? ""];
      if (published !== "") count.published += 1;
      if (value === undefined) continue;
      count.given += 1;
      if (published === "") continue;
      count.compared += 1;
      if (value !== published) wrong.push(`${name} ${column}: ${value}, published ${published}`);
    }
    const five = COLUMNS.slice(0, 5).filter((column) => known.has(column)).length;
    if (five === 5) whole += 1;
    if (five > 0) some += 1;
    process.stdout.write(
      `${name}: ${[...known].map(([column, value]) => `${column}=${value}`).join(" ") || "-"}${end === "done" ? "" : ` (${end})`}\n`,
    );
  }
}

const queue = [...rows];
await Promise.all(Array.from({ length: Number(values["at-once"]) }, () => work(queue)));
process.stdout.write(`\n${rows.length} nets, ${values.seconds} s and ${values.megabytes} MB each\n`);
process.stdout.write(
  `all five properties: ${whole} nets; at least one: ${some}; ended by time ${ends.time}, by memory ${ends.memory}\n`,
);
for (const [column, { given, compared, published }] of counts)
  process.stdout.write(
    `${column.padEnd(20)} ${given} answered, ${compared} compared of ${published} published\n`,
  );
process.stdout.write(
  wrong.length === 0 ? "no answer differs\n" : `${wrong.length} WRONG\n${wrong.join("\n")}\n`,
);
process.exit(wrong.length === 0 ? 0 : 1);
