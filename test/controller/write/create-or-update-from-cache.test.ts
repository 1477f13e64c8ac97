import { configMaps, createIndexer, metaNamespaceKey, pods, type ConfigMap } from 'rx-informers';
import { createOrUpdate } from 'rx-informers/controller';
import { settings, stage } from './support/stage.js';

const path = '/api/v1/namespaces/web/configmaps';
const name = { metadata: { namespace: 'web', name: 'settings' } };
const random = () => 0;

function setMode(draft: { data?: Record<string, string> | undefined }): void {
  draft.data ??= {};
  draft.data['mode'] = 'dark';
}

/** A server, and a cache that shows of it what it was shown. */
function withCache() {
  const world = stage();
  world.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } });
  const cache = createIndexer<ConfigMap>(metaNamespaceKey, {}, { resource: configMaps });
  const observe = (): void => cache.replace(structuredClone(world.server.objects.list<ConfigMap>(configMaps)));
  const call = () => world.run(createOrUpdate(world.client, name, setMode, { from: cache, random }));
  return { ...world, cache, observe, call };
}

describe('createOrUpdate from a cache', () => {
  it('sends nothing, not even a read, where the cache has the object as it should be', () => {
    const { put, observe, call, requests, cache } = withCache();
    put(settings({ mode: 'dark' }));
    observe();
    const { values } = call();
    expect(values).toEqual([{ operation: 'unchanged', object: cache.get('web/settings') }]);
    expect(values[0]?.object).toBe(cache.get('web/settings'));
    expect(requests).toEqual([]);
  });

  it('sends one request where the object differs, and one where there is none', () => {
    const { put, observe, call, requests, server } = withCache();
    observe();
    expect(call().values).toMatchObject([{ operation: 'created', object: { data: { mode: 'dark' } } }]);
    expect(requests.splice(0)).toEqual([`POST ${path}`]);
    put(settings({ mode: 'light', theirs: 'x' }));
    observe();
    expect(call().values).toMatchObject([{ operation: 'updated', object: { data: { mode: 'dark', theirs: 'x' } } }]);
    expect(requests).toEqual([`PATCH ${path}/settings`]);
    expect(server.objects.get<ConfigMap>(configMaps, 'settings', 'web')?.data).toEqual({ mode: 'dark', theirs: 'x' });
  });

  it('reads the server where the cache has not synced', () => {
    const { put, call, requests } = withCache();
    put(settings({ mode: 'dark' }));
    expect(call().values).toMatchObject([{ operation: 'unchanged' }]);
    expect(requests).toEqual([`GET ${path}/settings`]);
  });

  it('U1: reads the server where the cache is behind: it shows an older version', () => {
    const { put, observe, call, requests } = withCache();
    put(settings({ mode: 'light' }));
    observe();
    put(settings({ mode: 'light', theirs: 'x' }));
    expect(call().values).toMatchObject([{ operation: 'updated', object: { data: { mode: 'dark', theirs: 'x' } } }]);
    expect(requests).toEqual([`PATCH ${path}/settings`, `GET ${path}/settings`, `PATCH ${path}/settings`]);
  });

  it('U1: reads the server where the cache is behind: it does not show the object yet', () => {
    const { put, observe, call, requests } = withCache();
    observe();
    put(settings({ mode: 'dark' }));
    expect(call().values).toMatchObject([{ operation: 'unchanged' }]);
    expect(requests).toEqual([`POST ${path}`, `GET ${path}/settings`]);
  });

  it('U1: reads the server where the cache is behind: it shows an object that is gone, or was created again', () => {
    const { put, observe, call, requests, server } = withCache();
    put(settings({ mode: 'light' }));
    observe();
    server.remove(configMaps, 'settings', 'web');
    expect(call().values).toMatchObject([{ operation: 'created' }]);
    expect(requests.at(-1)).toBe(`POST ${path}`);
    server.remove(configMaps, 'settings', 'web');
    put(settings({ theirs: 'x' }));
    expect(call().values).toMatchObject([{ operation: 'updated', object: { data: { mode: 'dark', theirs: 'x' } } }]);
  });

  it('reads the cache again in each subscription', () => {
    const { put, observe, run, client, cache, requests } = withCache();
    put(settings({ mode: 'light' }));
    observe();
    const call$ = createOrUpdate(client, name, setMode, { from: cache });
    run(call$);
    observe();
    expect(run(call$).values).toMatchObject([{ operation: 'unchanged' }]);
    expect(requests).toEqual([`PATCH ${path}/settings`]);
  });

  it('refuses a cache of another resource', () => {
    const { client } = withCache();
    const from = createIndexer<ConfigMap>(metaNamespaceKey, {}, { resource: pods });
    expect(() => createOrUpdate(client, name, setMode, { from })).toThrow(
      'option from is "pods"; a cache of configmaps expected',
    );
  });
});
