/** @module What BPMN defines by plainer elements: loops, quantities, several events at one, event subprocesses, transactions, global tasks. */
import { describe, expect, it } from "vitest";
import { importBpmn } from "../../src/index.ts";
import { arcsOf, definitionOf, file, flows, imported, issuesOf, nodeOf } from "./bpmn-file.ts";

const around = (activity: string, more = "", before = "") =>
  file(`<startEvent id="s"/>${activity}<endEvent id="e"/>${flows("s > a", "a > e")}${more}`, before);

describe("[D14.17] loops", () => {
  const loop = (inner: string, attributes = "") =>
    around(
      `<userTask id="a"><standardLoopCharacteristics ${attributes}>${inner}</standardLoopCharacteristics></userTask>`,
    );
  const condition = "<loopCondition>n &lt; 3</loopCondition>";

  it("[D14.17] the condition is asked behind the activity, or before it", async () => {
    expect(arcsOf(await definitionOf(loop(condition)))).toEqual([
      "a -> a:loop",
      "a:loop -> a:out*",
      "a:loop -> a?",
      "a:out -> e",
      "s -> a",
    ]);
    expect(arcsOf(await definitionOf(loop(condition, 'testBefore="true"')))).toEqual([
      "a -> a:loop",
      "a:loop -> a:out*",
      "a:loop -> a?",
      "a:out -> e",
      "s -> a:loop",
    ]);
  });

  it("[D14.17] with a maximum the rounds stand one behind the other", async () => {
    expect(arcsOf(await definitionOf(loop("", 'loopMaximum="3"')))).toEqual([
      "a -> a:2",
      "a:2 -> a:3",
      "a:3 -> a:out",
      "a:out -> e",
      "s -> a",
    ]);
    expect(arcsOf(await definitionOf(loop(condition, 'loopMaximum="2"')))).toEqual([
      "a -> a:loop",
      "a:2 -> a:out",
      "a:loop -> a:2?",
      "a:loop -> a:out*",
      "a:out -> e",
      "s -> a",
    ]);
    expect(arcsOf(await definitionOf(loop(condition, 'loopMaximum="2" testBefore="true"')))).toEqual([
      "a -> a:loop:2",
      "a:2 -> a:out",
      "a:loop -> a:out*",
      "a:loop -> a?",
      "a:loop:2 -> a:2?",
      "a:loop:2 -> a:out*",
      "a:out -> e",
      "s -> a:loop",
    ]);
  });

  it("[D14.17] nodes that were made have the element that they stand for", async () => {
    const result = await importBpmn(loop(condition, 'loopMaximum="2"'));
    const elements = result.ok ? result.value.processes[0]?.elements : undefined;
    for (const id of ["a", "a:2", "a:loop", "a:out"])
      expect([id, elements?.get(id)]).toEqual([
        id,
        { id: "a", type: "userTask", position: { line: 5, column: expect.any(Number) } },
      ]);
  });
});

describe("[D14.17] several tokens and several events", () => {
  it("[D14.17] a completion quantity is a fork of so many flows to where the activity's flows leave", async () => {
    const definition = await definitionOf(around(`<userTask id="a" completionQuantity="2"/>`));
    expect(nodeOf(definition, "a:tokens")).toMatchObject({ kind: "gateway", split: "all" });
    expect(definition.arcs.filter(({ from }) => from === "a:tokens")).toHaveLength(2);
    expect(definition.arcs.filter(({ to }) => to === "a:out")).toHaveLength(2);
  });

  it("[D14.17] links thrown together are thrown one after the other, what ends comes last", async () => {
    const text = file(
      `<startEvent id="s"/><endEvent id="e" name="E"><terminateEventDefinition/><errorEventDefinition/></endEvent>${flows("s > e")}`,
    );
    expect((await issuesOf(text)).map(({ code }) => code)).toEqual(["BPMN045"]);
  });
});

