import {
  audit,
  defaultIfEmpty,
  defer,
  filter,
  map,
  of,
  tap,
  timer,
  type MonoTypeOperatorFunction,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { steady, checkedDuration } from '../time/clock.js';
import type { ChangeSet } from '../store/change.js';
import { ChangeAccumulator } from '../store/merge-change-sets.js';
import { RxInformersError } from '../kubernetes/errors.js';

/** When `conflateChanges` lets go of what it has gathered, and how much it may gather. */
export type ConflateChangesOptions = ConflateEvery | ConflateUntilRelease;

/** Let go a fixed time after the first pending change. */
export interface ConflateEvery extends ConflateLeading {
  /** Milliseconds; at most one set comes out in each. Longer is fewer sets, and later ones. */
  readonly every: number;
  /** The clock (default `asyncScheduler`); a test gives its own. */
  readonly scheduler?: SchedulerLike | undefined;
  readonly release?: undefined;
}

/** Let go when somebody says so. */
export interface ConflateUntilRelease extends ConflateLeading {
  /**
   * Subscribed when a change becomes pending, until its first value or completion, which lets go: `animationFrames()`
   * gives one set a frame, and asks for no frames while nothing happens.
   */
  readonly release: Observable<unknown>;
  readonly every?: undefined;
}

/** When the first set comes out. */
export interface ConflateLeading extends ConflateLimit {
  /**
   * True: the first change set, the state, comes out at once, and only later ones wait. A view then
   * draws its state without an empty frame before it. Default false.
   */
  readonly leading?: boolean | undefined;
}

/** How much may wait. */
export interface ConflateLimit {
  /** How many keys may be pending (default `Infinity`: as many as there are). One more is a `BufferOverflowError`. */
  readonly maxKeys?: number | undefined;
}

/**
 * Gathers change sets and lets them go merged, for consumers that draw, print, or otherwise want few sets: the latest
 * for each key.
 *
 * | pending | comes in | pending then |
 * | --- | --- | --- |
 * | added | updated | added, with the newest object |
 * | added | deleted | nothing |
 * | updated | updated | updated, oldest `previous`, newest object |
 * | updated | deleted | deleted |
 * | deleted | added, same uid | updated |
 * | deleted | added, another uid | both |
 *
 * The reason is the weightiest pending one: `initial`, `relist`, `watch`, `resync`. What has cancelled out is not
 * emitted. When the source completes, what is pending goes out with the next release. `conflateMap` is for consumers
 * that work asynchronously. docs/fewer-emissions.md compares all operators that emit less.
 *
 * **Guarantees**: holds at most one pending entry a key, whatever the rate (G11); applying what comes out leaves a
 * consumer with the same content as applying everything; no timer while nothing is pending.
 * **Does not guarantee**: that steps between two releases are seen.
 * **Errors**: `BufferOverflowError`, to this consumer only; an error of the source or of `release` is passed on at once.
 *
 * @example
 * informer.changes$.pipe(conflateChanges({ every: 100 })).subscribe(({ changes }) => console.log(changes.length))
 */
export function conflateChanges<T>(options: ConflateChangesOptions): MonoTypeOperatorFunction<ChangeSet<T>> {
  const { maxKeys = Infinity, leading = false } = options;
  const release$ = releaseOf(options);
  return (sets$) =>
    defer(() => {
      const pending = new ChangeAccumulator<T>();
      let isFirst = leading;
      const wait = (): Observable<unknown> => {
        if (!isFirst) return release$.pipe(defaultIfEmpty(undefined));
        isFirst = false;
        return of(undefined);
      };
      return sets$.pipe(
        tap((set) => {
          pending.add(set);
          if (pending.size > maxKeys) throw new BufferOverflowError(maxKeys);
        }),
        filter(() => pending.hasNews),
        audit(wait),
        filter(() => pending.hasNews),
        map(() => pending.take()),
      );
    });
}

function releaseOf(options: ConflateChangesOptions): Observable<unknown> {
  if (options.release) return options.release;
  return timer(checkedDuration('every', options.every), steady(options.scheduler));
}

/**
 * A subscriber fell so far behind that more keys were waiting for it than it had allowed; only its
 * own stream ends (G11).
 *
 * **What to do**: Subscribe again to start from the current state. Raise the limit, or do the work
 * elsewhere: in a queue or a worker.
 */
export class BufferOverflowError extends RxInformersError {
  static override readonly code = 'RXI_BUFFER_OVERFLOW';
  override readonly name = 'BufferOverflowError';
  constructor(
    /** The limit that was passed. */
    readonly maxKeys: number,
  ) {
    super(
      `changes of more than ${maxKeys} keys were waiting for a slow consumer; allow more (maxKeys), or make it faster`,
    );
  }
}
