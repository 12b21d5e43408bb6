/** @module OR-joins on the hard cases of the literature, three rules side by side; writes and checks docs/or-joins.md. */
import fs from "node:fs";
import {
  type CompiledWorkflow,
  enabledTransitions,
  type Marking,
  type WorkflowDefinition,
} from "@tessera/core";
import { describe, expect, it } from "vitest";
import { joinRules, orJoinEnabled, orJoinRules } from "../src/index.ts";
import { soundnessOf } from "./explore.ts";
import { arcs, compiledOf, node, workflow } from "./workflow-text.ts";

const or = (id: string) => node(id, "gateway", { split: "or" });
const orJoin = (id: string) => node(id, "gateway", { join: "or" });
const and = (id: string) => node(id, "gateway", { split: "all" });
const join = (id: string) => node(id, "gateway", { join: "all" });
const gate = (id: string) => node(id, "gateway");
const user = (id: string) => node(id, "wait");
const end = (id = "e") => node(id, "end");

/** A model, the join asked about, and the marking in which it is asked. `expected`: may it fire by each rule? */
interface Case {
  readonly name: string;
  readonly model: string;
  readonly definition: WorkflowDefinition;
  readonly join: string;
  readonly marked: readonly string[];
  readonly expected: Answers;
}

/** ours: D15.3. letter: BPMN's clause 13.4.3 with tokens on sequence flows only. yawl: D15.8. */
interface Answers {
  readonly ours: boolean;
  readonly letter: boolean;
  readonly yawl: boolean;
}

const circle = workflow(
  [and("p"), user("a"), user("b"), orJoin("j1"), gate("x1"), orJoin("j2"), gate("x2"), end("e1"), end("e2")],
  arcs("p -> a, p -> b, a -> j1, b -> j2, j1 -> x1, x1 -> j2, x1 -> e1, j2 -> x2, x2 -> j1, x2 -> e2"),
);
const twoInLoop = workflow(
  [
    and("p"),
    user("a"),
    user("b"),
    user("c"),
    orJoin("j1"),
    user("m"),
    orJoin("j2"),
    gate("x"),
    user("back"),
    end(),
  ],
  arcs(
    "p -> a, p -> b, p -> c, a -> j1, b -> j1, j1 -> m, m -> j2, c -> j2, j2 -> x, x -> e, x -> back, back -> j1",
  ),
);
const ownLoop = workflow(
  [gate("n"), orJoin("j"), user("a"), gate("x"), end()],
  arcs("n -> j, j -> a, a -> x, x -> j, x -> e"),
);
const throughOne = workflow(
  [and("p"), user("a"), user("b"), gate("m"), orJoin("j"), gate("x"), user("y"), end()],
  arcs("p -> a, p -> b, a -> j, b -> m, m -> j, j -> x, x -> e, x -> y, y -> m"),
);
const boundary = workflow(
  [and("p"), user("a"), node("t", "wait", { meta: { deadline: "PT1H" } }), orJoin("j"), user("late"), end()],
  arcs("p -> a, p -> t, a -> j, t -> j, t:expired -> late, late -> j, j -> e"),
);
const elsewhere = workflow(
  [and("p"), user("a"), user("b"), gate("x"), orJoin("j"), end(), end("f")],
  arcs("p -> a, p -> b, a -> j, b -> x, x -> j, x -> f, j -> e"),
);
const eitherInput = workflow(
  [and("p"), user("a"), gate("m"), user("b"), gate("x"), orJoin("j"), end()],
  arcs("p -> a, p -> b, a -> m, m -> j, b -> x, x -> m, x -> j, j -> e"),
);
const behindDeadlock = workflow(
  [and("p"), user("a"), gate("c"), user("b"), user("d"), join("g"), orJoin("j"), end(), end("f")],
  arcs("p -> a, p -> b, p -> c, a -> j, c -> d, c -> f, b -> g, d -> g, g -> j, j -> e"),
);
const inside = (id: string, kind: string, change = {}) => node(id, kind, { scope: "s", ...change });
const cancelled = workflow(
  [
    and("p"),
    user("a"),
    node("s", "subprocess", { meta: { entry: "i" } }),
    orJoin("j"),
    end(),
    inside("i", "gateway", { split: "all" }),
    inside("u", "wait"),
    inside("v", "wait"),
    inside("m", "gateway"),
    inside("stop", "end", { meta: { terminate: true } }),
  ],
  arcs("p -> a, p -> s, a -> j, s -> j, j -> e, i -> u, i -> v, u -> m, v -> m, m -> stop"),
);

