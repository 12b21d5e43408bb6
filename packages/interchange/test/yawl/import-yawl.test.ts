import {
  type CompiledNetDefinition,
  compileNetDefinition,
  enabledTransitions,
  fire,
  type Marking,
} from "@tessera/core";
import { orJoinRules } from "@tessera/gateways";
import { describe, expect, it } from "vitest";
import { importYawl, type YawlOptions } from "../../src/index.ts";

const flow = (id: string, more = "") => `<flowsInto><nextElementRef id="${id}"/>${more}</flowsInto>`;
const input = (...to: readonly string[]) =>
  `<inputCondition id="i"><name>begin</name>${to.map((id) => flow(id)).join("")}</inputCondition>`;
const output = '<outputCondition id="o"/>';
const condition = (id: string, ...to: readonly string[]) =>
  `<condition id="${id}">${to.map((target) => flow(target)).join("")}</condition>`;
const task = (id: string, to: readonly string[], join = "xor", split = "and", more = "") =>
  `<task id="${id}">${to.map((target) => flow(target)).join("")}<join code="${join}"/><split code="${split}"/>${more}</task>`;
const net = (...elements: readonly string[]) =>
  `<processControlElements>${elements.join("\n")}</processControlElements>`;
const file = (root: string, others = "", attributes = 'uri="spec"') =>
  `<specificationSet xmlns="http://www.yawlfoundation.org/yawlschema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="4.0">
<specification ${attributes}><metaData><title/></metaData>
<decomposition id="Main" isRootNet="true" xsi:type="NetFactsType">${root}</decomposition>${others}</specification>
<layout><specification id="spec"><net id="Main"/></specification></layout></specificationSet>`;

const imported = (text: string, options: YawlOptions = {}) => {
  const result = importYawl(text, options);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
};
/** Codes with the line; of a file that is refused. */
const issuesOf = (text: string, options: YawlOptions = {}) => {
  const result = importYawl(text, options);
  return result.ok ? [] : result.issues.map(({ code, position }) => `${code}@${position?.line}`);
};
const compiledOf = (text: string): CompiledNetDefinition => {
  const result = compileNetDefinition(imported(text).definition);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
};

/** A marking of the net by ids, and the ids of what is enabled in it. */
function at(compiled: CompiledNetDefinition, ...marked: readonly string[]): Marking {
  for (const id of marked) expect(compiled.net.places.map((place) => place.id)).toContain(id);
  return compiled.net.places.map(({ id }) => marked.filter((own) => own === id).length);
}
const enabledAt = (compiled: CompiledNetDefinition, ...marked: readonly string[]) =>
  enabledTransitions(compiled.net, at(compiled, ...marked), orJoinRules(compiled)).map(
    (t) => compiled.net.transitions[t]?.id,
  );
/** The marked places after the transition has fired. */
function after(compiled: CompiledNetDefinition, id: string, ...marked: readonly string[]) {
  const t = compiled.net.transitions.findIndex((own) => own.id === id);
  const result = fire(compiled.net, at(compiled, ...marked), t, orJoinRules(compiled));
  if (result.kind !== "fired") throw new Error(result.kind);
  return compiled.net.places.flatMap((place, p) => (result.marking[p] ? [place.id] : []));
}

