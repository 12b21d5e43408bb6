/** @module A BPMN process that a message or a signal starts, from the file to the run. */
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
