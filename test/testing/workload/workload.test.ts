import { TestScheduler } from 'rxjs/testing';
import { map, take, toArray, VirtualTimeScheduler } from 'rxjs';
import { pods, nodes } from 'rx-informers';
import { createInMemoryApiServer, workload, type WorkloadStep, informerTest } from 'rx-informers/testing';

/** A small generator with a seed: the same numbers in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Lets the workload run for `steps` changes in virtual time. */
function run(
  seed: number,
  steps: number,
  options = {},
): { readonly story: readonly WorkloadStep[]; readonly server: ReturnType<typeof createInMemoryApiServer> } {
  const scheduler = new TestScheduler(() => undefined);
  const random = seeded(seed);
  const server = createInMemoryApiServer({ scheduler, random });
  let story: readonly WorkloadStep[] = [];
  scheduler.run(({ flush }) => {
    workload(server, { nodes: 3, pods: 24, rate: 10, ...options, random, scheduler })
      .pipe(take(steps + 1), toArray())
      .subscribe((all) => {
        story = all;
      });
    flush();
  });
  return { story, server };
}

describe('workload', () => {
  it('seeds nodes, apps and running pods before it churns', () => {
    const { story, server } = run(1, 0);
    expect(story).toEqual([{ type: 'seeded', nodes: 3, pods: 24 }]);
    expect(server.objects.list(nodes).map(({ metadata }) => metadata.name)).toEqual([
      'worker-1',
      'worker-2',
      'worker-3',
    ]);
    const seededPods = server.objects.list(pods);
    expect(seededPods).toHaveLength(24);
    for (const pod of seededPods) {
      expect(pod.status?.phase).toBe('Running');
      expect(pod.spec?.nodeName).toMatch(/^worker-[123]$/);
      expect(pod.metadata.labels?.['app']).toBeDefined();
      expect(pod.metadata.ownerReferences?.[0]?.kind).toBe('ReplicaSet');
    }
  });

  it('makes every kind of change, one at a time, and keeps about as many pods as asked for', () => {
    const { story, server } = run(2, 400);
    expect(story).toHaveLength(401);
    expect(new Set(story.map(({ type }) => type))).toEqual(
      new Set(['seeded', 'created', 'scheduled', 'started', 'restarted', 'finished', 'terminating', 'deleted']),
    );
    const count = server.objects.list(pods).length;
    expect(count).toBeGreaterThan(15);
    expect(count).toBeLessThanOrEqual(24);
  });

  it('shows a pod that is deleted with its deletionTimestamp before it goes', () => {
    const { server } = run(3, 200);
    const history = server.history(pods);
    const gone = history.filter(({ type }) => type === 'DELETED');
    expect(gone.length).toBeGreaterThan(0);
    expect(gone.some(({ object }) => object.metadata.deletionTimestamp !== undefined)).toBe(true);
  });

  it('repeats the same changes for the same seed, and makes others for another seed', () => {
    expect(run(4, 100).story).toEqual(run(4, 100).story);
    expect(run(5, 100).story).not.toEqual(run(4, 100).story);
  });

  it('churns at the rate that was asked for', () => {
    informerTest(({ expectObservable, scheduler }) => {
      const server = createInMemoryApiServer({ scheduler });
      const steps = workload(server, { pods: 3, rate: 4, scheduler, random: seeded(6) }).pipe(take(3));
      expectObservable(steps.pipe(map(({ type }) => type === 'seeded'))).toBe('a 249ms b 249ms (b|)', {
        a: true,
        b: false,
      });
    });
  });

  it('makes as many changes as are due where the timers are slower than the rate', () => {
    const scheduler = new VirtualTimeScheduler(undefined, 250);
    // Each timer fires four times later than it was asked to.
    scheduler.now = () => scheduler.frame * 4;
    let steps = 0;
    workload(createInMemoryApiServer({ scheduler }), { pods: 20, rate: 2000, random: seeded(9), scheduler }).subscribe({
      next: ({ type }) => (steps += type === 'seeded' ? 0 : 1),
    });
    scheduler.flush();
    expect(scheduler.now()).toBe(1000);
    expect(steps).toBe(2000);
  });

  it('makes no more changes than are requested, though more are due', () => {
    const scheduler = new VirtualTimeScheduler(undefined, 10);
    scheduler.now = () => scheduler.frame * 50;
    const server = createInMemoryApiServer({ scheduler });
    let version = '';
    workload(server, { pods: 20, rate: 1000, random: seeded(10), scheduler })
      .pipe(take(4))
      .subscribe({ complete: () => (version = server.resourceVersion) });
    scheduler.flush();
    expect(version).not.toBe('');
    expect(server.resourceVersion).toBe(version);
  });

  it('leaves the cluster alone with rate 0', () => {
    const { story } = run(7, 0, { rate: 0 });
    expect(story).toHaveLength(1);
  });

  it('stops after the last subscriber has left, and keeps the objects', () => {
    informerTest(({ flush, scheduler }) => {
      const server = createInMemoryApiServer({ scheduler });
      const subscription = workload(server, { pods: 5, scheduler, random: seeded(8) }).subscribe();
      subscription.unsubscribe();
      const version = server.resourceVersion;
      flush();
      expect(server.resourceVersion).toBe(version);
      expect(server.objects.list(pods)).toHaveLength(5);
    });
  });

  it('refuses a workload without apps', () => {
    const errors: unknown[] = [];
    workload(createInMemoryApiServer(), { apps: [] }).subscribe({ error: (error: unknown) => errors.push(error) });
    expect(errors).toEqual([new RangeError('a workload needs at least one namespace and one app')]);
  });
});
