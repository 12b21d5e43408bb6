/** @module Plays one action on the engine, and notes what was promised. */
import { ERROR, type HandlerResult, type OpenItem } from "@tessera/core";
import type { Engine } from "../engine.ts";
import type { Refused } from "../refusal.ts";
import { violated } from "../simulate/violation.ts";
import { readTaskId } from "../task.ts";
import type { Done } from "../work-items.ts";
import type { ModelAction } from "./action.ts";
import type { Process } from "./process.ts";
import { comeToRest, openCalls, type World } from "./world.ts";

type Of<Kind extends ModelAction["do"]> = Extract<ModelAction, { readonly do: Kind }>;

/** Plays `action` and lets everything come to rest. What it was told is in `world.given`. */
export async function perform(world: World, action: ModelAction): Promise<void> {
  world.script.push(action);
  world.given = [];
  const { processCount } = world;
  await act(world, action);
  await comeToRest(world);
  // What a process heard from a port is lost with it: the job will be done again.
  const isLost = (action.do === "answer" || action.do === "together") && world.processCount !== processCount;
  if (isLost) world.given = world.given.map((given) => ({ ...given, isCertain: false }));
}

async function act(world: World, action: ModelAction): Promise<void> {
  switch (action.do) {
    case "start":
      return start(world, action);
    case "complete":
      return complete(world, action);
    case "again":
      return again(world, action);
    case "claim":
    case "release":
      return assign(world, action);
    case "advance":
      return world.clock.advance(action.ms);
    case "publish":
      return publish(world, action);
    case "answer":
    case "throw":
    case "hang":
      return answer(world, action);
    case "cancel": {
      const by = { by: { id: "operator" }, reason: "a test" };
      await ask(world, action.on, (engine) => engine.run(action.run).cancel(by));
      return;
    }
    case "together":
      await Promise.all(action.actions.map((one) => act(world, one)));
      return;
    case "crash": {
      const process = processOf(world, action.on);
      if (action.calls === undefined) process.die();
      else process.dieAt(action.calls, action.point ?? "before");
      return;
    }
  }
}

function processOf({ processes }: World, on = 0): Process {
  return processes[on % processes.length] ?? violated("there is no process");
}

/** The answer of a process; null if it died over it. */
async function ask<T>(
  world: World,
  on: number | undefined,
  what: (engine: Engine) => Promise<T>,
): Promise<T | null> {
  const process = processOf(world, on);
  return Promise.race([what(process.engine), process.died.then(() => null)]);
}

async function start(world: World, { workflow, run, data, on }: Of<"start">): Promise<void> {
  const answered = await ask(world, on, (engine) =>
    engine.start({ workflow, id: run, data, ...(world.graph === null ? {} : { graph: world.graph }) }),
  );
  if (answered?.kind === "refused")
    throw new RangeError(
      `a run of "${workflow}" cannot be started with ${JSON.stringify(data)}: ${answered.message}`,
    );
}

async function complete(world: World, action: Of<"complete">): Promise<void> {
  const { run, item } = readTaskId(action.task);
  const node = world.runs.get(run)?.view.items.find(({ id }) => id === item)?.node ?? item;
  const sent = { action, node, sequence: null };
  world.sent.set(action.command, sent);
  const own = send(world, action, action.on);
  if (action.rival === undefined) {
    await own.then((answered) => take(world, action, answered));
    return;
  }
  const rival = {
    ...action,
    by: `${action.by}-rival`,
    outcome: action.rival,
    command: `${action.command}-rival`,
  };
  world.sent.set(rival.command, { action: rival, node, sequence: null });
  const both = await Promise.all([own, send(world, rival, (action.on ?? 0) + 1)]);
  if (both.every((answered) => answered?.kind === "done"))
    violated(`"${action.task}" was completed twice, by two people at once`);
  take(world, action, both[0]);
  take(world, rival, both[1]);
}

async function send(
  world: World,
  action: Of<"complete">,
  on: number | undefined,
): Promise<Done | Refused | null> {
  const { task, by, outcome, data, command } = action;
  const groups = itemOf(world, task)?.candidateGroups ?? [];
  return ask(world, on, (engine) =>
    engine.workItems.complete({ task, by: { id: by, groups }, outcome, data, commandId: command }),
  );
}

/** Notes an answer to a completion, and compares it with an earlier one. */
function take(world: World, action: Of<"complete">, answered: Done | Refused | null): void {
  const sent = world.sent.get(action.command);
  if (sent === undefined) return;
  if (answered?.kind === "refused") {
    if (sent.sequence !== null)
      violated(`${action.command} was done with turn ${sent.sequence}, and is refused now: ${answered.code}`);
    return;
  }
  if (answered !== null) {
    const { sequence, isRepeated } = answered;
    if (sent.sequence !== null && (!isRepeated || sequence !== sent.sequence))
      violated(`${action.command} was done with turn ${sent.sequence}, and again with turn ${sequence}`);
    sent.sequence = sequence;
    if (isRepeated) return;
  }
  const { run } = readTaskId(action.task);
  const isCertain = answered !== null;
  world.given.push({ run, node: sent.node, outcomes: [action.outcome, ERROR], isCertain });
}

async function again(world: World, { command, on }: Of<"again">): Promise<void> {
  const action = world.sent.get(command)?.action;
  if (action === undefined) return;
  take(world, action, await send(world, action, on));
}

async function assign(world: World, action: Of<"claim" | "release">): Promise<void> {
  const { task, by, on } = action;
  const groups = itemOf(world, task)?.candidateGroups ?? [];
  const answered = await ask(world, on, (engine) =>
    engine.workItems[action.do]({ task, by: { id: by, groups } }),
  );
  if (answered === null) world.claims.delete(task);
  else if (answered.kind === "done") world.claims.set(task, action.do === "claim" ? by : null);
}

async function publish(world: World, { what, name, key, data, id, ttlMs, on }: Of<"publish">): Promise<void> {
  world.published.add(name);
  await ask(world, on, (engine) =>
    what === "signal"
      ? engine.signal({ name, data, id })
      : engine.publish({
          name,
          data,
          id,
          ...(key === undefined ? {} : { key }),
          ...(ttlMs === undefined ? {} : { ttlMs }),
        }),
  );
}

/** What comes of the newest call of a job. */
async function answer(world: World, action: Of<"answer" | "throw" | "hang">): Promise<void> {
  const call = openCalls(world).findLast(({ job }) => job === action.job);
  if (call === undefined) return;
  world.ports.calls.splice(world.ports.calls.indexOf(call), 1);
  if (action.do === "hang") return;
  if (action.do === "throw") {
    call.reject(new Error("a test: the port throws"));
    return;
  }
  const result: HandlerResult | undefined =
    call.own === undefined
      ? { outcome: action.outcome, patch: action.data }
      : await Promise.resolve(call.own(call.context)).catch(() => ({ outcome: ERROR }));
  call.resolve(result);
  const { run } = readTaskId(action.job);
  // Another process may have closed the item, and this one has not heard of it yet.
  const isCertain = call.own === undefined && itemOf(world, action.job)?.kind === "job";
  const outcomes = [result?.outcome ?? "done", ERROR];
  world.given.push({ run, node: call.context.node.id, outcomes, isCertain });
}

function itemOf({ runs }: World, task: string): OpenItem | undefined {
  const { run, item } = readTaskId(task);
  return runs.get(run)?.view.items.find(({ id }) => id === item);
}
