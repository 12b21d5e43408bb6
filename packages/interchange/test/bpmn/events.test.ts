/** @module Events: caught, thrown, at borders, behind event-based gateways; several instances; handlers. */
import { describe, expect, it } from "vitest";
import { arcsOf, definitionOf, file, flows, imported, issuesOf, nodeOf } from "./bpmn-file.ts";

const NAMES = `<message id="m" name="M"/><message id="k" name="K"><extensionElements><zeebe:subscription correlationKey="=orderId"/></extensionElements></message><signal id="g" name="G"/><escalation id="x" escalationCode="X"/><error id="er" errorCode="E"/>`;
const around = (activity: string, more = "") =>
  file(`<startEvent id="s"/>${activity}<endEvent id="e"/>${flows("s > a", "a > e")}${more}`, NAMES);
const event = (tag: string, id: string, definition: string, attributes = "") =>
  `<${tag} id="${id}" ${attributes}>${definition}</${tag}>`;
const message = (reference = "m") => `<messageEventDefinition messageRef="${reference}"/>`;
const signal = `<signalEventDefinition signalRef="g"/>`;
const escalation = `<escalationEventDefinition escalationRef="x"/>`;
const timer = (time: string) => `<timerEventDefinition>${time}</timerEventDefinition>`;
const ALL = { "*": "*" };

describe("[D14.20] what is waited for", () => {
  const caught = (definition: string) => around(event("intermediateCatchEvent", "a", definition));

  it("[D14.20] a message or a signal by its name, what it brings goes into the data", async () => {
    const definition = await definitionOf(caught(message()));
    expect(nodeOf(definition, "a")).toMatchObject({
      kind: "catch",
      meta: { events: [{ id: "done", on: "message", name: "M", payload: ALL }] },
    });
    expect(arcsOf(definition)).toEqual(expect.arrayContaining(["a -> e", "a -error-> p:error"]));
    expect(nodeOf(await definitionOf(caught(signal)), "a").meta).toEqual({
      events: [{ id: "done", on: "signal", name: "G", payload: ALL }],
    });
  });

  it("[D14.20] a message by the key of its subscription; BPMN032 BPMN033 other expressions are refused", async () => {
    expect(nodeOf(await definitionOf(caught(message("k"))), "a").meta).toMatchObject({
      events: [{ name: "K", key: "orderId" }],
    });
    const wrong = (text: string, names: string) => issuesOf(text.replace(NAMES, names));
    const sum = `<message id="m" name="M"><extensionElements><zeebe:subscription correlationKey="=a + b"/></extensionElements></message>`;
    expect((await wrong(caught(message()), sum)).map(({ code }) => code)).toEqual(["BPMN032"]);
    const named = `<signal id="g" name="\${which}"/>`;
    expect((await wrong(caught(signal), named)).map(({ code }) => code)).toEqual(["BPMN033"]);
  });

  it("[D14.20] BPMN074 one that names nothing is awaited under the id of its event", async () => {
    const { definitions, warnings } = await imported(caught("<messageEventDefinition/>"));
    expect(definitions[0] && nodeOf(definitions[0], "a").meta).toMatchObject({ events: [{ name: "a" }] });
    expect(warnings).toMatchObject([{ code: "BPMN074", facts: { element: "a" } }]);
  });

  it("[D14.20] a receive task with a message is such an event, with others at its border a subprocess around it", async () => {
    const task = `<receiveTask id="a" messageRef="m"/>`;
    expect(nodeOf(await definitionOf(around(task)), "a")).toMatchObject({ kind: "catch" });
    const border = event(
      "boundaryEvent",
      "b",
      timer("<timeDuration>PT1H</timeDuration>"),
      'attachedToRef="a"',
    );
    const definition = await definitionOf(around(task + border));
    expect(nodeOf(definition, "a:receive")).toMatchObject({ kind: "catch", scope: "a" });
    expect(nodeOf(definition, "a").meta).toMatchObject({
      events: [{ id: "b", on: "timer", duration: "PT1H" }],
    });
  });
});

