import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  Watch,
  type V1ConfigMap,
} from '@kubernetes/client-node';
import { aConfigMap, createApiServer, type ApiServer } from 'rx-informers/testing';
import { fromEventPattern, firstValueFrom, map, merge, take, timeout, toArray } from 'rxjs';

describe('client-node against the embedded API server', () => {
  let server: ApiServer;
  let kubeConfig: KubeConfig;

  beforeEach(async () => {
    server = await createApiServer();
    kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(server.kubeconfig());
  });
  afterEach(() => server.close());

  it('its typed client creates, lists, reads, replaces, patches and deletes', async () => {
    const core = kubeConfig.makeApiClient(CoreV1Api);
    const namespace = 'default';
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a' }, data: { key: '1' } } });
    const { items } = await core.listNamespacedConfigMap({ namespace });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(['a']);

    const read = await core.readNamespacedConfigMap({ namespace, name: 'a' });
    expect(read.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const replaced = await core.replaceNamespacedConfigMap({
      namespace,
      name: 'a',
      body: Object.assign(read, { data: { key: '2' } }),
    });
    expect(replaced.data).toEqual({ key: '2' });
    const patched = await core.patchNamespacedConfigMap(
      { namespace, name: 'a', body: { data: { other: '3' } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
    expect(patched.data).toEqual({ key: '2', other: '3' });

    await core.deleteNamespacedConfigMap({ namespace, name: 'a' });
    await expect(core.readNamespacedConfigMap({ namespace, name: 'a' })).rejects.toMatchObject({ code: 404 });
  });

  it('its client for custom objects creates, lists and deletes what a definition defines', async () => {
    const openAPIV3Schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
    };
    server.apply({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    });
    const custom = kubeConfig.makeApiClient(CustomObjectsApi);
    const gadgets = { group: 'example.com', version: 'v1', namespace: 'default', plural: 'gadgets' };
    const body = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'a' }, spec: { size: 1 } };
    await custom.createNamespacedCustomObject({ ...gadgets, body });
    const list: unknown = await custom.listNamespacedCustomObject(gadgets);
    expect(list).toMatchObject({ kind: 'GadgetList', items: [{ spec: { size: 1 } }] });
    await custom.deleteNamespacedCustomObject({ ...gadgets, name: 'a' });
    expect(await custom.listNamespacedCustomObject(gadgets)).toMatchObject({ items: [] });
  });

  it('its informer receives the content and every change', async () => {
    server.apply(aConfigMap({ name: 'before' }));
    const core = kubeConfig.makeApiClient(CoreV1Api);
    const path = '/api/v1/namespaces/default/configmaps';
    const informer = makeInformer<V1ConfigMap>(kubeConfig, path, () =>
      core.listNamespacedConfigMap({ namespace: 'default' }),
    );
    const received = (['add', 'update', 'delete'] as const).map((verb) =>
      fromEventPattern<V1ConfigMap>(
        (handler) => informer.on(verb, handler),
        (handler) => informer.off(verb, handler),
      ).pipe(map(({ metadata }) => `${verb} ${metadata?.name ?? ''}`)),
    );
    const all = firstValueFrom(merge(...received).pipe(take(4), toArray(), timeout(20_000)));
    const watching = firstValueFrom(
      fromEventPattern(
        (handler) => informer.on('connect', handler),
        (handler) => informer.off('connect', handler),
      ).pipe(timeout(20_000)),
    );
    await informer.start();
    await watching;
    server.apply(aConfigMap({ name: 'after' }));
    server.apply(aConfigMap({ name: 'after', data: { changed: 'yes' } }));
    server.remove({ group: '', plural: 'configmaps' }, 'before', 'default');
    expect(await all).toEqual(['add before', 'add after', 'update after', 'delete before']);
    await informer.stop();
  });

  it('its watch ends when the server ends it', async () => {
    server.apply(aConfigMap({ name: 'a' }));
    const types: string[] = [];
    await new Promise<void>((resolve, reject) => {
      new Watch(kubeConfig)
        .watch(
          '/api/v1/configmaps',
          { timeoutSeconds: 1 },
          (type) => types.push(type),
          (error: unknown) => {
            if (error instanceof Error && error.name !== 'AbortError') reject(error);
            else resolve();
          },
        )
        .catch(reject);
    });
    expect(types).toEqual(['ADDED']);
  });
});
