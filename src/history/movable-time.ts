import { map, type Observable, type SchedulerLike } from 'rxjs';
import type { Collection } from '../collections/collection.js';
import { createIndexer } from '../collections/indexer.js';
import { internalsOf } from '../collections/log-collection.js';
import { invalidOptionError } from '../kubernetes/errors.js';

/** The time that views of histories show. Create it with `movableTime`. */
export interface MovableTime {
  /**
   * The time of the last `moveTo`, in milliseconds since 1970; `undefined` means live. While this
   * move waits, the views still show the previous time.
   */
  readonly time: number | undefined;
  /**
   * Emits the shown time to each new subscriber, and then each new time. A new time is emitted in
   * the same announcement as the changes of the views.
   */
  readonly time$: Observable<number | undefined>;
  /**
   * Shows another time; `undefined` goes back to live. All views move in one announcement.
   *
   * While an earlier move is still being computed, the new move waits. It replaces any other move
   * that is waiting.
   *
   * @throws `RXI_INVALID_OPTION` if `time` is not a valid time
   */
  moveTo(time: number | Date | undefined): void;
}

/** The only row of a collection: a move is its commit, which all views follow at once. */
export interface Shown {
  readonly time: number | undefined;
}

/** The key of the row. */
export const shownKey = 'shown';

/** Implements a movable time as a collection of one row, which is an input of all views. */
class TimeCollection implements MovableTime {
  readonly collection: Collection<Shown>;
  readonly time$: Observable<number | undefined>;
  readonly #show: (shown: Shown) => void;
  #wanted: number | undefined;

  constructor(scheduler: SchedulerLike | undefined) {
    // Its subscribers are views, which are not reported as slow.
    const onSlowSubscriber = (): void => undefined;
    const rows = createIndexer<Shown>(() => shownKey, {}, { name: 'time', scheduler, onSlowSubscriber });
    rows.add({ time: undefined });
    this.collection = rows;
    this.time$ = rows.get$(shownKey).pipe(map((shown) => shown?.time));
    this.#show = (shown) => rows.add(shown);
    // After the views: if a subscriber of one moves the time again, that is announced next.
    rows.get$(shownKey).subscribe(() => this.#move());
  }

  get time(): number | undefined {
    return this.#wanted;
  }

  moveTo(time: number | Date | undefined): void {
    const wanted = time === undefined ? undefined : Number(time);
    if (Number.isNaN(wanted)) throw invalidOptionError('the time of moveTo', time, 'in milliseconds since 1970');
    this.#wanted = wanted;
    this.#move();
  }

  #move(): void {
    const { latest, announced } = internalsOf(this.collection).log;
    if (latest !== announced || announced.get(shownKey)?.time === this.#wanted) return;
    this.#show({ time: this.#wanted });
  }
}

/**
 * Creates a time that can be moved. It is live at first. Views of any number of histories
 * (`collectionHistory(…).view(time)`) move together with it, so no subscriber sees the pods of one
 * time with the nodes of another.
 *
 * @param options the scheduler of its collection; default `asyncScheduler`
 * @returns a time that is live
 * @example
 * import { movableTime } from 'rx-informers/history';
 *
 * const time = movableTime();
 * time.moveTo(Date.now() - 60_000);
 * time.moveTo(undefined);
 */
export function movableTime({ scheduler }: { readonly scheduler?: SchedulerLike | undefined } = {}): MovableTime {
  return new TimeCollection(scheduler);
}

/** Throws `RXI_INVALID_OPTION` if `time` was not created by `movableTime`. */
export function collectionOf(time: MovableTime): Collection<Shown> {
  if (time instanceof TimeCollection) return time.collection;
  throw invalidOptionError('time', time, 'created by movableTime()');
}
