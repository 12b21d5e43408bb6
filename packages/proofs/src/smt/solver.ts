/** @module The solver behind the port: z3 in a thread of its own, loaded when it is asked for. */
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

/** What a solver says. A model is trusted by nobody; `unsat` is its word. */
export type SolverAnswer =
  | { readonly kind: "sat"; readonly model: string }
  | { readonly kind: "unsat" }
  | { readonly kind: "unknown"; readonly reason: string };

/** A solver of SMT-LIB with doubles and bit vectors. `body` declares constants and asserts formulas. */
export interface Solver {
  readonly name: string;
  /** May be called while other questions are open, as by several proofs at a time: each gets the answer to its own. */
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

/** To questions that were waiting when the solver was closed: none of them begins a thread that nobody would end. */
const CLOSED: SolverAnswer = { kind: "unknown", reason: "the solver was closed" };

/** Past the time of a question z3 has so long to say that it gave up; then its thread is ended. */
const GRACE_MS = 250;

/** The longest time that a timer waits, less the grace: some 24 days. One of a longer time would end at once. */
const LONGEST_MS = 2 ** 31 - 1 - GRACE_MS;

/**
 * What the thread of z3 runs, as text: so it needs no file of its own beside whatever this one is bundled into. The first
 * check brings z3's own threads, so that no question's time is spent on that. Each question has a context of its own, made
 * and deleted here, through z3's own functions: the classes of the package leave what they made to the garbage collector,
 * which takes it from a context in which z3 is thinking, and z3 then dies or says anything. So an answer also depends on
 * no question before it.
 */
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
void (async () => {
  const { init, Z3_ast_print_mode, Z3_error_code, Z3_lbool } = require(workerData);
  const { Z3 } = await init();
  const answerTo = async (body, timeoutMs) => {
    const config = Z3.mk_config();
    const context = Z3.mk_context(config);
    Z3.del_config(config);
    try {
      Z3.set_ast_print_mode(context, Z3_ast_print_mode.Z3_PRINT_SMTLIB2_COMPLIANT);
      const solver = Z3.mk_solver(context);
      Z3.solver_inc_ref(context, solver);
      const params = Z3.mk_params(context);
      Z3.params_inc_ref(context, params);
      Z3.params_set_uint(context, params, Z3.mk_string_symbol(context, "timeout"), timeoutMs);
      Z3.solver_set_params(context, solver, params);
      Z3.solver_from_string(context, solver, body);
      const fault = Z3.get_error_code(context);
      if (fault !== Z3_error_code.Z3_OK) return { kind: "unknown", reason: Z3.get_error_msg(context, fault) };
      const truth = await Z3.solver_check(context, solver);
      if (truth === Z3_lbool.Z3_L_FALSE) return { kind: "unsat" };
      if (truth !== Z3_lbool.Z3_L_TRUE) return { kind: "unknown", reason: Z3.solver_get_reason_unknown(context, solver) };
      const model = Z3.solver_get_model(context, solver);
      return { kind: "sat", model: Z3.model_to_string(context, model) };
    } finally {
      // What is made of a question ends with its context.
      Z3.del_context(context);
    }
  };
  await answerTo("", 1000);
  parentPort.on("message", ({ body, timeoutMs }) =>
    answerTo(body, timeoutMs).then(
      (answer) => parentPort.postMessage(answer),
      (error) => parentPort.postMessage({ kind: "unknown", reason: String(error) }),
    ),
  );
  parentPort.postMessage(Z3.get_full_version());
})();
`;

/**
 * Loads z3 (the optional peer `z3-solver`) in a thread. Throws SolverError. Cost: 35 MB of WebAssembly, about a second;
 * `close` ends the thread, which keeps a process alive. z3 looks at its clock now and then only: where it does not stop
 * in time its thread is ended, and the next question begins with a new one. `find`: the file of the package.
 */
export async function z3Solver(
  find: () => string = () => createRequire(import.meta.url).resolve("z3-solver"),
): Promise<Solver> {
  const file = found(find);
  let running: Running | null = await begin(file);
  const { name } = running;
  const end = async (): Promise<void> => {
    const { thread } = running ?? {};
    running = null;
    await thread?.terminate();
  };
  const ask = async (body: string, timeoutMs: number): Promise<SolverAnswer> => {
    running ??= await begin(file);
    running.thread.postMessage({ body, timeoutMs });
    const answer = await said<SolverAnswer>(running.thread, timeoutMs + GRACE_MS);
    if (answer.kind === "said") return answer.said;
    await end();
    return { kind: "unknown", reason: answer.kind === "late" ? "timeout" : answer.fault };
  };
  // Answers do not say to which question they are: the next one is put when the last one is answered.
  let last: Promise<unknown> = Promise.resolve();
  let closings = 0;
  return {
    name,
    check: (body, timeoutMs) => {
      const before = closings;
      const answer = last.then(() =>
        closings === before ? ask(body, Math.min(timeoutMs, LONGEST_MS)) : CLOSED,
      );
      last = answer.catch(() => undefined);
      return answer;
    },
    close: () => {
      closings += 1;
      return end();
    },
  };
}

function found(find: () => string): string {
  try {
    return find();
  } catch (cause) {
    throw new SolverError("SMT001", 'z3-solver is not installed: npm install "z3-solver@^5.2.0"', { cause });
  }
}

/** A z3 that runs. */
interface Running {
  readonly name: string;
  readonly thread: Worker;
}

/** Loading may take long on a busy machine, but it does not take for ever. */
const LOADING_MS = 120_000;

async function begin(file: string): Promise<Running> {
  const thread = new Worker(THREAD, { eval: true, workerData: file });
  // What it dies of while nobody asks is found out with the next question.
  thread.on("error", () => undefined);
  const answer = await said<string>(thread, LOADING_MS);
  if (answer.kind === "said") return { name: `z3 ${answer.said.replace(/^Z3\s+/iu, "")}`, thread };
  await thread.terminate();
  const cause = answer.kind === "late" ? "it does not answer" : answer.fault;
  throw new SolverError("SMT002", "z3-solver cannot be started", { cause });
}

type Said<T> =
  | { readonly kind: "said"; readonly said: T }
  | { readonly kind: "late" }
  | { readonly kind: "fault"; readonly fault: string };

/** The next thing that the thread says within the time, or what it dies of. */
function said<T>(thread: Worker, limitMs: number): Promise<Said<T>> {
  return new Promise((resolve) => {
    const settle = (answer: Said<T>): void => {
      clearTimeout(timer);
      // One by one: the thread has listeners of its own for these.
      thread.off("message", onMessage).off("error", onFault).off("exit", onExit);
      resolve(answer);
    };
    const onMessage = (message: T): void => settle({ kind: "said", said: message });
    const onFault = (fault: unknown): void => settle({ kind: "fault", fault: String(fault) });
    const onExit = (): void => settle({ kind: "fault", fault: "the thread of z3 ended" });
    const timer = setTimeout(() => settle({ kind: "late" }), limitMs);
    thread.on("message", onMessage).on("error", onFault).on("exit", onExit);
  });
}
