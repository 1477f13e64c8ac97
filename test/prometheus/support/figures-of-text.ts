import type { Fact } from '../../../src/controller/metrics/metric-definitions.js';
import {
  distribution,
  labelOrder,
  text,
  type Distribution,
  type Figures,
} from '../../controller/metrics/support/figures.js';

/**
 * The metric names that dashboards use. They are repeated here on purpose, so that a mistake in the
 * adapter is not repeated in the test.
 */
export const facts: Readonly<Record<string, Fact>> = {
  workqueue_depth: 'queueDepth',
  workqueue_held_keys: 'heldKeys',
  workqueue_adds_total: 'queueAdds',
  workqueue_queue_duration_seconds: 'queueDuration',
  workqueue_work_duration_seconds: 'workDuration',
  workqueue_retries_total: 'queueRetries',
  workqueue_unfinished_work_seconds: 'unfinishedWork',
  workqueue_longest_running_processor_seconds: 'longestRunning',
  controller_runtime_reconcile_total: 'reconciles',
  controller_runtime_reconcile_errors_total: 'reconcileErrors',
  controller_runtime_terminal_reconcile_errors_total: 'terminalErrors',
  controller_runtime_reconcile_time_seconds: 'reconcileDuration',
  controller_write_observe_seconds: 'observeDuration',
  controller_runtime_active_workers: 'activeWorkers',
  controller_runtime_max_concurrent_reconciles: 'maxConcurrentReconciles',
  leader_election_master_status: 'isLeader',
  leader_election_slowpath_total: 'slowPaths',
  shard_group_members: 'shardMembers',
  shard_group_owned_slots: 'shardSlots',
  shard_group_renewal_failures_total: 'shardRenewalFailures',
  reflector_lists_total: 'lists',
  reflector_relists_total: 'relists',
  reflector_list_duration_seconds: 'listDuration',
  reflector_items_per_list: 'listItems',
  reflector_watches_total: 'watches',
  reflector_short_watches_total: 'shortWatches',
  reflector_watch_duration_seconds: 'watchDuration',
  reflector_items_per_watch: 'watchItems',
  reflector_last_resource_version: 'lastResourceVersion',
  informer_cache_objects: 'cacheObjects',
  informer_staleness_seconds: 'staleness',
  informer_synced: 'isSynced',
  informer_status: 'informerStatus',
  informer_errors_total: 'informerErrors',
  informer_announcement_duration_seconds: 'announcementDuration',
  informer_announcement_delay_seconds: 'announcementDelay',
};

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Parses the exposition format as a Prometheus server does. */
export function samplesOf(text: string): readonly Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]);
      return { name, labels: Object.fromEntries(pairs), value: Number(value) };
    });
}

/** Returns the figures of every known metric. Metrics without a sample are left out. */
export function figuresOf(text: string): Figures {
  const samples = samplesOf(text);
  const figures = Object.entries(facts).map(([metric, fact]) => [fact, figuresOfMetric(metric, samples)] as const);
  return Object.fromEntries(figures.filter(([, ofMetric]) => Object.keys(ofMetric).length > 0));
}

function figuresOfMetric(metric: string, samples: readonly Sample[]): Record<string, number | Distribution> {
  const named = (name: string): readonly Sample[] => samples.filter((sample) => sample.name === name);
  const single = named(metric).map((sample) => [owner(sample), sample.value] as const);
  const histograms = named(`${metric}_count`).map((counted) => {
    const ofOwner = (sample: Sample): boolean => owner(sample) === owner(counted);
    const sum = named(`${metric}_sum`).find(ofOwner)?.value ?? NaN;
    const buckets = named(`${metric}_bucket`)
      .filter(ofOwner)
      .map(({ labels, value }) => [labels['le'] ?? '', value] as const);
    return [owner(counted), distribution(counted.value, sum, buckets)] as const;
  });
  return Object.fromEntries([...single, ...histograms]);
}

function owner({ labels }: Sample): string {
  const { name = labels['controller'] } = labels;
  return text([name, ...labelOrder.map((label) => labels[label])]);
}
