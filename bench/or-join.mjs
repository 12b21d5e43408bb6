/** @module OR-joins and co-marking: the cost of a token move does not grow with the net, and large nets are analysed. */
import fs from "node:fs";
import path from "node:path";
import { compileNet, compileWorkflow, firstPlayable, play, startGame } from "@tessera/core";
import { fixedPoint, orJoinRules, STANDARD_KINDS } from "@tessera/gateways";
import { importBpmn } from "@tessera/interchange";
import { compare } from "./harness.mjs";

const LENGTH = 10;
const BRANCHES = [1, 10, 100, 1_000];
const MODELS = path.resolve(import.meta.dirname, "../../shared/data/bpmn/rba-benchmark");

function compiled(definition) {
  const result = compileWorkflow(definition, STANDARD_KINDS);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

/**
 * An OR split over `branches` of `LENGTH` nodes each, and an OR-join that a further arc enters, so that it closes no
 * block; then all over again. The join comes first in the document: it is asked whenever nothing else is.
 */
function wheel(branches, kind = "gateway") {
  const gate = (id, change = {}) => ({ id, kind: "gateway", ...change });
  const nodes = [
    gate("m"),
    gate("j", { join: "or" }),
    gate("s", { split: "or" }),
    gate("x"),
    { id: "e", kind: "end" },
  ];
  const arcs = [
    { from: "m", to: "s" },
    { from: "j", to: "x" },
    { from: "x", to: "m" },
    { from: "x", to: "j" },
    { from: "x", to: "e", default: true },
  ];
  for (let branch = 0; branch < branches; branch += 1) {
    const ids = Array.from({ length: LENGTH }, (_, index) => `b${branch}.${index}`);
    nodes.push(...ids.map((id) => ({ id, kind })));
    arcs.push({ from: "s", to: ids[0] }, ...ids.slice(1).map((id, index) => ({ from: ids[index], to: id })));
    arcs.push({ from: ids.at(-1), to: "j" });
  }
  return compiled({ format: 1, kind: "workflow", id: "wheel", entry: "m", nodes, arcs });
}

/** Plays whatever is enabled, first in document order; every question of the join included. */
function playing(workflow, rules) {
  const game = startGame(compileNet(workflow.net), workflow.net.initial, null, rules);
  return {
    run(count) {
      for (let firing = 0; firing < count; firing += 1) play(game, firstPlayable(game));
      return count;
    },
  };
}

/**
 * Decisions while all branches are at work and half of them have arrived: the token of the last branch moves one task on,
 * or comes back, and the join is asked. `isTracked`: by the tracker, else by the rule in bits.
 */
function deciding(branches, isTracked) {
  const { net, ...workflow } = wheel(branches, "wait");
  const rules = orJoinRules({ net, ...workflow });
  const name = "or-join:j";
  const t = net.transitions.findIndex(({ rule }) => rule === name);
  const at = new Map(net.places.map(({ id }, place) => [id, place]));
  const tracker = rules.track(net);
  const M = new Int32Array(net.places.length);
  const set = (place, isMarked) => {
    M[place] = isMarked ? 1 : 0;
    tracker.onMarked(place, isMarked);
  };
  for (let branch = 0; branch < branches - 1; branch += 1)
    set(at.get(branch % 2 === 0 ? `b${branch}.${LENGTH - 1}->j` : `b${branch}.0.active`), true);
  const last = `b${branches - 1}`;
  const moves = [at.get(`${last}.1.active`), at.get(`${last}.2.active`)];
  set(moves[0], true);
  const rule = rules.get(name);
  return {
    run(count) {
      let permitted = 0;
      for (let move = 0; move < count; move += 1) {
        set(moves[move % 2], false);
        set(moves[(move + 1) % 2], true);
        if (isTracked ? tracker.permits(t) : rule(net, M, t)) permitted += 1;
      }
      if (count % 2 === 1) {
        set(moves[1], false);
        set(moves[0], true);
      }
      if (permitted > 0) throw new Error("the join must wait");
      return count;
    },
  };
}

const sizeOf = (branches) =>
  `${(branches * LENGTH).toLocaleString("en")} nodes, ${branches.toLocaleString("en")} branches`;

/** Tables of figures, one after the other. */
export async function* comparisons() {
  yield compare({
    title: "Firings of a token game around a non-local OR-join, the join asked at every move it could fire",
    unit: "firings",
    cases: Object.fromEntries(
      BRANCHES.map((count) => [sizeOf(count), playing(wheel(count), orJoinRules(wheel(count)))]),
    ),
  });
  yield compare({
    title:
      "Decisions of one OR-join while half of its branches have arrived: a token moves, the join is asked",
    unit: "decisions",
    cases: {
      ...Object.fromEntries(
        BRANCHES.slice(1).map((count) => [`token by token: ${sizeOf(count)}`, deciding(count, true)]),
      ),
      ...Object.fromEntries(
        BRANCHES.slice(1).map((count) => [`in bits: ${sizeOf(count)}`, deciding(count, false)]),
      ),
    },
  });
  const models = await loadModels(["400.bpmn", "500.bpmn"]);
  if (models.length === 0) return;
  yield compare({
    title: "Co-marking of a whole process by the fixed point",
    unit: "nets",
    rounds: 3,
    fixedCount: 1,
    cases: Object.fromEntries(
      models.map(({ name, net }) => [
        `${name}: ${net.places.length} places, ${net.transitions.length} transitions`,
        {
          run(count) {
            for (let time = 0; time < count; time += 1) fixedPoint(net);
            return count;
          },
        },
      ]),
    ),
  });
}

/** The models that lie beside the repository; none, with the reason, where they do not. */
async function loadModels(names) {
  const found = [];
  for (const name of names) {
    const file = path.join(MODELS, name);
    if (!fs.existsSync(file)) {
      process.stderr.write(`skipped: ${name} is not beside the repository\n`);
      continue;
    }
    const imported = await importBpmn(fs.readFileSync(file));
    if (!imported.ok) throw new Error(JSON.stringify(imported.issues[0]));
    found.push({ name, net: compiled(imported.value.processes.at(-1).definition).net });
  }
  return found;
}
