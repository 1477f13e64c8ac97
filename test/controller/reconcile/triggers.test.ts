import {
  type KubernetesObject,
  configMaps,
  createIndexer,
  informer,
  listWatch,
  resource,
  type Collection,
  type KubeClient,
  type ListWatchOptions,
  type RxInformersError,
} from 'rx-informers';
import {
  controller,
  setControllerReference,
  type ReconcileRequest,
  type ReconcileReason,
} from 'rx-informers/controller';
import type { OwnerReference } from 'rx-informers/resources';
import { metaNamespaceKey } from 'rx-informers/store';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { map } from 'rxjs';
import { joinReasons, reasonsOf, reasonsOfRun, reasonText } from '../../../src/controller/reconcile/reconcile-event.js';
import { mappedKeys, ownerKeys, mappedKeyError } from '../../../src/controller/reconcile/triggers.js';
import { aChild, aSite, aThing, by, store } from './support/stores.js';

const found = (output: unknown) => mappedKeys([0], () => output);

describe('mappedKeys', () => {
  it.each([
    ['a string', 'a', ['a']],
    ['an array', ['a', 'b'], ['a', 'b']],
    ['a set', new Set(['a']), ['a']],
    ['the same key twice', ['a', 'a'], ['a']],
    ['undefined', undefined, []],
    ['null', null, []],
    ['an empty array', [], []],
  ])('mappedKeys accepts %s as the result of its mapping', (_what, output, keys) => {
    expect(found(output)).toEqual({ keys, errors: [] });
  });

  it.each([
    ['a number', 5, 'a value of type number'],
    ['an object', { key: 'a' }, 'a value of type object'],
    ['a promise', Promise.resolve('a'), 'a value of type object'],
    ['a boolean', false, 'a value of type boolean'],
    ['an empty string', '', 'an empty string'],
    ['a symbol', Symbol('a'), 'a value of type symbol'],
  ])('refuses %s, and names it', (_what, output, said) => {
    const { keys, errors } = found(output);
    expect(keys).toEqual([]);
    expect(errors).toEqual([mappedKeyError(output)]);
    expect((errors[0] as RxInformersError<'RXI_MAPPED_KEY'>).output).toBe(output);
    expect((errors[0] as RxInformersError<'RXI_MAPPED_KEY'>).message).toContain(said);
  });

  it('keeps the valid keys beside an invalid one', () => {
    const { keys, errors } = found(['a', undefined, 'b', null]);
    expect(keys).toEqual(['a', 'b']);
    expect(errors).toHaveLength(2);
  });

  it('keeps the keys that an iterable returned before it threw', () => {
    function* broken(): Iterable<string> {
      yield 'a';
      throw new Error('broken');
    }
    expect(found(broken())).toEqual({ keys: ['a'], errors: [new Error('broken')] });
  });

  it('keeps the keys of one version if mapping the other version throws', () => {
    const map = (value: string): string => {
      if (value === 'old') throw new Error('cannot read the old one');
      return value;
    };
    expect(mappedKeys(['old', 'new'], map)).toEqual({ keys: ['new'], errors: [new Error('cannot read the old one')] });
  });
});

