import { KubeConfig } from '@kubernetes/client-node';
import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { configMaps as configMapsResource, fetchClient, informer, listWatch, pods } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import { aPod } from 'rx-informers/testing';
import { filter, firstValueFrom } from 'rxjs';
import { maxTimer } from '../../../src/scheduling/clock.js';
import { recordedDelays } from '../../support/recorded-delays.js';
import { configMap, configMaps, get, patch, post, send, summary, useApiServer, watch, type Json } from './http.js';

describe('WATCH of the embedded API server', () => {
  const server = useApiServer();
  beforeEach(() => {
    server().apply([configMap('a', { app: 'x' }), configMap('b', { app: 'y' })]);
  });
  const path = (query = ''): string => `${configMaps}?watch=true${query && `&${query}`}`;

  it('without a version begins with the state, and continues with changes', async () => {
    const stream = await watch(server(), path());
    expect(summary(await stream.next(2))).toEqual(['ADDED a', 'ADDED b']);
    await post(server(), configMaps, configMap('c'));
    await patch(server(), `${configMaps}/a`, { data: { k: 'v' } });
    await send(server(), 'DELETE', `${configMaps}/b`);
    const events = await stream.next(3);
    expect(summary(events)).toEqual(['ADDED c', 'MODIFIED a', 'DELETED b']);
    stream.close();
  });

  it('assigns each event its own version, including a deletion', async () => {
    const start = Number(server().resourceVersion);
    const stream = await watch(server(), path(`resourceVersion=${start}`));
    await post(server(), configMaps, configMap('c'));
    await send(server(), 'DELETE', `${configMaps}/a`);
    const events = await stream.next(2);
    expect(events.map((event) => event['object']?.['metadata']?.['resourceVersion'])).toEqual([
      String(start + 1),
      String(start + 2),
    ]);
    expect(events[0]).toMatchObject({ object: { kind: 'ConfigMap', apiVersion: 'v1' } });
    stream.close();
  });

  it('from a version repeats exactly the later changes', async () => {
    const start = server().resourceVersion;
    server().apply([configMap('c'), configMap('a', { app: 'changed' })]);
    const stream = await watch(server(), path(`resourceVersion=${start}`));
    server().apply(configMap('last'));
    expect(summary(await stream.next(3))).toEqual(['ADDED c', 'MODIFIED a', 'ADDED last']);
    stream.close();
  });

  it('from version 0 begins with the state', async () => {
    const stream = await watch(server(), path('resourceVersion=0'));
    server().apply(configMap('last'));
    expect(summary(await stream.next(3))).toEqual(['ADDED a', 'ADDED b', 'ADDED last']);
    stream.close();
  });

  it('from a future version begins after it', async () => {
    const future = Number(server().resourceVersion) + 1;
    const stream = await watch(server(), path(`resourceVersion=${future}`));
    server().apply([configMap('c'), configMap('d')]);
    expect(summary(await stream.next(1))).toEqual(['ADDED d']);
    stream.close();
  });

  it('ends after timeoutSeconds', async () => {
    const stream = await watch(server(), path(`resourceVersion=${server().resourceVersion}&timeoutSeconds=1`));
    expect(stream.status).toBe(200);
    expect(await stream.rest()).toEqual([]);
  });

  it('reports a compacted version in the stream: 200, and an ERROR event with a 410', async () => {
    const start = server().resourceVersion;
    server().apply([configMap('c'), configMap('d'), configMap('e')]);
    server().compact();
    const stream = await watch(server(), path(`resourceVersion=${start}`));
    expect(stream.status).toBe(200);
    const events = await stream.rest();
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', reason: 'Expired', code: 410, status: 'Failure' },
    });
    expect(String(events[0]?.['object']?.['message'])).toMatch(/^too old resource version: \d+ \(\d+\)$/);
  });

  it('is not affected by a compaction while it keeps up', async () => {
    const stream = await watch(server(), path(`resourceVersion=${server().resourceVersion}`));
    server().apply(configMap('c'));
    server().compact();
    server().apply(configMap('d'));
    expect(summary(await stream.next(2))).toEqual(['ADDED c', 'ADDED d']);
    stream.close();
  });

  it('emits an object that enters a selector as ADDED, and one that leaves as DELETED as it was', async () => {
    const stream = await watch(server(), path(`resourceVersion=${server().resourceVersion}&labelSelector=app%3Dx`));
    server().apply(configMap('b', { app: 'x' }));
    server().apply(configMap('b', { app: 'x' }, { changed: 'yes' }));
    server().apply(configMap('b', { app: 'z' }));
    server().apply(configMap('b', { app: 'z' }, { unseen: 'yes' }));
    server().remove({ group: '', plural: 'configmaps' }, 'b', 'default');
    server().remove({ group: '', plural: 'configmaps' }, 'a', 'default');
    const events = await stream.next(4);
    expect(summary(events)).toEqual(['ADDED b', 'MODIFIED b', 'DELETED b', 'DELETED a']);
    const left = events[2]?.['object'] as Json;
    expect(left).toMatchObject({ metadata: { labels: { app: 'x' } }, data: { changed: 'yes' } });
    expect(Number(left['metadata']?.['resourceVersion'])).toBeGreaterThan(
      Number(events[1]?.['object']?.['metadata']?.['resourceVersion']),
    );
    stream.close();
  });

  it('follows one object with a field selector, and all namespaces without a namespace', async () => {
    const one = await watch(server(), path('fieldSelector=metadata.name%3Db'));
    const all = await watch(server(), `/api/v1/configmaps?watch=true&resourceVersion=${server().resourceVersion}`);
    server().apply([
      { ...configMap('c'), metadata: { name: 'c', namespace: 'elsewhere' } },
      configMap('b', { app: 'new' }),
    ]);
    expect(summary(await one.next(2))).toEqual(['ADDED b', 'MODIFIED b']);
    expect(summary(await all.next(2))).toEqual(['ADDED c', 'MODIFIED b']);
    one.close();
    all.close();
  });

  it('supports the deprecated watch paths', async () => {
    const stream = await watch(server(), '/api/v1/watch/namespaces/default/configmaps/a');
    server().apply([configMap('b', { app: 'other' }), configMap('a', { app: 'changed' })]);
    expect(summary(await stream.next(2))).toEqual(['ADDED a', 'MODIFIED a']);
    stream.close();
  });

  it('sends only metadata on request', async () => {
    const stream = await watch(server(), path(), {
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    });
    const [event] = await stream.next(1);
    expect(event).toMatchObject({
      type: 'ADDED',
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } },
    });
    stream.close();
  });

  it('sends events without managedFields to clients that ask with drop= (KEP-5958), and to no others', async () => {
    const stream = await watch(server(), path(), { accept: 'application/json;drop=metadata.managedFields' });
    const whole = await watch(server(), path());
    await stream.next(2);
    await whole.next(2);
    await post(server(), configMaps, configMap('c', { app: 'z' }));
    const [event] = await stream.next(1);
    const [same] = await whole.next(1);
    const { managedFields, ...metadata } = (same?.['object']?.['metadata'] ?? {}) as Record<string, Json>;
    expect(managedFields).toHaveLength(1);
    expect(event).toEqual({ ...same, object: { ...same?.['object'], metadata } });
    stream.close();
    whole.close();
  });

  it('serves many watchers at once', async () => {
    const streams = await Promise.all(
      Array.from({ length: 50 }, () => watch(server(), path(`resourceVersion=${server().resourceVersion}`))),
    );
    server().apply(Array.from({ length: 20 }, (_, index) => configMap(`n${index}`)));
    const received = await Promise.all(streams.map((stream) => stream.next(20)));
    for (const events of received)
      expect(summary(events)).toEqual(Array.from({ length: 20 }, (_, index) => `ADDED n${index}`));
    for (const stream of streams) stream.close();
  });

  it.each([
    [
      'resourceVersion=abc',
      500,
      'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ],
    [
      'sendInitialEvents=true',
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ],
    [
      'resourceVersion=1&resourceVersionMatch=NotOlderThan',
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
    ['timeoutSeconds=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
  ])('refuses %s with %i before the stream begins', async (query, code, message) => {
    const { status, body } = await get(server(), path(query));
    expect(status).toBe(code);
    expect(body).toMatchObject({ kind: 'Status', code, message });
  });
});

describe('a time that is longer than a timer allows', () => {
  const { scheduler, delays } = recordedDelays();
  const server = useApiServer({ bookmarkInterval: Infinity, scheduler });
  const aMonth = 30 * 24 * 3600;

  it('is kept between the bookmarks, and until the end of a watch', async () => {
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${aMonth}`;
    const stream = await watch(server(), `${configMaps}?${query}&resourceVersion=${server().resourceVersion}`);
    server().apply(configMap('a'));
    expect(summary(await stream.next(1))).toEqual(['ADDED a']);
    expect(Math.max(...delays)).toBe(maxTimer);
    server().apply(configMap('b'));
    expect(summary(await stream.next(1))).toEqual(['ADDED b']);
    stream.close();
  });

  it('is kept until the end of the grace period of a pod', async () => {
    server().apply(aPod({ name: 'a', node: 'n1' }));
    await send(server(), 'DELETE', `/api/v1/namespaces/default/pods/a?gracePeriodSeconds=${aMonth}`);
    expect(Math.max(...delays)).toBe(maxTimer);
    expect(server().objects.get(pods, 'a', 'default')).toBeDefined();
  });
});

describe('bookmarks of the embedded API server', () => {
  const server = useApiServer({ bookmarkInterval: 50 });
  const streaming = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

  it('mark the end of a streaming list', async () => {
    server().apply([configMap('a'), configMap('b')]);
    const stream = await watch(server(), `${configMaps}?watch=true&${streaming}`);
    const events = await stream.next(3);
    expect(summary(events)).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK']);
    expect(events[2]?.['object']).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { resourceVersion: server().resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    stream.close();
  });

  it('mark the end of an empty streaming list too', async () => {
    const stream = await watch(server(), `${configMaps}?watch=true&${streaming}`);
    expect(summary(await stream.next(1))).toEqual(['BOOKMARK']);
    stream.close();
  });

  it('report the version of the cluster if the watched objects have not changed', async () => {
    const stream = await watch(
      server(),
      `${configMaps}?watch=true&allowWatchBookmarks=true&resourceVersion=${server().resourceVersion}`,
    );
    server().apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
    const [bookmark] = await stream.next(1);
    expect(bookmark).toEqual({
      type: 'BOOKMARK',
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: server().resourceVersion } },
    });
    stream.close();
  });

  it('are sent only on request', async () => {
    const stream = await watch(
      server(),
      `${configMaps}?watch=true&timeoutSeconds=1&resourceVersion=${server().resourceVersion}`,
    );
    server().apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
    expect(await stream.rest()).toEqual([]);
  });
});

describe('a server without streaming lists', () => {
  const server = useApiServer({ watchList: false });

  it('refuses sendInitialEvents with 422, so clients fall back to pages', async () => {
    const { status, body } = await get(
      server(),
      `${configMaps}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
    );
    expect(status).toBe(422);
    expect(body).toMatchObject({
      reason: 'Invalid',
      details: { causes: [{ field: 'sendInitialEvents', reason: 'FieldValueForbidden' }] },
    });
  });
});

