import { StatusError } from 'rx-informers';
import type { KubeRequest, ResponsePart } from 'rx-informers/client';
import {
  createInMemoryApiServer,
  type InMemoryApiServer,
  type InMemoryApiServerOptions,
  informerTest,
  virtualClock,
} from 'rx-informers/testing';
import { lastValueFrom, map, reduce, type Observable } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { configMap, configMaps, get, send, useApiServer } from './http.js';

const decoder = new TextDecoder();

const textOf = (part: ResponsePart): string => (part.type === 'bytes' ? decoder.decode(part.bytes) : '');

const watchRequest = (query: Readonly<Record<string, string | boolean | number>> = {}): KubeRequest => ({
  method: 'GET',
  path: configMaps,
  query: { watch: true, ...query },
});

/** The types of the events in a chunk. */
function eventTypes(parts$: Observable<ResponsePart>): Observable<string> {
  return parts$.pipe(
    map((part) =>
      part.type === 'head'
        ? String(part.status)
        : textOf(part)
            .trim()
            .split('\n')
            .map((line) => (JSON.parse(line) as { type: string }).type)
            .join(' '),
    ),
  );
}

describe('the direct client of the embedded API server', () => {
  const servers: InMemoryApiServer[] = [];
  const createServer = (options?: InMemoryApiServerOptions): InMemoryApiServer => {
    const server = createInMemoryApiServer(options);
    servers.push(server);
    return server;
  };
  afterEach(() => {
    for (const server of servers.splice(0)) server.stop();
  });

  it('responds synchronously: head, bytes, completion', () => {
    const server = createServer();
    const parts: string[] = [];
    server.client.exchange({ method: 'GET', path: '/version' }).subscribe({
      next: (part) => parts.push(part.type),
      complete: () => parts.push('complete'),
    });
    expect(parts).toEqual(['head', 'bytes', 'complete']);
  });

  it('is cold: every subscription is a request', () => {
    const server = createServer();
    let requests = 0;
    server.requests$.subscribe(() => (requests += 1));
    const exchange = server.client.exchange({ method: 'GET', path: '/version' });
    expect(requests).toBe(0);
    exchange.subscribe();
    exchange.subscribe();
    expect(requests).toBe(2);
  });

  it('emits a response of 400 or more as a StatusError', async () => {
    const server = createServer();
    const failure = await lastValueFrom(server.client.exchange({ method: 'GET', path: `${configMaps}/nope` })).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(StatusError);
    expect(failure).toMatchObject({
      statusCode: 404,
      reason: 'NotFound',
      request: { method: 'GET', url: `${configMaps}/nope` },
    });
    const page = await lastValueFrom(server.client.exchange({ method: 'GET', path: '/apis/foo/v1' })).catch(
      (error: unknown) => error,
    );
    expect(page).toMatchObject({
      statusCode: 404,
      reason: '',
      message: expect.stringContaining('404 page not found') as unknown,
    });
  });

  it('delivers an event synchronously with the write', () => {
    const server = createServer();
    const events: string[] = [];
    const subscription = eventTypes(server.client.exchange(watchRequest())).subscribe((event) => events.push(event));
    server.apply(configMap('a'));
    expect(events).toEqual(['200', 'ADDED']);
    subscription.unsubscribe();
    server.apply(configMap('b'));
    expect(events).toEqual(['200', 'ADDED']);
  });

  it('keeps the order if a subscriber writes inside an emission', () => {
    const server = createServer();
    const seen: string[] = [];
    server.client.exchange(watchRequest()).subscribe((part) => {
      const text = textOf(part);
      if (text.includes('"name":"a"')) server.apply(configMap('b'));
      for (const [, name] of text.matchAll(/"name":"(\w)"/g)) seen.push(name ?? '');
    });
    server.apply(configMap('a'));
    expect(seen).toEqual(['a', 'b']);
  });

  it('emits the state of a watch in one piece', () => {
    const server = createServer();
    server.apply([configMap('a'), configMap('b')]);
    const events: string[] = [];
    eventTypes(server.client.exchange(watchRequest())).subscribe((event) => events.push(event));
    expect(events).toEqual(['200', 'ADDED ADDED']);
  });

  it('G9: bookmarks, the end of a watch and grace periods happen in virtual time', () => {
    informerTest(({ expectObservable, cold, scheduler }) => {
      const server = createServer({ scheduler });
      const resourceVersion = Number(server.resourceVersion);
      const events = eventTypes(
        server.client.exchange(watchRequest({ timeoutSeconds: 90, allowWatchBookmarks: true, resourceVersion })),
      );
      cold('10s a|').subscribe(() => server.apply(configMap('a')));
      expectObservable(events).toBe('h 9999ms a 49999ms b 27999ms c 1999ms |', {
        h: '200',
        a: 'ADDED',
        b: 'BOOKMARK',
        c: 'BOOKMARK',
      });
    });
  });

  it('G9: waits three seconds of virtual time for a version that does not come', () => {
    const scheduler = new TestScheduler((actual, expected) => {
      expect(actual).toEqual(expected);
    });
    scheduler.run(({ expectObservable }) => {
      const server = createServer({ scheduler });
      const list = server.client.exchange({ method: 'GET', path: configMaps, query: { resourceVersion: 999 } });
      expectObservable(list).toBe(
        '3s #',
        undefined,
        expect.objectContaining({ statusCode: 504, retryAfter: 1000 }) as unknown,
      );
    });
  });

  it('has the rights of its token', async () => {
    const server = createServer({ users: { reader: { name: 'reader', allow: [{ verbs: ['list'] }] } } });
    const list = (client: InMemoryApiServer['client']): Promise<string> =>
      lastValueFrom(
        client.exchange({ method: 'GET', path: configMaps }).pipe(reduce((text, part) => text + textOf(part), '')),
      );
    await expect(list(server.client)).resolves.toContain('ConfigMapList');
    await expect(list(server.clientFor('reader'))).resolves.toContain('ConfigMapList');
    await expect(list(server.clientFor('other'))).rejects.toMatchObject({ statusCode: 401 });
    const get = server.clientFor('reader').exchange({ method: 'GET', path: `${configMaps}/a` });
    await expect(lastValueFrom(get)).rejects.toMatchObject({ statusCode: 403, reason: 'Forbidden' });
  });

  it('completes its watches when the server is stopped', () => {
    const server = createServer();
    const events: string[] = [];
    server.client
      .exchange(watchRequest())
      .subscribe({ next: ({ type }) => events.push(type), complete: () => events.push('complete') });
    server.stop();
    expect(events).toEqual(['head', 'complete']);
  });

  it('completes a watch that begins after the server was stopped, also of a kind without objects', () => {
    const clock = virtualClock();
    const server = createServer({ scheduler: clock });
    server.stop();
    const seen: string[] = [];
    for (const path of ['/api/v1/namespaces', '/api/v1/services']) {
      const watching: KubeRequest = { ...watchRequest({ resourceVersion: server.resourceVersion }), path };
      server.client.exchange(watching).subscribe({ complete: () => seen.push(path) });
    }
    expect(seen).toEqual(['/api/v1/namespaces', '/api/v1/services']);
    expect(clock.timers).toBe(0);
  });

  it('creates the same names for the same random numbers', () => {
    const uids = (): readonly string[] =>
      createServer({ random: () => 0.5 })
        .apply([configMap('a'), configMap('b')])
        .map(({ metadata }) => metadata.uid);
    expect(uids()).toEqual(uids());
  });
});

