import { catchError, defer, map, mergeMap, of, throwError, timer, type Observable, type SchedulerLike } from 'rxjs';
import { isRxInformersError } from '../../kubernetes/errors.js';
import type { EventsV1Event } from '../../kubernetes/resources/other.js';
import type { NewObject } from '../../requests/resource-client/call-options.js';
import { isNotFound } from '../../requests/resource-client/errors.js';
import type { ResourceClient } from '../../requests/resource-client/resource-client.js';
import { listWatchDefaults } from '../../sources/list-watch-options.js';
import { StatusError } from '../../sources/model/errors.js';
import type { EventObject } from './event-object.js';
import { eventWithSeries, type Series, type WriteEnd } from './series.js';

export interface EventWriter {
  readonly client: ResourceClient<EventsV1Event>;
  readonly scheduler: SchedulerLike;
  readonly random: () => number;
  /** Called after each failure that is followed by another try, in `wait` milliseconds. */
  readonly retrying: (event: EventObject, failure: { tries: number; wait: number; error: unknown }) => void;
}

/**
 * Writes a series, and retries (E6); each try sends its current state. Emits the result once, never
 * fails. Occupies its worker during the waits, so without a server other series stay queued, and do
 * not use up their retries.
 */
export function writeEvent(current: () => Series, writer: EventWriter): Observable<WriteEnd> {
  const { client, scheduler, random } = writer;
  const attempt = (tries: number): Observable<WriteEnd> =>
    defer(() => {
      const series = current();
      const { count } = series;
      const event = eventWithSeries(series);
      const isRetry = tries > 1;
      const mayBeThere = count > 1 && (isRetry || series.tried > 0);
      return (mayBeThere ? patchOrCreate(client, event) : create(client, event)).pipe(
        map((): WriteEnd => ({ isWritten: true, event, count })),
        catchError((error: unknown) => {
          const verdict = verdictOf(error, { isSeries: count > 1, isRetry });
          switch (verdict.type) {
            case 'written':
              return of<WriteEnd>({ isWritten: true, event, count });
            case 'refused':
              return of<WriteEnd>({ isWritten: false, event, count, cause: 'refused', error });
            case 'retry': {
              if (tries === maxTries)
                return of<WriteEnd>({ isWritten: false, event, count, cause: 'retries-exhausted', error });
              const wait = waitAfter(tries, verdict.after, random);
              writer.retrying(event, { tries, wait, error });
              return timer(wait, scheduler).pipe(mergeMap(() => attempt(tries + 1)));
            }
            default:
              return verdict satisfies never;
          }
        }),
      );
    });
  return attempt(1);
}

/** Patches the event, or creates it again if it has expired or was deleted (E7). */
function patchOrCreate(client: ResourceClient<EventsV1Event>, event: EventObject): Observable<unknown> {
  return client
    .patch(event, { series: event.series }, { type: 'merge' })
    .pipe(catchError((error: unknown) => (isNotFound(error) ? create(client, event) : throwError(() => error))));
}

function create(client: ResourceClient<EventsV1Event>, event: EventObject): Observable<unknown> {
  return client.create(event as NewObject<EventsV1Event>);
}

/** The decision after a failed try to write an event (E6). */
type Verdict =
  /** `after` is the wait that the API server requested, in milliseconds. */
  { readonly type: 'retry'; readonly after: number | undefined } | { readonly type: 'refused' | 'written' };

/** The number of tries for one write (E6). */
export const maxTries = 12;

/** Milliseconds between two tries; before the second try, a random part of this time (E6). */
const retryInterval = 10_000;

/**
 * Decides what follows a failed write (E6). Retries if it did not reach the API server, or if the
 * refusal has a `Retry-After` (429, 503), as in client-go's transport.
 */
function verdictOf(error: unknown, { isSeries, isRetry }: { isSeries: boolean; isRetry: boolean }): Verdict {
  if (isRxInformersError(error, 'RXI_RESOURCE_PATH')) return { type: 'refused' };
  if (!(error instanceof StatusError)) return { type: 'retry', after: undefined };
  if (error.reason === 'AlreadyExists') {
    // A series that exists can be patched (E7). A single event exists because a response was lost.
    if (isSeries) return { type: 'retry', after: undefined };
    return { type: isRetry ? 'written' : 'refused' };
  }
  if (error.retryAfter !== undefined) return { type: 'retry', after: error.retryAfter };
  return { type: 'refused' };
}

/** Returns milliseconds to wait. A `Retry-After` has the upper limit of `listWatch`. */
function waitAfter(tries: number, after: number | undefined, random: () => number): number {
  if (after !== undefined) return Math.min(after, listWatchDefaults.maxRetryAfter);
  // The first wait is random, so that not all clients retry at once when a server is available
  // again.
  return tries === 1 ? Math.floor(random() * retryInterval) : retryInterval;
}
