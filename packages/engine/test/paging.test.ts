/** Queries as applications write them: members that may be undefined, limits that come from outside. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { memoryStore, type RunStore } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { accepted, taskId } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const asking = flow(
  "w",
  [
    ["s", "start"],
    ["ask", "human"],
    ["e", "end"],
  ],
  [
    ["s", "ask"],
    ["ask", "e"],
  ],
);

function inFile(): RunStore {
  const folder = mkdtempSync(path.join(tmpdir(), "tessera-paging-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return sqliteStore({ path: path.join(folder, "runs.db") });
}

describe.each([
  ["memory", memoryStore],
  ["SQLite", inFile],
])("queries of pages, %s", (_, open) => {
  const three = async () => {
    const kit = testEngine({ store: open() });
    accepted(await kit.engine.deploy(asking));
    for (const id of ["a", "b", "c"]) accepted(await kit.engine.start({ workflow: "w", id }));
    return kit.engine;
  };

  it("[D10.27] items are counted with the filters of their list, as far as it is asked", async () => {
    const engine = await three();
    const ann = { id: "ann" };
    const [first] = (await engine.workItems.list()).rows;
    accepted(await engine.workItems.claim({ task: first?.id ?? taskId("", "" as never), by: ann }));
    expect(await engine.workItems.count()).toBe(3);
    expect(await engine.workItems.count({ max: 2 })).toBe(2);
    expect(await engine.workItems.count({ assignee: "ann" })).toBe(1);
    expect(await engine.workItems.count({ actor: "bob", max: undefined } as never)).toBe(2);
    for (const max of [0, -1, 1.5, "2"])
      await expect(engine.workItems.count({ max } as never)).rejects.toMatchObject({ code: "misuse" });
  });

  it("a member that is undefined is one that is not there", async () => {
    const engine = await three();
    const nothing = { tenant: undefined, limit: undefined, after: undefined, run: undefined };
    const items = await engine.workItems.list(nothing as never);
    expect(items.rows.map(({ run }) => run)).toEqual(["a", "b", "c"]);
    const query = { tenant: undefined, after: undefined, status: undefined, data: undefined, limit: 2 };
    const runs = await engine.runs(query as never);
    expect(runs.rows.map(({ run }) => run)).toEqual(["c", "b"]);
    expect(runs.next).not.toBeNull();
  });

  it("a limit that is no number of rows is the caller's mistake, and gives no page", async () => {
    const engine = await three();
    for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "2", null]) {
      const query = { limit } as never;
      await expect(engine.workItems.list(query)).rejects.toMatchObject({ code: "misuse" });
      await expect(engine.runs(query)).rejects.toMatchObject({ code: "misuse" });
    }
    await expect(engine.runs({} as never)).rejects.toMatchObject({ code: "misuse" });
  });

  it("a node whose name is no well-formed text is refused, like one at which nothing is open", async () => {
    const handle = (await three()).run("a");
    const by = { id: "kim" };
    expect(await handle.complete({ node: "\ud800", by })).toMatchObject({ kind: "refused", code: "invalid" });
    expect(await handle.complete({ node: "nowhere", by })).toMatchObject({
      kind: "refused",
      code: "not-open",
    });
    expect(await handle.complete({ node: "ask", by })).toMatchObject({ kind: "done" });
  });
});