describe("[D14.21] event-based gateways", () => {
  const gateway = (more: string, ...ways: readonly string[]) =>
    file(
      `<startEvent id="s"/><eventBasedGateway id="a"/>${more}<endEvent id="e"/>${flows("s > a", ...ways)}`,
      NAMES,
    );

  it("[D14.21] wait for the first of the events behind them, each under its id", async () => {
    const behind =
      event("intermediateCatchEvent", "c1", message()) +
      event("intermediateCatchEvent", "c2", timer("<timeDuration>PT1H</timeDuration>")) +
      `<receiveTask id="c3"/>`;
    const definition = await definitionOf(
      gateway(behind, "a > c1", "a > c2", "a > c3", "c1 > e", "c2 > e", "c3 > e"),
    );
    expect(nodeOf(definition, "a")).toMatchObject({
      kind: "catch",
      meta: {
        events: [
          { id: "c1", on: "message", name: "M" },
          { id: "c2", on: "timer", duration: "PT1H" },
          { id: "c3", on: "message", name: "c3" },
        ],
      },
    });
    expect(nodeOf(definition, "c1")).toEqual({ id: "c1", kind: "gateway" });
    expect(arcsOf(definition).filter((arc) => arc.startsWith("a "))).toEqual([
      "a -c1-> c1",
      "a -c2-> c2",
      "a -c3-> c3",
      "a -error-> p:error",
    ]);
  });

  it("BPMN031 with a task behind, or with nothing, they are refused", async () => {
    const task = await issuesOf(gateway(`<userTask id="c1"/>`, "a > c1", "c1 > e"));
    expect(task).toMatchObject([{ code: "BPMN031", facts: { element: "c1" } }]);
    expect((await issuesOf(gateway(""))).map(({ code }) => code)).toContain("BPMN031");
  });
});

describe("[D14.22] what is thrown", () => {
  it("[D14.22] a message or a signal is sent by its name, on the way and at an end", async () => {
    const way = await definitionOf(around(event("intermediateThrowEvent", "a", signal)));
    expect(nodeOf(way, "a")).toEqual({ id: "a", kind: "throw", meta: { on: "signal", name: "G" } });
    const end = await definitionOf(
      file(
        `<startEvent id="s"/><task id="t"/>${event("endEvent", "z", message())}${flows("s > t", "s > z", "t > z")}`,
        NAMES,
      ),
    );
    expect(nodeOf(end, "z:f2")).toMatchObject({ kind: "throw", meta: { on: "message", name: "M" } });
    expect(arcsOf(end)).toEqual(expect.arrayContaining(["z:f2 -> z:f2:end", "z:f3 -> z:f3:end"]));
  });

  it("[D14.22] a port sends what an engine is told how to send; a send task with a message throws it", async () => {
    const told = await definitionOf(
      around(event("intermediateThrowEvent", "a", `<messageEventDefinition camunda:topic="post"/>`)),
    );
    expect(nodeOf(told, "a")).toMatchObject({ kind: "tool", meta: { port: "post" } });
    expect(nodeOf(await definitionOf(around(`<sendTask id="a" messageRef="m"/>`)), "a").kind).toBe("throw");
    const task = await definitionOf(around(`<sendTask id="a" messageRef="m" camunda:topic="post"/>`));
    expect(nodeOf(task, "a")).toMatchObject({ kind: "tool", meta: { port: "post" } });
  });

  it("[D14.22] BPMN075 what has no name is passed with a warning, and so is an escalation that nobody catches", async () => {
    for (const definition of ["<signalEventDefinition/>", escalation]) {
      const { definitions, warnings } = await imported(
        around(event("intermediateThrowEvent", "a", definition)),
      );
      expect(definitions[0] && nodeOf(definitions[0], "a").kind).toBe("gateway");
      expect(warnings.map(({ code }) => code)).toEqual(["BPMN075"]);
    }
  });

  const inside = (border: string, more = "") =>
    around(
      `<subProcess id="a">${event("intermediateThrowEvent", "th", escalation)}<userTask id="u"/><sequenceFlow id="i1" sourceRef="th" targetRef="u"/></subProcess>${border}`,
      more,
    );

  it("[D14.22] an escalation that interrupts is an outcome of the subprocess, through those between", async () => {
    const definition = await definitionOf(
      inside(event("boundaryEvent", "b", escalation, 'attachedToRef="a"')),
    );
    expect(nodeOf(definition, "a").meta).toMatchObject({ outcomes: ["done", "escalation:X"] });
    expect(arcsOf(definition)).toEqual(
      expect.arrayContaining(["a -escalation:X-> b", "th -> a:error:escalation:X", "th -> u"]),
    );
    // The way that a run takes is the first.
    expect(definition.arcs.find(({ from }) => from === "th")?.to).toBe("a:error:escalation:X");
  });

  it("[D14.22] one that does not interrupt is thrown and taken while the subprocess goes on", async () => {
    const definition = await definitionOf(
      inside(
        event(
          "boundaryEvent",
          "b",
          "<escalationEventDefinition/>",
          'attachedToRef="a" cancelActivity="false"',
        ),
      ),
    );
    expect(nodeOf(definition, "a").meta).toMatchObject({
      events: [{ id: "b", on: "escalation", name: "X", interrupting: false }],
    });
    expect(nodeOf(definition, "th")).toMatchObject({ kind: "throw", meta: { on: "escalation", name: "X" } });
    expect(arcsOf(definition)).toContain("a -b-> b");
  });

  it("BPMN047 an event that waits for an escalation that nothing throws is refused", async () => {
    const text = around(
      `<subProcess id="a"/>${event("boundaryEvent", "b", escalation, 'attachedToRef="a"')}`,
    );
    expect((await issuesOf(text)).map(({ code }) => code)).toEqual(["BPMN047"]);
  });
});

