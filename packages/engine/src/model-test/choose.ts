/** @module From the numbers that a generator draws to an action that fits what is there now. */
import { ERROR, EXPIRED, type Json, type JsonObject, type OpenItem } from "@tessera/core";
import { answerLabels } from "../input.ts";
import type { PersonAnswer } from "../simulate/scenario.ts";
import { taskId } from "../task.ts";
import type { Version } from "../versions.ts";
import type { ModelAction } from "./action.ts";
import { choosePublication } from "./choose-publication.ts";
import { declaredData, filledForm, writtenData } from "./sample-data.ts";
import { openCalls, openItems, rootRuns, type World } from "./world.ts";

/** Which action, and numbers that choose among what is possible; smaller ones choose what is plainer. */
export interface Choice {
  readonly kind: ModelAction["do"] | "crash-in" | "rival";
  readonly numbers: readonly [number, number, number, number];
}

/** How a test chooses what the generator cannot know. */
export interface Chooser {
  /** Data of a start; default: a value for each key that the definition declares. */
  readonly startData?: (workflow: string, pick: (count: number) => number) => JsonObject;
  /** What a person does; default: any outcome of the item, with its form filled. */
  readonly answer?: (
    item: { readonly run: string; readonly node: string; readonly outcomes: readonly string[] },
    pick: (count: number) => number,
  ) => PersonAnswer;
  readonly runsMax: number;
}

const PEOPLE: readonly string[] = ["ann", "ben"];
const STEPS_MS: readonly number[] = [1_000, 60_000, 3_600_000];

/** The action of a choice, or null where there is nothing to do it to. Pure: it looks at what was seen last. */
export function chooseAction(
  world: World,
  { kind, numbers }: Choice,
  chooser: Chooser,
  offset = 1,
): ModelAction | null {
  const [which, second, third, on] = numbers;
  const one = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)];
  const pick = (count: number): number => (count <= 1 ? 0 : second % count);
  switch (kind) {
    case "start": {
      const version = one(startable(world), which);
      if (version === undefined || rootRuns(world) >= chooser.runsMax) return null;
      const data = chooser.startData?.(version.name, pick) ?? declaredData(version, second);
      return { do: "start", workflow: version.name, run: `r${lastRun(world) + offset}`, data, on };
    }
    case "complete":
    case "rival":
      return completion(world, { which, second, third, on, isRival: kind === "rival", offset }, chooser);
    case "claim":
    case "release": {
      const found = one(
        openItems(world, ({ kind: what }) => what === "work-item"),
        which,
      );
      if (found === undefined) return null;
      const { run, item } = found;
      const by = kind === "release" ? (item.assignee ?? null) : personFor(item, second);
      return by === null ? null : { do: kind, task: taskId(run, item.id), by, on };
    }
    case "again": {
      const command = one([...world.sent.keys()].reverse(), which);
      return command === undefined ? null : { do: "again", command, on };
    }
    case "advance":
      return { do: "advance", ms: untilDue(world, which) ?? STEPS_MS[which % STEPS_MS.length] ?? 1_000 };
    case "publish":
      return choosePublication(world, numbers, chooser.runsMax);
    case "answer":
    case "throw":
    case "hang":
      return callAction(world, kind, which, second, third);
    case "cancel": {
      const run = one(
        [...world.runs].filter(([, { view }]) => view.status === "running" || view.status === "waiting"),
        which,
      )?.[0];
      return run === undefined ? null : { do: "cancel", run, on };
    }
    case "together":
      return together(world, numbers, chooser);
    case "crash":
      return { do: "crash", on };
    case "crash-in":
      return { do: "crash", on, calls: 1 + (which % 4), point: second % 2 === 0 ? "before" : "after" };
  }
}

/** Two different things: to two items or jobs, or a start. */
function together(
  world: World,
  [which, second, third, on]: Choice["numbers"],
  chooser: Chooser,
): ModelAction | null {
  const kinds = (["complete", "answer", "start"] as const).flatMap((kind) =>
    [0, 1].map((at) => ({ kind, at })),
  );
  const actions: ModelAction[] = [];
  const touched = new Set<string>();
  for (const { kind, at } of kinds) {
    const action = chooseAction(
      world,
      { kind, numbers: [which + at, second, third, on] },
      chooser,
      actions.length + 1,
    );
    const target = action === null ? null : targetOf(action);
    if (action === null || target === null || touched.has(target) || actions.length === 2) continue;
    touched.add(target);
    actions.push(action);
  }
  return actions.length < 2 ? null : { do: "together", actions };
}

