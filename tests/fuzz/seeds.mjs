/** @module The seeds of the fuzzer, written for it: one for each form that a reader knows. */

const bpmn = (body) =>
  `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="t"><error id="err" errorCode="E1"/><message id="msg" name="paid"/><signal id="sig" name="go"/><escalation id="esc" escalationCode="up"/>${body}</definitions>`;
const flow = (id, from, to, condition) =>
  `<sequenceFlow id="${id}" sourceRef="${from}" targetRef="${to}">${condition === undefined ? "" : `<conditionExpression>${condition}</conditionExpression>`}</sequenceFlow>`;

export const BPMN = [
  bpmn(
    `<process id="p" isExecutable="true"><startEvent id="s"/><userTask id="a" name="Check"><potentialOwner><resourceAssignmentExpression><formalExpression>team</formalExpression></resourceAssignmentExpression></potentialOwner></userTask><exclusiveGateway id="x" default="f3"/><serviceTask id="b" implementation="port"/><endEvent id="e"/>${flow("f1", "s", "a")}${flow("f2", "a", "x")}${flow("f3", "x", "b")}${flow("f4", "x", "a", "=n &lt; 3 and ok = false")}${flow("f5", "b", "e")}</process>`,
  ),
  bpmn(
    `<process id="p"><startEvent id="s"/><inclusiveGateway id="o" default="d"/><task id="a"/><task id="b"/><task id="c"/><inclusiveGateway id="j"/><parallelGateway id="g"/><parallelGateway id="h"/><endEvent id="e"><terminateEventDefinition/></endEvent>${flow("f1", "s", "o")}${flow("f2", "o", "a", "=x > 1")}${flow("f3", "o", "b", '=contains(t, "z")')}${flow("d", "o", "c")}${flow("f4", "a", "j")}${flow("f5", "b", "j")}${flow("f6", "c", "j")}${flow("f7", "j", "g")}${flow("f8", "g", "h")}${flow("f9", "g", "h")}${flow("f10", "h", "e")}</process>`,
  ),
  bpmn(
    `<process id="p"><startEvent id="s"/><subProcess id="q"><startEvent id="qs"/><scriptTask id="qt"/><endEvent id="qe"><errorEventDefinition errorRef="err"/></endEvent>${flow("g1", "qs", "qt")}${flow("g2", "qt", "qe")}</subProcess><boundaryEvent id="bd" attachedToRef="q"><errorEventDefinition errorRef="err"/></boundaryEvent><boundaryEvent id="bt" attachedToRef="w"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent><receiveTask id="w" messageRef="msg"/><callActivity id="k" calledElement="p2"><extensionElements><camunda:in source="a" target="b"/><camunda:out source="c" target="d"/></extensionElements></callActivity><endEvent id="e"/>${flow("f1", "s", "q")}${flow("f2", "q", "w")}${flow("f3", "bd", "e")}${flow("f4", "bt", "e")}${flow("f5", "w", "k")}${flow("f6", "k", "e")}</process><process id="p2"><startEvent id="s2"/><endEvent id="e2"/>${flow("z", "s2", "e2")}</process>`,
  ),
  bpmn(
    `<process id="p"><laneSet id="ls"><lane id="l" name="desk"><flowNodeRef>u</flowNodeRef></lane></laneSet><startEvent id="s"><messageEventDefinition messageRef="msg"/></startEvent><userTask id="u"><multiInstanceLoopCharacteristics isSequential="true"><loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics></userTask><eventBasedGateway id="eb"/><intermediateCatchEvent id="c1"><messageEventDefinition messageRef="msg"/></intermediateCatchEvent><intermediateCatchEvent id="c2"><timerEventDefinition><timeDate>2030-01-01T00:00:00Z</timeDate></timerEventDefinition></intermediateCatchEvent><intermediateThrowEvent id="t1"><signalEventDefinition signalRef="sig"/></intermediateThrowEvent><intermediateThrowEvent id="lt"><linkEventDefinition name="L"/></intermediateThrowEvent><intermediateCatchEvent id="lc"><linkEventDefinition name="L"/></intermediateCatchEvent><endEvent id="e"><escalationEventDefinition escalationRef="esc"/></endEvent>${flow("f1", "s", "u")}${flow("f2", "u", "eb")}${flow("f3", "eb", "c1")}${flow("f4", "eb", "c2")}${flow("f5", "c1", "t1")}${flow("f6", "t1", "lt")}${flow("f7", "lc", "e")}${flow("f8", "c2", "e")}</process>`,
  ),
  bpmn(
    `<process id="p"><startEvent id="s"/><subProcess id="q"><startEvent id="i"/><task id="t"/><endEvent id="ie"/>${flow("g1", "i", "t")}${flow("g2", "t", "ie")}<subProcess id="ev" triggeredByEvent="true"><startEvent id="es"><signalEventDefinition signalRef="sig"/></startEvent><endEvent id="ee"/>${flow("h1", "es", "ee")}</subProcess></subProcess><boundaryEvent id="b" attachedToRef="q" cancelActivity="false"><signalEventDefinition signalRef="sig"/></boundaryEvent><task id="a"/><endEvent id="e"/><endEvent id="e2"/><textAnnotation id="ta"><text>note</text></textAnnotation><association id="as" sourceRef="a" targetRef="ta"/><dataObject id="do"/>${flow("f1", "s", "q")}${flow("f2", "q", "e")}${flow("f3", "b", "a")}${flow("f4", "a", "e2")}</process><collaboration id="co"><participant id="pa" processRef="p"/><messageFlow id="mf" sourceRef="a" targetRef="pa"/></collaboration>`,
  ),
];