describe("[D18.2] the net of a YAWL specification", () => {
  it("[D18.2] has a place for each condition, each flow between tasks and each task at work", () => {
    const { definition, name, warnings } = imported(
      file(net(input("a"), task("a", ["b", "c"]), condition("c", "b"), task("b", ["o"], "and"), output)),
    );
    expect(name).toBe("spec");
    expect(warnings).toEqual([]);
    expect(definition).toEqual({
      format: 1,
      kind: "net",
      id: "spec",
      places: [
        { id: "i", label: "begin", initial: 1 },
        { id: "a.active" },
        { id: "a->b" },
        { id: "c" },
        { id: "b.active" },
        { id: "o" },
      ],
      transitions: [
        { id: "a.start", label: "a", pre: [["i", 1]], post: [["a.active", 1]] },
        {
          id: "a.end",
          label: "a",
          pre: [["a.active", 1]],
          post: [
            ["a->b", 1],
            ["c", 1],
          ],
        },
        {
          id: "b.start",
          label: "b",
          pre: [
            ["a->b", 1],
            ["c", 1],
          ],
          post: [["b.active", 1]],
        },
        { id: "b.end", label: "b", pre: [["b.active", 1]], post: [["o", 1]] },
      ],
      finals: [{ o: 1 }],
      joinSemantics: "yawl",
    });
  });

  it("[D18.2] starts a task once for each flow of an xor join, and ends it once for each choice", () => {
    const choices = (split: string) =>
      compiledOf(
        file(
          net(
            input("a"),
            task("a", ["x", "y", "z"], "xor", split),
            ...["x", "y", "z"].map((id) => condition(id, "b")),
            task("b", ["o"]),
            output,
          ),
        ),
      );
    const ends = (split: string) =>
      choices(split).net.transitions.flatMap(({ id }) => (id.startsWith("a.end") ? [id] : []));
    expect(ends("and")).toEqual(["a.end"]);
    expect(ends("xor")).toEqual(["a.end>x", "a.end>y", "a.end>z"]);
    expect(ends("or")).toEqual([
      "a.end",
      "a.end>x+y",
      "a.end>x+z",
      "a.end>y+z",
      "a.end>x",
      "a.end>y",
      "a.end>z",
    ]);
    expect(after(choices("or"), "a.end>x+z", "a.active")).toEqual(["x", "z"]);
    expect(enabledAt(choices("xor"), "x", "z")).toEqual(["b.start<x", "b.start<z"]);
    expect(after(choices("xor"), "b.start<z", "x", "z")).toEqual(["x", "b.active"]);
  });

  it("[D18.2] [D15.8] an or join waits for what can still be reached, tasks at work included", () => {
    const compiled = compiledOf(
      file(
        net(
          input("a"),
          task("a", ["b", "c"], "xor", "or"),
          task("b", ["d"]),
          task("c", ["d"]),
          task("d", ["o"], "or"),
          output,
        ),
      ),
    );
    expect(compiled.definition.joinSemantics).toBe("yawl");
    expect(enabledAt(compiled, "b->d", "a->c")).toEqual(["c.start"]);
    expect(enabledAt(compiled, "b->d", "c.active")).toEqual(["c.end"]);
    expect(enabledAt(compiled, "b->d")).toEqual(["d.start"]);
    expect(after(compiled, "d.start", "b->d", "c->d")).toEqual(["d.active"]);
  });

  it("[D18.2] a task that ends empties the conditions, flows and tasks that it names", () => {
    const removes =
      '<removesTokens id="b"/><removesTokens id="c"/><removesTokensFromFlow><flowSource id="b"/><flowDestination id="d"/></removesTokensFromFlow>';
    const compiled = compiledOf(
      file(
        net(
          input("a"),
          task("a", ["b", "c", "e"]),
          task("b", ["d"]),
          condition("c", "d"),
          task("d", ["o"], "and"),
          task("e", ["o"], "xor", "and", removes),
          output,
        ),
      ),
    );
    expect(after(compiled, "e.end", "e.active", "b.active", "c", "b->d", "a->b")).toEqual(["a->b", "o"]);
    expect(after(compiled, "d.end", "d.active", "c")).toEqual(["c", "o"]);
  });

  it("[D18.2] a task that stands for a net is that net, at any depth, and is emptied with it", () => {
    const inner = `<decomposition id="Inner" xsi:type="NetFactsType">${net(input("u"), task("u", ["o"], "xor", "and", '<decomposesTo id="Leaf"/>'), output)}</decomposition>`;
    const leaf = `<decomposition id="Leaf" xsi:type="NetFactsType">${net(input("v"), task("v", ["o"]), output)}</decomposition>`;
    const compiled = compiledOf(
      file(
        net(
          input("a"),
          task("a", ["s", "k"]),
          task("s", ["o"], "xor", "and", '<decomposesTo id="Inner"/>'),
          task("k", ["o"], "xor", "and", '<removesTokens id="s"/>'),
          output,
        ),
        inner + leaf,
      ),
    );
    expect(compiled.net.places.map(({ id }) => id)).toContain("s/u/v.active");
    expect(compiled.net.places.map(({ id }) => id)).not.toContain("s.active");
    expect(after(compiled, "s.start", "a->s")).toEqual(["s/i"]);
    expect(after(compiled, "s/u.start", "s/i")).toEqual(["s/u/i"]);
    expect(after(compiled, "s/u.end", "s/u/o")).toEqual(["s/o"]);
    expect(after(compiled, "s.end", "s/o")).toEqual(["o"]);
    expect(after(compiled, "k.end", "k.active", "s/u/v.active", "s/i", "a->s")).toEqual(["a->s", "o"]);
    expect(compiled.net.places.filter((_, p) => compiled.net.initial[p]).map(({ id }) => id)).toEqual(["i"]);
  });

  it("[D18.1] the name of a task is its label, and joins and splits have their defaults", () => {
    const bare = `<task id="t">${flow("o")}<name> Pay </name></task>`;
    const { definition } = imported(file(net(input("t"), bare, output)));
    expect(definition.transitions.map(({ id, label }) => [id, label])).toEqual([
      ["t.start", "Pay"],
      ["t.end", "Pay"],
    ]);
  });

  it("[D18.1] YAWL003 the old form with a root net is read as well, and one of several specifications by its URI", () => {
    const old = (uri: string) =>
      `<specification uri="${uri}"><rootNet id="Main">${net(input("t"), task("t", ["o"]), output)}</rootNet><decomposition id="t" xsi:type="WebServiceGatewayFactsType"/></specification>`;
    const set = (...uris: readonly string[]) =>
      `<specificationSet xmlns="http://www.citi.qut.edu.au/yawl" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${uris.map(old).join("")}</specificationSet>`;
    expect(imported(set("one")).name).toBe("one");
    expect(imported(set("one", "two"), { uri: "two" }).definition.id).toBe("two");
    expect(issuesOf(set("one", "two"))).toEqual(["YAWL003@1"]);
    expect(issuesOf(set("one"), { uri: "three" })).toEqual(["YAWL003@1"]);
  });
});

