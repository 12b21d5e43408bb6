/** @module Keys of D that a definition names somewhere: where one could change what expressions say, none is told. */
import type { JsonObject, WorkflowNode } from "@tessera/core";
import { FEEL } from "@tessera/interchange";
import { describe, expect, it } from "vitest";
import { compiledOf } from "../../packages/engine/test/data-worlds.ts";
import { questionsOf } from "../../packages/proofs/src/data-level/conditions-read.ts";
import { oddKey } from "../../packages/proofs/src/smt/odd-key.ts";

/** A workflow with one such node, if it is no start. */
function oddIn(node: Omit<WorkflowNode, "id">): string | null {
  const nodes: readonly WorkflowNode[] =
    node.kind === "start"
      ? [
          { id: "s", ...node },
          { id: "e", kind: "end" },
        ]
      : [
          { id: "s", kind: "start" },
          { id: "n", ...node },
          { id: "e", kind: "end" },
        ];
  const labelOf = ({ kind }: WorkflowNode) => ({ start: "m", decision: "a" })[kind] ?? "done";
  const arcs = nodes.slice(1).map(({ id }, at) => {
    const from = nodes[at]!;
    const label = from.kind === "start" && from.meta === undefined ? "done" : labelOf(from);
    return { from: from.id, to: id, outcome: label };
  });
  const compiled = compiledOf({ format: 1, kind: "workflow", id: "w", entry: "s", nodes, arcs });
  return oddKey(compiled, questionsOf(compiled));
}

const message = (more: JsonObject): JsonObject => ({ id: "m", on: "message", name: "m", ...more });
const handled = (more: JsonObject) => message({ interrupting: false, workflow: "h", ...more });
const several = (more: JsonObject) => ({ workflow: "w", multi: { mode: "sequential", count: 2, ...more } });

/** Where a node names a key. */
const NAMING: readonly (readonly [what: string, node: (key: string) => Omit<WorkflowNode, "id">])[] = [
  ["writes it", (key) => ({ kind: "human", writes: [key] })],
  ["reads it", (key) => ({ kind: "human", reads: [key] })],
  ["asks for it in a form", (key) => ({ kind: "human", meta: { form: { [key]: "string" } } })],
  [
    "starts with the key of a message in it",
    (key) => ({ kind: "start", meta: { events: [message({ key })] } }),
  ],
  ["waits for a message with it as key", (key) => ({ kind: "human", meta: { events: [message({ key })] } })],
  [
    "takes what a message brings",
    (key) => ({ kind: "human", meta: { events: [message({ payload: { [key]: "v" } })] } }),
  ],
  ["waits for a time in it", (key) => ({ kind: "human", meta: { events: [{ id: "t", on: "timer", key }] } })],
  ["is a timer of it", (key) => ({ kind: "timer", meta: { key } })],
  ["sends with it as key", (key) => ({ kind: "throw", meta: { on: "message", name: "m", key } })],
  ["sends it", (key) => ({ kind: "throw", meta: { on: "signal", name: "m", payload: { v: key } } })],
  [
    "gives it to a called workflow",
    (key) => ({ kind: "subprocess", meta: { workflow: "w", inputs: { v: key } } }),
  ],
  [
    "takes it from a called workflow",
    (key) => ({ kind: "subprocess", meta: { workflow: "w", outputs: { [key]: "v" } } }),
  ],
  [
    "gives it to a handler",
    (key) => ({ kind: "human", meta: { events: [handled({ inputs: { v: key } })] } }),
  ],
  [
    "takes it from a handler",
    (key) => ({ kind: "human", meta: { events: [handled({ outputs: { [key]: "v" } })] } }),
  ],
  [
    "calls for each of its members",
    (key) => ({ kind: "subprocess", meta: { workflow: "w", multi: { mode: "parallel", collection: key } } }),
  ],
  ["collects results in it", (key) => ({ kind: "subprocess", meta: several({ result: "r", results: key }) })],
  [
    "is done when it holds",
    (key) => ({ kind: "subprocess", meta: several({ completion: { key, op: "is", value: 1 } }) }),
  ],
  ["decides by it", (key) => ({ kind: "decision", meta: { key, branches: { a: "a" } } })],
  ["answers with it", (key) => ({ kind: "verifier", meta: { passKey: key } })],
];

describe("[D23.12] keys that could change what an expression says", () => {
  it("[D23.12] a run may hold them, as the key of the message that began it: then FEEL says nothing", () => {
    const text = "x > 1 and x > 2";
    expect(FEEL.run(text, { x: 3 }, 0)).toMatchObject({ kind: "value", value: true });
    expect(FEEL.run(text, { x: 3, and: "order 1" }, 0)).toMatchObject({ kind: "error" });
  });

  it.each(NAMING)("[D23.12] no expression is told where a node %s", (_, node) => {
    for (const key of ["and", "net - tax"])
      expect(oddIn(node(key))).toBe(`${JSON.stringify(key)} is a key that expressions could mean otherwise`);
    expect(oddIn(node("order"))).toBeNull();
  });

  it("[D23.12] no expression is told where a block merges it", () => {
    const merging = (key: string) => {
      const nodes = [
        { id: "s", kind: "start" },
        { id: "split", kind: "gateway", split: "all" },
        { id: "a", kind: "human" },
        { id: "b", kind: "human" },
        { id: "join", kind: "gateway", join: "all", meta: { merge: { [key]: "append" } } },
        { id: "e", kind: "end" },
      ] as const;
      const arcs = [
        ["s", "split"],
        ["split", "a"],
        ["split", "b"],
        ["a", "join"],
        ["b", "join"],
        ["join", "e"],
      ];
      const compiled = compiledOf({
        format: 1,
        kind: "workflow",
        id: "w",
        entry: "s",
        nodes,
        arcs: arcs.map(([from = "", to = ""]) => ({ from, to })),
      });
      return oddKey(compiled, questionsOf(compiled));
    };
    expect(merging("and")).toContain('"and"');
    expect(merging("order")).toBeNull();
  });

  it("[D23.12] every key under its own name is no key", () => {
    expect(
      oddIn({ kind: "subprocess", meta: { workflow: "w", inputs: { "*": "*" }, outputs: { "*": "*" } } }),
    ).toBeNull();
  });
});
