/**
 * @module What is fuzzed: for each target how an input is made from its seeds, and what must hold of the answer.
 *
 * A target's `run` throws where an answer is not as promised, and returns a word for the table of answers.
 */
import { isDeepStrictEqual } from "node:util";
import { checkAnswer, checkIssues, checkReaders, mangled, must } from "./interchange.mjs";
import { mutatedJson, mutatedWords, mutatedXml } from "./mutate.mjs";
import { BPMN, CONDITIONS, DATA, FEEL, NETS, WORKFLOWS, YAWL } from "./seeds.mjs";

/** The targets. `share`: of a hundred inputs. `corpus`: bytes of net files; `records`: journal records as base64. */
export function targetsOf(packages, { corpus, records }) {
  const judge = judgeOf(packages);
  const journal = records.map((text) => Uint8Array.from(Buffer.from(text, "base64")));
  return [
    ...fileTargets(packages, judge, corpus),
    ...definitionTargets(packages, judge),
    ...expressionTargets(packages, judge),
    journalTarget(packages, judge, journal),
  ];
}

/** What must hold of issues and of what was read; each answer in a word. */
function judgeOf({ core, gateways, interchange, persist }) {
  const codes = { ...core.CODES, ...gateways.CODES, ...interchange.CODES, ...persist.CODES };
  // The path to what is no JSON, such as a key with half a character, is no JSON either.
  const known = (issues) =>
    checkIssues(
      issues.map((issue) => ({ ...issue, path: issue.path.filter((step) => core.isJson(step)) })),
      { CODES: codes, core },
      // A message about a definition names up to a few ids of 256 characters.
      2000,
    );
  const word = (result) => {
    if (result.ok) return "read";
    known(result.issues);
    return result.issues[0].code;
  };
  const compiled = (value) => {
    const parsed = core.parseDefinition(value, gateways.STANDARD_KINDS);
    if (!parsed.ok) return word(parsed);
    const result = core.compile(parsed.value, gateways.STANDARD_KINDS);
    must(result.ok, "what is read compiles");
    core.makeNet(result.value.net);
    return "read";
  };
  return { known, word, compiled };
}

/** What comes in files of other tools. */
function fileTargets({ core, interchange }, { known, word, compiled }, corpus) {
  const nets = { ...interchange, core };
  return [
    {
      name: "net files",
      share: 1,
      make: (random) => mangled(corpus, random),
      run: (bytes) => checkReaders(bytes, nets),
    },
    {
      name: "net texts",
      share: 20,
      make: (_, below) => {
        const seed = NETS[below(NETS.length)];
        return seed.startsWith("<")
          ? mutatedXml(seed, NETS.slice(0, 2), below)
          : mutatedWords(seed, NETS, below);
      },
      run: (text) => {
        const result = interchange.importNet(text);
        checkAnswer(result, nets);
        return result.ok ? result.value.format : result.issues[0].code;
      },
    },
    {
      name: "BPMN",
      share: 2,
      make: (_, below) => mutatedXml(BPMN[below(BPMN.length)], BPMN, below),
      run: async (text) => {
        const result = await interchange.importBpmn(text);
        if (!result.ok) return word(result);
        if (result.value.warnings.length > 0) known(result.value.warnings);
        for (const { definition } of result.value.processes) {
          must(
            compiled(JSON.parse(JSON.stringify(definition))) === "read",
            "an imported process is a definition",
          );
        }
        return "read";
      },
    },
    {
      name: "YAWL",
      share: 5,
      make: (_, below) => mutatedXml(YAWL[below(YAWL.length)], YAWL, below),
      run: (text) => {
        const result = interchange.importYawl(text);
        if (!result.ok) return word(result);
        if (result.value.warnings.length > 0) known(result.value.warnings);
        const definition = JSON.parse(JSON.stringify(result.value.definition));
        must(compiled(definition) === "read", "an imported specification is a definition");
        return "read";
      },
    },
  ];
}

/** Definitions as text and as a tree. */
function definitionTargets({ interchange }, { word, compiled }) {
  return [
    {
      name: "JSON texts",
      share: 15,
      make: (_, below) => mutatedWords(JSON.stringify(WORKFLOWS[below(WORKFLOWS.length)]), FEEL, below),
      run: (text) => {
        const result = interchange.readJsonText(text);
        if (result.ok)
          must(isDeepStrictEqual(result.value, JSON.parse(text)), "the value is that of the text");
        return word(result);
      },
    },
    {
      name: "definitions",
      share: 18,
      make: (random, below) =>
        mutatedJson(WORKFLOWS[below(WORKFLOWS.length)], [...WORKFLOWS, ...CONDITIONS], random),
      run: (value) => {
        const before = JSON.stringify(value);
        const answer = compiled(value);
        must(JSON.stringify(value) === before, "reading changes nothing");
        return answer;
      },
    },
  ];
}

/** Conditions, with the language that they may ask, and the language by itself. */
function expressionTargets({ core, interchange }, { word }) {
  return [
    {
      name: "conditions",
      share: 25,
      make: (random, below) => mutatedJson(CONDITIONS[below(CONDITIONS.length)], CONDITIONS, random),
      run: (value) => {
        const parsed = core.parseCondition(value);
        if (!parsed.ok) return word(parsed);
        const environment = {
          predicates: new Map([["isLarge", () => true]]),
          evaluate: (language, text, data, now) =>
            language === "feel" ? interchange.FEEL.run(text, data, now) : undefined,
          now: 0,
        };
        return core.evaluateCondition(parsed.value, DATA, environment).kind;
      },
    },
    {
      name: "FEEL",
      share: 4,
      make: (_, below) => mutatedWords(FEEL[below(FEEL.length)], FEEL, below),
      run: (text) => {
        const reading = interchange.readFeel(text);
        const answer = interchange.FEEL.run(text, DATA, 0);
        must(answer.kind === "value" || answer.message.length <= 500, "an error is short");
        return `${reading.kind} ${answer.kind}`;
      },
    },
  ];
}

/** Bytes of the journal. */
function journalTarget({ persist }, { word }, journal) {
  return {
    name: "journal records",
    share: 15,
    make: (random, below) =>
      below(2) === 0 ? mangled(journal, random) : mangledRecord(journal, random, below),
    run: (bytes) => {
      const decoded = persist.decodeRecord(bytes, persist.NO_BLOBS);
      word(persist.decodeState(bytes, persist.NO_BLOBS));
      if (!decoded.ok) return word(decoded);
      const { bytes: again } = persist.encodeRecord(decoded.value);
      const twice = persist.decodeRecord(again, persist.NO_BLOBS);
      must(
        twice.ok && isDeepStrictEqual(twice.value, decoded.value),
        "a record that is read is written as it was",
      );
      return "read";
    },
  };
}

/** A record whose JSON is changed as a tree: its version byte stays. */
function mangledRecord(journal, random, below) {
  const record = journal[below(journal.length)];
  const tree = JSON.parse(new TextDecoder().decode(record.subarray(1)));
  const changed = mutatedJson(tree, [tree, ...CONDITIONS], random);
  return Uint8Array.from([record[0], ...new TextEncoder().encode(JSON.stringify(changed) ?? "")]);
}
