import { filter, Observable, type MonoTypeOperatorFunction } from 'rxjs';
import type { QueueInput } from '../queue/queue-item.js';
import type { MembershipState } from './membership-state.js';

/**
 * Lets through only the keys, or requests for keys, that this replica owns when they come.
 *
 * | in | out |
 * | --- | --- |
 * | a key that is owned | the same |
 * | any other, or before the membership has said anything | nothing |
 *
 * A key that is dropped here is another replica's, or is on its way to be; nothing brings it back when it is gained. `ownedKeys` does.
 *
 * **Guarantees**: the membership is followed for as long as the source is, and from before.
 * **Errors**: those of the source; those of a membership of your own, which `membership$` has none of.
 *
 * @param membership$ made by `membership$`
 * @example
 * import { membership$, whereOwned, workqueue } from 'rx-informers/controller';
 * import type { Observable } from 'rxjs';
 *
 * declare const webhookKeys$: Observable<string>;
 * declare const podName: string;
 * declare const reconcile: (key: string) => Promise<void>;
 *
 * const mine$ = membership$(client, { group: { namespace: 'web', name: 'website' }, identity: podName });
 * webhookKeys$.pipe(whereOwned(mine$), workqueue(reconcile))
 */
export function whereOwned<Input extends QueueInput>(
  membership$: Observable<MembershipState>,
): MonoTypeOperatorFunction<Input> {
  return (inputs$) =>
    new Observable((subscriber) => {
      let membership: MembershipState | undefined;
      // The membership first: what the source emits on subscription is to be judged too.
      subscriber.add(
        membership$.subscribe({
          next: (state) => {
            membership = state;
          },
          error: (error: unknown) => {
            subscriber.error(error);
          },
        }),
      );
      subscriber.add(inputs$.pipe(filter((input) => membership?.owns(keyOf(input)) === true)).subscribe(subscriber));
    });
}

function keyOf(input: QueueInput): string {
  return typeof input === 'string' ? input : input.key;
}
