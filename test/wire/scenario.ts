import type { Session } from './session.js';

/** A short conversation with an API server, of which every answer counts. */
export interface Scenario {
  /** Also the name of the file with the real server's answers. */
  readonly name: string;
  /** What the real server is started with; `no-watch-cache` can be compacted. Default: nothing special. */
  readonly server?: 'no-watch-cache';
  run(session: Session): Promise<void>;
}
