import type { Figures, RunContext } from '../model/scenario.js';

/** The message that tells a contestant's process what to measure. */
export interface Assignment {
  /**
   * The URL of the module that exports the scenario. The process loads no other scenario, so that
   * nothing else is in memory.
   */
  readonly module: string;
  readonly scenario: string;
  readonly contestant: string;
  readonly context: RunContext;
}

/** The answer of a contestant's process. */
export type Answer =
  { readonly type: 'figures'; readonly figures: Figures } | { readonly type: 'error'; readonly error: string };
