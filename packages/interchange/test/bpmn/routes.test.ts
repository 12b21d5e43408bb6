/** @module Sequence flows: exclusive, parallel, inclusive, conditional, default; links; ends. */
import { describe, expect, it } from "vitest";
import { arcsOf, definitionOf, file, flows, imported, issuesOf, nodeOf } from "./bpmn-file.ts";

const ends = `<startEvent id="s"/><endEvent id="e"/>`;

describe("[D14.4] ways out", () => {
  it("[D14.4] an exclusive gateway takes the first whose condition holds, in the order that it lists", async () => {
    const text = file(
      `${ends}<exclusiveGateway id="g" default="f4"><outgoing>f3</outgoing><outgoing>f2</outgoing><outgoing>f4</outgoing></exclusiveGateway><task id="a"/><task id="b"/>
       ${flows("s > g", "g > a : x = 1", "g > b : x > 0", "g > e", "a > e", "b > e")}`,
    );
    const definition = await definitionOf(text);
    expect(nodeOf(definition, "g")).toEqual({ id: "g", kind: "gateway" });
    expect(definition.arcs.filter(({ from }) => from === "g")).toEqual([
      { from: "g", guard: { key: "x", op: "greaterThan", value: 0 }, to: "b" },
      { from: "g", guard: { key: "x", op: "is", value: 1 }, to: "a" },
      { default: true, from: "g", to: "e:f4" },
    ]);
  });

  it("[D14.4] BPMN063 BR-100: the condition of a default flow is ignored, and so are those behind a parallel gateway", async () => {
    const { definitions, warnings } = await imported(
      file(
        `${ends}<exclusiveGateway id="g" default="f2"/><parallelGateway id="h"/><task id="a"/>
         ${flows("s > g", "g > a : x = 1", "g > h : x = 2", "h > e : x = 3", "a > e")}`,
      ),
    );
    expect(definitions[0]?.arcs).toContainEqual({ default: true, from: "g", to: "a" });
    expect(warnings.map(({ code }) => code)).toEqual(["BPMN063", "BPMN063"]);
  });

  it("[D14.4] BPMN064: an exclusive gateway without conditions is said to take its first flow", async () => {
    const { warnings } = await imported(
      file(`${ends}<exclusiveGateway id="g"/><task id="a"/>${flows("s > g", "g > a", "g > e", "a > e")}`),
    );
    expect(warnings).toMatchObject([{ code: "BPMN064", facts: { element: "g", flows: ["f2", "f3"] } }]);
  });

  it("[D14.4] a parallel gateway joins all and forks all, also both at once", async () => {
    const definition = await definitionOf(
      file(
        `${ends}<parallelGateway id="g"/><parallelGateway id="h"/><parallelGateway id="j"/><task id="a"/><task id="b"/>
         ${flows("s > g", "g > h", "g > h", "h > a", "h > b", "a > j", "b > j", "j > e")}`,
      ),
    );
    expect(nodeOf(definition, "h")).toMatchObject({ join: "all", split: "all" });
    expect(nodeOf(definition, "j")).toEqual({ id: "j", join: "all", kind: "gateway" });
    // Two flows between the same nodes are two tokens.
    expect(arcsOf(definition)).toContain("f3:between -> h");
  });

  it("[D14.4] BR-014 several flows out of a task are a fork, several into it a merge", async () => {
    const definition = await definitionOf(
      file(`${ends}<userTask id="a"/><userTask id="b"/>${flows("s > a", "a > b", "a > b", "b > e")}`),
    );
    expect(nodeOf(definition, "a")).toMatchObject({ split: { done: "all" } });
    expect(nodeOf(definition, "b").join).toBeUndefined();
  });

  it("[D14.4] BR-028: one conditional flow and the default are an exclusive choice, also back to the task itself", async () => {
    const definition = await definitionOf(
      file(`${ends}<userTask id="a" default="f3"/>${flows("s > a", "a > a : again = true", "a > e")}`),
    );
    expect(nodeOf(definition, "a").split).toBeUndefined();
    expect(arcsOf(definition)).toEqual(["a -> a?", "a -> e*", "s -> a"]);
  });

  it("[D14.4] conditional flows beside others are written out, the larger subsets first", async () => {
    const definition = await definitionOf(
      file(
        `<startEvent id="s"/><userTask id="a" default="f5"/><task id="x"/><task id="y"/><task id="z"/><task id="dd"/>
         ${flows("s > a", "a > x : p = 1", "a > y : q = 1", "a > z", "a > dd")}`,
      ),
    );
    expect(
      definition.arcs.filter(({ from }) => from === "a").map(({ to, default: d }) => [to, d ?? false]),
    ).toEqual([
      ["a:f4+f2+f3", false],
      ["a:f4+f2", false],
      ["a:f4+f3", false],
      ["a:f4+f5", true],
    ]);
    expect(definition.arcs.filter(({ from }) => from === "a:f4+f2+f3").map(({ to }) => to)).toEqual([
      "z",
      "x",
      "y",
    ]);
  });

  it("BPMN015 many conditional flows beside one without condition are refused, alone they are an OR split", async () => {
    const ways = Array.from({ length: 8 }, (_, i) => `g > t${i} : x = ${i}`);
    const tasks = Array.from({ length: 8 }, (_, i) => `<task id="t${i}"/>`).join("");
    const text = (more: readonly string[]) =>
      file(`${ends}<task id="g"/>${tasks}${flows("s > g", ...ways, "t0 > e", ...more)}`);
    expect(await issuesOf(text(["g > e"]))).toMatchObject([{ code: "BPMN015", facts: { element: "g" } }]);
    expect(nodeOf(await definitionOf(text([])), "g").split).toEqual({ done: "or" });
  });
});

