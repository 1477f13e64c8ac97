import fc from 'fast-check';
import { configMaps as configMapResource, namespaces, pods, deployments, replicaSets } from 'rx-informers';
import {
  type StoredObject,
  aConfigMap,
  aDeployment,
  aPod,
  aReplicaSet,
  createInMemoryApiServer,
  type InMemoryApiServer,
  informerTest,
} from 'rx-informers/testing';
import { Storage } from '../../../src/testing/api-server/storage/storage.js';
import { configMap, configMaps, get, patch, post, send, summary, useApiServer, watch } from './http.js';

const object = (name: string, content: number): StoredObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, uid: name, resourceVersion: '', creationTimestamp: '' },
  content,
});

const write = fc.record({
  type: fc.constantFrom('put', 'put', 'remove', 'elsewhere', 'compact'),
  key: fc.constantFrom('a/x', 'a/y', 'a-b/x', 'b/x', 'c'),
  content: fc.integer(),
});

type Contents = readonly (readonly [string, unknown])[];

const contents = (entries: Iterable<readonly [string, StoredObject]>): Contents =>
  Array.from(entries, ([key, { content }]) => [key, content] as const);

describe('the storage of the embedded API server', () => {
  it('keeps every version since the last compaction, and replays every event after any of them', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 40 }), (writes) => {
        const storage = new Storage(1000);
        const things = storage.resource('things');
        const model = new Map<string, number>();
        const versions = new Map<number, Contents>();
        let compacted = 0;
        const remember = (): void => {
          versions.set(
            storage.resourceVersion,
            [...model].sort(([a], [b]) => (a < b ? -1 : 1)),
          );
        };
        remember();
        for (const { type, key, content } of writes) {
          if (type === 'put') things.put(key, object(key, content));
          if (type === 'put') model.set(key, content);
          if (type === 'remove') things.remove(key);
          if (type === 'remove') model.delete(key);
          if (type === 'elsewhere') storage.resource('others').put(key, object(key, content));
          if (type === 'compact') storage.compact();
          if (type === 'compact') compacted = storage.resourceVersion;
          remember();
        }
        for (const [version, expected] of versions) {
          const then = things.scanAt(version, '', '');
          const start = things.history.after(version);
          // A watch from the version before the compaction needs nothing that was forgotten.
          expect(start === 'discarded').toBe(version + 1 < compacted);
          const known = then === 'discarded' ? then : contents(then);
          expect(known).toEqual(version < compacted ? 'discarded' : expected);
          if (known === 'discarded') continue;
          const replayed = new Map(expected);
          for (let sequence = Number(start); sequence < things.history.end; sequence += 1) {
            const event = things.history.at(sequence);
            if (event === undefined || event === 'discarded') throw new Error(`event ${sequence} is missing`);
            if (event.type === 'DELETED') replayed.delete(event.key);
            else replayed.set(event.key, event.object['content']);
          }
          expect([...replayed].sort(([a], [b]) => (a < b ? -1 : 1))).toEqual(contents(things.scan()));
        }
      }),
    );
  });

  it('numbers all writes of all resources with one counter', () => {
    const storage = new Storage(10);
    const first = storage.resource('a').put('x', object('x', 1));
    const second = storage.resource('b').put('x', object('x', 1));
    expect(Number(second.metadata.resourceVersion)).toBe(Number(first.metadata.resourceVersion) + 1);
  });

  it('drops the oldest events above its limit', () => {
    const storage = new Storage(5);
    const things = storage.resource('things');
    for (let index = 0; index < 100; index += 1) things.put('x', object('x', index));
    expect(things.history.all().length).toBeLessThan(10);
    expect(things.history.after(1)).toBe('discarded');
    expect(things.history.after(storage.resourceVersion - 5)).not.toBe('discarded');
    expect(things.history.at(0)).toBe('discarded');
  });

  it('returns a history of up to 10,000 entries, the latest ones', () => {
    const memory = createInMemoryApiServer();
    const writes = 10_005;
    for (let content = 1; content <= writes; content += 1) {
      memory.apply({ ...aConfigMap({ name: 'a' }), data: { content: String(content) } });
    }
    expect(memory.history(configMapResource).length).toBe(10_000);
    expect(memory.history(configMapResource).at(-1)?.object.data).toEqual({ content: String(writes) });
    memory.stop();
  });

  it('returns in a scan the state at its beginning, without later writes', () => {
    const things = new Storage(5).resource('things');
    things.put('a', object('a', 1));
    const snapshot = things.scan();
    things.put('b', object('b', 2));
    things.remove('a');
    expect(contents(snapshot)).toEqual([['a', 1]]);
  });

  it('keeps the given managedFields and creation times on request', () => {
    const server = createInMemoryApiServer();
    const managedFields = [
      { manager: 'helm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
    ];
    const metadata = {
      name: 'a',
      creationTimestamp: '2020-01-01T00:00:00Z',
      deletionTimestamp: '2020-01-02T00:00:00Z',
      managedFields,
    };
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    const [plain] = server.apply(map);
    expect(plain?.metadata).not.toHaveProperty('deletionTimestamp');
    expect(plain?.metadata.creationTimestamp).not.toBe('2020-01-01T00:00:00Z');
    const [kept] = server.apply({ ...map, metadata: { ...metadata, name: 'b' } }, { keepMetadata: true });
    expect(kept?.metadata).toMatchObject({ ...metadata, name: 'b' });
    const [again] = server.apply(
      { ...map, metadata: { name: 'b', creationTimestamp: '2024-01-01T00:00:00Z' }, data: { a: '1' } },
      { keepMetadata: true },
    );
    expect(again?.metadata.creationTimestamp).toBe('2020-01-01T00:00:00Z');
  });

  it('calls no listener again that unsubscribes inside its call', () => {
    const things = new Storage(5).resource('things');
    let received = 0;
    const leave: (() => void)[] = [];
    leave.push(
      things.listen(() => leave[1]?.()),
      things.listen(() => (received += 1)),
    );
    things.put('a', object('a', 1));
    expect(received).toBe(0);
  });
});

