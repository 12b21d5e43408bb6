/** @module The block layer of the builder: programs of blocks, sound by construction. */
import { issue } from "../issue.ts";
import type { DataKey, NodeId, Outcome } from "../workflow.ts";
import { BuilderError } from "./builder-error.ts";
import type { Guard } from "./guard.ts";
import type { MergeOption, MergeOptions, StageOptions } from "./hold-options.ts";
import type { Exact } from "./node-options.ts";
import type { Entry, HandlerKind, NodeSpec, OutcomesOf, ReadsOf, WritesOf } from "./node-spec.ts";
import { type CallOptions, called } from "./wait-nodes.ts";

/** A branch of a choice or an inclusive block: taken if its guard holds. */
interface GuardedBlock {
  readonly guard: Guard;
  readonly block: BlockData;
}

/**
 * A program of blocks, as data. `routes` say which block follows an outcome.
 *
 * @definition D12.7
 */
export type BlockData =
  | {
      readonly kind: "step";
      readonly id: NodeId;
      readonly spec: NodeSpec;
      readonly routes: ReadonlyMap<Outcome, BlockData>;
    }
  | { readonly kind: "sequence"; readonly blocks: readonly BlockData[] }
  | ({ readonly kind: "choice" } & GuardedBlocks)
  | ({ readonly kind: "inclusive"; readonly hold: HoldData | null } & GuardedBlocks)
  | {
      readonly kind: "parallel";
      readonly id: NodeId;
      readonly branches: readonly BlockData[];
      readonly hold: HoldData | null;
    }
  | LoopData
  | {
      readonly kind: "subprocess";
      readonly id: NodeId;
      readonly body: BlockData;
      readonly routes: ReadonlyMap<Outcome, BlockData>;
    }
  | { readonly kind: "finish"; readonly label: Outcome };

/** Branches with guards, and what happens if none holds. */
interface GuardedBlocks {
  readonly id: NodeId;
  readonly branches: readonly GuardedBlock[];
  readonly otherwise: BlockData;
}

/** A governed loop: body, then the verifier, until it says true or the budget of repeats is used up. */
export interface LoopData {
  readonly kind: "loop";
  readonly id: NodeId;
  readonly budget: number;
  readonly proves: string;
  readonly isStaged: boolean;
  readonly body: BlockData;
  readonly verify: BlockData;
  readonly repair: BlockData;
  readonly exhausted: BlockData;
}

/**
 * A block. At type level: the nodes in it, the labels with which it may finish, the keys of D that it touches.
 */
export interface Block<E extends Entry = Entry, L extends Outcome = Outcome, K extends DataKey = DataKey> {
  readonly block: BlockData;
  /** Exists for the type checker only. */
  readonly "~types"?: { readonly entries: E; readonly labels: L; readonly keys: K };
}

type EntriesIn<B> = B extends Block<infer E, Outcome, DataKey> ? E : never;
type LabelsIn<B> = B extends Block<Entry, infer L, DataKey> ? L : never;
type KeysIn<B> = B extends Block<Entry, Outcome, infer K> ? K : never;
/** The block that is made of the blocks `B`. */
type Union<B> = Block<EntriesIn<B>, LabelsIn<B>, KeysIn<B>>;

/** Outcomes that need no route: done goes on, error and cancelled finish with the label error. */
export type QuietOutcome = "done" | "error" | "cancelled";

/** What follows the outcomes of a step: a block for each, but for the quiet ones where the usual is meant. */
export type Routes<O extends Outcome> = { readonly [X in Exclude<O, QuietOutcome>]: Block } & {
  readonly [X in Extract<O, QuietOutcome>]?: Block;
};

/** A node that a block can place: it has a body or rests, and no routing of its own. */
export type StepSpec<O extends Outcome = Outcome> = NodeSpec<
  O,
  DataKey,
  DataKey,
  Exclude<HandlerKind, "route">,
  never
>;

type RoutedStep<I extends NodeId, S extends NodeSpec, R> = Block<
  Entry<I, S> | EntriesIn<R[keyof R]>,
  LabelsIn<R[keyof R]>,
  ReadsOf<S> | WritesOf<S> | KeysIn<R[keyof R]>
>;

/** Refuses routes of outcomes that the step does not have. */
type NoStrayRoutes<R, O> = Readonly<Record<Exclude<keyof R, O>, never>>;

/**
 * One node. `routes` say what follows its outcomes; all but done, error and cancelled must be among them, so that a
 * rejection never goes on as if it were an approval. After a route the program goes on behind the step.
 */
