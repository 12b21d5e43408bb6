/** @module Something that must never be was: how a check of a simulation says so. */

/** Something that must never be was. */
export class SimulationViolation extends Error {
  override readonly name: string = "SimulationViolation";
}

/** Says so. */
export function violated(message: string): never {
  throw new SimulationViolation(message);
}
