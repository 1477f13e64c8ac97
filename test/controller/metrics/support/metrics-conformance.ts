import { informer, pods, listWatch, StatusError, type Pod } from 'rx-informers';
import { controller, type Metrics, type ObservableInformer, membership$ } from 'rx-informers/controller';
import * as derived from 'rx-informers/derived';
import { watchEvent, type WatchEvent } from 'rx-informers/store';
import { aPod, createInMemoryApiServer, virtualClock, serverFaults } from 'rx-informers/testing';
import { Subject, type SchedulerLike } from 'rxjs';
import { PriorityQueue } from '../../../../src/controller/queue/priority-queue.js';
import { connectionError } from '../../../../src/sources/model/errors.js';
import { playhouse, scale, scaleTo } from '../../reconcile/support/scaling.js';
import type { Figures } from './figures.js';

export interface MetricsUnderTest {
  readonly metrics: Metrics;
  /** Collects the figures, as a scrape or a periodic reader does. */
  readonly collect: () => Promise<Figures>;
}

const request = { method: 'GET', url: '/api/v1/pods' };
const expired = new StatusError(request, { kind: 'Status', code: 410, reason: 'Expired' });

/**
 * Defines the tests for every adapter. Adapters have different metric names, but the same scenario
 * must produce the same figures.
 */
