/** @module What is refused is named: id, name, and the line and column at which the element stands. */
import { describe, expect, it } from "vitest";
import { file, flows, issuesOf } from "./bpmn-file.ts";

const plain = `<startEvent id="s"/><endEvent id="e"/>`;
const instances = (more: string) =>
  `<userTask id="Act_1" name="Ask all">\n<multiInstanceLoopCharacteristics ${more}/></userTask>`;

/** Each with one element `Act_1` named "Ask all", on the second line of the process, that is refused. */
const REFUSED: readonly (readonly [what: string, content: string, code: string])[] = [
  [
    "compensation that is thrown",
    `<intermediateThrowEvent id="Act_1" name="Ask all"><compensateEventDefinition/></intermediateThrowEvent>`,
    "BPMN035",
  ],
  [
    "an activity for compensation",
    `<userTask id="Act_1" name="Ask all" isForCompensation="true"/>`,
    "BPMN035",
  ],
  ["instances with an event each", instances(`behavior="One"`), "BPMN037"],
  ["instances with an event at none", instances(`behavior="None"`), "BPMN037"],
  [
    "an event subprocess that a condition starts",
    `<subProcess id="sub" triggeredByEvent="true"><startEvent id="Act_1" name="Ask all"><conditionalEventDefinition><condition>x</condition></conditionalEventDefinition></startEvent><endEvent id="e2"/><sequenceFlow id="i" sourceRef="Act_1" targetRef="e2"/></subProcess>`,
    "BPMN042",
  ],
  [
    "an ad-hoc subprocess",
    `<adHocSubProcess id="Act_1" name="Ask all"><task id="t"/></adHocSubProcess>`,
    "BPMN039",
  ],
  [
    "a condition that is caught",
    `<intermediateCatchEvent id="Act_1" name="Ask all"><conditionalEventDefinition><condition>x</condition></conditionalEventDefinition></intermediateCatchEvent>`,
    "BPMN042",
  ],
  ["a start quantity", `<userTask id="Act_1" name="Ask all" startQuantity="2"/>`, "BPMN044"],
  ["a complex gateway", `<complexGateway id="Act_1" name="Ask all"/>`, "BPMN041"],
  [
    "a flow to nothing",
    `<sequenceFlow id="Act_1" name="Ask all" sourceRef="s" targetRef="nowhere"/>`,
    "BPMN005",
  ],
  [
    "an event definition that refers to nothing",
    `<intermediateThrowEvent id="Act_1" name="Ask all"><errorEventDefinition errorRef="nowhere"/></intermediateThrowEvent>`,
    "BPMN005",
  ],
  [
    "a border without an activity",
    `<boundaryEvent id="Act_1" name="Ask all"><timerEventDefinition/></boundaryEvent>`,
    "BPMN005",
  ],
  [
    "a node that nothing reaches",
    `<userTask id="Act_1" name="Ask all"/><sequenceFlow id="l" sourceRef="Act_1" targetRef="Act_1"/>`,
    "BPMN020",
  ],
];

describe("[D14.11] what is refused", () => {
  it.each(REFUSED)("%s is named by id, name and line", async (_, content, code) => {
    const isInLine = !/sequenceFlow id="Act_1"|triggeredByEvent|boundaryEvent|id="l"/u.test(content);
    const two =
      code === "BPMN041" ? flows("s > Act_1", "s > Act_1", "Act_1 > e") : flows("s > Act_1", "Act_1 > e");
    const text = file(`\n${content}\n${plain}${isInLine ? two : flows("s > e")}`);
    const issues = await issuesOf(text);
    const found = issues.find((issue) => issue.code === code);
    const line = text.split("\n").findIndex((each) => each.includes('id="Act_1"')) + 1;
    expect([found?.facts?.["element"], found?.position?.line, found?.position?.column]).toEqual([
      "Act_1",
      line,
      expect.any(Number),
    ]);
    expect(found?.message).toContain('"Act_1"');
    expect(found?.message).toContain("Ask all");
  });
});
