/** @module Activities: tasks, people, ports, calls, boundary events, timers; and what is not supported yet. */
import { describe, expect, it } from "vitest";
import { arcsOf, definitionOf, file, flows, imported, issuesOf, nodeOf } from "./bpmn-file.ts";

const around = (activity: string, more = "", before = "") =>
  file(`<startEvent id="s"/>${activity}<endEvent id="e"/>${flows("s > a", "a > e")}${more}`, before);

describe("[D14.3] tasks", () => {
  it("[D14.3] are work for people, ports and waits by their type", async () => {
    const kinds: Record<string, string> = {
      task: "human",
      manualTask: "human",
      userTask: "human",
      receiveTask: "wait",
      serviceTask: "tool",
      sendTask: "tool",
      businessRuleTask: "tool",
      scriptTask: "tool",
    };
    for (const [type, kind] of Object.entries(kinds))
      expect([type, nodeOf(await definitionOf(around(`<${type} id="a" name="A"/>`)), "a").kind]).toEqual([
        type,
        kind,
      ]);
  });

  it("[D14.3] a task without type is what the options say", async () => {
    const text = around(`<task id="a" name="A"/>`);
    expect(nodeOf(await definitionOf(text, { plainTask: "tool" }), "a")).toMatchObject({
      kind: "tool",
      meta: { port: "A" },
    });
    expect(nodeOf(await definitionOf(text, { plainTask: "pass" }), "a")).toEqual({
      id: "a",
      kind: "gateway",
      label: "A",
    });
  });

  it("[D14.3] the port is what the model says of the implementation, else the name, else the id, or what the option says", async () => {
    const portOf = async (task: string, options = {}) =>
      nodeOf(await definitionOf(around(task), options), "a").meta?.["port"];
    expect(await portOf(`<serviceTask id="a" name="A" implementation="impl"/>`)).toBe("impl");
    expect(await portOf(`<serviceTask id="a" name="A" implementation="##WebService"/>`)).toBe("A");
    expect(await portOf(`<serviceTask id="a" name="A" camunda:topic="topic"/>`)).toBe("topic");
    expect(
      await portOf(
        `<serviceTask id="a"><extensionElements><zeebe:taskDefinition type="job"/></extensionElements></serviceTask>`,
      ),
    ).toBe("job");
    expect(await portOf(`<serviceTask id="a"/>`)).toBe("a");
    expect(
      await portOf(`<scriptTask id="a"><script>go()</script></scriptTask>`, {
        port: (task: { script?: string }) => task.script,
      }),
    ).toBe("go()");
  });

  it("[D14.3] people are those of the engine's attributes, of potential owners, else of the lane", async () => {
    const metaOf = async (task: string, lanes = "") =>
      nodeOf(await definitionOf(around(task, lanes)), "a").meta;
    expect(await metaOf(`<userTask id="a" camunda:assignee="ann" camunda:candidateGroups="x, y"/>`)).toEqual({
      assignees: ["ann"],
      candidateGroups: ["x", "y"],
    });
    const lanes = `<laneSet><lane id="l" name="Sales"><flowNodeRef>a</flowNodeRef></lane></laneSet>`;
    expect(await metaOf(`<userTask id="a"/>`, lanes)).toEqual({ candidateGroups: ["Sales"] });
    const owner = `<userTask id="a"><potentialOwner><resourceAssignmentExpression><formalExpression>group(staff)</formalExpression></resourceAssignmentExpression></potentialOwner></userTask>`;
    expect(await metaOf(owner, lanes)).toEqual({ candidateGroups: ["staff"] });
  });

  it("BPMN066 BPMN070 extensions and expressions that are not executed are warnings", async () => {
    const { warnings } = await imported(
      around(
        `<userTask id="a" camunda:assignee="\${who}"><extensionElements><camunda:taskListener/></extensionElements></userTask>`,
      ),
    );
    expect(warnings.map(({ code, facts }) => [code, facts?.["element"]])).toEqual([
      ["BPMN066", "a"],
      ["BPMN070", "a"],
    ]);
  });
});

