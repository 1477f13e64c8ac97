import type { OperatorFunction, SchedulerLike } from 'rxjs';
import { steady } from '../../scheduling/clock.js';
import type { Change, ChangeReason, ChangeSet } from '../../store/change.js';
import { defaultPriority, lowPriority, type KeyRequest } from '../queue/queue-item.js';
import { mapInSlices } from './time-slices.js';

/** The change of an object and its reason, as text for logs: `updated:watch`, `added:initial`. */
export type KeyReason = `${Change<unknown>['type']}:${ChangeReason}`;

/**
 * Emits the keys of changed objects, for `workqueue`.
 *
 * | in | out, for each change |
 * | --- | --- |
 * | a set with reason `initial` or `resync` | the key of the object, with low priority (−100), so that recent changes go first |
 * | a set with reason `watch` or `relist` | the key of the object, with priority 0 |
 *
 * If an object changes twice, its key is emitted twice; a queue merges keys that wait into one run.
 * The keys of a long change set are emitted in slices of some milliseconds, so that the event loop
 * is not blocked. The order is kept: later change sets wait.
 *
 * @param options the clock that ends slices. Default: `asyncScheduler`. In virtual time nothing is
 *   sliced
 * @returns an operator from change sets to requests
 * @example
 * declare const reconcile: (pod: Pod | undefined) => Promise<void>;
 *
 * podInformer.changes$.pipe(changedKeys(), workqueue((key) => reconcile(podInformer.get(key))))
 */
export function changedKeys(
  options: { readonly scheduler?: SchedulerLike | undefined } = {},
): OperatorFunction<ChangeSet<unknown>, KeyRequest<string, KeyReason>> {
  return mapInSlices(requestsOf, steady(options.scheduler));
}

function* requestsOf({ reason, changes }: ChangeSet<unknown>): Iterable<KeyRequest<string, KeyReason>> {
  const priority = reason === 'initial' || reason === 'resync' ? lowPriority : defaultPriority;
  for (const { type, key } of changes) yield { key, priority, reason: `${type}:${reason}` };
}
