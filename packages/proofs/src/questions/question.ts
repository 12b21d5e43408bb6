/** @module Questions about a net beyond its obligations, as data and as text. */
import { type Formula, formulaClass } from "./formula.ts";
import { parseFormula } from "./parse-formula.ts";

/** What can be asked; `docs/soundness-notions.md` sets the notions of soundness beside those of other tools. */
export type Question =
  | { readonly kind: "k-sound"; readonly k: number }
  | { readonly kind: "k-bounded"; readonly k: number }
  | {
      readonly kind:
        | "sound"
        | "generalised-sound"
        | "structurally-sound"
        | "weakly-sound"
        | "relaxed-sound"
        | "easy-sound"
        | "bounded"
        | "structurally-bounded"
        | "conservative"
        | "consistent"
        | "safe"
        | "deadlock-free"
        | "live"
        | "quasi-live"
        | "reversible"
        | "stable-place"
        | "home-marking"
        | "minimal-siphons"
        | "minimal-traps"
        | "commoner";
    }
  /** From every reachable marking one is reachable of which the predicate is true. */
  | { readonly kind: "home"; readonly formula: Formula }
  /** Always: in every reachable marking. Of CTL: in the initial marking. Of LTL: for every run. */
  | {
      readonly kind: "formula";
      readonly formula: Formula;
      readonly weak: readonly string[];
      readonly strong: readonly string[];
    };

/** The question, or what is wrong with its text and where. */
export type ParsedQuestion =
  | { readonly kind: "question"; readonly question: Question }
  | { readonly kind: "wrong"; readonly at: number; readonly message: string };

/** The names of the questions that are not formulas; `2-sound` and `3-bounded` come with any number. */
export const QUESTION_NAMES: readonly string[] = [
  "sound",
  "generalised-sound",
  "structurally-sound",
  "weakly-sound",
  "relaxed-sound",
  "easy-sound",
  "bounded",
  "structurally-bounded",
  "conservative",
  "consistent",
  "safe",
  "deadlock-free",
  "live",
  "quasi-live",
  "reversible",
  "stable-place",
  "home-marking",
  "minimal-siphons",
  "minimal-traps",
  "commoner",
];

/**
 * Parses a question: a name, `2-sound`, `3-bounded`, or a formula. After a linear formula `weak t, u` or `strong t`
 * names the fairness of transitions: `F done = 1 strong approve`. `home final`, or `home` before another predicate, asks
 * whether that can be reached again from everywhere; what is a formula with a place of that name stays one.
 */
export function parseQuestion(text: string): ParsedQuestion {
  const name = text.trim();
  if (QUESTION_NAMES.includes(name)) return { kind: "question", question: { kind: name } as Question };
  const counted = /^(\d+)-(sound|bounded)$/u.exec(name);
  if (counted !== null) {
    const k = Number(counted[1]);
    if (!Number.isSafeInteger(k) || k < 1)
      return { kind: "wrong", at: 0, message: "the number must be 1 or more" };
    return { kind: "question", question: { kind: `k-${counted[2]}` as "k-sound" | "k-bounded", k } };
  }
  const { formulaText, weak, strong } = splitFairness(text);
  const parsed = parseFormula(formulaText);
  if (parsed.kind === "wrong") return homeQuestion(text) ?? parsed;
  const { formula } = parsed;
  const kind = formulaClass(formula);
  if (kind === "mixed")
    return { kind: "wrong", at: 0, message: "operators with and without A and E do not mix" };
  if (kind !== "ltl" && weak.length + strong.length > 0)
    return { kind: "wrong", at: formulaText.length, message: "fairness belongs to a linear formula" };
  return { kind: "question", question: { kind: "formula", formula, weak, strong } };
}

/** The question after `home`; null if the text does not begin so. */
function homeQuestion(text: string): ParsedQuestion | null {
  const [start] = /^\s*home\s/u.exec(text) ?? [];
  if (start === undefined) return null;
  const parsed = parseFormula(text.slice(start.length));
  if (parsed.kind === "wrong") return { ...parsed, at: parsed.at + start.length };
  return formulaClass(parsed.formula) === "predicate"
    ? { kind: "question", question: { kind: "home", formula: parsed.formula } }
    : { kind: "wrong", at: start.length, message: "home asks a predicate, without temporal operators" };
}

function splitFairness(text: string): {
  readonly formulaText: string;
  readonly weak: readonly string[];
  readonly strong: readonly string[];
} {
  const parts = text.split(/\s(weak|strong)\s/u);
  const [formulaText = ""] = parts;
  const named: Record<"weak" | "strong", string[]> = { weak: [], strong: [] };
  for (let at = 1; at + 1 < parts.length; at += 2) {
    const ids = parts[at + 1]!.split(",")
      .map((id) => id.trim())
      .filter((id) => id !== "");
    named[parts[at] as "weak" | "strong"].push(...ids);
  }
  return { formulaText, ...named };
}
