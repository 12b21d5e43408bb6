/** @module The short-circuited form of a free-choice net as the checker of the rank theorem sees it. */
import type { Net, PlaceIndex } from "@tessera/core";

/** What the theorem speaks of: columns of the incidence matrix, the last one leads from the sink to the start. */
export interface ClosedMatrix {
  readonly columns: readonly (readonly number[])[];
  readonly clusters: number;
  readonly sink: PlaceIndex;
}

/** The dense columns of the short-circuited net, its clusters, source and sink; or why the theorem does not apply. */
export function closedMatrix(net: Net): ClosedMatrix | string {
  const { places, transitions, initial, finals } = net;
  if (transitions.some((t) => t.any.length > 0 || t.reset.length > 0 || t.rule !== undefined))
    return "not plain";
  if (transitions.some((t) => [...t.pre, ...t.post].some(([, weight]) => weight !== 1))) return "not plain";
  if (initial.some((tokens) => tokens > 1)) return "a place starts with several tokens";
  const sink = finals.kind === "ends" && finals.ends.length === 1 ? (finals.ends[0] ?? -1) : -1;
  if (sink < 0 || transitions.some((t) => t.pre.some(([place]) => place === sink))) return "no sink";
  const presets = new Map<PlaceIndex, string>();
  for (const { pre } of transitions) {
    const preset = [...pre.map(([place]) => place)].sort((a, b) => a - b).join();
    for (const [place] of pre) if ((presets.get(place) ?? preset) !== preset) return "not free-choice";
    for (const [place] of pre) presets.set(place, preset);
  }
  presets.set(sink, String(sink));
  if (!isConnected(net)) return "not connected";
  const withInputs = new Set(presets.values()).size;
  const lone = places.length - presets.size + transitions.filter((t) => t.pre.length === 0).length;
  const columns = transitions.map(({ pre, post }) => {
    const column = places.map(() => 0);
    for (const [place] of pre) column[place]! -= 1;
    for (const [place] of post) column[place]! += 1;
    return column;
  });
  const back = initial.map((tokens, place) => tokens - (place === sink ? 1 : 0));
  return { columns: [...columns, back], clusters: withInputs + lone, sink };
}

function isConnected({ places, transitions }: Net): boolean {
  const groups = places.map((_, place) => place);
  const find = (place: PlaceIndex): PlaceIndex => (groups[place] === place ? place : find(groups[place]!));
  for (const { pre, post } of transitions) {
    const nodes = [...pre, ...post].map(([place]) => place);
    for (const place of nodes) groups[find(place)] = find(nodes[0]!);
    if (nodes.length === 0) return false;
  }
  return new Set(places.map((_, place) => find(place))).size === 1;
}

/** Is every place and transition on a path from a place marked at the start to `sink`? */
export function isOnPaths({ places, transitions, initial }: Net, sink: PlaceIndex): boolean {
  const reach = (from: readonly PlaceIndex[], isForth: boolean) => {
    const seen = new Set(from);
    for (const place of seen) {
      for (const { pre, post } of transitions) {
        const [before, after] = isForth ? [pre, post] : [post, pre];
        if (before.some(([p]) => p === place)) for (const [next] of after) seen.add(next);
      }
    }
    return seen;
  };
  const starts = [...places.keys()].filter((place) => initial[place] === 1);
  const [after, before] = [reach(starts, true), reach([sink], false)];
  const isMet = places.every((_, place) => after.has(place) && before.has(place));
  return isMet && transitions.every(({ pre, post }) => pre.length > 0 && post.length > 0);
}
