/** @module Verdicts and witnesses of BPMN files: in elements, with id, name and line, in the text, in JSON, and at the draw. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folder, jsonLines, tessera } from "./capture.ts";

/** A claim: two ways from one gateway to another, then an archive. Each element has a line of its own. */
const claim = (split: string, merge: string, more = "") => `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
<process id="claim" isExecutable="true">
<startEvent id="Event_0x1" name="Claim arrived"/>
<${split} id="Gateway_1" name="Covered?"/>
<userTask id="Activity_7a" name="Pay the claim"/>
<userTask id="Activity_7b" name="Write a refusal"/>
<${merge} id="Gateway_2" name="Settled"/>
<userTask id="Activity_7c" name="Archive"/>
<endEvent id="Event_0x2" name="Closed"/>
<sequenceFlow id="Flow_1" sourceRef="Event_0x1" targetRef="Gateway_1"/>
<sequenceFlow id="Flow_2" name="yes" sourceRef="Gateway_1" targetRef="Activity_7a"/>
<sequenceFlow id="Flow_3" name="no" sourceRef="Gateway_1" targetRef="Activity_7b"/>
<sequenceFlow id="Flow_4" sourceRef="Activity_7a" targetRef="Gateway_2"/>
<sequenceFlow id="Flow_5" sourceRef="Activity_7b" targetRef="Gateway_2"/>
<sequenceFlow id="Flow_6" sourceRef="Gateway_2" targetRef="Activity_7c"/>
<sequenceFlow id="Flow_7" sourceRef="Activity_7c" targetRef="Event_0x2"/>
${more}</process>
</definitions>`;

/** Names that only the net has: places of arcs, variants of transitions. */
const NET_NAMES = /->|\.(?:step|start|finish|end|rest|take|skip)\b|[<>]\d/u;

interface Obligation {
  readonly id: string;
  readonly verdict: string;
  readonly message?: string;
  readonly witness?: {
    readonly told: { readonly elements: unknown; readonly steps?: unknown; readonly tokens?: unknown };
  };
}

async function failing(file: string): Promise<ReadonlyMap<string, Obligation>> {
  const { code, out } = await tessera("check", file, "--json");
  expect(code).toBe(1);
  const obligations = jsonLines(out)[0]?.["obligations"] as readonly Obligation[];
  return new Map(obligations.filter(({ verdict }) => verdict === "fails").map((one) => [one.id, one]));
}

