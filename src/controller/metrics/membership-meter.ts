import type { MembershipMetrics } from '../membership/membership-metrics.js';
import { ByName, greatest, sum } from './by-name.js';
import type { Instruments } from './instruments.js';

interface Membership {
  members: number;
  slots: number;
}

/** Memberships by group. Slots of one name are added up; of the members the greatest number counts. */
export function membershipMeter(instruments: Instruments): (name: string) => MembershipMetrics {
  const groups = new ByName(() => new Set<Membership>());
  instruments.read('shardMembers', () =>
    groups.map((group, name) => ({ value: greatest(group, ({ members }) => members), labels: { name } })),
  );
  instruments.read('shardSlots', () =>
    groups.map((group, name) => ({ value: sum(group, ({ slots }) => slots), labels: { name } })),
  );

  return (name) => {
    const membership: Membership = { members: 0, slots: 0 };
    groups.of(name).add(membership);
    instruments.count('shardRenewalFailures', 0, { name });
    return {
      members: (count) => {
        membership.members = count;
      },
      ownedSlots: (count) => {
        membership.slots = count;
      },
      renewalFailed: () => instruments.count('shardRenewalFailures', 1, { name }),
    };
  };
}