export function step<const I extends NodeId, S extends StepSpec<QuietOutcome>>(
  id: I,
  spec: S,
): RoutedStep<I, S, Readonly<Record<never, never>>>;
export function step<const I extends NodeId, S extends StepSpec, R extends Routes<OutcomesOf<S>>>(
  id: I,
  spec: S,
  routes: R & NoStrayRoutes<R, OutcomesOf<S>>,
): RoutedStep<I, S, R>;
export function step(id: NodeId, spec: NodeSpec, routes: Readonly<Record<Outcome, Block>> = {}): Block {
  const { join, split, scope } = spec.node;
  if (spec.handler === "route" || join !== undefined || split !== undefined || scope !== undefined) {
    throw misuse(id, "routes by itself: a block places its gateways, joins and splits");
  }
  return { block: { kind: "step", id, spec, routes: routesOf(id, spec.outcomes, routes) } };
}

type Called<C extends CallOptions> = ReturnType<typeof called<C>>;

/** A run of another workflow as a step. */
export function call<
  const I extends NodeId,
  const C extends CallOptions & { readonly outcomes?: readonly QuietOutcome[] },
>(id: I, options: C & Exact<C, CallOptions>): RoutedStep<I, Called<C>, Readonly<Record<never, never>>>;
export function call<
  const I extends NodeId,
  const C extends CallOptions,
  R extends Routes<OutcomesOf<Called<C>>>,
>(
  id: I,
  options: C & Exact<C, CallOptions>,
  routes: R & NoStrayRoutes<R, OutcomesOf<Called<C>>>,
): RoutedStep<I, Called<C>, R>;
export function call(id: NodeId, options: CallOptions, routes: Readonly<Record<Outcome, Block>> = {}): Block {
  return step(id, called(options) as StepSpec, routes);
}

/** One block after the other; without any, nothing: the program goes on. */
export function sequence<const B extends readonly Block[]>(...blocks: B): Union<B[number]> {
  return { block: { kind: "sequence", blocks: blocks.map(({ block }) => block) } };
}

/** Nothing: the program goes on. */
export function nothing(): Block<never, never, never> {
  return sequence();
}

/** Ends the workflow, or the subprocess around it, with `label`. */
export function finish<const L extends Outcome>(label: L): Block<never, L, never> {
  return { block: { kind: "finish", label } };
}

/** A branch and the condition under which it is taken. */
export interface GuardedBranch<B extends Block = Block> {
  readonly guard: Guard;
  readonly block: B;
}

/** A branch that is taken if `guard` holds. */
export function when<const K extends DataKey, B extends Block>(
  guard: Guard<K>,
  block: B,
): GuardedBranch<Block<EntriesIn<B>, LabelsIn<B>, KeysIn<B> | K>> {
  return { guard, block: block as never };
}

type BranchIn<W> = W extends GuardedBranch<infer B> ? B : never;

/** The first branch whose guard holds, else `otherwise`. */
export function choice<const W extends readonly GuardedBranch[], B extends Block>(
  id: NodeId,
  branches: W,
  otherwise: B,
): Union<BranchIn<W[number]> | B> {
  return { block: { kind: "choice", id, branches: branches.map(guarded), otherwise: otherwise.block } };
}

/**
 * Options of a block whose branches hold back what they write until all are done; then all of it counts, or nothing.
 * `rejected` follows when it is refused (default: it finishes with the label error).
 */
export type HoldOptions = (StageOptions | MergeOptions) & { readonly rejected?: Block };

/** The same as data. */
export interface HoldData {
  readonly isStaged: boolean;
  readonly merge: { readonly [key: DataKey]: MergeOption | "last" } | null;
  readonly rejected: BlockData | null;
}

/** Options as data. */
function holdData({ stage, merge, rejected }: HoldOptions): HoldData {
  return { isStaged: stage === true, merge: merge ?? null, rejected: rejected?.block ?? null };
}

/** What options of a block that holds back add to it: the block that follows a refusal, and the keys that are merged. */
type Held<O> =
  | (O extends { readonly rejected: infer B extends Block } ? B : never)
  | (O extends { readonly merge: infer M } ? Block<never, never, keyof M & DataKey> : never);

/**
 * Every branch whose guard holds, at the same time; if none holds, `otherwise`. Goes on when all of them are done. With
 * options the branches hold back what they write until then.
 */
export function inclusive<const W extends readonly [GuardedBranch, ...GuardedBranch[]], B extends Block>(
  id: NodeId,
  branches: W,
  otherwise: B,
): Union<BranchIn<W[number]> | B>;
export function inclusive<
  const W extends readonly [GuardedBranch, ...GuardedBranch[]],
  B extends Block,
  const O extends HoldOptions,
