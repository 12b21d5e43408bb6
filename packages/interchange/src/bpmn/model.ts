/** @module A BPMN file as a model: processes with their flow nodes and sequence flows, linked, each with its place in the text. */
import type { Json } from "@tessera/core";
import type { Where } from "../issue-log.ts";
import type { XmlElement } from "../xml.ts";
import type { Expression, Raw } from "./raw.ts";

/** A sequence flow whose ends are known and lie in one scope. */
export interface BpmnFlow {
  readonly id: string;
  readonly name: string | undefined;
  readonly source: BpmnNode;
  readonly target: BpmnNode;
  readonly condition: Expression | undefined;
  readonly at: () => Where;
}

/** An event definition, written inside an event or referred to. */
export interface EventDefinition {
  readonly type: string;
  readonly raw: Raw;
  readonly xml: XmlElement | undefined;
  /** The message, the signal, the error or the escalation that it refers to. */
  readonly reference: Reference | undefined;
}

/** What a definition refers to. */
export interface Reference {
  readonly id: string;
  readonly name: string | undefined;
  readonly raw: Raw;
  readonly xml: XmlElement | undefined;
}

/**
 * A flow node. `content` is there for subprocesses; `boundaries` are the boundary events attached to it. `element` is
 * the element of the file that stands behind it: the node itself, but for nodes that rewriting made.
 */
export interface BpmnNode {
  readonly id: string;
  readonly type: string;
  readonly element: { readonly id: string; readonly type: string };
  readonly name: string | undefined;
  readonly raw: Raw;
  /** The element in the XML tree: vendors' attributes and extensions are read there, with their namespaces. */
  readonly xml: XmlElement | undefined;
  readonly at: () => Where;
  readonly incoming: readonly BpmnFlow[];
  readonly outgoing: readonly BpmnFlow[];
  readonly defaultFlow: BpmnFlow | undefined;
  readonly boundaries: readonly BpmnNode[];
  readonly content: BpmnScope | undefined;
  /** Of an event. */
  readonly definitions: readonly EventDefinition[];
  /** Of a boundary event, and of the start event of an event subprocess. */
  readonly isInterrupting: boolean;
  /** What is left of loopCharacteristics, completionQuantity and triggeredByEvent when rewriting is done. */
  readonly loop: Raw | undefined;
  readonly completionQuantity: unknown;
  readonly isEventSubprocess: boolean;
  /** Name of the innermost lane. */
  readonly lane: string | undefined;
  /** Of a boundary event whose path is a process of its own: the id of that. */
  readonly handler: string | undefined;
  /** Of an activity with several instances: the process that each of them is, and how often it runs. */
  readonly instances: Instances | undefined;
}

/** Several instances of an activity: the process that each runs, `meta.multi` without its condition, and that. */
export interface Instances {
  readonly processId: string;
  readonly multi: { readonly [key: string]: Json };
  readonly completion: BpmnFlow | undefined;
}

/** What a process or a subprocess contains, in document order. */
export interface BpmnScope {
  readonly nodes: readonly BpmnNode[];
  readonly flows: readonly BpmnFlow[];
}

/** A process. */
export interface BpmnProcess {
  readonly id: string;
  readonly name: string | undefined;
  readonly isExecutable: boolean | undefined;
  /** A global task, or made of the path of an event (D14.19) or of an activity with several instances (D14.23). */
  readonly isCalledOnly: boolean;
  /** Error codes that are caught around it. */
  readonly raisable: readonly string[];
  readonly raw: Raw;
  readonly at: () => Where;
  readonly content: BpmnScope;
}

/** A file. */
export interface BpmnModel {
  readonly name: string;
  readonly expressionLanguage: string | undefined;
  readonly processes: readonly BpmnProcess[];
  /** Every id of the file: generated ids avoid them. */
  readonly ids: ReadonlySet<string>;
}
