/** @module How tests are named in the lists that the run hands to the tests. */
import fs from "node:fs";
import path from "node:path";

/** The file below the root, "#", and the names from the outermost to the test's own, joined by blanks. */
export function keyOf(test) {
  const file = path.relative(process.cwd(), test.file.filepath).replaceAll("\\", "/");
  return `${file}#${fullName(test)}`;
}

function fullName(task) {
  return task.suite?.name ? `${fullName(task.suite)} ${task.name}` : task.name;
}

/** The keys on a list: `leftOut` or `uncut`. The lists are a file that the environment names. */
export function listed(name) {
  const file = process.env["TESSERA_MUTATE_LISTS"];
  return new Set(file === undefined ? [] : JSON.parse(fs.readFileSync(file, "utf8"))[name]);
}
