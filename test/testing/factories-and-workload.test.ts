import { deployments, nodes, pods, resource, type Pod } from 'rx-informers';
import {
  aConfigMap,
  aDeployment,
  aNamespace,
  aNode,
  aPod,
  aReplicaSet,
  anyObject,
  createInMemoryApiServer,
  workload,
  type WorkloadStep,
  informerTest,
} from 'rx-informers/testing';
import { map, take, toArray, VirtualTimeScheduler } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { dueSteps } from '../../src/testing/workload/workload.js';
import { errorWith } from '../support/error-with.js';

describe('the factories of test objects', () => {
  it('create the same object in every run', () => {
    expect(aPod({ name: 'a', node: 'n1' })).toEqual(aPod({ name: 'a', node: 'n1' }));
    expect(aPod({ name: 'a' }).metadata).toEqual({
      name: 'a',
      namespace: 'default',
      uid: 'pod-default-a',
      resourceVersion: '1',
      creationTimestamp: '2024-01-01T00:00:00Z',
    });
  });

  it('set only the requested fields', () => {
    const pod = aPod({ name: 'a', namespace: 'shop', labels: { app: 'web' }, resourceVersion: 7, finalizers: ['x/y'] });
    expect(pod.metadata).toMatchObject({
      namespace: 'shop',
      labels: { app: 'web' },
      resourceVersion: '7',
      finalizers: ['x/y'],
    });
    expect(pod.spec).toEqual({ containers: [{ name: 'main', image: 'app:1' }] });
    expect(pod.status).toEqual({ phase: 'Pending' });
    expect(aNode({ name: 'n' }).metadata).not.toHaveProperty('namespace');
  });

  it('make a pod with a node running and ready by default', () => {
    expect(aPod({ name: 'a', node: 'n' }).status).toMatchObject({
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
    });
    expect(aPod({ name: 'a', node: 'n', phase: 'Failed' }).status).toMatchObject({
      phase: 'Failed',
      conditions: [{ status: 'False' }],
    });
  });

  it('set the zone and capacity of a node, and the requests of pods, if given', () => {
    const node = aNode({ name: 'n', zone: 'zone-a', labels: { disk: 'ssd' }, capacity: { cpu: '4' } });
    expect(node.metadata.labels).toEqual({ 'topology.kubernetes.io/zone': 'zone-a', disk: 'ssd' });
    expect(node.status).toMatchObject({ capacity: { cpu: '4' }, allocatable: { cpu: '4' } });
    expect(Object.keys(aNode({ name: 'n' }).status ?? {})).toEqual(['conditions']);

    const resources = { requests: { cpu: '250m' } };
    expect(aPod({ name: 'a', ...resources }).spec?.containers).toEqual([{ name: 'main', image: 'app:1', resources }]);
    for (const owner of [aDeployment({ name: 'd', ...resources }), aReplicaSet({ name: 'r', ...resources })]) {
      expect(owner.spec?.template?.spec?.containers).toEqual([{ name: 'main', image: 'app:1', resources }]);
    }
  });

  it('link owners as controllers', () => {
    const owner = aDeployment({ name: 'web' });
    expect(aReplicaSet({ name: 'web-1', owner }).metadata.ownerReferences).toEqual([
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'deployment-default-web', controller: true },
    ]);
  });

  it('create objects that the API server accepts', () => {
    const server = createInMemoryApiServer();
    const objects = [
      aNamespace({ name: 'shop' }),
      aNode({ name: 'n' }),
      aPod({ name: 'p', namespace: 'shop' }),
      aConfigMap({ name: 'c' }),
      aDeployment({ name: 'd' }),
    ];
    expect(server.apply(objects)).toHaveLength(5);
  });

  it('create an object of any resource', () => {
    const widgets = resource<{ readonly spec: { readonly size: number } }>({
      group: 'example.com',
      version: 'v1',
      plural: 'widgets',
      kind: 'Widget',
      namespaced: true,
    });
    expect(anyObject(widgets, { name: 'w', content: { spec: { size: 3 } } })).toMatchObject({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'default' },
      spec: { size: 3 },
    });
  });

  it('throw an error for a descriptor without a kind', () => {
    expect(() => anyObject({ group: '', version: 'v1', plural: 'things', namespaced: true }, { name: 'a' })).toThrow(
      'the kind of things must be in its descriptor',
    );
  });
});