function targetOf(action: ModelAction): string | null {
  if (action.do === "complete") return action.task;
  if (action.do === "answer") return action.job;
  return action.do === "start" ? action.run : null;
}

interface CompletionNumbers {
  readonly which: number;
  readonly second: number;
  readonly third: number;
  readonly on: number;
  readonly isRival: boolean;
  readonly offset: number;
}

function completion(
  world: World,
  { which, second, third, on, isRival, offset }: CompletionNumbers,
  chooser: Chooser,
): ModelAction | null {
  const open = openItems(world, ({ kind }) => kind === "work-item" || kind === "external");
  const found = open[which % Math.max(1, open.length)];
  if (found === undefined) return null;
  const { run, item, version } = found;
  const outcomes = answerLabels(version.plan, item.node).filter(
    (label) => label !== ERROR && label !== EXPIRED,
  );
  const given = chooser.answer?.({ run, node: item.node, outcomes }, (count) =>
    count <= 1 ? 0 : third % count,
  );
  const outcome = given?.outcome ?? outcomes[second % Math.max(1, outcomes.length)] ?? "done";
  const node = version.plan.nodes[version.plan.nodeIndex.get(item.node) ?? -1];
  const data = given?.data ?? filledForm(node, third);
  const rival = outcomes[(second + 1) % Math.max(1, outcomes.length)] ?? outcome;
  return {
    do: "complete",
    task: taskId(run, item.id),
    by: item.assignee ?? personFor(item, second),
    outcome,
    data,
    command: `c${world.sent.size + offset}`,
    ...(isRival && item.assignee === undefined ? { rival } : {}),
    on,
  };
}

/** Somebody to whom the item is offered: one who is named, else anybody (their groups are the item's). */
function personFor({ assignees = [] }: OpenItem, number: number): string {
  const offered = assignees.length > 0 ? assignees : PEOPLE;
  return offered[number % offered.length] ?? "ann";
}

function callAction(
  world: World,
  kind: "answer" | "throw" | "hang",
  which: number,
  second: number,
  third: number,
): ModelAction | null {
  const calls = openCalls(world);
  const call = calls[which % Math.max(1, calls.length)];
  if (call === undefined) return null;
  if (kind !== "answer") return { do: kind, job: call.job };
  const { node, run } = call.context;
  const version = world.runs.get(run)?.version;
  const labels = version === undefined ? [] : answerLabels(version.plan, node.id);
  const outcomes = labels.filter((label) => label !== ERROR && label !== EXPIRED);
  const data = version === undefined ? {} : writtenData(version, node, third);
  return {
    do: "answer",
    job: call.job,
    outcome: outcomes[second % Math.max(1, outcomes.length)] ?? "done",
    data,
  };
}

/** Time to the next thing that is due, sometimes. */
function untilDue(world: World, which: number): number | null {
  const due = openItems(world, ({ dueAt }) => dueAt !== undefined).map(({ item }) => item.dueAt ?? 0);
  if (due.length === 0 || which % 2 === 1) return null;
  return Math.max(0, Math.min(...due) - world.clock.now());
}

/** The highest number of a run that was started here. */
function lastRun({ runs }: World): number {
  return Math.max(0, ...[...runs.keys()].map((run) => Number(/^r(\d+)$/u.exec(run)?.[1] ?? 0)));
}

/** Workflows that an application starts: those that no other one calls, unless all are called. */
function startable({ ready }: World): readonly Version[] {
  const all = [...ready.versions.values()];
  const called = new Set(
    all.flatMap(({ plan }) => plan.nodes.flatMap(({ meta }) => textOf(meta?.["workflow"]))),
  );
  const roots = all.filter(({ name }) => !called.has(name));
  return roots.length === 0 ? all : roots;
}

function textOf(value: Json | undefined): readonly string[] {
  return typeof value === "string" ? [value] : [];
}
