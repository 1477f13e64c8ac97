import { KubeConfig } from '@kubernetes/client-node';
import {
  configMaps,
  namespaces,
  nodes,
  pods,
  resource,
  type ConfigMap,
  type KubeClient,
  type KubernetesObject,
  type Service,
} from 'rx-informers';
import type { KubeRequest, ResponsePart } from 'rx-informers/client';
import { kubeClient } from 'rx-informers/node';
import { resourceClient, type ResourceClient } from 'rx-informers/requests';
import type { LabelSelector } from 'rx-informers/resources';
import {
  aPod,
  createApiServer,
  createInMemoryApiServer,
  type InMemoryApiServer,
  informerTest,
} from 'rx-informers/testing';
import { firstValueFrom, from, lastValueFrom, Observable, toArray } from 'rxjs';
import { errorWith } from '../../support/error-with.js';

const opened = {
  'in memory': async () => {
    const server = createInMemoryApiServer();
    return { server, client: server.client, close: async () => server.stop() };
  },
  'over HTTP': async () => {
    const server = await createApiServer();
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(server.kubeconfig());
    return { server, client: kubeClient(kubeConfig), close: () => server.close() };
  },
};

const failure = (call: PromiseLike<unknown>): PromiseLike<unknown> =>
  call.then(
    () => 'it succeeded',
    (error: unknown) => error,
  );
const namesOf = (objects: readonly ConfigMap[]) => objects.map(({ metadata }) => metadata.name);

