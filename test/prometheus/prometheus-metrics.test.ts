import { readFileSync } from 'node:fs';
import { Counter, register, Registry, type OpenMetricsContentType } from 'prom-client';
import { informer, pods, listWatch } from 'rx-informers';
import { controller, requeueAfter, TerminalError } from 'rx-informers/controller';
import { prometheusMetrics } from 'rx-informers/prometheus';
import { virtualClock, aPod, createInMemoryApiServer } from 'rx-informers/testing';
import { NEVER } from 'rxjs';
import { PriorityQueue } from '../../src/controller/queue/priority-queue.js';
import { describeMetricsConformance } from '../controller/metrics/support/metrics-conformance.js';
import { facts as instruments } from '../opentelemetry/support/measured.js';
import { errorWith } from '../support/error-with.js';
import { facts, samplesOf, figuresOf, facts as metrics } from './support/figures-of-text.js';

describe('prometheusMetrics', () => {
  it('uses the names, labels and types that dashboards for controller-runtime expect', async () => {
    const registry = new Registry();
    const scheduler = virtualClock();
    const metrics = prometheusMetrics({ registry, scheduler });
    const queue = new PriorityQueue({ scheduler, metrics: metrics.queue('website') });
    const reconcile = metrics.reconcile('website');
    reconcile.concurrency(2);
    queue.add('web/a');
    scheduler.advance(40);
    queue.tryGet();
    reconcile.started();
    scheduler.advance(200);
    reconcile.finished('success', 200);
    metrics.leaderElection('website-leader').leading(true);
    metrics.listWatch('websites').resourceVersion('7');
    const text = await registry.metrics();
    for (const line of [
      '# TYPE workqueue_depth gauge',
      'workqueue_depth{name="website",controller="website"} 0',
      '# TYPE workqueue_adds_total counter',
      'workqueue_adds_total{name="website",controller="website"} 1',
      '# TYPE workqueue_queue_duration_seconds histogram',
      'workqueue_queue_duration_seconds_bucket{le="0.01",name="website",controller="website"} 0',
      'workqueue_queue_duration_seconds_bucket{le="0.1",name="website",controller="website"} 1',
      'workqueue_queue_duration_seconds_sum{name="website",controller="website"} 0.04',
      'workqueue_unfinished_work_seconds{name="website",controller="website"} 0.2',
      'workqueue_longest_running_processor_seconds{name="website",controller="website"} 0.2',
      'controller_runtime_reconcile_total{controller="website",result="success"} 1',
      'controller_runtime_reconcile_total{controller="website",result="requeue_after"} 0',
      'controller_runtime_reconcile_errors_total{controller="website"} 0',
      'controller_runtime_reconcile_time_seconds_bucket{le="0.2",controller="website"} 1',
      'controller_runtime_max_concurrent_reconciles{controller="website"} 2',
      'controller_runtime_active_workers{controller="website"} 0',
      'leader_election_master_status{name="website-leader"} 1',
      'reflector_last_resource_version{name="websites"} 7',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
  });

  it("has controller-runtime's buckets for queues and reconciles", async () => {
    const registry = new Registry();
    const metrics = prometheusMetrics({ registry });
    metrics.queue('web').finished(1);
    metrics.reconcile('web').finished('success', 1);
    const samples = samplesOf(await registry.metrics());
    const bounds = (name: string): readonly number[] =>
      samples.filter((sample) => sample.name === `${name}_bucket`).map(({ labels }) => Number(labels['le']));
    expect(bounds('workqueue_work_duration_seconds').slice(0, -1)).toEqual(
      Array.from({ length: 12 }, (_, power) => Number(`1e${power - 8}`)),
    );
    const ofReconcile = bounds('controller_runtime_reconcile_time_seconds');
    expect([ofReconcile.length, ofReconcile[0], ofReconcile.at(-2)]).toEqual([41, 0.005, 60]);
  });

  it('registers every metric that the documentation lists, and no others', () => {
    const registry = new Registry();
    prometheusMetrics({ registry });
    const names = registry.getMetricsAsArray().map(({ name }) => name);
    expect(names.sort()).toEqual(Object.keys(facts).sort());
  });

  it('puts the prefix before every name', () => {
    const registry = new Registry();
    prometheusMetrics({ registry, prefix: 'shop_' });
    const names = registry.getMetricsAsArray().map(({ name }) => name);
    expect(names.sort()).toEqual(
      Object.keys(facts)
        .map((name) => `shop_${name}`)
        .sort(),
    );
  });

  it('returns the same metrics for the same registry and prefix, so parts of a program need not share them', () => {
    const registry = new Registry();
    const metrics = prometheusMetrics({ registry });
    expect(prometheusMetrics({ registry })).toBe(metrics);
    expect(prometheusMetrics({ registry, prefix: 'shop_' })).not.toBe(metrics);
    expect(prometheusMetrics({ registry: new Registry() })).not.toBe(metrics);
  });

  it('creates new metrics after the registry was cleared', async () => {
    const registry = new Registry();
    const before = prometheusMetrics({ registry });
    registry.clear();
    const after = prometheusMetrics({ registry });
    expect(after).not.toBe(before);
    before.queue('old');
    after.queue('new');
    expect(await registry.metrics()).toContain('workqueue_adds_total{name="new",controller="new"} 0');
    expect(await registry.metrics()).not.toContain('"old"');
  });

  it('throws RXI_METRIC_NAME_TAKEN for a name that is taken, and registers nothing', () => {
    const registry = new Registry();
    new Counter({ name: 'reflector_lists_total', help: 'of another library', registers: [registry] });
    expect(() => prometheusMetrics({ registry })).toThrow(errorWith('RXI_METRIC_NAME_TAKEN'));
    expect(() => prometheusMetrics({ registry })).toThrow(
      'the registry already has metrics named reflector_lists_total; pass another registry, or a prefix',
    );
    expect(registry.getMetricsAsArray()).toHaveLength(1);
    expect(() => prometheusMetrics({ registry, prefix: 'shop_' })).not.toThrow();
  });

  it('throws for a prefix that cannot begin a name, and registers nothing', () => {
    const registry = new Registry();
    expect(() => prometheusMetrics({ registry, prefix: 'my shop ' })).toThrow('Invalid metric name');
    expect(registry.getMetricsAsArray()).toEqual([]);
  });

  it('supports OpenMetrics', async () => {
    const registry = new Registry<OpenMetricsContentType>();
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    prometheusMetrics({ registry }).queue('web').added(0);
    const text = await registry.metrics();
    expect(text).toContain('workqueue_adds_total{name="web",controller="web"} 1');
    expect(text).toContain('# EOF');
  });

  it("does not use prom-client's global registry unless it is passed", async () => {
    prometheusMetrics({ registry: new Registry() });
    expect(await register.metrics()).toBe('\n');
  });

  it('escapes label values as Prometheus requires', async () => {
    const registry = new Registry();
    prometheusMetrics({ registry }).queue('a "name"\nof \\ two lines');
    expect(await registry.metrics()).toContain(
      String.raw`workqueue_adds_total{name="a \"name\"\nof \\ two lines",controller="a \"name\"\nof \\ two lines"} 0`,
    );
  });

  it('G6: reports no staleness for an informer that has received no data yet', async () => {
    const registry = new Registry();
    const metrics = prometheusMetrics({ registry });
    const informer = { snapshot: { size: 3 }, hasSynced: true, lastMessageAt: undefined, errors$: NEVER };
    metrics.observe('pods', { ...informer, status: { state: 'stopped' } });
    const text = await registry.metrics();
    expect(text).toContain('informer_cache_objects{name="pods"} 3');
    expect(text).not.toContain('informer_staleness_seconds{');
  });
});

describeMetricsConformance('prometheusMetrics', (scheduler) => {
  const registry = new Registry();
  const metrics = prometheusMetrics({ registry, scheduler });
  return { metrics, collect: async () => figuresOf(await registry.metrics()) };
});

describe('a controller with metrics', () => {
  it('exposes its queue, its runs, its cache and its watch in one registry', async () => {
    const scheduler = virtualClock();
    const registry = new Registry();
    const metrics = prometheusMetrics({ registry, scheduler });
    const server = createInMemoryApiServer({ scheduler, random: () => 0 });
    server.apply([aPod({ name: 'good' }), aPod({ name: 'again' }), aPod({ name: 'hopeless' })]);
    const timing = { scheduler, random: () => 0 };
    const source = listWatch(server.client, pods, { ...timing, metrics: metrics.listWatch('pods') });
    const podInformer = informer(source, { ...timing, linger: 0 });
    metrics.observe('pods', podInformer);
    const running = controller({
      for: podInformer,
      reconcile: ({ key }) => {
        if (key === 'default/hopeless') throw new TerminalError('no such image');
        return key === 'default/again' ? requeueAfter(60_000) : undefined;
      },
      scheduler,
      metrics: metrics.reconcile('pods'),
      queueMetrics: metrics.queue('pods'),
    }).subscribe();
    scheduler.advance(90_000);
    expect(figuresOf(await registry.metrics())).toMatchObject({
      queueAdds: { pods: 4 },
      queueDepth: { pods: 0 },
      workDuration: { pods: { count: 4 } },
      reconciles: { 'pods/success': 1, 'pods/requeue_after': 2, 'pods/skipped': 0, 'pods/error': 1, 'pods/aborted': 0 },
      terminalErrors: { pods: 1 },
      activeWorkers: { pods: 0 },
      maxConcurrentReconciles: { pods: 1 },
      cacheObjects: { pods: 3 },
      isSynced: { pods: 1 },
      lists: { pods: 1 },
      watches: { pods: 1 },
    });
    running.unsubscribe();
    const afterwards = figuresOf(await registry.metrics());
    expect(afterwards).toMatchObject({
      maxConcurrentReconciles: { pods: 0 },
      informerStatus: { 'pods/stopped': 1 },
      watchDuration: { pods: { count: 1, sum: 90 } },
    });
    expect(afterwards.queueDepth).toBeUndefined();
    server.stop();
  });
});

const page = readFileSync(new URL('../../docs/how-to/metrics.md', import.meta.url), 'utf8');

const firstCells = [...page.matchAll(/^\| `([\w.]+)` +\|/gm)].map(([, name]) => name);

describe('docs/how-to/metrics.md', () => {
  it('has a row for each metric and each instrument, and no others', () => {
    expect(firstCells.sort()).toEqual([...Object.keys(metrics), ...Object.keys(instruments)].sort());
  });

  it('names the Prometheus metric of each instrument', () => {
    const pairs = [...page.matchAll(/^\| `([a-z_]+\.[\w.]+)`.*\| `(\w+)` *\|$/gm)].map(([, ...pair]) => pair);
    expect(pairs).toHaveLength(Object.keys(instruments).length);
    for (const [instrument = '', metric = ''] of pairs) expect(instruments[instrument]).toBe(metrics[metric]);
  });
});
