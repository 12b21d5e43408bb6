/** @module Event-based gateways that start a process: by one of their events, or by the first of all. */
import { describe, expect, it } from "vitest";
import { arcsOf, definitionOf, file, flows, imported, issuesOf, nodeOf } from "./bpmn-file.ts";

const keyed = (id: string, key: string) =>
  `<message id="${id}" name="${id.toUpperCase()}"><extensionElements><zeebe:subscription correlationKey="=${key}"/></extensionElements></message>`;
const NAMES = `<message id="m" name="M"/><message id="n" name="N"/><signal id="g" name="G"/>${keyed("k", "order")}${keyed("l", "order")}${keyed("o", "other")}`;
const caught = (id: string, definition: string) =>
  `<intermediateCatchEvent id="${id}" name="${id}?">${definition}</intermediateCatchEvent>`;
const message = (reference: string) => `<messageEventDefinition messageRef="${reference}"/>`;
const signal = `<signalEventDefinition signalRef="g"/>`;
const timer = `<timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>`;
const gateway = (type: string) =>
  `<eventBasedGateway id="a" name="N" instantiate="true" eventGatewayType="${type}"/>`;
/** The gateway with events c1, c2, ..., all of which lead to the parallel gateway j and on to the end. */
const starting = (type: string, definitions: readonly string[], more = "") => {
  const events = definitions.map((definition, at) => caught(`c${at + 1}`, definition)).join("");
  const ways = definitions.flatMap((_, at) => [`a > c${at + 1}`, `c${at + 1} > j`]);
  return file(
    `${gateway(type)}${events}<parallelGateway id="j"/><endEvent id="e"/>${more}${flows(...ways, "j > e")}`,
    NAMES,
  );
};
const ALL = { "*": "*" };

