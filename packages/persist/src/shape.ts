/** @module Shapes: how a value of a known type is written as compact JSON text, and read back or refused. */
import { canonicalJson, type Hash, invariant, isHash, type Json, type JsonObject } from "@tessera/core";
import { type Blob, type BlobSource, type BlobTrouble, blobOf, readBlob } from "./blob.ts";
import { putBytes, putCharacter, putInteger, putString, putText, type TextWriter } from "./text-writer.ts";

/** What is gathered while a value is written: its text at the end of `out`. Times are written as differences to `base`. */
export interface Sink {
  readonly out: TextWriter;
  base: number;
  slotCount: number;
  /** Values that stand beside the text: the number of the slot that each was written in, counted from 0. */
  readonly beside: { readonly slot: number; readonly blob: Blob }[];
}

/** What is known while a value is read; `trouble` is the first blob that was missing or wrong. */
export interface Source {
  base: number;
  slotCount: number;
  readonly beside: ReadonlyMap<number, Hash>;
  readonly blobs: BlobSource;
  trouble: BlobTrouble | null;
}

/**
 * A shape of T. `write` appends JSON text, the same for equal values; `read` takes what that text parses to.
 * Law: `read(JSON.parse(text))` equals x if `text` is what `write` appended for x. `read` gives undefined for every other tree and never throws.
 * `absent` is the text of a member that is not there; no value of the shape is written so.
 */
export interface Shape<T> {
  readonly absent: "0" | "null";
  readonly write: (value: T, sink: Sink) => void;
  readonly read: (tree: Json, source: Source) => T | undefined;
}

/** A member of a record: its shape and whether it may be missing. */
interface Field<T> {
  readonly shape: Shape<T>;
  readonly isOptional: boolean;
}

/** The members of T in the order in which they are written; an optional member of T must be a `may`. */
export type Fields<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
    ? Sometimes<Exclude<T[K], undefined>>
    : Always<T[K]>;
};
/** A member that may be missing. */
export interface Sometimes<T> extends Field<T> {
  readonly isOptional: true;
}
/** A member that is always there. */
export interface Always<T> extends Field<T> {
  readonly isOptional: false;
}

/** A member that is always there. */
export function need<T>(shape: Shape<T>): Always<T> {
  return { shape, isOptional: false };
}

/** A member that may be missing. */
export function may<T>(shape: Shape<T>): Sometimes<T> {
  return { shape, isOptional: true };
}

/** Any well-formed text. */
export const text: Shape<string> = {
  absent: "0",
  write: (value, { out }) => putString(out, value),
  read: (tree) => (typeof tree === "string" && isText(tree) ? tree : undefined),
};

/** A content hash. */
export const hash: Shape<Hash> = {
  absent: "0",
  write: (value, { out }) => putString(out, value),
  read: (tree) => (isHash(tree) ? tree : undefined),
};

/** A safe integer. */
export const integer: Shape<number> = {
  absent: "null",
  write: (value, { out }) => {
    if (!Number.isSafeInteger(value)) invariant(false, "D10.1", () => ({ integer: String(value) }));
    putInteger(out, value);
  },
  read: (tree) => (Number.isSafeInteger(tree) ? (tree as number) : undefined),
};

/** A moment: the difference to the base in ms where that is exact, else the moment itself as text. */
export const moment: Shape<number> = {
  absent: "null",
  write: (value, { base, out }) => {
    const delta = value - base;
    const isExact = Number.isSafeInteger(value) && Number.isSafeInteger(delta);
    if (isExact) putInteger(out, delta);
    else putText(out, JSON.stringify(canonicalJson(value)));
  },
  read: (tree, source) => {
    if (Number.isSafeInteger(tree)) return source.base + (tree as number);
    const value = typeof tree === "string" ? Number(tree) : Number.NaN;
    return Number.isFinite(value) && String(value) === tree ? value : undefined;
  },
};

/** One fixed number: the version of an embedded format. */
export function constant<N extends number>(value: N): Shape<N> {
  return {
    absent: "null",
    write: (_, { out }) => putInteger(out, value),
    read: (tree) => (tree === value ? value : undefined),
  };
}

/** Something that is true where it is said. */
export const flag: Shape<true> = {
  absent: "0",
  write: (_, { out }) => putInteger(out, 1),
  read: (tree) => (tree === 1 ? true : undefined),
};

/** One of the keys of `codes`, written as its code. */
export function oneOf<K extends string>(codes: Readonly<Record<K, string>>): Shape<K> {
  const names = new Map(Object.entries<string>(codes).map(([name, code]) => [code, name as K]));
  const texts = new Map(
    Object.entries<string>(codes).map(([name, code]) => [name, Buffer.from(JSON.stringify(code))]),
  );
  return {
    absent: "0",
    write: (value, { out }) => {
      const written = texts.get(value);
      invariant(written !== undefined, "D10.1", () => ({ name: value }));
      putBytes(out, written, 0, written.length);
    },
    read: (tree) => (typeof tree === "string" ? names.get(tree) : undefined),
  };
}

