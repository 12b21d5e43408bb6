/** @module Random walks: how many, how long, and when they end early. */
import { describe, expect, it } from "vitest";
import { stateSpace } from "../src/state-space.ts";
import { walk } from "../src/walk.ts";
import { net as parse } from "./net-text.ts";

/** The markings stored by walks, and how often it was asked whether they are done; they are from the answer `doneAt` on. */
function walked(
  text: string,
  limits: { readonly count?: number; readonly lengthMax?: number; readonly statesMax?: number },
  doneAt = Number.POSITIVE_INFINITY,
) {
  const space = stateSpace(parse(text));
  let asked = 0;
  walk(space, { count: 1, lengthMax: 100, statesMax: 1000, ...limits }, () => {
    asked += 1;
    return asked >= doneAt;
  });
  return { states: space.store.count, asked };
}

const ENDLESS = "t: i -> i + a";
/** Fifty places to choose from, and one behind each. */
const FAN = Array.from({ length: 50 }, (_, k) => `t${k}: i -> a${k}; u${k}: a${k} -> b${k}`).join("; ");

describe("walks", () => {
  it("[D8.9] go so many steps, and ask at every eighth whether they are done", () => {
    expect(walked(ENDLESS, { lengthMax: 5 })).toEqual({ states: 6, asked: 0 });
    expect(walked(ENDLESS, { lengthMax: 0 })).toEqual({ states: 1, asked: 0 });
    expect(walked(ENDLESS, { lengthMax: 20 })).toEqual({ states: 21, asked: 2 });
    expect(walked(ENDLESS, { lengthMax: 20 }, 1)).toEqual({ states: 9, asked: 1 });
    expect(walked(ENDLESS, { lengthMax: 20 }, 2)).toEqual({ states: 17, asked: 2 });
  });

  it("[D8.9] are so many, each from the start, and ask at each dead end", () => {
    expect(walked("t: i -> o", { count: 3 })).toEqual({ states: 2, asked: 3 });
    expect(walked("t: i -> o", { count: 3 }, 2)).toEqual({ states: 2, asked: 2 });
    expect(walked("t: i -> o", { count: 0 })).toEqual({ states: 1, asked: 0 });
    // All that can follow the start is stored at once, what follows that on the way only.
    expect(walked(FAN, { count: 1 })).toEqual({ states: 52, asked: 1 });
    const many = walked(FAN, { count: 200 });
    expect(many.asked).toBe(200);
    expect(many.states).toBeGreaterThan(51 + 40);
  });

  it("[D8.9] end where there is no room, and are the same each time", () => {
    expect(walked(ENDLESS, { statesMax: 4 })).toEqual({ states: 4, asked: 0 });
    expect(walked(FAN, { count: 20 })).toEqual(walked(FAN, { count: 20 }));
  });
});
