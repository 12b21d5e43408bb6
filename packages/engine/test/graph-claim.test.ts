import {
  EMPTY_MUTATION,
  type GraphClaim,
  type JsonObject,
  type Mutation,
  objectOf,
  objectsOf,
  type ProductGraph,
  type ProductObject,
  productGraph,
} from "@tessera/core";
import { describe, expect, it } from "vitest";
import { visibleGraph } from "../src/graph-claim.ts";
import { type GraphRead, staleReads, watchedGraph } from "../src/graph-reads.ts";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow, single } from "./definitions.ts";
import { bareRun, planOf, result, starting } from "./host.ts";

const object = (id: string, type = "t", ...to: readonly string[]): ProductObject => ({
  id,
  type,
  payload: {},
  links: to.map((target) => ({ to: target })),
});
const G = productGraph([object("a/1"), object("b", "u", "a/1"), object("c")]);
const create = (...made: readonly ProductObject[]): Mutation => ({ ...EMPTY_MUTATION, create: made });
const relink = (id: string, ...to: readonly string[]): Mutation => ({
  ...EMPTY_MUTATION,
  update: [{ id, links: to.map((target) => ({ to: target })) }],
});
const repay = (id: string): Mutation => ({ ...EMPTY_MUTATION, update: [{ id, payload: { n: 1 } }] });
const remove = (id: string): Mutation => ({ ...EMPTY_MUTATION, delete: [id] });

/** What became of a transform with the claim that proposes `delta` on G with D = {k: 1}. */
function proposed(graph: GraphClaim | undefined, delta: Mutation) {
  const claim = graph === undefined ? {} : { graph };
  const definition = single("w", ["f", "transform", {}, claim]);
  const run = bareRun(definition, { functions: { f: () => ({ patch: { done: true }, mutation: delta }) } });
  run.graph = G;
  const { record } = run.take(starting({ k: 1 }));
  const step = record.steps.find(({ node }) => node === "f");
  const { outcome = null, trouble = null } = step ?? {};
  return { outcome, code: trouble?.code ?? null, facts: trouble?.facts ?? null, run };
}

describe("[D16.13] mutations within claims", () => {
  it("[D16.13] [C20-35] what a node claims, filled from D, it may write; with nothing claimed everything", () => {
    const writes = { objects: ["a/{k}"], types: ["u"] };
    for (const [claim, delta] of [
      [undefined, create(object("z"))],
      [{ reads: {} }, create(object("z"))],
      [{ writes }, repay("a/1")],
      [{ writes }, repay("b")],
      [{ writes }, create(object("z", "u"))],
      [{ writes, reads: { objects: ["c"] } }, relink("a/1", "c", "b")],
      [{ writes: { objects: ["c"], payloadOnly: true } }, repay("c")],
      [{ writes: { objects: ["a/{k}"], types: ["u"] } }, remove("a/1")],
    ] as const) {
      const { outcome, run } = proposed(claim, delta);
      expect(outcome, JSON.stringify([claim, delta])).toBe("done");
      expect(run.graph).not.toBe(G);
    }
  });

  it("[D16.13] [C20-35] [OH-55] what leaves the claim is refused with the facts, and nothing of the step is kept", () => {
    const writes = { objects: ["a/{k}"], types: ["u"] };
    for (const [claim, delta, facts] of [
      [{ writes: {} }, repay("c"), { objects: ["c"] }],
      [{ writes }, create(object("z"), object("y")), { objects: ["y", "z"] }],
      [{ writes: { objects: ["c/{gone}", "c{k}"] } }, repay("c"), { objects: ["c"] }],
      // Deleting a/1 takes a link from b, which is then written too.
      [{ writes: { objects: ["a/{k}"] } }, remove("a/1"), { objects: ["b"] }],
      [{ writes, reads: {} }, relink("a/1", "c"), { targets: ["c"] }],
      [{ writes, reads: {} }, create(object("z", "u", "c")), { targets: ["c"] }],
      [{ writes: { types: ["t", "u"], payloadOnly: true } }, relink("a/1"), { payloadOnly: true }],
      [{ writes: { types: ["t"], payloadOnly: true } }, create(object("z")), { payloadOnly: true }],
      [{ writes: { types: ["t"], payloadOnly: true } }, remove("c"), { payloadOnly: true }],
      [
        { writes: { payloadOnly: true }, reads: {} },
        relink("c", "b"),
        { objects: ["c"], targets: ["b"], payloadOnly: true },
      ],
    ] as const) {
      const { outcome, code, facts: found, run } = proposed(claim as GraphClaim, delta);
      expect([outcome, code, found], JSON.stringify([claim, delta])).toEqual(["error", "FOOTPRINT", facts]);
      expect(run.graph).toBe(G);
      expect(run.state.data).toEqual({ k: 1 });
    }
  });

  it("[D16.13] [C20-35] the templates are filled from D before the step's own patch", () => {
    const definition = single("w", ["f", "transform", {}, { graph: { writes: { objects: ["{k}"] } } }]);
    const answer = { patch: { k: "b" }, mutation: repay("b") };
    const run = bareRun(definition, { functions: { f: () => answer } });
    run.graph = G;
    expect(run.take(starting({ k: "c" })).record.steps.map(({ trouble }) => trouble?.code)).toContain(
      "FOOTPRINT",
    );
  });

  it("[D16.13] [D9.8] the result of a job is held to its claim; a person proposes nothing", () => {
    const job = bareRun(single("w", ["t", "tool", {}, { graph: { writes: { objects: ["c"] } } }]));
    job.take(starting());
    const given = result(job.item("t"));
    const ready = job.take({ ...given, payload: { patch: { x: 1 }, mutation: create(object("z")) } });
    expect(ready.record.steps[0]).toMatchObject({ outcome: "error", trouble: { code: "FOOTPRINT" } });
    expect(job.state.data).toEqual({});
    expect(ready.mutations).toEqual([]);
    const person = bareRun(single("w", ["h", "human"], ["done"]));
    person.take(starting());
    const input = { kind: "complete", item: "h.1", outcome: "done", by: "ann" } as const;
    const refusal = person.turn({ input, payload: { mutation: create(object("z")) } });
    expect(refusal).toMatchObject({ kind: "refused", facts: { code: "FOOTPRINT", objects: ["z"] } });
  });
});