describe.each(Object.entries(opened))('lists of a resourceClient %s', (_name, open) => {
  let server: InMemoryApiServer;
  let settings: ResourceClient<ConfigMap>;
  let close: () => Promise<void>;
  let requests: string[];
  beforeEach(async () => {
    const tested = await open();
    ({ server, close } = tested);
    settings = resourceClient(tested.client, configMaps);
    for (const name of ['web', 'other']) await resourceClient(tested.client, namespaces).create({ metadata: { name } });
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await settings.create({ metadata: { namespace: 'web', name, labels: { app: name < 'c' ? 'shop' : 'blog' } } });
    }
    await settings.create({ metadata: { namespace: 'other', name: 'z' } });
    requests = [];
    server.requests$.subscribe(({ method, path, query }) =>
      requests.push(`${method} ${path}?${decodeURIComponent(query.toString())}`),
    );
  });
  afterEach(() => close());

  it('list returns all objects of a namespace or of all, with kind and apiVersion', async () => {
    expect(namesOf(await settings.list({ namespace: 'web' }))).toEqual(['a', 'b', 'c', 'd', 'e']);
    const all = await settings.list();
    expect(namesOf(all)).toEqual(['z', 'a', 'b', 'c', 'd', 'e']);
    expect(all[0]).toEqual(await settings.get('other/z'));
  });

  it('list selects by labels, as text and as an object, and by fields', async () => {
    const selected = async (options: Parameters<typeof settings.list>[0]) => namesOf(await settings.list(options));
    expect(await selected({ labelSelector: 'app=shop' })).toEqual(['a', 'b']);
    expect(await selected({ labelSelector: { matchLabels: { app: 'blog' } } })).toEqual(['c', 'd', 'e']);
    expect(await selected({ namespace: 'web', fieldSelector: 'metadata.name=d' })).toEqual(['d']);
    expect(await selected({ labelSelector: 'app=none' })).toEqual([]);
  });

  it('list reads a long list in pages', async () => {
    const options = { namespace: 'web', labelSelector: 'app=blog', limit: 2 };
    expect(namesOf(await settings.list(options))).toEqual(['c', 'd', 'e']);
    const path = 'GET /api/v1/namespaces/web/configmaps?labelSelector=app=blog&limit=2';
    expect(requests).toEqual([path, expect.stringContaining(`${path}&continue=`)]);
  });

  it('R4: list reads the whole list again if its version expires between two pages', async () => {
    const lists: KubeRequest[] = [];
    const compacting: KubeClient = {
      exchange: (request) => {
        if (lists.push(request) === 2) {
          server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'web', name: 'a2' } });
          server.compact();
        }
        return settings.client.exchange(request);
      },
    };
    const names = namesOf(await resourceClient(compacting, configMaps).list({ namespace: 'web', limit: 2 }));
    expect(names).toEqual(['a', 'a2', 'b', 'c', 'd', 'e']);
    expect(lists.map(({ query }) => [query?.['limit'], query?.['continue'] !== undefined])).toEqual([
      [2, false],
      [2, true],
      [undefined, false],
    ]);
  });

  it('list$ emits page by page, and requests only the pages that its subscriber takes', async () => {
    const pages$ = settings.list$({ namespace: 'web', limit: 2 });
    expect((await lastValueFrom(pages$.pipe(toArray()))).map(namesOf)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    requests = [];
    expect(namesOf(await firstValueFrom(pages$))).toEqual(['a', 'b']);
    expect(requests).toHaveLength(1);
  });

  it('list$ continues with the most recent state if its version expires between two pages', async () => {
    const pages: (readonly string[])[] = [];
    await new Promise<void>((resolve, reject) => {
      settings.list$({ namespace: 'web', limit: 2 }).subscribe({
        next: (page) => {
          if (pages.push(namesOf(page)) > 1) return;
          for (const name of ['a2', 'd2']) {
            server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'web', name } });
          }
          server.compact();
        },
        error: reject,
        complete: resolve,
      });
    });
    expect(pages).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['d2', 'e'],
    ]);
  });

  it('getOrUndefined returns undefined for a missing object, and throws for a missing kind', async () => {
    expect(await settings.getOrUndefined('web/a')).toMatchObject({ metadata: { name: 'a' } });
    expect(await settings.getOrUndefined('web/x')).toBeUndefined();
    expect(await settings.getOrUndefined({ metadata: { namespace: 'nowhere', name: 'a' } })).toBeUndefined();
    const things = resourceClient(settings.client, {
      group: 'x.io',
      version: 'v1',
      plural: 'things',
      namespaced: true,
    });
    expect(await failure(things.getOrUndefined('web/a'))).toMatchObject({ statusCode: 404 });
    expect(await failure(settings.getOrUndefined('a'))).toMatchObject({ code: 'RXI_RESOURCE_PATH' });
  });

  it('deleteCollection deletes the selected objects with one request', async () => {
    await settings.deleteCollection({ namespace: 'web', labelSelector: 'app=shop', propagationPolicy: 'Background' });
    expect(requests).toHaveLength(1);
    expect(namesOf(await settings.list({ namespace: 'web' }))).toEqual(['c', 'd', 'e']);
    await settings.deleteCollection({ namespace: 'web', fieldSelector: 'metadata.name=d' });
    expect(namesOf(await settings.list({ namespace: 'web' }))).toEqual(['c', 'e']);
    await settings.deleteCollection({ namespace: 'web' });
    expect(namesOf(await settings.list())).toEqual(['z']);
  });

  it.each([
    ['labelSelector', undefined],
    ['labelSelector', ''],
    ['labelSelector', {}],
    ['labelSelector', { matchLabels: {} }],
    ['fieldSelector', undefined],
    ['fieldSelector', ''],
    ['fieldSelector', ','],
  ])('deleteCollection throws if the %s %j selects everything, unless all objects are meant', async (option, value) => {
    const everything = { namespace: 'web', [option]: value };
    expect(await failure(settings.deleteCollection(everything))).toMatchObject({
      code: 'RXI_INVALID_OPTION',
      message: expect.stringContaining('all: true'),
    });
    expect(requests).toEqual([]);
    await settings.deleteCollection({ ...everything, all: true });
    expect(namesOf(await settings.list())).toEqual(['z']);
  });

  it('deleteCollection throws for the selector of a Service, and deletes nothing', async () => {
    const spec = { selector: { app: 'shop' } } satisfies Service['spec'];
    const labelSelector = spec.selector as LabelSelector;
    expect(await failure(settings.deleteCollection({ namespace: 'web', labelSelector }))).toMatchObject({
      code: 'RXI_INVALID_SELECTOR',
      message: expect.stringContaining('serviceSelector'),
    });
    expect(await failure(settings.list({ labelSelector }))).toMatchObject({ code: 'RXI_INVALID_SELECTOR' });
    expect(requests).toEqual([]);
  });

  it('deleteCollection honours dry runs and preconditions', async () => {
    await settings.deleteCollection({ namespace: 'web', dryRun: true });
    const other = { preconditions: { uid: 'other' } };
    expect(await failure(settings.deleteCollection({ namespace: 'web', ...other }))).toMatchObject({ statusCode: 409 });
    expect(await settings.list({ namespace: 'web' })).toHaveLength(5);
  });

  it('deleteCollection throws without a namespace, and sends nothing', async () => {
    const error = await failure(settings.deleteCollection({ labelSelector: 'app=shop' }));
    expect(error).toMatchObject({ code: 'RXI_RESOURCE_PATH', message: expect.stringContaining('one namespace') });
    expect(requests).toEqual([]);
    const nodeClient = resourceClient(settings.client, nodes);
    await nodeClient.create({ metadata: { name: 'n1' } });
    await nodeClient.deleteCollection({});
    expect(await nodeClient.list()).toEqual([]);
  });
});

