import type { LeaderElectionMetrics } from '../leader-election/leader-election-metrics.js';
import { ByName } from './by-name.js';
import type { Instruments } from './instruments.js';

/** Candidates by lease; this process leads where one of its candidates does. */
export function leaderElectionMeter(instruments: Instruments): (name: string) => LeaderElectionMetrics {
  const leaders = new ByName(() => new Set<LeaderElectionMetrics>());
  instruments.read('isLeader', () =>
    leaders.map((leading, name) => ({ value: leading.size > 0 ? 1 : 0, labels: { name } })),
  );

  return (name) => {
    const leading = leaders.of(name);
    instruments.count('slowPaths', 0, { name });
    const hooks: LeaderElectionMetrics = {
      leading: (isLeading) => {
        if (isLeading) leading.add(hooks);
        else leading.delete(hooks);
      },
      slowPath: () => instruments.count('slowPaths', 1, { name }),
    };
    return hooks;
  };
}