describe("[D16.13] what a node sees of G", () => {
  const seen = (graph: GraphClaim | undefined, data: JsonObject = { k: 1 }, kind = "transform") => {
    const meta = kind === "verifier" ? { passKey: "ok" } : {};
    const claim = graph === undefined ? {} : { graph };
    const plan = planOf(single("w", ["f", kind, meta, claim]));
    return objectsOf(visibleGraph(plan, 1, data, G)).map(({ id }) => id);
  };

  it("[D16.13] [C20-35] [OH-55] only what it claims to read or write, everything where it leaves one open", () => {
    expect(seen(undefined)).toEqual(["a/1", "b", "c"]);
    expect(seen({ reads: {} })).toEqual(["a/1", "b", "c"]);
    expect(seen({ writes: {} })).toEqual(["a/1", "b", "c"]);
    expect(seen({ reads: {}, writes: {} })).toEqual([]);
    expect(seen({ reads: { objects: ["a/{k}"] }, writes: { objects: ["c", "none"] } })).toEqual(["a/1", "c"]);
    expect(seen({ reads: { objects: ["a/{k}"] }, writes: {} }, {})).toEqual([]);
    expect(seen({ reads: { types: ["u"] }, writes: { objects: ["c"] } })).toEqual(["b", "c"]);
    expect(seen({ reads: { objects: ["c"] }, writes: { types: ["u"] } })).toEqual(["b", "c"]);
    expect(seen({ reads: { objects: ["c"] } }, {}, "verifier")).toEqual(["c"]);
    expect(seen(undefined, {}, "verifier")).toEqual(["a/1", "b", "c"]);
  });

  it("[D16.13] [C20-35] an inline body is given that graph, links to what it does not see included", () => {
    const graphs: ProductGraph[] = [];
    const definition = single("w", [
      "f",
      "transform",
      {},
      { graph: { reads: { objects: ["b"] }, writes: {} } },
    ]);
    const run = bareRun(definition, {
      functions: {
        f: ({ graph }) => {
          graphs.push(graph);
          return undefined;
        },
      },
    });
    run.graph = G;
    run.take(starting());
    expect(graphs.map((graph) => objectsOf(graph).map(({ id }) => id))).toEqual([["b"]]);
    expect(objectOf(graphs[0] as ProductGraph, "b")?.links).toEqual([{ to: "a/1" }]);
  });
});

