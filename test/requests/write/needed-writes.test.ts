import fc from 'fast-check';
import { applyPatch, type Operation } from 'rfc6902';
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
import { controller, ensureFinalizer, setControllerReference, type ReconcileRequest } from 'rx-informers/controller';
import { resourceClient, createOrUpdate, edit } from 'rx-informers/requests';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { concat, ignoreElements, map, switchMap, type Observable } from 'rxjs';
import { lengthOf } from '../../../src/requests/write/json-patch/diff-arrays.js';
import { diff } from '../../../src/requests/write/json-patch/diff.js';
import type { Json } from '../../../src/requests/write/json-patch/json.js';
import { aDefinition } from '../../fixtures/definition.js';

/** The object that a server has after the patch. */
function patched(before: Json, operations: readonly object[]): unknown {
  const document = { root: structuredClone(before) };
  const rooted = operations.map((operation) =>
    Object.fromEntries(
      Object.entries(operation).map(([name, value]) => [
        name,
        name === 'path' || name === 'from' ? `/root${value as string}` : value,
      ]),
    ),
  );
  expect(applyPatch(document, rooted as unknown as Operation[]).filter((failure) => failure !== null)).toEqual([]);
  return document.root;
}

const names = fc.constantFrom('a', 'b', 'a/b', '~', '~1', '', 'toString', 'é');

const scalars = fc.oneof(fc.constantFrom(null, true, 0, 1, 'x', 'a/b'), fc.integer(), fc.string());

const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(names, tie('value'), { maxKeys: 5 }),
  ),
})).value;

/** Arrays that have much in common: one is the other after a few edits. */
const items = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.record({ name: names, size: fc.nat(2) })), {
  maxLength: 12,
});

