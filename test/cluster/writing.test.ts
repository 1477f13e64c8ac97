import fc from 'fast-check';
import { type KubernetesObject, resource, customResourceDefinitions, configMaps, type ConfigMap } from 'rx-informers';
import {
  setCondition,
  type Condition,
  withFinalizer,
  ensureFinalizer,
  removeFinalizer,
  ownerReferenceTo,
  setControllerReference,
} from 'rx-informers/controller';
import {
  resourceClient,
  type ResourceClient,
  fieldErrors,
  discoverResource,
  createOrUpdate,
  edit,
  retryOnConflict,
} from 'rx-informers/requests';
import { filter, firstValueFrom, retry, timeout } from 'rxjs';
import { connect, uniqueName } from './support/cluster.js';

interface Website extends KubernetesObject {
  readonly spec: { readonly replicas: number; readonly paths?: readonly string[] };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly phase?: string };
}

const cluster = connect();
const group = `${uniqueName('g')}.example.com`;
const definition = {
  metadata: { name: `websites.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'websites', singular: 'website', kind: 'Website', listKind: 'WebsiteList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  replicas: { type: 'integer', minimum: 0 },
                  paths: { type: 'array', items: { type: 'string' } },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

const settings: ResourceClient<ConfigMap> = resourceClient(cluster.client, configMaps, { fieldManager: 'me' });
const websites: ResourceClient<Website> = resourceClient(
  cluster.client,
  resource<Website>({ group, version: 'v1', plural: 'websites', kind: 'Website', namespaced: true }),
  { fieldManager: 'me' },
);
const finalizer = 'example.com/cleanup';
const others = 'example.com/others';

let namespace: string;
beforeAll(async () => {
  namespace = await cluster.createNamespace();
  await cluster.create(customResourceDefinitions, definition);
  const served$ = discoverResource(cluster.client, { apiVersion: `${group}/v1`, kind: 'Website' });
  await firstValueFrom(
    served$.pipe(
      filter((found) => found.plural === 'websites'),
      retry({ delay: 50 }),
      timeout({ first: 120_000 }),
    ),
  );
});
afterAll(async () => {
  await cluster.remove(customResourceDefinitions, definition);
  await cluster.cleanUp();
});

const aSettings = (data: Readonly<Record<string, string>> = {}, metadata: object = {}): Promise<ConfigMap> =>
  firstValueFrom(settings.create({ metadata: { namespace, name: uniqueName('settings'), ...metadata }, data }));
const aWebsite = (spec: Website['spec'] = { replicas: 1 }): Promise<Website> =>
  firstValueFrom(websites.create({ metadata: { namespace, name: uniqueName('website') }, spec }));
const failure = (call: PromiseLike<unknown>): PromiseLike<unknown> =>
  call.then(
    () => 'it succeeded',
    (error: unknown) => error,
  );

describe('edit with a real API server', () => {
  it('makes the change of the recipe, also from a stale object', async () => {
    const object = await aSettings({ a: '1' });
    await settings.patch(object, { data: { theirs: 'x' } });
    const edited = await edit(settings, object, (draft) => {
      draft.data = { ...draft.data, a: '2' };
      draft.metadata.labels = { 'example.com/a': 'b' };
    });
    expect(edited.data).toEqual({ a: '2', theirs: 'x' });
    expect(edited.metadata.labels).toEqual({ 'example.com/a': 'b' });
    expect(edited.metadata.managedFields?.map(({ manager }) => manager)).toContain('me');
  });

  it('loses none of many concurrent edits', async () => {
    const object = await aSettings({ count: '0' });
    const increment = () =>
      edit(settings, object, ({ data }) => void (data!['count'] = String(Number(data!['count']) + 1)), { tries: 50 });
    await Promise.all(Array.from({ length: 10 }, increment));
    expect((await settings.get(object)).data).toEqual({ count: '10' });
  });

  it('changes any array into any other', async () => {
    let website = await aWebsite();
    const paths = fc.array(fc.constantFrom('/a', '/b', '/c', '/~d', '/e f'), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(paths, async (wanted) => {
        website = await edit(websites, website, (draft) => void (draft.spec.paths = wanted));
        expect(website.spec.paths ?? []).toEqual(wanted);
      }),
      { numRuns: 50 },
    );
  });

  it('writes the status, and only that', async () => {
    const website = await aWebsite();
    await websites.patch(website, { spec: { replicas: 5 } });
    const ready = { type: 'Ready', status: 'True', reason: 'Up', message: '' } as const;
    const report = (on: Website) =>
      edit(
        websites,
        on,
        (draft) => {
          draft.status ??= {};
          draft.status.conditions = setCondition(draft.status.conditions, ready);
        },
        { subresource: 'status' },
      );
    const reported = await report(website);
    expect(reported).toMatchObject({ spec: { replicas: 5 }, status: { conditions: [ready] } });
    expect(await report(reported)).toBe(reported);
  });

  it('throws an error if the status is edited without the subresource', async () => {
    const website = await aWebsite();
    const error = await failure(edit(websites, website, (draft) => void (draft.status = { phase: 'Up' })));
    expect(error).toMatchObject({ code: 'RXI_STATUS_IGNORED' });
  });

  it('throws a typed error for an object that was deleted or replaced', async () => {
    const object = await aSettings({ a: '1' });
    await settings.delete(object);
    const change = (draft: { data?: Record<string, string> }): void => void (draft.data = { a: '2' });
    expect(await failure(edit(settings, object, change))).toMatchObject({ code: 'RXI_OBJECT_DELETED' });
    const { metadata } = await settings.create({ metadata: { namespace, name: object.metadata.name } });
    expect(await failure(edit(settings, object, change))).toMatchObject({
      code: 'RXI_OBJECT_DELETED',
      replacedBy: metadata.uid,
    });
  });

  it('throws an error with the fields for which the server refuses the write', async () => {
    const website = await aWebsite();
    const error = await failure(edit(websites, website, (draft) => void (draft.spec.replicas = -1)));
    expect(error).toMatchObject({
      statusCode: 422,
      reason: 'Invalid',
      message: expect.stringContaining('spec.replicas'),
    });
    expect(fieldErrors(error)).toEqual([
      { field: 'spec.replicas', reason: 'FieldValueInvalid', message: expect.stringContaining('-1') },
    ]);
    const labelled = await aSettings();
    const label = await failure(edit(settings, labelled, (draft) => void (draft.metadata.labels = { a: '-' })));
    expect(fieldErrors(label)).toEqual([expect.objectContaining({ field: 'metadata.labels' })]);
  });
});

describe('other writes with a real API server', () => {
  it('createOrUpdate creates, updates, or sends nothing', async () => {
    const name = { metadata: { namespace, name: uniqueName('settings') } };
    const wanted = (mode: string) =>
      createOrUpdate(settings, name, (draft) => {
        draft.data = { ...draft.data, mode };
      });
    const operations = [await wanted('dark'), await wanted('dark'), await wanted('light')];
    expect(operations.map(({ operation }) => operation)).toEqual(['created', 'unchanged', 'updated']);
  });

  it('U1: retryOnConflict succeeds against a concurrent writer', async () => {
    const object = await aSettings({ a: '1' });
    let tries = 0;
    await retryOnConflict(async () => {
      const newest = await settings.get(object);
      if (tries++ === 0) await settings.patch(object, { data: { theirs: 'x' } });
      return settings.update({ ...newest, data: { ...newest.data, a: '2' } });
    });
    expect(tries).toBe(2);
    expect((await settings.get(object)).data).toEqual({ a: '2', theirs: 'x' });
  });

  it('apply throws a 409 that names the fields of other managers, and takes them over by default', async () => {
    const metadata = { namespace, name: uniqueName('settings') };
    await settings.apply({ metadata, data: { a: '1' } });
    const theirs = { fieldManager: 'they', force: false };
    const error = await failure(settings.apply({ metadata, data: { a: '2' } }, theirs));
    expect(error).toMatchObject({ statusCode: 409, reason: 'Conflict', message: expect.stringContaining('.data.a') });
    const taken = await settings.apply({ metadata, data: { a: '2' } }, { fieldManager: 'they' });
    expect(taken.data).toEqual({ a: '2' });
  });

  it('a dry run changes nothing, and neither does a dry delete', async () => {
    const object = await aSettings({ a: '1' });
    await settings.delete(object, { dryRun: true });
    await edit(settings, object, (draft) => void (draft.data = {}), { dryRun: true });
    expect(await settings.get(object)).toEqual(object);
  });

  it('a controller reference is stored unchanged', async () => {
    const owner = await aWebsite();
    const metadata = { namespace, name: uniqueName('owned') };
    const owned = await settings.create(setControllerReference(owner, { metadata }));
    expect(owned.metadata.ownerReferences).toEqual([ownerReferenceTo(owner, { controller: true })]);
  });
});

describe('finalizers with a real API server', () => {
  it('keep an object until it is cleaned up, and leave the finalizers of others', async () => {
    const object = await aSettings({}, { finalizers: [others] });
    const calls: string[] = [];
    const reconcile = async (): Promise<void> => {
      const current = await settings.get(object);
      await withFinalizer(settings, current, {
        finalizer,
        apply: () => void calls.push('apply'),
        cleanup: () => void calls.push('cleanup'),
      });
    };
    await reconcile();
    expect((await settings.get(object)).metadata.finalizers).toEqual([others, finalizer]);
    await settings.delete(object);
    await reconcile();
    await reconcile();
    expect(calls).toEqual(['apply', 'cleanup']);
    const left = await settings.get(object);
    expect(left.metadata.finalizers).toEqual([others]);
    await removeFinalizer(settings, left, others);
    expect(await failure(settings.get(object))).toMatchObject({ statusCode: 404 });
    expect(await removeFinalizer(settings, left, others)).toBeUndefined();
  });

  it('are not lost when two clients add theirs at the same time', async () => {
    const object = await aSettings();
    const names = Array.from({ length: 5 }, (_, index) => `example.com/f${index}`);
    await Promise.all(names.map((name) => ensureFinalizer(settings, object, name, { tries: 20 })));
    const { metadata } = await settings.get(object);
    expect([...(metadata.finalizers ?? [])].sort()).toEqual(names);
    await edit(settings, object, (draft) => {
      delete draft.metadata.finalizers;
    });
  });

  it('cannot be added to an object that is being deleted', async () => {
    const object = await aSettings({}, { finalizers: [others] });
    await settings.delete(object);
    expect(await failure(ensureFinalizer(settings, object, finalizer))).toMatchObject({
      code: 'RXI_OBJECT_TERMINATING',
    });
    const patch = [{ op: 'add', path: '/metadata/finalizers/-', value: finalizer }];
    const refused = await failure(settings.patch(object, patch));
    expect(fieldErrors(refused)).toEqual([
      expect.objectContaining({ field: 'metadata.finalizers', reason: 'FieldValueForbidden' }),
    ]);
    await removeFinalizer(settings, object, others);
  });
});
