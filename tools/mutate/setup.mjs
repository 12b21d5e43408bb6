/** @module Passes over the tests that are left out; see `left-out.mjs`. */
import { beforeEach } from "vitest";
import { keyOf, listed } from "./test-key.mjs";

const leftOut = listed("leftOut");

beforeEach(({ task, skip }) => {
  if (leftOut.has(keyOf(task))) skip();
});
