import { from, mergeMap, type OperatorFunction } from 'rxjs';
import type { Change, ChangeReason, ChangeSet } from '../../store/change.js';
import { defaultPriority, lowPriority } from '../queue/priority.js';
import type { KeyRequest } from './queue-input.js';

/** What happened to an object, and why, in a form that logs well: `updated:watch`, `added:initial`. */
export type KeyReason = `${Change<unknown>['type']}:${ChangeReason}`;

/**
 * The keys of what changed, for `workqueue`.
 *
 * | in | out, for each change |
 * | --- | --- |
 * | a set with reason `initial` or `resync` | its key with low priority (−100): what just changed goes first |
 * | a set with reason `watch` or `relist` | its key with priority 0 |
 *
 * A key that changed twice comes twice; the queue makes one run of it.
 *
 * @example
 * declare const reconcile: (pod: Pod | undefined) => Promise<void>;
 *
 * podInformer.changes$.pipe(keys(), workqueue((key) => reconcile(podInformer.get(key))))
 */
export function keys(): OperatorFunction<ChangeSet<unknown>, KeyRequest<string, KeyReason>> {
  return mergeMap(({ reason, changes }) => {
    const priority = reason === 'initial' || reason === 'resync' ? lowPriority : defaultPriority;
    return from(changes.map(({ type, key }) => ({ key, priority, reason: `${type}:${reason}` as const })));
  });
}
