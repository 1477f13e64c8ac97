import { filter, map, pipe, type OperatorFunction } from 'rxjs';
import type { RunEmitted, WorkqueueEvent } from './workqueue-event.js';

/**
 * Only what the runs gave: for consumers that leave failures to the retries.
 *
 * | in | out |
 * | --- | --- |
 * | `emitted` | its value |
 * | anything else | nothing |
 *
 * @example
 * declare const reconcile: (key: string) => Promise<number>;
 *
 * podInformer.changes$.pipe(keys(), workqueue(reconcile), results()).subscribe((result) => console.log(result))
 */
export function results<Result>(): OperatorFunction<WorkqueueEvent<Result>, Result> {
  return pipe(
    filter((event): event is RunEmitted<Result> => event.type === 'emitted'),
    map(({ value }) => value),
  );
}
