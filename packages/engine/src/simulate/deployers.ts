/** @module Those who deploy in a simulation: versions that come while runs go on, one after the other, maybe through two workers. */
import type { Engine } from "../engine.ts";
import type { Scenario } from "./scenario.ts";
import { count, type World } from "./world.ts";

/** A deployment that is given to some worker. */
export interface Deployment {
  readonly label: string;
  readonly give: (engine: Engine) => Promise<{ readonly kind: string }>;
}

/** The deployers of a scenario. */
export interface Deployers {
  /** Every deployment has an answer. */
  readonly areDone: () => boolean;
}

/** Parts of the time that a scenario lasts, at whose borders deployments come. */
const PARTS = 8;
/** How long they wait for an answer before they ask another worker, in ms. */
const PATIENCE_MS = 90_000;

/**
 * Deploys the scenario's `deployments` in their order, each some time after the one before has been answered, maybe twice;
 * one without an answer comes again.
 */
export function makeDeployers(
  world: World,
  { deployments = [], accept }: Scenario,
  lastsMs: number,
  give: (deployment: Deployment) => void,
): Deployers {
  let answered = 0;
  const wake = (delayMs: number, happen: () => void): void =>
    void world.wakes.add({ at: world.now + delayMs, worker: 0, label: "deploy", happen });
  const next = (): void => {
    const number = answered;
    const definition = deployments[number];
    if (definition === undefined) return;
    const deployment: Deployment = {
      label: `deploy number ${number + 1}`,
      give: async (engine) => {
        const answer = await engine.deploy(definition, accept === undefined ? {} : { accept });
        if (answer.kind !== "deployed" || answered > number) return answer;
        answered = number + 1;
        next();
        return answer;
      },
    };
    const ask = (): void => {
      if (answered > number) return;
      give(deployment);
      if (world.choices.pick(3, 0.6) === 1) {
        count(world, "deploy:twice");
        give(deployment);
      }
      wake(PATIENCE_MS, ask);
    };
    wake((world.choices.pick(PARTS) * lastsMs) / (PARTS * deployments.length), ask);
  };
  next();
  return { areDone: () => answered === deployments.length };
}
