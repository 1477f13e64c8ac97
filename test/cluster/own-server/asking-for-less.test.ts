import { configMaps, informer, listWatch, type ListWatchOptions } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import { firstValueFrom, reduce, Subscription } from 'rxjs';
import {
  requestJson,
  type KubeClient,
  type KubeRequest,
  type ResponseHead,
} from '../../../src/sources/client/kube-client.js';
import { configMap, connect, forEach, readKubeConfig } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { observe } from '../support/observed-client.js';
import { startRig, type Rig } from '../support/rig.js';
import { untilTestEnds } from '../support/until-test-ends.js';

const lean = 'application/json;drop=metadata.managedFields,application/json';
const leanMetadata = (kind: string): string =>
  `application/json;as=${kind};g=meta.k8s.io;v=v1;drop=metadata.managedFields,application/json`;

/** More than 128 KiB of ConfigMaps: API servers compress lists from that size on. */
const count = 60;
const text = 'some text that is easy to compress; '.repeat(100);

describe.each(['rig', 'kube120'] as const)('list-watch requests with less data (%s)', (kind) => {
  let rig: Rig;
  let namespace: string;
  const cluster = (): ReturnType<typeof connect> => connect(rig.kubeConfigFile);
  beforeAll(async () => {
    rig = await startRig({ kind });
    namespace = await cluster().createNamespace();
    await forEach(Array(count).keys(), (number) =>
      cluster().create(configMaps, configMap(namespace, `c-${String(number).padStart(3, '0')}`, text)),
    );
  });
  afterAll(() => rig.stop());

  const path = (): string => `/api/v1/namespaces/${namespace}/configmaps`;
  const send = (request: Partial<KubeRequest>): KubeRequest => ({ method: 'GET', path: path(), ...request });

  it('a request to leave out managedFields is ignored by a server that does not know the parameter', async () => {
    const { client } = cluster();
    const list = (accept: string) => firstValueFrom(requestJson(client, send({ headers: { accept } })));
    expect(await list(lean)).toEqual(await list('application/json'));
    expect(await list(leanMetadata('PartialObjectMetadataList'))).toEqual(
      await list('application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'),
    );
    const event = await firstLine(client, send({ headers: { accept: leanMetadata('PartialObjectMetadata') }, query }));
    expect(event).toMatchObject({ type: 'ADDED', object: { kind: 'PartialObjectMetadata' } });
  });

  it.each<[string, ListWatchOptions<never, boolean>]>([
    ['a streaming list', {}],
    ['pages', { initialList: 'pages', pageSize: 25, listConsistency: 'most-recent' }],
    ['metadata only', { metadataOnly: true }],
  ])('an informer that requests less data lists and watches (%s)', async (_, options) => {
    const client = observe(cluster().client);
    const followed = informer(listWatch(client, configMaps, { ...options, namespace }));
    untilTestEnds(followed.connect());
    await followed.whenSynced();
    const size = followed.list().length;
    expect(size).toBeGreaterThanOrEqual(count);
    const name = `later-${size}`;
    await cluster().create(configMaps, configMap(namespace, name));
    const later = await eventually(followed.get$(`${namespace}/${name}`), (object) => object !== undefined);
    expect(later).not.toHaveProperty('metadata.managedFields');
    for (const { headers } of client.requests) expect(headers?.['accept']).toContain('drop=metadata.managedFields');
  });

  it('gzip is used for lists but not for watches, and watches work', async () => {
    const client = kubeClient(readKubeConfig(rig.kubeConfigFile));
    untilTestEnds(new Subscription(() => client.close()));
    const list = await headOf(client, send({}));
    expect(list.headers['content-encoding']).toBe('gzip');
    const watch = await headOf(client, send({ query }));
    expect(watch).toMatchObject({ status: 200 });
    expect(watch.headers['content-encoding']).toBeUndefined();
    expect(await firstLine(client, send({ query }))).toMatchObject({ type: 'ADDED' });
  });
});

/** A watch that begins with what exists, and ends by itself. */
const query = { watch: true, resourceVersion: '0', timeoutSeconds: 10 };

function headOf(client: KubeClient, request: KubeRequest): Promise<ResponseHead> {
  return firstValueFrom(client.exchange(request)) as Promise<ResponseHead>;
}

async function firstLine(client: KubeClient, request: KubeRequest): Promise<unknown> {
  const decoder = new TextDecoder();
  const body$ = client
    .exchange(request)
    .pipe(
      reduce((body, part) => (part.type === 'bytes' ? body + decoder.decode(part.bytes, { stream: true }) : body), ''),
    );
  return JSON.parse((await firstValueFrom(body$)).split('\n')[0] ?? '');
}
