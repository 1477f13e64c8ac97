import { animationFrameScheduler, asyncScheduler, timer, type Observable, type SchedulerLike } from 'rxjs';

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
