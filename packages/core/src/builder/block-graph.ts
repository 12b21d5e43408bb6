/** @module From blocks to nodes and arcs: each kind of block adds its nodes and says which arcs are still open. */
import { unreachable } from "../invariant.ts";
import type { JsonObject } from "../json.ts";
import { DONE, ERROR, type NodeId, type Outcome, type WorkflowNode } from "../workflow.ts";
import { type BlockData, type HoldData, type LoopData, misuse } from "./block.ts";
import { branchLabelsOf, labelsOf, unroutedLabel } from "./block-labels.ts";
import type { Guard } from "./guard.ts";
import { closerMeta, refuseHeld } from "./holding.ts";
import type { NodeSpec } from "./node-spec.ts";

/** An arc that leaves its node and has no target yet. Its place in the order of arcs is taken when it is opened. */
export interface OpenArc {
  readonly from: NodeId;
  readonly outcome?: Outcome;
  readonly guard?: Guard;
  readonly default?: true;
  to?: NodeId;
}

/** A node of the graph under construction. */
interface PlacedNode {
  readonly id: NodeId;
  readonly spec: NodeSpec;
  readonly scope: NodeId | null;
}

/** The graph under construction; lists grow in document order. */
export interface BlockGraph {
  readonly nodes: PlacedNode[];
  readonly arcs: OpenArc[];
}

/** Where blocks are placed: the embedded subprocess around them, and the arcs that finish it by label. */
export interface Frame {
  readonly scope: NodeId | null;
  readonly finished: Map<Outcome, OpenArc[]>;
}

/** A frame inside `scope` (null: the top) in which nothing has finished. */
export function makeFrame(scope: NodeId | null): Frame {
  return { scope, finished: new Map() };
}

/** Adds arcs to those that finish `frame` with `label`. */
export function finishWith(frame: Frame, label: Outcome, arcs: readonly OpenArc[]): void {
  const known = frame.finished.get(label);
  if (known === undefined) frame.finished.set(label, [...arcs]);
  else known.push(...arcs);
}

/**
 * Places `block` behind the open arcs `entry` and returns the arcs that are open behind it; none: it never goes on.
 *
 * @throws BuilderError BUILD003 if a part can never be reached, or a branch never goes on.
 * @definition D12.9
 */
export function placeBlock(
  graph: BlockGraph,
  frame: Frame,
  block: BlockData,
  entry: readonly OpenArc[],
): readonly OpenArc[] {
  switch (block.kind) {
    case "finish":
      finishWith(frame, block.label, entry);
      return [];
    case "sequence": {
      let open = entry;
      for (const part of block.blocks) open = placeBlock(graph, frame, part, open);
      return open;
    }
    case "step":
      return placeStep(graph, frame, block, entry);
    case "choice":
      return placeChoice(graph, frame, block, entry);
    case "parallel":
    case "inclusive":
      return placeBranches(graph, frame, block, entry);
    case "loop":
      return placeLoop(graph, frame, block, entry);
    case "subprocess":
      return placeSubprocess(graph, frame, block, entry);
    default:
      return unreachable(block);
  }
}

type BlockOf<K extends BlockData["kind"]> = Extract<BlockData, { readonly kind: K }>;

function placeStep(
  graph: BlockGraph,
  frame: Frame,
  { id, spec, routes }: BlockOf<"step">,
  entry: readonly OpenArc[],
): readonly OpenArc[] {
  placeNode(graph, frame, id, spec, entry);
  const leaving = spec.outcomes.map((outcome) => [outcome, openArc(graph, id, outcome)] as const);
  return leaving.flatMap(([outcome, arc]) => routeOutcome(graph, frame, id, routes, outcome, arc));
}

/** By its route; else a failure finishes, done goes on, and any other outcome should have had a route. */
function routeOutcome(
  graph: BlockGraph,
  frame: Frame,
  id: NodeId,
  routes: ReadonlyMap<Outcome, BlockData>,
  outcome: Outcome,
  arc: OpenArc,
): readonly OpenArc[] {
  const route = routes.get(outcome);
  if (route !== undefined) return placeBlock(graph, frame, route, [arc]);
  if (outcome === DONE) return [arc];
  const label = unroutedLabel(outcome);
  if (label === undefined) throw misuse(id, `does not say what follows its outcome "${outcome}"`);
  finishWith(frame, label, [arc]);
  return [];
}

function placeChoice(
  graph: BlockGraph,
  frame: Frame,
  { id, branches, otherwise }: BlockOf<"choice">,
  entry: readonly OpenArc[],
): readonly OpenArc[] {
  placeNode(graph, frame, id, routeSpec("decision", {}), entry);
  const guarded = branches.map(({ guard }) => openArc(graph, id, DONE, { guard }));
  const last = openArc(graph, id, DONE, { default: true });
  const open = branches.flatMap(({ block }, i) => placeBlock(graph, frame, block, guarded.slice(i, i + 1)));
  return [...open, ...placeBlock(graph, frame, otherwise, [last])];
}

/**
 * Branches at the same time. If one may finish instead of going on, the block becomes an embedded subprocess: the
 * branch leads to a terminate end, which takes the tokens of the other branches away.
 */