describe("[D14.25] event-based gateways that start a process", () => {
  it("[D14.25] exclusive: a start by each of its events, which waits for no other", async () => {
    const definition = await definitionOf(starting("Exclusive", [message("k"), signal, message("m")]));
    expect(definition.entry).toBe("a");
    expect(nodeOf(definition, "a")).toEqual({
      id: "a",
      kind: "start",
      label: "N",
      meta: {
        events: [
          { id: "c1", on: "message", name: "K", payload: ALL },
          { id: "c2", on: "signal", name: "G", payload: ALL },
          { id: "c3", on: "message", name: "M", payload: ALL },
        ],
      },
    });
    expect(nodeOf(definition, "c1")).toEqual({ id: "c1", kind: "gateway", label: "c1?" });
    expect(arcsOf(definition).filter((arc) => arc.startsWith("a "))).toEqual([
      "a -c1-> c1",
      "a -c2-> c2",
      "a -c3-> c3",
    ]);
  });

  it("[D14.25] parallel: under each of its events what stands behind it, and a catch for every other one", async () => {
    const definition = await definitionOf(starting("Parallel", [message("k"), message("l")]));
    expect(definition.entry).toBe("a");
    expect(nodeOf(definition, "a")).toEqual({
      id: "a",
      kind: "start",
      label: "N",
      split: { c1: "all", c2: "all" },
      meta: {
        events: [
          { id: "c1", on: "message", name: "K", key: "order", payload: ALL },
          { id: "c2", on: "message", name: "L", key: "order", payload: ALL },
        ],
      },
    });
    expect(nodeOf(definition, "c2:await")).toEqual({
      id: "c2:await",
      kind: "catch",
      label: "c2?",
      meta: { events: [{ id: "done", on: "message", name: "L", key: "order", payload: ALL }] },
    });
    expect(arcsOf(definition)).toEqual([
      "a -c1-> c1",
      "a -c1-> c2:await",
      "a -c2-> c1:await",
      "a -c2-> c2",
      "c1 -> j",
      "c1:await -> c1",
      "c1:await -error-> p:error",
      "c2 -> j",
      "c2:await -> c2",
      "c2:await -error-> p:error",
      "j -> e",
    ]);
  });

  it("[D14.25] parallel, of three: the two that have not come are awaited, and receive tasks are events as well", async () => {
    const tasks = ["m", "n", "m"]
      .map((ref, at) => `<receiveTask id="c${at + 1}" messageRef="${ref}"/>`)
      .join("");
    const ways = [1, 2, 3].flatMap((at) => [`a > c${at}`, `c${at} > j`]);
    const definition = await definitionOf(
      file(
        `${gateway("Parallel")}${tasks}<parallelGateway id="j"/><endEvent id="e"/>${flows(...ways, "j > e")}`,
        NAMES,
      ),
    );
    expect(arcsOf(definition).filter((arc) => arc.startsWith("a "))).toEqual(
      [1, 2, 3].flatMap((came) =>
        [1, 2, 3].map((at) => `a -c${came}-> c${at}${at === came ? "" : ":await"}`).sort(),
      ),
    );
    expect(nodeOf(definition, "c1:await").meta).toEqual({
      events: [{ id: "done", on: "message", name: "M", payload: ALL }],
    });
  });

  it("[D14.25] BPMN069 exclusive with a time: who starts a run says which event has come", async () => {
    const { definitions, warnings } = await imported(starting("Exclusive", [message("m"), timer]));
    const [definition] = definitions;
    if (definition === undefined) throw new Error("none");
    expect(definition.entry).toBe("a");
    expect(nodeOf(definition, "a")).toMatchObject({
      kind: "decision",
      meta: { key: "startEvent", branches: { c1: "c1", c2: "c2" } },
    });
    expect(warnings.map(({ code }) => code).sort()).toEqual(["BPMN067", "BPMN067", "BPMN069"]);
  });

  it("[D14.25] a receive task that starts the process is a start by its message", async () => {
    const task = `<receiveTask id="r" name="N" instantiate="true" messageRef="k"/>`;
    const definition = await definitionOf(file(`${task}<task id="t"/>${flows("r > t")}`, NAMES));
    expect(definition.entry).toBe("r");
    expect(nodeOf(definition, "r")).toEqual({
      id: "r",
      kind: "start",
      label: "N",
      meta: { events: [{ id: "done", on: "message", name: "K", payload: ALL }] },
    });
    expect(arcsOf(definition)).toContain("r -> t");
    const alone = await definitionOf(file(task, NAMES));
    expect(arcsOf(alone)).toEqual(["r -> r:end"]);
  });

  const refusals: readonly (readonly [string, string, readonly string[]])[] = [
    ["a signal behind a parallel one", starting("Parallel", [message("m"), signal]), ["a"]],
    ["a time behind a parallel one", starting("Parallel", [message("m"), timer]), ["a"]],
    ["two keys behind a parallel one", starting("Parallel", [message("k"), message("o")]), ["a"]],
    ["a key and none behind a parallel one", starting("Parallel", [message("k"), message("m")]), ["a"]],
    ["a parallel one with one event", starting("Parallel", [message("m")]), ["a"]],
    [
      "two such gateways",
      starting(
        "Exclusive",
        [message("m")],
        `<eventBasedGateway id="b" instantiate="true"/>${caught("y", message("n"))}<sequenceFlow id="x1" sourceRef="b" targetRef="y"/><sequenceFlow id="x2" sourceRef="y" targetRef="j"/>`,
      ),
      ["a", "b"],
    ],
    [
      "a task that could start beside it",
      starting(
        "Exclusive",
        [message("m")],
        `<task id="t"/><sequenceFlow id="x1" sourceRef="t" targetRef="j"/>`,
      ),
      ["a"],
    ],
    [
      "one that a flow enters",
      file(
        `<startEvent id="s"/>${gateway("Exclusive")}${caught("c", message("m"))}<endEvent id="e"/>${flows("s > a", "a > c", "c > e")}`,
        NAMES,
      ),
      ["a"],
    ],
    [
      "one in a subprocess",
      file(
        `<subProcess id="u">${gateway("Exclusive")}${caught("c", message("m"))}<sequenceFlow id="x1" sourceRef="a" targetRef="c"/></subProcess>`,
        NAMES,
      ),
      ["a"],
    ],
    [
      "a parallel one on the way",
      file(
        `<startEvent id="s"/><eventBasedGateway id="a" eventGatewayType="Parallel"/>${caught("c", message("m"))}<endEvent id="e"/>${flows("s > a", "a > c", "c > e")}`,
        NAMES,
      ),
      ["a"],
    ],
  ];
  const receive = (attributes: string, more = "") =>
    `<receiveTask id="a" instantiate="true" messageRef="m" ${attributes}/>${more}`;
  const tasks: typeof refusals = [
    [
      "a receive task that starts and that a flow enters",
      file(`<startEvent id="s"/>${receive("")}${flows("s > a")}`, NAMES),
      ["a"],
    ],
    [
      "a receive task that starts, in a subprocess",
      file(`<subProcess id="u">${receive("")}</subProcess>`, NAMES),
      ["a"],
    ],
    ["a receive task that starts, beside another start", file(receive("", `<task id="t"/>`), NAMES), ["a"]],
    [
      "a receive task that starts, with a boundary event",
      file(
        receive(
          "",
          `<boundaryEvent id="b" attachedToRef="a">${timer}</boundaryEvent><endEvent id="e"/>${flows("b > e")}`,
        ),
        NAMES,
      ),
      ["a"],
    ],
  ];
  it.each([...refusals, ...tasks])(
    "[D14.25] BPMN048 %s is refused with its id",
    async (_, text, elements) => {
      const found = (await issuesOf(text)).filter(({ code }) => code === "BPMN048");
      expect(found.map(({ facts }) => facts?.["element"])).toEqual(elements);
      expect(found.every(({ position }) => position !== undefined)).toBe(true);
    },
  );

  it("[D14.25] BPMN032 a receive task that starts by a message whose name is an expression is refused", async () => {
    const named = `<message id="x" name="=name"/>`;
    const text = file(`<receiveTask id="a" instantiate="true" messageRef="x"/>`, named);
    expect((await issuesOf(text)).map(({ code, facts }) => [code, facts?.["element"]])).toContainEqual([
      "BPMN032",
      "a",
    ]);
  });

  it("[D14.25] BPMN031 a task behind one is refused, and all problems are named at once", async () => {
    const text = starting("Parallel", [message("k"), timer, signal], "").replace(
      "<endEvent",
      `<task id="t"/><sequenceFlow id="x" sourceRef="a" targetRef="t"/><endEvent`,
    );
    const found = await issuesOf(text);
    expect(found.map(({ code }) => code)).toEqual(expect.arrayContaining(["BPMN031", "BPMN048"]));
    expect(found.filter(({ code }) => code === "BPMN048")).toHaveLength(3);
  });
});
