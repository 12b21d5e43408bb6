/** @module Deploying: what is refused, what is accepted, what is pinned. */
import type { Issue, JsonObject } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { memoryStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import {
  accepted,
  CODES,
  type DeployOptions,
  type Prover,
  type Refused,
  staticProver,
} from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow, single } from "./definitions.ts";

const plain = (id = "w", documentation = "") =>
  flow(
    id,
    [
      ["s", "start", documentation === "" ? {} : { documentation }],
      ["h", "human"],
      ["z", "end"],
    ],
    [
      ["s", "h"],
      ["h", "z"],
    ],
  );
const unsound = flow(
  "w",
  [
    ["s", "gateway"],
    ["a", "human"],
    ["b", "human"],
    ["j", "gateway", undefined, { join: "all" }],
    ["z", "end"],
  ],
  [
    ["s", "a", "done", { guard: { key: "k", op: "is", value: 1 } }],
    ["s", "b", "done", { default: true }],
    ["a", "j"],
    ["b", "j"],
    ["j", "z"],
  ],
);

const openOf = (answer: Refused) =>
  answer.facts["obligations"] as unknown as readonly { readonly id: string; readonly verdict: string }[];

const codesOf = (answer: { readonly kind: string }): readonly string[] =>
  ((answer as Refused).facts["issues"] as unknown as readonly Issue[]).map(({ code }) => code);

describe("bad input", () => {
  it.each<readonly [string, JsonObject | unknown]>([
    [
      "ENGINE001",
      single(
        "w",
        ["c", "collect", { form: { a: "colour", b: { type: "string", optional: "yes" } } }],
        ["done"],
      ),
    ],
    ["ENGINE002", single("w", ["t", "tool", { retry: { attempts: 0, speed: 1, backoff: "soon" } }])],
    [
      "ENGINE003",
      flow(
        "w",
        [
          ["c", "subprocess", { workflow: "nowhere" }],
          ["z", "end"],
          ["e", "end"],
          ["x", "end"],
        ],
        [
          ["c", "z"],
          ["c", "e", "error"],
          ["c", "x", "cancelled"],
        ],
      ),
    ],
    ["ENGINE004", single("w", ["f", "transform"])],
    [
      "ENGINE005",
      flow(
        "w",
        [
          ["s", "gateway"],
          ["z", "end"],
          ["y", "end"],
        ],
        [
          ["s", "z", "done", { guard: { predicate: "p" } }],
          ["s", "y", "done", { default: true }],
        ],
      ),
    ],
    [
      "ENGINE006",
      flow(
        "w",
        [
          ["s", "gateway"],
          ["z", "end"],
          ["y", "end"],
        ],
        [
          ["s", "z", "done", { guard: { language: "feel", text: "a > b" } }],
          ["s", "y", "done", { default: true }],
        ],
      ),
    ],
    [
      "ENGINE007",
      flow(
        "w",
        [
          ["t", "timer", { duration: "P3X" }],
          ["h", "human", { deadline: "R2/PT1H" }],
          ["j", "tool", { timeout: "never" }],
          ["z", "end"],
          ["e", "end"],
        ],
        [
          ["t", "h"],
          ["h", "j"],
          ["h", "e", "expired"],
          ["j", "z"],
          ["j", "e", "error"],
        ],
      ),
    ],
    ["ENGINE008", { ...plain(), constraints: ["noCycles"] }],
    ["WF001", { ...plain(), entry: "nowhere" }],
  ])("%s is refused, with everything else that is wrong", async (code, definition) => {
    const { engine } = testEngine();
    const answer = await engine.deploy(definition as never);
    expect(answer).toMatchObject({ kind: "refused", code: "invalid" });
    expect(codesOf(answer)).toContain(code);
    expect(await engine.start({ workflow: "w" })).toMatchObject({ kind: "refused", code: "not-found" });
  });

  it("says what every code means", () => {
    for (const [code, sentence] of Object.entries(CODES)) expect(sentence, code).toMatch(/^.+[.]$/);
  });

  it("nothing is a definition that is none", async () => {
    const { engine } = testEngine();
    for (const value of [{}, { format: 1 }, { kind: "workflow" }]) {
      expect(await engine.deploy(value)).toMatchObject({ kind: "refused", code: "invalid" });
    }
  });
});

