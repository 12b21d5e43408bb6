/** @module The solver behind the port: z3, loaded when it is asked for. */

/** What a solver says. A model is trusted by nobody; `unsat` is its word. */
export type SolverAnswer =
  | { readonly kind: "sat"; readonly model: string }
  | { readonly kind: "unsat" }
  | { readonly kind: "unknown"; readonly reason: string };

/** A solver of SMT-LIB with doubles and bit vectors. `body` declares constants and asserts formulas. */
export interface Solver {
  readonly name: string;
  readonly check: (body: string, timeoutMs: number) => Promise<SolverAnswer>;
  /** Ends what the solver keeps running. */
  readonly close: () => Promise<void>;
}

/** SMT001: z3-solver is not installed. SMT002: it cannot be started. */
export class SolverError extends Error {
  readonly code: "SMT001" | "SMT002";
  constructor(code: "SMT001" | "SMT002", message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "SolverError";
    this.code = code;
  }
}

/** The part of the package z3-solver that is used. */
interface Z3 {
  readonly init: () => Promise<{
    readonly Context: new (name: "tessera") => { readonly Solver: new () => Z3Session };
    readonly Z3: { readonly get_full_version: () => string };
    readonly em: unknown;
  }>;
  readonly killThreads: (em: unknown) => Promise<void>;
}

interface Z3Session {
  readonly set: (key: string, value: number) => void;
  readonly fromString: (text: string) => void;
  readonly check: () => Promise<"sat" | "unsat" | "unknown">;
  readonly model: () => { readonly sexpr: () => string };
  readonly reasonUnknown: () => string;
}

/**
 * Loads z3 (the optional peer `z3-solver`). Throws SolverError. Cost: 35 MB of WebAssembly, about a second; `close` ends
 * its threads, which keep a process alive. `load` is there for tests.
 */
export async function z3Solver(load: () => Promise<unknown> = () => import("z3-solver")): Promise<Solver> {
  const z3 = await load().catch((cause: unknown) => {
    throw new SolverError("SMT001", 'z3-solver is not installed: npm install "z3-solver@^5.2.0"', { cause });
  });
  // A module of CommonJS has its names on `default` where they are not found by reading it.
  const found = z3 as Partial<Z3> & { readonly default?: Z3 };
  const { init, killThreads } = (found.init === undefined ? found.default : found) as Z3;
  const api = await init().catch((cause: unknown) => {
    throw new SolverError("SMT002", "z3-solver cannot be started", { cause });
  });
  const { Solver: Session } = new api.Context("tessera");
  return {
    name: `z3 ${api.Z3.get_full_version()}`,
    check: async (body, timeoutMs) => {
      const session = new Session();
      session.set("timeout", timeoutMs);
      session.fromString(body);
      const kind = await session.check();
      if (kind === "sat") return { kind, model: session.model().sexpr() };
      return kind === "unsat" ? { kind } : { kind, reason: session.reasonUnknown() };
    },
    close: () => killThreads(api.em),
  };
}
