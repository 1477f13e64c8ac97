import {
  catchError,
  defer,
  EMPTY,
  map,
  mergeMap,
  of,
  throwError,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import type { EventsV1Event } from '../../kubernetes/resources/events.js';
import type { NewObject } from '../api/call-options.js';
import { isNotFound } from '../api/errors.js';
import type { ResourceClient } from '../api/resource-client.js';
import type { EventObject } from './event-object.js';
import { eventWithSeries, type Series } from './series.js';
import { maxTries, verdictOf, waitAfter } from './verdict.js';

/** How a write ended; `count` is the count that it was to write. */
export type WriteEnd =
  | { readonly isWritten: true; readonly event: EventObject; readonly count: number }
  | {
      readonly isWritten: false;
      readonly event: EventObject;
      readonly count: number;
      readonly cause: 'refused' | 'retries-exhausted';
      readonly error: unknown;
    };

export interface EventWriter {
  readonly client: ResourceClient<EventsV1Event>;
  readonly scheduler: SchedulerLike;
  readonly random: () => number;
  /** Is told of each failure that another try follows, in `wait` milliseconds. */
  readonly retrying: (event: EventObject, failure: { tries: number; wait: number; error: unknown }) => void;
}

/**
 * Writes a series, as it is when each try begins, with the retries of E6; emits once how it ended, and never errors.
 *
 * It keeps its worker while it waits: when the server cannot be reached, everything else is held back too, and not lost one by one.
 */
export function writeEvent(current: () => Series | undefined, writer: EventWriter): Observable<WriteEnd> {
  const { client, scheduler, random } = writer;
  const attempt = (tries: number): Observable<WriteEnd> =>
    defer(() => {
      const series = current();
      if (!series) return EMPTY;
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
