/** One page of a LIST. What is not set is not sent. */
export interface ListQuery {
  readonly verb: 'list';
  /** `''` asks for the most recent state (nothing is sent), `0` for any, another for one not older than it. */
  readonly resourceVersion: string;
  readonly limit: number | undefined;
  /** Asks for the next page; the token holds the version, so `resourceVersion` is not sent with it (U5). */
  readonly continue?: string;
}

/** A WATCH; with `sendInitialEvents` it begins with everything that exists (a streaming list). */
export interface WatchQuery {
  readonly verb: 'watch';
  readonly resourceVersion: string;
  /** After how long the server ends the watch by itself. */
  readonly timeoutSeconds: number;
  readonly sendInitialEvents: boolean;
}

export type Query = ListQuery | WatchQuery;
