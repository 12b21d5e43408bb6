/** @module What Stryker is told by us: which code is prose, which mutants are outside the sample, how the run gets on. */
import fs from "node:fs";
import path from "node:path";
import { CheckStatus } from "@stryker-mutator/api/check";
import { PlanKind } from "@stryker-mutator/api/core";
import {
  commonTokens,
  declareClassPlugin,
  declareValuePlugin,
  PluginKind,
} from "@stryker-mutator/api/plugin";
import { mutantKey } from "./mutant-key.mjs";

/** The status reason of a mutant that was not drawn. */
export const OUTSIDE = "outside the sample";

/** Calls whose third argument is for a reader: the message of an issue, the facts of a broken invariant. */
const PROSE_CALLS = new Set(["issue", "invariant"]);

/** Three words: what is an id, a key or a code has fewer. */
const SENTENCE = /\S \S+ \S/;

/** Keeps mutants out of prose: nothing decides on it, codes and paths are what tests see. */
export const proseIgnorer = {
  shouldIgnore({ node, parent, listKey, key }) {
    const isForReaders =
      parent?.type === "CallExpression" &&
      listKey === "arguments" &&
      key === 2 &&
      PROSE_CALLS.has(parent.callee.name);
    return isForReaders || SENTENCE.test(textOf(node)) ? "prose" : undefined;
  },
};

function textOf(node) {
  if (node.type === "StringLiteral") return node.value;
  return node.type === "TemplateLiteral" ? node.quasis.map(({ value }) => value.raw).join("x") : "";
}

/** Lets the mutants of the sample pass; runs in a process of its own, so the sample comes in a file. */
class SampleChecker {
  static inject = [commonTokens.options];
  #root;
  #drawn;

  constructor({ tessera }) {
    this.#root = tessera.root;
    this.#drawn = new Set(JSON.parse(fs.readFileSync(tessera.sampleFile, "utf8")));
  }

  async init() {}

  async check(mutants) {
    const isDrawn = (mutant) =>
      this.#drawn.has(mutantKey(path.relative(this.#root, mutant.fileName), mutant));
    return Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        isDrawn(mutant)
          ? { status: CheckStatus.Passed }
          : { status: CheckStatus.CompileError, reason: OUTSIDE },
      ]),
    );
  }
}

const oneLine = (text) => text.replaceAll(/\s+/g, " ").slice(0, 120);

/** What the reporter of the last run saw; the reporter lives in this process. */
export const pace = { done: 0, survived: 0, startedMs: 0, finishedMs: 0 };

const LINE_EVERY_MS = 60_000;

/** Counts what is really run, not what an earlier run already knew, and says so once a minute. */
class PaceReporter {
  static inject = [];
  #known = new Set();
  #lineMs = 0;

  onMutationTestingPlanReady({ mutantPlans }) {
    this.#known = new Set(
      mutantPlans.filter(({ plan }) => plan === PlanKind.EarlyResult).map(({ mutant }) => mutant.id),
    );
    this.#lineMs = Date.now();
    Object.assign(pace, { done: 0, survived: 0, startedMs: this.#lineMs, finishedMs: this.#lineMs });
  }

  onMutantTested({ id, status, fileName, location, replacement }) {
    if (this.#known.has(id) || status === "CompileError") return;
    pace.done += 1;
    pace.finishedMs = Date.now();
    if (status === "Survived" || status === "NoCoverage") {
      pace.survived += 1;
      // Now and not only at the end: a run that is stopped has then told something, and tests can be written meanwhile.
      process.stderr.write(`  ${status}: ${fileName}:${location.start.line} ${oneLine(replacement)}\n`);
    }
    if (pace.finishedMs - this.#lineMs < LINE_EVERY_MS) return;
    this.#lineMs = pace.finishedMs;
    process.stderr.write(`  ${pace.done} mutants run, ${pace.survived} survived\n`);
  }
}

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, "prose", proseIgnorer),
  declareClassPlugin(PluginKind.Checker, "sample", SampleChecker),
  declareClassPlugin(PluginKind.Reporter, "pace", PaceReporter),
];