const yes = (answers: string): Answers => ({
  ours: answers.includes("o"),
  letter: answers.includes("l"),
  yawl: answers.includes("y"),
});

const CASES: readonly Case[] = [
  {
    name: "vicious circle: two joins, each waits for the other",
    model: "p splits to a, b; a -> j1 -> x1 -> (j2 or end); b -> j2 -> x2 -> (j1 or end)",
    definition: circle,
    join: "j1",
    marked: ["a->j1", "b->j2"],
    expected: yes(""),
  },
  {
    name: "two joins in a loop, the first with one of its own two",
    model: "p splits to a, b, c; a, b -> j1 -> m -> j2; c -> j2 -> x -> (end or back -> j1)",
    definition: twoInLoop,
    join: "j1",
    marked: ["a->j1", "b.active", "c.active"],
    expected: yes("l"),
  },
  {
    name: "two joins in a loop, the first with both of its own: the other's token can come round",
    model: "as above",
    definition: twoInLoop,
    join: "j1",
    marked: ["a->j1", "b->j1", "c.active"],
    expected: yes("l"),
  },
  {
    name: "two joins in a loop, the second, which the first one's token can only reach through an open task",
    model: "as above",
    definition: twoInLoop,
    join: "j2",
    marked: ["m.active", "c->j2"],
    expected: yes("l"),
  },
  {
    name: "join inside its own loop, first round",
    model: "n -> j -> a -> x -> (j or end)",
    definition: ownLoop,
    join: "j",
    marked: ["n->j"],
    expected: yes("oly"),
  },
  {
    name: "join inside its own loop, next round",
    model: "as above",
    definition: ownLoop,
    join: "j",
    marked: ["x->j"],
    expected: yes("oly"),
  },
  {
    name: "loop through one input, first arrival",
    model: "p splits to a -> j, b -> m -> j; j -> x -> (end or y -> m)",
    definition: throughOne,
    join: "j",
    marked: ["a->j", "b.active"],
    expected: yes("l"),
  },
  {
    name: "loop through one input, second round",
    model: "as above",
    definition: throughOne,
    join: "j",
    marked: ["m->j"],
    expected: yes("oly"),
  },
  {
    name: "after a boundary event: the host is still at work",
    model: "p splits to a -> j, t -> j; t expires -> late -> j",
    definition: boundary,
    join: "j",
    marked: ["a->j", "t.active"],
    expected: yes("l"),
  },
  {
    name: "after a boundary event: its way leads to the join too",
    model: "as above",
    definition: boundary,
    join: "j",
    marked: ["a->j", "late.active"],
    expected: yes("l"),
  },
  {
    name: "a token that may go elsewhere",
    model: "p splits to a -> j, b -> x -> (j or end)",
    definition: elsewhere,
    join: "j",
    marked: ["a->j", "b.active"],
    expected: yes("l"),
  },
  {
    name: "the same token, gone elsewhere",
    model: "as above",
    definition: elsewhere,
    join: "j",
    marked: ["a->j", "f.end"],
    expected: yes("oly"),
  },
  {
    name: "a token that can come to a marked input as well as to an unmarked one",
    model: "p splits to a -> m -> j, b -> x -> (m or j)",
    definition: eitherInput,
    join: "j",
    marked: ["m->j", "b.active"],
    expected: yes("ol"),
  },
  {
    name: "a token behind an AND join that can no longer fire",
    model: "p splits to a -> j, b -> g, c -> (d -> g or end); g waits for b and d, then -> j",
    definition: behindDeadlock,
    join: "j",
    marked: ["a->j", "b->g", "f.end"],
    expected: yes("y"),
  },
  {
    name: "a token inside a subprocess that can still be cancelled from within",
    model: "p splits to a -> j, s -> j; inside s a terminate end",
    definition: cancelled,
    join: "j",
    marked: ["a->j", "u.active", "v.active"],
    expected: yes("l"),
  },
  {
    name: "the same subprocess, left: nothing of it is waited for",
    model: "as above",
    definition: cancelled,
    join: "j",
    marked: ["a->j", "s->j"],
    expected: yes("oly"),
  },
];

function markingOf({ net }: CompiledWorkflow, marked: readonly string[]): Marking {
  for (const id of marked)
    if (!net.places.some((place) => place.id === id)) throw new Error(`no place ${id}`);
  return net.places.map(({ id }) => (marked.includes(id) ? 1 : 0));
}

