/** @module tessera/fast-check: generators of nets. */
export {
  type NetOptions,
  arbitraryBlock,
  arbitraryMistakenWorkflowNet,
  arbitraryNet,
  arbitraryNetOfClass,
  arbitraryWorkflowNet,
} from "@tessera/proofs/fast-check";
