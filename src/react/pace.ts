import { useDeferredValue, useEffect, useLayoutEffect, useSyncExternalStore } from 'react';
import {
  defer,
  merge,
  of,
  ReplaySubject,
  share,
  Subject,
  switchMap,
  take,
  tap,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { invalidOptionError } from '../kubernetes/errors.js';
import { conflateChanges } from '../operators/conflate-changes.js';
import { checkedDuration, maxTimer, steady } from '../scheduling/clock.js';
import type { ChangeSet } from '../store/change.js';
import { coalesce, nextFrame } from '../views/frames.js';
import { pauseChangesWhile, pauseWhile, tabHidden$ } from '../views/pause-while.js';

/** When components render again, and how long an unused stream stays subscribed. */
export interface PaceOptions {
  /**
   * The largest number of renders in a second. Default: one for each frame of the display. A change
   * after a pause is still rendered with the next frame. With a smaller number, rendering costs
   * less and is up to 1000 / `atMost` ms later.
   */
  readonly atMost?: number | undefined;
  /**
   * How many milliseconds the stream of a hook stays subscribed after the last component that used
   * it was unmounted. Default 5000: long enough to go to another page and back. The informer stays
   * connected for its own `linger` (default 1 s) after that. At most 2^31 - 1.
   */
  readonly linger?: number | undefined;
  /**
   * Emits `true` to pause rendering. After a pause, all changes are rendered at once. Default
   * `tabHidden$()`. With `of(false)`, hidden tabs are rendered too.
   */
  readonly paused$?: Observable<boolean> | undefined;
  /** The scheduler of the frames in which changes are rendered, as for `frame`. */
  readonly frameScheduler?: SchedulerLike | undefined;
  /** The clock of `linger` and of `atMost`. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/** `PaceOptions` with all defaults. Hooks share a stream if they have the same pace. */
export interface CheckedPace {
  readonly linger: number;
  readonly scheduler: SchedulerLike;
  readonly frames: Frames;
  /** The operator for values. Emits the latest value of each frame, and nothing during a pause. */
  readonly latest: <V>(value$: Observable<V>) => Observable<V>;
  /** Emits one merged change set for each frame, and nothing during a pause. */
  readonly changes: <T>(set$: Observable<ChangeSet<T>>) => Observable<ChangeSet<T>>;
}

/**
 * @throws `RXI_INVALID_OPTION` for a `linger` that is too long for a timer, and for an `atMost`
 *   that is not positive
 */
export function paceOf(options: PaceOptions): CheckedPace {
  const { linger = 5000, paused$ = tabHidden$(), frameScheduler, atMost = Infinity } = options;
  if (!(atMost >= 1000 / maxTimer)) throw invalidOptionError('atMost', atMost, 'a number above 0');
  const scheduler = steady(options.scheduler);
  const frames = new Frames(nextFrame(frameScheduler), 1000 / atMost, scheduler);
  // The stream is shared, so that a page with ten thousand rows has only one listener on its
  // document.
  const shared$ = paused$.pipe(share({ connector: () => new ReplaySubject<boolean>(1) }));
  return {
    linger: checkedDuration('linger', linger),
    scheduler,
    frames,
    latest: (value$) => value$.pipe(pauseWhile(shared$), coalesce(frames.next$)),
    changes: (set$) => set$.pipe(pauseChangesWhile(shared$), conflateChanges({ release: frames.next$, leading: true })),
  };
}

/**
 * The longest time in milliseconds that a frame waits for React. A suspended transition is
 * committed only when its data has arrived, and the page must continue to update until then. After
 * `PATIENCE`, frames no longer wait for React. They wait again when React has caught up.
 */
const PATIENCE = 1000;

/**
 * The frames of one pace. The next frame waits until React has committed the last frame, including
 * transitions and deferred values, which have a lower priority.
 *
 * React renders a change of an external store at once, and then restarts an interrupted transition
 * or deferred render. With a change in each frame, such a render would never end if it takes longer
 * than a frame. So each frame is followed by a deferred render of `FrameProbe`. React commits this
 * render only after the transitions and deferred values of the same root.
 */
export class Frames {
  #released = 0;
  #releasedAt = -Infinity;
  /** True while the next frame waits until React has committed the last frame. */
  #isAwaited = false;
  /** The frame for which React took too long, until React commits it. */
  #late: number | undefined;
  #upcoming: Observable<unknown> | undefined;
  readonly #changed = new Subject<void>();
  readonly #committed = new Subject<void>();

  constructor(
    private readonly frame$: Observable<unknown>,
    private readonly interval: number,
    private readonly scheduler: SchedulerLike,
  ) {}

  /** Emits once, with the next frame, for all subscribers together, and completes. */
  readonly next$: Observable<unknown> = defer(() => (this.#upcoming ??= this.#following()));

  /** Returns the number of the last frame. */
  readonly released = (): number => this.#released;

  /** Calls a listener with each frame. Frames wait for React only while there is a listener. */
  readonly subscribe = (listener: () => void): (() => void) => {
    const listening = this.#changed.subscribe(listener);
    return () => {
      listening.unsubscribe();
      this.#committed.next();
    };
  };

  /** Allows the next frame if React has committed the last frame. */
  commit(released: number): void {
    if (released >= (this.#late ?? released)) this.#late = undefined;
    if (released !== this.#released) return;
    this.#isAwaited = false;
    this.#committed.next();
  }

  #following(): Observable<unknown> {
    return defer(() => this.#turn()).pipe(
      switchMap(() => this.frame$),
      take(1),
      tap(() => {
        // Clear this first, so that a request during this frame is for the following frame.
        this.#upcoming = undefined;
        this.#release();
      }),
      share(),
    );
  }

  /** Emits when the interval is over and React has committed the last frame or takes too long. */
  #turn(): Observable<unknown> {
    const isAwaited = this.#isAwaited && this.#changed.observed;
    const late$ = this.#until(PATIENCE).pipe(tap(() => (this.#late = this.#released)));
    const committed$ = isAwaited ? merge(this.#committed, late$).pipe(take(1)) : of(0);
    return committed$.pipe(switchMap(() => (this.interval > 0 ? this.#until(this.interval) : of(0))));
  }

  /** Emits a number of milliseconds after the last frame. */
  #until(milliseconds: number): Observable<unknown> {
    return timer(Math.max(0, this.#releasedAt + milliseconds - this.scheduler.now()), this.scheduler);
  }

  #release(): void {
    this.#releasedAt = this.scheduler.now();
    if (!this.#changed.observed) return;
    this.#released += 1;
    this.#isAwaited = this.#late === undefined;
    this.#changed.next();
  }
}

/**
 * Renders nothing, but is rendered at low priority with each frame. When React commits this
 * component, React has committed all other work of that priority as well.
 */
export function FrameProbe({ frames }: { readonly frames: Frames }): null {
  const committed = useDeferredValue(useSyncExternalStore(frames.subscribe, frames.released, zero));
  useBeforePaint(() => frames.commit(committed), [frames, committed]);
  return null;
}

function zero(): number {
  return 0;
}

/** Before the browser paints; `useEffect` on a server, where React 18 warns otherwise. */
export const useBeforePaint = typeof document === 'undefined' ? useEffect : useLayoutEffect;