export const NETS = [
  '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><name><text>N</text></name><page id="g"><place id="i"><name><text>in</text></name><initialMarking><text>2</text></initialMarking></place><place id="o"><capacity><text>3</text></capacity></place><referencePlace id="r" ref="i"/><transition id="t"/><transition id="u"/><arc id="a" source="r" target="t"/><arc id="b" source="t" target="o"><inscription><text>2</text></inscription></arc><arc id="c" source="o" target="u" type="reset"/><arc id="d" source="i" target="u" type="inhibitor"/><arc id="e" source="o" target="t" type="read"/><arc id="f" source="u" target="i"/></page><finalmarkings><marking><place idref="o"><text>1</text></place></marking></finalmarkings></net></pnml>',
  '<pnml><net id="n" type="P/T net"><place id="a"><initialMarking><value>Default,1</value></initialMarking></place><place id="z"/><transition id="t"/><arc source="a" target="t"><type value="normal"/></arc><arc source="t" target="z"/><page id="t"><net><place id="a"/><place id="z"/><place id="m"/><transition id="v"/><transition id="w"/><arc source="a" target="v"/><arc source="v" target="m"/><arc source="m" target="w"/><arc source="w" target="z"/></net></page></net></pnml>',
  "{ two } PLACE SAFE 1: a, b; c; MARKING a: 1, c: 2; TRANSITION t STRONG FAIR CONSUME a: 1, c: 1; PRODUCE b: 1; /* x */ TRANSITION u CONSUME b; PRODUCE a, c: 1; // y\n",
  "# cmt\nnet {my net}\ntr t1 : {la bel} [0,w[ p1 p2*3 p3?2 p4?-1 -> p2*2 {odd \\} p}\npl p1 : start (1)\npl p2 (2K) t1 -> t1*4\npl p4 (0)\ntr t2 p2 -> p4\ntr t3 p4 -> p2\nnt n1 0 {note}\nlb t2 two\n",
  "pl a (1)\ntr t a -> b\ntr u b -> a\n",
];

const into = (id, more = "") => `<flowsInto><nextElementRef id="${id}"/>${more}</flowsInto>`;
const yawlTask = (id, to, join, split, more = "") =>
  `<task id="${id}"><name>${id}</name>${to.map((each) => into(each)).join("")}<join code="${join}"/><split code="${split}"/>${more}</task>`;
const yawlNet = (body) =>
  `<processControlElements><inputCondition id="i">${into("a")}</inputCondition>${body}<outputCondition id="o"/></processControlElements>`;
