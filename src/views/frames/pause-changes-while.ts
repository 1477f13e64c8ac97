import type { MonoTypeOperatorFunction, Observable } from 'rxjs';
import { ChangeAccumulator } from '../../store/merge-change-sets.js';
import type { ChangeSet } from '../../store/change.js';
import { holdWhile } from './hold-while.js';

/**
 * Gathers change sets while `paused$` says so, and gives them as one when that ends, merged by the table of `mergeChangeSets`. Otherwise like
 * `pauseWhile`.
 *
 * **Guarantees**: applying what comes out leaves the same content as applying everything; holds at most one pending entry a key, however
 * long the pause (G11); one emission when it ends, none where everything has cancelled out.
 * **Errors**: those of the source and of `paused$`.
 *
 * @example
 * podInformer.changes$.pipe(pauseChangesWhile(tabHidden$())).subscribe(({ changes }) => console.log(changes.length));
 */
export function pauseChangesWhile<T>(paused$: Observable<boolean>): MonoTypeOperatorFunction<ChangeSet<T>> {
  return holdWhile(paused$, () => new ChangeAccumulator<T>());
}
