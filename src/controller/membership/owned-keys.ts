import { merge, type Observable } from 'rxjs';
import type { Collection } from '../../informer/collection.js';
import { keys, type KeyReason } from '../workqueue/changed-keys.js';
import type { KeyRequest } from '../queue/queue-item.js';
import { gainedKeys, type GainedKeysOptions, type GainedReason } from './gained-keys.js';
import type { MembershipState } from './membership-state.js';
import { whereOwned } from './where-owned.js';

/**
 * The keys of a collection that this replica has to work on: those that changed and are its own, and those that it has gained.
 *
 * | what happens | out |
 * | --- | --- |
 * | an object of an owned key changes | its key, as `keys` gives it |
 * | one of any other key changes | nothing |
 * | keys are gained | all of them that exist, as `gainedKeys` gives them |
 * | keys are lost | nothing: `whileOwned` ends their runs |
 *
 * **Guarantees**: a key that is owned comes out after it was gained, and after each later change: nothing is missed by a move.
 * **Does not guarantee**: that it comes once: a queue makes one run of it.
 *
 * @param membership$ made by `membership$`
 * @example
 * import { ownedKeys, membership$, whileOwned, workqueue } from 'rx-informers/controller';
 *
 * declare const podName: string;
 * declare const reconcile: (key: string, abort: AbortSignal) => Promise<void>;
 *
 * const mine$ = membership$(client, { group: { namespace: 'web', name: 'pod-warden' }, identity: podName });
 * ownedKeys(podInformer, mine$).pipe(
 *   workqueue((key, { signal }) => whileOwned(mine$, { key, signal }, (abort) => reconcile(key, abort))),
 * )
 */
export function ownedKeys(
  collection: Pick<Collection<unknown>, 'changes$' | 'snapshot'>,
  membership$: Observable<MembershipState>,
  options: GainedKeysOptions = {},
): Observable<KeyRequest<string, KeyReason | GainedReason>> {
  return merge(
    gainedKeys(collection, membership$, options),
    collection.changes$.pipe(keys(options), whereOwned(membership$)),
  );
}
