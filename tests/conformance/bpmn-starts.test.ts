/** @module A BPMN process that a message, a signal or a time starts, from the file to the run. */
import { accepted } from "@tessera/engine";
import { testEngine } from "@tessera/engine/testing";
import { importBpmn } from "@tessera/interchange";
import { describe, expect, it } from "vitest";

const PROCESS = `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
<message id="m" name="ordered"/><signal id="g" name="opened"/><process id="p" isExecutable="true">
<startEvent id="byMessage"><messageEventDefinition messageRef="m"/></startEvent>
<startEvent id="bySignal"><signalEventDefinition signalRef="g"/></startEvent>
<userTask id="pack"/><userTask id="greet"/><endEvent id="e"/><endEvent id="f"/>
<sequenceFlow id="f1" sourceRef="byMessage" targetRef="pack"/><sequenceFlow id="f2" sourceRef="pack" targetRef="e"/>
<sequenceFlow id="f3" sourceRef="bySignal" targetRef="greet"/><sequenceFlow id="f4" sourceRef="greet" targetRef="f"/>
</process></definitions>`;

describe("start events", () => {
  it("[D14.2] [D17.10] a message or a signal begins a run at its own start event, with its data", async () => {
    const imported = await importBpmn(new TextEncoder().encode(PROCESS));
    if (!imported.ok) throw new Error(imported.issues[0]?.message);
    const test = testEngine({});
    for (const { definition } of imported.value.processes) accepted(await test.engine.deploy(definition));
    const open = async () => {
      await test.settle();
      const { rows } = await test.engine.runs({ limit: 10 });
      const views = await Promise.all(
        rows.map(async ({ run }) => accepted(await test.engine.run(run).state())),
      );
      return views.map(({ items, data }) => [items.map(({ node }) => node), data]);
    };
    accepted(await test.engine.publish({ name: "other" }));
    expect(await open()).toEqual([]);
    accepted(await test.engine.publish({ name: "ordered", data: { order: 7 } }));
    expect(await open()).toEqual([[["pack"], { order: 7 }]]);
    accepted(await test.engine.signal({ name: "opened" }));
    expect(await open()).toEqual(
      expect.arrayContaining([
        [["pack"], { order: 7 }],
        [["greet"], {}],
      ]),
    );
    await test.engine.close();
  });
});

/** A start event for each way to say a time, each before a task of its own. */
const timed = (
  times: readonly (readonly [id: string, element: string, text: string])[],
) => `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="p" isExecutable="true">
${times
  .map(
    ([
      id,
      element,
      text,
    ]) => `<startEvent id="${id}"><timerEventDefinition><${element}>${text}</${element}></timerEventDefinition></startEvent>
<userTask id="see-${id}"/><endEvent id="end-${id}"/>
<sequenceFlow id="f-${id}" sourceRef="${id}" targetRef="see-${id}"/><sequenceFlow id="g-${id}" sourceRef="see-${id}" targetRef="end-${id}"/>`,
  )
  .join("")}</process></definitions>`;

describe("start events with a time", () => {
  const deployed = async (text: string) => {
    const imported = await importBpmn(new TextEncoder().encode(text));
    if (!imported.ok) throw new Error(imported.issues[0]?.message);
    expect(imported.value.warnings).toEqual([]);
    const test = testEngine({});
    for (const { definition } of imported.value.processes) accepted(await test.engine.deploy(definition));
    const open = async () => {
      const { rows } = await test.engine.runs({ limit: 99 });
      const views = await Promise.all(
        rows.map(async ({ run }) => accepted(await test.engine.run(run).state())),
      );
      return rows.map(({ run }, n) => `${run} ${views[n]?.items.map(({ node }) => node).join()}`).sort();
    };
    return { ...test, open };
  };

  it("[D14.2] [D17.13] timeDate, timeDuration and timeCycle start a run each, at its own start event", async () => {
    const { engine, clock, open } = await deployed(
      timed([
        ["date", "timeDate", "2026-01-01T01:30:00+01:00"],
        ["duration", "timeDuration", "PT1H"],
        ["cycle", "timeCycle", "R2/PT45M"],
        ["endless", "timeCycle", "R/PT50M"],
      ]),
    );
    await clock.advance("PT29M");
    expect(await open()).toEqual([]);
    await clock.advance("PT31M");
    expect(await open()).toEqual([
      "p/cycle@2026-01-01T00:45:00.000Z see-cycle",
      "p/date@2026-01-01T00:30:00.000Z see-date",
      "p/duration@2026-01-01T01:00:00.000Z see-duration",
      "p/endless@2026-01-01T00:50:00.000Z see-endless",
    ]);
    await clock.advance("PT2H");
    const later = await open();
    expect(later.filter((line) => line.startsWith("p/cycle"))).toHaveLength(2);
    expect(later.filter((line) => line.startsWith("p/endless"))).toHaveLength(3);
    expect(later).toHaveLength(7);
    await engine.close();
  });

  it("[D14.2] [D17.13] one start event with a time is the start of the process, under the label done", async () => {
    const { engine, clock, open } = await deployed(timed([["s", "timeCycle", "R3/PT10M"]]));
    await clock.advance("PT25M");
    expect(await open()).toEqual([
      "p/done@2026-01-01T00:10:00.000Z see-s",
      "p/done@2026-01-01T00:20:00.000Z see-s",
    ]);
    await engine.close();
  });
});