describe("[D14.18] event subprocesses", () => {
  const handler = (start: string, attributes = "") =>
    `<subProcess id="h" triggeredByEvent="true"><startEvent id="hs" ${attributes}>${start}</startEvent><userTask id="ht"/>
     <sequenceFlow id="hf" sourceRef="hs" targetRef="ht"/></subProcess>`;

  it("[D14.18] the rest of the scope is a subprocess, the handler stands at its border", async () => {
    const definition = await definitionOf(
      around(
        `<serviceTask id="a"/>${handler('<errorEventDefinition errorRef="er"/>')}`,
        "",
        '<error id="er" errorCode="E"/>',
      ),
    );
    expect(definition.entry).toBe("p:start");
    expect(nodeOf(definition, "p:body")).toMatchObject({
      kind: "subprocess",
      meta: { entry: "s", outcomes: ["done", "E", "error"] },
    });
    expect(nodeOf(definition, "a").scope).toBe("p:body");
    expect(nodeOf(definition, "h")).toMatchObject({ kind: "subprocess", meta: { entry: "hs" } });
    expect(nodeOf(definition, "h").scope).toBeUndefined();
    expect(arcsOf(definition)).toEqual(
      expect.arrayContaining([
        "p:body -E-> hs:border",
        "p:body -error-> p:error",
        "hs:border -> h",
        "h -> h:end",
        "p:body -> p:body:end",
        "a -E-> p:body:error:E",
      ]),
    );
  });

  it("[D14.18] it may stand in a subprocess, and the trigger of the process stays outside", async () => {
    const inner = around(
      `<subProcess id="a"><userTask id="u"/>${handler("<errorEventDefinition/>")}</subProcess>`,
    );
    const definition = await definitionOf(inner);
    expect(nodeOf(definition, "a:body")).toMatchObject({ scope: "a", meta: { outcomes: ["done", "error"] } });
    expect(nodeOf(definition, "u").scope).toBe("a:body");
    const { warnings } = await imported(
      around(`<serviceTask id="a"/>${handler("<errorEventDefinition/>")}`).replace(
        '<startEvent id="s"/>',
        '<startEvent id="s"><timerEventDefinition/></startEvent>',
      ),
    );
    expect(warnings).toMatchObject([{ code: "BPMN067", facts: { element: "s" } }]);
  });

  it("BPMN036 one with two start events is refused", async () => {
    const text = around(
      `<userTask id="a"/>${handler("<errorEventDefinition/>").replace("<userTask", '<startEvent id="h2"/><userTask')}`,
    );
    expect((await issuesOf(text)).map(({ code }) => code)).toContain("BPMN036");
  });
});

describe("[D14.10] transactions", () => {
  const cancel = "<endEvent id='ce'><cancelEventDefinition/></endEvent>";
  const border = `<boundaryEvent id="b" attachedToRef="a"><cancelEventDefinition/></boundaryEvent>`;

  it("[D14.10] are subprocesses; cancelling one from inside is an outcome that its border catches", async () => {
    const definition = await definitionOf(around(`<transaction id="a">${cancel}</transaction>${border}`));
    expect(nodeOf(definition, "a")).toMatchObject({
      kind: "subprocess",
      meta: { outcomes: ["done", "cancel"] },
    });
    expect(arcsOf(definition)).toEqual(expect.arrayContaining(["a -cancel-> b", "ce -> a:error:cancel"]));
  });

  it("BPMN040 a transaction that is cancelled and has no event for it is refused", async () => {
    expect(await issuesOf(around(`<transaction id="a">${cancel}</transaction>`))).toMatchObject([
      { code: "BPMN040", facts: { element: "a" } },
    ]);
  });
});

describe("[D14.12] global tasks", () => {
  it("[D14.12] are processes of one task, for the calls that name them", async () => {
    const { definitions } = await imported(
      around(
        `<callActivity id="a" calledElement="g"/>`,
        "",
        `<globalScriptTask id="g" name="G"><script>go</script></globalScriptTask><globalUserTask id="u"/>`,
      ),
      { port: ({ script }) => script },
    );
    expect(definitions.map(({ id }) => id)).toEqual(["g", "p"]);
    expect(definitions[0]?.nodes.find(({ kind }) => kind === "tool")?.meta).toEqual({ port: "go" });
  });
});

describe("[D14.19] handlers", () => {
  const beside = (path: string) =>
    around(
      `<userTask id="a"/><boundaryEvent id="b" attachedToRef="a" cancelActivity="false"><timerEventDefinition><timeCycle>R3/PT1H</timeCycle></timerEventDefinition></boundaryEvent>`,
      path,
    );

  it("[D14.19] BPMN030 a path that leads back, or that ends the scope, is refused with the element where it does", async () => {
    const back = beside(
      `<userTask id="h"/><sequenceFlow id="g1" sourceRef="b" targetRef="h"/><sequenceFlow id="g2" sourceRef="h" targetRef="a"/>`,
    );
    expect((await issuesOf(back)).map(({ code, message }) => [code, /at "a"/u.test(message)])).toContainEqual(
      ["BPMN030", true],
    );
    const deadly = beside(
      `<endEvent id="t"><terminateEventDefinition/></endEvent><sequenceFlow id="g1" sourceRef="b" targetRef="t"/>`,
    );
    expect(
      (await issuesOf(deadly)).map(({ code, message }) => [code, /"t" on its path/u.test(message)]),
    ).toContainEqual(["BPMN030", true]);
  });
});
