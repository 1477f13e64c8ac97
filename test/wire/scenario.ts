import type { Session } from './session.js';

/** A short conversation with an API server, of which every answer counts. */
export interface Scenario {
  /** Also the name of the file with the real server's answers. */
  readonly name: string;
  /** What the real server is started with; `no-watch-cache` can be compacted, `sharded` knows shard selectors. Default: nothing special. */
  readonly server?: SpecialServer;
  run(session: Session): Promise<void>;
}

export type SpecialServer = 'no-watch-cache' | 'sharded';

/** The flags that make a real server special. */
export const serverFlags: Readonly<Record<SpecialServer, readonly string[]>> = {
  'no-watch-cache': ['--watch-cache=false'],
  sharded: ['--feature-gates=ShardedListAndWatch=true'],
};
