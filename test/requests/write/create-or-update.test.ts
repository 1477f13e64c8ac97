import { configMaps, type ConfigMap, createIndexer, pods, StatusError } from 'rx-informers';
import { createOrUpdate, retryOnConflict } from 'rx-informers/requests';
import { metaNamespaceKey } from 'rx-informers/store';
import { serverFaults } from 'rx-informers/testing';
import { finalize, NEVER, of, switchMap, throwError, VirtualTimeScheduler } from 'rxjs';
import { errorWith } from '../../support/error-with.js';
import { settings, stage } from './support/stage.js';

const path = '/api/v1/namespaces/web/configmaps';

const name = { metadata: { namespace: 'web', name: 'settings' } };

const random = () => 0;

function setMode(draft: { data?: Record<string, string> | undefined }): void {
  draft.data ??= {};
  draft.data['mode'] = 'dark';
}

function withWeb() {
  const world = stage();
  world.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } });
  return world;
}

describe('createOrUpdate', () => {
  it('creates a missing object as mutate makes it', () => {
    const { run, client, requests, server } = withWeb();
    const { values } = run(createOrUpdate(client, { ...name, data: { size: 'small' } }, setMode));
    expect(values).toEqual([{ operation: 'created', object: server.objects.get(configMaps, 'settings', 'web') }]);
    expect(values[0]?.object).toMatchObject({ kind: 'ConfigMap', data: { size: 'small', mode: 'dark' } });
    expect(requests).toEqual([`GET ${path}/settings`, `POST ${path}`]);
  });

  it('updates an existing object with the changes of mutate, and keeps everything else', () => {
    const { run, client, put, patches } = withWeb();
    put(settings({ mode: 'light', other: 'x' }));
    const { values } = run(createOrUpdate(client, { ...name, data: { size: 'small' } }, setMode));
    expect(values).toMatchObject([{ operation: 'updated', object: { data: { mode: 'dark', other: 'x' } } }]);
    expect(patches).toEqual([[{ op: 'replace', path: '/data/mode', value: 'dark' }]]);
  });

  it('sends nothing if the object is already as desired', () => {
    const { run, client, put, requests } = withWeb();
    put(settings({ mode: 'dark' }));
    const { values } = run(createOrUpdate(client, name, setMode));
    expect(values).toMatchObject([{ operation: 'unchanged', object: { data: { mode: 'dark' } } }]);
    expect(requests).toEqual([`GET ${path}/settings`]);
  });

  it('returns "unchanged" if the server ignored the change', () => {
    const { run, client, put, server } = withWeb();
    const { metadata } = put(settings({ mode: 'light' }));
    const { values } = run(createOrUpdate(client, name, (draft) => void (draft.immutable = undefined as never)));
    expect(values).toMatchObject([{ operation: 'unchanged' }]);
    expect(server.objects.get(configMaps, 'settings', 'web')?.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it('U1: updates an object that another client created in the meantime', () => {
    const { run, client, put, before } = withWeb();
    before('POST', () => put(settings({ theirs: 'x' })));
    const { values, took } = run(createOrUpdate(client, name, setMode, { random }));
    expect(values).toMatchObject([{ operation: 'updated', object: { data: { theirs: 'x', mode: 'dark' } } }]);
    expect(took).toBe(10);
  });

  it('U1: creates an object that another client deleted in the meantime', () => {
    const { run, client, put, server, before } = withWeb();
    put(settings({ mode: 'light' }));
    before('PATCH', () => server.remove(configMaps, 'settings', 'web'));
    const { values, took } = run(createOrUpdate(client, name, setMode, { random }));
    expect(values).toMatchObject([{ operation: 'created', object: { data: { mode: 'dark' } } }]);
    expect(took).toBe(10);
  });

  it('U1: gives up after 5 tries, with the last error', () => {
    const { run, client, server } = withWeb();
    server.faults.always('write', serverFaults.respond(409, { reason: 'AlreadyExists' }));
    const { error, took } = run(createOrUpdate(client, name, setMode, { random }));
    expect(error).toMatchObject({ statusCode: 409, reason: 'AlreadyExists' });
    expect(took).toBe(40);
  });

  it('rethrows other errors at once: no rights, no namespace, validation errors', () => {
    const { run, client, server, requests } = withWeb();
    server.faults.next('get', serverFaults.respond(403));
    expect(run(createOrUpdate(client, name, setMode)).error).toMatchObject({ statusCode: 403 });
    const nowhere = { metadata: { namespace: 'nowhere', name: 'settings' } };
    expect(run(createOrUpdate(client, nowhere, setMode)).error).toMatchObject({ statusCode: 404 });
    const refused = run(createOrUpdate(client, name, (draft) => void (draft.metadata.labels = { a: '-' })));
    expect(refused.error).toMatchObject({ statusCode: 422 });
    expect(requests).toHaveLength(5);
  });

  it.each<[string, ConfigMap | undefined]>([
    ['the object is missing', undefined],
    ['the object exists', settings({}) as ConfigMap],
  ])('prevents mutate from changing the name of the object, if %s', (_name, existing) => {
    const { run, client, put } = withWeb();
    if (existing !== undefined) put(existing);
    const { error } = run(createOrUpdate(client, name, (draft) => void (draft.metadata.name = 'other')));
    expect(error).toMatchObject({ code: 'RXI_RECIPE', problem: 'read-only-field' });
  });

  it('throws a typed error for an object without a name', () => {
    const { run, client } = withWeb();
    expect(run(createOrUpdate(client, { metadata: {} }, setMode)).error).toMatchObject({ code: 'RXI_INVALID_OBJECT' });
  });
});

/** A server, and a cache with the objects that the test puts into it. */
function withCache() {
  const world = stage();
  world.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } });
  const cache = createIndexer<ConfigMap>(metaNamespaceKey, {}, { resource: configMaps });
  const observe = (): void => cache.replace(structuredClone(world.server.objects.list<ConfigMap>(configMaps)));
  const call = () => world.run(createOrUpdate(world.client, name, setMode, { from: cache, random }));
  return { ...world, cache, observe, call };
}

