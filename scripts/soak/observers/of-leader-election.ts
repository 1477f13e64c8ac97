import { leader$ } from 'rx-informers/controller';
import { Subscription } from 'rxjs';
import { countRequests } from './counting-client.js';
import type { Observer, ObserverSetting } from './observer.js';

/** The number of replicas that compete for the lease. */
const replicas = 3;

/**
 * Returns an observer with replicas that compete for one lease. It contradicts itself if two of
 * them lead at the same time, and shows that one leads.
 */
export function observerOfLeaderElection({ client, log }: ObserverSetting): Observer {
  const counted = countRequests(client);
  const errors = new Map<string, number>();
  const contradictions: string[] = [];
  const subscriptions = new Subscription();
  const leaders = new Set<string>();
  for (let index = 0; index < replicas; index += 1) {
    const identity = `replica-${index}`;
    const election = leader$(counted, {
      lease: { namespace: 'default', name: 'soak' },
      identity,
      leaseDuration: 8_000,
      renewDeadline: 5_000,
      retryPeriod: 1_000,
    });
    subscriptions.add(
      election.subscribe((state) => {
        if (state.type === 'leading') leaders.add(identity);
        else leaders.delete(identity);
        log(`leader election: ${identity}: ${state.type}`);
        if (leaders.size > 1) contradictions.push(`${[...leaders].join(' and ')} lead at the same time`);
        if (state.type !== 'lost' && state.error !== undefined)
          errors.set(state.error.code, (errors.get(state.error.code) ?? 0) + 1);
      }),
    );
  }
  return {
    name: 'leader election',
    views: [{ name: 'leaders', shown: () => Array.from(leaders, () => 'one leads'), expected: () => ['one leads'] }],
    contradictions,
    errors,
    client: counted,
    watches: replicas,
    stop: () => {
      subscriptions.unsubscribe();
    },
  };
}
