import {
  audit,
  defaultIfEmpty,
  defer,
  filter,
  map,
  type MonoTypeOperatorFunction,
  type Observable,
  of,
  type SchedulerLike,
  tap,
  timer,
} from 'rxjs';
import { RxInformersError } from '../kubernetes/errors.js';
import { checkedDuration, steady } from '../scheduling/clock.js';
import { type ChangeSet } from '../store/change.js';
import { ChangeAccumulator } from '../store/merge-change-sets.js';

/** When `conflateChanges` emits the pending changes, and how many keys may be pending. */
export type ConflateChangesOptions = ConflateEvery | ConflateUntilRelease;

/** Emits pending changes a fixed time after the first pending change. */
interface ConflateEvery extends ConflateLeading {
  /**
   * The period in milliseconds. At most one set is emitted in each period. A longer period means
   * fewer and later sets.
   */
  readonly every: number;
  /** The clock (default `asyncScheduler`); tests pass their own. */
  readonly scheduler?: SchedulerLike | undefined;
  readonly release?: undefined;
}

/** Emits pending changes when an Observable emits. */
interface ConflateUntilRelease extends ConflateLeading {
  /**
   * The operator subscribes to this Observable when a change becomes pending. Its first value or
   * its completion emits the change set and ends the subscription. `animationFrames()` emits one
   * set per frame, and requests no frame while nothing is pending.
   */
  readonly release: Observable<unknown>;
  readonly every?: undefined;
}

/** Options for the first change set. */
interface ConflateLeading extends ConflateLimit {
  /**
   * If true, the first change set, which contains the state, is emitted at once, and only later
   * change sets wait. A view then shows no empty frame at the start. Default false.
   */
  readonly leading?: boolean | undefined;
}

/** The limit on pending keys. */
export interface ConflateLimit {
  /**
   * The largest number of pending keys. If more keys are pending, the stream fails with
   * `RXI_BUFFER_OVERFLOW`. Default `Infinity`.
   */
  readonly maxKeys?: number | undefined;
}

/**
 * Collects change sets and emits them merged, with the latest state of each key. Use it for
 * consumers that render, print, or need few sets for another reason.
 *
 * | pending | arrives | pending afterwards |
 * | --- | --- | --- |
 * | added | updated | added, with the newest object |
 * | added | deleted | nothing |
 * | updated | updated | updated, with the oldest `previous` and the newest object |
 * | updated | deleted | deleted |
 * | deleted | added, same uid | updated |
 * | deleted | added, another uid | the deletion and the addition |
 *
 * The reason of an emitted set is the most significant of its pending sets, in this order:
 * `initial`, `relist`, `watch`, `resync`. Changes that cancel each other out are not emitted. When
 * the source completes, pending changes are emitted with the next release. `conflateMap` is for
 * consumers that work asynchronously. docs/how-to/fewer-emissions.md compares all operators that
 * emit less.
 *
 * **Guarantees**: holds at most one pending entry per key, however fast changes arrive (G11);
 * applying the emitted sets has the same result as applying all incoming sets; no timer while
 * nothing is pending.
 * **Does not guarantee**: that states between two emissions are seen.
 * **Errors**: `RXI_BUFFER_OVERFLOW`, which only this consumer receives; an error of the source or
 * of `release` is passed on at once.
 *
 * @param options when to emit, and how many keys may wait; see {@link ConflateChangesOptions}
 * @returns an operator on change sets
 * @example
 * informer.changes$
 *   .pipe(conflateChanges({ every: 100 }))
 *   .subscribe(({ changes }) => console.log(changes.length));
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
          if (pending.size > maxKeys) throw bufferOverflowError(maxKeys);
        }),
        filter(() => pending.hasNews),
        audit(wait),
        map(() => pending.takeNews()),
        filter((set) => set !== undefined),
      );
    });
}

function releaseOf(options: ConflateChangesOptions): Observable<unknown> {
  if (options.release) return options.release;
  return timer(checkedDuration('every', options.every), steady(options.scheduler));
}

export function bufferOverflowError(maxKeys: number): RxInformersError<'RXI_BUFFER_OVERFLOW'> {
  const message = `a subscriber fell behind by more than ${maxKeys} keys; raise maxKeys, or make the subscriber faster`;
  return new RxInformersError('RXI_BUFFER_OVERFLOW', message, { maxKeys });
}
