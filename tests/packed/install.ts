/** @module Packs the workspace as npm would publish it and lays it out in a folder as npm would install it. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

export const REPOSITORY = path.resolve(import.meta.dirname, "../..");

/** What of a published manifest matters to somebody who installs it. */
interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A folder with the packed packages in node_modules; removed with `remove`. */
export interface Installation {
  readonly folder: string;
  readonly manifests: readonly Manifest[];
  readonly packageFolder: (name: string) => string;
  readonly remove: () => void;
}

/** Runs a program to its end; its output is the message of the error if it fails. */
export function runProgram(file: string, args: readonly string[], cwd: string): string {
  const child = spawnSync(file, args, { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (child.status !== 0) {
    throw new Error(
      `${path.basename(file)} ${args.join(" ")}: ${child.error ?? ""}\n${child.stdout}\n${child.stderr}`,
    );
  }
  return child.stdout;
}

/** The compiler of the repository. */
export function tsc(args: readonly string[], cwd: string): string {
  return runProgram(
    process.execPath,
    [path.join(REPOSITORY, "node_modules/typescript/bin/tsc"), ...args],
    cwd,
  );
}

/**
 * Packs every package and unpacks the archives. A dependency from the registry is linked below the package that declares
 * it and nowhere else, so that an undeclared one is not found; optional peers are absent until `linkPeers`.
 */
export function installPacked(): Installation {
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "tessera packed "));
  const archives = path.join(folder, "archives");
  fs.mkdirSync(archives);
  tsc(["-b"], REPOSITORY);
  runProgram("npm", ["pack", "--workspaces", "--silent", "--pack-destination", archives], REPOSITORY);
  const packageFolder = (name: string): string => path.join(folder, "node_modules", name);
  const manifests = fs.readdirSync(archives).map((archive) => {
    const unpacked = path.join(folder, archive.replace(".tgz", ""));
    fs.mkdirSync(unpacked);
    runProgram("tar", ["-xzf", path.join(archives, archive), "--strip-components=1", "-C", unpacked], folder);
    const manifest = JSON.parse(fs.readFileSync(path.join(unpacked, "package.json"), "utf8")) as Manifest;
    fs.mkdirSync(path.dirname(packageFolder(manifest.name)), { recursive: true });
    fs.renameSync(unpacked, packageFolder(manifest.name));
    return manifest;
  });
  const own = new Set(manifests.map((manifest) => manifest.name));
  for (const { name, dependencies = {} } of manifests) {
    for (const dependency of Object.keys(dependencies)) {
      if (!own.has(dependency)) link(dependency, packageFolder(name));
    }
  }
  return {
    folder,
    manifests,
    packageFolder,
    remove: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}

/** Installs the optional peers beside the packages, and Node's types as a TypeScript user has them. */
export function linkPeers({ folder, manifests }: Installation): void {
  const peers = new Set(manifests.flatMap((manifest) => Object.keys(manifest.peerDependencies ?? {})));
  for (const peer of [...peers, "@types/better-sqlite3", "@types/node"]) link(peer, folder);
}

function link(dependency: string, into: string): void {
  const target = path.join(into, "node_modules", dependency);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.symlinkSync(path.join(REPOSITORY, "node_modules", dependency), target, "junction");
}