describe('a server that compresses streaming lists (KEP-3157, Kubernetes 1.37)', () => {
  const server = useApiServer({ watchListCompression: true });
  const state = `${configMaps}?watch=true&allowWatchBookmarks=true`;
  const stream = `${state}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;
  const gzip = { 'accept-encoding': 'gzip' };
  beforeEach(() => {
    server().apply([configMap('a'), configMap('b')]);
  });

  it('sends a gzip member for each flush: the state, and then each event', async () => {
    const request = httpGet(server().url + stream, { headers: gzip });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    const nextMember = async (): Promise<Json[]> => {
      const [bytes] = (await once(response, 'data')) as [Buffer];
      const lines = gunzipSync(bytes).toString().trimEnd().split('\n');
      return lines.map((line) => JSON.parse(line) as Json);
    };
    expect(summary((await nextMember()).slice(0, 2))).toEqual(['ADDED a', 'ADDED b']);
    server().apply(configMap('c'));
    expect(summary(await nextMember())).toEqual(['ADDED c']);
    server().apply(configMap('a', { app: 'changed' }));
    expect(summary(await nextMember())).toEqual(['MODIFIED a']);
    request.destroy();
  });

  it.each([
    ['a streaming list', stream, gzip, 'gzip'],
    ['a watch without a version and with bookmarks, which is a streaming list too', state, gzip, 'gzip'],
    ['no watch from a version', `${state}&resourceVersion=1`, gzip, null],
    ['nothing for a client that does not accept gzip', stream, { 'accept-encoding': 'identity' }, null],
  ])('compresses %s', async (_, path, headers, encoding) => {
    const opened = await watch(server(), path, headers);
    expect(opened.status).toBe(200);
    expect(opened.headers.get('content-encoding')).toBe(encoding);
    opened.close();
  });

  it.each([
    ['kubeClient', () => kubeClient(kubeConfig())],
    ['fetchClient', () => fetchClient({ baseUrl: server().url })],
  ])('is followed by an informer on %s', async (_, connect) => {
    const followed = informer(listWatch(connect(), configMapsResource, { namespace: 'default' }));
    const connection = followed.connect();
    await followed.whenSynced();
    expect(followed.list().map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    server().apply(configMap('c'));
    await firstValueFrom(followed.get$('default/c').pipe(filter((object) => object !== undefined)));
    server().remove({ group: '', plural: 'configmaps' }, 'a', 'default');
    await firstValueFrom(followed.get$('default/a').pipe(filter((object) => object === undefined)));
    connection.unsubscribe();
  });

  function kubeConfig(): KubeConfig {
    const config = new KubeConfig();
    config.loadFromString(server().kubeconfig());
    return config;
  }
});
