/** @module What is used of the layout library, which brings no declarations. */
declare module "bpmn-auto-layout" {
  /** The diagram with shapes and edges; flow nodes must name their flows. */
  export function layoutProcess(xml: string): Promise<string>;
}