describe("[D16.14] stale reads", () => {
  it("[D16.14] [C20-35] a read is stale iff what it saw has changed", () => {
    const watched = watchedGraph(G);
    expect(watched.reads()).toEqual([]);
    expect(watched.graph.object("b")?.type).toBe("u");
    expect(watched.graph.object("none")).toBeUndefined();
    expect(watched.graph.object("b")?.type).toBe("u");
    expect(watched.graph.objectsOfType("t").map(({ id }) => id)).toEqual(["a/1", "c"]);
    expect(watched.graph.sourcesOf("a/1")).toEqual(["b"]);
    const reads = watched.reads();
    expect(reads.map(({ kind, name, version }) => [kind, name, version === null])).toEqual([
      ["object", "b", false],
      ["object", "none", true],
      ["type", "t", false],
      ["sources", "a/1", false],
    ]);
    const stale = (graph: ProductGraph) =>
      staleReads(graph, reads).map(({ kind, name }) => `${kind} ${name}`);
    const others = (...objects: readonly ProductObject[]) => productGraph(objects);
    const [a, b, c] = [object("a/1"), object("b", "u", "a/1"), object("c")];
    expect(stale(G)).toEqual([]);
    expect(stale(others(a, b, c, object("z", "v")))).toEqual([]);
    expect(stale(others(a, { ...b, payload: { n: 1 } }, c))).toEqual(["object b"]);
    expect(stale(others(a, b, c, object("none", "v")))).toEqual(["object none"]);
    expect(stale(others(a, b))).toEqual(["type t"]);
    expect(stale(others(a, b, c, object("z", "v", "a/1")))).toEqual(["sources a/1"]);
    expect(stale(others(a, c))).toEqual(["object b", "sources a/1"]);
  });

  const reading = flow(
    "reading",
    [
      ["begin", "start"],
      ["t", "tool", { retry: { attempts: 2 } }],
      ["end", "end"],
      ["bad", "end", { outcome: "bad" }],
    ],
    [
      ["begin", "t"],
      ["t", "end"],
      ["t", "bad", "error"],
    ],
  );

  it("[D16.14] [D9.8] [C20-35] an answer with a stale read is refused and leaves no trace; a fresh one is taken", () => {
    const run = bareRun(reading);
    run.take(starting());
    run.graph = G;
    const { graph, reads } = watchedGraph(G);
    graph.object("c");
    const { input } = result(run.item("t"));
    const payload = { patch: { x: 1 }, reads: reads() };
    run.graph = productGraph([object("c", "u")]);
    const before = run.state;
    expect(run.turn({ input, payload })).toEqual({
      kind: "refused",
      code: "stale-read",
      message: "what the job read of the graph has changed",
      facts: { item: "t.1", reads: [{ kind: "object", name: "c" }] },
    });
    expect(run.state).toBe(before);
    run.graph = G;
    expect(run.take({ input, payload }).hasReadGraph).toBe(true);
    expect(run.state.data).toEqual({ x: 1 });
  });

  it("[D16.14] [C20-35] reads are judged by what the node may see", () => {
    const claim = { graph: { reads: { objects: ["b"] }, writes: {} } };
    const run = bareRun(single("w", ["t", "tool", {}, claim]));
    run.take(starting());
    const { graph, reads } = watchedGraph(productGraph([]));
    graph.object("c");
    run.graph = G;
    expect(
      run.turn({ ...result(run.item("t")), payload: { reads: reads() as readonly GraphRead[] } }).kind,
    ).toBe("turn");
  });

  /** A job that reads "o"; while it works another run changes what it read, `times` times. */
  async function contended(times: number) {
    let asked = 0;
    const seen: unknown[] = [];
    const test = testEngine({
      functions: {
        seed: () => ({ mutation: create(object("o")) }),
        touch: ({ data }) => ({
          mutation: { ...EMPTY_MUTATION, update: [{ id: "o", payload: { by: data["by"] ?? 0 } }] },
        }),
      },
      ports: {
        t: async ({ graph, attempt }) => {
          asked += 1;
          const own = await graph();
          expect(await graph()).toBe(own);
          seen.push(own.object("o")?.payload);
          if (attempt <= times) {
            accepted(await test.engine.start({ workflow: "touch", graph: "g", data: { by: attempt } }));
          }
          return { patch: { sum: asked } };
        },
      },
    });
    const inline = (id: string) => single(id, [id, "transform"]);
    for (const definition of [inline("seed"), inline("touch"), reading]) {
      accepted(await test.engine.deploy(definition));
    }
    accepted(await test.engine.start({ workflow: "seed", graph: "g" }));
    const run = accepted(await test.engine.start({ workflow: "reading", id: "r", graph: "g" }));
    const done = run.result();
    await test.settle();
    await test.clock.advance(3_600_000);
    const history = accepted(await test.engine.history("r"));
    return { outcome: await done, asked, seen, history };
  }

  it("[D16.14] [C20-35] the job looks again at what has changed, and its fresh answer counts", async () => {
    const { outcome, asked, seen } = await contended(1);
    expect(outcome).toMatchObject({ status: "completed", outcomes: ["done"], data: { sum: 2 } });
    expect([asked, seen]).toEqual([2, [{}, { by: 1 }]]);
  });

  it("[D16.14] [C20-35] when its attempts are used up it ends under error, with the reason", async () => {
    const { outcome, asked, history } = await contended(2);
    expect(outcome).toMatchObject({ status: "completed", outcomes: ["bad"] });
    expect(outcome).not.toHaveProperty("data.sum");
    expect(asked).toBe(2);
    expect(JSON.stringify(history)).toContain("STALE_READ");
  });
});
