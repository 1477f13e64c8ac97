import { ReplaySubject, share, type Observable, type SchedulerLike } from 'rxjs';
import { steady } from '../time/steady.js';
import type { Collection } from '../informer/collection.js';
import { checkedDuration } from '../operators/checked-duration.js';
import type { ChangeSet } from '../store/change.js';
import { coalesceFrames } from '../views/frames/coalesce-frames.js';
import { conflateFrames } from '../views/frames/conflate-frames.js';
import { pauseChangesWhile } from '../views/frames/pause-changes-while.js';
import { pauseWhile } from '../views/frames/pause-while.js';
import { tabHidden$ } from '../views/frames/tab-hidden.js';

/** When components hear of what has changed, and for how long what they left is kept. */
export interface PaceOptions {
  /**
   * For how many milliseconds the stream of a hook stays subscribed after the last component that
   * used it has gone. Default 5000: long enough to go to another page and back. The informer stays
   * connected for its own `linger` (default 1 s) after that. At most 2^31 - 1.
   */
  readonly linger?: number | undefined;
  /** While this says `true` nothing is drawn, and everything at once afterwards. Default `tabHidden$()`; `of(false)` draws in hidden tabs as well. */
  readonly paused$?: Observable<boolean> | undefined;
  /** What gives the frames that changes are drawn with; as for `frame`. */
  readonly frameScheduler?: SchedulerLike | undefined;
  /** The clock of lingering (default `asyncScheduler`); a test gives its own. */
  readonly scheduler?: SchedulerLike | undefined;
}

/** `PaceOptions` with nothing left open. What hooks share is shared by those of one pace. */
export interface Pace {
  readonly linger: number;
  readonly scheduler: SchedulerLike;
  /** For values of which the latest counts. */
  readonly latest: <V>(value$: Observable<V>) => Observable<V>;
  /** For change sets, which are added up. */
  readonly changes: <T>(set$: Observable<ChangeSet<T>>) => Observable<ChangeSet<T>>;
}

/** Throws `RangeError` for a `linger` that no timer can wait. */
export function paceOf(options: PaceOptions): Pace {
  const { linger = 5000, paused$ = tabHidden$(), frameScheduler } = options;
  // A page of ten thousand rows listens to its document once.
  const shared$ = paused$.pipe(share({ connector: () => new ReplaySubject<boolean>(1) }));
  return {
    linger: checkedDuration('linger', linger),
    scheduler: steady(options.scheduler),
    latest: (value$) => value$.pipe(pauseWhile(shared$), coalesceFrames(frameScheduler)),
    changes: (set$) => set$.pipe(pauseChangesWhile(shared$), conflateFrames(frameScheduler)),
  };
}

/** Something for each collection and pace, made when it is first asked for, and forgotten with them. */
export function onceForEach<V>(
  make: (collection: Collection<unknown>, pace: Pace) => V,
): (collection: object, pace: Pace) => V {
  const made = new WeakMap<Pace, WeakMap<object, V>>();
  return (collection, pace) => {
    const ofPace = made.get(pace) ?? new WeakMap<object, V>();
    made.set(pace, ofPace);
    const known = ofPace.get(collection);
    if (known !== undefined) return known;
    const value = make(collection as Collection<unknown>, pace);
    ofPace.set(collection, value);
    return value;
  };
}
