/**
 * @module Models and files that are made to hurt, at any size: for the suite small, for `hostile.mjs` at full size.
 *
 * `n` is the number of elements, about. Each case says who reads it and what must come out: `read`, or the code of the
 * first issue.
 */

const repeat = (count, part) =>
  Array.from({ length: Math.max(1, Math.floor(count)) }, (_, i) => part(i)).join("");
const inNet = (body) =>
  `<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">${body}</net></pnml>`;
const inProcess = (body) =>
  `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t"><process id="p" isExecutable="true">${body}</process></definitions>`;
const flow = (id, from, to, condition = "") =>
  `<sequenceFlow id="${id}" sourceRef="${from}" targetRef="${to}">${condition === "" ? "" : `<conditionExpression>=${condition}</conditionExpression>`}</sequenceFlow>`;
const isGuarded = (type) => type !== "parallelGateway";

/** Blocks of two branches one behind the other: 9 elements each. */
export function blocksInSequence(n, type) {
  const parts = ['<startEvent id="s"/>'];
  const count = Math.max(1, Math.floor(n / 9));
  for (let i = 0; i < count; i += 1) {
    parts.push(
      `<${type} id="a${i}"${isGuarded(type) ? ` default="d${i}"` : ""}/><task id="t${i}"/><task id="u${i}"/><${type} id="j${i}"/>`,
      flow(`p${i}`, i === 0 ? "s" : `j${i - 1}`, `a${i}`),
      flow(`c${i}`, `a${i}`, `t${i}`, isGuarded(type) ? "x = 1" : ""),
      flow(`d${i}`, `a${i}`, `u${i}`),
      flow(`e${i}`, `t${i}`, `j${i}`),
      flow(`f${i}`, `u${i}`, `j${i}`),
    );
  }
  return inProcess(`${parts.join("")}<endEvent id="end"/>${flow("last", `j${count - 1}`, "end")}`);
}

/** Blocks of two branches one inside the other: 7 elements each. `joinType`: of the joins, if another. */
export function blocksInside(n, type, joinType = type) {
  const parts = ['<startEvent id="s"/><task id="m"/>'];
  const count = Math.max(1, Math.floor(n / 7));
  for (let i = 0; i < count; i += 1) {
    const isInner = i > 0 && isGuarded(type);
    parts.push(
      `<${type} id="a${i}"${isGuarded(type) ? ` default="d${i}"` : ""}/><task id="u${i}"/><${joinType} id="j${i}"/>`,
      flow(`p${i}`, i === 0 ? "s" : `a${i - 1}`, `a${i}`, isInner ? "x = 1" : ""),
      flow(`d${i}`, `a${i}`, `u${i}`),
      flow(`f${i}`, `u${i}`, `j${i}`),
      flow(`q${i}`, i === count - 1 ? "m" : `j${i + 1}`, `j${i}`),
    );
  }
  parts.push(flow("mm", `a${count - 1}`, "m", isGuarded(type) ? "x = 1" : ""));
  return inProcess(`${parts.join("")}<endEvent id="end"/>${flow("last", "j0", "end")}`);
}

/** One block with as many branches as there are. */
export function fan(n, type) {
  const count = Math.max(2, Math.floor(n / 3));
  const branches = repeat(
    count,
    (i) =>
      `<task id="t${i}"/>${flow(`c${i}`, "a", `t${i}`, isGuarded(type) && i > 0 ? "x = 1" : "")}${flow(`e${i}`, `t${i}`, "j")}`,
  );
  const standard = isGuarded(type) ? ' default="c0"' : "";
  return inProcess(
    `<startEvent id="s"/><${type} id="a"${standard}/><${type} id="j"/><endEvent id="end"/>${flow("f", "s", "a")}${branches}${flow("l", "j", "end")}`,
  );
}

