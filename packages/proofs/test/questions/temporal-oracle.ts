/** @module What formulas are true of, told from the clauses: nothing shared with labelling, automata or products. */
import type { Net } from "@tessera/core";
import type { Formula } from "../../src/questions/formula.ts";
import type { StateGraph } from "../../src/questions/graph.ts";
import type { Fairness, Lasso } from "../../src/questions/ltl.ts";
import { successorsOf } from "../oracle.ts";

/** A graph as a net: a place for each state, one token, which begins in state 0. */
export function drawnGraph(states: number, edges: readonly (readonly [from: number, to: number])[]): Net {
  return {
    places: Array.from({ length: states }, (_, p) => ({ id: `p${p}`, role: "control" })),
    transitions: edges.map(([from, to], t) => ({
      id: `t${t}`,
      pre: [[from, 1]],
      any: [],
      post: [[to, 1]],
      reset: [],
    })),
    initial: Array.from({ length: states }, (_, p) => (p === 0 ? 1 : 0)),
    finals: { kind: "ends", ends: [states - 1] },
  };
}

const holdsAt = (M: readonly number[], isDead: boolean, f: Formula): boolean => {
  if (f.kind === "deadlock") return isDead;
  if (f.kind === "compare") return (M[Number(f.left.terms[0]![0].slice(1))] ?? 0) > f.right.constant;
  return f.kind === "true";
};

/** CTL by the fixed points of its clauses, over sets of keys: nothing shared with labelling. */
export function satisfyingKeys(
  graph: ReadonlyMap<string, readonly { next: string }[]>,
  f: Formula,
): Set<string> {
  const keys = [...graph.keys()];
  const all = new Set(keys);
  const next = (key: string) => graph.get(key)!.map((edge) => edge.next);
  const pick = (test: (key: string) => boolean) => new Set(keys.filter(test));
  const fix = (from: Set<string>, step: (now: Set<string>) => Set<string>): Set<string> => {
    const after = step(from);
    return after.size === from.size ? from : fix(after, step);
  };
  const of = (part: Formula) => satisfyingKeys(graph, part);
  switch (f.kind) {
    case "not": {
      const p = of(f.of);
      return pick((key) => !p.has(key));
    }
    case "and":
    case "or":
    case "implies": {
      const [p, q] = [of(f.left), of(f.right)];
      return pick((key) =>
        f.kind === "and"
          ? p.has(key) && q.has(key)
          : f.kind === "or"
            ? p.has(key) || q.has(key)
            : !p.has(key) || q.has(key),
      );
    }
    case "X": {
      const p = of(f.of);
      return pick((key) =>
        f.path === "E" ? next(key).some((to) => p.has(to)) : next(key).every((to) => p.has(to)),
      );
    }
    case "F":
    case "U": {
      const [p, q] = f.kind === "U" ? [of(f.left), of(f.right)] : [all, of(f.of)];
      return fix(q, (now) =>
        pick((key) => {
          if (now.has(key)) return true;
          const after = next(key);
          if (!p.has(key) || after.length === 0) return false;
          return f.path === "E" ? after.some((to) => now.has(to)) : after.every((to) => now.has(to));
        }),
      );
    }
    case "G": {
      const p = of(f.of);
      return fix(p, (now) =>
        pick((key) => {
          if (!now.has(key)) return false;
          const after = next(key);
          if (after.length === 0) return true;
          return f.path === "E" ? after.some((to) => now.has(to)) : after.every((to) => now.has(to));
        }),
      );
    }
    default:
      return pick((key) => holdsAt(JSON.parse(key) as number[], next(key).length === 0, f));
  }
}

/** The tokens of a state, by place. */
export function markings({ space }: StateGraph, state: number): number[] {
  return Array.from(
    { length: space.store.placeCount },
    (_, p) => space.store.cells[state * space.store.stride + p]!,
  );
}

/** Is a linear formula true of the word whose letters 0 .. n - 1 are followed by `back` again? By fixed points over positions. */
export function isTrueOf(
  word: readonly { M: readonly number[]; isDead: boolean }[],
  back: number,
  f: Formula,
): boolean {
  const after = (at: number) => (at + 1 < word.length ? at + 1 : back);
  const positions = word.map((_, at) => at);
  const value = (g: Formula): boolean[] => {
    switch (g.kind) {
      case "not":
        return value(g.of).map((is) => !is);
      case "and":
      case "or":
      case "implies": {
        const [p, q] = [value(g.left), value(g.right)];
        return positions.map((at) =>
          g.kind === "and" ? p[at]! && q[at]! : g.kind === "or" ? p[at]! || q[at]! : !p[at]! || q[at]!,
        );
      }
      case "X": {
        const p = value(g.of);
        return positions.map((at) => p[after(at)]!);
      }
      case "F":
      case "G":
      case "U": {
        const p = g.kind === "U" ? value(g.left) : positions.map(() => true);
        const q = g.kind === "U" ? value(g.right) : value(g.of).map((is) => (g.kind === "G" ? !is : is));
        const eventually = positions.map((start) => {
          let at = start;
          for (let step = 0; step <= 2 * word.length; step += 1) {
            if (q[at]!) return true;
            if (!p[at]!) return false;
            at = after(at);
          }
          return false;
        });
        return g.kind === "G" ? eventually.map((is) => !is) : eventually;
      }
      default:
        return word.map(({ M, isDead }) => holdsAt(M, isDead, g));
    }
  };
  return value(f)[0]!;
}

/** A run: one more marking than firings, unless it is a loop whose last marking is left out. */
export interface Path {
  readonly markings: readonly (readonly number[])[];
  readonly fired: readonly number[];
}

/** All lassos of at most `length` firings, as words; runs that end repeat their last letter. */
export function* lassos(net: Net, length: number): Generator<{ path: Path; back: number }> {
  const stack: Path[] = [{ markings: [net.initial], fired: [] }];
  for (let path = stack.pop(); path !== undefined; path = stack.pop()) {
    const last = path.markings.at(-1)!;
    const steps = successorsOf(net, last);
    if (steps.length === 0) yield { path, back: path.markings.length - 1 };
    for (const { t, next } of steps) {
      const at = path.markings.findIndex((M) => JSON.stringify(M) === JSON.stringify(next));
      const fired = [...path.fired, t];
      if (at >= 0) yield { path: { markings: path.markings, fired }, back: at };
      if (path.markings.length < length) stack.push({ markings: [...path.markings, next], fired });
    }
  }
}

export const letters = (net: Net, path: Path) =>
  path.markings.map((M) => ({ M, isDead: successorsOf(net, M).length === 0 }));

/** Is the run of the lasso fair? Only the loop matters. */
export function isFair(net: Net, path: Path, back: number, { weak, strong }: Fairness): boolean {
  const loop = path.markings.slice(back);
  const fired = path.fired.slice(back);
  const isOn = (M: readonly number[], t: number) => successorsOf(net, M).some((step) => step.t === t);
  return (
    weak.every((t) => fired.includes(t) || loop.some((M) => !isOn(M, t))) &&
    strong.every((t) => fired.includes(t) || loop.every((M) => !isOn(M, t)))
  );
}

/** The lasso as a word. */
export function wordOf(net: Net, { stem, loop }: Lasso): { path: Path; back: number } {
  const markings: (readonly number[])[] = [net.initial];
  for (const t of [...stem, ...loop])
    markings.push(successorsOf(net, markings.at(-1)!).find((step) => step.t === t)!.next);
  return {
    path: { markings: loop.length === 0 ? markings : markings.slice(0, -1), fired: [...stem, ...loop] },
    back: stem.length,
  };
}
