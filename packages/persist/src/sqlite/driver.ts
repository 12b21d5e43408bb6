/** @module The part of better-sqlite3 that the store uses, so that its declarations need none of that package's. */

/** A prepared statement. (Methods, not members: the driver's own types are narrower in their parameters.) */
export interface SqliteStatement {
  run(...parameters: unknown[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
  get(...parameters: unknown[]): unknown;
  all(...parameters: unknown[]): unknown[];
  /** Integers come back as bigint iff it is on, whatever the default of the handle is. */
  safeIntegers(isOn: boolean): unknown;
  /** Rows come back as lists of their values in the order of the columns iff it is on. */
  raw(isOn: boolean): unknown;
}

/** A connection: a better-sqlite3 `Database`. */
export interface SqliteDatabase {
  readonly open: boolean;
  readonly readonly: boolean;
  readonly memory: boolean;
  readonly inTransaction: boolean;
  readonly name: string;
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
  pragma(sql: string, options?: { readonly simple?: boolean }): unknown;
  close(): unknown;
}

/** A connection with its statements, each prepared once. */
export interface Session {
  readonly db: SqliteDatabase;
  /** The statement of a text. Texts are constants: there are as many statements as places in the code. */
  readonly sql: (text: string) => SqliteStatement;
  /** The same, but its rows are lists. */
  readonly list: (text: string) => SqliteStatement;
}

/** A session on an open connection. */
export function makeSession(db: SqliteDatabase): Session {
  const statements = new Map<string, SqliteStatement>();
  const lists = new Map<string, SqliteStatement>();
  const prepare = (text: string, isList: boolean): SqliteStatement => {
    const statement = db.prepare(text);
    statement.safeIntegers(false);
    if (isList) statement.raw(true);
    (isList ? lists : statements).set(text, statement);
    return statement;
  };
  return {
    db,
    sql: (text) => statements.get(text) ?? prepare(text, false),
    list: (text) => lists.get(text) ?? prepare(text, true),
  };
}

/** The one row of a statement as T, null when there is none. */
export function one<T>({ sql }: Session, text: string, ...parameters: unknown[]): T | null {
  return (sql(text).get(...parameters) as T | undefined) ?? null;
}

/**
 * The one row of a statement as the list of its values, null when there is none. What an object costs more is the
 * looking up of its names; for statements of every turn.
 */
export function row<T extends readonly unknown[]>(
  { list }: Session,
  text: string,
  ...parameters: unknown[]
): T | null {
  return (list(text).get(...parameters) as T | undefined) ?? null;
}

/** All rows of a statement as T. */
export function many<T>({ sql }: Session, text: string, ...parameters: unknown[]): readonly T[] {
  return sql(text).all(...parameters) as T[];
}

/** Runs a statement; the number of rows that it changed. */
export function change({ sql }: Session, text: string, ...parameters: unknown[]): number {
  return sql(text).run(...parameters).changes;
}

/** Inserts one row; its id. */
export function insert({ sql }: Session, text: string, ...parameters: unknown[]): number {
  return Number(sql(text).run(...parameters).lastInsertRowid);
}