const deploymentPath = '/apis/apps/v1/namespaces/default/deployments/web';

describe('propagation of a deletion', () => {
  const server = useApiServer();
  beforeEach(() => {
    const [deployment] = server().apply(aDeployment({ name: 'web' }));
    const [replicaSet] = server().apply(aReplicaSet({ name: 'web-1', owner: deployment }));
    server().apply([aPod({ name: 'web-1-a', owner: replicaSet }), aPod({ name: 'other' })]);
  });
  const names = (): readonly string[] =>
    [...server().objects.list(deployments), ...server().objects.list(replicaSets), ...server().objects.list(pods)].map(
      ({ metadata }) => metadata.name,
    );

  it('in the background deletes the dependents of dependents', async () => {
    await send(server(), 'DELETE', deploymentPath);
    expect(names()).toEqual(['other']);
  });

  it('with Orphan keeps them, without their owner', async () => {
    await send(server(), 'DELETE', deploymentPath, { body: { propagationPolicy: 'Orphan' } });
    expect(names()).toEqual(['web-1', 'other', 'web-1-a']);
    expect(server().objects.get(replicaSets, 'web-1', 'default')?.metadata.ownerReferences).toBeUndefined();
  });

  it('in the foreground keeps the owner until blocking dependents are deleted', async () => {
    const owner = server().objects.get(deployments, 'web', 'default');
    server().apply({
      ...aConfigMap({ name: 'blocking', finalizers: ['x.io/wait'] }),
      metadata: {
        name: 'blocking',
        finalizers: ['x.io/wait'],
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            name: 'web',
            uid: owner?.metadata.uid,
            blockOwnerDeletion: true,
          },
        ],
      },
    });
    const { body } = await send(server(), 'DELETE', deploymentPath, { body: { propagationPolicy: 'Foreground' } });
    expect(body).toMatchObject({ kind: 'Deployment', metadata: { finalizers: ['foregroundDeletion'] } });
    expect(names()).toEqual(['web', 'other']);
    await send(server(), 'PATCH', `${configMaps}/blocking`, {
      body: { metadata: { finalizers: null } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(names()).toEqual(['other']);
  });

  const configMapPath = (name: string): string => `${configMaps}/${name}`;
  const aSharedConfigMap = (...owners: readonly string[]) =>
    aConfigMap({
      name: 'shared',
      owner: owners.map((name) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name,
        uid: server().objects.get(configMapResource, name, 'default')?.metadata.uid ?? 'unknown',
        blockOwnerDeletion: true,
      })),
    });

  it('in the foreground keeps a dependent that has another owner, and removes the owner at once', async () => {
    server().apply([aConfigMap({ name: 'first' }), aConfigMap({ name: 'second' })]);
    server().apply(aSharedConfigMap('first', 'second'));
    await send(server(), 'DELETE', configMapPath('first'), { body: { propagationPolicy: 'Foreground' } });
    expect(server().objects.get(configMapResource, 'first', 'default')).toBeUndefined();
    expect(server().objects.get(configMapResource, 'shared', 'default')?.metadata).toMatchObject({
      ownerReferences: [{ name: 'second' }],
    });
  });

  it('lets a dependent that is deleted in the foreground wait, when its own owner is deleted', async () => {
    server().apply(aConfigMap({ name: 'owner' }));
    server().apply({ ...aSharedConfigMap('owner'), kind: 'ConfigMap' });
    const shared = server().objects.get(configMapResource, 'shared', 'default');
    const held = aConfigMap({ name: 'held', owner: shared, finalizers: ['x.io/wait'] });
    const [reference] = held.metadata.ownerReferences ?? [];
    server().apply({
      ...held,
      metadata: { ...held.metadata, ownerReferences: [{ ...reference, blockOwnerDeletion: true }] },
    });
    await send(server(), 'DELETE', configMapPath('shared'), { body: { propagationPolicy: 'Foreground' } });
    await send(server(), 'DELETE', configMapPath('owner'));
    expect(server().objects.get(configMapResource, 'shared', 'default')?.metadata.finalizers).toEqual([
      'foregroundDeletion',
    ]);
  });

  it('in the foreground deletes also what a dependent owns that does not block and is held', async () => {
    const [owner] = server().apply(aConfigMap({ name: 'owner' }));
    const [held] = server().apply(aConfigMap({ name: 'held', owner, finalizers: ['x.io/wait'] }));
    server().apply([aConfigMap({ name: 'a', owner: held }), aConfigMap({ name: 'b', owner: held })]);
    await send(server(), 'DELETE', configMapPath('owner'), { body: { propagationPolicy: 'Foreground' } });
    expect(
      server()
        .objects.list(configMapResource)
        .map(({ metadata }) => metadata.name),
    ).toEqual(['held']);
  });

  it('removes all references to owners that are gone from an object that another owner keeps', () => {
    server().apply([aConfigMap({ name: 'first' }), aConfigMap({ name: 'second' })]);
    server().apply(aSharedConfigMap('first', 'second', 'nowhere'));
    server().remove(configMapResource, 'first', 'default');
    expect(server().objects.get(configMapResource, 'shared', 'default')?.metadata.ownerReferences).toMatchObject([
      { name: 'second' },
    ]);
  });

  it('keeps an object that has another owner', () => {
    server().apply([aConfigMap({ name: 'first' }), aConfigMap({ name: 'second' })]);
    server().apply(aSharedConfigMap('first', 'second'));
    server().remove(configMapResource, 'first', 'default');
    expect(server().objects.get(configMapResource, 'shared', 'default')?.metadata.ownerReferences).toHaveLength(1);
    server().remove(configMapResource, 'second', 'default');
    expect(server().objects.get(configMapResource, 'shared', 'default')).toBeUndefined();
  });

  it('first removes the reference to a deleted owner from a dependent whose other owner is deleted with it', async () => {
    const [owner] = server().apply(aConfigMap({ name: 'first' }));
    server().apply(aConfigMap({ name: 'second', owner }));
    const shared = aSharedConfigMap('first', 'second');
    server().apply({ ...shared, metadata: { ...shared.metadata, finalizers: ['x.io/wait'] } });
    await send(server(), 'DELETE', configMapPath('first'));
    const { metadata } = server().objects.get(configMapResource, 'shared', 'default') ?? {};
    expect(metadata).toMatchObject({ ownerReferences: [{ name: 'second' }], deletionTimestamp: expect.any(String) });
    expect(metadata?.ownerReferences).toHaveLength(1);
  });

  it('deletes a dependent created after its owner was deleted, as by a controller with a late cache', async () => {
    const [owner] = server().apply(aConfigMap({ name: 'owner' }));
    await send(server(), 'DELETE', `${configMaps}/owner`);
    server().apply(aConfigMap({ name: 'late', owner }));
    expect(server().objects.get(configMapResource, 'late', 'default')).toBeUndefined();
  });

  it('keeps an object that has just lost its owner reference, if a watch deletes the owner in its callback', () => {
    const { client, ...memory } = createInMemoryApiServer();
    const [owner] = memory.apply(aConfigMap({ name: 'owner' }));
    memory.apply(aConfigMap({ name: 'free', owner }));
    const resourceVersion = memory.apply(aConfigMap({ name: 'other' }))[0]?.metadata.resourceVersion;
    const watching = client
      .exchange({ method: 'GET', path: configMaps, query: { watch: true, resourceVersion } })
      .subscribe((part) => {
        if (part.type === 'bytes') memory.remove(configMapResource, 'owner', 'default');
      });
    memory.apply(aConfigMap({ name: 'free' }));
    expect(memory.objects.list(configMapResource).map(({ metadata }) => metadata.name)).toEqual(['free', 'other']);
    watching.unsubscribe();
    memory.stop();
  });

  it('keeps objects whose owner never existed', () => {
    server().apply(aConfigMap({ name: 'stray', owner: aDeployment({ name: 'nowhere' }) }));
    expect(server().objects.get(configMapResource, 'stray', 'default')).toBeDefined();
  });
});