describe("[D14.15] inclusive gateways", () => {
  const block = (split: string, more = "", extra: readonly string[] = []) =>
    file(
      `${ends}<${split} id="g"/><inclusiveGateway id="j"/><userTask id="a"/><userTask id="b"/>${more}
       ${flows("s > g", "g > a : x = 1", "g > b : y = 1", "a > j", "b > j", "j > e", ...extra)}`,
    );

  it("[D14.15] BR-005 a structured pair is an OR split and an OR join", async () => {
    const definition = await definitionOf(block("inclusiveGateway"));
    expect([nodeOf(definition, "g").split, nodeOf(definition, "j").join]).toEqual(["or", "or"]);
  });

  it("[D14.15] behind a parallel or an exclusive split the join waits for all or for the one", async () => {
    expect(nodeOf(await definitionOf(block("parallelGateway")), "j").join).toBe("all");
    expect(nodeOf(await definitionOf(block("exclusiveGateway")), "j").join).toBe("any");
  });

  it("[D14.15] BR-008 a branch may lead through a link", async () => {
    const link = (tag: string, id: string) => `<${tag} id="${id}"><linkEventDefinition name="L"/></${tag}>`;
    const text = file(
      `${ends}<inclusiveGateway id="g"/><inclusiveGateway id="j"/><userTask id="a"/>${link("intermediateThrowEvent", "t")}${link("intermediateCatchEvent", "c")}
       ${flows("s > g", "g > j : x = 1", "g > a : y = 1", "a > t", "c > j", "j > e")}`,
    );
    expect(nodeOf(await definitionOf(text), "j").join).toBe("or");
  });

  it("[D14.15] a split without a join of its own is an OR split, and a merge takes each token", async () => {
    const text = block("inclusiveGateway").replaceAll('inclusiveGateway id="j"', 'exclusiveGateway id="j"');
    const definition = await definitionOf(text);
    expect(nodeOf(definition, "g").split).toBe("or");
    expect(nodeOf(definition, "j").join).toBeUndefined();
    expect(arcsOf(definition).filter((arc) => arc.startsWith("g "))).toEqual(["g -> a?", "g -> b?"]);
  });

  it("[D14.15] a join of flows that nothing splits for it is an OR join", async () => {
    const text = file(
      `${ends}<parallelGateway id="g"/><inclusiveGateway id="j"/><userTask id="a"/><exclusiveGateway id="x"/>
       ${flows("s > g", "g > a", "g > x", "x > j : p = 1", "x > e : p = 2", "a > j", "j > e")}`,
    );
    expect(nodeOf(await definitionOf(text), "j").join).toBe("or");
  });

  it("[D14.15] a branch that can bring a second token is no branch of a block", async () => {
    const loop = (split: string) =>
      file(
        `${ends}<${split} id="g"/><inclusiveGateway id="j"/><userTask id="a"/><parallelGateway id="h"/><exclusiveGateway id="m"/><userTask id="b"/>
         ${flows("s > g", "g > a : x = 1", "g > m : y = 1", "m > b", "b > h", "h > j", "h > m", "a > j", "j > e")}`,
      );
    expect(nodeOf(await definitionOf(loop("parallelGateway")), "j").join).toBe("or");
    // The block is none, so the join looks at the marking and not at skipped branches.
    const open = await definitionOf(loop("inclusiveGateway"));
    expect([nodeOf(open, "g").split, nodeOf(open, "j").join]).toEqual(["or", "or"]);
  });
});

