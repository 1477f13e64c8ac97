import { map, type Observable } from 'rxjs';
import {
  configMaps,
  createIndexer,
  informer,
  listWatch,
  metaNamespaceKey,
  pods,
  type ConfigMap,
  type Informer,
} from 'rx-informers';
import { resourceClient } from 'rx-informers/controller';
import { createInMemoryApiServer, virtualClock, serverFaults } from 'rx-informers/testing';

const metadata = { namespace: 'web', name: 'settings' };
const dark = { metadata: { ...metadata, labels: { app: 'shop' } }, data: { mode: 'dark' } };
const light = { ...dark, data: { mode: 'light' } };

function stage() {
  const clock = virtualClock();
  const server = createInMemoryApiServer({ scheduler: clock });
  server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } });
  const writes: string[] = [];
  server.requests$.subscribe(({ method }) => method !== 'GET' && writes.push(method));
  const options = { scheduler: clock, random: () => 0 };
  const cacheOf = (): Informer<ConfigMap> => {
    const cache = informer(listWatch(server.client, configMaps, options), { linger: 0, ...options });
    cache.connect();
    clock.advance(100);
    return cache;
  };
  const run = <T>(call$: Observable<T>): T | undefined => {
    let value: T | undefined;
    call$.subscribe({ next: (next) => (value = next), error: () => undefined });
    clock.advance(100);
    return value;
  };
  const client = resourceClient(server.client, configMaps, { fieldManager: 'tests', scheduler: clock });
  const stored = () => server.objects.get<ConfigMap>(configMaps, 'settings', 'web');
  const tamper = (change: object): void => {
    const { metadata: own, ...rest } = structuredClone(stored()) as ConfigMap;
    server.apply({ ...rest, metadata: { namespace: own.namespace, name: own.name, labels: own.labels }, ...change });
    clock.advance(100);
  };
  const sent = (): number => writes.splice(0).length;
  sent();
  return { server, client, cacheOf, run, stored, tamper, sent, clock };
}

