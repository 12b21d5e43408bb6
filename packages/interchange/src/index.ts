/** @module @tessera/interchange: public names. */
export type { ImportedNet } from "./imported-net.ts";
export { CODES, type InterchangeCode } from "./issue-codes.ts";
export { importPnml, type PnmlOptions } from "./pnml.ts";
export type { Source } from "./source-text.ts";
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