describe("proofs", () => {
  it("[C20-80] [HZ-46] a definition whose obligations fail is refused with the witness", async () => {
    const { engine } = testEngine();
    const answer = await engine.deploy(unsound);
    expect(answer).toMatchObject({ kind: "refused", code: "unproved" });
    const open = (answer as Refused).facts["obligations"] as unknown as readonly {
      id: string;
      verdict: string;
      witness: JsonObject;
    }[];
    expect(open.map(({ id, verdict }) => `${id} ${verdict}`)).toContain("O1 fails");
    expect(open.find(({ id }) => id === "O1")?.witness).toMatchObject({ run: expect.anything() });
  });

  it("what is accepted by name is deployed, and the version says who accepted what and why", async () => {
    const { engine, store } = testEngine();
    const refusal = (await engine.deploy(unsound)) as Refused;
    const ids = (refusal.facts["obligations"] as unknown as readonly { id: string }[]).map(({ id }) => id);
    const accept = [...ids, "O4"].map((obligation) => ({ obligation, reason: "known", by: "ann" }));
    expect(await engine.deploy(unsound, { accept: accept.slice(1) })).toMatchObject({ code: "unproved" });
    const deployed = accepted(await engine.deploy(unsound, { accept }));
    expect(deployed.accepted.map(({ obligation }) => obligation)).toEqual(ids);
    expect((await store.definition(deployed.hash))?.manifest["accepted"]).toEqual(deployed.accepted);
  });

  it("what was proved and accepted of a version is not asked again, not even after a restart", async () => {
    const store = memoryStore();
    let proofs = 0;
    const prover: Prover = async (program, called) => {
      proofs += 1;
      return staticProver()(program, called);
    };
    const deploying = (options: DeployOptions = {}) =>
      testEngine({ store, prover }).engine.deploy(unsound, options);
    const refusal = (await deploying()) as Refused;
    const accept = openOf(refusal).map(({ id }) => ({ obligation: id, reason: "known", by: "ann" }));
    expect(await deploying({ accept })).toMatchObject({ isNew: true, accepted: accept });
    expect(proofs).toBe(2);
    expect(await deploying()).toMatchObject({ kind: "deployed", isNew: false, accepted: accept });
    expect(proofs).toBe(2);
    expect(await deploying({ tenant: "other" })).toMatchObject({ code: "unproved" });
    expect(proofs).toBe(3);
  });

  it("what could not be decided must be accepted too", async () => {
    // The join can be entered again, so it is no block, and only a search decides about it.
    const searched = flow(
      "searched",
      [
        ["s", "gateway", {}, { split: "all" }],
        ["a", "human"],
        ["b", "human"],
        ["j", "gateway", {}, { join: "or" }],
        ["d", "human", { outcomes: ["again", "done"] }],
        ["z", "end"],
      ],
      [
        ["s", "a"],
        ["s", "b"],
        ["a", "j"],
        ["b", "j"],
        ["j", "d"],
        ["d", "j", "again"],
        ["d", "z", "done"],
      ],
    );
    const { engine } = testEngine({ prover: staticProver({ statesMax: 1 }) });
    const refusal = (await engine.deploy(searched)) as Refused;
    expect(refusal.code).toBe("unproved");
    const open = refusal.facts["obligations"] as unknown as readonly {
      id: string;
      verdict: string;
      limit: JsonObject;
    }[];
    expect(open[0]).toMatchObject({ verdict: "unknown", limit: { kind: "states" } });
    const accept = open.map(({ id }) => ({ obligation: id, reason: "too large", by: "ann" }));
    expect(await engine.deploy(searched, { accept })).toMatchObject({ kind: "deployed" });
  });

  it("[C20-68] [HZ-57] O12: a call that does not declare the labels of what it calls is refused", async () => {
    const { engine } = testEngine();
    const child = flow(
      "child",
      [
        ["h", "human", { outcomes: ["good", "bad"] }],
        ["y", "end", { outcome: "good" }],
        ["n", "end", { outcome: "bad" }],
      ],
      [
        ["h", "y", "good"],
        ["h", "n", "bad"],
      ],
    );
    accepted(await engine.deploy(child));
    const caller = (outcomes: readonly string[]) =>
      flow(
        "caller",
        [
          ["c", "subprocess", { workflow: "child", outcomes: [...outcomes] }],
          ["z", "end"],
        ],
        [...outcomes, "error", "cancelled"].map((label) => ["c", "z", label] as const),
      );
    const refusal = (await engine.deploy(caller(["good"]))) as Refused;
    expect(
      (refusal.facts["obligations"] as unknown as readonly { id: string }[]).map(({ id }) => id),
    ).toEqual(["O12"]);
    expect(await engine.deploy(caller(["good", "bad"]))).toMatchObject({ kind: "deployed" });
  });
});