/** The three answers. Where a marking is not quiet nothing is said of the join, so cases are chosen to be quiet. */
function answersOf({ definition, join: id, marked }: Case): Answers {
  const plain = compiledOf(definition);
  const M = markingOf(plain, marked);
  const t = plain.net.transitions.findIndex(({ rule }) => rule === `or-join:${id}`);
  const onFlows = M.map((tokens, place) => (plain.net.places[place]?.origin?.kind === "arc" ? tokens : 0));
  const fires = (compiled: CompiledWorkflow) =>
    enabledTransitions(compiled.net, M, orJoinRules(compiled)).includes(t);
  return {
    ours: fires(plain),
    letter: orJoinEnabled(
      plain,
      onFlows,
      plain.definition.nodes.findIndex((own) => own.id === id),
    ),
    yawl: fires(compiledOf({ ...definition, joinSemantics: "yawl" })),
  };
}

const PAGE = new URL("../../../docs/or-joins.md", import.meta.url);

function page(): string {
  const say = (fires: boolean) => (fires ? "fires" : "waits");
  const rows = CASES.map((one) => {
    const { ours, letter, yawl } = answersOf(one);
    const tokens = one.marked.map((id) => `\`${id}\``).join(", ");
    return `| ${one.name} | ${one.model} | ${tokens} | ${say(ours)} | ${say(letter)} | ${say(yawl)} |`;
  });
  return `# OR-joins on the hard cases

Generated by \`packages/gateways/test/or-join-cases.test.ts\`, which fails when a row is not what the rules say. Each row
asks whether the OR-join may fire in the marking given (\`x->y\`: a token on that flow, \`x.active\`: a task at work).

- **Tessera**: the default rule (D15.3). It is BPMN's, clause 13.4.3, with the tokens counted that are inside activities
  and subprocesses, at boundary events and in link pairs, and OR-joins last (D15.4).
- **BPMN, letter**: clause 13.4.3 with tokens on sequence flows only, as its words have it. It fires while a task that
  leads to the join is still at work, because no sequence flow has that token.
- **YAWL**: \`joinSemantics: "yawl"\` (D15.8). It looks at what can really be reached: a token that is stuck is not waited
  for, and one that may still mark one more input is, even if it might as well come to a marked one.

| case | model | tokens | Tessera | BPMN, letter | YAWL |
|---|---|---|---|---|---|
${rows.join("\n")}

Two OR-joins that wait for each other are a deadlock by all three rules; the proofs report the marking with a run to it.
`;
}

describe("[D15.3] [D15.8] OR-joins on the published hard cases", () => {
  for (const one of CASES) {
    it(`[D15.3] [D15.8] [D15.9] [C20-27] ${one.name}`, () => {
      expect(answersOf(one)).toEqual(one.expected);
    });
  }

  it("[D15.3] [D15.8] the page says what the rules say (TESSERA_WRITE=or-joins writes it)", () => {
    if (process.env["TESSERA_WRITE"] === "or-joins") fs.writeFileSync(PAGE, page());
    expect(fs.readFileSync(PAGE, "utf8")).toBe(page());
  });

  it("[D15.9] [L15.3] the semantics of the definition decide what is sound", () => {
    const soundUnder = (definition: WorkflowDefinition, joinSemantics: "bpmn" | "yawl") => {
      const compiled = compiledOf({ ...definition, joinSemantics });
      return soundnessOf(compiled.net, orJoinRules(compiled));
    };
    expect(soundUnder(throughOne, "yawl")).toMatchObject({ optionToComplete: true, dead: [], safe: true });
    expect(soundUnder(circle, "yawl").deadlocks).toHaveLength(1);
    expect(soundUnder(circle, "bpmn").deadlocks).toHaveLength(1);
    // What is left behind the AND join is cleared by the end, if the OR-join does not wait for it for ever.
    const nodes = behindDeadlock.nodes.map((own) =>
      own.id === "e" ? node("e", "end", { meta: { terminate: true } }) : own,
    );
    const clearing = { ...behindDeadlock, nodes };
    expect(soundUnder(clearing, "bpmn").optionToComplete).toBe(false);
    expect(soundUnder(clearing, "yawl").optionToComplete).toBe(true);
  });

  it("[D15.9] joinRules asks a rule that the definition does not name, and only an OR split has none", () => {
    const compiled = compiledOf(eitherInput);
    const M = markingOf(compiled, ["m->j", "b.active"]);
    const asked = (["bpmn", "yawl"] as const).map((semantics) =>
      joinRules(compiled, semantics).get("or-join:j")?.(compiled.net, M, 0),
    );
    expect(asked).toEqual([true, false]);
    const split = workflow([or("s"), end("e"), end("f")], arcs("s -> e, s -> f"));
    expect(joinRules(compiledOf(split), "yawl").size).toBe(0);
  });
});
