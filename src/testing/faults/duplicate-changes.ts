import { map } from 'rxjs';
import { toBatch } from '../../sources/to-batch.js';
import type { ChangeEvent } from '../../sources/watch-event.js';
import { isChange } from './change-of.js';
import type { Fault } from './fault.js';

export interface DuplicateChangesOptions<T> {
  /** How often an event is delivered; default 2. */
  readonly times?: number | undefined;
  /** Which changes; default all. */
  readonly which?: ((event: ChangeEvent<T>) => boolean) | undefined;
}

/**
 * Delivers changes more than once, one right after the other.
 *
 * | in | out |
 * | --- | --- |
 * | `ADDED` `MODIFIED` `DELETED` that `which` chooses | the same event `times` times, in the same batch |
 * | anything else | the same |
 *
 * @example
 * const source = watchMarbles('L(a)-M(a)|', { a: aPod({ name: 'a' }) }).pipe(duplicateChanges({ times: 3 }));
 */
export function duplicateChanges<T>(options: DuplicateChangesOptions<T> = {}): Fault<T> {
  const { times = 2, which = () => true } = options;
  return map((emitted) =>
    toBatch(emitted).flatMap((event) =>
      isChange(event) && which(event) ? Array.from({ length: times }, () => event) : [event],
    ),
  );
}
