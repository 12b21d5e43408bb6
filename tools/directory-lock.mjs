/**
 * @module A lock between processes: a directory, since creating one is atomic on every file system.
 *
 * The owner's process id is inside. A lock whose owner is dead (killed, power cut) is taken over.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const POLL_MS = 100;
/** How long a directory without an owner file may be one that is just being made. */
const NASCENT_MS = 5_000;

/** Runs `work` while holding the lock at `directory`; waits for a living owner, `say` tells that once. */
export async function withDirectoryLock({ directory, say }, work) {
  await acquire(directory, say);
  try {
    return await work();
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

async function acquire(directory, say) {
  let hasSaid = false;
  while (!tryAcquire(directory)) {
    if (takeAwayDead(directory)) continue;
    if (!hasSaid)
      say(`Waiting for another start in this folder to finish (lock: ${path.basename(directory)}) ...`);
    hasSaid = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function tryAcquire(directory) {
  try {
    fs.mkdirSync(directory);
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
  fs.writeFileSync(ownerFile(directory), `${process.pid} ${os.hostname()}`);
  return true;
}

const ownerFile = (directory) => path.join(directory, "owner");

function readOwner(directory) {
  try {
    return fs.readFileSync(ownerFile(directory), "utf8");
  } catch {
    return undefined;
  }
}

function isDead(directory, owner) {
  if (owner === undefined || owner === "") {
    const stats = fs.statSync(directory, { throwIfNoEntry: false });
    return stats !== undefined && Date.now() - stats.mtimeMs > NASCENT_MS;
  }
  const [pid, host] = owner.split(" ");
  if (host !== os.hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

/** Renaming is atomic, so of several waiters one takes the dead lock away; it checks that it got the dead one. */
function takeAwayDead(directory) {
  const owner = readOwner(directory);
  if (!isDead(directory, owner)) return false;
  const aside = `${directory}.dead-${process.pid}`;
  try {
    fs.renameSync(directory, aside);
  } catch {
    return true;
  }
  if (readOwner(aside) !== owner) fs.renameSync(aside, directory);
  else fs.rmSync(aside, { recursive: true, force: true });
  return true;
}