describe('access control of the embedded API server', () => {
  const server = useApiServer({
    users: {
      admin: { name: 'admin', allow: 'everything' },
      reader: { name: 'reader', allow: [{ verbs: ['get', 'list', 'watch'] }] },
      default: { name: 'defaultuser', allow: [{ namespaces: ['default'] }] },
      nobody: { name: 'nobody', allow: [] },
    },
  });
  const as = (token: string) => ({ authorization: `Bearer ${token}` });

  it('requires a known token', async () => {
    for (const headers of [{}, as('unknown'), { authorization: 'Basic abc' }]) {
      const { status, body } = await get(server(), configMaps, headers);
      expect(status).toBe(401);
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'Unauthorized',
        reason: 'Unauthorized',
        code: 401,
      });
    }
  });

  it('refuses with the message of the real server', async () => {
    const list = await get(server(), '/api/v1/pods', as('nobody'));
    expect(list.status).toBe(403);
    expect(list.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'pods is forbidden: User "nobody" cannot list resource "pods" in API group "" at the cluster scope',
      reason: 'Forbidden',
      details: { kind: 'pods' },
      code: 403,
    });
    const one = await get(server(), '/apis/apps/v1/namespaces/x/deployments/y', as('nobody'));
    expect(one.body['message']).toBe(
      'deployments.apps "y" is forbidden: User "nobody" cannot get resource "deployments" in API group "apps" in the namespace "x"',
    );
  });

  it('grants rights by verb and by namespace', async () => {
    expect((await get(server(), configMaps, as('reader'))).status).toBe(200);
    expect(
      (
        await send(server(), 'POST', configMaps, {
          body: configMap('a'),
          headers: { ...as('reader'), 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(403);
    expect((await get(server(), configMaps, as('default'))).status).toBe(200);
    expect((await get(server(), '/api/v1/configmaps', as('default'))).status).toBe(403);
    expect((await get(server(), '/api/v1/configmaps', as('admin'))).status).toBe(200);
  });

  it('every user may read discovery and health', async () => {
    expect((await get(server(), '/version', as('nobody'))).status).toBe(200);
    expect((await get(server(), '/apis', as('nobody'))).status).toBe(200);
  });

  it('revokes and grants rights while it runs', async () => {
    server().grant('nobody', { name: 'nobody', allow: [{ resources: ['configmaps'] }] });
    expect((await get(server(), configMaps, as('nobody'))).status).toBe(200);
    server().revoke('nobody');
    expect((await get(server(), configMaps, as('nobody'))).status).toBe(401);
  });

  it('stays closed when its last token is revoked', async () => {
    for (const token of ['admin', 'reader', 'default', 'nobody']) server().revoke(token);
    expect((await get(server(), configMaps)).status).toBe(401);
  });

  it('writes a token into its kubeconfig', () => {
    expect(server().kubeconfig('reader')).toContain('"token": "reader"');
    expect(server().kubeConfigObject()).toMatchObject({
      clusters: [{ cluster: { server: server().url } }],
      users: [{ user: { token: 'admin' } }],
    });
  });
});
