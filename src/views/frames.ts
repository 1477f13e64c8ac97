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
 * Emits the first value at once, and then the latest one with each frame: for what is drawn. See
 * docs/fewer-emissions.md for the alternatives.
 *
 * | in | out |
 * | --- | --- |
 * | the first value | the same, at once: a view that has its state need not draw nothing first |
 * | later values, before the next frame | the last of them, with that frame |
 * | completion | completion, after what waits for its frame |
 * | an error | the same, at once; what waits is dropped |
 *
 * **Guarantees**: one value a frame, and the last one always comes; holds one value; asks for a frame only when there is something to draw.
 * **Does not guarantee**: that values between frames are seen (for change sets, `conflateChanges({ release: frame(), leading: true })`); that a hidden page, which draws no frames,
 * emits anything until it is shown (in Node, every 16 ms).
 *
 * @param scheduler as for `frame`
 * @example
 * podInformer.byIndex$('node', 'worker-1').pipe(coalesceFrames()).subscribe((pods) => console.log(pods.length));
 */
export function coalesceFrames<T>(scheduler?: SchedulerLike): MonoTypeOperatorFunction<T> {
  return (value$) =>
    defer(() => {
      const release$ = firstAtOnce(frame(scheduler));
      return value$.pipe(audit(() => release$));
    });
}

/** Milliseconds of a frame at 60 Hz, where there is no display to ask. */
const FRAME = 16;

/**
 * Emits with the next frame, once, and completes.
 *
 * A page draws a frame when its display is ready for one, and none while it is hidden. Where there is no `requestAnimationFrame` (in
 * Node, in a worker that has none), a frame is 16 ms.
 *
 * **Guarantees**: asks for no frame before it is subscribed to; unsubscribing takes the request back.
 *
 * @param scheduler default `animationFrameScheduler` where there are animation frames, else `asyncScheduler`; on any other than the first, a
 * test's own included, a frame is 16 ms
 * @example
 * frame().subscribe(() => console.log('the browser is about to draw'));
 */
export function frame(scheduler?: SchedulerLike): Observable<0> {
  return defer(() => {
    const clock = scheduler ?? frameScheduler();
    return timer(clock === animationFrameScheduler ? 0 : FRAME, clock);
  });
}

function frameScheduler(): SchedulerLike {
  return 'requestAnimationFrame' in globalThis ? animationFrameScheduler : asyncScheduler;
}

/** Emits at once for the first subscriber, and when `wait$` does for every later one. */
function firstAtOnce(wait$: Observable<unknown>): Observable<unknown> {
  let isFirst = true;
  const isForFirst = (): boolean => {
    const wasFirst = isFirst;
    isFirst = false;
    return wasFirst;
  };
  return iif(isForFirst, of(undefined), wait$);
}
