/** @module What is used of the BPMN library, which brings no declarations for its entry. */
declare module "bpmn-moddle" {
  export class BpmnModdle {
    fromXML(xml: string): Promise<{ readonly rootElement: unknown; readonly warnings: readonly unknown[] }>;
  }
}