describe("[D14.9] errors", () => {
  it("[D14.9] a port's error that nothing catches ends the scope under error", async () => {
    const definition = await definitionOf(around(`<serviceTask id="a"/>`));
    expect(nodeOf(definition, "p:error")).toEqual({
      id: "p:error",
      kind: "end",
      label: "error",
      meta: { outcome: "error", terminate: true },
    });
    expect(arcsOf(definition)).toContain("a -error-> p:error");
  });

  const boundary = (host: string, reference: string, id = "b") =>
    `<boundaryEvent id="${id}" attachedToRef="${host}"><errorEventDefinition ${reference}/></boundaryEvent>`;
  const errors = `<error id="er" errorCode="E1"/>`;

  it("[D14.10] BR-065 an event with a code catches that code, one without catches every other error", async () => {
    const both = around(
      `<serviceTask id="a"/>${boundary("a", 'errorRef="er"', "b1")}${boundary("a", "", "b2")}<task id="t"/>`,
      `<sequenceFlow id="g1" sourceRef="b1" targetRef="t"/><sequenceFlow id="g2" sourceRef="b2" targetRef="t"/>`,
      errors,
    );
    const definition = await definitionOf(both);
    expect(nodeOf(definition, "a").meta).toMatchObject({ outcomes: ["done", "E1"] });
    expect(arcsOf(definition).filter((arc) => arc.startsWith("a "))).toEqual([
      "a -> e",
      "a -E1-> b1",
      "a -error-> b2",
    ]);
    const onlyCode = around(`<serviceTask id="a"/>${boundary("a", 'errorRef="er"')}`, "", errors);
    expect(arcsOf(await definitionOf(onlyCode))).toContain("a -error-> p:error");
  });

  it("[D14.10] every activity inside can raise what is caught around it", async () => {
    const text = around(
      `<subProcess id="a"><userTask id="u"/></subProcess>${boundary("a", 'errorRef="er"')}`,
      "",
      errors,
    );
    const definition = await definitionOf(text);
    expect(nodeOf(definition, "u").meta).toEqual({ outcomes: ["done", "E1"] });
    expect(arcsOf(definition)).toContain("a -E1-> b");
  });

  it("[D14.10] BR-062 an interrupting timer on a task is its deadline", async () => {
    const definition = await definitionOf(
      around(
        `<userTask id="a"/><boundaryEvent id="b" attachedToRef="a"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>`,
      ),
    );
    expect(nodeOf(definition, "a").meta).toEqual({ deadline: "PT1H" });
    expect(arcsOf(definition)).toContain("a -expired-> b");
  });

  it("BPMN046 BPMN047 a code that is an outcome of every node, and an error that nothing can raise, are refused", async () => {
    const reserved = around(
      `<serviceTask id="a"/>${boundary("a", 'errorRef="er"')}`,
      "",
      `<error id="er" errorCode="done"/>`,
    );
    expect((await issuesOf(reserved)).map(({ code }) => code)).toEqual(["BPMN046"]);
    const idle = around(`<subProcess id="a"/>${boundary("a", 'errorRef="er"')}`, "", errors);
    expect((await issuesOf(idle)).map(({ code }) => code)).toEqual(["BPMN047"]);
  });
});

describe("[D14.12] calls", () => {
  it("[D14.12] BR-081 a call has the name of the workflow and its mappings", async () => {
    const call = `<callActivity id="a" calledElement="t:child"><extensionElements><camunda:in source="a" target="x"/><camunda:out source="y" target="b"/></extensionElements></callActivity>`;
    const definition = await definitionOf(around(call));
    expect(nodeOf(definition, "a")).toMatchObject({
      kind: "subprocess",
      meta: { workflow: "child", inputs: { x: "a" }, outputs: { b: "y" } },
    });
    expect(arcsOf(definition)).toContain("a -cancelled-> p:error");
  });

  it("[D14.12] Zeebe passes all variables both ways unless it is told not to, BPMN077 BR-082 beside single ones with a warning", async () => {
    const metaOf = async (attributes: string, mapping = "") => {
      const call = `<callActivity id="a"><extensionElements><zeebe:calledElement processId="q" ${attributes}/>${mapping}</extensionElements></callActivity>`;
      const { definitions, warnings } = await imported(around(call));
      const meta = definitions[0] === undefined ? undefined : nodeOf(definitions[0], "a").meta;
      return [meta?.["inputs"], meta?.["outputs"], warnings.map(({ code }) => code)];
    };
    const out = `<zeebe:ioMapping><zeebe:output source="=y" target="b"/></zeebe:ioMapping>`;
    expect(await metaOf("")).toEqual([{ "*": "*" }, { "*": "*" }, []]);
    expect(await metaOf('propagateAllParentVariables="false" propagateAllChildVariables="false"')).toEqual([
      undefined,
      undefined,
      [],
    ]);
    expect(await metaOf('propagateAllChildVariables="false"', out)).toEqual([{ "*": "*" }, { b: "y" }, []]);
    expect(await metaOf("", out)).toEqual([{ "*": "*" }, { "*": "*", b: "y" }, ["BPMN077"]]);
  });

  it("[D14.12] all variables cross where an engine's mapping says so", async () => {
    const all = `<callActivity id="a" calledElement="q"><extensionElements><camunda:in variables="all"/><camunda:out variables="all"/></extensionElements></callActivity>`;
    expect(nodeOf(await definitionOf(around(all)), "a").meta).toMatchObject({
      inputs: { "*": "*" },
      outputs: { "*": "*" },
    });
  });

  it("BPMN017 BPMN018 a call of an expression, in a circle, or with other mappings is refused, BPMN078 one without name warned of", async () => {
    const codes = async (call: string) => (await issuesOf(around(call))).map(({ code }) => code);
    const { warnings } = await imported(around(`<callActivity id="a"/>`));
    expect(warnings).toMatchObject([{ code: "BPMN078", facts: { element: "a" } }]);
    expect(await codes(`<callActivity id="a" calledElement="\${which}"/>`)).toEqual(["BPMN017"]);
    expect(await codes(`<callActivity id="a" calledElement="p"/>`)).toEqual(["BPMN017"]);
    const sum = `<callActivity id="a" calledElement="q"><extensionElements><camunda:in sourceExpression="\${a + 1}" target="x"/></extensionElements></callActivity>`;
    expect(await codes(sum)).toEqual(["BPMN018"]);
  });
});

