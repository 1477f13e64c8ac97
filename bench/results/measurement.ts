import type { Scale, Scenario } from '../model/scenario.js';

/**
 * The figures of all rounds, by contestant and metric. A contestant has no entry for a metric that
 * it does not measure.
 */
export type FiguresOfRounds = Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;

/**
 * The figures of one scenario, and their circumstances. The report computes all other values from
 * them.
 */
export interface Measurement {
  readonly scenario: string;
  readonly circumstances: Circumstances;
  readonly figures: FiguresOfRounds;
}

/**
 * The circumstances of a measurement. Do not compare figures of different circumstances. Ratios of
 * such figures can be compared.
 */
export interface Circumstances {
  /** The date, for example `2026-11-21`. */
  readonly date: string;
  /**
   * The commit. `undefined` outside of a repository; ends in `+` if the code differed from the
   * commit.
   */
  readonly commit?: string;
  readonly scale: Scale;
  readonly rounds: number;
  readonly machine: Machine;
  /** The versions of the libraries, by name. */
  readonly libraries: Readonly<Record<string, string>>;
}

/** The properties of the machine on which the figures depend. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly operatingSystem: string;
  readonly node: string;
}

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
