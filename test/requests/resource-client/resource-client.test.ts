import { KubeConfig } from '@kubernetes/client-node';
import { resource, type ConfigMap, configMaps, type KubeClient, StatusError } from 'rx-informers';
import type { KubeRequest } from 'rx-informers/client';
import { kubeClient } from 'rx-informers/node';
import {
  resourceClient,
  ignoreNotFound,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  edit,
} from 'rx-informers/requests';
import { createApiServer, createInMemoryApiServer, informerTest } from 'rx-informers/testing';
import { merge, NEVER, Observable, of, VirtualTimeScheduler, catchError, concat, throwError } from 'rxjs';
import { errorWith } from '../../support/error-with.js';
import { describeResourceClient } from './support/describe-client.js';

describeResourceClient('in memory', async () => {
  const server = createInMemoryApiServer();
  return { server, client: server.client, close: async () => server.stop() };
});

describeResourceClient('over HTTP', async () => {
  const server = await createApiServer();
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(server.kubeconfig());
  return { server, client: kubeClient(kubeConfig), close: () => server.close() };
});

/** A server that receives requests and never responds. */
function silent(): { readonly client: KubeClient; readonly active: () => number; readonly requests: KubeRequest[] } {
  let active = 0;
  const requests: KubeRequest[] = [];
  const exchange = (request: KubeRequest) =>
    new Observable<never>(() => {
      requests.push(request);
      active++;
      return () => active--;
    });
  return { client: { exchange }, active: () => active, requests };
}