describe("[D14.8] timers and waits", () => {
  const timer = (inner: string) =>
    around(
      `<intermediateCatchEvent id="a"><timerEventDefinition>${inner}</timerEventDefinition></intermediateCatchEvent>`,
    );

  it("[D14.8] a constant time is the timer's, a variable a key, a missing time the key of its own id (BPMN073)", async () => {
    const metaOf = async (inner: string) => nodeOf(await definitionOf(timer(inner)), "a");
    expect(await metaOf("<timeDuration>P1Y2M</timeDuration>")).toMatchObject({
      kind: "timer",
      meta: { duration: "P1Y2M" },
    });
    expect(await metaOf('<timeDate>="2026-01-01T00:00:00Z"</timeDate>')).toMatchObject({
      meta: { date: "2026-01-01T00:00:00Z" },
    });
    expect(await metaOf("<timeCycle>R3/PT10S</timeCycle>")).toMatchObject({ meta: { cycle: "R3/PT10S" } });
    expect(await metaOf("<timeDuration>${wait}</timeDuration>")).toMatchObject({ meta: { key: "wait" } });
    const { definitions, warnings } = await imported(timer(""));
    expect(definitions[0] && nodeOf(definitions[0], "a")).toMatchObject({ meta: { key: "a" } });
    expect(warnings.map(({ code }) => code)).toEqual(["BPMN073"]);
  });

  it("BPMN012 BPMN013 BR-074 BR-075: garbage, negative and endless times, and expressions, are refused with their place", async () => {
    for (const text of ["P3X", "PT", "-PT1S", "R/PT-0.5S", "R/PT1S", "soon"]) {
      const issues = await issuesOf(timer(`<timeDuration>${text}</timeDuration>`));
      expect(issues).toMatchObject([{ code: "BPMN012", facts: { element: "a" }, position: { line: 5 } }]);
    }
    const computed = await issuesOf(timer("<timeDuration>=x + y</timeDuration>"));
    expect(computed.map(({ code }) => code)).toEqual(["BPMN013"]);
  });
});

describe("[D14.11] what is not supported yet", () => {
  const event = (tag: string, type: string) => `<${tag} id="a" name="N"><${type}EventDefinition/></${tag}>`;
  const border = (type: string, more = "") =>
    `<task id="a"/><boundaryEvent id="b" name="N" attachedToRef="a" ${more}><${type}EventDefinition/></boundaryEvent>`;
  const looped = (loop: string) => `<task id="a" name="N">${loop}</task>`;
  it.each([
    ["BPMN034 catching an escalation of a task", border("escalation")],
    ["BPMN035 compensation", event("intermediateThrowEvent", "compensate")],
    [
      "BPMN036 an event subprocess without trigger",
      `<task id="a"/><subProcess id="x" name="N" triggeredByEvent="true"><startEvent id="xs" name="N"/></subProcess>`,
    ],
    [
      "BPMN037 a computed cardinality",
      looped(
        "<multiInstanceLoopCharacteristics><loopCardinality>a + b</loopCardinality></multiInstanceLoopCharacteristics>",
      ),
    ],
    ["BPMN038 a loop of no rounds", looped('<standardLoopCharacteristics loopMaximum="-1"/>')],
    ["BPMN039 an ad-hoc subprocess", `<adHocSubProcess id="a" name="N"/>`],
    ["BPMN040 cancelling what is no transaction", event("intermediateThrowEvent", "cancel")],
    ["BPMN042 a conditional event", event("intermediateCatchEvent", "conditional")],
    ["BPMN043 an event without definition", `<intermediateCatchEvent id="a" name="N"/>`],
    ["BPMN044 a quantity of tokens that starts", `<task id="a" name="N" startQuantity="2"/>`],
    ["BPMN044 no token at the end", `<task id="a" name="N" completionQuantity="0"/>`],
    ["BPMN045 an event of the standard that no engine has", `<implicitThrowEvent id="a" name="N"/>`],
  ])("[D14.11] %s is refused with id, name and place", async (title, activity) => {
    const issues = await issuesOf(around(activity));
    expect(issues).toMatchObject([
      { code: title.slice(0, 7), facts: { element: expect.any(String), name: "N" }, position: { line: 5 } },
    ]);
  });
});
