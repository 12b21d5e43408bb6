/** @module Complex gateways of BPMN: those whose activation is a number of tokens are executable, the others are named. */
import type { IssueLog } from "../issue-log.ts";
import { addNode, baseOf } from "./draft.ts";
import type { BpmnNode } from "./model.ts";
import { expressionOf } from "./raw.ts";
import { addFlows, type Routing, splitOfNode } from "./routes.ts";
import { refuse } from "./unsupported.ts";

/**
 * Adds a complex gateway (BPMN 2.0.2, clause 13.4.5). With several incoming flows it starts when as many of them have a
 * token as its activation condition says, passes one token on, and takes the others in its reset phase (D15.10). Its
 * outgoing flows are those of an activity: all without condition, and those whose conditions hold.
 *
 * @definition D14.24
 */
export function addComplex(routing: Routing, node: BpmnNode): void {
  const { draft, scope } = routing;
  for (const flow of node.outgoing)
    if (/waitingForStart/u.test(flow.condition?.text ?? ""))
      refuse(draft.log, node, "BPMN041", `the condition of "${flow.id}" asks for the state of the gateway`);
  const activation = node.incoming.length < 2 ? undefined : activationOf(draft.log, node);
  const meta = activation === undefined ? {} : { meta: { activation } };
  const split = addFlows(routing, node);
  addNode(draft, { ...baseOf(node, scope), kind: "gateway", ...meta, ...splitOfNode(split, false) }, node);
}

const CONDITION = /^activationCount\s*(>=|>|==|=)\s*([0-9]{1,6})$/u;

/** The number of tokens that start the gateway; undefined with an issue if its condition says anything else. */
function activationOf(log: IssueLog, node: BpmnNode): number | undefined {
  const text = (expressionOf(node.raw, "activationCondition")?.text ?? "")
    .replace(/^[$#]\{([^}]*)\}$/u, "$1")
    .replace(/^=(?!=)/u, "")
    .trim();
  const [, operator, number] = CONDITION.exec(text) ?? [];
  const count = Number(number) + (operator === ">" ? 1 : 0);
  if (count >= 1 && count <= node.incoming.length) return count;
  const flows = node.incoming.length;
  const why =
    text === ""
      ? "it has no activation condition"
      : number === undefined
        ? `its activation condition is no number of tokens (activationCount >= 1): ${text}`
        : `it has ${flows} incoming flows, so it cannot wait for ${count}`;
  refuse(log, node, "BPMN041", why);
  return undefined;
}
