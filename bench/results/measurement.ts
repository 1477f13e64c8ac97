import type { Scale } from '../scenario.js';
import type { Machine } from './machine.js';

/** The figures of all rounds, by contestant and metric; a metric that a contestant does not have is left out. */
export type FiguresOfRounds = Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;

/** What was measured of one scenario, and how: what follows from it is computed whenever it is shown. */
export interface Measurement {
  readonly scenario: string;
  readonly circumstances: Circumstances;
  readonly figures: FiguresOfRounds;
}

/** Under what a scenario was measured. Figures of other circumstances must not be compared, their ratios may. */
export interface Circumstances {
  /** As `2026-11-21`. */
  readonly date: string;
  /** `undefined` outside of a repository; ends in `+` where the code was not what was committed. */
  readonly commit?: string;
  readonly scale: Scale;
  readonly rounds: number;
  readonly machine: Machine;
  /** Versions by name. */
  readonly libraries: Readonly<Record<string, string>>;
}
