/** @module tessera/fast-check: generators of nets. */
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