describe('a pod in the embedded API server', () => {
  const pod = '/api/v1/namespaces/default/pods/p';

  function inVirtualTime(
    test: (server: InMemoryApiServer, after: (milliseconds: number, check: () => void) => void) => void,
    kubelet = true,
  ): void {
    let checks = 0;
    informerTest(({ flush, scheduler }) => {
      let planned = 0;
      test(createInMemoryApiServer({ scheduler, kubelet }), (milliseconds, check) => {
        planned += 1;
        scheduler.schedule(() => {
          check();
          checks += 1;
        }, milliseconds);
      });
      flush();
      expect(checks).toBe(planned);
    });
  }
  const deletePod = (server: InMemoryApiServer, gracePeriodSeconds?: number): void => {
    const query = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    server.client.exchange({ method: 'DELETE', path: pod, query }).subscribe();
  };

  it('on a node is deleted at the end of its grace period', () => {
    inVirtualTime((server, after) => {
      server.apply(aPod({ name: 'p', node: 'n' }));
      deletePod(server);
      const { metadata } = server.objects.get(pods, 'p', 'default') ?? {};
      expect(metadata).toMatchObject({ deletionGracePeriodSeconds: 30, deletionTimestamp: '1970-01-01T00:00:30Z' });
      after(29_999, () => {
        expect(server.objects.get(pods, 'p', 'default')).toBeDefined();
      });
      after(30_001, () => {
        expect(server.objects.get(pods, 'p', 'default')).toBeUndefined();
      });
    });
  });

  it('is deleted earlier with a higher speed', () => {
    inVirtualTime((server, after) => {
      server.apply(aPod({ name: 'p', node: 'n' }));
      deletePod(server);
      deletePod(server, 5);
      after(5001, () => {
        expect(server.objects.get(pods, 'p', 'default')).toBeUndefined();
      });
    });
  });

  it('is deleted at once without a grace period, without a node, or if it has ended', () => {
    inVirtualTime((server) => {
      server.apply(aPod({ name: 'p', node: 'n' }));
      deletePod(server, 0);
      expect(server.objects.get(pods, 'p', 'default')).toBeUndefined();
      server.apply(aPod({ name: 'p' }));
      deletePod(server);
      expect(server.objects.get(pods, 'p', 'default')).toBeUndefined();
      server.apply(aPod({ name: 'p', node: 'n', phase: 'Succeeded' }));
      deletePod(server);
      expect(server.objects.get(pods, 'p', 'default')).toBeUndefined();
    });
  });

  it('is never deleted without a kubelet', () => {
    inVirtualTime((server, after) => {
      server.apply(aPod({ name: 'p', node: 'n' }));
      deletePod(server);
      after(100_000, () => {
        expect(server.objects.get(pods, 'p', 'default')).toBeDefined();
      });
    }, false);
  });
});

