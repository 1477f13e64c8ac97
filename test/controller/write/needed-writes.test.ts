import { concat, ignoreElements, map, switchMap, type Observable } from 'rxjs';
import {
  configMaps,
  deployments,
  informer,
  listWatch,
  resource,
  type ConfigMap,
  type Deployment,
  type KubernetesObject,
} from 'rx-informers';
import {
  controller,
  createOrUpdate,
  edit,
  ensureFinalizer,
  resourceClient,
  setControllerReference,
  type ReconcileRequest,
} from 'rx-informers/controller';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { aDefinition } from '../../fixtures/definition.js';

interface Tenant extends KubernetesObject {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly generation?: number };
  readonly spec: { readonly size: number };
  readonly status?: { readonly observedGeneration?: number; readonly maps?: number };
}

const tenants = resource<Tenant>({
  group: 'example.com',
  version: 'v1',
  plural: 'tenants',
  kind: 'Tenant',
  namespaced: true,
});
const definition = aDefinition({ plural: 'tenants', kind: 'Tenant', subresources: { status: {} } });

const metadata = { name: 'a', namespace: 'web' };
const tenant = { apiVersion: 'example.com/v1', kind: 'Tenant', metadata, spec: { size: 2 } };
const finalizer = 'example.com/cleanup';
const labels = { app: 'a' };
const deployment = {
  metadata,
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
  },
};

/** An operator whose Tenant needs seven writes: a finalizer, four applied objects, a shared one, and a status. */
function stage() {
  const scheduler = virtualClock();
  const server = createInMemoryApiServer({ scheduler });
  server.apply(definition);
  server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } });
  const { client } = server;
  const options = { scheduler, random: () => 0 };
  const tenantInformer = informer(listWatch(client, tenants, options), options);
  const mapInformer = informer(listWatch(client, configMaps, options), options);
  const deploymentInformer = informer(listWatch(client, deployments, options), options);
  const of = { fieldManager: 'tenant-operator', scheduler };
  const tenantClient = resourceClient(client, tenants, of);
  const mapClient = resourceClient(client, configMaps, of);
  const deploymentClient = resourceClient(client, deployments, of);

  const mapsOf = (owner: Tenant): Observable<ConfigMap>[] =>
    ['x', 'y', 'z'].map((suffix) =>
      mapClient.apply(
        setControllerReference(owner, { metadata: { ...metadata, name: `a-${suffix}` }, data: { suffix } }),
        { from: mapInformer },
      ),
    );
  const shared = () =>
    createOrUpdate(
      mapClient,
      { metadata: { ...metadata, name: 'tenants' } },
      (draft) => void (draft.data = { ...draft.data, a: 'yes' }),
      { from: mapInformer },
    );
  // Of the object as the finalizer made it: the cache may not have that version yet.
  const status = (owner: Tenant) =>
    edit(
      tenantClient,
      owner,
      (draft) => void (draft.status = { observedGeneration: draft.metadata.generation ?? 0, maps: 3 }),
      { subresource: 'status' },
    );
  let runs = 0;
  const reconcile = ({ object }: ReconcileRequest<Tenant>): Observable<unknown> => {
    runs += 1;
    if (object === undefined) return concat();
    return ensureFinalizer(tenantClient, object, finalizer).pipe(
      switchMap((owner) => {
        const applied = setControllerReference(owner, deployment);
        const deployed$: Observable<Deployment> = deploymentClient.apply(applied, { from: deploymentInformer });
        // The next run sees the status that this one wrote.
        const observed$ = status(owner).pipe(switchMap((written) => tenantInformer.observed$(written)));
        return concat(...mapsOf(owner), deployed$, shared(), observed$);
      }),
      ignoreElements(),
    );
  };
  controller({ for: tenantInformer, owns: [mapInformer, deploymentInformer], scheduler, reconcile }).subscribe();
  scheduler.advance(1_000);

  const requests: string[] = [];
  server.requests$
    .pipe(map(({ method, path }) => `${method} ${path.split('/').slice(-2).join('/')}`))
    .subscribe((request) => requests.push(request));
  /** What was sent since the last call besides watches, when everything has come to rest. */
  const sent = (): readonly string[] => {
    scheduler.advance(10_000);
    return requests.splice(0);
  };
  return { server, sent, runs: () => runs };
}

describe('a controller that writes from its caches sends what is needed, and nothing else', () => {
  it('seven writes for a new object that needs seven, however many runs they lead to', () => {
    const { server, sent, runs } = stage();
    server.apply(tenant);
    expect(sent()).toEqual([
      'PATCH tenants/a',
      'PATCH configmaps/a-x',
      'PATCH configmaps/a-y',
      'PATCH configmaps/a-z',
      'PATCH deployments/a',
      'POST web/configmaps',
      'PATCH a/status',
    ]);
    expect(runs()).toBeGreaterThan(1);
    expect(server.objects.get(tenants, 'a', 'web')).toMatchObject({
      metadata: { finalizers: [finalizer] },
      status: { observedGeneration: 1, maps: 3 },
    });
  });

  it('nothing after a change that needs no write, such as an annotation', () => {
    const { server, sent, runs } = stage();
    server.apply(tenant);
    sent();
    const before = runs();
    server.apply({
      ...tenant,
      metadata: { ...metadata, finalizers: [finalizer], annotations: { note: 'hello' } },
      status: { observedGeneration: 1, maps: 3 },
    });
    expect(sent()).toEqual([]);
    expect(runs()).toBeGreaterThan(before);
  });

  it('one write after an owned object was changed by another writer', () => {
    const { server, sent } = stage();
    server.apply(tenant);
    sent();
    const { metadata: own, ...rest } = server.objects.get<ConfigMap>(configMaps, 'a-y', 'web') as ConfigMap;
    const { name, namespace, ownerReferences } = own;
    server.apply({ ...rest, metadata: { name, namespace, ownerReferences }, data: { suffix: 'tampered' } });
    expect(sent()).toEqual(['PATCH configmaps/a-y']);
    expect(server.objects.get<ConfigMap>(configMaps, 'a-y', 'web')?.data).toEqual({ suffix: 'y' });
  });

  it('one write, for the status, after the spec of the object was changed', () => {
    const { server, sent } = stage();
    server.apply(tenant);
    sent();
    server.apply({
      ...tenant,
      metadata: { ...metadata, finalizers: [finalizer] },
      spec: { size: 3 },
      status: { observedGeneration: 1, maps: 3 },
    });
    expect(sent()).toEqual(['PATCH a/status']);
  });
});
