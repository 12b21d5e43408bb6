/** @module Claims that rest on a run with values: it is played, and what is wrong looked for where it ends. */
import { isFinal, unreachable } from "@tessera/core";
import type { DataEvidence, DataFinding, DataObligationId } from "../data-level/data-verdicts.ts";
import type { Domain } from "../data-level/domain.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";
import type { CaseWorld } from "./data-cases.ts";
import type { Frame, PlainState } from "./data-frame.ts";
import type { PlainStep } from "./data-leave.ts";
import { replayData, stepsWith } from "./data-replay.ts";
import { isCaseOf, isSeen } from "./data-same.ts";
import { isLost, isTrap, type Product } from "./data-sets.ts";
import { stepsAt } from "./data-steps.ts";

/** What a checker has of a workflow; cases and product are built when they are asked for. */
export interface Setting {
  readonly frame: Frame;
  readonly domain: Domain;
  readonly cases: () => CaseWorld;
  readonly product: () => Product | Checked;
}

/** Valid where there is no trouble. */
export function said(trouble: string | null): Checked {
  return trouble === null ? VALID : invalid(trouble);
}

type RunEvidence = Extract<DataEvidence, { readonly kind: "data-run" }>;

const AGAINST: Readonly<Record<DataFinding["kind"], readonly DataObligationId[]>> = {
  gap: ["O5"],
  stuck: ["deadlock"],
  "no-completion": ["O1", "O7"],
  "second-token": ["O2"],
  unsafe: ["O4"],
};

/** Is the run one, and does it end in what is found there, against `id`? */
export function checkRunClaim(
  { frame, domain, cases, product }: Setting,
  id: DataObligationId,
  { run, finding }: RunEvidence,
): Checked {
  if (!AGAINST[finding.kind].includes(id)) return invalid(`${finding.kind} is no evidence against ${id}`);
  const played = replayData(frame, domain, run);
  if (played.kind !== "end") return played;
  const { end } = played;
  const { net } = frame.program;
  const tokens = (place: number) => end.marking[place] ?? 0;
  switch (finding.kind) {
    case "second-token": {
      const isEnd = net.finals.kind === "ends" && net.finals.ends.includes(finding.place);
      return said(isEnd && tokens(finding.place) > 1 ? null : "no second token on an end");
    }
    case "unsafe": {
      const isControl = net.places[finding.place]?.role === "control";
      return said(isControl && tokens(finding.place) > 1 ? null : "the place is safe there");
    }
    case "gap": {
      const { node, outcome, answer, data } = finding;
      const steps = stepsWith(frame, domain, end, node, outcome, answer) ?? [];
      const isGap = steps.some((step) => step.gap === "all" && isSeen(domain, step.data, data));
      return said(isGap ? null : "an arc can be taken");
    }
    case "stuck":
      return said(stuckTrouble(domain, cases(), end));
    case "no-completion": {
      const all = product();
      return "may" in all ? said(lostTrouble(domain, all, end, id, finding)) : all;
    }
    default:
      return unreachable(finding);
  }
}

type NoCompletion = Extract<DataFinding, { readonly kind: "no-completion" }>;

/** Why it is not so that nothing can happen at the end of the run; null if it is. Every case of its data must show it. */
function stuckTrouble(
  domain: Domain,
  { cases, world }: CaseWorld,
  { marking, data, open }: PlainState,
): string | null {
  if (isFinal(world.program.net, marking)) return "the run is complete";
  const own = cases.filter((given) => isCaseOf(domain, given, data));
  if (own.length === 0) return "no case stands for the data";
  const steps = own.flatMap((given) => stepsAt(world, { marking, data: given, open }));
  const isRefused = ({ results, isProvision }: PlainStep) =>
    isProvision || results.every(({ kind }) => kind === "refused");
  return steps.every(isRefused) ? null : "something can happen";
}

/** Why it is not so that completion is out of reach; null if it is. One of the cases of the data stands for them. */
function lostTrouble(
  domain: Domain,
  product: Product,
  { marking, data, open }: PlainState,
  id: DataObligationId,
  finding: NoCompletion,
): string | null {
  const own = product.states.flatMap((state, index) =>
    state.marking.join() === marking.join() &&
    state.open.join() === open.join() &&
    isCaseOf(domain, state.data, data)
      ? [index]
      : [],
  );
  if (own.length === 0) return "the end of the run is no state";
  const isBad = id === "O7" ? isTrap : isLost;
  if (!own.every((state) => isBad(product, state))) return "the run can complete";
  return own.some((state) => isShape(product, state, finding)) ? null : "not so many states follow";
}

function isShape(product: Product, state: number, { size, cycle }: NoCompletion): boolean {
  const next = product.nextFrom(state);
  const nodes = new Set([...next].flatMap((one) => product.nextAt(one).map(({ node }) => node)));
  const isResting = [...next].some((one) => product.nextAt(one).every(({ isBeside }) => isBeside === true));
  return next.size === size && cycle.every((node) => nodes.has(node)) && (cycle.length === 0) === isResting;
}
