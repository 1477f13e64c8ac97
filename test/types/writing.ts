import { expectTypeOf } from 'expect-type';
import {
  configMaps,
  deployments,
  informer,
  pods,
  resource,
  type ConfigMap,
  type Deployment,
  type KubeClient,
  type KubernetesObject,
  serviceAccounts,
} from 'rx-informers';
import type { KubernetesStatus } from 'rx-informers/client';
import {
  controller,
  ensureFinalizer,
  withFinalizer,
  type Work,
  removeFinalizer,
  requeueAfter,
  setCondition,
  setControllerReference,
  type ClientOfRun,
  type Condition,
  type ReconcileRequest,
  type RequeueAfter,
} from 'rx-informers/controller';
import {
  resourceClient,
  type ApiCall,
  type IssuedToken,
  type ResourceClient,
  type Scale,
  createOrUpdate,
  edit,
  retryOnConflict,
  type CreateOrUpdateResult,
  type Editable,
} from 'rx-informers/requests';

declare const client: KubeClient;

// In built-in kinds, fields that the server sets are optional, and fields that the kind requires
// are required.
const deploymentClient = resourceClient(client, deployments);
const labels = { app: 'shop' };
const spec = {
  replicas: 2,
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'shop:1' }] } },
};
expectTypeOf(deploymentClient.create({ metadata: { namespace: 'web', name: 'shop' }, spec })).toEqualTypeOf<
  ApiCall<Deployment>
>();
void deploymentClient.create({ metadata: { namespace: 'web', generateName: 'shop-' } });
// @ts-expect-error replicas is a number
void deploymentClient.create({ metadata: { name: 'shop' }, spec: { ...spec, replicas: 'two' } });
// @ts-expect-error an object has metadata
void deploymentClient.create({ spec });
void deploymentClient.apply({ metadata: { namespace: 'web', name: 'shop' }, spec: { replicas: 2 } });
void deploymentClient.apply({
  metadata: { namespace: 'web', name: 'shop', labels },
  status: { conditions: [{ type: 'Ready' }] },
});
// @ts-expect-error an applied object needs a name
void deploymentClient.apply({ metadata: { namespace: 'web' } });
// @ts-expect-error the name of the field is misspelt
void deploymentClient.apply({ metadata: { name: 'shop' }, spec: { replica: 2 } });

// A custom kind, with optional or required metadata.
interface Website extends KubernetesObject {
  readonly spec: { readonly host: string; readonly paths?: readonly string[] };
  readonly status?: { readonly conditions?: readonly Condition[] };
}
interface Strict {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly spec: { readonly size: number };
}
const definition = { group: 'example.com', version: 'v1', plural: 'websites', namespaced: true };
const websiteClient = resourceClient(client, resource<Website>(definition));
const strictClient = resourceClient(client, resource<Strict>(definition));
void websiteClient.create({ metadata: { name: 'shop' }, spec: { host: 'a' } });
void strictClient.create({ metadata: { name: 'shop' }, spec: { size: 1 } });
void strictClient.apply({ metadata: { name: 'shop' }, spec: {} });
// @ts-expect-error the spec is required
void websiteClient.create({ metadata: { name: 'shop' } });
// @ts-expect-error size is a number
void strictClient.apply({ metadata: { name: 'shop' }, spec: { size: 'big' } });

// An awaited call has the type of its emission.
expectTypeOf<Awaited<ApiCall<Website>>>().toEqualTypeOf<Website>();

// A recipe may write fields at any depth that are read-only in the cache. It cannot write fields
// that do not exist.
declare const shop: Deployment;
declare const website: Website;
expectTypeOf(
  edit(deploymentClient, shop, (draft) => {
    draft.metadata.labels ??= {};
    draft.metadata.labels['a'] = 'b';
    if (draft.spec === undefined) return;
    draft.spec.replicas = 3;
    draft.spec.template.spec?.containers.push({ name: 'side', image: 'x' });
    // @ts-expect-error replicas is a number
    draft.spec.replicas = 'three';
  }),
).toEqualTypeOf<ApiCall<Deployment>>();
void edit(websiteClient, website, (draft) => {
  draft.spec.host = 'b';
  draft.spec.paths = ['/'];
  // @ts-expect-error there is no such field
  draft.spec.port = 80;
});
expectTypeOf<Editable<{ readonly a: readonly { readonly b?: string }[] }>>().toEqualTypeOf<{ a: { b?: string }[] }>();
// @ts-expect-error edit supports no subresource except status
void edit(deploymentClient, shop, () => undefined, { subresource: 'scale' });