describe("[D14.15] inclusive joins inside inclusive blocks", () => {
  const timed = `<userTask id="t"/><boundaryEvent id="b" attachedToRef="t" cancelActivity="false"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>`;
  /** A block with, in one branch, two tasks side by side that `k` joins, and a task that may bring a second token. */
  const around = (k: string, second = timed, more: readonly string[] = ["b > j"]) =>
    file(
      `${ends}<inclusiveGateway id="g"/><inclusiveGateway id="j"/><parallelGateway id="h"/><${k} id="k"/><userTask id="m"/><userTask id="n"/><userTask id="z"/>${second}
       ${flows("s > g", "g > h : x = 1", "g > z : y = 1", "h > m", "h > n", "m > k", "n > k", "k > t", "t > j", "z > j", "j > e", ...more)}`,
    );

  it("[D14.15] a block that is one only when its inner join is settled is written out if a branch brings several tokens", async () => {
    const definition = await definitionOf(around("inclusiveGateway"));
    expect([nodeOf(definition, "k").join, nodeOf(definition, "j").join]).toEqual(["all", "or"]);
    expect(nodeOf(definition, "g").split).toBeUndefined();
    expect(definition).toEqual(await definitionOf(around("parallelGateway")));
  });

  it("[D14.15] it stays one if each branch brings one token", async () => {
    const text = (k: string) => around(k, `<userTask id="t"/>`, []);
    const definition = await definitionOf(text("inclusiveGateway"));
    expect(nodeOf(definition, "g").split).toBe("or");
    expect(definition).toEqual(await definitionOf(text("parallelGateway")));
  });

  it("[D14.15] behind parallel splits one inside the other each join waits for all", async () => {
    const text = (k: string) =>
      file(
        `${ends}<parallelGateway id="g"/><${k} id="j"/><parallelGateway id="h"/><${k} id="k"/><userTask id="m"/><userTask id="n"/><userTask id="z"/>
         ${flows("s > g", "g > h", "g > z", "h > m", "h > n", "m > k", "n > k", "k > j", "z > j", "j > e")}`,
      );
    const definition = await definitionOf(text("inclusiveGateway"));
    expect(definition).toEqual(await definitionOf(text("parallelGateway")));
    expect([nodeOf(definition, "k").join, nodeOf(definition, "j").join]).toEqual(["all", "all"]);
  });
});

describe("[D14.13] ends", () => {
  it("[D14.13] each flow into an ordinary end has an end of its own", async () => {
    const definition = await definitionOf(
      file(
        `<startEvent id="s"/><endEvent id="e" name="Done"/><task id="a"/><task id="b"/>${flows("s > a", "s > b", "a > e", "b > e")}`,
      ),
    );
    expect(definition.nodes.filter(({ kind }) => kind === "end")).toEqual([
      { id: "e:f3", kind: "end", label: "Done" },
      { id: "e:f4", kind: "end", label: "Done" },
    ]);
  });

  it("[D14.13] BR-066 a terminate end empties its scope, an error end leaves it under the error's code", async () => {
    const definition = await definitionOf(
      file(
        `<startEvent id="s"/><subProcess id="x"><startEvent id="i"/><task id="a"/><endEvent id="k"><terminateEventDefinition/></endEvent><endEvent id="m"><errorEventDefinition errorRef="er"/></endEvent>
         <sequenceFlow id="g1" sourceRef="i" targetRef="a"/><sequenceFlow id="g2" sourceRef="i" targetRef="k"/><sequenceFlow id="g3" sourceRef="a" targetRef="m"/></subProcess>
         <boundaryEvent id="b" attachedToRef="x"><errorEventDefinition errorRef="er"/></boundaryEvent><task id="t"/><endEvent id="e"/>${flows("s > x", "x > e", "b > t")}`,
        `<error id="er" errorCode="E1"/>`,
      ),
    );
    expect(nodeOf(definition, "k")).toMatchObject({ kind: "end", meta: { terminate: true }, scope: "x" });
    expect(nodeOf(definition, "x:error:E1")).toMatchObject({
      kind: "end",
      meta: { outcome: "E1", terminate: true },
    });
    expect(nodeOf(definition, "x")).toMatchObject({ meta: { outcomes: ["done", "E1"] } });
    expect(arcsOf(definition)).toContain("x -E1-> b");
  });
});

