import {
  configMaps,
  deployments,
  informer,
  listWatch,
  resource,
  type ConfigMap,
  type Deployment,
  type Informer,
  type KubernetesObject,
} from 'rx-informers';
import { controller, setControllerReference, type ReconcileRequest } from 'rx-informers/controller';
import { resourceClient, createOrUpdate } from 'rx-informers/requests';
import { map, merge, Subject, takeUntil } from 'rxjs';
import { connect, uniqueName } from './support/cluster.js';
import { customKind, type CustomKind } from './support/custom-kind.js';
import { eventually } from './support/eventually.js';
import { observe } from './support/observed-client.js';

interface Website extends KubernetesObject {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly generation?: number };
  readonly spec: { readonly replicas: number };
  readonly status?: { readonly observedGeneration?: number; readonly phase?: string };
}

const cluster = connect();
const client = observe(cluster.client);
const withStatus: CustomKind = customKind(cluster, { subresources: { status: {} } });
const withoutSubresource: CustomKind = customKind(cluster);
const stop$ = new Subject<void>();

const kindOf = ({ group }: CustomKind) =>
  resource<Website>({ group, version: 'v1', plural: 'gadgets', kind: 'Gadget', namespaced: true });
const as = { fieldManager: 'me' };
const settings = resourceClient(client, configMaps, as);
const websites = resourceClient(client, kindOf(withStatus), as);
const plain = resourceClient(client, kindOf(withoutSubresource), as);

let namespace: string;
beforeAll(async () => {
  namespace = await cluster.createNamespace();
  await withStatus.install();
  await withoutSubresource.install();
});
afterAll(async () => {
  stop$.next();
  await withStatus.uninstall();
  await withoutSubresource.uninstall();
  await cluster.cleanUp();
});

