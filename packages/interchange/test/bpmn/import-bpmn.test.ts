/** @module Whole files: what is read, what is refused at the door, where issues point. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { importBpmn } from "../../src/index.ts";
import { arcsOf, definitionOf, file, flows, imported, issuesOf, MODEL, nodeOf } from "./bpmn-file.ts";

const SIMPLE = file(
  `<startEvent id="s" name="Begin"/><userTask id="t" name="Decide"/><endEvent id="e"/>${flows("s > t", "t > e")}`,
);

describe("a file", () => {
  it("[D14.1] becomes one definition for each executable process, its nodes the elements", async () => {
    const result = await importBpmn(SIMPLE);
    const [process] = result.ok ? result.value.processes : [];
    expect(process?.definition).toMatchObject({ format: 1, kind: "workflow", id: "p", entry: "s" });
    expect(process?.definition.nodes.map(({ id, kind, label }) => [id, kind, label])).toEqual([
      ["s", "start", "Begin"],
      ["t", "human", "Decide"],
      ["e", "end", undefined],
    ]);
    expect(process?.elements.get("t")).toEqual({
      id: "t",
      type: "userTask",
      name: "Decide",
      position: { line: 5, column: expect.any(Number) },
    });
  });

  it("[D14.1] [BPMN071] processes that others call come before them, those that are not executable are left out with a warning", async () => {
    const text = file(
      `<startEvent id="s"/><callActivity id="c" calledElement="q"/><endEvent id="e"/>${flows("s > c", "c > e")}`,
    ).replace(
      "</definitions>",
      `<process id="q"><startEvent id="qs"/><endEvent id="qe"/><sequenceFlow id="qf" sourceRef="qs" targetRef="qe"/></process>
       <process id="z"><startEvent id="zs"/></process></definitions>`,
    );
    const { definitions, warnings } = await imported(text);
    expect(definitions.map(({ id }) => id)).toEqual(["q", "p"]);
    expect(warnings).toMatchObject([{ code: "BPMN071", severity: "warning", facts: { element: "z" } }]);
  });

  it("[D14.1] is the same whichever prefixes it has, with or without diagram and comments", async () => {
    const prefixed = SIMPLE.replace(/<(\/?)(?=[a-z])/gu, "<$1b:")
      .replace("xmlns=", "xmlns:b=")
      .replace("<b:process", "<!-- c --><b:process");
    expect(await definitionOf(prefixed)).toEqual(await definitionOf(SIMPLE));
  });

  it("[D14.1] BR-101: ids with dots, umlauts and other letters stay what they are", async () => {
    const text = SIMPLE.replaceAll('"s"', '"Start.1"')
      .replaceAll('"t"', '"täsk-ü_2"')
      .replaceAll('"e"', '"_x"');
    const definition = await definitionOf(text);
    expect(definition.nodes.map(({ id }) => id)).toEqual(["Start.1", "täsk-ü_2", "_x"]);
    expect(arcsOf(definition)).toEqual(["Start.1 -> täsk-ü_2", "täsk-ü_2 -> _x"]);
  });

  it("[D14.1] ids and names that objects inherit are ids and names", async () => {
    const text = SIMPLE.replaceAll('"s"', '"__proto__"')
      .replaceAll('"t"', '"constructor"')
      .replaceAll('"e"', '"toString"');
    expect((await definitionOf(text)).nodes.map(({ id }) => id)).toEqual([
      "__proto__",
      "constructor",
      "toString",
    ]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("BPMN001 BR-113: a PNML file, a wrong namespace and any other XML are refused with one issue", async () => {
    for (const text of [
      '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n"/></pnml>',
      SIMPLE.replace(MODEL, "http://schema.omg.org/spec/BPMN/2.0"),
      "<html><body/></html>",
    ]) {
      expect(await issuesOf(text)).toMatchObject([
        { code: "BPMN001", position: { line: expect.any(Number) } },
      ]);
    }
  });

  it("BPMN002 a file without flow nodes is refused", async () => {
    expect(await issuesOf(file(""))).toMatchObject([{ code: "BPMN002" }]);
    expect(await issuesOf(`<definitions xmlns="${MODEL}" id="d" targetNamespace="t"/>`)).toMatchObject([
      { code: "BPMN002" },
    ]);
  });

  it("BR-103: document types, entities and entity bombs are refused before anything is expanded or fetched", async () => {
    const doctype = SIMPLE.replace(
      "<definitions",
      '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<definitions',
    );
    expect(await issuesOf(doctype)).toMatchObject([{ code: "XML002", position: { line: 2, column: 1 } }]);
    expect(await issuesOf(SIMPLE.replace("Begin", "&x;"))).toMatchObject([{ code: "XML003" }]);
  });

  it("Latin-1 bytes under a UTF-8 header, malformed XML and too large files give one issue with its place", async () => {
    const latin1 = Buffer.from(SIMPLE.replace("Begin", "Prüfen"), "latin1");
    expect(await issuesOf(latin1)).toMatchObject([{ code: "XML005", position: { line: 5 } }]);
    expect(await issuesOf(SIMPLE.replace("</process>", ""))).toMatchObject([{ code: "XML001" }]);
    expect(await issuesOf(SIMPLE, { limits: { bytesMax: 100 } })).toMatchObject([{ code: "XML004" }]);
    const deep = file("<subProcess id='x'>".repeat(300) + "</subProcess>".repeat(300));
    expect(await issuesOf(deep)).toMatchObject([{ code: "XML004", facts: { limit: "depthMax" } }]);
  });

  it("BPMN004 an element that BPMN does not know is refused, with its name and place", async () => {
    const text = file(`<startEvent id="s"/><frobnicate id="x"/><endEvent id="e"/>${flows("s > e")}`);
    expect(await issuesOf(text)).toMatchObject([
      { code: "BPMN004", position: { line: 5 }, facts: { element: "frobnicate" } },
    ]);
  });

  it("BPMN005 BPMN007 BR-118: flows without ends, hosts and defaults that do not exist are refused", async () => {
    const dangling = file(`<startEvent id="s"/><endEvent id="e"/>${flows("s > nowhere", "s > e")}`);
    expect((await issuesOf(dangling)).map(({ code }) => code)).toEqual(["BPMN005", "BPMN007"]);
    const unhosted = file(
      `<startEvent id="s"/><endEvent id="e"/><boundaryEvent id="b" attachedToRef="no"/>${flows("s > e")}`,
    );
    expect((await issuesOf(unhosted)).map(({ code }) => code)).toContain("BPMN005");
    const crossing = file(
      `<startEvent id="s"/><subProcess id="x"><task id="t"/></subProcess><endEvent id="e"/>${flows("s > t", "x > e")}`,
    );
    expect((await issuesOf(crossing)).map(({ code }) => code)).toContain("BPMN007");
  });

  it("BPMN006 flow nodes without id and repeated ids are refused", async () => {
    expect((await issuesOf(file(`<startEvent/><task id="t"/>`))).map(({ code }) => code)).toContain(
      "BPMN006",
    );
    const twice = file(`<startEvent id="s"/><task id="t"/><task id="t"/>${flows("s > t")}`);
    expect(await issuesOf(twice)).toMatchObject([{ code: "BPMN006", facts: { element: "t" } }]);
  });

  it("BPMN020 what makes no definition names the cause and the element", async () => {
    const loop = file(`<startEvent id="s"/><task id="a"/><task id="b"/>${flows("s > a", "a > b", "b > a")}`);
    expect(await issuesOf(loop)).toMatchObject([{ code: "BPMN020", facts: { cause: "WF011" } }]);
  });

  it("BPMN060 BPMN061 BPMN065 BPMN072 what does not bear on the control flow is a warning", async () => {
    const text = file(
      `<startEvent id="s"/><dataObject id="o"/><receiveTask id="t" messageRef="gone"/><endEvent id="e"><documentation id="s">x</documentation></endEvent>${flows("s > t", "t > e")}`,
      `<collaboration id="c"><participant id="a" processRef="p"/><participant id="b"/><messageFlow id="m" sourceRef="b" targetRef="t"/></collaboration>`,
    );
    const { warnings } = await imported(text);
    expect(warnings.map(({ code }) => code).sort()).toEqual(["BPMN060", "BPMN061", "BPMN065", "BPMN072"]);
    expect(warnings.every(({ severity, position }) => severity === "warning" && position !== undefined)).toBe(
      true,
    );
  });
});

describe("[D14.2] the entry", () => {
  it("[D14.2] is the start event, and its several flows a fork", async () => {
    const definition = await definitionOf(
      file(`<startEvent id="s"/><task id="a"/><task id="b"/>${flows("s > a", "s > b")}`),
    );
    expect(nodeOf(definition, "s")).toMatchObject({ kind: "start", split: "all" });
    expect(definition.nodes.map(({ id }) => id)).toContain("a:end");
  });

  it("[D14.2] BPMN069: several start events are a choice by the key startEvent", async () => {
    const { definitions, warnings } = await imported(
      file(`<startEvent id="s1"/><startEvent id="s2"/><endEvent id="e"/>${flows("s1 > e", "s2 > e")}`),
    );
    expect(definitions[0]).toMatchObject({ entry: "p:start" });
    expect(definitions[0]?.nodes[0]).toMatchObject({ kind: "decision", meta: { key: "startEvent" } });
    expect(warnings.map(({ code }) => code)).toEqual(["BPMN069"]);
  });

  it("[D14.2] without start event everything that no flow enters starts", async () => {
    const definition = await definitionOf(
      file(`<task id="a"/><task id="b"/><endEvent id="e"/>${flows("a > e")}`),
    );
    expect(arcsOf(definition)).toEqual(["a -> e", "b -> b:end", "p:start -> a", "p:start -> b"]);
    expect(nodeOf(definition, "p:start")).toMatchObject({ kind: "start", split: "all" });
  });

  it("BPMN008 a node that can never start is refused", async () => {
    const text = file(`<startEvent id="s"/><endEvent id="e"/><task id="t" name="Lost"/>${flows("s > e")}`);
    expect(await issuesOf(text)).toMatchObject([
      { code: "BPMN008", facts: { element: "t", name: "Lost" }, position: { line: 5 } },
    ]);
  });

  it("BPMN010 a subprocess with several start events, or one with a trigger, is refused", async () => {
    const inner = (content: string) =>
      file(`<startEvent id="s"/><subProcess id="x">${content}</subProcess>${flows("s > x")}`);
    const two = inner(`<startEvent id="a"/><startEvent id="b"/>`);
    expect((await issuesOf(two)).map(({ code }) => code)).toContain("BPMN010");
    const timed = inner(`<startEvent id="a"><timerEventDefinition/></startEvent>`);
    expect((await issuesOf(timed)).map(({ code }) => code)).toContain("BPMN010");
  });

  const started = (trigger: string, more = "") =>
    file(
      `<startEvent id="s">${trigger}</startEvent>${more}<endEvent id="e"/>${flows("s > e")}`,
      `<message id="m" name="M"><extensionElements><zeebe:subscription correlationKey="=a + b"/></extensionElements></message><message id="x" name="\${x}"/><signal id="g" name="G"/>`,
    );
  const byMessage = `<messageEventDefinition messageRef="m"/>`;
  const bySignal = `<signalEventDefinition signalRef="g"/>`;
  const ALL = { "*": "*" };

  it("[D14.2] a message or a signal starts a run, without key, and no warning is left", async () => {
    const { definitions, warnings } = await imported(started(byMessage));
    expect(definitions[0]).toMatchObject({ entry: "s" });
    expect(nodeOf(definitions[0] as never, "s")).toMatchObject({
      kind: "start",
      meta: { events: [{ id: "done", on: "message", name: "M", payload: ALL }] },
    });
    expect(arcsOf(definitions[0] as never)).toEqual(["s -> e"]);
    expect(warnings).toEqual([]);
    expect(nodeOf(await definitionOf(started(bySignal)), "s").meta).toEqual({
      events: [{ id: "done", on: "signal", name: "G", payload: ALL }],
    });
    const nameless = await imported(started("<messageEventDefinition/>"));
    expect(nameless.warnings).toMatchObject([{ code: "BPMN074", facts: { element: "s" } }]);
  });

  it("[D14.2] several start events with messages and signals are one start, each under its id", async () => {
    const more = (trigger: string) =>
      `<startEvent id="s2">${trigger}</startEvent><sequenceFlow id="s2e" sourceRef="s2" targetRef="e"/>`;
    const { definitions, warnings } = await imported(started(byMessage, more(bySignal)));
    expect(nodeOf(definitions[0] as never, "p:start")).toMatchObject({
      kind: "start",
      meta: {
        events: [
          { id: "s", on: "message", name: "M" },
          { id: "s2", on: "signal", name: "G" },
        ],
      },
    });
    expect(arcsOf(definitions[0] as never)).toEqual(expect.arrayContaining(["p:start -s-> s"]));
    expect(warnings).toEqual([]);
    const mixed = await imported(started(byMessage, more("")));
    expect(mixed.definitions[0]?.nodes[0]).toMatchObject({ kind: "decision", meta: { key: "startEvent" } });
    expect(mixed.warnings.map(({ code }) => code).sort()).toEqual(["BPMN067", "BPMN069"]);
  });

  const byTime = (element: string, text: string) =>
    `<timerEventDefinition><${element}>${text}</${element}></timerEventDefinition>`;

  it.each([
    ["timeDate", "2030-01-01T00:00:00Z", { date: "2030-01-01T00:00:00Z" }],
    ["timeDuration", "PT1H", { duration: "PT1H" }],
    ["timeCycle", "R3/PT1H", { cycle: "R3/PT1H" }],
    ["timeCycle", '="R/P1D"', { cycle: "R/P1D" }],
    ["timeCycle", "R/2030-01-01T00:00:00Z/P1D", { cycle: "R/2030-01-01T00:00:00Z/P1D" }],
  ])("[D14.2] [D17.13] a time starts a run, and no warning is left: %s %s", async (element, text, time) => {
    const { definitions, warnings } = await imported(started(byTime(element, text)));
    expect(nodeOf(definitions[0] as never, "s")).toEqual({
      id: "s",
      kind: "start",
      meta: { events: [{ id: "done", on: "timer", ...time }] },
    });
    expect(warnings).toEqual([]);
  });

  it("[D14.2] a time and a message are one start of two start events; a time on the way is not endless", async () => {
    const second = `<startEvent id="s2">${byTime("timeDuration", "PT1H")}</startEvent><sequenceFlow id="s2e" sourceRef="s2" targetRef="e"/>`;
    const { definitions, warnings } = await imported(started(byMessage, second));
    expect(nodeOf(definitions[0] as never, "p:start").meta).toEqual({
      events: [
        { id: "s", on: "message", name: "M", payload: ALL },
        { id: "s2", on: "timer", duration: "PT1H" },
      ],
    });
    expect(warnings).toEqual([]);
    const onTheWay = `<startEvent id="s"/><intermediateCatchEvent id="t">${byTime("timeCycle", "R/P1D")}</intermediateCatchEvent><endEvent id="e"/>${flows("s > t", "t > e")}`;
    expect((await issuesOf(file(onTheWay))).map(({ code }) => code)).toEqual(["BPMN012"]);
  });

  it("BPMN067 any other trigger of a start event is left to who starts a run, with a warning", async () => {
    const others = [
      "<timerEventDefinition/>",
      "<conditionalEventDefinition><condition>a = 1</condition></conditionalEventDefinition>",
      byTime("timeCycle", "0 0/5 * * * ?"),
      byTime("timeDuration", "=wait"),
      byTime("timeCycle", "R/P1D/2030-01-01"),
      byTime("timeDate", "PT1H"),
      `<messageEventDefinition messageRef="x"/>`,
      byMessage + bySignal,
    ];
    for (const trigger of others) {
      const { definitions, warnings } = await imported(started(trigger));
      expect(warnings).toMatchObject([{ code: "BPMN067", facts: { element: "s" } }]);
      expect(nodeOf(definitions[0] as never, "s").meta).toBeUndefined();
    }
  });
});

const DATA = fileURLToPath(new URL("../../../../../shared/data/bpmn", import.meta.url));

describe.skipIf(!existsSync(DATA))("files that attack", () => {
  it("BR-103: an external entity of a published test is refused and not read", async () => {
    const path = `${DATA}/activiti/DeployInvalidXmlTest.testExternalEntityResolvingTest.bpmn20.xml`;
    expect(await issuesOf(readFileSync(path))).toMatchObject([{ code: "XML002" }]);
  });
});
