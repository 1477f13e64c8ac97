import type { Session } from './session.js';

/** A short conversation with an API server. Every response is compared. */
export interface Scenario {
  /** The name of the scenario, and of the file with the responses of the real server. */
  readonly name: string;
  /**
   * The kind of real server that the scenario needs. A `no-watch-cache` server can be compacted.
   * Default: a server without special flags.
   */
  readonly server?: SpecialServer;
  run(session: Session): Promise<void>;
}

export type SpecialServer = 'no-watch-cache';

/** The flags of a special real server. */
export const serverFlags: Readonly<Record<SpecialServer, readonly string[]>> = {
  'no-watch-cache': ['--watch-cache=false'],
};