/** A list. */
export function list<T>(member: Shape<T>): Shape<readonly T[]> {
  return {
    absent: "0",
    write: (values, sink) => writeList(member, values, sink),
    read: (tree, source) => {
      if (!Array.isArray(tree)) return undefined;
      const values: T[] = [];
      for (const part of tree as readonly Json[]) {
        const value = member.read(part, source);
        if (value === undefined) return undefined;
        values.push(value);
      }
      return values;
    },
  };
}

/** Numbers by place: written like a list of integers, whatever array holds them. */
export const counts: Shape<ArrayLike<number>> = {
  absent: "0",
  write: (values, sink) => writeList(integer, values, sink),
  read: (tree, source) => list(integer).read(tree, source),
};

/** A value or null. */
export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return {
    absent: "null",
    write: (value, sink) => (value === null ? putInteger(sink.out, 0) : shape.write(value, sink)),
    read: (tree, source) => (tree === 0 ? null : shape.read(tree, source)),
  };
}

/** A record, written as the list of its members in the order of `fields`; absent ones at the end are left out. */
export function record<T extends object>(fields: Fields<T>): Shape<T> {
  const columns = columnsOf(fields);
  return {
    absent: "0",
    write: (value, sink) => writeColumns(columns, value, sink, NO_BYTES),
    read: (tree, source) =>
      Array.isArray(tree) ? (readColumns(columns, tree, 0, {}, source) as T) : undefined,
  };
}

type Kinded = { readonly kind: string };
type Variant<T, K> = T extends { readonly kind: infer Q } ? (K extends Q ? Omit<T, "kind"> : never) : never;

/** For each kind of T its code and its members. */
export type Variants<T extends Kinded> = {
  readonly [K in T["kind"]]: readonly [code: string, fields: Fields<Variant<T, K>>];
};

/** A sum type by `kind`, written as the list of the code of its kind and its members. */
export function union<T extends Kinded>(variants: Variants<T>): Shape<T> {
  const entries = Object.entries<readonly [string, object]>(variants);
  const byKind = new Map(
    entries.map(([kind, [code, fields]]) => [
      kind,
      { text: Buffer.from(JSON.stringify(code)), columns: columnsOf(fields) },
    ]),
  );
  const byCode = new Map(entries.map(([kind, [code]]) => [code, kind]));
  invariant(byCode.size === byKind.size, "D10.1", () => ({ codes: [...byCode.keys()] }));
  return {
    absent: "0",
    write: (value, sink) => {
      const variant = byKind.get(value.kind);
      invariant(variant !== undefined, "D10.1", () => ({ kind: value.kind }));
      writeColumns(variant.columns, value, sink, variant.text);
    },
    read: (tree, source) => {
      const kind = Array.isArray(tree) && typeof tree[0] === "string" ? byCode.get(tree[0]) : undefined;
      const variant = kind === undefined ? undefined : byKind.get(kind);
      if (variant === undefined) return undefined;
      return readColumns(variant.columns, tree as readonly Json[], 1, { kind }, source) as T | undefined;
    },
  };
}

/** Any JSON value; one above `BLOB_BYTES` is written beside the text, and `null` in its place. */
export const slot: Shape<Json> = {
  absent: "null",
  write: (value, sink) => {
    const written = canonicalJson(value);
    const blob = blobOf(written);
    if (blob !== null) sink.beside.push({ slot: sink.slotCount, blob });
    sink.slotCount += 1;
    putText(sink.out, blob === null ? written : "null");
  },
  read: (tree, source) => {
    const besideHash = source.beside.get(source.slotCount);
    source.slotCount += 1;
    if (besideHash === undefined) return isBounded(tree, 0) ? tree : undefined;
    const found = readBlob(source.blobs, besideHash);
    if (found.ok) return found.value;
    source.trouble ??= found.issues;
    return undefined;
  },
};

/** A JSON object whose members are slots. */
export const members: Shape<JsonObject> = {
  absent: "0",
  write: (value, sink) => {
    const { out } = sink;
    let separator: number = BRACE_OPEN;
    for (const key of Object.keys(value).sort()) {
      putCharacter(out, separator);
      putString(out, key);
      putCharacter(out, COLON);
      slot.write(value[key] as Json, sink);
      separator = COMMA;
    }
    if (separator === BRACE_OPEN) putCharacter(out, BRACE_OPEN);
    putCharacter(out, BRACE_CLOSE);
  },
  read: (tree, source) => {
    if (typeof tree !== "object" || tree === null || Array.isArray(tree)) return undefined;
    const found: [string, Json][] = [];
    // The slots were counted in code-unit order; integer-like keys come first in an object of the language.
    for (const key of Object.keys(tree).sort()) {
      const value = slot.read((tree as JsonObject)[key] as Json, source);
      if (value === undefined || !isText(key)) return undefined;
      found.push([key, value]);
    }
    return Object.fromEntries(found);
  },
};