describe("versions", () => {
  it("[C20-75] the same content is the same version, in whatever order its keys stand", async () => {
    const { engine } = testEngine();
    const first = accepted(await engine.deploy(plain()));
    const again = accepted(await engine.deploy(JSON.parse(JSON.stringify(plain(), (_, value) => value))));
    const reordered = accepted(await engine.deploy(Object.fromEntries(Object.entries(plain()).reverse())));
    expect([again.hash, reordered.hash]).toEqual([first.hash, first.hash]);
    expect([first.isNew, again.isNew]).toEqual([true, false]);
  });

  it("[C20-75] [OH-15] a name points to the newest version; runs stay on theirs, side by side", async () => {
    const { engine } = testEngine();
    const one = accepted(await engine.deploy(plain("w", "one")));
    const old = accepted(await engine.start({ workflow: "w", id: "old" }));
    const two = accepted(await engine.deploy(plain("w", "two")));
    const fresh = accepted(await engine.start({ workflow: "w", id: "new" }));
    expect(one.hash).not.toBe(two.hash);
    expect([accepted(await old.state()).definition, accepted(await fresh.state()).definition]).toEqual([
      one.hash,
      two.hash,
    ]);
    for (const run of ["old", "new"])
      accepted(await engine.workItems.complete({ task: `${run}/h.1`, by: { id: "ann" } }));
    expect([await old.result(), await fresh.result()]).toMatchObject([
      { status: "completed" },
      { status: "completed" },
    ]);
    const pinned = accepted(await engine.start({ workflow: { hash: one.hash } }));
    expect(accepted(await pinned.state()).definition).toBe(one.hash);
  });

  it("[C20-75] the hash covers the versions of functions, predicates, languages and calls", async () => {
    const definition = flow(
      "w",
      [
        ["f", "transform"],
        ["z", "end"],
        ["y", "end"],
      ],
      [
        ["f", "z", "done", { guard: { predicate: "p" } }],
        ["f", "y", "done", { default: true }],
        ["f", "y", "error"],
      ],
    );
    const hashOf = async (functionVersion: number, predicateVersion: number) => {
      const { engine } = testEngine({
        functions: { f: { version: functionVersion, run: () => undefined } },
        predicates: { p: { version: predicateVersion, run: () => true } },
      });
      return accepted(await engine.deploy(definition)).hash;
    };
    expect(new Set([await hashOf(1, 1), await hashOf(2, 1), await hashOf(1, 2)]).size).toBe(3);
    expect(await hashOf(1, 1)).toBe(await hashOf(1, 1));
  });

  it("[C20-75] O15: a function that is registered in another version than the pinned one is not used", async () => {
    const store = memoryStore();
    const definition = single("w", ["f", "transform"]);
    const first = testEngine({ store, functions: { f: () => ({ patch: { by: "one" } }) } });
    const { hash } = accepted(await first.engine.deploy(definition));
    const second = testEngine({
      store,
      functions: { f: { version: 2, run: () => ({ patch: { by: "two" } }) } },
    });
    const run = accepted(await second.engine.start({ workflow: { hash } }));
    expect(accepted(await run.state())).toMatchObject({
      status: "waiting",
      data: {},
      items: [{ kind: "intervention", reason: { code: "FUNCTION_MISSING" } }],
    });
    const two = accepted(await second.engine.deploy(definition));
    expect(two.hash).not.toBe(hash);
    expect(await accepted(await second.engine.start({ workflow: "w" })).result()).toMatchObject({
      data: { by: "two" },
    });
  });

  it("[C20-75] O15: a stored definition that is not what its hash says does not run", async () => {
    const { engine, store } = testEngine();
    const { hash } = accepted(await engine.deploy(plain()));
    const forged = {
      ...store,
      definition: async (wanted: string) => {
        const row = await store.definition(hash);
        return row === null || wanted !== hash
          ? null
          : { ...row, definition: { ...row.definition, label: "forged" } };
      },
    };
    const other = testEngine({ store: forged as never });
    await expect(other.engine.start({ workflow: { hash } })).rejects.toMatchObject({ code: "corrupt" });
  });

  it("[C20-04] a kind that is not registered here makes a version unavailable, not a run failed", async () => {
    const store = memoryStore();
    const human = STANDARD_KINDS.get("human");
    if (human === undefined) throw new Error("no such kind");
    const sign = { ...human, name: "sign", version: 3 };
    const definition = flow(
      "w",
      [
        ["h", "sign"],
        ["z", "end"],
      ],
      [["h", "z"]],
    );
    const first = testEngine({ store, kinds: [sign] });
    accepted(await first.engine.deploy(definition));
    accepted(await first.engine.start({ workflow: "w", id: "r" }));
    for (const kinds of [[], [{ ...sign, version: 4 }]]) {
      const { engine } = testEngine({ store, kinds });
      const complete = () => engine.workItems.complete({ task: "r/h.1", by: { id: "ann" } });
      expect(await engine.start({ workflow: "w" })).toMatchObject({ code: "unavailable" });
      expect(await complete()).toMatchObject({ code: "unavailable" });
    }
    accepted(await first.engine.workItems.complete({ task: "r/h.1", by: { id: "ann" } }));
  });
});
