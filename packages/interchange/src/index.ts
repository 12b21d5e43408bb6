/** @module @tessera/interchange: public names. */
export { FEEL_LENGTH_MAX, type FeelReading, readFeel } from "./bpmn/feel-condition.ts";
export { evaluateFeel, FEEL } from "./bpmn/feel-evaluator.ts";
export {
  type BpmnElement,
  type BpmnOptions,
  type ImportedBpmn,
  type ImportedProcess,
  importBpmn,
} from "./bpmn/import-bpmn.ts";
export type { BpmnTask, TaskOptions } from "./bpmn/tasks.ts";
export { type ImportOptions, importNet } from "./detect.ts";
export { type ImportedNet, TOKENS_MAX } from "./imported-net.ts";
export { CODES, type InterchangeCode } from "./issue-codes.ts";
export { ISSUES_MAX } from "./issue-log.ts";
export { importLola, LOLA_LIMITS, type LolaLimits, type LolaOptions } from "./lola.ts";
export { netDefinition } from "./net-definition.ts";
export { importPnml, type PnmlOptions } from "./pnml.ts";
export { exportPnml, type PnmlWriteOptions } from "./pnml-write.ts";
export type { Source } from "./source-text.ts";
export { type WorkflowNetFacts, workflowNetFacts } from "./workflow-net.ts";
export {
  attribute,
  childNamed,
  readXml,
  XML_LIMITS,
  type XmlAttribute,
  type XmlDocument,
  type XmlElement,
  type XmlLimits,
  type XmlOptions,
  xmlPath,
} from "./xml.ts";