const yawl = (root, others = "") =>
  `<specificationSet xmlns="http://www.yawlfoundation.org/yawlschema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="4.0"><specification uri="spec"><decomposition id="Main" isRootNet="true" xsi:type="NetFactsType">${root}</decomposition>${others}</specification></specificationSet>`;

export const YAWL = [
  yawl(
    yawlNet(
      `${yawlTask("a", ["b", "c", "d"], "xor", "or")}${yawlTask("b", ["e"], "xor", "and")}${yawlTask("c", ["e"], "xor", "and", '<timer><trigger>OnEnabled</trigger></timer><removesTokens id="b"/>')}<condition id="d">${into("e")}</condition>${yawlTask("e", ["o"], "or", "xor")}`,
    ),
  ),
  yawl(
    yawlNet(
      `${yawlTask("a", ["s", "k"], "xor", "and")}${yawlTask("s", ["j"], "xor", "and", '<decomposesTo id="Inner"/>')}${yawlTask("k", ["j"], "xor", "and", '<removesTokens id="s"/><removesTokensFromFlow><flowSource id="s"/><flowDestination id="j"/></removesTokensFromFlow>')}${yawlTask("j", ["o"], "and", "and")}`,
    ),
    `<decomposition id="Inner" xsi:type="NetFactsType">${yawlNet(yawlTask("a", ["a", "o"], "xor", "xor", '<decomposesTo id="Leaf"/>'))}</decomposition><decomposition id="Leaf" xsi:type="WebServiceGatewayFactsType"/>`,
  ),
  `<specificationSet xmlns="http://www.citi.qut.edu.au/yawl" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><specification uri="old"><rootNet id="Main">${yawlNet(`<task id="a" xsi:type="MultipleInstanceExternalTaskFactsType">${into("b", '<predicate ordering="1">true()</predicate>')}${into("o", "<isDefaultFlow/>")}<join code="xor"/><split code="xor"/><minimum>1</minimum><maximum>3</maximum><threshold>2</threshold><creationMode code="static"/></task>${yawlTask("b", ["a"], "and", "or")}`)}</rootNet></specification></specificationSet>`,
];

export const WORKFLOWS = [
  {
    format: 1,
    kind: "workflow",
    id: "order",
    label: "Order",
    entry: "begin",
    data: { x: { type: "integer" }, ok: { type: "boolean" }, k: { type: "string", values: ["a", "b"] } },
    nodes: [
      { id: "begin", kind: "start" },
      { id: "split", kind: "gateway", split: "or" },
      {
        id: "pick",
        kind: "human",
        label: "Pick",
        meta: { candidateGroups: ["store"], outcomes: ["done", "no"] },
      },
      { id: "bill", kind: "tool", reads: ["x"], writes: ["ok"], meta: { port: "bill", deadline: "PT1H" } },
      { id: "meet", kind: "gateway", join: "or" },
      {
        id: "which",
        kind: "decision",
        meta: { key: "k", branches: { a: "left", b: "right" }, default: true },
      },
      { id: "done", kind: "end" },
      { id: "failed", kind: "end", meta: { outcome: "failed", terminate: true } },
    ],
    arcs: [
      { from: "begin", to: "split" },
      { from: "split", to: "pick", guard: { key: "x", op: "atLeast", value: 3 } },
      { from: "split", to: "bill", default: true },
      { from: "pick", to: "meet" },
      { from: "pick", to: "failed", outcome: "no" },
      { from: "bill", to: "meet" },
      { from: "bill", to: "failed", outcome: "error" },
      { from: "bill", to: "failed", outcome: "expired" },
      { from: "meet", to: "which" },
      { from: "which", to: "done", outcome: "left" },
      { from: "which", to: "done", outcome: "right" },
      { from: "which", to: "failed", outcome: "default" },
    ],
  },
  {
    format: 1,
    kind: "workflow",
    id: "loop",
    entry: "s",
    nodes: [
      { id: "s", kind: "start" },
      { id: "again", kind: "gateway" },
      { id: "body", kind: "transform", writes: ["v"] },
      { id: "judge", kind: "verifier", reads: ["v"], writes: ["pass"], meta: { passKey: "pass" } },
      {
        id: "l",
        kind: "decision",
        meta: {
          loop: { id: "l", budget: 2, passKey: "pass", proves: "v", body: ["again", "body", "judge"] },
        },
      },
      { id: "sub", kind: "subprocess", meta: { entry: "in", outcomes: ["done", "bad"] } },
      { id: "in", kind: "start", scope: "sub" },
      { id: "t", kind: "timer", scope: "sub", meta: { duration: "PT5M" } },
      { id: "out", kind: "end", scope: "sub" },
      { id: "bad", kind: "end", scope: "sub", meta: { outcome: "bad", terminate: true } },
      {
        id: "call",
        kind: "subprocess",
        meta: { workflow: "order", inputs: { x: "v" }, outputs: { w: "ok" } },
      },
      { id: "e", kind: "end" },
    ],
    arcs: [
      { from: "s", to: "again" },
      { from: "again", to: "body" },
      { from: "body", to: "judge" },
      { from: "body", to: "e", outcome: "error" },
      { from: "judge", to: "l" },
      { from: "judge", to: "e", outcome: "error" },
      { from: "l", to: "sub", outcome: "pass" },
      { from: "l", to: "again", outcome: "fail" },
      { from: "l", to: "e", outcome: "exhausted" },
      { from: "l", to: "e", outcome: "error" },
      { from: "in", to: "t" },
      { from: "t", to: "out", guard: { not: { key: "v", op: "isAssigned" } } },
      { from: "t", to: "bad", default: true },
      { from: "sub", to: "call" },
      { from: "sub", to: "e", outcome: "bad" },
      { from: "call", to: "e" },
      { from: "call", to: "e", outcome: "error" },
      { from: "call", to: "e", outcome: "cancelled" },
    ],
  },
  {
    format: 1,
    kind: "net",
    id: "n",
    places: [
      { id: "i", initial: 2 },
      { id: "o", label: "out" },
    ],
    transitions: [{ id: "t", pre: [["i", 2]], post: [["o", 1]], reset: ["i"] }],
    finals: [{ o: 1 }],
  },
];

