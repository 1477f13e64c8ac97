import type { Scenario } from '../model/scenario.js';
import type { Measurement } from './measurement.js';

/**
 * Returns the newest measurement of each scenario, in the order of the scenarios. Drops
 * measurements of removed scenarios.
 */
export function mergeMeasurements(
  scenarios: readonly Scenario[],
  older: readonly Measurement[],
  newer: readonly Measurement[],
): readonly Measurement[] {
  const byScenario = new Map([...older, ...newer].map((measurement) => [measurement.scenario, measurement]));
  return scenarios.flatMap(({ name }) => byScenario.get(name) ?? []);
}
