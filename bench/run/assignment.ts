import type { Figures, RunContext } from '../scenario.js';

/** What a contestant's process is told to do. */
export interface Assignment {
  /** The URL of the module that exports the scenario: no other is loaded, so that nothing else is in memory. */
  readonly module: string;
  readonly scenario: string;
  readonly contestant: string;
  readonly context: RunContext;
}

/** What it answers. */
export type Answer =
  { readonly type: 'figures'; readonly figures: Figures } | { readonly type: 'error'; readonly error: string };
