/** @module Where an answer here differs from a published one by definition, each with the reason. */

/** `collection net column` to the reason why both are right. */
export const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  [
    "ff-soundness-unit f2 structurally-sound",
    "with one token the final marking can always be reached, and one transition is dead; D22.6 asks k-soundness without dead transitions, the published verdict with them",
  ],
]);
