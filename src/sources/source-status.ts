import type { SourceError } from './source-error.js';

/**
 * What a source is doing now. Times are milliseconds since the epoch, on the clock of the source's
 * scheduler. They are for display: the source itself counts elapsed time, so it does not matter when the clock is
 * set.
 *
 * | state | meaning |
 * | --- | --- |
 * | `listing` | reading the whole list; `received` objects so far, of `expected` where the server says so |
 * | `watching` | connected, and as current as the last message |
 * | `reconnecting` | the watch ended or was given up; opening it again at once, from the same version |
 * | `backing-off` | waiting until `until` before trying again, for the `attempt`th time in a row |
 * | `forbidden` | backing off because of a 401 or 403: credentials or RBAC rules are missing |
 * | `not-found` | backing off because of a 404: the kind is not installed, or the path is wrong |
 * | `stopped` | there is no subscriber, or the source completed |
 *
 * A merged source has the status of its least healthy member. `members` has the status of each, by partition.
 */
export type SourceStatus = { readonly members?: Readonly<Record<string, SourceStatus>> } & (
  | {
      readonly state: 'listing';
      readonly by: 'stream' | 'pages';
      readonly received: number;
      readonly expected?: number;
    }
  | { readonly state: 'watching'; readonly since: number; readonly resourceVersion: string }
  | { readonly state: 'reconnecting'; readonly cause?: SourceError }
  | {
      readonly state: 'backing-off' | 'forbidden' | 'not-found';
      readonly until: number;
      readonly attempt: number;
      readonly cause: SourceError;
    }
  | { readonly state: 'stopped' }
);
