import { audit, defer, type MonoTypeOperatorFunction, type SchedulerLike } from 'rxjs';
import { firstAtOnce } from './first-at-once.js';
import { frame } from './frame.js';

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