/** The requests since the last call, except for lists and watches. */
function sent(): readonly string[] {
  const singles = [...client.requests].filter(({ query, method }) => method !== 'GET' || query === undefined);
  const news = singles.slice(received);
  received = singles.length;
  return news.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`);
}
let received = 0;

async function cacheOf<T>(cache: Informer<T>): Promise<Informer<T>> {
  cache.snapshot$.pipe(takeUntil(stop$)).subscribe();
  await cache.whenSynced();
  return cache;
}

describe('apply with a cache and a real API server', () => {
  it('sends only the required writes', async () => {
    const from = await cacheOf(informer(listWatch(client, deployments, { namespace })));
    const deploymentClient = resourceClient(client, deployments, as);
    const labels = { app: 'shop' };
    const metadata = { namespace, name: uniqueName('shop'), labels };
    const containers = [{ name: 'web', image: 'nginx', resources: { requests: { cpu: '1000m' } } }];
    const wanted = {
      metadata,
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
    };
    const key = `${namespace}/${metadata.name}`;
    const apply = (object: typeof wanted): PromiseLike<Deployment> => deploymentClient.apply(object, { from });
    sent();
    const created = await apply(wanted);
    await apply(wanted);
    await from.whenObserved(created);
    await apply(wanted);
    expect(sent()).toEqual([`PATCH ${metadata.name}`]);

    const status = { observedGeneration: 1, replicas: 1 };
    await from.whenObserved(await deploymentClient.patch(key, { status }, { subresource: 'status' }));
    sent();
    await apply(wanted);
    expect(sent()).toEqual([]);

    const tampered = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'evil' }];
    await from.whenObserved(await deploymentClient.patch(key, tampered, { fieldManager: 'other' }));
    sent();
    const mended = await apply(wanted);
    await from.whenObserved(mended);
    await apply(wanted);
    expect(sent()).toEqual([`PATCH ${metadata.name}`]);
    expect(mended.spec?.template.spec?.containers[0]?.image).toBe('nginx');

    const { labels: _labels, ...unlabelled } = metadata;
    const stripped = await apply({ ...wanted, metadata: unlabelled as typeof metadata });
    expect(stripped.metadata.labels).toBeUndefined();
    await deploymentClient.delete(key);
    await eventually(from.get$(key), (object) => object === undefined);
    expect((await apply(wanted)).metadata.uid).not.toBe(created.metadata.uid);
  });
});

describe('createOrUpdate with a real API server', () => {
  it('reads a cache, and sends only what differs', async () => {
    const from = await cacheOf(informer(listWatch(client, configMaps, { namespace })));
    const target = { metadata: { namespace, name: uniqueName('settings') } };
    const dark = () =>
      createOrUpdate(settings, target, (draft) => void (draft.data = { ...draft.data, mode: 'dark' }), { from });
    sent();
    const { object } = await dark();
    await from.whenObserved(object);
    expect((await dark()).operation).toBe('unchanged');
    expect(sent()).toEqual(['POST configmaps']);
    const { name } = target.metadata;
    await from.whenObserved(await settings.patch(object, { data: { mode: 'light', theirs: 'x' } }));
    sent();
    const updated = await dark();
    expect(updated).toMatchObject({ operation: 'updated', object: { data: { mode: 'dark', theirs: 'x' } } });
    expect(sent()).toEqual([`PATCH ${name}`]);
    await from.whenObserved(updated.object);
    expect((await dark()).operation).toBe('unchanged');
    expect(sent()).toEqual([]);
  });

  it.each([
    ['with a status subresource', websites, ['GET', 'POST', 'PATCH'], ['GET', 'PATCH', 'PATCH']],
    ['that keeps its status in the object', plain, ['GET', 'POST'], ['GET', 'PATCH']],
  ])('writes spec and status with one recipe, for a kind %s', async (_name, kind, creation, update) => {
    const target = { metadata: { namespace, name: uniqueName('website') }, spec: { replicas: 0 } };
    const scale = (replicas: number, dryRun?: true) =>
      createOrUpdate(
        kind,
        target,
        (draft) => {
          draft.spec.replicas = replicas;
          // Where the status is a part of the object, writing it is a new generation.
          const observed = kind === websites ? { observedGeneration: draft.metadata.generation ?? 0 } : {};
          draft.status = { ...observed, phase: `wants ${replicas}` };
        },
        { dryRun },
      );
    const methods = (): readonly string[] => sent().map((request) => request.split(' ')[0] ?? '');
    sent();
    expect((await scale(0, true)).operation).toBe('created');
    methods();
    const created = await scale(1);
    expect(created).toMatchObject({
      operation: 'created',
      object: { spec: { replicas: 1 }, status: { phase: 'wants 1' } },
    });
    expect(methods()).toEqual(creation);
    sent();
    await scale(2, true);
    expect(await kind.get(created.object)).toMatchObject({ spec: { replicas: 1 }, status: { phase: 'wants 1' } });
    sent();
    const updated = await scale(2);
    expect(updated.object).toMatchObject({ spec: { replicas: 2 }, status: { phase: 'wants 2' } });
    expect(updated.operation).toBe('updated');
    expect(methods()).toEqual(update);
    expect(await kind.get(created.object)).toEqual(updated.object);
    sent();
    expect((await scale(2)).operation).toBe('unchanged');
    expect(methods()).toEqual(['GET']);
  });

  it('throws an RXI_STATUS_IGNORED for a kind that has no status', async () => {
    const target = { metadata: { namespace, name: uniqueName('settings') } };
    const call = createOrUpdate(settings, target, (draft) => void Object.assign(draft, { status: { phase: 'x' } }));
    await expect(Promise.resolve(call)).rejects.toMatchObject({ code: 'RXI_STATUS_IGNORED' });
  });
});

describe('owns, with a real API server', () => {
  it('finds the owner in a cache of metadata, and in a cache whose objects have no kind', async () => {
    const name = uniqueName('owner');
    await websites.create({ metadata: { namespace, name }, spec: { replicas: 1 } });
    const ofOwner = { namespace, fieldSelector: `metadata.name=${name}` };
    const trim = ({ metadata }: Website): KubernetesObject => ({ metadata });
    const ofMetadata = informer(listWatch(client, websites.resource, { ...ofOwner, metadataOnly: true }));
    const trimmed = informer(listWatch(client, websites.resource, { ...ofOwner, transform: trim }));
    const owned = informer(listWatch(client, configMaps, { namespace, labelSelector: `owner=${name}` }));
    const runs$ = merge(
      ...[ofMetadata, trimmed].map((primary, index) => {
        const own = { namespace, name: `${name}-${index}`, labels: { owner: name } };
        return controller<KubernetesObject, [ConfigMap], [], Promise<readonly string[]>>({
          for: primary,
          owns: [owned],
          stop$,
          reconcile: async ({ object, resource: kind, reasons }: ReconcileRequest<KubernetesObject>) => {
            if (object !== undefined)
              await settings.apply(setControllerReference(object, { metadata: own }, { resource: kind }));
            return reasons.filter(({ type }) => type === 'owned').map((reason) => `${index} ${reason.type}`);
          },
        });
      }),
    ).pipe(map((event) => (event.type === 'emitted' ? event.value : event.type === 'failed' ? event.error : [])));
    const seen = new Set<unknown>();
    await eventually(runs$, (value) => {
      for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) seen.add(each);
      return seen.has('0 owned') && seen.has('1 owned');
    });
    expect([...seen].sort()).toEqual(['0 owned', '1 owned']);
    const { metadata } = await settings.get(`${namespace}/${name}-0`);
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Gadget', apiVersion: `${withStatus.group}/v1`, name }]);
  });
});
