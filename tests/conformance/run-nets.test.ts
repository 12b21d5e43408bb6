/** @module Real workflow nets: imported, proved, and run to their end on SQLite through the command line. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tessera } from "../../packages/cli/test/capture.ts";

const NETS = fileURLToPath(new URL("../../../shared/data/nets", import.meta.url));
const isThere = existsSync(NETS);
if (!isThere) console.warn("skipped: the folder shared/data/nets is not beside the checkout");

/** Sound ibm nets by the published verdicts: every 20th, at least 30 of them. */
function soundIbm(): readonly string[] {
  const rows = readFileSync(join(NETS, "workflow-nets", "VERDICTS.csv"), "utf8")
    .trim()
    .split("\n")
    .slice(1);
  const sound = rows
    .map((row) => row.split(","))
    .filter(([, set, verdict]) => set?.startsWith("IBM") === true && verdict === "sound");
  const names = new Set(sound.map(([net]) => `${net}.pnml`));
  const files = readdirSync(join(NETS, "workflow-nets", "ibm"))
    .filter((file) => names.has(file))
    .sort();
  return files
    .filter((_, index) => index % Math.max(1, Math.floor(files.length / 32)) === 0)
    .map((file) => join(NETS, "workflow-nets", "ibm", file));
}

describe.skipIf(!isThere)("foreign nets", () => {
  let dir = "";
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), "tessera-nets-"));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it("at least 30 sound ibm nets are proved and run to a final marking, replay and pass the audit", async () => {
    const files = soundIbm();
    expect(files.length).toBeGreaterThanOrEqual(30);
    const db = join(dir, "ibm.db");
    for (const [index, file] of files.entries()) {
      const run = await tessera("run", file, "--db", db, "--id", `net-${index}`, "--json");
      expect([file, run.code, run.err]).toEqual([file, 0, ""]);
      expect((await tessera("replay", `net-${index}`, "--db", db)).code).toBe(0);
    }
    expect((await tessera("audit", "--db", db)).code).toBe(0);
  }, 300_000);

  it("woped nets run to their end if they are sound, and are refused with a witness if not", async () => {
    const files = readdirSync(join(NETS, "woped"))
      .filter((file) => file.endsWith(".pnml"))
      .sort();
    let ran = 0;
    for (const [index, name] of files.entries()) {
      const file = join(NETS, "woped", name);
      const { out } = await tessera("check", file, "--json");
      const { sound } = JSON.parse(out) as { sound?: boolean | null };
      const run = await tessera("run", file, "--db", join(dir, "woped.db"), "--id", `net-${index}`);
      if (sound === true) ran += 1;
      if (sound === true) expect([name, run.code, run.err]).toEqual([name, 0, ""]);
      else if (sound === undefined) expect([name, run.code]).toEqual([name, 3]);
      else
        expect([name, run.code, run.err.includes(sound === null ? '"limit"' : '"witness"')]).toEqual([
          name,
          1,
          true,
        ]);
    }
    expect(ran).toBeGreaterThan(0);
  }, 120_000);
});
