/** @module From a program of blocks to a workflow: its start, its blocks, and an end for each way to finish. */
import { issue } from "../issue.ts";
import { type Arc, type DataKey, DONE, ERROR, type Outcome } from "../workflow.ts";
import { type Block, type BlockData, misuse, sequence } from "./block.ts";
import {
  type BlockGraph,
  type Frame,
  finishWith,
  makeFrame,
  openArc,
  placeBlock,
  placeNode,
  routeSpec,
} from "./block-graph.ts";
import { BuilderError } from "./builder-error.ts";
import type { DataSchemas, JsonSchemas, KeyOf } from "./data-schemas.ts";
import { makeWorkflow, type Workflow, type WorkflowTexts } from "./define-workflow.ts";
import type { Entry, EveryKey, NodeSpec } from "./node-spec.ts";

/** The label of the end to which an error leads that nothing in the program has caught. */
export const FAILED: Outcome = "failed";

/** A block that touches only keys of `D`. */
export type BlockOver<D extends DataSchemas> = Block<Entry, Outcome, KeyOf<D> | EveryKey>;

type EntriesOfBlock<B> = B extends Block<infer E, Outcome, DataKey> ? E : never;

/**
 * A workflow from a program of blocks: nodes and arcs like any other, with readable ids made from those of the blocks.
 * It starts with the keys `input`, and ends at "end" or, where a block finishes with a label, at "end." and the label.
 * An error that no route caught goes through `onError` (default nothing) to the end "failed", so every outcome of
 * every step has an arc.
 * Law (T12.1): the workflow has no issues and its net is sound, whatever the program.
 *
 * @throws BuilderError BUILD003 if a part of the program can never be reached, BUILD004 if two nodes have one id.
 * @definition D12.10
 */
export function composeWorkflow<
  D extends DataSchemas,
  B extends BlockOver<D>,
  const I extends KeyOf<D> = never,
  H extends BlockOver<D> = Block<never, never, never>,
>(
  program: WorkflowTexts & {
    readonly data?: D & JsonSchemas<D>;
    readonly input?: readonly I[];
    readonly body: B;
    readonly onError?: H;
  },
): Workflow<D, I, EntriesOfBlock<B> | EntriesOfBlock<H>> {
  const graph: BlockGraph = { nodes: [], arcs: [] };
  const frame = makeFrame(null);
  const { input } = program;
  placeNode(graph, frame, "start", routeSpec("start", input === undefined ? {} : { writes: input }), null);
  const open = placeBlock(graph, frame, program.body.block, [openArc(graph, "start", DONE)]);
  if (open.length > 0) finishWith(frame, DONE, open);
  placeFailure(graph, frame, (program.onError ?? sequence()).block);
  placeEnds(graph, frame);
  refuseRepeats(graph);
  refuseMergedVerdicts(graph);
  return makeWorkflow(program, {
    schemas: program.data as D | undefined,
    entry: "start",
    nodes: graph.nodes.map(({ id, spec, scope }) => [id, scope === null ? spec : inScope(spec, scope)]),
    // Every arc was given its target: all open ones have led to an end.
    arcs: graph.arcs as readonly Arc[],
  }) as never;
}

/** What no route caught goes through the handler; what fails in the handler is not handled again. */
function placeFailure(graph: BlockGraph, frame: Frame, handler: BlockData): void {
  const uncaught = frame.finished.get(ERROR);
  if (uncaught === undefined) return;
  frame.finished.delete(ERROR);
  const own = makeFrame(frame.scope);
  const handled = placeBlock(graph, own, handler, uncaught);
  const failed = [...handled, ...(own.finished.get(ERROR) ?? [])];
  own.finished.delete(ERROR);
  for (const [label, arcs] of own.finished) finishWith(frame, label, arcs);
  if (failed.length > 0) finishWith(frame, FAILED, failed);
}

function placeEnds(graph: BlockGraph, frame: Frame): void {
  const labels = [...frame.finished.keys()].sort((a, b) => Number(b === DONE) - Number(a === DONE));
  for (const label of labels) {
    const isDone = label === DONE;
    const spec = routeSpec("end", {}, isDone ? undefined : { outcome: label });
    placeNode(graph, frame, isDone ? "end" : `end.${label}`, spec, frame.finished.get(label) ?? []);
  }
}

function refuseRepeats(graph: BlockGraph): void {
  const seen = new Set<string>();
  const repeated = graph.nodes.filter(({ id }) => seen.size === seen.add(id).size);
  if (repeated.length === 0) return;
  throw new BuilderError(repeated.map(({ id }) => issue("BUILD004", [id], `two nodes have the id "${id}"`)));
}

/** The verdict of a loop is its verifier's alone (D21.2). */
function refuseMergedVerdicts({ nodes }: BlockGraph): void {
  const passKeys = new Set(
    nodes.map(({ spec }) => (spec.node.meta?.loop as { passKey?: string } | undefined)?.passKey),
  );
  for (const { id, spec } of nodes) {
    const verdict = Object.keys(spec.node.meta?.merge ?? {}).find((key) => passKeys.has(key));
    if (verdict !== undefined) throw misuse(id, `merges "${verdict}", which is the pass key of a loop`);
  }
}

function inScope(spec: NodeSpec, scope: string): NodeSpec {
  return { ...spec, node: { ...spec.node, scope } };
}