describe('createOrUpdate from a cache', () => {
  it('sends nothing, not even a read, if the cached object is as desired', () => {
    const { put, observe, call, requests, cache } = withCache();
    put(settings({ mode: 'dark' }));
    observe();
    const { values } = call();
    expect(values).toEqual([{ operation: 'unchanged', object: cache.get('web/settings') }]);
    expect(values[0]?.object).toBe(cache.get('web/settings'));
    expect(requests).toEqual([]);
  });

  it('sends one request if the object differs, and one if it is missing', () => {
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

  it('reads from the server if the cache has not synced', () => {
    const { put, call, requests } = withCache();
    put(settings({ mode: 'dark' }));
    expect(call().values).toMatchObject([{ operation: 'unchanged' }]);
    expect(requests).toEqual([`GET ${path}/settings`]);
  });

  it('U1: reads from the server if the cache is behind: it has an older version', () => {
    const { put, observe, call, requests } = withCache();
    put(settings({ mode: 'light' }));
    observe();
    put(settings({ mode: 'light', theirs: 'x' }));
    expect(call().values).toMatchObject([{ operation: 'updated', object: { data: { mode: 'dark', theirs: 'x' } } }]);
    expect(requests).toEqual([`PATCH ${path}/settings`, `GET ${path}/settings`, `PATCH ${path}/settings`]);
  });

  it('U1: reads from the server if the cache is behind: it does not have the object yet', () => {
    const { put, observe, call, requests } = withCache();
    observe();
    put(settings({ mode: 'dark' }));
    expect(call().values).toMatchObject([{ operation: 'unchanged' }]);
    expect(requests).toEqual([`POST ${path}`, `GET ${path}/settings`]);
  });

  it('U1: reads from the server if the cache is behind: it has an object that is deleted or was created again', () => {
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
      'from must be a cache of configmaps, not "pods"',
    );
  });
});

const request = { method: 'PUT', url: '/x' };

const refused = (code: number, reason: string) => new StatusError(request, { code, reason });

const conflict = refused(409, 'Conflict');

/** Calls that fail with these errors, one after the other, and then emit `done`. */
function failing(errors: readonly unknown[], options: Parameters<typeof retryOnConflict>[1] = {}) {
  const scheduler = new VirtualTimeScheduler(undefined, 600_000);
  const calls: number[] = [];
  const left = [...errors];
  const received: unknown[] = [];
  const call = () => {
    calls.push(scheduler.now());
    return left.length > 0 ? throwError(() => left.shift()) : of('done');
  };
  retryOnConflict(call, { scheduler, random: () => 0.5, ...options }).subscribe({
    next: (value) => received.push(value),
    error: (error: unknown) => received.push(error),
  });
  scheduler.flush();
  return { calls, received };
}

describe('retryOnConflict', () => {
  it('U1: calls again while there is a conflict, after 10 ms and up to a tenth more', () => {
    expect(failing([conflict, conflict])).toEqual({ calls: [0, 10.5, 21], received: ['done'] });
  });

  it('U1: rethrows any other error at once', () => {
    for (const error of [refused(409, 'AlreadyExists'), refused(404, 'NotFound'), new Error('other'), undefined]) {
      expect(failing([error])).toEqual({ calls: [0], received: [error] });
    }
  });

  it('U1: rethrows the last conflict unchanged after 5 tries', () => {
    const errors = [1, 2, 3, 4, 5, 6].map(() => refused(409, 'Conflict'));
    const { calls, received } = failing(errors);
    expect(calls).toHaveLength(5);
    expect(received).toEqual([errors[4]]);
    expect(received[0]).toBe(errors[4]);
  });

  it('uses the configured number of tries and waits', () => {
    expect(failing([conflict], { tries: 1 })).toEqual({ calls: [0], received: [conflict] });
    const waits = failing([conflict, conflict], { backoff: (attempt) => attempt * 100 });
    expect(waits).toEqual({ calls: [0, 100, 300], received: ['done'] });
    expect(failing([conflict], { backoff: () => NaN })).toEqual({ calls: [0, 0], received: ['done'] });
    expect(() => failing([], { tries: 0 })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });

  it('reads and writes again each time, so the second try succeeds', () => {
    const { run, client, put, before, scheduler } = stage();
    put(settings({ count: '1' }));
    before('PUT', () => put(settings({ count: '2' })));
    const increment = () =>
      client
        .get('web/settings')
        .pipe(
          switchMap(({ data, ...rest }) => client.update({ ...rest, data: { count: `${data?.['count'] ?? ''}+` } })),
        );
    const { values } = run(retryOnConflict(increment, { scheduler }));
    expect(values).toMatchObject([{ data: { count: '2+' } }]);
  });

  it('accepts promises', async () => {
    const { client, put } = stage();
    put(settings({ count: '1' }));
    await expect(retryOnConflict(async () => client.get('web/settings'))).resolves.toMatchObject({
      data: { count: '1' },
    });
  });

  it('treats a call that throws like a rejected one', () => {
    const call = () => {
      throw conflict;
    };
    const errors: unknown[] = [];
    retryOnConflict(call, { tries: 1 }).subscribe({ error: (error: unknown) => errors.push(error) });
    expect(errors).toEqual([conflict]);
  });

  it('stops when it is aborted, or after the last subscriber has unsubscribed', () => {
    let active = 0;
    const call = () => {
      active++;
      return NEVER.pipe(finalize(() => active--));
    };
    const abort = new AbortController();
    const errors: unknown[] = [];
    const subscription = retryOnConflict(call, { signal: abort.signal }).subscribe({
      error: (error: unknown) => errors.push(error),
    });
    abort.abort(new Error('enough'));
    expect(errors).toEqual([new Error('enough')]);
    expect(subscription.closed).toBe(true);
    expect(active).toBe(0);
    retryOnConflict(call).subscribe().unsubscribe();
    expect(active).toBe(0);
  });
});
