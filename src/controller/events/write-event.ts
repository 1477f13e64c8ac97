import { catchError, defer, map, mergeMap, of, throwError, timer, type Observable, type SchedulerLike } from 'rxjs';
import type { EventsV1Event } from '../../kubernetes/resources/other.js';
import type { NewObject } from '../api/call-options.js';
import { isNotFound } from '../api/errors.js';
import type { ResourceClient } from '../api/resource-client.js';
import type { EventObject } from './event-object.js';
import { eventWithSeries, type Series, type WriteEnd } from './series.js';
import { ResourcePathError } from '../../kubernetes/resource-path.js';
import { listWatchDefaults } from '../../sources/list-watch-options.js';
import { StatusError } from '../../sources/model/errors.js';

export interface EventWriter {
  readonly client: ResourceClient<EventsV1Event>;
  readonly scheduler: SchedulerLike;
  readonly random: () => number;
  /** Called for each failure after which another try follows, in `wait` milliseconds. */
  readonly retrying: (event: EventObject, failure: { tries: number; wait: number; error: unknown }) => void;
}

/**
 * Writes a series, as it is when each try begins, with the retries of E6. Emits once how the write
 * ended, and never fails.
 *
 * It keeps its worker while it waits. If the server cannot be reached, all other series wait too,
 * and are not lost one by one.
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

/** E7: the event may have expired, or been deleted. */
function patchOrCreate(client: ResourceClient<EventsV1Event>, event: EventObject): Observable<unknown> {
  return client
    .patch(event, { series: event.series }, { type: 'merge' })
    .pipe(catchError((error: unknown) => (isNotFound(error) ? create(client, event) : throwError(() => error))));
}

function create(client: ResourceClient<EventsV1Event>, event: EventObject): Observable<unknown> {
  return client.create(event as NewObject<EventsV1Event>);
}

/** What follows from the failure of one try to write an event (E6). */
type Verdict =
  /** `after`: milliseconds that the API server asked for. */
  { readonly type: 'retry'; readonly after: number | undefined } | { readonly type: 'refused' | 'written' };

/** E6: how often one write is tried. */
export const maxTries = 12;

/** E6: milliseconds between two tries; before the second one, a random part of it. */
const retryInterval = 10_000;

/**
 * Decides about a write that failed (E6). One that did not reach the API server is tried again. One
 * that it refused is not, unless the answer says when to come back (429, 503 with `Retry-After`),
 * as in client-go's transport.
 */
function verdictOf(error: unknown, { isSeries, isRetry }: { isSeries: boolean; isRetry: boolean }): Verdict {
  if (error instanceof ResourcePathError) return { type: 'refused' };
  if (!(error instanceof StatusError)) return { type: 'retry', after: undefined };
  if (error.reason === 'AlreadyExists') {
    // E7: a series was created meanwhile, and can be patched. A single event was created by the try
    // before, whose answer was lost.
    if (isSeries) return { type: 'retry', after: undefined };
    return { type: isRetry ? 'written' : 'refused' };
  }
  if (error.retryAfter !== undefined) return { type: 'retry', after: error.retryAfter };
  return { type: 'refused' };
}

/**
 * Returns how long to wait after `tries` tries, in milliseconds. The cap of `Retry-After` is that
 * of `listWatch`.
 */
function waitAfter(tries: number, after: number | undefined, random: () => number): number {
  if (after !== undefined) return Math.min(after, listWatchDefaults.maxRetryAfter);
  // Not all clients at once, when a server comes back.
  return tries === 1 ? Math.floor(random() * retryInterval) : retryInterval;
}
