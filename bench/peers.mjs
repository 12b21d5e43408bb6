/** @module The same two processes in bpmn-engine, XState and libpetri: a sequence of tasks, a fork and join of tasks. Each case runs whole instances. */
import * as elements from "bpmn-elements";
import { Engine } from "bpmn-engine";
import BpmnModdle from "bpmn-moddle";
import { andPlaces, BitmapNetExecutor, one, outPlace, PetriNet, place, Transition, tokenOf } from "libpetri";
import serialize, { TypeResolver } from "moddle-context-serializer";
import { createActor, createMachine } from "xstate";

const upTo = (count) => Array.from({ length: count }, (_, index) => index);

/** Runs `instance` `count` times, one after the other; a unit is an instance. */
function instances(instance) {
  return {
    async run(count) {
      for (let done = 0; done < count; done += 1) await instance();
      return count;
    },
  };
}

function bpmn(flows, nodes) {
  const flow = ([from, to]) => `<sequenceFlow id="${from}-${to}" sourceRef="${from}" targetRef="${to}"/>`;
  return `<definitions id="d" xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="bench">
    <process id="p" isExecutable="true">${nodes.join("")}${flows.map(flow).join("")}</process></definitions>`;
}

/** Service tasks that call a function which calls back at once; the model is parsed beforehand. */
async function bpmnCase(xml) {
  const resolver = TypeResolver(elements);
  const sourceContext = serialize(await new BpmnModdle().fromXML(xml), resolver);
  const work = (_scope, callback) => callback(null, true);
  return instances(async () => {
    const engine = new Engine({ sourceContext, services: { work } });
    const ended = engine.waitFor("end");
    await engine.execute();
    await ended;
  });
}

const task = (id) => `<serviceTask id="${id}" implementation="\${environment.services.work}"/>`;

function bpmnSequence(tasks) {
  const ids = ["start", ...upTo(tasks).map((index) => `task${index}`), "end"];
  const flows = ids.slice(1).map((id, index) => [ids[index], id]);
  return bpmnCase(
    bpmn(flows, ['<startEvent id="start"/>', ...ids.slice(1, -1).map(task), '<endEvent id="end"/>']),
  );
}

function bpmnForkJoin(branches) {
  const ids = upTo(branches).map((index) => `task${index}`);
  const flows = [
    ["start", "fork"],
    ...ids.flatMap((id) => [
      ["fork", id],
      [id, "join"],
    ]),
    ["join", "end"],
  ];
  const gateways = '<parallelGateway id="fork"/><parallelGateway id="join"/>';
  return bpmnCase(
    bpmn(flows, ['<startEvent id="start"/>', gateways, ...ids.map(task), '<endEvent id="end"/>']),
  );
}

/** An actor an instance, one event a task. */
function xstateCase(machine, events) {
  return instances(() => {
    const actor = createActor(machine).start();
    for (const event of events) actor.send(event);
    if (actor.getSnapshot().status !== "done") throw new Error("XState did not come to its end");
    actor.stop();
  });
}

function xstateSequence(tasks) {
  const states = upTo(tasks).map((index) => [`s${index}`, { on: { next: `s${index + 1}` } }]);
  const machine = createMachine({
    initial: "s0",
    states: { ...Object.fromEntries(states), [`s${tasks}`]: { type: "final" } },
  });
  return xstateCase(
    machine,
    upTo(tasks).map(() => ({ type: "next" })),
  );
}

function xstateForkJoin(branches) {
  const regions = upTo(branches).map((index) => [
    `r${index}`,
    { initial: "open", states: { open: { on: { [`done${index}`]: "closed" } }, closed: { type: "final" } } },
  ]);
  const machine = createMachine({ type: "parallel", states: Object.fromEntries(regions) });
  return xstateCase(
    machine,
    upTo(branches).map((index) => ({ type: `done${index}` })),
  );
}

/** An executor an instance; each transition has an asynchronous action, as every libpetri action is. */
function libpetriCase(net, start, end) {
  return instances(async () => {
    const marking = await new BitmapNetExecutor(net, new Map([[start, [tokenOf(0)]]])).run();
    if (marking.tokenCount(end) !== 1) throw new Error("libpetri did not come to its end");
  });
}

function libpetriTransition(id, inputs, outputs) {
  return Transition.builder(id)
    .inputs(...inputs.map((input) => one(input)))
    .outputs(outputs.length === 1 ? outPlace(outputs[0]) : andPlaces(...outputs))
    .action(async (context) => {
      for (const output of outputs) context.output(output, 0);
    })
    .build();
}

function libpetriSequence(tasks) {
  const places = upTo(tasks + 1).map((index) => place(`p${index}`));
  const steps = upTo(tasks).map((index) =>
    libpetriTransition(`t${index}`, [places[index]], [places[index + 1]]),
  );
  return libpetriCase(
    PetriNet.builder("sequence")
      .transitions(...steps)
      .build(),
    places[0],
    places[tasks],
  );
}

function libpetriForkJoin(branches) {
  const [start, end] = [place("start"), place("end")];
  const before = upTo(branches).map((index) => place(`before${index}`));
  const after = upTo(branches).map((index) => place(`after${index}`));
  const steps = upTo(branches).map((index) =>
    libpetriTransition(`t${index}`, [before[index]], [after[index]]),
  );
  const net = PetriNet.builder("fork")
    .transitions(
      libpetriTransition("fork", [start], before),
      ...steps,
      libpetriTransition("join", after, [end]),
    )
    .build();
  return libpetriCase(net, start, end);
}

export const sequencePeers = async (tasks) => ({
  "bpmn-engine": await bpmnSequence(tasks),
  XState: xstateSequence(tasks),
  libpetri: libpetriSequence(tasks),
});

export const forkJoinPeers = async (branches) => ({
  "bpmn-engine": await bpmnForkJoin(branches),
  XState: xstateForkJoin(branches),
  libpetri: libpetriForkJoin(branches),
});