describe('resourceClient', () => {
  it.each([
    ['scale', { apiVersion: 'autoscaling/v1', kind: 'Scale' }],
    ['eviction', { apiVersion: 'policy/v1', kind: 'Eviction' }],
    ['token', { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' }],
    ['status', { apiVersion: 'v1', kind: 'ConfigMap' }],
  ])('sends an object for the subresource %s with its apiVersion and kind, if it states none', (subresource, type) => {
    const { client, requests } = silent();
    const settings = resourceClient(client, configMaps);
    const object = { metadata: { namespace: 'default', name: 'a' } } as ConfigMap;
    merge(
      settings.create(object, { subresource }),
      settings.update(object, { subresource }),
      settings.create({ ...object, apiVersion: 'policy/v1beta1' }, { subresource }),
    )
      .subscribe()
      .unsubscribe();
    const path = `/api/v1/namespaces/default/configmaps/a/${subresource}`;
    expect(requests.map(({ path, body }) => [path, JSON.parse(body ?? '')] as const)).toEqual([
      [path, { ...type, ...object }],
      [path, { ...type, ...object }],
      [path, { ...type, ...object, apiVersion: 'policy/v1beta1' }],
    ]);
  });

  it('aborts its request when its last subscriber leaves', () => {
    const { client, active } = silent();
    const subscription = resourceClient(client, configMaps).get('default/a').subscribe();
    expect(active()).toBe(1);
    subscription.unsubscribe();
    expect(active()).toBe(0);
  });

  it.each(['get', 'delete'] as const)(
    'aborts a %s when its signal is aborted, with the reason of the signal',
    (verb) => {
      const { client, active } = silent();
      const abort = new AbortController();
      const errors: unknown[] = [];
      const settings = resourceClient(client, configMaps);
      const options = { signal: abort.signal };
      const call: Observable<unknown> =
        verb === 'get' ? settings.get('default/a', options) : settings.delete('default/a', options);
      call.subscribe({ error: (error: unknown) => errors.push(error) });
      const reason = new Error('enough');
      abort.abort(reason);
      expect(errors).toEqual([reason]);
      expect(active()).toBe(0);
    },
  );

  it('sends nothing if its signal is already aborted', async () => {
    const { client, requests } = silent();
    const call = resourceClient(client, configMaps).get('default/a', { signal: AbortSignal.abort('before') });
    await expect(call).rejects.toBe('before');
    expect(requests).toEqual([]);
  });

  it('removes its listener from a signal when it ends', () => {
    const server = createInMemoryApiServer();
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    signal.addEventListener = (_type: string, listener: unknown) => void listeners.add(listener);
    signal.removeEventListener = (_type: string, listener: unknown) => void listeners.delete(listener);
    const client = resourceClient(server.client, configMaps);
    client.get('default/a', { signal }).subscribe({ error: () => undefined });
    const silentClient = resourceClient({ exchange: () => NEVER }, configMaps);
    const pending = silentClient.get('default/a', { signal }).subscribe();
    expect(listeners.size).toBe(1);
    pending.unsubscribe();
    expect(listeners.size).toBe(0);
    server.stop();
  });

  it('fails with a typed error and aborts the request if the server does not respond in time', () => {
    const scheduler = new VirtualTimeScheduler(undefined, 60_000);
    const { client, active } = silent();
    const errors: unknown[] = [];
    const times: number[] = [];
    const received = (error: unknown): void => {
      errors.push(error);
      times.push(scheduler.now());
    };
    resourceClient(client, configMaps, { scheduler }).get('default/a').subscribe({ error: received });
    resourceClient(client, configMaps, { scheduler, timeout: 50 }).delete('default/a').subscribe({ error: received });
    expect(active()).toBe(2);
    scheduler.flush();
    expect(times).toEqual([50, 30_000]);
    expect(errors[1]).toEqual(errorWith('RXI_CALL_TIMEOUT'));
    expect(errors[1]).toMatchObject({
      timeout: 30_000,
      message: expect.stringContaining('GET /api/v1/namespaces/default/configmaps/a: no answer within 30000 ms'),
    });
    expect(active()).toBe(0);
  });

  it.each([-1, NaN, 2 ** 31])('refuses a timeout of %s ms', (timeout) => {
    expect(() => resourceClient({ exchange: () => NEVER }, configMaps, { timeout })).toThrow(
      errorWith('RXI_INVALID_OPTION'),
    );
  });

  it('fails with a typed error if a response is not JSON', async () => {
    const page: KubeClient = {
      exchange: () =>
        of(
          { type: 'head', status: 200, headers: {} } as const,
          { type: 'bytes', bytes: new TextEncoder().encode('<html>') } as const,
        ),
    };
    await expect(resourceClient(page, configMaps).get('default/a')).rejects.toMatchObject({ code: 'RXI_RESPONSE' });
  });

  it('sets kind and apiVersion of the resource unless the object has its own, and drops undefined fields', () => {
    const { client, requests } = silent();
    const things = resource<{ kind?: string; metadata: { name: string } }>({
      group: 'example.com',
      version: 'v1',
      plural: 'things',
      namespaced: false,
      kind: 'Thing',
    });
    const thingClient = resourceClient(client, things, { fieldManager: 'me' });
    thingClient
      .create({ kind: undefined, metadata: { name: 'a' } })
      .subscribe()
      .unsubscribe();
    thingClient
      .apply({ kind: 'Other', metadata: { name: 'a' } })
      .subscribe()
      .unsubscribe();
    expect(requests.map(({ body }) => JSON.parse(body ?? '') as unknown)).toEqual([
      { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' } },
      { apiVersion: 'example.com/v1', kind: 'Other', metadata: { name: 'a' } },
    ]);
    expect(requests.map(({ query }) => query)).toMatchObject([
      { fieldManager: 'me' },
      { fieldManager: 'me', force: true },
    ]);
  });

  it('requests the dry run of a delete in the body, where API servers read it', () => {
    const { client, requests } = silent();
    resourceClient(client, configMaps)
      .delete('default/a', { dryRun: true, gracePeriodSeconds: 5, propagationPolicy: 'Orphan' })
      .subscribe()
      .unsubscribe();
    expect(requests[0]?.query).toBeUndefined();
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      dryRun: ['All'],
      gracePeriodSeconds: 5,
      propagationPolicy: 'Orphan',
    });
  });

  it('sends a patch with the content type that its form implies, or with the given one', () => {
    const { client, requests } = silent();
    const settings = resourceClient(client, configMaps);
    settings.patch('default/a', []).subscribe().unsubscribe();
    settings.patch('default/a', {}).subscribe().unsubscribe();
    settings
      .patch('default/a', {}, { type: 'strategic', fieldValidation: 'Strict', fieldManager: 'me' })
      .subscribe()
      .unsubscribe();
    settings
      .apply({ metadata: { namespace: 'default', name: 'a' } }, { force: false, fieldManager: 'me' })
      .subscribe()
      .unsubscribe();
    expect(requests.map(({ headers }) => headers?.['content-type'])).toEqual([
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
      'application/apply-patch+yaml',
    ]);
    expect(requests[2]?.query).toMatchObject({ fieldValidation: 'Strict', fieldManager: 'me' });
    expect(requests[3]?.query).toMatchObject({ force: false });
  });
});

const refused = (code: number, reason?: string) =>
  new StatusError({ method: 'GET', url: '/' }, { code, ...(reason !== undefined && { reason }) });

const failure = (call: PromiseLike<unknown>): PromiseLike<unknown> =>
  call.then(
    () => 'it succeeded',
    (error: unknown) => error,
  );

const predicates = { isNotFound, isAlreadyExists, isConflict, isForbidden };

const named = { namespace: 'default', name: 'a' };

describe('the predicates for errors of the API server', () => {
  it.each([
    ['404 NotFound', refused(404, 'NotFound'), ['isNotFound']],
    ['404 of a proxy', refused(404), ['isNotFound']],
    ['404 with a reason of an extension server', refused(404, 'NoSuchThing'), ['isNotFound']],
    ['409 AlreadyExists', refused(409, 'AlreadyExists'), ['isAlreadyExists']],
    ['409 Conflict', refused(409, 'Conflict'), ['isConflict']],
    ['409 without a reason', refused(409), ['isConflict']],
    ['403 Forbidden', refused(403, 'Forbidden'), ['isForbidden']],
    ['403 of a proxy', refused(403), ['isForbidden']],
    ['401 Unauthorized', refused(401, 'Unauthorized'), []],
    ['422 Conflict', refused(422, 'Conflict'), []],
    ['410 Expired', refused(410, 'Expired'), []],
    ['an error that wraps a refusal', new Error('my own', { cause: refused(404, 'NotFound') }), []],
    ['a value that is not an error', undefined, []],
  ])('recognise %s', (_name, error, expected) => {
    const holding = Object.entries(predicates).filter(([, predicate]) => predicate(error));
    expect(holding.map(([name]) => name)).toEqual(expected);
  });

  it('distinguish the responses of an API server', async () => {
    const server = createInMemoryApiServer();
    const settings = resourceClient(server.client, configMaps);
    const created = await settings.create({ metadata: named });
    await settings.patch(created, { data: { a: '1' } });
    expect(isNotFound(await failure(settings.get('default/b')))).toBe(true);
    expect(isAlreadyExists(await failure(settings.create({ metadata: named })))).toBe(true);
    expect(isConflict(await failure(settings.update({ ...created, data: {} })))).toBe(true);
    server.stop();
  });

  it('isConflict is true for an edit that ran out of retries', async () => {
    const server = createInMemoryApiServer();
    const settings = resourceClient(server.client, configMaps);
    const created = await settings.create({ metadata: named });
    await settings.patch(created, { data: { a: '1' } });
    const error = await failure(edit(settings, created, (draft) => void (draft.data = {}), { tries: 1 }));
    expect(isConflict(error)).toBe(true);
    server.stop();
  });
});

describe('ignoreNotFound', () => {
  it('makes the delete of a missing object succeed in a promise chain', async () => {
    const server = createInMemoryApiServer();
    const settings = resourceClient(server.client, configMaps);
    await expect(settings.delete('default/a').then(undefined, ignoreNotFound)).resolves.toBeUndefined();
    server.stop();
  });

  it('makes the delete of a missing object succeed in catchError, without leaving virtual time', () => {
    informerTest(({ cold, expectObservable }) => {
      const gone = cold('--#', undefined, refused(404, 'NotFound'));
      expectObservable(concat(gone.pipe(catchError(ignoreNotFound)), of('next'))).toBe('--(ab|)', {
        a: undefined,
        b: 'next',
      });
    });
  });

  it('rethrows any other error unchanged, also in a catch block that does not await it', async () => {
    const forbidden = refused(403, 'Forbidden');
    expect(() => ignoreNotFound(forbidden)).toThrow(forbidden);
    await expect(Promise.reject(forbidden).catch(ignoreNotFound)).rejects.toBe(forbidden);
    const errors: unknown[] = [];
    throwError(() => forbidden)
      .pipe(catchError(ignoreNotFound))
      .subscribe({ error: (error: unknown) => errors.push(error) });
    expect(errors).toEqual([forbidden]);
  });
});
