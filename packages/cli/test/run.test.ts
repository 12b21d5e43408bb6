/** @module `tessera run` and the commands on a database. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folder, jsonLines, SOUND, tessera, UNSOUND } from "./capture.ts";

const ANSWERS = JSON.stringify({
  nodes: { bill: [{ data: { bill: 7 } }], pick: [{ as: "kim", data: { picked: true } }] },
});

describe("tessera run", () => {
  it("runs a definition to its end with scripted answers, and the database tells the rest", async () => {
    const dir = folder({ "order.json": SOUND, "answers.json": ANSWERS });
    const db = join(dir, "runs.db");
    const run = await tessera(
      "run",
      join(dir, "order.json"),
      "--db",
      db,
      "--id",
      "o-1",
      "--data",
      '{"sku":"a"}',
      "--answers",
      join(dir, "answers.json"),
      "--json",
    );
    expect(run.code).toBe(0);
    expect(jsonLines(run.out)[0]).toMatchObject({
      run: "o-1",
      status: "completed",
      outcomes: ["done"],
      data: { sku: "a", bill: 7, picked: true },
    });
    expect((await tessera("runs", "--db", db)).out).toContain("o-1");
    expect((await tessera("show", "o-1", "--db", db)).out).toContain('"picked":true');
    const history = await tessera("history", "o-1", "--db", db, "--json");
    expect(jsonLines(history.out).some(({ kind }) => kind === "step")).toBe(true);
    const replay = await tessera("replay", "o-1", "--db", db);
    expect(replay).toMatchObject({ code: 0 });
    expect(replay.out).toContain("equal to the stored state");
    expect((await tessera("replay", "o-1", "--db", db, "--at", "1")).out).toContain("turn     1");
    expect((await tessera("audit", "--db", db)).out).toContain("the audit passes");
  });

  it("stops at a person, who completes the task in another process", async () => {
    const dir = folder({ "order.json": SOUND, "answers.json": JSON.stringify({ nodes: { bill: [{}] } }) });
    const db = join(dir, "runs.db");
    const waiting = await tessera(
      "run",
      join(dir, "order.json"),
      "--db",
      db,
      "--id",
      "o-2",
      "--answers",
      join(dir, "answers.json"),
    );
    expect(waiting.code).toBe(2);
    expect(waiting.out).toContain("o-2/pick.1");
    expect((await tessera("tasks", "--db", db, "--group", "store")).out).toContain("o-2/pick.1");
    const refused = await tessera("complete", "o-2/pick.1", "--as", "eve", "--db", db);
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.err).toContain("unauthorized");
    const done = await tessera(
      "complete",
      "o-2/pick.1",
      "--as",
      "kim",
      "--group",
      "store",
      "--data",
      '{"picked":2}',
      "--db",
      db,
    );
    expect(done).toMatchObject({ code: 0 });
    expect(done.out).toContain("completed");
  });

  it("cancels a run, once", async () => {
    const dir = folder({ "order.json": SOUND });
    const db = join(dir, "runs.db");
    await tessera("run", join(dir, "order.json"), "--db", db, "--id", "o-3");
    expect((await tessera("cancel", "o-3", "--db", db, "--reason", "no stock")).out).toContain("cancelled");
    expect(await tessera("cancel", "o-3", "--db", db)).toMatchObject({ code: 3 });
  });

  it("refuses an unsound definition with its witness, and runs it when that is accepted", async () => {
    const dir = folder({ "order.json": UNSOUND, "answers.json": ANSWERS });
    const db = join(dir, "runs.db");
    const refused = await tessera("run", join(dir, "order.json"), "--db", db);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("O2");
    expect(refused.err).toContain("--accept");
    const accepted = await tessera(
      "run",
      join(dir, "order.json"),
      "--db",
      db,
      "--answers",
      join(dir, "answers.json"),
      "--accept",
      "O1",
      "O2",
      "O4",
      "O12",
    );
    expect(accepted.code).toBe(1);
    expect(accepted.out).toContain("failed");
  });

  it("takes a net's choices from the answers", async () => {
    const arcs = [
      ["i", "left"],
      ["left", "l"],
      ["i", "right"],
      ["right", "r"],
    ] as const;
    const net = `<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
      <place id="i"><initialMarking><text>1</text></initialMarking></place><place id="l"/><place id="r"/>
      <transition id="left"/><transition id="right"/>${arcs.map(([a, b], n) => `<arc id="a${n}" source="${a}" target="${b}"/>`).join("")}</page></net></pnml>`;
    for (const choice of ["left", "right"]) {
      const dir = folder({ "choice.pnml": net, "answers.json": JSON.stringify({ choices: [choice] }) });
      const run = await tessera(
        "run",
        join(dir, "choice.pnml"),
        "--db",
        join(dir, "runs.db"),
        "--answers",
        join(dir, "answers.json"),
        "--json",
      );
      expect(run.code).toBe(0);
      expect(jsonLines(run.out)[0]?.["marking"]).toEqual({ [choice.charAt(0)]: 1 });
    }
  });

  it.each([
    { what: "data that are no JSON", flags: ["--data", "{"], text: "--data is not JSON" },
    { what: "data that are no object", flags: ["--data", "[1]"], text: "not a JSON object" },
    {
      what: "an answers file that is not there",
      flags: ["--answers", "nowhere.json"],
      text: "cannot be read",
    },
    {
      what: "a handlers module that is not there",
      flags: ["--handlers", "nowhere.mjs"],
      text: "nowhere.mjs",
    },
  ])("answers $what in a line and a hint, exit 3", async ({ flags, text }) => {
    const dir = folder({ "order.json": SOUND });
    const { code, err } = await tessera(
      "run",
      join(dir, "order.json"),
      "--db",
      join(dir, "runs.db"),
      ...flags,
    );
    expect(code).toBe(3);
    expect(err).toContain(text);
  });

  it("refuses a file that is no database, and loses nothing of it", async () => {
    const dir = folder({
      "order.json": SOUND,
      "runs.db": "a letter to my mother, long enough to be no header of any kind of database",
    });
    const { code, err } = await tessera("runs", "--db", join(dir, "runs.db"));
    expect(code).toBe(3);
    expect(err).toContain("runs.db");
  });
});

describe("tessera message and signal", () => {
  const event = (id: string, on: string) => ({ id, on, name: id });
  const waiting = JSON.stringify({
    format: 1,
    kind: "workflow",
    id: "waits",
    entry: "c",
    nodes: [
      { id: "c", kind: "catch", meta: { events: [event("paid", "message")] } },
      { id: "d", kind: "catch", meta: { events: [event("halt", "signal")] } },
      { id: "z", kind: "end" },
    ],
    arcs: [
      { from: "c", to: "d", outcome: "paid" },
      { from: "d", to: "z", outcome: "halt" },
    ],
  });

  it("reach a run that waits for them, once", async () => {
    const dir = folder({ "waits.json": waiting });
    const db = join(dir, "runs.db");
    const run = await tessera("run", join(dir, "waits.json"), "--db", db, "--id", "w", "--wait-ms", "100");
    expect(run.code).toBe(2);
    const sent = await tessera("message", "paid", "--data", '{"x":1}', "--id", "m-1", "--db", db);
    expect(sent).toMatchObject({ code: 0 });
    expect(sent.out).toContain("sent");
    expect((await tessera("message", "paid", "--id", "m-1", "--db", db)).out).toContain("known");
    expect((await tessera("message", "paid", "--key", "", "--db", db)).code).toBe(3);
    const halted = await tessera("signal", "halt", "--db", db, "--json");
    expect(jsonLines(halted.out)[0]).toEqual({ kind: "published", isNew: true, receivers: 1 });
    expect((await tessera("show", "w", "--db", db)).out).toContain("completed");
    expect((await tessera("audit", "--db", db)).out).toContain("the audit passes");
  });
});
