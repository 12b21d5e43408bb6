/** @module Values while they are put together. */

/**
 * A value while its members are put together. What every turn makes is made so: a member that may be absent is set where it
 * is there, since copies of copies would be most of the cost of a turn.
 */
export type InTheMaking<T> = { -readonly [K in keyof T]: T[K] };