/** Inclusive splits without a join, each behind a branch of the one before: 5 elements each. */
export function openSplits(n) {
  const count = Math.max(1, Math.floor(n / 6));
  const parts = repeat(
    count,
    (i) =>
      `<inclusiveGateway id="a${i}" default="d${i}"/><task id="t${i}"/><endEvent id="x${i}"/>${flow(`p${i}`, i === 0 ? "s" : `a${i - 1}`, `a${i}`, i === 0 ? "" : "x = 1")}${flow(`d${i}`, `a${i}`, `t${i}`)}${flow(`e${i}`, `t${i}`, `x${i}`)}`,
  );
  return inProcess(
    `<startEvent id="s"/>${parts}<endEvent id="end"/>${flow("last", `a${count - 1}`, "end", "x = 1")}`,
  );
}

/** A ladder of inclusive joins without blocks: each rung is reached from the one before and from the side. */
export function ladder(n) {
  const count = Math.max(1, Math.floor(n / 5));
  const parts = repeat(
    count,
    (i) =>
      `<inclusiveGateway id="l${i}" default="m${i}"/><task id="r${i}"/>${flow(`m${i}`, `l${i}`, `l${i + 1}`)}${flow(`n${i}`, `l${i}`, `r${i + 1}`, "x = 1")}${flow(`o${i}`, `r${i}`, `l${i + 1}`)}`,
  );
  return inProcess(
    `<startEvent id="s"/>${flow("f", "s", "l0")}${flow("g", "s", "r0")}${parts}<inclusiveGateway id="l${count}"/><task id="r${count}"/><endEvent id="e"/><endEvent id="e2"/>${flow("h", `l${count}`, "e")}${flow("k", `r${count}`, "e2")}`,
  );
}

/** One inclusive block around parallel blocks one inside the other: 7 elements each. */
export function parallelInInclusive(n) {
  const inner = blocksInside(n, "parallelGateway");
  const around = `<inclusiveGateway id="a" default="ad"/><inclusiveGateway id="j"/><task id="u"/>${flow("ax", "s", "a")}${flow("ad", "a", "u")}${flow("ua", "u", "j")}${flow("ja", "j", "end")}`;
  return inner
    .replace(flow("p0", "s", "a0"), flow("p0", "a", "a0", "x = 1"))
    .replace(flow("last", "j0", "end"), `${flow("last", "j0", "j")}${around}`);
}

/** Inclusive blocks one inside the other, none of them structured: the branches of each share a node. 11 elements each. */
export function sharedBranches(n) {
  const count = Math.max(1, Math.floor(n / 11));
  const parts = repeat(
    count,
    (i) =>
      `<inclusiveGateway id="a${i}" default="d${i}"/><task id="u${i}"/><task id="v${i}"/><task id="w${i}"/><inclusiveGateway id="j${i}"/>${flow(`d${i}`, `a${i}`, `u${i}`)}${flow(`c${i}`, `a${i}`, `v${i}`, "x = 1")}${flow(`e${i}`, `u${i}`, `w${i}`)}${flow(`f${i}`, `v${i}`, `w${i}`)}${flow(`g${i}`, `v${i}`, `j${i}`)}${flow(`p${i}`, `w${i}`, i + 1 < count ? `a${i + 1}` : `j${i}`)}${i > 0 ? flow(`q${i}`, `j${i}`, `j${i - 1}`) : ""}`,
  );
  return inProcess(
    `<startEvent id="s"/>${flow("f", "s", "a0")}${parts}<endEvent id="e"/>${flow("l", "j0", "e")}`,
  );
}

/** A ladder of inclusive joins that leads into a ring which nothing leaves. */
export function endlessLadder(n) {
  return ladder(n)
    .replace('<endEvent id="e"/><endEvent id="e2"/>', '<task id="e"/><exclusiveGateway id="e2"/>')
    .replace(
      "</process>",
      `<endEvent id="e3"/>${flow("x", "s", "e3")}${flow("y", "e", "e2")}${flow("z", "e2", "e")}</process>`,
    );
}

