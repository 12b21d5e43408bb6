/** @module tessera/fast-check: generators of nets. */
export {
  arbitraryBlock,
  arbitraryMistakenWorkflowNet,
  arbitraryNet,
  arbitraryNetOfClass,
  arbitraryWorkflowNet,
  type NetOptions,
} from "@tessera/proofs/fast-check";
