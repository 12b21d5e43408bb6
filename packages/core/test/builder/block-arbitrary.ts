/** @module Random programs of blocks, legal by construction: made of the public combinators, with fresh ids. */
import {
  type Block,
  call,
  choice,
  finish,
  type Guard,
  type HoldOptions,
  human,
  inclusive,
  loop,
  nothing,
  parallel,
  sequence,
  step,
  subprocess,
  timer,
  tool,
  transform,
  verifier,
  when,
} from "@tessera/core";
import fc from "fast-check";

/** The shape of a program; ids come later, so that they are unique. */
export type Plan =
  | { readonly kind: "nothing" | "timer" | "tool" | "call" | "finish" | "finish done" }
  | { readonly kind: "human" | "transform"; readonly parts: readonly Plan[]; readonly isCaught: boolean }
  | {
      readonly kind: "sequence" | "choice" | "subprocess";
      readonly parts: readonly Plan[];
    }
  | { readonly kind: "parallel" | "inclusive"; readonly parts: readonly Plan[]; readonly hold: Hold }
  | {
      readonly kind: "loop";
      readonly parts: readonly Plan[];
      readonly budget: number;
      readonly isStaged: boolean;
    };

/** What a block holds back, and whether the first of its parts follows a refusal. */
interface Hold {
  readonly of: "nothing" | "graph" | "keys" | "both";
  readonly isCaught: boolean;
}

/** Programs of at most `depthMax` levels and a few steps: the search behind the law visits every marking. */
export function plan(depthMax: number): fc.Arbitrary<Plan> {
  const leaf: fc.Arbitrary<Plan> = fc.constantFrom<Plan>(
    { kind: "nothing" },
    { kind: "timer" },
    { kind: "tool" },
    { kind: "call" },
    { kind: "finish" },
    { kind: "finish done" },
  );
  if (depthMax === 0) return leaf;
  const inner = plan(depthMax - 1);
  const parts = (minLength: number, maxLength: number) => fc.array(inner, { minLength, maxLength });
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom("human", "transform"),
        parts: parts(2, 2),
        isCaught: fc.boolean(),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("sequence"), parts: parts(0, 3) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("choice"), parts: parts(1, 3) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom("parallel", "inclusive"),
        parts: parts(3, 4),
        hold: fc.record({
          of: fc.constantFrom("nothing", "nothing", "graph", "keys", "both"),
          isCaught: fc.boolean(),
        }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("subprocess"), parts: parts(2, 2) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("loop"),
        parts: parts(3, 3),
        budget: fc.integer({ min: 0, max: 2 }),
        isStaged: fc.boolean(),
      }),
    },
  ) as fc.Arbitrary<Plan>;
}

/** A block, and whether it ever goes on: what the generator has to know in order to stay legal. */
interface Made {
  readonly block: Block;
  readonly goesOn: boolean;
  readonly labels: ReadonlySet<string>;
}

interface Maker {
  count: number;
  /** Steps that may still be made: beyond that everything becomes nothing, so that searches stay small. */
  budget: number;
}

function freshId(maker: Maker): string {
  maker.count += 1;
  return `n${maker.count}`;
}

/** The program of a plan. */
export function program(root: Plan): Block {
  return make(root, { count: 0, budget: 9 }, false).block;
}

const GUARD: Guard = { key: "k", op: "is", value: true };
const EMPTY: Made = { block: nothing(), goesOn: true, labels: new Set() };