function placeBranches(
  graph: BlockGraph,
  frame: Frame,
  block: BlockOf<"parallel" | "inclusive">,
  entry: readonly OpenArc[],
): readonly OpenArc[] {
  const { id, hold } = block;
  const inside = forkBranches(block).map((branch) => branch.block);
  if (hold !== null) refuseHeld(`${id}.join`, hold, inside);
  const labels = [...labelsOf(block)];
  if (branchLabelsOf(block).size === 0) return placeFork(graph, frame, block, entry);
  // At the border done says that all branches are done.
  if (labels.includes(DONE)) throw misuse(id, `finishes with "${DONE}" inside: choose another label`);
  placeNode(graph, frame, id, scopeSpec(`${id}.split`, [DONE, ...labels]), entry);
  const inner = makeFrame(id);
  placeNode(graph, inner, `${id}.done`, routeSpec("end", {}), placeFork(graph, inner, block, null));
  // When a refusal finishes nothing else is left inside.
  for (const [label, arcs] of inner.finished)
    placeNode(graph, inner, `${id}.rejected.${label}`, routeSpec("end", {}, { outcome: label }), arcs);
  const goesOn = openArc(graph, id, DONE);
  for (const label of labels) finishWith(frame, label, [openArc(graph, id, label)]);
  return [goesOn];
}

interface ForkBranch {
  readonly block: BlockData;
  readonly condition: { readonly guard?: Guard; readonly default?: true };
}

/** The fork, its branches and the join. */
function placeFork(
  graph: BlockGraph,
  frame: Frame,
  block: BlockOf<"parallel" | "inclusive">,
  entry: readonly OpenArc[] | null,
): readonly OpenArc[] {
  const { id } = block;
  const rule = block.kind === "parallel" ? "all" : "or";
  placeNode(graph, frame, `${id}.split`, routeSpec("gateway", { split: rule }), entry);
  const branches = forkBranches(block);
  const forks = branches.map(({ condition }) => openArc(graph, `${id}.split`, DONE, condition));
  const joining = branches.map((branch, i) =>
    placeBranch(graph, frame, id, i, branch.block, forks.slice(i, i + 1)),
  );
  const { hold } = block;
  const meta = hold === null ? undefined : closerMeta(hold);
  placeNode(graph, frame, `${id}.join`, routeSpec("gateway", { join: rule }, meta), joining);
  const goesOn = openArc(graph, `${id}.join`, DONE);
  return hold === null ? [goesOn] : [goesOn, ...placeRejected(graph, frame, `${id}.join`, hold)];
}

/** What follows where the join refuses what the branches held back; without a block for it the block finishes. */
function placeRejected(
  graph: BlockGraph,
  frame: Frame,
  join: NodeId,
  { rejected }: HoldData,
): readonly OpenArc[] {
  const arc = openArc(graph, join, ERROR);
  if (rejected !== null) return placeBlock(graph, frame, rejected, [arc]);
  finishWith(frame, ERROR, [arc]);
  return [];
}

function forkBranches(block: BlockOf<"parallel" | "inclusive">): readonly ForkBranch[] {
  if (block.kind === "parallel") return block.branches.map((branch) => ({ block: branch, condition: {} }));
  const guarded = block.branches.map(({ block: branch, guard }) => ({ block: branch, condition: { guard } }));
  return [...guarded, { block: block.otherwise, condition: { default: true } }];
}

/** A branch enters its join by one arc, and has terminate ends of its own: branches of an OR block share no node. */
function placeBranch(
  graph: BlockGraph,
  frame: Frame,
  id: NodeId,
  index: number,
  branch: BlockData,
  fork: readonly OpenArc[],
): OpenArc {
  const name = `${id}.${index + 1}`;
  const own = makeFrame(frame.scope);
  const open = placeBlock(graph, own, branch, fork);
  for (const [label, arcs] of own.finished) {
    const end = routeSpec("end", {}, { outcome: label, terminate: true });
    placeNode(graph, frame, `${name}.${label}`, end, arcs);
  }
  const [first, second] = open;
  if (first === undefined) throw misuse(id, `never goes on: branch ${index + 1} always finishes`);
  // An empty branch gets a node as well: two of them would be the same arc twice.
  if (second === undefined && first !== fork[0]) return first;
  placeNode(graph, frame, `${name}.merge`, routeSpec("gateway", {}), open);
  return openArc(graph, `${name}.merge`, DONE);
}