describe("[D14.16] ends of a subprocess", () => {
  const within = (content: string) =>
    file(`<startEvent id="s"/><subProcess id="x"><startEvent id="i"/>${content}</subProcess><endEvent id="e"/>
      <sequenceFlow id="o1" sourceRef="s" targetRef="x"/><sequenceFlow id="o2" sourceRef="x" targetRef="e"/>`);

  it("[D14.16] ends that exclude each other stay", async () => {
    const definition = await definitionOf(
      within(
        `<exclusiveGateway id="g"/><endEvent id="k"/>${flows("i > g", "g > k : x = 1", "g > k : x = 2")}`,
      ),
    );
    expect(
      definition.nodes.filter(({ scope, kind }) => scope === "x" && kind === "end").map(({ id }) => id),
    ).toEqual(["k:f2", "k:f3"]);
  });

  it("[D14.16] ends that always mark together are joined, alternatives among them merged", async () => {
    const definition = await definitionOf(
      within(
        `<parallelGateway id="g"/><exclusiveGateway id="h"/><userTask id="a"/><endEvent id="k"/><endEvent id="m"/><endEvent id="n"/>
         ${flows("i > g", "g > a", "g > h", "a > k", "h > m : x = 1", "h > n : x = 2")}`,
      ),
    );
    expect(nodeOf(definition, "x:join")).toMatchObject({ join: "all", kind: "gateway" });
    expect(arcsOf(definition).filter((arc) => /^(?:k|m|n|x:)/u.test(arc))).toEqual([
      "k -> x:join",
      "m -> x:merge",
      "n -> x:merge",
      "x:join -> x:end",
      "x:merge -> x:join",
    ]);
  });

  it("[D14.16] ends that mark together in ways that vary are joined by an OR join", async () => {
    const text = within(
      `<inclusiveGateway id="g"/><endEvent id="k"/><endEvent id="m"/>${flows("i > g", "g > k : x = 1", "g > m : y = 1")}`,
    );
    const definition = await definitionOf(text);
    expect(nodeOf(definition, "x:join")).toEqual({ id: "x:join", join: "or", kind: "gateway", scope: "x" });
    expect(definition.joinSemantics).toBe("yawl");
    expect(arcsOf(definition)).toEqual(
      expect.arrayContaining(["k -> x:join", "m -> x:join", "x:join -> x:end"]),
    );
  });

  it("[D14.16] BPMN079 beside an inclusive gateway that looks at the marking BPMN's rule stays, with a warning", async () => {
    const varying = `<subProcess id="x"><startEvent id="i"/><inclusiveGateway id="k0"/><endEvent id="k"/><endEvent id="m"/>
      <sequenceFlow id="x1" sourceRef="i" targetRef="k0"/><sequenceFlow id="x2" sourceRef="k0" targetRef="k"><conditionExpression>x = 1</conditionExpression></sequenceFlow>
      <sequenceFlow id="x3" sourceRef="k0" targetRef="m"><conditionExpression>y = 1</conditionExpression></sequenceFlow></subProcess>`;
    const open = `<parallelGateway id="g"/><inclusiveGateway id="j"/><userTask id="a"/><exclusiveGateway id="h"/>`;
    const { definitions, warnings } = await imported(
      file(
        `${ends}${varying}${open}${flows("s > x", "x > g", "g > a", "g > h", "h > j : p = 1", "h > e : p = 2", "a > j", "j > e")}`,
      ),
    );
    expect(definitions[0]?.joinSemantics).toBeUndefined();
    expect(warnings).toMatchObject([{ code: "BPMN079", facts: { element: "x" } }]);
  });

  it("[D14.16] an empty subprocess does nothing, BR-076 nested ones complete from the inside out", async () => {
    const nest = (depth: number): string =>
      depth === 0 ? `<task id="t"/>` : `<subProcess id="x${depth}">${nest(depth - 1)}</subProcess>`;
    const definition = await definitionOf(file(`${nest(10)}<subProcess id="empty"/>`));
    expect(nodeOf(definition, "t").scope).toBe("x1");
    expect(nodeOf(definition, "empty")).toMatchObject({ kind: "subprocess", meta: { entry: "empty:start" } });
  });
});

describe("[D14.14] links", () => {
  const link = (tag: string, id: string, name: string) =>
    `<${tag} id="${id}"><linkEventDefinition name="${name}"/></${tag}>`;

  it("[D14.14] every throwing event leads to the one that catches", async () => {
    const definition = await definitionOf(
      file(
        `${ends}<task id="a"/>${link("intermediateThrowEvent", "t", "L")}${link("intermediateThrowEvent", "u", "L")}${link("intermediateCatchEvent", "c", "L")}
         ${flows("s > a", "a > t", "a > u", "c > e")}`,
      ),
    );
    expect(arcsOf(definition)).toEqual(["a -> t", "a -> u", "c -> e", "s -> a", "t -> c", "u -> c"]);
  });

  it("BPMN019 a link without partner, or with several catching events, is refused", async () => {
    const alone = file(
      `${ends}${link("intermediateThrowEvent", "t", "L")}${link("intermediateCatchEvent", "c", "M")}${flows("s > t", "c > e")}`,
    );
    expect((await issuesOf(alone)).map(({ code }) => code)).toEqual(["BPMN019", "BPMN019"]);
  });
});