describe("verdicts speak in elements of the file", () => {
  it("[D14.26] a deadlock: the join that waits, the flow on which the token waits, each step of the run", async () => {
    const file = join(folder({ "c.bpmn": claim("exclusiveGateway", "parallelGateway") }), "c.bpmn");
    const { code, out } = await tessera("check", file);
    expect(code).toBe(1);
    expect(out).toMatch(
      /the run cannot complete any more: a token on sequenceFlow "Flow_[45]" \(line 1[45]\) from userTask "(?:Pay the claim" \(Activity_7a, line 6\)|Write a refusal" \(Activity_7b, line 7\)) to parallelGateway "Settled" \(Gateway_2, line 8\)/u,
    );
    expect(out).toContain('1  startEvent "Claim arrived" (Event_0x1, line 4): done');
    expect(out).toMatch(
      /2 {2}exclusiveGateway "Covered\?" \(Gateway_1, line 5\): done, by sequenceFlow "(?:yes|no)"/u,
    );
    expect(out).toContain('a token waits before parallelGateway "Settled" (Gateway_2, line 8) for ever');
    // What stands behind the join is dead.
    expect(out).toContain('parallelGateway "Settled" (Gateway_2, line 8) is never reached');
    expect(out).toContain('userTask "Archive" (Activity_7c, line 9) is never reached');
    expect(out).not.toMatch(NET_NAMES);
  });

  it("the same in JSON, with the run of the net beside it, so that it can be played", async () => {
    const file = join(folder({ "c.bpmn": claim("exclusiveGateway", "parallelGateway") }), "c.bpmn");
    const found = await failing(file);
    const settled = { id: "Gateway_2", name: "Settled", type: "parallelGateway", line: 8 };
    expect(found.get("O6")?.witness?.told.elements).toEqual([settled]);
    expect(found.get("O3")?.witness).toMatchObject({
      dead: [
        settled,
        { id: "Activity_7c", name: "Archive", type: "userTask", line: 9 },
        { id: "Event_0x2", name: "Closed", type: "endEvent", line: 10 },
      ],
    });
    const { told } = found.get("deadlock")?.witness ?? {};
    expect(told?.tokens).toMatchObject([{ tokens: 1, elements: [{ type: "sequenceFlow" }, {}, settled] }]);
    expect(told?.steps).toMatchObject([
      { number: 1, id: "Event_0x1", name: "Claim arrived", type: "startEvent", line: 4, does: "done" },
      { number: 2, id: "Gateway_1", flows: [{ type: "sequenceFlow" }] },
      { number: 3, does: "begins" },
      { number: 4, does: "done" },
    ]);
    expect(found.get("deadlock")?.witness).toMatchObject({ run: expect.any(Array) });
    for (const { message } of found.values()) expect(message).not.toMatch(NET_NAMES);
  });

  it("[D14.26] a lack of synchronisation: where two tokens come together, and the end that is reached twice", async () => {
    const file = join(folder({ "c.bpmn": claim("parallelGateway", "exclusiveGateway") }), "c.bpmn");
    const { out } = await tessera("check", file);
    expect(out).toContain('a second token at endEvent "Closed" (Event_0x2, line 10)');
    expect(out).toMatch(/two tokens (?:at|on) .*\(\w+, line \d+\)/u);
    expect(out).not.toMatch(NET_NAMES);
    const found = await failing(file);
    const closed = { id: "Event_0x2", name: "Closed", type: "endEvent", line: 10 };
    expect(found.get("O2")?.witness?.told.elements).toEqual([closed]);
    expect(found.get("O2")?.message).toContain('"Closed" (Event_0x2, line 10)');
  });

  it("[D14.26] a dead branch: what nothing reaches inside a subprocess and behind its border, and nothing else", async () => {
    const dead = `<boundaryEvent id="Event_0x9" name="Bounced" attachedToRef="Sub_1"><errorEventDefinition errorRef="E_1"/></boundaryEvent>
<subProcess id="Sub_1" name="Transfer"><startEvent id="In_1"/><exclusiveGateway id="In_2" name="Bank open?"/><parallelGateway id="In_3" name="Both"/>
<endEvent id="In_4"/><endEvent id="In_5" name="Refused"><errorEventDefinition errorRef="E_1"/></endEvent>
<sequenceFlow id="g1" sourceRef="In_1" targetRef="In_2"/><sequenceFlow id="g2" sourceRef="In_2" targetRef="In_4"/><sequenceFlow id="g3" sourceRef="In_2" targetRef="In_3"/>
<sequenceFlow id="g4" sourceRef="In_2" targetRef="In_3"/><sequenceFlow id="g5" sourceRef="In_3" targetRef="In_5"/></subProcess>
<userTask id="Activity_8" name="Call the bank"/>
<sequenceFlow id="h1" sourceRef="Event_0x9" targetRef="Activity_8"/><sequenceFlow id="h2" sourceRef="Activity_8" targetRef="Event_0x2"/>
<sequenceFlow id="Flow_8" sourceRef="Sub_1" targetRef="Event_0x2"/>`;
    const text = claim("exclusiveGateway", "exclusiveGateway", dead)
      .replace('<process id="claim"', '<error id="E_1" errorCode="bounced"/><process id="claim"')
      .replace('targetRef="Event_0x2"/>', 'targetRef="Sub_1"/>');
    const file = join(folder({ "c.bpmn": text }), "c.bpmn");
    const { out } = await tessera("check", file);
    const isDead = (word: string) => expect(out).toContain(`${word} is never reached`);
    isDead('parallelGateway "Both" (In_3, line 19)');
    isDead('endEvent "Refused" (In_5, line 20)');
    isDead('boundaryEvent "Bounced" (Event_0x9, line 18)');
    isDead('userTask "Call the bank" (Activity_8, line 23)');
    expect(out).toContain('subProcess "Transfer" (Sub_1, line 19) never goes on under "bounced"');
    expect(out.match(/ is never reached/gu)).toHaveLength(4);
    expect(out).not.toMatch(NET_NAMES);
  });

  it("a name with line breaks, marks of direction and a thousand letters is one short line", async () => {
    const name = `a&#10;b\u202e\u009b2J${"x".repeat(1000)}`;
    const text = claim("exclusiveGateway", "parallelGateway").replace("Settled", name);
    const { out } = await tessera("check", join(folder({ "c.bpmn": text }), "c.bpmn"));
    expect(out).toContain('parallelGateway "a b\ufffd\ufffd2Jxxx');
    expect(out).not.toMatch(/[\u202e\u009b]|x{81}/u);
  });

  it("the draw says what fails in elements, and its picture has names with ids", async () => {
    const file = join(folder({ "c.bpmn": claim("exclusiveGateway", "parallelGateway") }), "c.bpmn");
    const dot = await tessera("draw", file, "--witness", "--format", "dot");
    expect(dot.code).toBe(1);
    expect(dot.err).toContain('to parallelGateway "Settled" (Gateway_2, line 8)');
    expect(dot.err).toContain('startEvent "Claim arrived" (Event_0x1, line 4): done');
    expect(dot.err).not.toMatch(NET_NAMES);
    expect(dot.out).toContain('tooltip="Settled (Gateway_2)"');
    const dead = await tessera("draw", file, "--witness", "O3");
    expect(dead.err).toContain('userTask "Archive" (Activity_7c, line 9) is never reached');
    expect(dead.out).toContain("<title>Settled (Gateway_2)</title>");
  });

  it("answers to questions speak in elements too, a run, what is dead, and where a token stays", async () => {
    const dir = folder({
      "c.bpmn": claim("exclusiveGateway", "parallelGateway"),
      "d.bpmn": claim("parallelGateway", "exclusiveGateway"),
    });
    const stuck = await tessera("prove", join(dir, "c.bpmn"), "deadlock-free", "quasi-live");
    expect(stuck.code).toBe(1);
    expect(stuck.out).toContain('1  startEvent "Claim arrived" (Event_0x1, line 4): done');
    expect(stuck.out).toContain('parallelGateway "Settled" (Gateway_2, line 8): done');
    expect(stuck.out).toContain('userTask "Archive" (Activity_7c, line 9): begins');
    expect(stuck.out).not.toMatch(NET_NAMES);
    const double = await tessera("prove", join(dir, "d.bpmn"), "sound", "safe");
    expect(double.out).toContain('"Closed" (Event_0x2, line 10)');
    expect(double.out).not.toMatch(NET_NAMES);
    const json = await tessera("prove", join(dir, "c.bpmn"), "deadlock-free", "--json");
    expect(jsonLines(json.out)[0]).toMatchObject({ verdict: "fails", told: expect.any(Array) });
  });

  it("a definition in JSON has names and ids, and no lines", async () => {
    const dir = folder({ "c.bpmn": claim("exclusiveGateway", "parallelGateway") });
    const json = join(dir, "c.json");
    expect((await tessera("convert", join(dir, "c.bpmn"), json)).code).toBe(0);
    const { out } = await tessera("check", json);
    expect(out).toContain('"Archive" (Activity_7c) is never reached');
    expect(out).toContain('from "Pay the claim" (Activity_7a) to "Settled" (Gateway_2)');
    expect(out).not.toMatch(NET_NAMES);
  });
});
