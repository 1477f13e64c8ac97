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
import { conflateChanges } from '../operators/conflate-changes.js';
import type { ChangeSet } from '../store/change.js';

/**
 * Lets the first value through at once, and after it the latest one with each frame: for what is drawn.
 *
 * | in | out |
 * | --- | --- |
 * | the first value | the same, at once: a view that has its state need not draw nothing first |
 * | later values, before the next frame | the last of them, with that frame |
 * | completion | completion, after what waits for its frame |
 * | an error | the same, at once; what waits is dropped |
 *
 * **Guarantees**: one value a frame, and the last one always comes; holds one value; asks for a frame only when there is something to draw.
 * **Does not guarantee**: that values between frames are seen (`conflateFrames` adds up changes); that a hidden page, which draws no frames,
 * emits anything until it is shown (in Node, every 16 ms).
 *
 * @param scheduler as for `frame`
 * @example
 * podInformer.byIndex$('node', 'worker-1').pipe(coalesceFrames()).subscribe((pods) => console.log(pods.length));
 */
export function coalesceFrames<T>(scheduler?: SchedulerLike): MonoTypeOperatorFunction<T> {
  return (value$) =>
    defer(() => {
      const release$ = firstAtOnce(defer(() => frame(scheduler)));
      return value$.pipe(audit(() => release$));
    });
}

/**
 * Lets the first change set, the state, through at once, and after it one set with each frame: what has changed since the last one, merged by
 * the table of `mergeChangeSets`. What has cancelled out is not emitted.
 *
 * **Guarantees**: applying what comes out leaves the same content as applying everything; holds at most one pending entry a key (G11); asks
 * for a frame only when there is something to draw; a completion comes after what is pending.
 * **Does not guarantee**: that steps between two frames are seen.
 *
 * @param scheduler as for `frame`
 * @example
 * podInformer.changes$.pipe(conflateFrames()).subscribe(({ changes }) => console.log(changes.length));
 */
export function conflateFrames<T>(scheduler?: SchedulerLike): MonoTypeOperatorFunction<ChangeSet<T>> {
  return (set$) => defer(() => set$.pipe(conflateChanges({ release: firstAtOnce(defer(() => frame(scheduler))) })));
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
export function frame(scheduler: SchedulerLike = frameScheduler()): Observable<0> {
  return timer(scheduler === animationFrameScheduler ? 0 : FRAME, scheduler);
}

function frameScheduler(): SchedulerLike {
  return 'requestAnimationFrame' in globalThis ? animationFrameScheduler : asyncScheduler;
}

/** What the first subscriber need not wait for, and every later one must. */
export function firstAtOnce(wait$: Observable<unknown>): Observable<unknown> {
  let isFirst = true;
  const isForFirst = (): boolean => {
    const wasFirst = isFirst;
    isFirst = false;
    return wasFirst;
  };
  return iif(isForFirst, of(undefined), wait$);
}
