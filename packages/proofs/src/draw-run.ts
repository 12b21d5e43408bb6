/** @module A run in text, a line a firing: what was fired, and the marking that it left. */
import {
  fire,
  type Marking,
  markedPlaces,
  type Net,
  NO_RULES,
  type NonLocalRules,
  type TransitionIndex,
} from "@tessera/core";

/**
 * The firing sequence step by step from the initial marking, for messages and terminals. Where a transition is not
 * enabled the drawing ends, and the line says what is lacking.
 */
export function drawRun(
  net: Net,
  sequence: readonly TransitionIndex[],
  rules: NonLocalRules = NO_RULES,
): string {
  const names = sequence.map((t) => nameOf(net, t));
  const width = Math.max(0, ...names.map((name) => name.length));
  const lines = [`  ${" ".repeat(width)}      ${tokens(net, net.initial)}`];
  let marking: Marking = net.initial;
  for (const [index, t] of sequence.entries()) {
    const next = fire(net, marking, t, rules);
    const head = `  ${names[index]!.padEnd(width)} ---> `;
    if (next.kind !== "fired") {
      lines.push(`${head}not enabled: ${lacking(net, next)}`);
      break;
    }
    marking = next.marking;
    lines.push(`${head}${tokens(net, marking)}`);
  }
  return lines.join("\n");
}

/** A marking as `a b=2`: marked places, with their counts where they hold several. Empty: `nothing`. */
export function tokens(net: Net, marking: Marking): string {
  const marked = Object.entries(markedPlaces(net, marking));
  return marked.length === 0
    ? "nothing"
    : marked.map(([place, count]) => (count === 1 ? place : `${place}=${count}`)).join(" ");
}

type Refusal = Exclude<ReturnType<typeof fire>, { readonly kind: "fired" }>;

function lacking(net: Net, refusal: Refusal): string {
  switch (refusal.kind) {
    case "not-enabled":
      return refusal.lacking
        .map(
          ({ place, required, present }) => `${net.places[place]?.id ?? place} has ${present} of ${required}`,
        )
        .join(", ");
    case "not-enabled-any":
      return `none of ${refusal.places.map((place) => net.places[place]?.id ?? place).join(", ")} is marked`;
    case "not-permitted":
      return `the rule ${refusal.rule} does not permit it`;
  }
}

function nameOf(net: Net, t: TransitionIndex): string {
  const transition = net.transitions[t];
  if (transition === undefined) return String(t);
  return transition.label === undefined ? transition.id : `${transition.id} (${transition.label})`;
}