export function describeMetricsConformance(
  adapter: string,
  create: (scheduler: SchedulerLike) => MetricsUnderTest,
): void {
  describe(`${adapter}: what every metrics adapter does`, () => {
    it('W8: reports additions, retries, depth, waits and runs of a queue, in seconds', async () => {
      const scheduler = virtualClock();
      const { metrics, collect } = create(scheduler);
      const queue = new PriorityQueue({ scheduler, metrics: metrics.queue('web') });
      queue.add('a');
      queue.add('b');
      queue.add('a');
      queue.addAfter('c', 60_000);
      scheduler.advance(50);
      queue.tryGet();
      queue.tryGet();
      scheduler.advance(2_000);
      queue.done('a');
      queue.add('d');
      scheduler.advance(500);
      expect(await collect()).toMatchObject({
        queueAdds: { web: 3 },
        queueRetries: { web: 1 },
        queueDepth: { web: 1 },
        queueDuration: { web: { count: 2, sum: 0.1, upTo: { 0.1: 2 } } },
        workDuration: { web: { count: 1, sum: 2, upTo: { 10: 1 } } },
        unfinishedWork: { web: 2.5 },
        longestRunning: { web: 2.5 },
      });
    });

    it.each(['__proto__', 'constructor'])('reports a queue with the name %s as any other', async (name) => {
      const scheduler = virtualClock();
      const { metrics, collect } = create(scheduler);
      const queue = new PriorityQueue({ scheduler, metrics: metrics.queue(name) });
      queue.add('a');
      const { queueAdds } = await collect();
      expect(Object.entries(queueAdds ?? {})).toEqual([[name, 1]]);
      queue.shutDown();
    });

    it('W8: reads the gauges of a queue during a collection, and not after it is closed', async () => {
      const scheduler = virtualClock();
      const { metrics, collect } = create(scheduler);
      const queue = new PriorityQueue({ scheduler, metrics: metrics.queue('web') });
      queue.add('a');
      queue.tryGet();
      scheduler.advance(1_000);
      expect((await collect()).longestRunning).toEqual({ web: 1 });
      scheduler.advance(1_000);
      expect((await collect()).longestRunning).toEqual({ web: 2 });
      queue.shutDown();
      expect(await collect()).toMatchObject({ queueAdds: { web: 1 } });
      expect((await collect()).longestRunning ?? {}).toEqual({});
      expect((await collect()).queueDepth ?? {}).toEqual({});
    });

    it('adds up queues of one name, of which one may end before the other, and keeps queues of other names separate', async () => {
      const scheduler = virtualClock();
      const { metrics, collect } = create(scheduler);
      const hooks = metrics.queue('web');
      const [one, two] = [1, 2].map(() => new PriorityQueue({ scheduler, metrics: hooks })) as [
        PriorityQueue,
        PriorityQueue,
      ];
      const other = new PriorityQueue({ scheduler, metrics: metrics.queue('jobs') });
      one.add('a');
      scheduler.advance(1_000);
      two.add('a');
      two.add('b');
      other.add('a');
      one.tryGet();
      two.tryGet();
      scheduler.advance(1_000);
      one.add('b');
      expect(await collect()).toMatchObject({
        queueAdds: { web: 4, jobs: 1 },
        queueDepth: { web: 2, jobs: 1 },
        unfinishedWork: { web: 2, jobs: 0 },
        longestRunning: { web: 1, jobs: 0 },
      });
      one.shutDown();
      expect((await collect()).queueDepth).toEqual({ web: 1, jobs: 1 });
    });

    it('reports existing series as zero from the beginning, so that the first error is an increase', async () => {
      const { metrics, collect } = create(virtualClock());
      metrics.queue('web');
      metrics.reconcile('web');
      metrics.leaderElection('lock');
      metrics.membership('group');
      metrics.listWatch('pods');
      expect(await collect()).toMatchObject({
        queueAdds: { web: 0 },
        queueRetries: { web: 0 },
        reconciles: { 'web/success': 0, 'web/requeue_after': 0, 'web/skipped': 0, 'web/error': 0, 'web/aborted': 0 },
        reconcileErrors: { web: 0 },
        terminalErrors: { web: 0 },
        activeWorkers: { web: 0 },
        maxConcurrentReconciles: { web: 0 },
        isLeader: { lock: 0 },
        slowPaths: { lock: 0 },
        shardMembers: { group: 0 },
        shardSlots: { group: 0 },
        shardRenewalFailures: { group: 0 },
        lists: { pods: 0 },
        watches: { pods: 0 },
        shortWatches: { pods: 0 },
      });
    });

    it('counts reconciles by result: a terminal error is also an error, and a skipped run has no duration', async () => {
      const { metrics, collect } = create(virtualClock());
      const reconcile = metrics.reconcile('web');
      reconcile.concurrency(4);
      const outcomes = [
        'success',
        'success',
        'requeue-after',
        'skipped',
        'error',
        'terminal-error',
        'aborted',
      ] as const;
      for (const outcome of outcomes) {
        reconcile.started();
        reconcile.finished(outcome, 120);
      }
      reconcile.started();
      expect(await collect()).toMatchObject({
        reconciles: { 'web/success': 2, 'web/requeue_after': 1, 'web/skipped': 1, 'web/error': 2, 'web/aborted': 1 },
        reconcileErrors: { web: 2 },
        terminalErrors: { web: 1 },
        reconcileDuration: { web: { count: 6, sum: 0.72, upTo: { 0.15: 6 } } },
        activeWorkers: { web: 1 },
        maxConcurrentReconciles: { web: 4 },
      });
    });

    it('reports the lag of a watch: the keys that are held, and how long the caches take to show a write', async () => {
      const { clock, server, client, scaleInformer, children } = playhouse({ late: 3_000 });
      const { metrics, collect } = create(clock);
      server.apply(['a', 'b', 'c', 'd'].map((name) => scale(name, 1)));
      const running = controller({
        for: scaleInformer,
        owns: [children],
        client,
        scheduler: clock,
        metrics: metrics.reconcile('web'),
        queueMetrics: metrics.queue('web'),
        reconcile: scaleTo(client, children, clock),
      }).subscribe();
      clock.advance(3_100);
      expect(await collect()).toMatchObject({ heldKeys: { web: 4 } });
      clock.advance(3_000);
      expect(await collect()).toMatchObject({
        heldKeys: { web: 0 },
        observeDuration: { web: { count: 4, sum: 12, upTo: { 5: 4 } } },
      });
      running.unsubscribe();
      server.stop();
    });

    it('adds up controllers of one name; one that has ended has no workers any more', async () => {
      const { metrics, collect } = create(virtualClock());
      const [one, two] = [metrics.reconcile('web'), metrics.reconcile('web')];
      one.concurrency(1);
      two.concurrency(2);
      one.started();
      two.started();
      expect(await collect()).toMatchObject({ maxConcurrentReconciles: { web: 3 }, activeWorkers: { web: 2 } });
      two.finished('aborted', 10);
      two.concurrency(0);
      expect(await collect()).toMatchObject({ maxConcurrentReconciles: { web: 1 }, activeWorkers: { web: 1 } });
    });

    it('reports the number of replicas in a group, the slots of this process, and failed renewals', async () => {
      const { metrics, collect } = create(virtualClock());
      const [one, two] = [metrics.membership('group'), metrics.membership('group')];
      one.members(3);
      one.ownedSlots(300);
      two.members(2);
      two.ownedSlots(400);
      two.renewalFailed();
      expect(await collect()).toMatchObject({
        shardMembers: { group: 3 },
        shardSlots: { group: 700 },
        shardRenewalFailures: { group: 1 },
      });
    });

    it('follows a membership$ from its beginning to its end', async () => {
      const scheduler = virtualClock();
      const { metrics, collect } = create(scheduler);
      const server = createInMemoryApiServer({ scheduler, random: () => 0.5 });
      const membership = membership$(server.client, {
        group: { namespace: 'default', name: 'group' },
        identity: 'a',
        scheduler,
        random: () => 0.5,
        metrics: metrics.membership('group'),
      });
      server.faults.next('write', serverFaults.respond(403), { times: 2 });
      const subscription = membership.subscribe();
      scheduler.advance(1_000);
      expect(await collect()).toMatchObject({
        shardMembers: { group: 0 },
        shardSlots: { group: 0 },
        shardRenewalFailures: { group: 1 },
      });
      scheduler.advance(10_000);
      const joined = { shardMembers: { group: 1 }, shardSlots: { group: 1024 }, shardRenewalFailures: { group: 2 } };
      expect(await collect()).toMatchObject(joined);
      subscription.unsubscribe();
      expect(await collect()).toMatchObject({ shardMembers: { group: 0 }, shardSlots: { group: 0 } });
      server.stop();
    });

    it('reports that this process leads if one of its candidates does', async () => {
      const { metrics, collect } = create(virtualClock());
      const [one, two] = [metrics.leaderElection('lock'), metrics.leaderElection('lock')];
      one.leading(true);
      two.leading(false);
      two.slowPath();
      expect(await collect()).toMatchObject({ isLeader: { lock: 1 }, slowPaths: { lock: 1 } });
      two.leading(true);
      expect(await collect()).toMatchObject({ isLeader: { lock: 1 } });
      one.leading(false);
      two.leading(false);
      expect(await collect()).toMatchObject({ isLeader: { lock: 0 } });
    });

    it('reports lists and watches, and the cause of each list', async () => {
      const { metrics, collect } = create(virtualClock());
      const reflector = metrics.listWatch('pods');
      const refused = connectionError(request, new Error('refused'), 'ECONNREFUSED');
      reflector.listStarted(undefined);
      reflector.listFinished(30, 250);
      reflector.watchOpened();
      reflector.watchEnded(999, 0);
      reflector.watchOpened();
      reflector.watchEnded(999, 1);
      reflector.watchOpened();
      reflector.watchEnded(1_000, 0);
      for (const cause of [expired, expired, refused]) reflector.listStarted(cause);
      reflector.resourceVersion('1042');
      expect(await collect()).toMatchObject({
        lists: { pods: 4 },
        relists: { 'pods/RXI_STATUS/410': 2, 'pods/RXI_CONNECTION': 1 },
        listDuration: { pods: { count: 1, sum: 0.03, upTo: { 0.05: 1 } } },
        listItems: { pods: { count: 1, sum: 250, upTo: { 1000: 1 } } },
        watches: { pods: 3 },
        shortWatches: { pods: 1 },
        watchDuration: { pods: { count: 3, sum: 2.998, upTo: { 1: 3 } } },
        watchItems: { pods: { count: 3, sum: 1, upTo: { 0: 2, 1: 3 } } },
        lastResourceVersion: { pods: 1042 },
      });
    });

    it('S14: reports the last 15 digits of a resourceVersion, and nothing for one that is not a number', async () => {
      const { metrics, collect } = create(virtualClock());
      metrics.listWatch('long').resourceVersion('1234567890123456789');
      metrics.listWatch('odd').resourceVersion('v1:abc');
      metrics.listWatch('none');
      expect((await collect()).lastResourceVersion).toEqual({ long: 567890123456789 });
    });

    it('returns the same hooks for the same list-watch, so a registry finds the shared informer', () => {
      const { metrics } = create(virtualClock());
      expect(metrics.listWatch('pods')).toBe(metrics.listWatch('pods'));
      expect(metrics.listWatch('pods')).not.toBe(metrics.listWatch('nodes'));
    });

    it('follows an informer over a server: cache, staleness (G6), status, errors (G4), lists and watches', async () => {
      const scheduler = virtualClock();
      const { metrics, collect } = create(scheduler);
      const server = createInMemoryApiServer({ scheduler, random: () => 0 });
      server.apply([aPod({ name: 'a' }), aPod({ name: 'b' })]);
      const options = { scheduler, random: () => 0, metrics: metrics.listWatch('pods') };
      const podInformer = informer(listWatch(server.client, pods, options), { scheduler, random: () => 0 });
      metrics.observe('pods', podInformer);
      expect(await collect()).toMatchObject({
        cacheObjects: { pods: 0 },
        isSynced: { pods: 0 },
        informerStatus: { 'pods/stopped': 1, 'pods/watching': 0 },
      });
      expect((await collect()).staleness ?? {}).toEqual({});

      server.faults.next('watch', serverFaults.expire({ afterEvents: 3 }));
      podInformer.connect();
      scheduler.advance(5_000);
      const podVersion = server.apply(aPod({ name: 'c' }))[0]!.metadata.resourceVersion;
      scheduler.advance(7_000);
      expect(await collect()).toMatchObject({
        cacheObjects: { pods: 3 },
        isSynced: { pods: 1 },
        staleness: { pods: 7 },
        informerStatus: { 'pods/watching': 1, 'pods/stopped': 0, 'pods/backing-off': 0 },
        informerErrors: { 'pods/RXI_STATUS/410': 1 },
        lists: { pods: 2 },
        relists: { 'pods/RXI_STATUS/410': 1 },
        listItems: { pods: { count: 2, sum: 4 } },
        watches: { pods: 2 },
        lastResourceVersion: { pods: Number(podVersion) },
      });
      podInformer.stop();
      server.stop();
    });

    it('G11: records how long the subscribers of an informer take for each commit, in seconds', async () => {
      const scheduler = virtualClock();
      const { metrics, collect } = create(scheduler);
      const server = createInMemoryApiServer({ scheduler, random: () => 0 });
      const podInformer = informer(listWatch(server.client, pods, { scheduler, random: () => 0 }), {
        scheduler,
        onSlowSubscriber: () => undefined,
      });
      const observing = [metrics.observe('pods', podInformer), metrics.observe('pods', podInformer)];
      podInformer.list$().subscribe((list) => {
        scheduler.block(list.length * 20); // blocks as a slow subscriber does
      });
      scheduler.advance(1_000);
      server.apply(aPod({ name: 'a' }));
      scheduler.advance(1_000);
      server.apply(aPod({ name: 'b' }));
      scheduler.advance(1_000);
      const measured = { count: 3, sum: 0.06, upTo: { 0.001: 1, 0.025: 2, 0.05: 3 } };
      expect(await collect()).toMatchObject({ announcementDuration: { pods: measured } });
      observing.forEach((observation) => observation.unsubscribe());
      server.apply(aPod({ name: 'c' }));
      scheduler.advance(1_000);
      expect(await collect()).toMatchObject({ announcementDuration: { pods: measured } });
      podInformer.stop();
      server.stop();
    });

    it('J8: records how long a commit of an informer waits until it is announced, in seconds', async () => {
      const scheduler = virtualClock();
      const { metrics, collect } = create(scheduler);
      const [left, right] = [new Subject<WatchEvent<Pod>>(), new Subject<WatchEvent<Pod>>()];
      const options = { scheduler, onSlowSubscriber: () => undefined };
      const [leftInformer, rightInformer] = [informer(left, options), informer(right, options)];
      const connection = derived
        .leftJoin(leftInformer, rightInformer, { on: () => undefined, select: () => 1 })
        .connect();
      const observing = metrics.observe('right', rightInformer);
      leftInformer.get$('default/a').subscribe((pod) => {
        if (pod === undefined) return;
        right.next(watchEvent.added(aPod({ name: 'b' })));
        scheduler.block(20); // the commit of `b` waits, because the join depends on both
      });
      right.next(watchEvent.listed([]));
      left.next(watchEvent.listed([aPod({ name: 'a' })]));
      const measured = { count: 2, sum: 0.02, upTo: { 0.001: 1, 0.025: 2 } };
      expect(await collect()).toMatchObject({ announcementDelay: { right: measured } });
      observing.unsubscribe();
      right.next(watchEvent.added(aPod({ name: 'c' })));
      expect(await collect()).toMatchObject({ announcementDelay: { right: measured } });
      connection.unsubscribe();
      for (const stopped of [leftInformer, rightInformer]) stopped.stop();
    });

    it('reports nothing about an informer after it is unsubscribed from, and leaves no subscription', async () => {
      const scheduler = virtualClock();
      const { metrics, collect } = create(scheduler);
      const { observed, errors } = anInformer({ objects: 5, lastMessageAt: 0 });
      const subscription = metrics.observe('pods', observed);
      errors.next(expired);
      expect(await collect()).toMatchObject({
        cacheObjects: { pods: 5 },
        informerErrors: { 'pods/RXI_STATUS/410': 1 },
      });
      subscription.unsubscribe();
      expect(errors.observed).toBe(false);
      const { cacheObjects = {}, isSynced = {}, staleness = {}, informerStatus = {} } = await collect();
      expect([cacheObjects, isSynced, staleness, informerStatus]).toEqual([{}, {}, {}, {}]);
    });

    it('reports the worst value of informers with one name, and adds up the values that can be added', async () => {
      const scheduler = virtualClock();
      const { metrics, collect } = create(scheduler);
      const [fresh, stale] = [
        anInformer({ objects: 5, lastMessageAt: 9_000 }),
        anInformer({ objects: 7, lastMessageAt: 2_000, hasSynced: false, state: 'stopped' }),
      ];
      metrics.observe('pods', fresh.observed);
      const second = metrics.observe('pods', stale.observed);
      fresh.errors.next(expired);
      stale.errors.next(expired);
      scheduler.advance(10_000);
      expect(await collect()).toMatchObject({
        cacheObjects: { pods: 12 },
        isSynced: { pods: 0 },
        staleness: { pods: 8 },
        informerStatus: { 'pods/watching': 1, 'pods/stopped': 1 },
        informerErrors: { 'pods/RXI_STATUS/410': 2 },
      });
      second.unsubscribe();
      expect(await collect()).toMatchObject({
        cacheObjects: { pods: 5 },
        isSynced: { pods: 1 },
        staleness: { pods: 1 },
        informerErrors: { 'pods/RXI_STATUS/410': 2 },
      });
    });

    it('counts an informer once for several observers, until the last of them unsubscribes', async () => {
      const { metrics, collect } = create(virtualClock());
      const { observed, errors } = anInformer({ objects: 5 });
      const [one] = [metrics.observe('pods', observed), metrics.observe('pods', observed)];
      errors.next(expired);
      one.unsubscribe();
      errors.next(expired);
      expect(await collect()).toMatchObject({
        cacheObjects: { pods: 5 },
        informerErrors: { 'pods/RXI_STATUS/410': 2 },
      });
      one.unsubscribe();
      expect((await collect()).cacheObjects).toEqual({ pods: 5 });
    });

    it('needs no timer for any measurement', () => {
      const scheduler = virtualClock();
      const { metrics } = create(scheduler);
      metrics.queue('web').opened({ depth: 0, delayed: 0, held: 0, unfinishedWork: 0, longestRunning: 0 });
      metrics.reconcile('web').started();
      metrics.leaderElection('lock').leading(true);
      metrics.listWatch('pods').watchOpened();
      metrics.observe('pods', anInformer({ objects: 1 }).observed);
      expect(scheduler.timers).toBe(0);
    });
  });
}

function anInformer({
  objects,
  lastMessageAt,
  hasSynced = true,
  state = 'watching',
}: {
  readonly objects: number;
  readonly lastMessageAt?: number;
  readonly hasSynced?: boolean;
  readonly state?: 'watching' | 'stopped';
}): { readonly observed: ObservableInformer; readonly errors: Subject<Error> } {
  const errors = new Subject<Error>();
  return {
    errors,
    observed: {
      snapshot: { size: objects },
      hasSynced,
      status: state === 'watching' ? { state, since: 0, resourceVersion: '1' } : { state },
      lastMessageAt,
      errors$: errors,
    },
  };
}
