import { formatIssue, type Issue, type Json, parseDefinition, parseWorkflow } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { describe, expect, it } from "vitest";
import { MEMBERS_MAX } from "../src/definition-shape.ts";
import { found, issuesOf, lastArc, node, SOUND } from "./damaged-order.ts";

describe("issues of form", () => {
  it("WF020 is not JSON", () => {
    expect(found({ label: undefined })).toEqual(["WF020 label"]);
    expect(found({ nodes: [new Map()] })).toEqual(["WF020 nodes.0"]);
    const cyclic: Record<string, unknown> = { ...SOUND };
    cyclic["data"] = cyclic;
    expect(found(cyclic)).toEqual(["WF020 data.data"]);
  });

  it("WF021 wrong type", () => {
    for (const wrong of [null, 3, "x", [], true]) {
      expect(parseDefinition(wrong, STANDARD_KINDS)).toMatchObject({
        ok: false,
        issues: [{ code: "WF021", path: [] }],
      });
    }
    expect(found({ label: 1 })).toEqual(["WF021 label"]);
    expect(found({ nodes: {} })).toEqual(["WF021 nodes"]);
    expect(found(node({ split: 1 }))).toEqual(["WF021 nodes.2.split"]);
    expect(found(node({ meta: [] }))).toEqual(["WF021 nodes.2.meta"]);
    const messages = [null, [], {}, 1, true].map((id) => issuesOf({ id })[0]?.message);
    const types = ["null", "a list", "an object", "a number", "a boolean"];
    expect(messages).toEqual(types.map((type) => `here stands a text, not ${type}`));
  });

  it("WF021 and WF025 wrong parts of a pair, of a list, and of a choice", () => {
    const transition = (pre: Json) => [{ id: "t", pre, post: [] }];
    const places = [{ id: "p" }];
    const pairs: readonly Json[] = [[["p"]], [["p", 1, 1]], ["p"], [{ 0: "p" }]];
    for (const pre of pairs) {
      const net = { format: 1, kind: "net", id: "n", places, transitions: transition(pre) };
      expect(parseDefinition(net, STANDARD_KINDS)).toMatchObject({
        issues: [{ code: "WF021", path: ["transitions", 0, "pre", 0] }],
      });
    }
    expect(issuesOf(node({ join: [] }))[0]?.message).toBe('a list is none of "any", "all", "or"');
    expect(issuesOf(node({ join: 1 }))[0]?.message).toBe('1 is none of "any", "all", "or"');
  });

  it("quotes of a value only what fits in a line", () => {
    const [issue] = issuesOf({ ["y".repeat(1_000)]: 1 });
    expect(
      issue?.message.startsWith(`unknown member "${"y".repeat(56)}...": the members are format, kind,`),
    ).toBe(true);
  });

  it("WF022 unknown member, with the member that was meant", () => {
    const [issue] = issuesOf({ ...SOUND, descripton: "x" });
    expect(issue).toMatchObject({
      code: "WF022",
      path: ["descripton"],
      facts: { suggestion: "description" },
    });
    expect(formatIssue(issue as Issue)).toBe(
      'WF022 at $.descripton: unknown member "descripton": did you mean "description"?',
    );
    expect(issuesOf({ zzz: 1 })[0]?.facts).not.toHaveProperty("suggestion");
    expect(found(JSON.parse('{ "__proto__": 1, "constructor": 2 }'))).toEqual([
      "WF022 __proto__",
      "WF022 constructor",
    ]);
  });

  it("WF023 missing member", () => {
    const { entry: _, ...rest } = SOUND;
    expect(parseWorkflow(rest, STANDARD_KINDS)).toMatchObject({
      issues: [{ code: "WF023", facts: { missing: "entry" } }],
    });
    expect(found({ arcs: [{}] })).toEqual(["WF023 arcs.0", "WF023 arcs.0"]);
  });

  it("[BR-101] WF024 refuses names that are empty, too long or have control characters, and no others", () => {
    const renamed = (id: string) => {
      const arcs = SOUND.arcs.map((arc) => ({ ...arc, ...(arc.to === "out" ? { to: id } : {}) }));
      return { ...node({ id }), arcs };
    };
    const astral = "\u{1f600}";
    for (const id of [
      "Start.1",
      "täsk-ü_2",
      "_x",
      "a b",
      "__proto__",
      "constructor",
      "x".repeat(256),
      astral.repeat(256),
    ]) {
      expect([id, found(renamed(id))]).toEqual([id, []]);
    }
    for (const id of [
      "",
      "  ",
      "\u00a0",
      "a\nb",
      "\u0085",
      "\u2028",
      "\u007f",
      "x".repeat(257),
      astral.repeat(257),
    ]) {
      expect([id, found(renamed(id))]).toEqual([
        id,
        ["WF024 nodes.2.id", "WF024 arcs.1.to", "WF024 arcs.2.to"],
      ]);
    }
  });

  it("WF025 none of the possible values", () => {
    expect(found({ format: 2 })).toEqual(["WF025 format"]);
    expect(found(lastArc({ default: false }))).toEqual(["WF025 arcs.2.default"]);
    expect(issuesOf(node({ join: "ALL" }))).toMatchObject([
      {
        code: "WF025",
        message: '"ALL" is none of "any", "all", "or": did you mean "all"?',
        facts: { suggestion: "all" },
      },
    ]);
    expect(found({ data: { amount: { type: "money" } } })).toEqual(["WF025 data.amount.type"]);
    expect(parseDefinition({ ...SOUND, kind: "graph" }, STANDARD_KINDS)).toMatchObject({
      issues: [{ code: "WF025", path: ["kind"] }],
    });
  });

  it("WF026 too many members", () => {
    const many = Array.from({ length: MEMBERS_MAX + 1 }, (_, i) => ({ id: `n${i}`, kind: "end" }));
    expect(found({ nodes: many })).toEqual(["WF026 nodes"]);
    const table = Object.fromEntries(many.map(({ id }) => [id, "all"]));
    expect(found(node({ split: table }))).toEqual(["WF026 nodes.2.split"]);
  });

  it("WF027 a member twice", () => {
    expect(found(node({ reads: ["amount", "b", "amount"] }))).toEqual(["WF027 nodes.2.reads.2"]);
    expect(
      found({
        data: {
          amount: {
            type: "any",
            values: [
              { a: 1, b: 2 },
              { b: 2, a: 1 },
            ],
          },
        },
      }),
    ).toEqual(["WF027 data.amount.values.1"]);
  });

  it("WF028 number out of range, in nets", () => {
    const net = {
      format: 1,
      kind: "net",
      id: "n",
      transitions: [{ id: "t", pre: [["p", 0]], post: [["p", 1.5]] }],
    };
    const parsed = parseDefinition({ ...net, places: [{ id: "p", initial: 2_147_483_648 }] }, STANDARD_KINDS);
    expect(parsed.ok ? [] : parsed.issues.map(({ code, path }) => `${code} ${path.join(".")}`)).toEqual([
      "WF028 places.0.initial",
      "WF028 transitions.0.pre.0.1",
      "WF028 transitions.0.post.0.1",
    ]);
  });

  it("DATA003 the data key __proto__", () => {
    expect(found({ data: JSON.parse('{ "__proto__": { "type": "any" } }') })).toEqual([
      "DATA003 data.__proto__",
    ]);
  });
});
