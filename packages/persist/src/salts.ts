/** @module Random salts for payload hashes. */
import { randomFillSync } from "node:crypto";

/** Salts of 16 bytes, cut from random bytes that are asked for by the page. Each is used up before the next is asked for. */
export function randomSalts(): () => Uint8Array {
  const page = Buffer.alloc(4096);
  let used = page.length;
  return () => {
    if (used === page.length) {
      randomFillSync(page);
      used = 0;
    }
    used += 16;
    return page.subarray(used - 16, used);
  };
}