function placeLoop(
  graph: BlockGraph,
  frame: Frame,
  loop: LoopData,
  entry: readonly OpenArc[],
): readonly OpenArc[] {
  const { id, budget, proves, isStaged, verify, repair } = loop;
  if (verify.kind !== "step" || verify.spec.node.kind !== "verifier") {
    throw misuse(id, "has no single verifier step to judge it");
  }
  if (budget === 0 && !isNothing(repair)) throw misuse(id, "has a repair that never runs: its budget is 0");
  if (isStaged) {
    const hold = { isStaged, merge: null, rejected: null };
    refuseHeld(id, hold, [loop.body, verify, repair]);
  }
  const body: NodeId[] = [];
  const first = graph.nodes.length;
  placeNode(graph, frame, `${id}.again`, routeSpec("gateway", {}), entry);
  const done = placeBlock(graph, frame, loop.body, [openArc(graph, `${id}.again`, DONE)]);
  const judged = placeBlock(graph, frame, verify, done);
  body.push(...idsIn(graph, frame, first));
  const passKey = verify.spec.node.meta?.passKey ?? "";
  const meta = { id, budget, passKey, proves, body, ...(isStaged ? { stage: true } : {}) };
  placeNode(graph, frame, id, routeSpec("decision", {}, { loop: meta as unknown as JsonObject }), judged);
  const pass = openArc(graph, id, "pass");
  const fail = budget === 0 ? [] : [openArc(graph, id, "fail")];
  const exhausted = openArc(graph, id, "exhausted");
  finishWith(frame, ERROR, [openArc(graph, id, ERROR)]);
  if (fail.length > 0) {
    const beforeRepair = graph.nodes.length;
    const repaired = placeBlock(graph, frame, repair, fail);
    if (repaired.length === 0) throw misuse(id, "never repeats: its repair always finishes");
    connect(repaired, `${id}.again`);
    body.push(...idsIn(graph, frame, beforeRepair));
  }
  return [pass, ...placeBlock(graph, frame, loop.exhausted, [exhausted])];
}

function isNothing(block: BlockData): boolean {
  return block.kind === "sequence" && block.blocks.every(isNothing);
}

/** The nodes placed since `first` in the frame's own scope: what lies deeper belongs to them. */
function idsIn(graph: BlockGraph, frame: Frame, first: number): readonly NodeId[] {
  return graph.nodes
    .slice(first)
    .filter(({ scope }) => scope === frame.scope)
    .map(({ id }) => id);
}

function placeSubprocess(
  graph: BlockGraph,
  frame: Frame,
  { id, body, routes }: BlockOf<"subprocess">,
  entry: readonly OpenArc[],
): readonly OpenArc[] {
  if (entry.length === 0) throw unreached(id);
  const at = graph.nodes.length;
  const inner = makeFrame(id);
  placeNode(graph, inner, `${id}.start`, routeSpec("start", {}), null);
  const open = placeBlock(graph, inner, body, [openArc(graph, `${id}.start`, DONE)]);
  if (open.length > 0) finishWith(inner, DONE, open);
  const outcomes = [...inner.finished.keys()].sort((a, b) => Number(b === DONE) - Number(a === DONE));
  for (const label of outcomes) {
    const end = routeSpec("end", {}, label === DONE ? undefined : { outcome: label });
    placeNode(
      graph,
      inner,
      label === DONE ? `${id}.end` : `${id}.end.${label}`,
      end,
      inner.finished.get(label) ?? [],
    );
  }
  // The border stands before its content, as a reader expects.
  graph.nodes.splice(at, 0, { id, spec: scopeSpec(`${id}.start`, outcomes), scope: frame.scope });
  connect(entry, id);
  const stray = [...routes.keys()].filter(
    (label) => !inner.finished.has(label) && label !== ERROR && label !== DONE,
  );
  if (stray.length > 0) throw misuse(id, `never finishes with "${stray[0]}"`);
  const leaving = outcomes.map((outcome) => [outcome, openArc(graph, id, outcome)] as const);
  return leaving.flatMap(([outcome, arc]) => routeOutcome(graph, frame, id, routes, outcome, arc));
}

/** Places one node behind `entry`; null: a scope begins with it, so no arc leads there. */
export function placeNode(
  graph: BlockGraph,
  frame: Frame,
  id: NodeId,
  spec: NodeSpec,
  entry: readonly OpenArc[] | null,
): void {
  if (entry?.length === 0) throw unreached(id);
  graph.nodes.push({ id, spec, scope: frame.scope });
  connect(entry ?? [], id);
}

/** Opens an arc: it takes its place in the order of arcs now. */
export function openArc(
  graph: BlockGraph,
  from: NodeId,
  outcome: Outcome,
  condition: { readonly guard?: Guard; readonly default?: true } = {},
): OpenArc {
  const arc: OpenArc = { from, ...(outcome === DONE ? {} : { outcome }), ...condition };
  graph.arcs.push(arc);
  return arc;
}

function connect(arcs: readonly OpenArc[], to: NodeId): void {
  for (const arc of arcs) arc.to = to;
}

/** A node without a body. */
export function routeSpec(kind: string, members: Partial<WorkflowNode>, meta?: JsonObject): NodeSpec {
  return {
    node: { kind, ...members, ...(meta === undefined ? {} : { meta }) },
    outcomes: [],
    handler: "route",
  };
}

function scopeSpec(entry: NodeId, outcomes: readonly Outcome[]): NodeSpec {
  return routeSpec("subprocess", {}, { entry, outcomes });
}

/** BUILD003 as well: a part of the program cannot be reached. */
function unreached(id: NodeId): ReturnType<typeof misuse> {
  return misuse(id, "can never be reached: everything before it finishes");
}
