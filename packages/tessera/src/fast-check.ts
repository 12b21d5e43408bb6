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
  arbitraryMistakenWorkflowNet,
  arbitraryNet,
  arbitraryNetOfClass,
  arbitraryRun,
  arbitraryWorkflowNet,
  type NetOptions,
} from "@tessera/proofs/fast-check";
