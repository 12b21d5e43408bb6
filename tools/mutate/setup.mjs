/** @module Passes over the tests that are left out; see `left-out.mjs`. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach } from "vitest";

const listed = process.env["TESSERA_MUTATE_LEFT_OUT"];
const leftOut = new Set(listed === undefined ? [] : JSON.parse(fs.readFileSync(listed, "utf8")));

function fullName(task) {
  return task.suite?.name ? `${fullName(task.suite)} ${task.name}` : task.name;
}

beforeEach(({ task, skip }) => {
  const file = path.relative(process.cwd(), task.file.filepath).replaceAll("\\", "/");
  if (leftOut.has(`${file}#${fullName(task)}`)) skip();
});
