/** @module `tessera doctor` and `tessera backup`: is a database whole, and a copy of it while it is in use. */
import { StoreError } from "@tessera/persist";
import { backupDatabase, checkDatabase, type DatabaseCheck } from "@tessera/persist/sqlite";
import { EXIT, type Io, mark, UsageError } from "../io.ts";
import { auditFile } from "./audit.ts";

/** Checks the file, its tables and, unless `isQuick`, every run and graph in it. */
export async function doctorCommand(
  path: string,
  { json, quick }: { readonly json: boolean; readonly quick: boolean },
  io: Io,
): Promise<number> {
  const check = await orUsage(async () => checkDatabase(path));
  const isWhole = check.problems.length === 0;
  const audit = isWhole && !quick ? await auditFile({ db: path }, io) : null;
  const broken = audit?.broken ?? [];
  const isGood = isWhole && broken.length === 0;
  if (json) {
    io.out(JSON.stringify({ ...check, audit: audit === null ? null : { isSound: audit.isSound, broken } }));
    return isGood ? EXIT.done : EXIT.fails;
  }
  printCheck(check, io);
  for (const part of broken) {
    const name = "run" in part ? part.run : `graph ${part.graph}`;
    for (const { check: what, sequence, message } of part.findings)
      io.out(mark.bad(`  ${name}  ${what}${sequence === null ? "" : ` at turn ${sequence}`}: ${message}`));
  }
  if (audit?.isSound === true) io.out(mark.good("  every run and graph passes the audit"));
  return isGood ? EXIT.done : EXIT.fails;
}

/** Copies a database to a new file and checks the copy. */
export async function backupCommand(
  from: string,
  to: string,
  { json }: { readonly json: boolean },
  io: Io,
): Promise<number> {
  const check = await orUsage(() => backupDatabase(from, to));
  if (json) io.out(JSON.stringify(check));
  else printCheck(check, io);
  return EXIT.done;
}

function printCheck(
  { path, bytes, schema, runs, turns, openItems, outbox, startTimers, problems }: DatabaseCheck,
  io: Io,
): void {
  io.out(mark.strong(path));
  io.out(`  ${bytes} bytes, tables of version ${schema ?? "none"}`);
  io.out(`  ${runs} runs, ${turns} turns, ${openItems} open items, ${outbox} commands under way`);
  for (const { tenant, workflow, event, dueAt, remaining } of startTimers) {
    const more =
      remaining < 0 ? "and so on" : remaining === 0 ? "for the last time" : `${remaining} times more`;
    io.out(`  ${new Date(dueAt).toISOString()} starts ${workflow} (${event}) of tenant ${tenant}, ${more}`);
  }
  for (const problem of problems) io.out(mark.bad(`  ${problem}`));
  if (problems.length === 0) io.out(mark.good("  the file is whole"));
}

/** A fault of the file is the caller's to hear in one line. */
async function orUsage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof StoreError)
      throw new UsageError(fault.message, "tessera doctor FILE, tessera backup FILE NEWFILE");
    throw fault;
  }
}