describe('ownerKeys', () => {
  const primaries = new Map<string, KubernetesObject>([
    ['web/a', aSite('web/a')],
    ['web/b', aSite('web/b')],
    ['cluster-wide', aSite('cluster-wide')],
    ['web/pod', aThing('v1', 'Pod', 'web/pod', 1)],
  ]);

  const keysOf = (references: readonly OwnerReference[] | undefined, { everyOwner = false, name = 'web/child' } = {}) =>
    ownerKeys(aChild(name, references), primaries, { everyOwner });

  it('finds the owner that manages the object, in its namespace', () => {
    expect(keysOf([by('a')])).toEqual(['web/a']);
  });

  it('finds an owner without a namespace', () => {
    expect(keysOf([by('cluster-wide')])).toEqual(['cluster-wide']);
    expect(keysOf([by('cluster-wide')], { name: 'child-without-namespace' })).toEqual(['cluster-wide']);
  });

  it('does not look for a namespaced owner of a cluster-scoped object', () => {
    expect(keysOf([by('a')], { name: 'child-without-namespace' })).toEqual([]);
  });

  it('ignores other owners, unless every owner counts', () => {
    const references = [by('a', { controller: false }), by('b', { controller: undefined })];
    expect(keysOf(references)).toEqual([]);
    expect(keysOf(references, { everyOwner: true })).toEqual(['web/a', 'web/b']);
  });

  it('distinguishes owners by kind, even if the names are equal', () => {
    expect(keysOf([by('a', { kind: 'Deployment' })])).toEqual([]);
  });

  it('distinguishes owners by API group, even if the kinds are equal', () => {
    expect(keysOf([by('a', { apiVersion: 'other.example/v1' })])).toEqual([]);
    expect(keysOf([by('a', { apiVersion: 'v1' })])).toEqual([]);
  });

  it('ignores the API version and the uid of the owner', () => {
    expect(keysOf([by('a', { apiVersion: 'web.example/v1beta1', uid: 'predecessor' })])).toEqual(['web/a']);
  });

  it('finds owners of the core group', () => {
    expect(keysOf([by('pod', { apiVersion: 'v1', kind: 'Pod' })])).toEqual(['web/pod']);
  });

  it('returns no key for an owner that does not exist', () => {
    expect(keysOf([by('gone')])).toEqual([]);
  });

  it.each([[undefined], [[]]])('returns no owner for an object without owner references (%j)', (references) => {
    expect(keysOf(references)).toEqual([]);
  });

  it('returns no owner for an object without metadata', () => {
    expect(ownerKeys({}, primaries, { everyOwner: true })).toEqual([]);
  });
});

describe('owners', () => {
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
    ['contains whole objects', (client, options) => informer(listWatch(client, websites, options), options)],
    [
      'contains only metadata',
      (client, options) => informer(listWatch(client, websites, { ...options, metadataOnly: true }), options),
    ],
    [
      'contains only metadata, of a resource without a kind',
      (client, options) =>
        informer(listWatch(client, websitesWithoutKind, { ...options, metadataOnly: true }), options),
    ],
    [
      'has a transform that drops kind and apiVersion',
      (client, options) => informer(listWatch(client, websites, { ...options, transform: trimmed }), options),
    ],
    [
      'has such a transform, and a source without a known resource',
      (client, options) => {
        const source = listWatch(client, websites, { ...options, transform: trimmed });
        return informer(source.pipe(map((batch) => batch)), options);
      },
    ],
  ];

  describe('controller: a change of an owned object reconciles its owner', () => {
    it.each(primaries)('if the cache of owners %s', (_name, primary) => {
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

    it('identifies the owner by the collection’s resource, not by kind and apiVersion of the objects', () => {
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
});

const changed: ReconcileReason = { type: 'primary', change: 'updated', because: 'watch' };

const strange: ReconcileReason = { type: 'owned', kind: 'Line\nbreak', key: 'a', change: 'added', because: 'initial' };

describe('reasons in the queue', () => {
  it('are returned in the order of addition, each once, whether they were merged or not', () => {
    const texts = [joinReasons([reasonText(changed), reasonText(strange)]), reasonText(changed)];
    expect(reasonsOf(texts)).toEqual([changed, strange]);
  });

  it('are completed with details that only the run knows', () => {
    expect(reasonsOfRun([], 1)).toEqual([{ type: 'requeue' }]);
    expect(reasonsOfRun([], 3)).toEqual([{ type: 'retry', failures: 2 }]);
    expect(reasonsOfRun([reasonText(changed)], 1)).toEqual([changed]);
    expect(reasonsOfRun([reasonText(changed)], 2)).toEqual([changed, { type: 'retry', failures: 1 }]);
  });
});