/** An event-based gateway that starts the process, with two messages about one order behind it. */
const gateway = (
  type: string,
) => `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0">
${["order", "payment"].map((name) => `<message id="m-${name}" name="${name}"><extensionElements><zeebe:subscription correlationKey="=number"/></extensionElements></message>`).join("")}
<process id="p" isExecutable="true"><eventBasedGateway id="g" instantiate="true" eventGatewayType="${type}"/>
${["order", "payment"]
  .map(
    (
      name,
    ) => `<intermediateCatchEvent id="${name}"><messageEventDefinition messageRef="m-${name}"/></intermediateCatchEvent><userTask id="see-${name}"/>
<sequenceFlow id="a-${name}" sourceRef="g" targetRef="${name}"/><sequenceFlow id="b-${name}" sourceRef="${name}" targetRef="see-${name}"/><sequenceFlow id="c-${name}" sourceRef="see-${name}" targetRef="j"/>`,
  )
  .join("")}
<${type.toLowerCase()}Gateway id="j"/><endEvent id="e"/><sequenceFlow id="d" sourceRef="j" targetRef="e"/></process></definitions>`;

describe("event-based gateways that start a process", () => {
  const begun = async (type: string) => {
    const imported = await importBpmn(new TextEncoder().encode(gateway(type)));
    if (!imported.ok) throw new Error(imported.issues[0]?.message);
    const test = testEngine({});
    for (const { definition } of imported.value.processes) {
      // Deployed without anything accepted: every obligation is proved.
      expect(accepted(await test.engine.deploy(definition)).accepted).toEqual([]);
    }
    const send = async (name: string, key: string) => {
      accepted(await test.engine.publish({ name, key, data: { [name]: true } }));
      await test.settle();
    };
    const states = async () => {
      const { rows } = await test.engine.runs({ limit: 10 });
      const views = await Promise.all(
        rows.map(async ({ run }) => accepted(await test.engine.run(run).state())),
      );
      return views.map(({ status, items, data }) => [status, items.map(({ node }) => node).sort(), data]);
    };
    const complete = async (node: string) => {
      const { rows } = await test.engine.workItems.list({ limit: 10 });
      const task = rows.find((row) => row.node === node)?.id ?? "";
      accepted(await test.engine.workItems.complete({ task, by: { id: "ann" } }));
      await test.settle();
    };
    return { send, states, complete };
  };

  it("[D14.25] [D17.12] parallel: the first starts the run, which goes on and completes when the other has come", async () => {
    for (const [first, other] of [
      ["order", "payment"],
      ["payment", "order"],
    ] as const) {
      const { send, states, complete } = await begun("Parallel");
      await send(first, "7");
      const number = { number: "7", [first]: true };
      expect(await states()).toEqual([["waiting", [`${other}:await`, `see-${first}`], number]]);
      await complete(`see-${first}`);
      expect(await states()).toEqual([["waiting", [`${other}:await`], number]]);
      await send(other, "8");
      expect((await states()).map(([, items]) => items)).toContainEqual([`${first}:await`, `see-${other}`]);
      await send(other, "7");
      await complete(`see-${other}`);
      await complete(`see-${other}`);
      const both = { number: "7", order: true, payment: true };
      expect(await states()).toContainEqual(["completed", [], both]);
      expect(await states()).toHaveLength(2);
    }
  });

  it("[D14.25] exclusive: each of the events starts a run of its own, and exactly one", async () => {
    const { send, states, complete } = await begun("Exclusive");
    await send("order", "7");
    expect(await states()).toEqual([["waiting", ["see-order"], { order: true }]]);
    await send("payment", "7");
    expect(await states()).toHaveLength(2);
    await complete("see-order");
    await complete("see-payment");
    expect((await states()).map(([status]) => status)).toEqual(["completed", "completed"]);
  });
});