/** How many steps are due at each of these times, of a period that begins at 0. */
function dueAt(period: number, times: readonly number[]): readonly number[] {
  let time = 0;
  const due = dueSteps(period, { now: () => time });
  return times.map((next) => {
    time = next;
    return due();
  });
}

describe('dueSteps', () => {
  it('returns one step per period if the timer fires in time, for any period', () => {
    for (const period of [0.5, 1, 1000 / 3, 1000 / 7, 1000 / 999, 200, 60_000]) {
      const times: number[] = [];
      for (let index = 0, time = 0; index < 10_000; index += 1) times.push((time += period));
      expect(new Set(dueAt(period, times))).toEqual(new Set([1]));
    }
  });

  it('returns as many steps as periods have passed, and keeps the rest of a period', () => {
    expect(dueAt(0.5, [1, 2, 5])).toEqual([2, 2, 6]);
    expect(dueAt(10, [15, 29, 30, 61])).toEqual([1, 1, 1, 3]);
  });

  it('catches up at most a tenth of a second, but always one period', () => {
    expect(dueAt(1, [5_000, 5_001])).toEqual([101, 1]);
    expect(dueAt(1_000, [1_000, 3_600_000, 3_601_000])).toEqual([1, 1, 1]);
  });

  it('continues after the clock was set back', () => {
    expect(dueAt(10, [10, -3_600_000, -3_599_990, -3_599_980])).toEqual([1, 0, 1, 1]);
  });
});

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
  it('creates nodes, apps and running pods before it starts to churn', () => {
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

  it('assigns each node a zone and a capacity', () => {
    const { server } = run(11, 0, { nodes: 4 });
    const seededNodes = server.objects.list(nodes);
    const zones = seededNodes.map(({ metadata }) => metadata.labels?.['topology.kubernetes.io/zone']);
    expect(zones).toEqual(['zone-a', 'zone-b', 'zone-c', 'zone-a']);
    for (const { status } of seededNodes) {
      expect(status?.capacity).toEqual({ cpu: '16', memory: '64Gi' });
      expect(status?.allocatable).toEqual(status?.capacity);
    }
  });

  it('requests the same CPU for all pods of an app, like their Deployment', () => {
    const { server } = run(12, 100);
    const requests = new Map(Object.entries({ web: '250m', api: '500m', cache: '100m', worker: '50m' }));
    const requestOf = (spec: Pod['spec']): string | undefined => spec?.containers[0]?.resources?.requests?.['cpu'];
    for (const { metadata, spec } of server.objects.list(pods)) {
      expect(requestOf(spec)).toBe(requests.get(metadata.labels?.['app'] ?? ''));
    }
    for (const { metadata, spec } of server.objects.list(deployments)) {
      expect(requestOf(spec?.template.spec)).toBe(requests.get(metadata.name));
    }
  });

  it('makes every kind of change, one at a time, and keeps about the requested number of pods', () => {
    const { story, server } = run(2, 400);
    expect(story).toHaveLength(401);
    expect(new Set(story.map(({ type }) => type))).toEqual(
      new Set(['seeded', 'created', 'scheduled', 'started', 'restarted', 'finished', 'terminating', 'deleted']),
    );
    const count = server.objects.list(pods).length;
    expect(count).toBeGreaterThan(15);
    expect(count).toBeLessThanOrEqual(24);
  });

  it('sets the deletionTimestamp of a pod before it deletes the pod', () => {
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

  it('churns at the requested rate', () => {
    informerTest(({ expectObservable, scheduler }) => {
      const server = createInMemoryApiServer({ scheduler });
      const steps = workload(server, { pods: 3, rate: 4, scheduler, random: seeded(6) }).pipe(take(3));
      expectObservable(steps.pipe(map(({ type }) => type === 'seeded'))).toBe('a 249ms b 249ms (b|)', {
        a: true,
        b: false,
      });
    });
  });

  it('makes as many changes as are due if the timers are slower than the rate', () => {
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

  it('makes no more changes than requested, even if more are due', () => {
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

  it('changes nothing at rate 0', () => {
    const { story } = run(7, 0, { rate: 0 });
    expect(story).toHaveLength(1);
  });

  it('stops after the last subscriber has unsubscribed, and keeps the objects', () => {
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
    expect(errors).toEqual([errorWith('RXI_INVALID_OPTION')]);
  });
});
