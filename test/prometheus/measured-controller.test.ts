import { Registry } from 'prom-client';
import { controller, requeueAfter, TerminalError } from 'rx-informers/controller';
import { informer, pods, listWatch } from 'rx-informers';
import { prometheusMetrics } from 'rx-informers/prometheus';
import { aPod, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { figuresOf } from './support/figures-of-text.js';

describe('a controller with metrics', () => {
  it('shows on one page what its queue, its runs, its cache and its watch do', async () => {
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