describe("[D14.10] events at borders", () => {
  const at = (definition: string, attributes = "", host = `<userTask id="a"/>`, more = "") =>
    around(`${host}${event("boundaryEvent", "b", definition, `attachedToRef="a" ${attributes}`)}`, more);

  it("[D14.10] messages, signals and times are events of the node under their id", async () => {
    const definition = await definitionOf(at(message()));
    expect(nodeOf(definition, "a").meta).toEqual({
      events: [{ id: "b", on: "message", name: "M", payload: ALL }],
    });
    expect(arcsOf(definition)).toEqual(
      expect.arrayContaining(["a -b-> b", "a -error-> p:error", "b -> b:end"]),
    );
    const scoped = await definitionOf(
      at(timer("<timeCycle>R3/PT1H</timeCycle>"), "", `<subProcess id="a"><userTask id="u"/></subProcess>`),
    );
    expect(nodeOf(scoped, "a").meta).toMatchObject({ events: [{ id: "b", on: "timer", cycle: "R3/PT1H" }] });
    const beside = await definitionOf(
      at(timer("<timeDuration>PT1H</timeDuration>"), 'cancelActivity="false"'),
    );
    expect(nodeOf(beside, "a").meta).toEqual({
      events: [{ id: "b", on: "timer", duration: "PT1H", interrupting: false }],
    });
  });

  it("[D14.19] BPMN076 one that may come again has a process of its own for its path", async () => {
    const path = `<userTask id="h"/><sequenceFlow id="g1" sourceRef="b" targetRef="h"/><sequenceFlow id="g2" sourceRef="h" targetRef="e"/>`;
    const { definitions, warnings } = await imported(
      at(message(), 'cancelActivity="false"', `<userTask id="a"/>`, path),
    );
    expect(definitions.map(({ id }) => id)).toEqual(["p:b", "p"]);
    expect(definitions[0] && arcsOf(definitions[0])).toEqual(["b:start -> h", "h -> e:b"]);
    expect(definitions[1] && nodeOf(definitions[1], "a").meta).toEqual({
      events: [
        {
          id: "b",
          on: "message",
          name: "M",
          payload: ALL,
          interrupting: false,
          workflow: "p:b",
          inputs: ALL,
        },
      ],
    });
    expect(definitions[1] && arcsOf(definitions[1])).toEqual(["a -> e", "s -> a"]);
    expect(warnings.map(({ code }) => code)).toEqual(["BPMN076"]);
  });
});

