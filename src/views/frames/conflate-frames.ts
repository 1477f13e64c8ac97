import { defer, type MonoTypeOperatorFunction, type SchedulerLike } from 'rxjs';
import { conflateChanges } from '../../operators/conflate-changes.js';
import type { ChangeSet } from '../../store/change.js';
import { firstAtOnce } from './first-at-once.js';
import { frame } from './frame.js';

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