export const CONDITIONS = [
  { key: "x", op: "atLeast", value: 3 },
  {
    all: [
      { key: "a", path: ["b", 0], op: "is", value: { c: [1, null] } },
      { not: { key: "t", op: "matches", value: "^(a|b)+[0-9]{1,3}$" } },
    ],
  },
  {
    any: [
      { key: "x", op: "isOneOf", value: [1, 2, "z"] },
      { key: "x", op: "isNoneOf", value: [] },
      { key: "l", op: "contains", value: 2 },
    ],
  },
  { key: "x", op: "greaterThan", valueOf: "a", valuePath: ["n"] },
  { key: "x", op: "isAssigned" },
  { language: "feel", text: "x > 1" },
  { predicate: "isLarge" },
  {
    not: {
      all: [
        { key: "d", op: "lessThan", value: "2030-01-01" },
        { key: "s", op: "atMost", value: 0 },
      ],
    },
  },
];

export const FEEL = [
  "x > 3",
  'status = "paid" and not(total < 10)',
  "x in (1, 2, 3)",
  "x in [1..5]",
  'contains(name, "ab") or list contains(items, 3)',
  'matches(name, "^(a+)+$")',
  'replace(name, "(a|b)*c", "x") = "x"',
  'now() > date and time("2020-01-01T00:00:00Z")',
  "if a then b else c",
  "count(items[item > 2]) >= 1",
  "some i in items satisfies i > 2",
  "for i in 1..100000 return i",
  "a.b.c = null",
  '{a: 1, b: [2, "x"]}.b[1] = 2',
  'duration("P1D") > duration("PT1H")',
  "-2 ** 3 ** 2 = 64",
  "((((x))))",
  "function(a) a + 1",
  "string length(name) > 0 and upper case(name) != name",
  "sort(items, function(a, b) a < b)[1] = 1",
];

export const DATA = {
  x: 4,
  status: "paid",
  total: 12.5,
  name: "aaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
  items: [1, 2, 3],
  a: { b: [{ c: [1, null] }], n: 3 },
  l: [1, 2],
  t: "ab12",
  d: "2029-12-31",
  s: 0,
  constructor: 1,
};
