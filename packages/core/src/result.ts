/** @module Bad input is a value: a result holds either the value or every issue that was found. */

/** Either a value or the issues that prevented it. Used as `Result<T, readonly Issue[]>`: all issues at once. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: E };

/** The result that holds `value`. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** The result that holds `issues`. */
export function bad<E>(issues: E): { readonly ok: false; readonly issues: E } {
  return { ok: false, issues };
}
