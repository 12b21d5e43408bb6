import {
  applicability,
  applyMutation,
  EMPTY_MUTATION,
  foldOverlays,
  followedBy,
  graphJson,
  type Mutation,
  type Overlay,
  type ProductObject,
  productGraph,
  type StagedChange,
} from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const folded = (
  overlays: readonly Overlay[],
  staged: readonly StagedChange[],
  dropped?: readonly string[],
) => {
  const fold = foldOverlays(overlays, { staged, ...(dropped === undefined ? {} : { dropped }) });
  if (fold.kind === "refused") throw new Error(fold.issues.join());
  return fold.overlays;
};
const set = (key: string, value: number) =>
  ({ version: 1, ops: [{ kind: "set", path: [key], value }] }) as const;
const gone: Mutation = { ...EMPTY_MUTATION, delete: ["x"] };

describe("[D21.3] [D21.4] overlays", () => {
  it("[D21.3] [D21.4] come with the first change of a branch and grow with each; bases stay", () => {
    const one = folded([], [{ block: "j", branch: 1, base: { k: 1 }, patch: set("k", 2) }]);
    expect(one).toEqual([
      { block: "j", branch: 1, base: { k: 1 }, values: { k: 2 }, mutation: EMPTY_MUTATION },
    ]);
    const two = folded(one, [
      { block: "j", branch: 2, mutation: gone },
      { block: "j", branch: 1, patch: set("l", 3), mutation: gone },
    ]);
    expect(two).toEqual([
      { block: "j", branch: 1, base: { k: 1 }, values: { k: 2, l: 3 }, mutation: gone },
      { block: "j", branch: 2, base: {}, values: {}, mutation: gone },
    ]);
    expect(one).toHaveLength(1);
  });

  it("[D21.4] end with their block, all branches of it and no other", () => {
    const change = (block: string, branch: number): StagedChange => ({ block, branch, mutation: gone });
    const open = folded([], [change("j", 1), change("i", 1), change("j", 2)]);
    expect(folded(open, [], ["j"]).map(({ block }) => block)).toEqual(["i"]);
    // A step may hold back and end its block at once.
    expect(folded([], [change("j", 1)], ["j"])).toEqual([]);
    expect(folded(open, [])).toBe(open);
  });

  it("[D21.4] a patch that does not fit is refused", () => {
    const patch = { version: 1, ops: [{ kind: "set", path: ["none", "deep"], value: 1 }] } as const;
    expect(foldOverlays([], { staged: [{ block: "j", branch: 1, patch }] })).toMatchObject({
      kind: "refused",
    });
  });
});

const ids = ["a", "b", "c", "d"];
const id = fc.constantFrom(...ids);
const object = fc
  .tuple(id, fc.uniqueArray(id, { maxLength: 2 }), fc.nat(3))
  .map(([name, to, n]): ProductObject => {
    return { id: name, type: "t", payload: { n }, links: to.map((target) => ({ to: target })) };
  });
const mutation: fc.Arbitrary<Mutation> = fc.record({
  create: fc.uniqueArray(object, { selector: (one) => one.id, maxLength: 2 }),
  update: fc.array(
    fc.oneof(
      object.map(({ id: name, payload }) => ({ id: name, payload })),
      object.map(({ id: name, links }) => ({ id: name, links })),
    ),
    { maxLength: 2 },
  ),
  delete: fc.uniqueArray(id, { maxLength: 1 }),
});

/** Law D21.5. Oracle: raw application, one after the other. Generated: graphs without dangling links, two mutations. */
function followLaw(follow: typeof followedBy) {
  const seen = { met: 0 };
  fc.assert(
    fc.property(
      fc.uniqueArray(object, { selector: (one) => one.id, maxLength: 4 }),
      mutation,
      mutation,
      (list, a, b) => {
        const known = new Set(list.map((one) => one.id));
        const G = productGraph(
          list.map((one) => ({ ...one, links: one.links.filter(({ to }) => known.has(to)) })),
        );
        const between = applyMutation(G, a);
        const needs = [
          ...b.create.map((one) => one.id),
          ...[...b.create, ...b.update].flatMap(({ links = [] }) => links.map(({ to }) => to)),
        ];
        if (applicability(G, a).length + applicability(between, b).length > 0) return;
        if (needs.some((name) => a.delete.includes(name))) return;
        seen.met += 1;
        expect(graphJson(applyMutation(G, follow(a, b)))).toEqual(graphJson(applyMutation(between, b)));
      },
    ),
    { numRuns: 8_000 },
  );
  return seen;
}

describe("[D21.5] one mutation after the other", () => {
  it("[D21.5] does what both do in turn (oracle: raw application)", () => {
    expect(followLaw(followedBy).met).toBeGreaterThan(100);
  });

  it("[D21.5] the law catches the other order, and a forgotten deletion", () => {
    expect(() => followLaw((a, b) => followedBy(b, a))).toThrow();
    expect(() => followLaw((a, b) => followedBy({ ...a, delete: [] }, b))).toThrow();
  });
});
