import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { importLola, importNet, importPnml, workflowNetFacts } from "../src/index.ts";

/** Files that nobody in this project wrote, beside the checkout where they are at hand. */
const data = path.resolve(import.meta.dirname, "../../../../shared/data");
const missing = existsSync(data) ? undefined : "the folder shared/data is not beside the checkout";
if (missing !== undefined) console.log(`conformance of interchange is not run: ${missing}`);

const nets = (folder: string) => path.join(data, "nets", folder);
const filesIn = (folder: string, extension: RegExp) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => extension.test(name))
    .sort();
const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** Rows of a VERDICTS.csv by the file's name. */
function verdicts(folder: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const [head = "", ...rows] = readFileSync(path.join(nets(folder), "VERDICTS.csv"), "utf8")
    .trim()
    .split("\n");
  const columns = head.trim().split(",");
  return new Map(
    rows.map((row) => {
      const cells = row.trim().split(",");
      return [cells[0] ?? "", new Map(columns.map((column, i) => [column, cells[i] ?? ""]))] as const;
    }),
  );
}

/** `imported / refused` of a folder, with the codes of refusals and warnings, for the printed table. */
function tally(): { add: (result: ReturnType<typeof importNet>) => void; line: (folder: string) => string } {
  let imported = 0;
  const refused = new Map<string, number>();
  const warned = new Map<string, number>();
  const up = (map: Map<string, number>, codes: Iterable<string>) => {
    for (const code of new Set(codes)) map.set(code, (map.get(code) ?? 0) + 1);
  };
  const list = (map: Map<string, number>) =>
    [...map]
      .sort()
      .map(([code, n]) => `${code} ${n}`)
      .join(", ");
  return {
    add(result) {
      if (result.ok) imported += 1;
      up(
        result.ok ? warned : refused,
        (result.ok ? result.value.warnings : result.issues).map(({ code }) => code),
      );
    },
    line: (folder) =>
      `${folder}: ${imported} imported; refused: ${list(refused) || "none"}; warnings: ${list(warned) || "none"}`,
  };
}

const PNML_FOLDERS = [
  "workflow-nets/ibm",
  "workflow-nets/sap",
  "mcc",
  "mcc-small",
  "smpt",
  "woped",
  "pm4py-nets",
  "dpn-samples",
];