/** `isForked`: among branches, where done cannot be a label. `isHeld`: where nothing is called. */
function make(node: Plan, maker: Maker, isForked: boolean, isHeld = false): Made {
  const id = freshId(maker);
  if (maker.budget <= 0) return EMPTY;
  const labels = (...made: readonly Made[]) => new Set(made.flatMap((m) => [...m.labels]));
  switch (node.kind) {
    case "nothing":
      return EMPTY;
    case "timer":
      maker.budget -= 1;
      return { block: step(id, timer({ duration: "PT1H" })), goesOn: true, labels: new Set() };
    case "tool":
      maker.budget -= 1;
      return { block: step(id, tool()), goesOn: true, labels: new Set(["error"]) };
    case "call":
      maker.budget -= 1;
      if (isHeld) return { block: step(id, tool()), goesOn: true, labels: new Set(["error"]) };
      return { block: call(id, { workflow: "w" }), goesOn: true, labels: new Set(["error"]) };
    case "finish":
      return {
        block: finish(`l${maker.count % 2}`),
        goesOn: false,
        labels: new Set([`l${maker.count % 2}`]),
      };
    case "finish done":
      // Refused inside parallel blocks, where done says that all branches are done.
      return isForked ? EMPTY : { block: finish("done"), goesOn: false, labels: new Set(["done"]) };
    case "human":
    case "transform": {
      maker.budget -= 1;
      const [left, right] = node.parts.map((part) => make(part, maker, isForked, isHeld)) as [Made, Made];
      const spec =
        node.kind === "human" ? human({ outcomes: ["yes", "no"] }) : transform({ outcomes: ["yes", "no"] });
      const caught: Record<never, never> =
        node.kind === "transform" && node.isCaught ? { error: nothing() } : {};
      const raised = node.kind === "transform" && !node.isCaught ? ["error"] : [];
      const routes = { yes: left.block, no: right.block, ...caught };
      return {
        block: step(id, spec as ReturnType<typeof human<{ outcomes: ["yes", "no"] }>>, routes),
        goesOn: left.goesOn || right.goesOn || "error" in caught,
        labels: new Set([...labels(left, right), ...raised]),
      };
    }
    case "sequence": {
      const made: Made[] = [];
      for (const part of node.parts)
        if (made.every((m) => m.goesOn)) made.push(make(part, maker, isForked, isHeld));
      return {
        block: sequence(...made.map((m) => m.block)),
        goesOn: made.every((m) => m.goesOn),
        labels: labels(...made),
      };
    }
    case "choice": {
      const made = node.parts.map((part) => make(part, maker, isForked, isHeld));
      const [otherwise, ...branches] = made as [Made, ...Made[]];
      const guarded = branches.map((m, i) => when({ key: "k", op: "is", value: i }, m.block));
      return {
        block: choice(id, guarded, otherwise.block),
        goesOn: made.some((m) => m.goesOn),
        labels: labels(...made),
      };
    }
    case "parallel":
    case "inclusive":
      return branching(id, node, maker, isHeld);
    case "subprocess": {
      const [body, route] = node.parts.map((part, i) => make(part, maker, i === 1 && isForked, isHeld)) as [
        Made,
        Made,
      ];
      const loud = [...body.labels].filter((label) => label !== "done" && label !== "error");
      const routes = Object.fromEntries(loud.map((label, i) => [label, i === 0 ? route.block : nothing()]));
      const isRouted = loud.length > 0;
      return {
        block: subprocess(id, body.block, routes as Record<string, never>),
        goesOn: body.goesOn || body.labels.has("done") || loud.length > 1 || (isRouted && route.goesOn),
        labels: new Set([...(isRouted ? route.labels : []), ...(body.labels.has("error") ? ["error"] : [])]),
      };
    }
    case "loop": {
      const { budget, isStaged } = node;
      const [body, repair, exhausted] = node.parts.map((part, at) =>
        make(part, maker, isForked, isHeld || (isStaged && at < 2)),
      ) as [Made, Made, Made];
      const block = loop(id, {
        budget,
        proves: "it",
        stage: isStaged,
        body: going(body, maker).block,
        verify: step(`${id}v`, verifier({ passKey: `${id}k` })),
        repair: budget === 0 ? nothing() : going(repair, maker).block,
        exhausted: exhausted.block,
      });
      return {
        block,
        goesOn: true,
        labels: new Set([...labels(body, ...(budget === 0 ? [] : [repair]), exhausted), "error"]),
      };
    }
  }
}

function branching(
  id: string,
  { kind, parts, hold }: Extract<Plan, { readonly kind: "parallel" | "inclusive" }>,
  maker: Maker,
  isHeld: boolean,
): Made {
  const isHolding = hold.of !== "nothing";
  const [caught, ...plans] = parts as readonly [Plan, Plan, Plan];
  const branches = plans.map((part) => going(make(part, maker, true, isHeld || isHolding), maker));
  // Beside labels of branches the refusal is led on inside a scope of the block's own, where done means the end of all.
  const rejected = isHolding && hold.isCaught ? make(caught, maker, true, isHeld) : null;
  const follows = rejected === null ? {} : { rejected: rejected.block };
  const merge = { total: "sum" } as const;
  const given: HoldOptions =
    hold.of === "keys"
      ? { merge, ...follows }
      : { stage: true, ...(hold.of === "both" ? { merge } : {}), ...follows };
  const blocks = branches.map((m) => m.block) as [Block, Block, ...Block[]];
  const [first, ...rest] = blocks;
  const guarded = rest.map((block, i) => when({ key: "k", op: "atLeast", value: i }, block)) as [
    ReturnType<typeof when>,
  ];
  const refused = !isHolding ? [] : rejected === null ? ["error"] : [...rejected.labels];
  const parallelBlock = isHolding ? parallel(id, given, ...blocks) : parallel(id, ...blocks);
  const inclusiveBlock = isHolding ? inclusive(id, guarded, first, given) : inclusive(id, guarded, first);
  return {
    block: kind === "parallel" ? parallelBlock : inclusiveBlock,
    goesOn: true,
    labels: new Set([...branches.flatMap((m) => [...m.labels]), ...refused]),
  };
}

/** A block that never goes on becomes one that may. */
function going(made: Made, maker: Maker): Made {
  if (made.goesOn) return made;
  return {
    ...made,
    block: choice(freshId(maker), [when(GUARD, made.block)], nothing()),
    goesOn: true,
  };
}