describe('the deletion of a namespace', () => {
  const server = useApiServer();

  it('deletes everything in it', async () => {
    server().apply([
      aConfigMap({ name: 'a', namespace: 'gone' }),
      aPod({ name: 'p', namespace: 'gone' }),
      aConfigMap({ name: 'b' }),
    ]);
    const stream = await watch(server(), `/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Dgone`);
    await stream.next(1);
    const { body } = await send(server(), 'DELETE', '/api/v1/namespaces/gone');
    expect(body).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } });
    expect(summary(await stream.next(2))).toEqual(['MODIFIED gone', 'DELETED gone']);
    expect(
      server()
        .objects.list(configMapResource)
        .map(({ metadata }) => metadata.name),
    ).toEqual(['b']);
    stream.close();
  });

  it('waits for objects with finalizers, and refuses new ones meanwhile', async () => {
    server().apply(aConfigMap({ name: 'a', namespace: 'gone', finalizers: ['x.io/wait'] }));
    await send(server(), 'DELETE', '/api/v1/namespaces/gone');
    const refused = await post(server(), '/api/v1/namespaces/gone/configmaps', configMap('late'));
    expect(refused.status).toBe(403);
    expect(refused.body['message']).toBe(
      'configmaps "late" is forbidden: unable to create new content in namespace gone because it is being terminated',
    );
    expect((await get(server(), '/api/v1/namespaces/gone')).status).toBe(200);
    server().remove(configMapResource, 'a', 'gone');
    expect(server().objects.get(namespaces, 'gone')).toBeUndefined();
  });

  it('ends the foreground deletions in it, which no longer wait for their dependents', async () => {
    const [owner] = server().apply(aConfigMap({ name: 'owner', namespace: 'gone', finalizers: ['x.io/wait'] }));
    const held = aConfigMap({ name: 'held', namespace: 'gone', owner, finalizers: ['x.io/wait'] });
    const ownerReferences = (held.metadata.ownerReferences ?? []).map((each) => ({
      ...each,
      blockOwnerDeletion: true,
    }));
    server().apply({ ...held, metadata: { ...held.metadata, ownerReferences } });
    const finalizers = () => server().objects.get(configMapResource, 'owner', 'gone')?.metadata.finalizers;
    const foreground = { body: { propagationPolicy: 'Foreground' } };
    await send(server(), 'DELETE', '/api/v1/namespaces/gone/configmaps/owner', foreground);
    expect(finalizers()).toEqual(['x.io/wait', 'foregroundDeletion']);
    await send(server(), 'DELETE', '/api/v1/namespaces/gone');
    expect(finalizers()).toEqual(['x.io/wait']);
  });

  it('waits for the objects in it when the namespace itself changes or loses its last finalizer', async () => {
    server().apply(aConfigMap({ name: 'a', namespace: 'gone', finalizers: ['x.io/wait'] }));
    await send(server(), 'DELETE', '/api/v1/namespaces/gone', { body: { propagationPolicy: 'Foreground' } });
    expect(server().objects.get(namespaces, 'gone')?.metadata.finalizers).toBeUndefined();
    await patch(server(), '/api/v1/namespaces/gone', { metadata: { labels: { team: 'a' } } });
    expect(server().objects.get(namespaces, 'gone')?.metadata.labels).toMatchObject({ team: 'a' });
    await patch(server(), '/api/v1/namespaces/gone/configmaps/a', { metadata: { finalizers: null } });
    expect(server().objects.get(namespaces, 'gone')).toBeUndefined();
  });

  it('is forced by a write to finalize, as with a real server', async () => {
    server().apply(aConfigMap({ name: 'a', namespace: 'gone', finalizers: ['x.io/wait'] }));
    const { body } = await send(server(), 'DELETE', '/api/v1/namespaces/gone');
    await send(server(), 'PUT', '/api/v1/namespaces/gone/finalize', { body: { ...body, spec: { finalizers: [] } } });
    expect(server().objects.get(namespaces, 'gone')).toBeUndefined();
  });
});
