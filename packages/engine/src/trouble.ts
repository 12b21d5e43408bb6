/** @module Text of trouble that came from outside: fit for the journal whatever it is. */

/** Code units of a message that are kept. */
const LENGTH_MAX = 2000;

/** The text of anything that was thrown: well-formed, bounded, never a throw of its own. */
export function thrownText(error: unknown): string {
  try {
    return journalText(error instanceof Error ? error.message : String(error));
  } catch {
    return "something that has no text was thrown";
  }
}

/** `text` as the journal can keep it: without lone surrogates, and cut. */
export function journalText(text: string): string {
  const cut = text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text;
  return cut.replace(/\p{Surrogate}/gu, "\uFFFD");
}

/** Can `text` be a label of the journal as it is? */
export function isJournalText(text: string): boolean {
  return text.length <= LENGTH_MAX && !/\p{Surrogate}/u.test(text);
}
