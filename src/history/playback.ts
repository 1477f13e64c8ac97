import { Observable, type Subscription } from 'rxjs';
import { internalsOf } from '../collections/log-collection.js';
import type { DerivedCollection, DerivedOptions } from '../derived/core/derived-collection.js';
import { invalidOptionError } from '../kubernetes/errors.js';
import type { ChangeSet } from '../store/change.js';
import type { HistoryClock } from './history-clock.js';
import { collectionOf, movableTime, shownKey, type MovableTime } from './movable-time.js';
import type { HistoryVersion, RecordedVersion } from './version-log.js';

/** Which part of a history to play, and how fast. */
export interface Playback {
  /** The beginning: a version, or a time in milliseconds since 1970 or as a `Date`. */
  readonly from: HistoryVersion | number | Date;
  /** Where the stream completes. Default: it catches up, and continues with live changes. */
  readonly to?: HistoryVersion | number | Date | undefined;
  /** With 2, playback is twice as fast. Default 1, which never catches up with the present. */
  readonly speed?: number | undefined;
}

/** The part of a history that can be played. */
interface Playable<T> {
  view(time: MovableTime, options: DerivedOptions<T>): DerivedCollection<T>;
  /** Returns the first version after a moment of elapsed time. */
  after(moment: number): RecordedVersion<T> | undefined;
}

/** The distance from the present, in milliseconds, below which playback continues live. */
const nearlyLive = 50;

/**
 * Plays a history with a separate view. It moves the time of this view from version to version. All
 * positions are elapsed times.
 */
export function playBack<T>(
  played: Playable<T>,
  { from, to, speed = 1 }: Playback,
  clock: HistoryClock,
): Observable<ChangeSet<T>> {
  if (!(speed > 0 && speed < Infinity)) throw invalidOptionError('speed', speed, 'above 0');
  return new Observable((subscriber) => {
    const { scheduler } = clock;
    const time = movableTime({ scheduler });
    const view = played.view(time, { linger: 0, scheduler });
    const began = { at: clock.now(), position: clock.momentOf(timeOf(from)) };
    const end = to === undefined ? Infinity : clock.momentOf(timeOf(to));
    let position = began.position;
    let timer: Subscription | undefined;

    const completeWhenShown = (): void => {
      internalsOf(view).log.inTurn(() => {
        const shown = internalsOf(collectionOf(time)).log.announced.get(shownKey)?.time;
        // The beginning may be after the end.
        if (shown !== undefined && shown === time.time) subscriber.complete();
        else completeWhenShown();
      });
    };
    const playOn = (): void => {
      const next = played.after(position);
      const due = Math.min(next?.moment ?? Math.max(clock.now(), position), end);
      const reached = began.position + (clock.now() - began.at) * speed;
      timer = scheduler.schedule(() => arriveAt(due), Math.max((due - reached) / speed, 0));
    };
    const arriveAt = (due: number): void => {
      position = due;
      time.moveTo(clock.timeOf(position));
      if (position >= end) {
        completeWhenShown();
        return;
      }
      if (subscriber.closed) return;
      const isLive = clock.now() - position < nearlyLive;
      if (isLive && played.after(position) === undefined) continueLive();
      else playOn();
    };
    const continueLive = (): void => {
      time.moveTo(undefined);
      if (end === Infinity || subscriber.closed) return;
      timer = scheduler.schedule(() => arriveAt(end), Math.max(end - clock.now(), 0));
    };

    subscriber.add(() => timer?.unsubscribe());
    time.moveTo(clock.timeOf(position));
    subscriber.add(view.changes$.subscribe(subscriber));
    // The subscriber may have unsubscribed when it received the state.
    if (subscriber.closed) return;
    if (position >= end) completeWhenShown();
    else playOn();
  });
}

function timeOf(moment: HistoryVersion | number | Date): number {
  return typeof moment === 'object' && 'version' in moment ? moment.time : Number(moment);
}
