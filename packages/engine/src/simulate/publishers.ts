/** @module Those who publish in a simulation: early and late, in any order, again, through two workers at a time. */
import type { JsonObject } from "@tessera/core";
import type { Engine } from "../engine.ts";
import type { Post } from "./post.ts";
import { type FoldedRuns, openItems } from "./receivers.ts";
import type { ScenarioMessage } from "./scenario.ts";
import { clocksOf, count, type World } from "./world.ts";

/** A message that is given to some worker. */
export interface Publication {
  readonly label: string;
  readonly isRepeatable?: boolean;
  readonly give: (engine: Engine) => Promise<{ readonly kind: string }>;
}

/** The publishers of a scenario. */
export interface Publishers {
  /** Publishes something, if the choice falls on it. `isIdle`: nothing else happens at this time. */
  readonly act: (isIdle: boolean) => boolean;
  /** Everything that the scenario lists was published, and every publisher has an answer. */
  readonly areDone: () => boolean;
}

/** How long a message lives whose scenario does not say it, in ms; the engine's default is the plain one. */
const LIVES: readonly (number | undefined)[] = [undefined, 1_000, 90_000];

/**
 * Every message of the scenario comes once, at a time that is chosen, maybe before anybody waits for it; one whose
 * publisher had no answer comes again, under the same id. While nothing else happens, what a run waits for, and what was to
 * start one and has expired, is published anew, under an id of its own.
 */
export function makePublishers(
  world: World,
  messages: readonly ScenarioMessage[],
  runs: FoldedRuns,
  post: Pick<Post, "isLost">,
  give: (publication: Publication) => void,
): Publishers {
  const left = [...messages];
  const unanswered = new Set<Publication>();
  let newCount = 0;
  const isLost = ({ on, name, key }: ScenarioMessage): boolean =>
    on !== "signal" &&
    post.isLost(name, key === undefined ? null : String(key), Math.min(...clocksOf(world)));
  const publish = (message: ScenarioMessage): void => {
    const publication = publicationOf(world, message, () => unanswered.delete(publication));
    unanswered.add(publication);
    give(publication);
    if (world.choices.pick(4, 0.5) === 0) return;
    count(world, "message:twice");
    give(publication);
  };
  return {
    act: (isIdle) => {
      if (messages.length === 0) return false;
      if (left.length > 0) {
        if (world.choices.pick(6, isIdle ? 0.5 : 0.7) === 0 && !isIdle) return false;
        for (const message of left.splice(world.choices.pick(left.length), 1)) publish(message);
        return true;
      }
      if (!isIdle) return false;
      const [lost] = unanswered;
      if (lost !== undefined) {
        give(lost);
        return true;
      }
      const wanted = messages.filter((message) => isAwaited(runs, message) || isLost(message));
      if (wanted.length === 0 || world.choices.pick(3) !== 0) return false;
      const chosen = wanted[world.choices.pick(wanted.length)];
      if (chosen === undefined) return false;
      newCount += 1;
      publish({ ...chosen, ...(chosen.id === undefined ? {} : { id: `${chosen.id}~${newCount}` }) });
      return true;
    },
    areDone: () => left.length === 0 && unanswered.size === 0,
  };
}

function publicationOf(world: World, message: ScenarioMessage, answered: () => void): Publication {
  const { on = "message", name, key, data = {}, id } = message;
  const ttlMs = message.ttlMs ?? LIVES[on === "signal" ? 0 : world.choices.pick(LIVES.length, 0.6)];
  const shared: { name: string; data: JsonObject; id?: string } = {
    name,
    data,
    ...(id === undefined ? {} : { id }),
  };
  const label = `publish the ${on} ${name} ${id ?? ""}`.trim();
  return {
    label: on === "signal" || ttlMs === undefined ? label : `${label} for ${ttlMs} ms`,
    isRepeatable: true,
    give: async (engine) => {
      const answer =
        on === "signal"
          ? await engine.signal(shared)
          : await engine.publish({
              ...shared,
              ...(key === undefined ? {} : { key }),
              ...(ttlMs === undefined ? {} : { ttlMs }),
            });
      if (answer.kind === "published") answered();
      return answer;
    },
  };
}

/** Does an item wait for such a message or signal to end its wait? What may come beside it need not come again. */
function isAwaited(runs: FoldedRuns, { on = "message", name, key }: ScenarioMessage): boolean {
  const text = key === undefined ? null : String(key);
  return [...runs.values()].some(({ state }) =>
    openItems(state).some(({ subscriptions = [] }) =>
      subscriptions.some(
        (each) =>
          each.isBeside !== true &&
          each.on === on &&
          each.name === name &&
          (on === "signal" || (each.key ?? null) === text),
      ),
    ),
  );
}