describe('lists of a resourceClient', () => {
  it('thousands of pages from a synchronous client do not overflow the stack', async () => {
    const server = createInMemoryApiServer();
    for (let index = 0; index < 1_500; index++) server.apply(aPod({ name: `p${index}` }));
    expect(await resourceClient(server.client, pods).list({ limit: 1 })).toHaveLength(1_500);
    server.stop();
  });

  it('may have 200,000 objects in one page, also of a resource without a kind', async () => {
    const items = Array.from({ length: 200_000 }, () => '{"metadata":{"name":"a"}}').join(',');
    const bytes = new TextEncoder().encode(`{"kind":"ThingList","apiVersion":"example.com/v1","items":[${items}]}`);
    const parts: ResponsePart[] = [{ type: 'head', status: 200, headers: { 'content-type': 'application/json' } }];
    for (let at = 0; at < bytes.length; at += 65_536)
      parts.push({ type: 'bytes', bytes: bytes.slice(at, at + 65_536) });
    const things = resource<KubernetesObject>({
      group: 'example.com',
      version: 'v1',
      plural: 'things',
      namespaced: true,
    });
    const list = await resourceClient({ exchange: () => from(parts) }, things).list({ limit: 200_000 });
    expect(list).toHaveLength(200_000);
  });

  it('throw an error if a page names itself as the next one', async () => {
    const body = '{"kind":"ConfigMapList","metadata":{"resourceVersion":"1","continue":"x"},"items":[]}';
    const client: KubeClient = {
      exchange: () =>
        new Observable((subscriber) => {
          subscriber.next({ type: 'head', status: 200, headers: {} });
          subscriber.next({ type: 'bytes', bytes: new TextEncoder().encode(body) });
          subscriber.complete();
        }),
    };
    expect(await failure(resourceClient(client, configMaps).list())).toMatchObject({
      code: 'RXI_RESPONSE',
      message: expect.stringContaining('the list does not end'),
    });
  });

  it('have a timeout for each page, and abort its request', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions, scheduler }) => {
      const page = (next: string): readonly [ResponsePart, ResponsePart] => [
        { type: 'head', status: 200, headers: {} },
        {
          type: 'bytes',
          bytes: new TextEncoder().encode(
            `{"kind":"ConfigMapList","metadata":{"resourceVersion":"1","continue":"${next}"},"items":[{"metadata":{"name":"${next}"}}]}`,
          ),
        },
      ];
      const [head, first] = page('x');
      const [, second] = page('y');
      const answers = [
        cold('---(hp|)', { h: head, p: first }),
        cold('----(hp|)', { h: head, p: second }),
        cold('------(hp|)', { h: head, p: second }),
      ];
      let sent = 0;
      const client: KubeClient = { exchange: () => answers[sent++]! };
      const pages$ = resourceClient(client, configMaps, { timeout: 5, scheduler }).list$();
      const item = (name: string) => [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }];
      expectObservable(pages$).toBe(
        '---a---b----#',
        { a: item('x'), b: item('y') },
        expect.objectContaining({ code: 'RXI_CALL_TIMEOUT' }),
      );
      expectSubscriptions(answers[1]!.subscriptions).toBe('---^---!');
      expectSubscriptions(answers[2]!.subscriptions).toBe('-------^----!');
    });
  });

  it.each(['list', 'list$'] as const)(
    '%s sends nothing before it is subscribed to, and is aborted by its signal',
    (method) => {
      let active = 0;
      const client: KubeClient = { exchange: () => new Observable<never>(() => (active++, () => active--)) };
      const abort = new AbortController();
      const errors: unknown[] = [];
      const call$: Observable<unknown> = resourceClient(client, configMaps)[method]({ signal: abort.signal });
      expect(active).toBe(0);
      call$.subscribe({ error: (error: unknown) => errors.push(error) });
      expect(active).toBe(1);
      abort.abort('enough');
      expect([errors, active]).toEqual([['enough'], 0]);
    },
  );

  it.each([0, -1, 1.5, NaN])('throw for a limit of %s', (limit) => {
    const settings = resourceClient(createInMemoryApiServer().client, configMaps);
    expect(() => settings.list({ limit })).toThrow(errorWith('RXI_INVALID_OPTION'));
    expect(() => settings.list$({ limit })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });
});