describe('apply with a cache', () => {
  it('sends what was not applied yet, and nothing while the object stays as it is', () => {
    const { client, cacheOf, run, sent, stored } = stage();
    const from = cacheOf();
    expect(run(client.apply(dark, { from }))).toMatchObject({ data: { mode: 'dark' } });
    expect(sent()).toBe(1);
    for (let time = 0; time < 5; time += 1) {
      expect(run(client.apply(structuredClone(dark), { from }))).toBe(from.get('web/settings'));
    }
    expect(sent()).toBe(0);
    expect(stored()?.data).toEqual({ mode: 'dark' });
  });

  it.each<[string, object]>([
    ['a value that was applied', { data: { mode: 'light' } }],
    ['a value that is missing', { data: {} }],
    ['a value of another field', { data: { mode: 'dark', other: 'x' } }],
    ['a label', { metadata: { ...metadata, labels: { app: 'other' } } }],
  ])('sends one request after another writer changed %s', (_name, change) => {
    const { client, cacheOf, run, sent, tamper, stored } = stage();
    const from = cacheOf();
    run(client.apply(dark, { from }));
    tamper(change);
    sent();
    run(client.apply(dark, { from }));
    run(client.apply(dark, { from }));
    expect(sent()).toBe(1);
    expect(stored()).toMatchObject(dark);
  });

  it('sends another configuration, and what it no longer names is removed', () => {
    const { client, cacheOf, run, sent, stored } = stage();
    const from = cacheOf();
    run(client.apply({ ...dark, data: { mode: 'dark', size: 'small' } }, { from }));
    run(client.apply(dark, { from }));
    expect(stored()?.data).toEqual({ mode: 'dark' });
    run(client.apply(light, { from }));
    run(client.apply(dark, { from }));
    expect(stored()?.data).toEqual({ mode: 'dark' });
    expect(sent()).toBe(4);
  });

  it('sends after the object was deleted, and after it was created again by another writer', () => {
    const { client, cacheOf, run, sent, server, clock, stored } = stage();
    const from = cacheOf();
    run(client.apply(dark, { from }));
    server.remove(configMaps, 'settings', 'web');
    clock.advance(100);
    run(client.apply(dark, { from }));
    expect(sent()).toBe(2);
    server.remove(configMaps, 'settings', 'web');
    server.apply({ apiVersion: 'v1', kind: 'ConfigMap', ...dark });
    clock.advance(100);
    run(client.apply(dark, { from }));
    expect(sent()).toBe(1);
    expect(stored()).toMatchObject(dark);
  });

  it('sends the first time with a new cache, as after a restart, and always with one that has not synced', () => {
    const { client, cacheOf, run, sent, server } = stage();
    run(client.apply(dark, { from: cacheOf() }));
    run(client.apply(dark, { from: cacheOf() }));
    expect(sent()).toBe(2);
    const from = informer(listWatch(server.client, configMaps));
    run(client.apply(dark, { from }));
    run(client.apply(dark, { from }));
    expect(sent()).toBe(2);
  });

  it('sends nothing while the cache has not seen what it applied', () => {
    const { client, run, sent, stored } = stage();
    const from = createIndexer<ConfigMap>(metaNamespaceKey);
    from.replace([], '1');
    const created = run(client.apply(light, { from }));
    expect(run(client.apply(light, { from }))).toBe(created);
    expect(sent()).toBe(1);
    from.update(created as ConfigMap);
    run(client.apply(dark, { from }));
    run(client.apply(dark, { from }));
    expect(sent()).toBe(1);
    from.update(stored() as ConfigMap);
    run(client.apply(dark, { from }));
    expect(sent()).toBe(0);
    from.replace([], '999999');
    run(client.apply(dark, { from }));
    expect(sent()).toBe(1);
  });

  it('sends each newer version once where the cache keeps only a part of the object', () => {
    const { client, run, sent, server, tamper, clock, stored } = stage();
    const trim = ({ apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } }: ConfigMap): ConfigMap => ({
      apiVersion,
      kind,
      metadata: { name, namespace, uid, resourceVersion } as ConfigMap['metadata'],
    });
    const options = { scheduler: clock, random: () => 0 };
    const from = informer(listWatch(server.client, configMaps, { ...options, transform: trim }), options);
    from.connect();
    clock.advance(100);
    for (let time = 0; time < 3; time += 1) run(client.apply(dark, { from }));
    expect(sent()).toBe(1);
    tamper({ data: { mode: 'light' } });
    sent();
    for (let time = 0; time < 3; time += 1) run(client.apply(dark, { from }));
    expect(sent()).toBe(1);
    expect(stored()).toMatchObject(dark);
  });

  it('always sends a dry run, which counts for nothing', () => {
    const { client, cacheOf, run, sent, stored } = stage();
    const from = cacheOf();
    run(client.apply(dark, { from, dryRun: true }));
    expect(stored()).toBeUndefined();
    run(client.apply(dark, { from }));
    run(client.apply(dark, { from, dryRun: true }));
    run(client.apply(light, { from, dryRun: true }));
    run(client.apply(dark, { from }));
    expect(sent()).toBe(4);
  });

  it('sends again what failed', () => {
    const { client, cacheOf, run, sent, server, stored } = stage();
    const from = cacheOf();
    run(client.apply(light, { from }));
    server.faults.next('write', serverFaults.respond(500));
    run(client.apply(dark, { from }));
    run(client.apply(light, { from }));
    run(client.apply(dark, { from }));
    expect(sent()).toBe(4);
    expect(stored()).toMatchObject(dark);
  });

  it('keeps field managers apart, and a client and its copies over other connections together', () => {
    const { client, cacheOf, run, sent, server } = stage();
    const from = cacheOf();
    run(client.apply(dark, { from }));
    run(client.via(server.client).apply(dark, { from }));
    expect(sent()).toBe(1);
    run(client.apply(dark, { from, fieldManager: 'other' }));
    run(client.apply(dark, { from, fieldManager: 'other' }));
    run(client.apply(dark, { from }));
    expect(sent()).toBe(1);
  });

  it('refuses a cache of another resource', () => {
    const { client, server, run } = stage();
    const from = informer(listWatch(server.client, pods)) as unknown as Informer<ConfigMap>;
    expect(() => client.apply(dark, { from })).toThrow('option from is "pods"; a cache of configmaps expected');
    const unknown = informer(listWatch(server.client, configMaps).pipe(map((batch) => batch)));
    expect(run(client.apply(dark, { from: unknown }))).toMatchObject(dark);
  });

  it('rejects with the reason of a signal that is aborted, also where there is nothing to send', async () => {
    const { client, cacheOf, run } = stage();
    const from = cacheOf();
    run(client.apply(dark, { from }));
    await expect(client.apply(dark, { from, signal: AbortSignal.abort('stopping') })).rejects.toBe('stopping');
  });
});
