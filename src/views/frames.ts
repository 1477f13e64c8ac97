import {
  audit,
  defer,
  type MonoTypeOperatorFunction,
  type SchedulerLike,
  animationFrameScheduler,
  asyncScheduler,
  timer,
  type Observable,
  iif,
  of,
} from 'rxjs';

/**
 * Emits the first value at once, and then the latest value of each frame. Use it for values that
 * are rendered. See docs/how-to/fewer-emissions.md for the alternatives.
 *
 * | in | out |
 * | --- | --- |
 * | the first value | the same, at once, so that no empty view is drawn first |
 * | later values | the last value before the next frame, with that frame |
 * | completion | completion, after a value that waits for its frame |
 * | an error | the same, at once; a waiting value is dropped |
 *
 * **Guarantees**: at most one value per frame, and the last value is always emitted; holds one
 * value; requests a frame only when a value waits. **Does not guarantee**: that intermediate values
 * are seen (for change sets, use `conflateChanges({ release: nextFrame(), leading: true })`); that
 * a hidden page emits anything, because it draws no frames until it is shown. In Node, a frame is
 * 16 ms.
 *
 * @param scheduler as for `nextFrame`
 * @returns an operator on any values
 * @example
 * podInformer
 *   .byIndex$('node', 'worker-1')
 *   .pipe(coalesceFrames())
 *   .subscribe((pods) => console.log(pods.length));
 */
export function coalesceFrames<T>(scheduler?: SchedulerLike): MonoTypeOperatorFunction<T> {
  return coalesce(nextFrame(scheduler));
}

/** Emits the first value, then the latest at each `release$`, used only while one waits. */
export function coalesce<T>(release$: Observable<unknown>): MonoTypeOperatorFunction<T> {
  return (value$) =>
    defer(() => {
      const next$ = firstAtOnce(release$);
      return value$.pipe(audit(() => next$));
    });
}

/** The milliseconds of a frame at 60 Hz, for environments without a display. */
const FRAME = 16;

/**
 * Emits once, with the next frame, and completes.
 *
 * A page draws a frame when its display is ready for it. A hidden page draws no frames. Without
 * `requestAnimationFrame` (in Node, and in some workers), a frame is 16 ms.
 *
 * **Guarantees**: requests no frame before it is subscribed to; unsubscribing cancels the request.
 *
 * @param scheduler the scheduler of the frames; default `animationFrameScheduler` if the
 *   environment has animation frames, otherwise `asyncScheduler`. On all schedulers except
 *   `animationFrameScheduler`, a frame is 16 ms
 * @returns an Observable of one value
 * @example
 * nextFrame().subscribe(() => console.log('the browser is about to draw'));
 */
export function nextFrame(scheduler?: SchedulerLike): Observable<0> {
  return defer(() => {
    const clock = scheduler ?? frameScheduler();
    return timer(clock === animationFrameScheduler ? 0 : FRAME, clock);
  });
}

function frameScheduler(): SchedulerLike {
  return 'requestAnimationFrame' in globalThis ? animationFrameScheduler : asyncScheduler;
}

/** Emits at once for the first subscriber. For each later subscriber, emits when `wait$` emits. */
function firstAtOnce(wait$: Observable<unknown>): Observable<unknown> {
  let isFirst = true;
  const isForFirst = (): boolean => {
    const wasFirst = isFirst;
    isFirst = false;
    return wasFirst;
  };
  return iif(isForFirst, of(undefined), wait$);
}
