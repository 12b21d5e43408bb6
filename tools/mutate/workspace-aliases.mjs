/** @module The packages of the workspace by the sources of this tree, wherever its copy lies. */
import fs from "node:fs";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** `[exact name, file]` for each entry of each package of the workspace. */
export function workspaceAliases() {
  const folders = fs.readdirSync(path.join(ROOT, "packages"));
  return folders.flatMap((folder) => {
    const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, "packages", folder, "package.json"), "utf8"));
    return Object.entries(manifest.exports)
      .filter(([, target]) => typeof target === "object" && target.source !== undefined)
      .map(([entry, { source }]) => [
        manifest.name + entry.slice(1),
        path.join(ROOT, "packages", folder, source),
      ]);
  });
}

/** As an alias of Vite, of no longer name. */
export function exactly([name, replacement]) {
  return { find: new RegExp(`^${name.replace(/[/.-]/g, "\\$&")}$`), replacement };
}