describe('diff', () => {
  it('returns a patch that turns one random value into another', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(patched(before, diff(before, after))).toEqual(after);
      }),
      { numRuns: 500 },
    );
  });

  it('returns a patch that turns one array into the other, and is never longer than the array', () => {
    fc.assert(
      fc.property(items, items, (before, after) => {
        const operations = diff(before, after);
        expect(patched(before, operations)).toEqual(after);
        expect(lengthOf(operations)).toBeLessThanOrEqual(lengthOf([{ op: 'replace', path: '', value: after }]));
      }),
      { numRuns: 500 },
    );
  });

  it('returns no operation for equal values, in any order of their members', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(diff(value, structuredClone(value))).toEqual([]);
      }),
    );
    expect(diff({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toEqual([]);
    expect(diff([{ a: 1, b: 2 }], [{ b: 2, a: 1 }])).toEqual([]);
  });

  const long = (name: string) => ({ name, image: `registry.example.com/${name}:1.0`, args: ['--verbose'] });
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(long) as unknown as [Json, Json, Json, Json];
  it.each<[string, Json, Json, readonly object[]]>([
    ['an insertion at the front', [a, b], [d, a, b], [{ op: 'add', path: '/0', value: d }]],
    ['an insertion in the middle', [a, b], [a, d, b], [{ op: 'add', path: '/1', value: d }]],
    ['an addition at the end', [a, b], [a, b, d], [{ op: 'add', path: '/2', value: d }]],
    ['a removal in the middle', [a, b, c], [a, c], [{ op: 'remove', path: '/1' }]],
    [
      'two removals',
      [a, b, c, d],
      [b, d],
      [
        { op: 'remove', path: '/2' },
        { op: 'remove', path: '/0' },
      ],
    ],
    ['a move to the end', [a, b, c], [b, c, a], [{ op: 'move', from: '/0', path: '/2' }]],
    ['a move to the front', [a, b, c], [c, a, b], [{ op: 'move', from: '/2', path: '/0' }]],
    [
      'a changed item',
      [a, b],
      [a, { ...long('b'), image: 'b:2' }],
      [{ op: 'replace', path: '/1/image', value: 'b:2' }],
    ],
    [
      'an insertion before a changed item',
      [a, b],
      [d, { ...long('a'), image: 'a:2' }, b],
      [
        { op: 'add', path: '/0', value: d },
        { op: 'replace', path: '/1/image', value: 'a:2' },
      ],
    ],
    ['an item replaced by another one', [a, 1], [a, 2], [{ op: 'replace', path: '/1', value: 2 }]],
    ['an array that becomes empty', [a, b], [], [{ op: 'replace', path: '', value: [] }]],
    [
      'one of many equal items',
      [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
      [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
      [{ op: 'remove', path: '/12' }],
    ],
  ])('returns the shortest form for %s', (_name, before, after, expected) => {
    const operations = diff(before, after);
    expect(patched(before, operations)).toEqual(after);
    expect(operations).toEqual(expected);
  });

  it('escapes special characters in a pointer', () => {
    expect(diff({}, { 'example.com/a~b': 'x' })).toEqual([{ op: 'add', path: '/example.com~1a~0b', value: 'x' }]);
  });

  it('adds a missing parent with all its content', () => {
    expect(diff({ metadata: {} }, { metadata: { labels: { a: 'b' } } })).toEqual([
      { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
    ]);
  });

  it('never replaces an object, so fields that the cache has dropped survive', () => {
    expect(diff({ m: { a: 1, b: 2, c: 3 } }, { m: { d: 4 } })).toEqual([
      { op: 'remove', path: '/m/a' },
      { op: 'remove', path: '/m/b' },
      { op: 'remove', path: '/m/c' },
      { op: 'add', path: '/m/d', value: 4 },
    ]);
  });

  it('handles fields that are named like members of Object.prototype', () => {
    expect(diff({}, { toString: 'x' })).toEqual([{ op: 'add', path: '/toString', value: 'x' }]);
    expect(diff({ constructor: 'x' }, {})).toEqual([{ op: 'remove', path: '/constructor' }]);
  });

  it('finds one change among many thousand items', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({ name: `n${index}` }));
    const after = many.filter((_, index) => index !== 2_500);
    expect(diff(many, after)).toEqual([{ op: 'remove', path: '/2500' }]);
    const rotated = [...many.slice(1), many[0] as Json];
    expect(diff(many, rotated)).toEqual([{ op: 'move', from: '/0', path: '/4999' }]);
  });

  it('is correct for arrays that have nothing in common, and for arrays too large to compare item by item', () => {
    const before = Array.from({ length: 60 }, (_, index) => ({ name: `old-${index}`, size: index }));
    const after = Array.from({ length: 50 }, (_, index) => ({ name: `new-${index}`, size: index }));
    expect(patched(before, diff(before, after))).toEqual(after);
  });
});

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

/**
 * An operator whose Tenant needs seven writes: a finalizer, four applied objects, a shared one, and
 * a status.
 */
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
  /** The requests since the last call, without watches, once everything has settled. */
  const sent = (): readonly string[] => {
    scheduler.advance(10_000);
    return requests.splice(0);
  };
  return { server, sent, runs: () => runs };
}

describe('a controller that writes from its caches sends only the required writes', () => {
  it('sends seven writes for a new object that needs seven, regardless of how many runs they cause', () => {
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

  it('sends nothing after a change that needs no write, such as an annotation', () => {
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

  it('sends one write after another client changed an owned object', () => {
    const { server, sent } = stage();
    server.apply(tenant);
    sent();
    const { metadata: own, ...rest } = server.objects.get<ConfigMap>(configMaps, 'a-y', 'web') as ConfigMap;
    const { name, namespace, ownerReferences } = own;
    server.apply({ ...rest, metadata: { name, namespace, ownerReferences }, data: { suffix: 'tampered' } });
    expect(sent()).toEqual(['PATCH configmaps/a-y']);
    expect(server.objects.get<ConfigMap>(configMaps, 'a-y', 'web')?.data).toEqual({ suffix: 'y' });
  });

  it('sends one write, for the status, after the spec of the object was changed', () => {
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
