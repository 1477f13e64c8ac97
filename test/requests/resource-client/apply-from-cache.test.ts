import fc from 'fast-check';
import { configMaps, createIndexer, informer, listWatch, pods, type ConfigMap, type Informer } from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import { metaNamespaceKey } from 'rx-informers/store';
import { createInMemoryApiServer, virtualClock, serverFaults } from 'rx-informers/testing';
import { map, type Observable } from 'rxjs';
import { stage } from '../write/support/stage.js';

const metadata = { namespace: 'web', name: 'settings' };

const dark = { metadata: { ...metadata, labels: { app: 'shop' } }, data: { mode: 'dark' } };

const light = { ...dark, data: { mode: 'light' } };

describe('apply with a cache', () => {
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

  it('sends a new configuration once, and nothing while the object does not change', () => {
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
  ])('sends one request after another client changed %s', (_name, change) => {
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

  it('sends a changed configuration, which removes the fields that it no longer contains', () => {
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

  it('sends after the object was deleted, and after another client created it again', () => {
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

  it('sends the first time with a new cache, as after a restart, and always with a cache that has not synced', () => {
    const { client, cacheOf, run, sent, server } = stage();
    run(client.apply(dark, { from: cacheOf() }));
    run(client.apply(dark, { from: cacheOf() }));
    expect(sent()).toBe(2);
    const from = informer(listWatch(server.client, configMaps));
    run(client.apply(dark, { from }));
    run(client.apply(dark, { from }));
    expect(sent()).toBe(2);
  });

  it('sends nothing while the cache has not yet received the applied version', () => {
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

  it('sends once for each newer version if the cache keeps only a part of the object', () => {
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

  it('always sends a dry run, and does not count it as applied', () => {
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

  it('sends again after a request failed', () => {
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

  it('distinguishes field managers, and shares its record between copies of a client over other connections', () => {
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
    expect(() => client.apply(dark, { from })).toThrow('from must be a cache of configmaps, not "pods"');
    const unknown = informer(listWatch(server.client, configMaps).pipe(map((batch) => batch)));
    expect(run(client.apply(dark, { from: unknown }))).toMatchObject(dark);
  });

  it('rejects with the reason of an aborted signal, even if there is nothing to send', async () => {
    const { client, cacheOf, run } = stage();
    const from = cacheOf();
    run(client.apply(dark, { from }));
    await expect(client.apply(dark, { from, signal: AbortSignal.abort('stopping') })).rejects.toBe('stopping');
  });
});

describe('apply with a cache, after random changes', () => {
  const values = ['1', '2', undefined] as const;

  /** The configurations to apply: each field has one of two values, or is left out. */
  const someConfiguration = fc.record({
    a: fc.constantFrom(...values),
    b: fc.constantFrom(...values),
    label: fc.constantFrom(...values),
  });

  type Configuration = typeof someConfiguration extends fc.Arbitrary<infer C> ? C : never;

  const someActions = fc.array(
    fc.oneof(
      fc.record({ type: fc.constant('apply' as const), configuration: fc.nat(2) }),
      fc.record({ type: fc.constant('observe' as const) }),
      fc.record({
        type: fc.constant('other-writes' as const),
        field: fc.constantFrom('a', 'b', 'c'),
        value: fc.constantFrom('1', '2', null),
      }),
      fc.record({ type: fc.constant('delete' as const) }),
    ),
    { maxLength: 20 },
  );

  function objectOf({ a, b, label }: Configuration) {
    const named = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
      Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined));
    return { metadata: { ...metadata, labels: named({ label }) }, data: named({ a, b }) };
  }

  it('leaves nothing that an apply without a cache would change, once the cache has caught up', () => {
    fc.assert(
      fc.property(
        fc.tuple(someConfiguration, someConfiguration, someConfiguration),
        someActions,
        (configurations, actions) => {
          const { run, client, server, put, requests } = stage();
          put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } });
          const from = createIndexer<ConfigMap>(metaNamespaceKey);
          const stored = () => server.objects.get<ConfigMap>(configMaps, 'settings', 'web');
          const content = () =>
            structuredClone({ data: stored()?.data ?? {}, labels: stored()?.metadata.labels ?? {} });
          // A write elsewhere advances the version of the cache, as a bookmark would.
          const observe = (): void => {
            const { metadata: marker } = put({
              apiVersion: 'v1',
              kind: 'Namespace',
              metadata: { name: 'web', labels: { at: String(++time) } },
            });
            from.replace(
              server.objects.list<ConfigMap>(configMaps, 'web').map((object) => structuredClone(object)),
              marker.resourceVersion,
            );
          };
          let time = 0;
          let last = objectOf(configurations[0]);
          observe();
          for (const action of actions) {
            switch (action.type) {
              case 'apply':
                last = objectOf(configurations[action.configuration] as Configuration);
                run(client.apply(last, { from }));
                break;
              case 'observe':
                observe();
                break;
              case 'other-writes':
                run(
                  client.patch('web/settings', { data: { [action.field]: action.value } }, { fieldManager: 'other' }),
                );
                break;
              case 'delete':
                server.remove(configMaps, 'settings', 'web');
            }
          }
          observe();
          run(client.apply(last, { from }));
          const reached = content();
          requests.splice(0);
          run(client.apply(last, { from }));
          expect(requests).toEqual([]);
          run(client.apply(last));
          expect(reached).toEqual(content());
        },
      ),
      { numRuns: 30 },
    );
  });
});
