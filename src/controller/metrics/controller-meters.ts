import type { LeaderElectionMetrics } from '../leader-election/leader-options.js';
import type { MembershipMetrics } from '../membership/membership-options.js';
import type { QueueGauges, QueueMetrics } from '../queue/queue-metrics.js';
import type { ReconcileMetrics, ReconcileOutcome } from '../reconcile/reconcile-metrics.js';
import { ByName, greatest, total, type Instruments, inSeconds } from './instruments.js';
import type { ReadFact } from './metric-definitions.js';

/** Returns the hooks for queues by name (W8). Gauges are read until the queue is closed. */
export function queueMeter(instruments: Instruments): (name: string) => QueueMetrics {
  const open = new ByName(() => new Set<QueueGauges>());
  const read = (fact: ReadFact, valueOf: (queues: ReadonlySet<QueueGauges>) => number): void =>
    instruments.read(fact, () => open.map((queues, name) => ({ value: valueOf(queues), labels: { name } })));
  read('queueDepth', (queues) => total(queues, ({ depth }) => depth));
  read('heldKeys', (queues) => total(queues, ({ held }) => held));
  read('unfinishedWork', (queues) => inSeconds(total(queues, ({ unfinishedWork }) => unfinishedWork)));
  read('longestRunning', (queues) => inSeconds(greatest(queues, ({ longestRunning }) => longestRunning)));

  return (name) => {
    const labels = { name };
    instruments.count('queueAdds', 0, labels);
    instruments.count('queueRetries', 0, labels);
    return {
      opened: (gauges) => {
        open.of(name).add(gauges);
      },
      added: () => instruments.count('queueAdds', 1, labels),
      taken: (waited) => instruments.record('queueDuration', inSeconds(waited), labels),
      finished: (took) => instruments.record('workDuration', inSeconds(took), labels),
      delayed: () => instruments.count('queueRetries', 1, labels),
      closed: (gauges) => {
        const queues = open.of(name);
        queues.delete(gauges);
        if (queues.size === 0) open.forget(name);
      },
    };
  };
}

interface Controllers {
  activeWorkers: number;
  /** The concurrency of each controller, by its hooks. */
  readonly concurrency: Map<ReconcileMetrics, number>;
}

/** As in controller-runtime, which has no `skipped` and `aborted`; a terminal error is an error. */
const resultOf: Readonly<Record<ReconcileOutcome, string>> = {
  success: 'success',
  'requeue-after': 'requeue_after',
  skipped: 'skipped',
  error: 'error',
  'terminal-error': 'error',
  aborted: 'aborted',
};

/** Returns the hooks for controllers by name. Counters begin at 0, so the first error is seen. */
export function reconcileMeter(instruments: Instruments): (name: string) => ReconcileMetrics {
  const controllers = new ByName<Controllers>(() => ({ activeWorkers: 0, concurrency: new Map() }));
  instruments.read('activeWorkers', () =>
    controllers.map(({ activeWorkers }, name) => ({ value: activeWorkers, labels: { name } })),
  );
  instruments.read('maxConcurrentReconciles', () =>
    controllers.map(({ concurrency }, name) => ({
      value: total(concurrency.values(), (count) => count),
      labels: { name },
    })),
  );

  return (name) => {
    const labels = { name };
    const ofName = controllers.of(name);
    for (const result of new Set(Object.values(resultOf))) instruments.count('reconciles', 0, { name, result });
    instruments.count('reconcileErrors', 0, labels);
    instruments.count('terminalErrors', 0, labels);
    const hooks: ReconcileMetrics = {
      concurrency: (count) => {
        if (count === 0) ofName.concurrency.delete(hooks);
        else ofName.concurrency.set(hooks, count);
      },
      started: () => {
        ofName.activeWorkers += 1;
      },
      finished: (outcome, took) => {
        ofName.activeWorkers -= 1;
        instruments.count('reconciles', 1, { name, result: resultOf[outcome] });
        if (resultOf[outcome] === 'error') instruments.count('reconcileErrors', 1, labels);
        if (outcome === 'terminal-error') instruments.count('terminalErrors', 1, labels);
        // Skipped runs are not recorded, because they take no time and would distort the durations.
        if (outcome !== 'skipped') instruments.record('reconcileDuration', inSeconds(took), labels);
      },
      observed: (took) => instruments.record('observeDuration', inSeconds(took), labels),
    };
    return hooks;
  };
}

/** Returns the hooks for candidates by lease. The process leads if one of its candidates does. */
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

interface Membership {
  members: number;
  slots: number;
}

/**
 * Returns the hooks for memberships by group. For one name, slots are added up, and the greatest
 * number of members counts.
 */
export function membershipMeter(instruments: Instruments): (name: string) => MembershipMetrics {
  const groups = new ByName(() => new Set<Membership>());
  instruments.read('shardMembers', () =>
    groups.map((group, name) => ({ value: greatest(group, ({ members }) => members), labels: { name } })),
  );
  instruments.read('shardSlots', () =>
    groups.map((group, name) => ({ value: total(group, ({ slots }) => slots), labels: { name } })),
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