/** Subprocesses one inside the other. */
export function subprocesses(n) {
  const count = Math.max(1, Math.floor(n));
  const open = repeat(count, (i) => `<subProcess id="q${i}">`);
  const close = repeat(
    count,
    (i) =>
      `<startEvent id="s${i}"/><endEvent id="e${i}"/>${i === 0 ? flow("f0", "s0", "e0") : `${flow(`f${i}`, `s${i}`, `q${count - i}`)}${flow(`g${i}`, `q${count - i}`, `e${i}`)}`}</subProcess>`,
  );
  return inProcess(
    `<startEvent id="s"/>${open}${close}<endEvent id="e"/>${flow("f", "s", "q0")}${flow("g", "q0", "e")}`,
  );
}

const netBody = (count) =>
  repeat(
    count,
    (i) =>
      `<place id="p${i}"/><transition id="t${i}"/><arc source="p${i}" target="t${i}"/>${i + 1 < count ? `<arc source="t${i}" target="p${i + 1}"/>` : ""}`,
  );

const workflowJson = (count) =>
  JSON.stringify({
    format: 1,
    kind: "workflow",
    id: "w",
    entry: "n0",
    nodes: Array.from({ length: count }, (_, i) => ({
      id: `n${i}`,
      kind: i === 0 ? "start" : i === count - 1 ? "end" : "gateway",
    })),
    arcs: Array.from({ length: count - 1 }, (_, i) => ({ from: `n${i}`, to: `n${i + 1}` })),
  });

const netJson = (count) =>
  JSON.stringify({
    format: 1,
    kind: "net",
    id: "w",
    places: Array.from({ length: count }, (_, i) => ({ id: `p${i}`, ...(i === 0 ? { initial: 1 } : {}) })),
    transitions: Array.from({ length: count - 1 }, (_, i) => ({
      id: `t${i}`,
      pre: [[`p${i}`, 1]],
      post: [[`p${i + 1}`, 1]],
    })),
  });

/** Large and right: everything must be read and compiled. `[name, reader, text]` */
export function largeModels(n) {
  const gateways = ["exclusiveGateway", "parallelGateway", "inclusiveGateway"];
  return [
    ["PNML chain", "net", inNet(netBody(n / 4))],
    ["LoLA chain", "net", lolaChain(n / 2)],
    ["TINA chain", "net", tinaChain(n / 2)],
    ["JSON workflow chain", "json", workflowJson(Math.floor(n / 2))],
    ["JSON net chain", "json", netJson(Math.floor(n / 2))],
    ...gateways.map((type) => [`BPMN ${type} blocks in sequence`, "bpmn", blocksInSequence(n, type)]),
    ...gateways.map((type) => [`BPMN ${type} blocks inside each other`, "bpmn", blocksInside(n, type)]),
    ...gateways.map((type) => [`BPMN ${type} fan`, "bpmn", fan(n, type)]),
    ["BPMN inclusive splits without joins", "bpmn", openSplits(n)],
    [
      "BPMN inclusive joins behind parallel splits",
      "bpmn",
      blocksInside(n, "parallelGateway", "inclusiveGateway"),
    ],
    ["BPMN ladder of inclusive joins", "bpmn", ladder(n)],
    ["BPMN ladder into a ring without an end", "bpmn", endlessLadder(n)],
    ["BPMN parallel blocks inside an inclusive one", "bpmn", parallelInInclusive(n)],
    ["BPMN inclusive blocks that share a node", "bpmn", sharedBranches(n)],
  ];
}

function lolaChain(count) {
  const places = repeat(count, (i) => `${i > 0 ? "," : ""}p${i}`);
  const transitions = repeat(count - 1, (i) => `TRANSITION t${i} CONSUME p${i}: 1; PRODUCE p${i + 1}: 1;\n`);
  return `PLACE ${places};\nMARKING p0: 1;\n${transitions}`;
}