expectTypeOf(
  createOrUpdate(resourceClient(client, configMaps), { metadata: { name: 'a' } }, (draft) => {
    draft.data = { a: 'b' };
    const mutable = setControllerReference(website, draft);
    draft.metadata.ownerReferences = mutable.metadata.ownerReferences;
  }),
).toEqualTypeOf<ApiCall<CreateOrUpdateResult<ConfigMap>>>();

// Conditions are mutable in drafts and read-only in the cache.
declare const mutable: Condition[];
declare const cached: readonly Condition[] | undefined;
const ready = { type: 'Ready', status: 'True', reason: 'Up', message: '' } as const;
expectTypeOf(setCondition(mutable, ready)).toEqualTypeOf<Condition[]>();
expectTypeOf(setCondition(cached, ready)).toEqualTypeOf<readonly Condition[]>();
expectTypeOf(setCondition(undefined, ready)).toEqualTypeOf<Condition[]>();
void edit(
  websiteClient,
  website,
  (draft) => {
    draft.status ??= {};
    draft.status.conditions = setCondition(draft.status.conditions, ready);
  },
  { subresource: 'status' },
);
// @ts-expect-error a status is True, False or Unknown
setCondition(mutable, { ...ready, status: 'Yes' });
void edit(deploymentClient, shop, (draft) => {
  draft.status ??= {};
  draft.status.conditions = setCondition(draft.status.conditions, { type: 'Available', status: 'True' });
});

expectTypeOf(ensureFinalizer(websiteClient, website, 'a/b')).toEqualTypeOf<ApiCall<Website>>();
expectTypeOf(removeFinalizer(websiteClient, website, 'a/b')).toEqualTypeOf<ApiCall<Website | undefined>>();
expectTypeOf(
  withFinalizer(websiteClient, website, {
    finalizer: 'a/b',
    apply: (object) => websiteClient.get(object),
    cleanup: async () => requeueAfter(1),
  }),
).toEqualTypeOf<ApiCall<Website | RequeueAfter | undefined> & Pick<Work<unknown>, 'settled$'>>();
expectTypeOf(retryOnConflict(() => websiteClient.get('a/b'))).toEqualTypeOf<ApiCall<Website>>();

// The answer of a subresource has its own type.
const serviceAccountClient = resourceClient(client, serviceAccounts);
expectTypeOf(deploymentClient.get('a/b', { subresource: 'scale' })).toEqualTypeOf<ApiCall<Scale>>();
expectTypeOf(deploymentClient.patch('a/b', {}, { subresource: 'scale' })).toEqualTypeOf<ApiCall<Scale>>();
declare const scale: Scale;
expectTypeOf(deploymentClient.update(scale, { subresource: 'scale' })).toEqualTypeOf<ApiCall<Scale>>();
// @ts-expect-error a Scale replaces no Deployment
deploymentClient.update(scale);
const ofPod = { metadata: { name: 'a', namespace: 'b' } };
expectTypeOf(resourceClient(client, pods).create(ofPod, { subresource: 'eviction' })).toEqualTypeOf<
  ApiCall<KubernetesStatus>
>();
expectTypeOf(serviceAccountClient.create(ofPod, { subresource: 'token' })).toEqualTypeOf<ApiCall<IssuedToken>>();
expectTypeOf(deploymentClient.get('a/b', { subresource: 'status' })).toEqualTypeOf<ApiCall<Deployment>>();
declare const anySubresource: string;
expectTypeOf(deploymentClient.get('a/b', { subresource: anySubresource })).toEqualTypeOf<ApiCall<Deployment>>();

// A run writes through `clientOf`, for a resource or for a long-lived client.
controller({
  for: informer(client, deployments),
  client,
  reconcile: ({ clientOf }) => {
    expectTypeOf(clientOf(configMaps, { fieldManager: 'a' })).toEqualTypeOf<ResourceClient<ConfigMap>>();
    expectTypeOf(clientOf(websiteClient)).toEqualTypeOf<ResourceClient<Website>>();
    // @ts-expect-error a long-lived client has its own options
    clientOf(websiteClient, { fieldManager: 'a' });
  },
});
controller({
  for: informer(client, deployments),
  reconcile: ({ clientOf }) => {
    expectTypeOf(clientOf).toEqualTypeOf<undefined>();
  },
});
expectTypeOf<ReconcileRequest<Deployment>['clientOf']>().toEqualTypeOf<ClientOfRun | undefined>();
