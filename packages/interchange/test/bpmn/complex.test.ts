/** @module Complex gateways: an activation by a number of tokens, or a refusal. */
import { describe, expect, it } from "vitest";
import { arcsOf, definitionOf, file, flows, issuesOf, nodeOf } from "./bpmn-file.ts";

/** An AND split over three tasks, a complex gateway with the content given, a task, an end. */
const discriminator = (content: string, ...more: readonly string[]) =>
  file(
    `<startEvent id="s"/><parallelGateway id="q"/><userTask id="a"/><userTask id="b"/><userTask id="c"/>
     <complexGateway id="g" name="N">${content}</complexGateway><userTask id="t"/><endEvent id="e"/>
     ${flows("s > q", "q > a", "q > b", "q > c", "a > g", "b > g", "c > g", "g > t", "t > e", ...more)}`,
  );
const condition = (text: string) => `<activationCondition>${text}</activationCondition>`;

describe("[D14.24] complex gateways", () => {
  it.each([
    ["activationCount &gt;= 1", 1],
    ["= activationCount >= 2", 2],
    ["${activationCount >= 2}", 2],
    ["#{ activationCount > 1 }", 2],
    ["activationCount == 3", 3],
    ["activationCount = 1", 1],
  ])("[D14.24] BR-018 %s starts with %i tokens", async (text, activation) => {
    const definition = await definitionOf(discriminator(condition(text)));
    expect(nodeOf(definition, "g")).toEqual({ id: "g", kind: "gateway", label: "N", meta: { activation } });
  });

  it.each([
    ["no condition", ""],
    ["a condition over data", condition("x > 1")],
    ["more than a comparison", condition("activationCount >= 1 and x")],
    ["none of its flows", condition("activationCount >= 0")],
    ["more than its flows", condition("activationCount >= 4")],
    ["more than its flows by one", condition("activationCount > 3")],
  ])("[D14.24] BPMN041 %s is refused with id, name and place", async (_, content) => {
    expect(await issuesOf(discriminator(content))).toMatchObject([
      { code: "BPMN041", facts: { element: "g", name: "N" }, position: { line: 6 } },
    ]);
  });

  it("[D14.24] BPMN041 a flow that asks for the state of the gateway is refused, by any gateway of the kind", async () => {
    const text = discriminator(condition("activationCount >= 1"), "g > e : waitingForStart");
    expect((await issuesOf(text)).map(({ code }) => code)).toContain("BPMN041");
  });

  it("[D14.24] [D14.4] one that only splits needs no activation: flows without condition, and those whose conditions hold", async () => {
    const definition = await definitionOf(
      file(
        `<startEvent id="s"/><complexGateway id="g" default="f4"/><userTask id="a"/><userTask id="b"/><userTask id="c"/><endEvent id="e"/>
         ${flows("s > g", "g > a : x = 1", "g > b : y = 1", "g > c", "a > e", "b > e", "c > e")}`,
      ),
    );
    expect(nodeOf(definition, "g")).toEqual({ id: "g", kind: "gateway", split: "or" });
    expect(arcsOf(definition).filter((arc) => arc.startsWith("g "))).toEqual([
      "g -> a?",
      "g -> b?",
      "g -> c*",
    ]);
  });
});