describe("[D14.23] several instances", () => {
  const many = (inner: string, attributes = "", more = "") =>
    around(
      `<userTask id="a"><multiInstanceLoopCharacteristics ${attributes}>${inner}</multiInstanceLoopCharacteristics></userTask>${more}`,
    );
  const multiOf = async (text: string) => {
    const { definitions, warnings } = await imported(text);
    const node = definitions.at(-1)?.nodes.find(({ id }) => id === "a");
    return {
      ids: definitions.map(({ id }) => id),
      meta: node?.meta,
      codes: warnings.map(({ code }) => code),
    };
  };

  it("[D14.23] the work is a process of its own, called as often as the cardinality says", async () => {
    const text = many("<loopCardinality>3</loopCardinality>", 'isSequential="true"');
    expect(await multiOf(text)).toEqual({
      ids: ["p:a", "p"],
      meta: { workflow: "p:a", inputs: ALL, multi: { mode: "sequential", count: 3, index: "loopCounter" } },
      codes: ["BPMN076"],
    });
  });

  it("[D14.23] for each member of a collection, with element, results and a condition that ends it", async () => {
    const zeebe = `<extensionElements><zeebe:loopCharacteristics inputCollection="=items" inputElement="item" outputCollection="results" outputElement="=result"/></extensionElements><completionCondition>=numberOfCompletedInstances >= 2</completionCondition>`;
    expect((await multiOf(many(zeebe))).meta?.["multi"]).toEqual({
      mode: "parallel",
      collection: "items",
      element: "item",
      index: "loopCounter",
      results: "results",
      result: "result",
      completion: { key: "numberOfCompletedInstances", op: "atLeast", value: 2 },
    });
    const camunda = many("", 'camunda:collection="${items}" camunda:elementVariable="item"');
    expect((await multiOf(camunda)).meta?.["multi"]).toMatchObject({ collection: "items", element: "item" });
  });

  it("[D14.23] BPMN078 what is open is read from the key that is the id", async () => {
    const { meta, codes } = await multiOf(many(""));
    expect(meta?.["multi"]).toMatchObject({ collection: "a" });
    expect(codes).toContain("BPMN078");
  });

  it("[D14.23] BR-064 boundary events stay at the activity, and its errors are outcomes of the call", async () => {
    const border = event("boundaryEvent", "b", `<errorEventDefinition errorRef="er"/>`, 'attachedToRef="a"');
    const definition = (await imported(many("<loopCardinality>3</loopCardinality>", "", border))).definitions;
    expect(definition[1] && nodeOf(definition[1], "a").meta?.["outcomes"]).toEqual(["done", "E"]);
    expect(definition[0] && nodeOf(definition[0], "a").meta?.["outcomes"]).toEqual(["done", "E"]);
    expect(definition[1] && arcsOf(definition[1])).toEqual(
      expect.arrayContaining(["a -E-> b", "a -error-> p:error"]),
    );
  });

  it("BPMN037 events that instances throw, and results of other forms, are refused", async () => {
    const codes = async (text: string) => (await issuesOf(text)).map(({ code }) => code);
    expect(await codes(many("<loopCardinality>3</loopCardinality>", 'behavior="One"'))).toEqual(["BPMN037"]);
    const computed = `<extensionElements><zeebe:loopCharacteristics inputCollection="=[1, 2]" inputElement="i"/></extensionElements>`;
    expect(await codes(many(computed))).toEqual(["BPMN037"]);
    const half = `<extensionElements><zeebe:loopCharacteristics inputCollection="=items" outputCollection="results"/></extensionElements>`;
    expect(await codes(many(half))).toEqual(["BPMN037"]);
  });
});