>(
  id: NodeId,
  branches: W,
  otherwise: B,
  options: O & Exact<O, Record<keyof HoldOptions, unknown>>,
): Union<BranchIn<W[number]> | B | Held<O>>;
export function inclusive(
  id: NodeId,
  branches: readonly GuardedBranch[],
  otherwise: Block,
  options?: HoldOptions,
): Block {
  const hold = options === undefined ? null : holdData(options);
  return {
    block: { kind: "inclusive", id, branches: branches.map(guarded), otherwise: otherwise.block, hold },
  };
}

/**
 * All branches, at the same time. Goes on when all of them are done. With options the branches hold back what they write
 * until then.
 */
export function parallel<const B extends readonly [Block, Block, ...Block[]]>(
  id: NodeId,
  ...branches: B
): Union<B[number]>;
export function parallel<const O extends HoldOptions, const B extends readonly [Block, Block, ...Block[]]>(
  id: NodeId,
  options: O & Exact<O, Record<keyof HoldOptions, unknown>>,
  ...branches: B
): Union<B[number] | Held<O>>;
export function parallel(id: NodeId, ...given: readonly (Block | HoldOptions)[]): Block {
  const [first, ...rest] = given;
  const hold = first === undefined || "block" in first ? null : holdData(first);
  const branches = (hold === null ? given : rest) as readonly Block[];
  return { block: { kind: "parallel", id, branches: branches.map(({ block }) => block), hold } };
}

/** A step whose node is a verifier. */
type VerifierStep = Block<
  Entry<NodeId, NodeSpec<"done" | "error", DataKey, DataKey, "verifier" | "none">>,
  never
>;

/** The parts of a governed loop; `proves` says in words what the verifier's true means. */
export interface LoopOptions {
  /** How often the body may be repeated: it runs at most budget + 1 times. */
  readonly budget: number;
  readonly proves: string;
  /** Hold back the mutations of the body until it passes; what it did in vain is dropped. */
  readonly stage?: boolean;
  readonly body: Block;
  readonly verify: VerifierStep;
  /** What comes before a repeat (default nothing). */
  readonly repair?: Block;
  /** What follows when the budget is used up: this should lead to a person. */
  readonly exhausted: Block;
}

/** Repeats `body` until `verify` answers true or the budget is used up. */
export function loop<const O extends LoopOptions>(
  id: NodeId,
  options: O & Exact<O, LoopOptions>,
): Union<Extract<O[keyof O], Block>> {
  const { budget, proves, stage, body, verify, repair, exhausted }: LoopOptions = options;
  return {
    block: {
      kind: "loop",
      id,
      budget,
      proves,
      isStaged: stage === true,
      body: body.block,
      verify: verify.block,
      repair: (repair ?? nothing()).block,
      exhausted: exhausted.block,
    },
  };
}

/**
 * A part of the program whose `finish` labels stay inside: they are its outcomes, and `routes` say what follows them.
 * An error inside, too, has the outcome error here.
 */
export function subprocess<B extends Block<Entry, "done" | "error">>(id: NodeId, body: B): Inner<B, never>;
export function subprocess<B extends Block, R extends Routes<LabelsIn<B> | "done" | "error">>(
  id: NodeId,
  body: B,
  routes: R & NoStrayRoutes<R, LabelsIn<B> | "done" | "error">,
): Inner<B, R[keyof R]>;
export function subprocess(id: NodeId, body: Block, routes: Readonly<Record<Outcome, Block>> = {}): Block {
  return { block: { kind: "subprocess", id, body: body.block, routes: blocksOf(routes) } };
}

type Inner<B, R> = Block<EntriesIn<B | R>, LabelsIn<R>, KeysIn<B | R>>;

function guarded({ guard, block }: GuardedBranch): GuardedBlock {
  return { guard, block: block.block };
}

function blocksOf(routes: Readonly<Record<Outcome, Block>>): ReadonlyMap<Outcome, BlockData> {
  return new Map(Object.entries(routes).map(([outcome, { block }]) => [outcome, block]));
}

function routesOf(
  id: NodeId,
  outcomes: readonly Outcome[],
  routes: Readonly<Record<Outcome, Block>>,
): ReadonlyMap<Outcome, BlockData> {
  const stray = Object.keys(routes).filter((outcome) => !outcomes.includes(outcome));
  if (stray.length > 0) throw misuse(id, `has no outcome "${stray[0]}"`);
  return blocksOf(routes);
}

/** BUILD003: a step or block that cannot be placed as it is. */
export function misuse(id: NodeId, problem: string): BuilderError {
  return new BuilderError([issue("BUILD003", [id], `"${id}" ${problem}`)]);
}
