import type { Scenario } from '../scenario.js';
import type { Measurement } from './measurement.js';

/** The measurements of all scenarios in their order, of each the newer; what is of no scenario any more is left out. */
export function mergeMeasurements(
  scenarios: readonly Scenario[],
  older: readonly Measurement[],
  newer: readonly Measurement[],
): readonly Measurement[] {
  const byScenario = new Map([...older, ...newer].map((measurement) => [measurement.scenario, measurement]));
  return scenarios.flatMap(({ name }) => byScenario.get(name) ?? []);
}
