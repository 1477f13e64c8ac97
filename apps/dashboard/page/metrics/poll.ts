import { StatusError } from 'rx-informers';
import type { Right } from 'rx-informers/requests';
import {
  asyncScheduler,
  catchError,
  defer,
  distinctUntilChanged,
  EMPTY,
  expand,
  map,
  of,
  switchMap,
  tap,
  timeout,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';

/** The last value that was read. */
export interface Reading<V> {
  readonly value: V;
  /** When the value was received, in milliseconds since the epoch. */
  readonly at: number;
}

interface Kept<V> {
  readonly latest: Reading<V> | undefined;
  /** The number of requests in a row that failed. */
  readonly failures: number;
}

/** The state of a poll. The poll ends if the API is missing or may not be read. */
export type Poll<V> =
  | ({ readonly name: 'asking-rights' | 'reading' } & Kept<V>)
  | ({ readonly name: 'waiting'; readonly until: number } & Kept<V>)
  | { readonly name: 'absent' }
  | { readonly name: 'refused' };

export type PollInput<V> =
  | { readonly type: 'right'; readonly right: Right }
  | { readonly type: 'answer'; readonly value: V; readonly at: number }
  /** `status` is the status code of the answer; `undefined` if there was none. */
  | { readonly type: 'failure'; readonly status: number | undefined; readonly at: number }
  | { readonly type: 'due' };

/**
 * Milliseconds between two reads: metrics-server measures every 15 s. After failures the wait
 * grows, up to two minutes.
 */
export const period = 15_000;
const maxWait = 120_000;
/** Milliseconds after which an unanswered request counts as failed. */
export const patience = 30_000;

/** Returns the next state of the poll. Pure. */
export function step<V>(poll: Poll<V>, input: PollInput<V>): Poll<V> {
  if (poll.name === 'absent' || poll.name === 'refused') return poll;
  const { latest, failures } = poll;
  switch (input.type) {
    case 'right':
      return input.right === 'denied' ? { name: 'refused' } : { name: 'reading', latest, failures };
    case 'answer':
      return { name: 'waiting', until: input.at + period, latest: { value: input.value, at: input.at }, failures: 0 };
    case 'failure': {
      if (input.status === 403) return { name: 'refused' };
      if (input.status === 404) return { name: 'absent' };
      const wait = Math.min(maxWait, period * 2 ** failures);
      return { name: 'waiting', until: input.at + wait, latest, failures: failures + 1 };
    }
    case 'due':
      return { name: 'reading', latest, failures };
  }
}

export interface PollOptions<V> {
  /** Emits once whether the user may read; never fails. */
  readonly right$: Observable<Right>;
  /** Reads once. */
  readonly read$: Observable<V>;
  /**
   * While it emits true, nothing is requested. Afterwards the poll continues from its last state.
   */
  readonly paused$: Observable<boolean>;
  readonly scheduler?: SchedulerLike;
}

/**
 * Emits the state of the poll, and each change of it. Share the observable: each subscription polls
 * by itself, although it continues from the last state.
 */
export function polling<V>({
  right$,
  read$,
  paused$,
  scheduler = asyncScheduler,
}: PollOptions<V>): Observable<Poll<V>> {
  let last: Poll<V> = { name: 'asking-rights', latest: undefined, failures: 0 };
  const inputAfter = (poll: Poll<V>): Observable<PollInput<V>> => {
    switch (poll.name) {
      case 'asking-rights':
        return right$.pipe(map((right) => ({ type: 'right', right })));
      case 'reading':
        return read$.pipe(
          timeout({ first: patience, scheduler }),
          map((value): PollInput<V> => ({ type: 'answer', value, at: scheduler.now() })),
          catchError((error: unknown) => {
            const status = error instanceof StatusError ? error.statusCode : undefined;
            return of<PollInput<V>>({ type: 'failure', status, at: scheduler.now() });
          }),
        );
      case 'waiting':
        return timer(Math.max(0, poll.until - scheduler.now()), scheduler).pipe(map(() => ({ type: 'due' })));
      case 'absent':
      case 'refused':
        return EMPTY;
    }
  };
  const running$ = defer(() => of(last)).pipe(
    expand((poll) => inputAfter(poll).pipe(map((input) => step(poll, input)))),
    tap((poll) => {
      last = poll;
    }),
  );
  return paused$.pipe(
    distinctUntilChanged(),
    switchMap((isPaused) => (isPaused ? defer(() => of(last)) : running$)),
  );
}
