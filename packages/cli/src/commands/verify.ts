/** @module `tessera verify`: checks a certificate against the file that it speaks of, without proving anything. */
import { readFile } from "node:fs/promises";
import { type Json, parseJson } from "@tessera/core";
import { netHash, type VerifiedClaim, verifyCertificate } from "@tessera/proofs";
import { EXIT, type Io, mark, UsageError } from "../io.ts";
import { netsOfFile } from "../nets-of-file.ts";

/** Options of the command. */
export interface VerifyCommand {
  readonly json: boolean;
  readonly statesMax?: number;
}

/**
 * Verifies each claim of the certificate. Exit: 0 all are supported, 1 one is not, 2 one is too large to check, 3 the
 * certificate is none, or is of another net or, where it speaks of data, of another definition.
 */
export async function verifyCommand(
  certificate: string,
  file: string,
  { json, statesMax }: VerifyCommand,
  io: Io,
): Promise<number> {
  const claimed = await readCertificate(certificate);
  const candidates = await netsOfFile(file);
  const named = (claimed as { readonly net?: Json } | null)?.net;
  const { net, rules, workflow } =
    candidates.find((candidate) => netHash(candidate.net) === named) ?? candidates.at(-1)!;
  const found = verifyCertificate(net, claimed, {
    rules,
    ...(workflow === null ? {} : { workflow: workflow.compiled }),
    ...(statesMax === undefined ? {} : { statesMax }),
  });
  if (found.kind === "bad") throw new UsageError(`${certificate}: not a certificate for a net like this`);
  if (found.kind === "other-net") {
    throw new UsageError(
      `${certificate}: speaks of another net than ${file}`,
      `its net is ${found.net}, that of the file ${netHash(net)}`,
    );
  }
  if (found.kind === "other-definition")
    throw new UsageError(`${certificate}: speaks of the data of another definition than ${file}`);
  for (const claim of found.claims) io.out(json ? JSON.stringify(claim) : readable(claim));
  if (found.claims.some(({ checked }) => checked.kind === "invalid")) return EXIT.fails;
  return found.claims.every(({ checked }) => checked.kind === "valid") ? EXIT.done : EXIT.unknown;
}

async function readCertificate(file: string): Promise<Json> {
  const text = await readFile(file, "utf8").catch(() => {
    throw new UsageError(`${file}: cannot be read`, "tessera check FILE --certificate OUT writes one");
  });
  try {
    return parseJson(text);
  } catch {
    throw new UsageError(`${file}: not JSON`);
  }
}

function readable({ id, question, verdict, level, checked }: VerifiedClaim): string {
  const head = `${(question ?? id).padEnd(8)} ${verdict}${level === undefined ? "" : `@${level}`}`;
  switch (checked.kind) {
    case "valid":
      return `${head}: ${mark.good("supported")}`;
    case "invalid":
      return `${head}: ${mark.bad("not supported")} ${mark.dim(checked.reason)}`;
    case "unchecked":
      return `${head}: ${mark.open("not checked")} ${mark.dim(checked.reason)}`;
  }
}
