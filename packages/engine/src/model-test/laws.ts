/** @module What must be true whenever an engine has come to rest: the model's marking, open items, nothing twice, the audit. */
import { isFinal, type Json, jsonEqual, type OpenItem } from "@tessera/core";
import type { Engine } from "../engine.ts";
import { accepted } from "../refusal.ts";
import type { RunView } from "../run-view.ts";
import { violated } from "../simulate/violation.ts";
import { auditor } from "../simulate/workers.ts";
import { taskId } from "../task.ts";
import type { Version } from "../versions.ts";
import { followModel } from "./follow-model.ts";
import { checkHistory } from "./history-laws.ts";
import { POLL_MS } from "./process.ts";
import { modelOf, openCalls, type World } from "./world.ts";

/** Runs and items of a test are looked at in one page. */
const PAGE = 1_000;

/**
 * Looks at what is stored, through an engine that has seen nothing of it, and compares it with the model and with what
 * was promised. Throws SimulationViolation. The laws:
 *
 * 1. A run is where the model can be after the answers that were given, those that were acknowledged taken once each.
 * 2. A rest place holds as many tokens as its node has open items; a run is completed if and only if its marking is final.
 * 3. Lists show what is stored: the status of each run, its open items; who has claimed one is who was told so.
 * 4. The journal says the same as the state, and has each acknowledged completion at its turn, nothing twice, nothing early.
 * 5. What is due has happened. 6. The audit passes. 7. What the store was given follows turn by turn (D3.1), keeps the
 * place invariants (D9.26) and the gate (D19.5), and messages keep their laws (D17.14).
 *
 * @definition D26.2
 */
export async function checkLaws(world: World): Promise<void> {
  const violation = world.violation();
  if (violation !== null) throw violation;
  const observer = auditor(world.ready, world.store);
  try {
    const views = await storedRuns(world, observer);
    for (const view of views) {
      const version = versionOf(world, view);
      const known = world.runs.get(view.run);
      const model = known?.model ?? modelOf(world, version);
      const from = known?.markings ?? [model.initial];
      const markings = followModel(world, version, model, from, view);
      world.runs.set(view.run, { version, model, markings, view });
      checkItems(world, version, view);
      await checkHistory(world, observer, view);
    }
    await checkLists(observer, views);
    await checkAudit(observer, views);
  } finally {
    await observer.close();
  }
}

/**
 * What is owed after everything had time to happen: every open job has a call that waits for its answer, and whoever waits
 * for a message has what is there. Two minutes pass, in which processes look for what others left.
 */
export async function checkNothingLost(world: World): Promise<void> {
  await world.clock.advance(2 * POLL_MS);
  world.given = [];
  await checkLaws(world);
  const [unread] = world.checker.post.deliverable(world.clock.now());
  if (unread !== undefined)
    violated(`the ${unread.letter.on} "${unread.letter.name}" is there, and who waits for it has not got it`);
  world.checker.post.settled();
  const called = new Set(openCalls(world).map(({ job, context }) => `${job}#${context.attempt}`));
  const hung = new Set(world.script.flatMap((action) => (action.do === "hang" ? [action.job] : [])));
  for (const [run, { view }] of world.runs) {
    for (const item of view.items.filter(({ kind, attempt = 0 }) => kind === "job" && attempt === 0)) {
      const job = taskId(run, item.id);
      if (!hung.has(job) && !called.has(`${job}#1`))
        violated(`the job "${job}" is open, and nobody was called for it`);
    }
  }
}

async function storedRuns(world: World, observer: Engine): Promise<readonly RunView[]> {
  const { rows } = await observer.runs({ limit: PAGE });
  const views: RunView[] = [];
  for (const row of [...rows].reverse()) {
    const { kind: _kind, ...view } = accepted(await observer.run(row.run).state());
    const { kind: _replayed, ...replayed } = accepted(await observer.replay(row.run));
    if (!jsonEqual(replayed as unknown as Json, view as unknown as Json))
      violated(`${row.run} is not what its journal says`);
    if (row.status !== view.status) violated(`${row.run} is listed as ${row.status}, and is ${view.status}`);
    views.push(view);
  }
  const there = new Set(rows.map(({ run }) => run));
  for (const run of world.runs.keys()) if (!there.has(run)) violated(`${run} was there, and is gone`);
  return views;
}

function versionOf({ ready }: World, { run, definition }: RunView): Version {
  return ready.versions.get(definition) ?? violated(`${run} runs in an unknown definition`);
}

/** Tokens at rest and open items, one to one; statuses by the marking; what is due has happened. */
function checkItems(world: World, { plan }: Version, view: RunView): void {
  const { net, restNode } = plan.program;
  const { run, items, marking } = view;
  const hasEnded = view.terminal !== null;
  for (const [place, node] of restNode) {
    const id = plan.nodes[node]?.id ?? "";
    const tokens = marking[net.places[place]?.id ?? ""] ?? 0;
    const open = items.filter((item) => item.node === id && !isBeside(item)).length;
    if (!hasEnded && open !== tokens)
      violated(`"${id}" of ${run} has ${tokens} tokens at rest and ${open} open items`);
  }
  const counts = net.places.map(({ id }) => marking[id] ?? 0);
  if (!hasEnded && isFinal(net, counts) !== (view.status === "completed"))
    violated(`${run} is ${view.status}, and its marking is ${isFinal(net, counts) ? "" : "not "}final`);
  for (const item of items) {
    if (item.dueAt !== undefined && item.dueAt + POLL_MS < world.clock.now())
      violated(`"${taskId(run, item.id)}" was due at ${item.dueAt}, and it is ${world.clock.now()}`);
    const assignee = world.claims.get(taskId(run, item.id));
    if (assignee !== undefined && assignee !== (item.assignee ?? null))
      violated(`"${taskId(run, item.id)}" was claimed by ${assignee}, and is ${item.assignee ?? "nobody"}'s`);
  }
}

/** An item that stands beside its node's token: a handler's run, one of several called runs. */
function isBeside({ event, instance }: OpenItem): boolean {
  return event !== undefined || instance !== undefined;
}

async function checkLists(observer: Engine, views: readonly RunView[]): Promise<void> {
  const { rows } = await observer.workItems.list({ limit: PAGE });
  const listed = rows.map(({ id }) => id).sort();
  const open = views.flatMap(({ run, items }) => items.map(({ id }) => taskId(run, id))).sort();
  if (listed.join("\n") !== open.join("\n"))
    violated(`listed are [${listed.join(" ")}], open are [${open.join(" ")}]`);
}

async function checkAudit(observer: Engine, views: readonly RunView[]): Promise<void> {
  const { runs, graphs } = await observer.audit();
  const broken = [...runs, ...graphs].filter(({ verdict }) => verdict !== "ok");
  const findings = broken.flatMap(({ findings: all }) =>
    all.map(({ check, message }) => `${check}: ${message}`),
  );
  if (broken.length > 0) violated(`the audit fails: ${findings.join("; ")}`);
  if (runs.length !== views.length) violated(`the audit has seen ${runs.length} of ${views.length} runs`);
}