describe.skipIf(missing !== undefined)("nets of others", () => {
  it.each(PNML_FOLDERS)(
    "[D11.2] every PNML file of %s is read with all its nodes and arcs, or refused for inhibitor arcs without a bound",
    (folder) => {
      const sum = tally();
      for (const name of filesIn(nets(folder), /\.pnmlx?$/)) {
        const bytes = readFileSync(path.join(nets(folder), name));
        const text = bytes.toString("latin1");
        const result = importPnml(bytes);
        sum.add(result);
        if (!result.ok) {
          expect(count(text, /type="inhibitor"/g)).toBeGreaterThanOrEqual(result.issues.length);
          expect(new Set(result.issues.map(({ code }) => code))).toEqual(new Set(["PNML012"]));
          continue;
        }
        // Complement places are added; the test of the table looks at such nets.
        if (result.value.warnings.some(({ code }) => code === "IMP010")) continue;
        // A refining page repeats border places and arcs; its figures are checked below.
        if (result.value.warnings.some(({ code }) => code === "PNML022")) continue;
        const { net } = result.value;
        const shape = { places: net.places.length, transitions: net.transitions.length };
        expect([name, shape]).toEqual([
          name,
          { places: count(text, /<place [^>]*?\bid="/g), transitions: count(text, /<transition[\s>]/g) },
        ]);
        expect([name, net.transitions.reduce((n, t) => n + weights(t.pre) + weights(t.post), 0)]).toEqual([
          name,
          arcWeights(text),
        ]);
      }
      console.log(sum.line(folder));
    },
  );

  it.each(["smpt", "woped", "pm4py-nets"])(
    "[D11.3] [D11.5] places, tokens, sources and sinks of %s are those of its table",
    (folder) => {
      for (const [file, row] of verdicts(folder)) {
        const result = importPnml(readFileSync(path.join(nets(folder), file)));
        if (!result.ok) throw new Error(`${file}: ${JSON.stringify(result.issues)}`);
        const { net, initialGiven, warnings } = result.value;
        const facts = workflowNetFacts(net);
        const isInlined = warnings.some(({ code }) => code === "PNML022");
        // The table keeps the two placeholders beside their sub-nets; here the sub-nets replace them.
        const transitions = net.transitions.length + (isInlined ? 2 : 0);
        const found = [net.places.length, transitions, facts.sources.length, facts.sinks.length];
        expect([file, ...found]).toEqual([
          file,
          ...["P", "T", "sources", "sinks"].map((column) => Number(row.get(column))),
        ]);
        const tokens = Number(row.get("m0_tokens"));
        expect([file, initialGiven]).toEqual([file, tokens > 0]);
        if (initialGiven) expect([file, net.initial.reduce((a, b) => a + b, 0)]).toEqual([file, tokens]);
        expect([file, facts.isWorkflowNet]).toEqual([file, row.get("workflow_net") === "True"]);
      }
    },
  );

  it("[D11.2] [D11.11] sizes of mcc-small are those of its table, and complement places come on top", () => {
    for (const [file, row] of verdicts("mcc-small")) {
      const result = importPnml(readFileSync(path.join(nets("mcc-small"), file)));
      if (row.get("inhibitor") !== "True") expect([file, result.ok]).toEqual([file, true]);
      if (!result.ok) continue;
      const { places, transitions } = result.value.net;
      const added = result.value.warnings.find(({ code }) => code === "IMP010")?.facts?.["count"] ?? 0;
      expect([file, places.length - Number(added), transitions.length]).toEqual([
        file,
        Number(row.get("P")),
        Number(row.get("T")),
      ]);
    }
  });

  it("[D11.5] all nets of ibm and sap are workflow nets with one token on the source", () => {
    for (const folder of ["workflow-nets/ibm", "workflow-nets/sap"]) {
      for (const name of filesIn(nets(folder), /\.pnml$/)) {
        const result = importPnml(readFileSync(path.join(nets(folder), name)));
        if (!result.ok) throw new Error(name);
        const { net, warnings } = result.value;
        const { sources, sinks } = workflowNetFacts(net);
        expect([name, sources.length, sinks.length, warnings]).toEqual([name, 1, 1, []]);
        expect([name, net.initial.map((n, p) => (n > 0 ? p : -1)).filter((p) => p >= 0)]).toEqual([
          name,
          sources,
        ]);
        expect([name, net.finals]).toEqual([name, { kind: "ends", ends: sinks }]);
      }
    }
  });

  it("[D11.6] every LoLA file of ff-soundness-unit is read with all its nodes, or refused for repeated or unknown names", () => {
    const sum = tally();
    for (const name of filesIn(nets("ff-soundness-unit"), /\.lola$/)) {
      const text = readFileSync(path.join(nets("ff-soundness-unit"), name), "utf8");
      const result = importLola(text);
      sum.add(result);
      const bare = text.replace(/\{[^}]*\}/g, " ");
      const names = [...bare.matchAll(/TRANSITION\s+([^\s]+)/g)].map(([, id]) => id);
      const places = (/PLACE([^;]*);/.exec(bare)?.[1] ?? "").split(",").map((place) => place.trim());
      const used = [...bare.matchAll(/(?:CONSUME|PRODUCE)([^;]*);/g)].flatMap(([, list = ""]) =>
        list.split(",").flatMap((arc) => (arc.trim() === "" ? [] : [arc.split(":")[0]?.trim() ?? ""])),
      );
      const isSound = new Set(names).size === names.length && new Set(places).size === places.length;
      const isClosed = used.every((place) => places.includes(place));
      expect([name, result.ok]).toEqual([name, isSound && isClosed]);
      if (!result.ok) {
        const codes = new Set(result.issues.map(({ code }) => code));
        expect([name, codes]).toEqual([
          name,
          new Set([...(isClosed ? [] : ["LOLA003"]), ...(isSound ? [] : ["LOLA002"])]),
        ]);
        continue;
      }
      expect([name, result.value.net.places.length, result.value.net.transitions.length]).toEqual([
        name,
        places.length,
        names.length,
      ]);
    }
    console.log(sum.line("ff-soundness-unit"));
  });

  it("BR-103 BR-113 every file in another format is refused as what it is not", () => {
    const sum = tally();
    const folders = [
      path.join(data, "bpmn"),
      nets("yawl"),
      nets("yawl-test-xml"),
      nets("smpt"),
      nets("pm4py-nets"),
      path.join(data, "logs"),
    ];
    for (const folder of folders) {
      for (const name of filesIn(folder, /\.(?:bpmn|bpmn2|xml|yawl|ywl|ptml|dfg|csv|xes|json|md)$/)) {
        const bytes = readFileSync(path.join(folder, name));
        const result = importNet(bytes, { fileName: name });
        sum.add(result);
        expect([name, result.ok]).toEqual([name, false]);
        const codes = result.ok ? [] : result.issues.map(({ code }) => code);
        expect([name, codes]).toEqual([name, [expect.stringMatching(/^(?:PNML001|IMP001|XML00[1-7])$/)]]);
        if (/<!DOCTYPE/.test(bytes.toString("latin1"))) expect([name, codes]).not.toContain("PNML001");
      }
    }
    console.log(sum.line("other formats"));
  });
});

/** The sum of the weights of a side. */
function weights(side: readonly (readonly [number, number])[]): number {
  return side.reduce((sum, [, weight]) => sum + weight, 0);
}

/** The sum of the weights of all arcs in the text: one for each arc, and what inscriptions say beyond one. */
function arcWeights(text: string): number {
  const inscriptions = [...text.matchAll(/<inscription>\s*<text>\s*(\d+)\s*<\/text>/g)].map(([, digits]) =>
    Number(digits),
  );
  return count(text, /<arc[\s>]/g) + inscriptions.reduce((sum, weight) => sum + weight - 1, 0);
}