describe("[D18.1] what is wrong with a YAWL file", () => {
  const simple = (more: string, others = "") => file(net(input("t"), task("t", ["o"]), output, more), others);

  it("YAWL001 another root, or no specification", () => {
    expect(issuesOf("<pnml/>")).toEqual(["YAWL001@1"]);
    expect(issuesOf("<specificationSet/>")).toEqual(["YAWL001@1"]);
    expect(issuesOf("no xml")).toEqual(["XML007@1"]);
  });

  it("YAWL002 no root net, two of them, or a net without its ends", () => {
    expect(
      issuesOf(file(net(input("t"), task("t", ["o"]), output)).replace(' isRootNet="true"', "")),
    ).toEqual(["YAWL002@2"]);
    const second = `<decomposition id="B" isRootNet="true" xsi:type="NetFactsType">${net(input("t"), task("t", ["o"]), output)}</decomposition>`;
    expect(issuesOf(simple("", second))).toEqual(["YAWL002@2"]);
    expect(issuesOf(file(net(input("t"), task("t", ["t"]))))).toEqual(["YAWL002@3"]);
    expect(issuesOf(file(net(task("t", ["t", "o"]), output)))).toEqual(["YAWL002@3"]);
    expect(issuesOf(simple('<outputCondition id="o2"/>'))).toEqual(["YAWL002@3", "YAWL007@6"]);
  });

  it("YAWL004 an id that is used twice, in a net or for two nets", () => {
    expect(issuesOf(simple(task("t", ["o"])))).toContain("YAWL004@6");
    const twin = `<decomposition id="Main" xsi:type="NetFactsType">${net(input("t"), task("t", ["o"]), output)}</decomposition>`;
    expect(issuesOf(simple("", twin))).toContain("YAWL004@6");
  });

  it("YAWL005 a flow to nothing, into the beginning, out of the end, or between conditions", () => {
    expect(issuesOf(simple(task("u", ["x", "o"])))).toEqual(["YAWL005@6", "YAWL007@6"]);
    expect(issuesOf(file(net(input("t"), task("t", ["o", "i"]), output)))).toEqual(["YAWL005@4"]);
    expect(
      issuesOf(
        file(net(input("t"), task("t", ["o"]), `<outputCondition id="o">${flow("t")}</outputCondition>`)),
      ),
    ).toEqual(["YAWL005@5"]);
    expect(issuesOf(file(net(input("t"), task("t", ["c", "o"]), output, condition("c", "o"))))).toEqual([
      "YAWL005@6",
    ]);
    expect(issuesOf(file(net(input("o"), output)))).toEqual(["YAWL005@3", "YAWL007@4"]);
  });

  it("YAWL006 a join or a split of no known code", () => {
    expect(issuesOf(file(net(input("t"), task("t", ["o"], "nand"), output)))).toEqual(["YAWL006@4"]);
    expect(issuesOf(file(net(input("t"), task("t", ["o"], "and", ""), output)))).toEqual(["YAWL006@4"]);
  });

  it("YAWL007 an element that is on no way", () => {
    expect(issuesOf(simple(task("u", ["o"])))).toEqual(["YAWL007@6"]);
    expect(issuesOf(file(net(input("t"), task("t", ["o", "u"]), output, task("u", []))))).toEqual([
      "YAWL007@6",
    ]);
  });

  it("YAWL008 an unknown decomposition, or a net in itself", () => {
    const standsFor = (id: string) => task("t", ["o"], "xor", "and", `<decomposesTo id="${id}"/>`);
    expect(issuesOf(file(net(input("t"), standsFor("X"), output)))).toEqual(["YAWL008@4"]);
    expect(issuesOf(file(net(input("t"), standsFor("Main"), output)))).toEqual(["YAWL008@4"]);
    const inner = `<decomposition id="B" xsi:type="NetFactsType">${net(input("t"), standsFor("Main"), output)}</decomposition>`;
    expect(issuesOf(file(net(input("t"), standsFor("B"), output), inner))).toEqual(["YAWL008@6"]);
  });

  it("YAWL009 YAWL024 tokens removed from what is not there, or from the end; a flow that is not there has none", () => {
    const removing = (more: string) => file(net(input("t"), task("t", ["o"], "xor", "and", more), output));
    expect(issuesOf(removing('<removesTokens id="x"/>'))).toEqual(["YAWL009@4"]);
    expect(issuesOf(removing('<removesTokens id="o"/>'))).toEqual(["YAWL009@4"]);
    expect(issuesOf(removing('<removesTokens id="i"/>'))).toEqual([]);
    const loose = removing(
      '<removesTokensFromFlow><flowSource id="t"/><flowDestination id="t"/></removesTokensFromFlow>',
    );
    expect(imported(loose).warnings.map(({ code }) => code)).toEqual(["YAWL024"]);
    expect(imported(loose).definition.transitions.some(({ reset }) => reset !== undefined)).toBe(false);
  });

  it("YAWL010 an element that no net has", () => {
    expect(issuesOf(simple('<gate id="g"/>'))).toEqual(["YAWL010@6"]);
  });

  const instances = (
    numbers: readonly (number | string)[],
    result = "v",
    variable = '<localVariable name="v"/>',
  ) =>
    file(
      `${variable}${net(
        input("t"),
        `<task id="t" xsi:type="MultipleInstanceExternalTaskFactsType">${flow("o")}<join code="xor"/><split code="and"/><minimum>${numbers[0]}</minimum><maximum>${numbers[1]}</maximum><threshold>${numbers[2]}</threshold><miDataOutput><resultAppliedToLocalVariable>${result}</resultAppliedToLocalVariable></miDataOutput></task>`,
        output,
      )}`,
    );

  it("YAWL011 YAWL020 instances are one task, if their numbers fit and the variable exists", () => {
    expect(imported(instances([1, 5, 3])).warnings.map(({ code, facts }) => [code, facts])).toEqual([
      ["YAWL020", { id: "t" }],
    ]);
    expect(
      imported(instances([1, 5, 3], "w", "<outputParam><name>w</name></outputParam>")).definition.places,
    ).toHaveLength(3);
    for (const numbers of [
      [0, 5, 3],
      [1, 5, 0],
      [3, 2, 1],
    ])
      expect(issuesOf(instances(numbers))).toEqual(["YAWL011@4"]);
    // A text that is no number is a query on the data of the case.
    const asked = (numbers: string) => issuesOf(instances(numbers.split(" ")));
    expect(["1 q q", "q 5 9", "q q q"].flatMap(asked)).toEqual([]);
    for (const numbers of ["0 q 1", "q 0 1", "1 q -1"]) expect(asked(numbers)).toEqual(["YAWL011@4"]);
    expect(issuesOf(instances([1, 5, 3], "x"))).toEqual(["YAWL011@4"]);
    expect(issuesOf(instances([1, 5, 3], "v", '<inputParam name="v"/>'))).toEqual(["YAWL011@4"]);
  });

  it("YAWL012 an or split of more flows than can be written out", () => {
    const fan = (count: number) => {
      const ids = Array.from({ length: count }, (_, index) => `c${index}`);
      return file(
        net(
          input("t"),
          task("t", ids, "xor", "or"),
          ...ids.map((id) => condition(id, "u")),
          task("u", ["o"]),
          output,
        ),
      );
    };
    expect(issuesOf(fan(11))).toEqual(["YAWL012@4"]);
    expect(imported(fan(10)).definition.transitions).toHaveLength(1 + 1023 + 10 + 1);
  });

  it("YAWL013 nets in nets that multiply beyond the limit", () => {
    const level = (id: string, inner: string | null) => {
      const tasks = Array.from({ length: 12 }, (_, index) => `t${index}`);
      const stands = inner === null ? "" : `<decomposesTo id="${inner}"/>`;
      const chain = tasks.map((own, index) => task(own, [tasks[index + 1] ?? "o"], "xor", "and", stands));
      return [id, net(input("t0"), ...chain, output)] as const;
    };
    const names = ["Main", "L1", "L2", "L3", "L4"];
    const [root, ...others] = names.map((id, index) => level(id, names[index + 1] ?? null));
    const inner = others.map(
      ([id, text]) => `<decomposition id="${id}" xsi:type="NetFactsType">${text}</decomposition>`,
    );
    const codes = issuesOf(file(root?.[1] ?? "", inner.join("")), { issuesMax: 3 }).map(
      (code) => code.split("@")[0],
    );
    expect(codes.slice(0, 3)).toEqual(["YAWL013", "YAWL013", "YAWL013"]);
  }, 60_000);

  it("YAWL014 an id that is no name", () => {
    expect(issuesOf(file(net(input("x".repeat(300)), task("x".repeat(300), ["o"]), output)))).toContain(
      "YAWL014@3",
    );
  });

  it("YAWL021 YAWL022 YAWL023 predicates, data, timers and people are left out, and each says so", () => {
    const more = "<timer><trigger>OnEnabled</trigger></timer><resourcing/><startingMappings/>";
    const guarded = `<task id="t">${flow("o", "<predicate>true()</predicate>")}<join code="xor"/><split code="xor"/>${more}</task>`;
    const { warnings } = imported(file(net(input("t"), guarded, output)));
    expect(warnings.map(({ code, position }) => [code, position?.line])).toEqual([
      ["YAWL022", 4],
      ["YAWL023", 4],
      ["YAWL021", 4],
    ]);
    expect(warnings.at(-1)?.facts).toEqual({ id: "Main", predicates: 1, tasks: 1 });
    const mapped = task("t", ["o"], "xor", "and", "<completedMappings/>");
    expect(imported(file(net(input("t"), mapped, output))).warnings[0]?.facts).toEqual({
      id: "Main",
      predicates: 0,
      tasks: 1,
    });
  });

  it("[D18.1] reports all issues at once, as many as are asked for", () => {
    const text = simple(task("u", ["o"]) + task("w", ["x"]));
    expect(issuesOf(text)).toEqual(["YAWL007@6", "YAWL005@6", "YAWL007@6"]);
    expect(issuesOf(text, { issuesMax: 1 })).toHaveLength(2);
    expect(issuesOf(text, { limits: { bytesMax: 10 } })).toEqual(["XML004@undefined"]);
  });
});
