/** @module @tessera/interchange: public names. */
export { FEEL_LENGTH_MAX, type FeelReading, readFeel } from "./bpmn/feel-condition.ts";
export { evaluateFeel, FEEL } from "./bpmn/feel-evaluator.ts";
export { readFeelTerm } from "./bpmn/feel-term.ts";
export {
  type BpmnElement,
  type BpmnOptions,
  type ImportedBpmn,
  type ImportedProcess,
  importBpmn,
} from "./bpmn/import-bpmn.ts";
export type { BpmnTask, TaskOptions } from "./bpmn/tasks.ts";
export { exportBpmn } from "./bpmn-write/export-bpmn.ts";
export { detectFormat, type Format, type ImportOptions, importNet } from "./detect.ts";
export { drawingToDot } from "./drawing/dot.ts";
export {
  type Drawing,
  type DrawingOptions,
  type DrawnEdge,
  type DrawnNode,
  type NodeShape,
  netDrawing,
} from "./drawing/drawing.ts";
export {
  type DrawnMarkings,
  type MarkingGraphOptions,
  markingGraphDrawing,
} from "./drawing/marking-graph-drawing.ts";
export { drawingToSvg } from "./drawing/svg.ts";
export { workflowDrawing } from "./drawing/workflow-drawing.ts";
export { type ImportedNet, type NetFormat, TOKENS_MAX } from "./imported-net.ts";
export { CODES, type InterchangeCode } from "./issue-codes.ts";
export { ISSUES_MAX } from "./issue-log.ts";
export { JSON_TEXT_LIMITS, type JsonTextLimits, readJsonText } from "./json-text.ts";
export { importLola, LOLA_LIMITS, type LolaLimits, type LolaOptions } from "./lola.ts";
export { exportLola } from "./lola-write.ts";
export { netDefinition } from "./net-definition.ts";
export type { NetText, NetWriteOptions } from "./net-text.ts";
export { importPnml, type PnmlOptions } from "./pnml.ts";
export { exportPnml, type PnmlWriteOptions } from "./pnml-write.ts";
export type { Source } from "./source-text.ts";
export { importTina, type TinaOptions } from "./tina.ts";
export { exportTina } from "./tina-write.ts";
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
export { type ImportedYawl, importYawl, type YawlOptions } from "./yawl/import-yawl.ts";
