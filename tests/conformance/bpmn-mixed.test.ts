/** @module Mixed gateways of BPMN, and activities that split and merge by themselves: from the file to the run. */
import { accepted } from "@tessera/engine";
import { testEngine } from "@tessera/engine/testing";
import { importBpmn } from "@tessera/interchange";
import { describe, expect, it } from "vitest";

const flow = (id: string, from: string, to: string, condition = "") =>
  `<sequenceFlow id="${id}" sourceRef="${from}" targetRef="${to}">${condition === "" ? "" : `<conditionExpression>${condition}</conditionExpression>`}</sequenceFlow>`;
const file = (content: string) =>
  new TextEncoder().encode(
    `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" expressionLanguage="feel"><process id="p" isExecutable="true">${content}</process></definitions>`,
  );

/** Two branches into the gateway g of `type`, two out of it, and a gateway of `closing` behind them. */
const mixed = (opening: string, type: string, closing: string, conditions: readonly [string, string]) =>
  file(`<startEvent id="s"/><${opening}Gateway id="o"/><userTask id="a"/><userTask id="b"/><${type}Gateway id="g"/>
<userTask id="c"/><userTask id="d"/><${closing}Gateway id="j"/><endEvent id="e"/>${flow("f0", "s", "o")}
${flow("f1", "o", "a", opening === "parallel" ? "" : "= first = true")}${flow("f2", "o", "b", opening === "parallel" ? "" : "= first = false")}
${flow("f3", "a", "g")}${flow("f4", "b", "g")}${flow("f5", "g", "c", conditions[0])}${flow("f6", "g", "d", conditions[1])}
${flow("f7", "c", "j")}${flow("f8", "d", "j")}${flow("f9", "j", "e")}`);

/** The tasks that are open, round by round, all of them completed in document order, one at a time. */
async function played(source: Uint8Array, data: { readonly [key: string]: unknown }) {
  const imported = await importBpmn(source);
  if (!imported.ok) throw new Error(imported.issues[0]?.message);
  const test = testEngine({});
  const [process] = imported.value.processes;
  if (process === undefined) throw new Error("no process");
  const accept = ["O5", "O9"].map((obligation) => ({ obligation, reason: "guards are data", by: "test" }));
  accepted(await test.engine.deploy(process.definition, { accept }));
  const run = accepted(await test.engine.start({ workflow: "p", data }));
  const rounds: string[] = [];
  for (;;) {
    const { rows } = await test.engine.workItems.list({ limit: 9 });
    const [first] = [...rows].sort((left, right) => (left.node < right.node ? -1 : 1));
    if (first === undefined) break;
    rounds.push(
      rows
        .map(({ node }) => node)
        .sort()
        .join(""),
    );
    accepted(await test.engine.workItems.complete({ task: first.id, by: { id: "ann" } }));
  }
  expect(accepted(await run.state()).status).toBe("completed");
  await test.engine.close();
  return rounds;
}

describe("mixed gateways", () => {
  it("[D14.4] [C20-24] a parallel one waits for all of its flows, then marks all", async () => {
    const source = mixed("parallel", "parallel", "parallel", ["", ""]);
    expect(await played(source, {})).toEqual(["ab", "b", "cd", "d"]);
  });

  it("[D14.4] [C20-26] an inclusive one waits for what can come, then marks what holds", async () => {
    const source = mixed("parallel", "inclusive", "inclusive", ["= n > 1", "= n > 0"]);
    expect(await played(source, { n: 2 })).toEqual(["ab", "b", "cd", "d"]);
    expect(await played(source, { n: 1 })).toEqual(["ab", "b", "d"]);
  });

  it("[D14.4] an exclusive one passes each token on, to the first flow that holds", async () => {
    const source = mixed("exclusive", "exclusive", "exclusive", ["= n > 1", "= n &lt; 2"]);
    expect(await played(source, { first: true, n: 2 })).toEqual(["a", "c"]);
    expect(await played(source, { first: false, n: 1 })).toEqual(["b", "d"]);
  });

  it("[D14.4] an activity merges what enters it, and splits into all of its flows", async () => {
    const source =
      file(`<startEvent id="s"/><exclusiveGateway id="o"/><userTask id="a"/><userTask id="b"/><userTask id="t"/>
<userTask id="c"/><userTask id="d"/><parallelGateway id="j"/><endEvent id="e"/>${flow("f0", "s", "o")}
${flow("f1", "o", "a", "= first = true")}${flow("f2", "o", "b", "= first = false")}${flow("f3", "a", "t")}${flow("f4", "b", "t")}
${flow("f5", "t", "c")}${flow("f6", "t", "d")}${flow("f7", "c", "j")}${flow("f8", "d", "j")}${flow("f9", "j", "e")}`);
    expect(await played(source, { first: false })).toEqual(["b", "t", "cd", "d"]);
  });
});