function tinaChain(count) {
  return `pl p0 (1)\n${repeat(count - 1, (i) => `tr t${i} p${i} -> p${i + 1}\n`)}`;
}

/** Files that must be refused, or read, without a crash and in bounded time. `[name, reader, source, code]` */
export function hostileFiles(n) {
  return [...bombs(n), ...wrongFiles(n), ...prototypeNames()];
}

/** Entities, depth and attributes without end. */
function bombs(n) {
  const laughs = repeat(9, (i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`);
  const entities = `<!DOCTYPE x [<!ENTITY l0 "lol">${laughs}]>`;
  return [
    ["PNML entity bomb", "net", `${entities}<pnml>&l9;</pnml>`, "XML002"],
    ["BPMN entity bomb", "bpmn", `${entities}${inProcess("&l9;")}`, "XML002"],
    [
      "BPMN external entity",
      "bpmn",
      `<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>${inProcess("<documentation>&x;</documentation>")}`,
      "XML002",
    ],
    [
      "BPMN parameter entity",
      "bpmn",
      `<!DOCTYPE d [<!ENTITY % x SYSTEM "http://127.0.0.1/x.dtd"> %x;]>${inProcess("")}`,
      "XML002",
    ],
    ["BPMN undeclared entity", "bpmn", inProcess("<documentation>&x;</documentation>"), "XML003"],
    ["PNML depth", "net", "<pnml>".repeat(n), "XML004"],
    ["BPMN depth", "bpmn", inProcess("<subProcess>".repeat(n)), "XML004"],
    ["BPMN depth of extensions", "bpmn", inProcess(`<extensionElements>${"<a>".repeat(n)}`), "XML004"],
    ["BPMN attributes", "bpmn", inProcess(`<task ${repeat(n, (i) => `a${i}="x" `)}/>`), "XML004"],
    ["PNML attributes", "net", `<pnml ${repeat(n, (i) => `a${i}="x" `)}/>`, "XML004"],
    ["BPMN namespaces", "bpmn", inProcess(`<task ${repeat(n, (i) => `xmlns:a${i}="x" `)}/>`), "XML004"],
  ];
}

/** Files that end too early, are written in other characters than they say, or are not what they are read as. */
function wrongFiles(n) {
  const latin1 = Buffer.from(inNet('<place id="p\u00e9"/>'), "latin1");
  return [
    ["JSON depth", "json", "[".repeat(n * 10), "JSON002"],
    ["JSON depth of objects", "json", '{"a":'.repeat(n * 10), "JSON002"],
    ["JSON long number", "json", "1".repeat(n * 10), "WF020"],
    ["PNML cut", "net", inNet(netBody(n / 8)).slice(0, -20), "XML001"],
    ["BPMN cut", "bpmn", blocksInSequence(n / 2, "exclusiveGateway").slice(0, -30), "XML001"],
    ["LoLA cut", "net", lolaChain(n / 4).slice(0, -4), "LOLA001"],
    ["TINA cut", "net", `${tinaChain(n / 4)}tr t`.slice(0, -2), "TINA001"],
    ["PNML Latin-1 under UTF-8", "net", latin1, "XML005"],
    [
      "PNML Latin-1 declared",
      "net",
      Buffer.concat([Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?>'), latin1]),
      "read",
    ],
    ["PNML UTF-16", "net", Buffer.from(`\ufeff${inNet('<place id="p"/>')}`, "utf16le"), "read"],
    [
      "BPMN UTF-16 with mark",
      "bpmn",
      Buffer.from(`\ufeff${blocksInSequence(9, "exclusiveGateway")}`, "utf16le"),
      "read",
    ],
    ["JSON UTF-16 with mark", "json", Buffer.from(`\ufeff${workflowJson(3)}`, "utf16le"), "read"],
    ["BPMN read as a net", "net", blocksInSequence(9, "exclusiveGateway"), "PNML001"],
    ["PNML read as BPMN", "bpmn", inNet(""), "BPMN001"],
    [
      "a picture read as BPMN",
      "bpmn",
      Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0),
      "XML005",
    ],
    ["BPMN subprocesses beyond the depth", "bpmn", subprocesses(n), "XML004"],
    [
      "PNML inhibitor arc in a large net",
      "net",
      inNet(
        `${netBody(n / 4)}<transition id="u"/><arc source="u" target="p5"/><arc type="inhibitor" source="p5" target="u"/>`,
      ),
      "PNML012",
    ],
  ];
}

/** Ids that every object of the language has as properties. */
function prototypeNames() {
  return [
    [
      "PNML prototype ids",
      "net",
      inNet(
        '<place id="__proto__"><initialMarking><text>1</text></initialMarking></place><place id="constructor"/><transition id="toString"/><arc source="__proto__" target="toString"/><arc source="toString" target="constructor"/>',
      ),
      "read",
    ],
    [
      "BPMN prototype ids",
      "bpmn",
      inProcess(
        `<startEvent id="__proto__"/><task id="constructor"/><endEvent id="toString"/>${flow("valueOf", "__proto__", "constructor")}${flow("hasOwnProperty", "constructor", "toString")}`,
      ),
      "read",
    ],
    ["TINA prototype ids", "net", "pl __proto__ (1)\ntr constructor __proto__ -> toString\n", "read"],
    [
      "LoLA prototype ids",
      "net",
      "PLACE __proto__, toString; MARKING __proto__; TRANSITION constructor CONSUME __proto__; PRODUCE toString;",
      "read",
    ],
    [
      "JSON prototype ids",
      "json",
      '{"format":1,"kind":"workflow","id":"constructor","entry":"__proto__","nodes":[{"id":"__proto__","kind":"start"},{"id":"toString","kind":"end"}],"arcs":[{"from":"__proto__","to":"toString"}]}',
      "read",
    ],
    ["JSON prototype key", "json", '{"__proto__":{"format":1},"kind":"net"}', "WF023"],
  ];
}

/** Sources of `bytes` bytes, made when asked for, that each reader refuses by their length alone. `[name, reader, make, code]` */
export function longFiles(bytes) {
  return [
    ["net bytes", "net", () => Buffer.alloc(bytes, "<"), "XML004"],
    ["BPMN bytes", "bpmn", () => Buffer.alloc(bytes, "<"), "XML004"],
    ["LoLA bytes", "net", () => Buffer.from(`PLACE ${"x".repeat(bytes)}`), "LOLA005"],
    ["TINA bytes", "net", () => Buffer.from(`pl ${"x".repeat(bytes)}`), "TINA002"],
    ["JSON bytes", "json", () => Buffer.alloc(bytes, " "), "JSON002"],
  ];
}

/** Reads the source as `reader` says and, if it is read, compiles it. Returns `read` or the code of the first issue. */
export async function answerTo(reader, source, { core, gateways, interchange }) {
  if (reader === "net") {
    const result = interchange.importNet(source);
    if (!result.ok) return result.issues[0].code;
    const compiled = core.compileNetDefinition(interchange.netDefinition(result.value, "hostile"));
    return compiled.ok ? "read" : compiled.issues[0].code;
  }
  const result = reader === "bpmn" ? await interchange.importBpmn(source) : interchange.readJsonText(source);
  if (!result.ok) return result.issues[0].code;
  const definitions =
    reader === "bpmn" ? result.value.processes.map(({ definition }) => definition) : [result.value];
  for (const definition of definitions) {
    const parsed = core.parseDefinition(definition, gateways.STANDARD_KINDS);
    if (!parsed.ok) return parsed.issues[0].code;
    const compiled = core.compile(parsed.value, gateways.STANDARD_KINDS);
    if (!compiled.ok) return compiled.issues[0].code;
  }
  return "read";
}