/** A step of a path into JSON. */
export const step: Shape<string | number> = {
  absent: "null",
  write: (value, sink) => (typeof value === "number" ? integer.write(value, sink) : text.write(value, sink)),
  read: (tree, source) => text.read(tree, source) ?? integer.read(tree, source),
};

function writeList<T>(member: Shape<T>, values: ArrayLike<T>, sink: Sink): void {
  putCharacter(sink.out, BRACKET_OPEN);
  for (let at = 0; at < values.length; at += 1) {
    if (at > 0) putCharacter(sink.out, COMMA);
    member.write(values[at] as T, sink);
  }
  putCharacter(sink.out, BRACKET_CLOSE);
}

const [COMMA, COLON, BRACE_OPEN, BRACE_CLOSE, BRACKET_OPEN, BRACKET_CLOSE] = [
  0x2c, 0x3a, 0x7b, 0x7d, 0x5b, 0x5d,
] as const;
const NO_BYTES = new Uint8Array(0);

interface Column {
  readonly name: string;
  readonly shape: Shape<unknown>;
  readonly isOptional: boolean;
}

interface Columns {
  readonly list: readonly Column[];
  /** The place of each member in the list. */
  readonly places: ReadonlyMap<string, number>;
  /** The texts of all members as if none were there, each behind a comma, and where each begins. */
  readonly gaps: Uint8Array;
  readonly starts: readonly number[];
}

/** As many members as bits of a number can stand for. */
const COLUMNS_MAX = 31;

function columnsOf(fields: object): Columns {
  const members = Object.entries(fields as Record<string, Field<unknown>>);
  invariant(members.length <= COLUMNS_MAX, "D10.1", () => ({ members: members.length }));
  const absent = members.map(([, { shape }]) => `,${shape.absent}`);
  return {
    list: members.map(([name, field]) => ({ name, ...field })),
    places: new Map(members.map(([name], place) => [name, place])),
    gaps: Buffer.from(absent.join("")),
    starts: [0, ...absent.map((_, place) => absent.slice(0, place + 1).join("").length)],
  };
}

/**
 * The members as a list behind `first`. Absent ones are written where something follows them; at the end they are left
 * out. Most members of most values are absent: asked for are those that the value has, not those that it could have.
 */
function writeColumns(
  { list: columns, places, gaps, starts }: Columns,
  value: object,
  sink: Sink,
  first: Uint8Array,
): void {
  let present = 0;
  for (const name in value) {
    const place = places.get(name);
    if (place !== undefined) present |= 1 << place;
  }
  const { out } = sink;
  putCharacter(out, BRACKET_OPEN);
  putBytes(out, first, 0, first.length);
  let isFirst = first.length === 0;
  let next = 0;
  while (present !== 0) {
    const place = 31 - Math.clz32(present & -present);
    present &= present - 1;
    const { name, shape } = columns[place] as Column;
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (member === undefined) continue;
    if (place > next) {
      putBytes(out, gaps, (starts[next] as number) + (isFirst ? 1 : 0), starts[place] as number);
      isFirst = false;
    }
    if (!isFirst) putCharacter(out, COMMA);
    isFirst = false;
    shape.write(member, sink);
    next = place + 1;
  }
  putCharacter(out, BRACKET_CLOSE);
}

function readColumns(
  { list: columns }: Columns,
  parts: readonly Json[],
  first: number,
  into: Record<string, unknown>,
  source: Source,
): object | undefined {
  if (parts.length > first + columns.length) return undefined;
  for (let index = 0; index < columns.length; index += 1) {
    const { name, shape, isOptional } = columns[index] as Column;
    const part = parts[first + index];
    if (isOptional && (part === undefined || part === (shape.absent === "0" ? 0 : null))) continue;
    const member = part === undefined ? undefined : shape.read(part, source);
    if (member === undefined) return undefined;
    into[name] = member;
  }
  return into;
}

/** Parsed text is plain data; what is left to check is the depth, and the numbers and texts that JSON cannot hold. */
function isBounded(value: Json, depth: number): boolean {
  if (typeof value === "string") return isText(value);
  if (typeof value === "number") return Number.isFinite(value);
  if (value === null || typeof value === "boolean") return true;
  if (depth >= DEPTH_MAX) return false;
  if (Array.isArray(value)) return (value as readonly Json[]).every((part) => isBounded(part, depth + 1));
  return Object.entries(value as JsonObject).every(
    ([key, part]) => isText(key) && isBounded(part, depth + 1),
  );
}

/** Of every value that enters the engine. */
const DEPTH_MAX = 200;

function isText(value: string): boolean {
  return !/\p{Surrogate}/u.test(value);
}
