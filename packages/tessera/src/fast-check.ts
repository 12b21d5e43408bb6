/** @module tessera/fast-check: generators of nets and workflows, and commands that drive the engine against the model. */

export {
  type ModelAction,
  type ModelOptions,
  type WorkflowCommand,
  type WorkflowModel,
  workflowModel,
} from "@tessera/engine/fast-check";
export {
  arbitraryBlock,
  arbitraryDefectiveNet,
  arbitraryDefectiveWorkflow,
  arbitraryMistakenWorkflowNet,
  arbitraryNet,
  arbitraryNetOfClass,
  arbitraryRun,
  arbitraryWorkflow,
  arbitraryWorkflowBlock,
  arbitraryWorkflowNet,
  type BlockGuard,
  type BlockKey,
  type BlockStep,
  type NetOptions,
  type WorkflowBlock,
  type WorkflowDefect,
} from "@tessera/proofs/fast-check";
