import {
  informerRegistry,
  type InformerRegistry,
  type ResourceInformerOptions,
  type Informer,
  resource,
  inNamespaces,
} from 'rx-informers';
import { dropManagedFields } from 'rx-informers/resources';
import { metaNamespaceKey, partitionedKey } from 'rx-informers/store';
import { asyncScheduler, BehaviorSubject } from 'rxjs';
import { byNode, type Pod } from '../fixtures/pods.js';
import { expectOutput } from '../support/unexpected-output.js';
import { QuietClient } from './support/fake-client.js';

const pods = resource<Pod>({ group: '', version: 'v1', plural: 'pods', namespaced: true });
const nodes = resource<Pod>({ group: '', version: 'v1', plural: 'nodes', namespaced: false });
const paged = { initialList: 'pages' } as const;

function aRegistry(): {
  readonly client: QuietClient;
  readonly registry: InformerRegistry;
  readonly podsOf: (request?: ResourceInformerOptions<Pod, never>) => Informer<Pod, never>;
} {
  const client = new QuietClient();
  const registry = informerRegistry(client);
  return { client, registry, podsOf: (request = {}) => registry.informer(pods, { ...paged, ...request }) };
}

describe('informerRegistry', () => {
  it('F1: returns the same informer for the same request', () => {
    const { podsOf } = aRegistry();
    const namespaces = new BehaviorSubject<readonly string[]>(['web']);
    const transform = (pod: Pod): Pod => pod;
    const requests: readonly ResourceInformerOptions<Pod, never>[] = [
      {},
      { namespace: 'web' },
      { namespace: inNamespaces(['web', 'auth']) },
      { namespace: inNamespaces(namespaces) },
      { labelSelector: 'app=x' },
      { transform },
      { linger: 5 },
    ];
    const informers = requests.map((request) => podsOf(request));
    expect(new Set(informers).size).toBe(requests.length);
    expect(requests.map((request) => podsOf({ ...request }))).toEqual(informers);
    expect(requests.every((request, number) => podsOf({ ...request }) === informers[number])).toBe(true);
    expect(podsOf({ namespace: inNamespaces(['web', 'auth']) })).toBe(informers[2]);
  });

  it.each<[string, ResourceInformerOptions<Pod, never>, ResourceInformerOptions<Pod, never>]>([
    ['one namespace', { namespace: 'web' }, { namespace: inNamespaces(['web']) }],
    ['one namespace twice', { namespace: 'web' }, { namespace: inNamespaces(['web', 'web'], { startWithout: [] }) }],
    [
      'namespaces in another order',
      { namespace: inNamespaces(['web', 'auth']) },
      { namespace: inNamespaces(['auth', 'web']) },
    ],
    ['labels in another order', { labelSelector: 'b=2,a in (2,1)' }, { labelSelector: 'a in (1,2),b=2' }],
    [
      'fields in another order',
      { fieldSelector: 'status.phase=Running,spec.nodeName=n\\,1' },
      { fieldSelector: 'spec.nodeName=n\\,1,status.phase=Running' },
    ],
  ])('F1: returns the same informer for %s, in any order', (_what, one, other) => {
    for (const requests of [[one, other] as const, [other, one] as const]) {
      const { podsOf } = aRegistry();
      const [first, second] = requests.map((request) => podsOf(request));
      expect(second).toBe(first);
    }
  });

  it('reads one namespace of inNamespaces as that namespace', () => {
    const { podsOf, client } = aRegistry();
    const informer = podsOf({ namespace: inNamespaces(['web']) });
    informer.connect();
    expect(client.requests[0]?.path).toBe('/api/v1/namespaces/web/pods');
    expect(informer.keys()).toEqual(['a', 'b']);
    expect(informer.status.members).toBeUndefined();
    informer.stop();
  });

  it.each<[string, ResourceInformerOptions<Pod, never>]>([
    ['that may be forbidden', { namespace: inNamespaces(['web'], { startWithout: ['forbidden'] }) }],
    ['with keys that contain the partition', { namespace: inNamespaces(['web']), keyOf: partitionedKey() }],
    ['with another value of a field', { namespace: 'web', fieldSelector: 'spec.nodeName=n,1' }],
  ])('F1: returns another informer for one namespace %s', (_what, request) => {
    const { podsOf } = aRegistry();
    const others = [podsOf({ ...request, namespace: 'web', fieldSelector: 'n,1,spec.nodeName=' }), podsOf()];
    expect(others).not.toContain(podsOf(request));
  });

  it('F1: compares options by value', () => {
    const { podsOf } = aRegistry();
    const queries = (): readonly ResourceInformerOptions<Pod, never>[] => [
      { namespace: inNamespaces(['web', 'auth']) },
      { labelSelector: { matchLabels: { app: 'web', tier: 'front' } } },
      { watchTimeout: [1000, 2000] },
    ];
    const informers = queries().map((request) => podsOf(request));
    expect(new Set(informers).size).toBe(informers.length);
    expect(queries().every((request, number) => podsOf(request) === informers[number])).toBe(true);
    expect(podsOf({ labelSelector: 'tier=front,app=web' })).toBe(informers[1]);
  });

  it.each<[string, ResourceInformerOptions<Pod, never>]>([
    ['namespace', { namespace: '' }],
    ['labelSelector', { labelSelector: {} }],
    ['fieldSelector', { fieldSelector: '' }],
    ['metadataOnly', { metadataOnly: false }],
    ['listConsistency', { listConsistency: 'any' }],
    ['transform', { transform: dropManagedFields }],
    ['shareAcrossObjects', { shareAcrossObjects: true }],
    ['dedup', { dedup: 'client-go' }],
    ['watchTimeout', { watchTimeout: [300, 600] }],
    ['grace', { grace: 30_000 }],
    ['listSilence', { listSilence: 30_000 }],
    ['maxRetryAfter', { maxRetryAfter: 300_000 }],
    ['scheduler', { scheduler: asyncScheduler }],
    ['random', { random: Math.random }],
    ['keyOf', { keyOf: metaNamespaceKey }],
    ['linger', { linger: 1000 }],
    ['freeze', { freeze: true }],
    ['any option', { namespace: undefined, linger: undefined, transform: undefined }],
  ])('F1: shares the informer if %s is given as its default', (_, request) => {
    const { podsOf } = aRegistry();
    expect(podsOf(request)).toBe(podsOf());
  });

  it('throws if requests with inline functions pile up, because they never share an informer', () => {
    const { registry, podsOf } = aRegistry();
    const ask = (): Informer<Pod, never> => podsOf({ namespace: 'web', transform: (pod) => pod });
    const first = ask();
    for (let time = 2; time <= 10; time++) expect(ask()).not.toBe(first);
    const tooMany = expect.objectContaining({
      code: 'RXI_UNSTABLE_REQUEST',
      resource: 'pods',
      options: ['transform'],
      message: expect.stringMatching(
        /^pods: each call creates the functions in transform .*define the request once/,
      ) as unknown,
    }) as Error;

    expect(ask).toThrow(tooMany);
    expect(ask).toThrow(tooMany);
    expect(podsOf({ namespace: 'auth', transform: (pod) => pod })).toBeDefined();
    expect(podsOf({ namespace: 'web', transform: (pod) => ({ ...pod }) })).toBeDefined();
    expect(registry.informer(nodes, { ...paged, transform: (pod) => pod })).toBeDefined();
    registry.stop(first);
    expect(ask()).toBeDefined();
    expect(ask).toThrow(tooMany);
  });

  it('F1: distinguishes resources by group, version and plural', () => {
    const { registry } = aRegistry();
    const beta = resource<Pod>({ ...pods, version: 'v1beta1' });
    expect(registry.informer(pods)).not.toBe(registry.informer(nodes));
    expect(registry.informer(pods)).not.toBe(registry.informer(beta));
    expect(registry.informer(pods)).toBe(registry.informer(resource<Pod>({ ...pods })));
  });

  it('F1: sends no request before an informer is started', () => {
    const { client, registry, podsOf } = aRegistry();
    podsOf();
    expect(client.requests).toEqual([]);
    podsOf().list$().subscribe();
    expect(client.open).toBeGreaterThan(0);
    registry.stop();
  });

  it('adds the indexers of every request', () => {
    const { registry } = aRegistry();
    const first = registry.informer(pods, { indexers: { node: byNode } });
    const second = registry.informer(pods, { indexers: { name: ({ metadata }) => metadata.name, node: byNode } });
    expect(second).toBe(first);
    expect(Object.keys(first.indexers)).toEqual(['node', 'name']);
  });

  it('throws if one name is used for two functions, and adds nothing', () => {
    const { registry } = aRegistry();
    const first = registry.informer(pods, { indexers: { node: byNode } });
    const conflicting = { fresh: byNode, node: ({ metadata }: Pod) => metadata.name };
    expect(() => registry.informer(pods, { indexers: conflicting })).toThrow(
      expect.objectContaining({ code: 'RXI_INDEXER_CONFLICT', conflicts: ['node'] }),
    );
    expect(Object.keys(first.indexers)).toEqual(['node']);
  });

  it('throws with a hint how to share an index if the same inline function is requested twice', () => {
    const { registry } = aRegistry();
    const ask = (): unknown => registry.informer(pods, { indexers: { name: ({ metadata }) => metadata.name } });
    ask();
    expect(ask).toThrow(
      'pods: the index "name" already has a function with the same source text, created again by each call; ' +
        'define the function once, at module scope (outside of React components), and pass that one',
    );
  });

  it('throws with a hint to use another name if an index name is used for different functions', () => {
    const { registry } = aRegistry();
    registry.informer(pods, { indexers: { node: byNode } });
    expect(() => registry.informer(pods, { indexers: { node: ({ metadata }) => metadata.name } })).toThrow(
      'pods: the index "node" already has another function; choose another name for this one, or pass the same function',
    );
  });

  it('F2: starts informers that do not run yet, and may be called again', async () => {
    const { client, registry, podsOf } = aRegistry();
    const podInformer = podsOf();
    registry.start();
    registry.start();
    await registry.whenSynced();
    expect(podInformer.keys()).toEqual(['a', 'b']);
    expect(client.open).toBe(1);
    const nodeInformer = registry.informer(nodes, paged);
    expect(nodeInformer.isRunning).toBe(false);
    registry.start();
    await registry.whenSynced();
    expect([nodeInformer.hasSynced, client.open]).toEqual([true, 2]);
    registry.stop();
    expect(client.open).toBe(0);
  });

  it('F2: keeps its started informers running while subscribers come and go', async () => {
    const { registry, podsOf } = aRegistry();
    const subscription = podsOf().list$().subscribe();
    registry.start();
    subscription.unsubscribe();
    expect(podsOf().isRunning).toBe(true);
    registry.stop();
  });

  it('restarts an informer that was stopped directly', () => {
    const { registry, podsOf } = aRegistry();
    registry.start();
    const podInformer = podsOf();
    registry.start();
    podInformer.stop();
    expect(podInformer.isRunning).toBe(false);
    registry.start();
    expect(podInformer.isRunning).toBe(true);
    registry.stop();
  });

  it('F3: waits only for running informers', async () => {
    const { registry, podsOf } = aRegistry();
    podsOf();
    await expect(registry.whenSynced()).resolves.toBeUndefined();
    registry.start();
    registry.informer(nodes, paged);
    await expect(registry.whenSynced()).resolves.toBeUndefined();
    registry.stop();
  });

  it('F3: rejects if it is aborted, or an informer is stopped before it has synced', async () => {
    expectOutput(/^whenSynced\(\) of a registry was aborted before these had synced: pods \(listing\)\./);
    const { registry } = aRegistry();
    const neverSynced = registry.informer(pods);
    registry.start();
    await expect(registry.whenSynced({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
    const synced = registry.whenSynced();
    registry.stop(neverSynced);
    await expect(synced).rejects.toMatchObject({ code: 'RXI_NOT_RUNNING', when: 'stopped-before-synced' });
  });

  it('F4 ▲: stops one informer even if it has subscribers, and forgets it', async () => {
    const { client, registry, podsOf } = aRegistry();
    const podInformer = podsOf();
    const nodeInformer = registry.informer(nodes, paged);
    registry.start();
    await registry.whenSynced();
    const completed: string[] = [];
    podInformer.list$().subscribe({ complete: () => completed.push('pods') });
    nodeInformer.list$().subscribe({ complete: () => completed.push('nodes') });
    registry.stop(podInformer);
    expect([completed, client.open, nodeInformer.isRunning]).toEqual([['pods'], 1, true]);
    expect(podsOf()).not.toBe(podInformer);
    registry.stop();
    expect([completed, client.open]).toEqual([['pods', 'nodes'], 0]);
    expect(registry.informer(nodes, paged)).not.toBe(nodeInformer);
  });

  it('ignores an informer that it did not create, and undefined', () => {
    const { registry, podsOf } = aRegistry();
    const podInformer = podsOf();
    registry.start();
    registry.stop(undefined as unknown as Informer<Pod>);
    expect(podInformer.isRunning).toBe(true);
    registry.stop(aRegistry().podsOf());
    expect(podInformer.isRunning).toBe(true);
    registry.stop();
  });
});
