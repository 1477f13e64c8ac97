import { map } from 'rxjs';
import {
  configMaps,
  createIndexer,
  informer,
  listWatch,
  metaNamespaceKey,
  resource,
  type Collection,
  type KubeClient,
  type KubernetesObject,
  type ListWatchOptions,
} from 'rx-informers';
import { controller, setControllerReference, type ReconcileRequest } from 'rx-informers/controller';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { aChild, aSite, by, store } from './support/stores.js';

const definition = { group: 'example.com', version: 'v1', plural: 'websites', namespaced: true } as const;
const websites = resource<KubernetesObject>({ ...definition, kind: 'Website' });
const websitesWithoutKind = resource<KubernetesObject>(definition);

const website = { apiVersion: 'example.com/v1', kind: 'Website', metadata: { name: 'shop', namespace: 'web' } };
const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shop', namespace: 'web' } };

function trimmed({ metadata: { name, namespace, uid, resourceVersion } = {} }: KubernetesObject): KubernetesObject {
  return { metadata: { name, namespace, uid, resourceVersion } };
}

type Options = Pick<ListWatchOptions<KubernetesObject>, 'scheduler' | 'random'>;
type Primary = (client: KubeClient, options: Options) => Collection<KubernetesObject>;

const primaries: readonly (readonly [string, Primary])[] = [
  ['is whole', (client, options) => informer(listWatch(client, websites, options), options)],
  [
    'holds metadata only',
    (client, options) => informer(listWatch(client, websites, { ...options, metadataOnly: true }), options),
  ],
  [
    'holds metadata only, of a resource that does not say its kind',
    (client, options) => informer(listWatch(client, websitesWithoutKind, { ...options, metadataOnly: true }), options),
  ],
  [
    'has a transform that drops kind and apiVersion',
    (client, options) => informer(listWatch(client, websites, { ...options, transform: trimmed }), options),
  ],
  [
    'has such a transform, and a source whose resource is not known',
    (client, options) => {
      const source = listWatch(client, websites, { ...options, transform: trimmed });
      return informer(source.pipe(map((batch) => batch)), options);
    },
  ],
];

describe('controller: a change of an owned object reconciles its owner', () => {
  it.each(primaries)('where the cache of owners %s', (_name, primary) => {
    const scheduler = virtualClock();
    const server = createInMemoryApiServer({ scheduler, random: () => 0, resources: [websites] });
    const [owner] = server.apply(website) as readonly KubernetesObject[];
    const owned = setControllerReference(owner ?? {}, settings);
    server.apply(owned);
    const requests: ReconcileRequest<KubernetesObject>[] = [];
    const options = { scheduler, random: () => 0 };
    controller({
      for: primary(server.client, options),
      owns: [informer(listWatch(server.client, configMaps, { ...options, metadataOnly: true }), options)],
      scheduler,
      reconcile: (request) => void requests.push(request),
    }).subscribe();
    scheduler.advance(1_000);
    requests.length = 0;
    server.apply({ ...owned, data: { mode: 'dark' } });
    scheduler.advance(1_000);
    expect(requests).toMatchObject([
      { key: 'web/shop', reasons: [{ type: 'owned', kind: 'ConfigMap', key: 'web/shop', change: 'updated' }] },
    ]);
  });

  it('of the collection’s resource, whatever kind and apiVersion the objects say', () => {
    const things = createIndexer(metaNamespaceKey, {}, { resource: websites });
    const site = aSite('web/a');
    things.replace([{ ...site, apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' }]);
    const child = store(aChild('web/x'));
    const keys: string[] = [];
    const scheduler = virtualClock();
    controller({ for: things, owns: [child], reconcile: ({ key }) => void keys.push(key), scheduler }).subscribe();
    keys.length = 0;
    const reference = by('a', { apiVersion: 'example.com/v1alpha1', kind: 'Website', uid: 'a predecessor' });
    child.update(aChild('web/x', [reference]));
    expect(keys).toEqual(['web/a']);
    child.update(aChild('web/y', [{ ...reference, kind: 'Redirect' }]));
    child.update(aChild('web/z', [{ ...reference, apiVersion: 'other.example.com/v1' }]));
    expect(keys).toEqual(['web/a']);
  });
});

it('ReconcileRequest.resource is the resource of the primary collection', () => {
  const sites = createIndexer(metaNamespaceKey, {}, { resource: websites });
  sites.replace([aSite('web/a')]);
  const resources: unknown[] = [];
  const scheduler = virtualClock();
  const reconcile = ({ resource }: ReconcileRequest<KubernetesObject>): void => void resources.push(resource);
  controller({ for: sites, reconcile, scheduler }).subscribe();
  controller({ for: store(aSite('web/a')), reconcile, scheduler }).subscribe();
  expect(resources).toEqual([websites, undefined]);
});
