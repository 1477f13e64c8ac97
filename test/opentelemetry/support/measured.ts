import type { Meter } from '@opentelemetry/api';
import {
  AggregationTemporality,
  DataPointType,
  InstrumentType,
  MeterProvider,
  MetricReader,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { Fact } from '../../../src/controller/metrics/metric-definitions.js';
import { distribution, text, type Distribution, type Figures } from '../../controller/metrics/support/figures.js';

/**
 * The names of the instruments. They are repeated here on purpose, so that a test fails if an
 * adapter changes a name.
 */
export const facts: Readonly<Record<string, Fact>> = {
  'workqueue.depth': 'queueDepth',
  'workqueue.held': 'heldKeys',
  'workqueue.adds': 'queueAdds',
  'workqueue.retries': 'queueRetries',
  'workqueue.queue.duration': 'queueDuration',
  'workqueue.work.duration': 'workDuration',
  'workqueue.work.unfinished': 'unfinishedWork',
  'workqueue.work.longest_running': 'longestRunning',
  'controller.reconciles': 'reconciles',
  'controller.reconcile.errors': 'reconcileErrors',
  'controller.reconcile.terminal_errors': 'terminalErrors',
  'controller.reconcile.duration': 'reconcileDuration',
  'controller.write.observe.duration': 'observeDuration',
  'controller.workers.active': 'activeWorkers',
  'controller.workers.limit': 'maxConcurrentReconciles',
  'leader_election.leading': 'isLeader',
  'leader_election.slow_paths': 'slowPaths',
  'shard_group.members': 'shardMembers',
  'shard_group.owned_slots': 'shardSlots',
  'shard_group.renewal_failures': 'shardRenewalFailures',
  'reflector.lists': 'lists',
  'reflector.relists': 'relists',
  'reflector.list.duration': 'listDuration',
  'reflector.list.items': 'listItems',
  'reflector.watches': 'watches',
  'reflector.short_watches': 'shortWatches',
  'reflector.watch.duration': 'watchDuration',
  'reflector.watch.events': 'watchItems',
  'reflector.last_resource_version': 'lastResourceVersion',
  'informer.cache.objects': 'cacheObjects',
  'informer.staleness': 'staleness',
  'informer.synced': 'isSynced',
  'informer.status': 'informerStatus',
  'informer.errors': 'informerErrors',
  'informer.announcement.duration': 'announcementDuration',
  'informer.announcement.delay': 'announcementDelay',
};

const attributeOrder = [
  ...['workqueue', 'controller', 'lease', 'shard_group', 'reflector', 'informer'].map((kind) => `${kind}.name`),
  'reconcile.result',
  'informer.state',
  'error.type',
  'http.response.status_code',
];

/**
 * Collects on request. Counters have cumulative values and gauges have current values, as in
 * Prometheus.
 */
class OnDemandReader extends MetricReader {
  constructor() {
    super({
      aggregationTemporalitySelector: (type) =>
        type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE,
    });
  }

  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }

  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

/** Returns a meter of the real SDK, and a function that collects its data. */
export function aMeter(): {
  readonly meter: Meter;
  readonly collect: () => Promise<readonly MetricData[]>;
  readonly figures: () => Promise<Figures>;
} {
  const reader = new OnDemandReader();
  const meter = new MeterProvider({ readers: [reader] }).getMeter('test');
  const collect = async (): Promise<readonly MetricData[]> => {
    const { resourceMetrics, errors } = await reader.collect();
    expect(errors).toEqual([]);
    return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
  };
  return {
    meter,
    collect,
    figures: async () => Object.fromEntries((await collect()).map((metric) => [factOf(metric), figuresOf(metric)])),
  };
}

function factOf({ descriptor: { name } }: MetricData): Fact {
  const fact = facts[name];
  if (fact === undefined) throw new Error(`${name} is not a name that is known`);
  return fact;
}

function figuresOf(metric: MetricData): Record<string, number | Distribution> {
  const owner = (attributes: object): string =>
    text(attributeOrder.map((name) => (attributes as Record<string, unknown>)[name]?.toString()));
  if (metric.dataPointType !== DataPointType.HISTOGRAM) {
    const points = metric.dataPoints as readonly { readonly attributes: object; readonly value: number }[];
    return Object.fromEntries(points.map(({ attributes, value }) => [owner(attributes), value]));
  }
  return Object.fromEntries(
    metric.dataPoints.map(({ attributes, value }) => [owner(attributes), distributionOf(value)]),
  );
}

function distributionOf({ count, sum = NaN, buckets: { boundaries, counts } }: Histogram): Distribution {
  let upTo = 0;
  const cumulative = counts.map((added, position) => {
    upTo += added;
    return [String(boundaries[position] ?? '+Inf'), upTo] as const;
  });
  return distribution(count, sum, cumulative);
}
