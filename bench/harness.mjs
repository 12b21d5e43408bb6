/**
 * @module Measures cases beside each other: interleaved rounds, medians, ratios, and a loop that says how busy the machine was.
 *
 * Absolute figures of a shared machine mean little: the same loop takes between one and two times as long from minute to
 * minute. So all cases of a comparison run in each round, in an order that turns, and the ratio is taken inside the round.
 */

/** Rounds of every comparison: the median of at least nine. */
export const ROUNDS = 9;
const ROUND_MS = 120;
const CALIBRATION_STEPS = 20_000_000;

/**
 * Runs `cases` beside each other. A case is one way to do the work: `run(count)` does it `count` times and says how many
 * units (firings, instances, turns) that were, or a promise of it. `before(count)` prepares each round and is not
 * measured, `close()` comes after the last. `fixedCount`: the count of every round, instead of one that fills `roundMs`.
 */
export async function compare({ title, unit, cases, rounds = ROUNDS, roundMs = ROUND_MS, fixedCount }) {
  const names = Object.keys(cases);
  const counts = {};
  const calibrationMs = [];
  const rates = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) counts[name] = fixedCount ?? (await countFor(cases[name], roundMs));
  for (let round = 0; round < rounds; round += 1) {
    calibrationMs.push(calibrate());
    for (let at = 0; at < names.length; at += 1) {
      const name = names[(at + round) % names.length];
      rates[name].push(await rateOf(cases[name], counts[name]));
    }
  }
  for (const name of names) await cases[name].close?.();
  return summary({ title, unit, names, rates, rounds, calibrationMs });
}

/** Units per second of one round. */
async function rateOf({ before, run }, count) {
  await before?.(count);
  const started = performance.now();
  const units = await run(count);
  return units / ((performance.now() - started) / 1000);
}

/** How often `run` must be repeated to fill a round; the doubling warms the code up as well. */
async function countFor({ before, run }, roundMs) {
  for (let count = 1; ; count *= 2) {
    await before?.(count);
    const started = performance.now();
    await run(count);
    const ms = performance.now() - started;
    if (ms >= roundMs / 2) return Math.max(1, Math.round((count * roundMs) / ms));
  }
}

/** Milliseconds of a fixed loop of integer arithmetic. */
export function calibrate() {
  const started = performance.now();
  let state = 1;
  for (let step = 0; step < CALIBRATION_STEPS; step += 1)
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  if (state === 0) throw new Error("the loop must not be optimised away");
  return performance.now() - started;
}

function summary({ title, unit, names, rates, rounds, calibrationMs }) {
  const [first] = names;
  return {
    title,
    unit: `${unit}/s`,
    rounds,
    calibrationMs: spread(calibrationMs),
    cases: names.map((name) => ({
      name,
      perSecond: spread(rates[name]),
      // The first case against this one, round by round.
      firstIsFasterBy: spread(rates[name].map((rate, round) => rates[first][round] / rate)),
    })),
  };
}

/** Median, least and greatest of `values`. */
function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
  return { median, min: sorted[0], max: sorted.at(-1) };
}

/** A comparison as a table for people. */
export function tableOf({ title, unit, rounds, calibrationMs, cases }) {
  const width = Math.max(...cases.map(({ name }) => name.length));
  const [{ name: first }] = cases;
  return [
    title,
    `  median of ${rounds} [least .. greatest]; calibration loop ${range(calibrationMs)} ms`,
    ...cases.map(({ name, perSecond, firstIsFasterBy }) => {
      const ratio = name === first ? "" : `   ratio of the first to it ${range(firstIsFasterBy)}`;
      return `  ${name.padEnd(width)}  ${range(perSecond)} ${unit}${ratio}`;
    }),
    "",
  ].join("\n");
}

const range = ({ median, min, max }) => `${short(median)} [${short(min)} .. ${short(max)}]`;

function short(value) {
  if (value >= 1000) return Math.round(value).toLocaleString("en-US");
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
