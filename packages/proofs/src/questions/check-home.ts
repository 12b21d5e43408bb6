/** @module Checks what an answer about home markings shows, without asking what gave it. */
import { type Marking, type Net, NO_RULES, type NonLocalRules, sameMarking } from "@tessera/core";
import { type Checked, checkClosedSet, invalid, VALID } from "../certificate/closed-set.ts";
import { checkRun } from "../certificate/run.ts";
import { reachableMarkings } from "../reachability.ts";
import type { Answer, ClosedSet } from "./answer.ts";

/** Rules of the net, and how many markings are built again. */
export interface HomeCheckOptions {
  readonly rules: NonLocalRules;
  readonly statesMax: number;
}

const DEFAULTS: HomeCheckOptions = { rules: NO_RULES, statesMax: 20_000 };

/**
 * Is the answer supported by what it shows? `isHome`: the test of the markings that were asked for, or null where any home
 * marking was. Runs are replayed, closed sets are tested by the firing rule, what holds is enumerated. Cost: quadratic
 * in the markings where something holds.
 */
export function checkHome(
  net: Net,
  isHome: ((M: Marking) => boolean) | null,
  answer: Answer,
  given: Partial<HomeCheckOptions> = {},
): Checked {
  const options = { ...DEFAULTS, ...given };
  if (answer.kind === "unknown") return VALID;
  const { shown } = answer;
  if (answer.kind === "fails") {
    if (shown.kind !== "closed" || shown.sets.length !== (isHome === null ? 2 : 1))
      return invalid("not the closed sets that refute");
    return checkAway(net, isHome, shown.sets, options);
  }
  if (isHome !== null && shown.kind === "markings") return checkSpace(net, isHome, shown.states, options);
  const [home] = isHome === null && shown.kind === "closed" && shown.sets.length === 1 ? shown.sets : [];
  if (home === undefined) return invalid("no home marking is shown");
  const member = checkMember(net, home, () => null, options);
  if (member.kind !== "valid") return member;
  // What is reachable from one home marking is all of them: a closed set of this size has no more.
  const { markings, complete } = reachableMarkings(net, home.run.marking, home.size, options.rules);
  if (!complete || markings.length !== home.size) return invalid(`not ${home.size} home markings`);
  return checkSpace(net, (M) => sameMarking(M, home.run.marking), null, options);
}

/** None of the asked markings can be reached from the set; or nothing from both. */
function checkAway(
  net: Net,
  isHome: ((M: Marking) => boolean) | null,
  sets: readonly ClosedSet[],
  options: HomeCheckOptions,
): Checked {
  const isBad = (M: Marking) => (isHome?.(M) === true ? "the set contains an asked marking" : null);
  for (const set of sets) {
    const checked = checkMember(net, set, isBad, options);
    if (checked.kind !== "valid") return checked;
  }
  const keys = sets.map(({ run, size, markings }) => {
    const members = markings ?? reachableMarkings(net, run.marking, size, options.rules).markings;
    return new Set(members.map((M) => M.join()));
  });
  const [one = new Set(), other = new Set()] = keys;
  return [...one].some((key) => other.has(key)) ? invalid("the sets have a marking in common") : VALID;
}

function checkMember(
  net: Net,
  { run, size, markings }: ClosedSet,
  isBad: (M: Marking) => string | null,
  options: HomeCheckOptions,
): Checked {
  const replayed = checkRun(net, run, options.rules);
  if (replayed.kind !== "valid") return replayed;
  return checkClosedSet(net, run.marking, { kind: "closed-set", size, markings }, isBad, options);
}

/** Is one of the asked markings reachable from each reachable marking, of which there are `states`? */
function checkSpace(
  net: Net,
  isHome: (M: Marking) => boolean,
  states: number | null,
  { rules, statesMax }: HomeCheckOptions,
): Checked {
  const { markings, complete } = reachableMarkings(net, net.initial, statesMax, rules);
  if (!complete) return { kind: "unchecked", reason: `more than ${statesMax} markings` };
  if (states !== null && states !== markings.length) return invalid(`not ${states} reachable markings`);
  const isAway = (M: Marking) => !reachableMarkings(net, M, statesMax, rules).markings.some(isHome);
  return markings.some(isAway) ? invalid("an asked marking cannot be reached from everywhere") : VALID;
}
