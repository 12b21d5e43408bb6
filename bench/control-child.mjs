/**
 * @module One side of `control.mjs` in a process of its own, so that neither pays for the memory of the other. Each message
 * is a round: `{ side, folder, source, parallel, runs, script }`; the answer is what it took.
 */
import fs from "node:fs";
import v8 from "node:v8";
import { controlWork, copyOf, engineWork, turnsIn } from "./control-work.mjs";

let script = null;

process.on("message", async ({ side, folder, source, parallel, runs, scriptFile }) => {
  const db = copyOf(folder, source, `${side}.db`);
  const times = [];
  let measured;
  if (side === "engine") {
    const onTurn = async (work) => {
      const began = performance.now();
      const done = await work();
      times.push(performance.now() - began);
      return done;
    };
    measured = parallel === 1 ? await engineWork(db, 1, runs, onTurn) : await engineWork(db, parallel, runs);
  } else {
    script ??= v8.deserialize(fs.readFileSync(scriptFile));
    measured = await controlWork(db, script, parallel === 1 ? (ms) => times.push(ms) : undefined);
  }
  const turns = turnsIn(db);
  db.close();
  process.send({ ...measured, turns, times });
});
