import { configMaps, type ConfigMap } from 'rx-informers';
import { ignoreNotFound, isAlreadyExists, isConflict, isNotFound, resourceClient } from 'rx-informers/requests';
import { lastValueFrom, toArray } from 'rxjs';
import { configMap, connect, forEach } from './support/cluster.js';

const cluster = connect();
const settings = resourceClient(cluster.client, configMaps);
const failure = (call: PromiseLike<unknown>): PromiseLike<unknown> =>
  call.then(
    () => 'it succeeded',
    (error: unknown) => error,
  );
const namesOf = (objects: readonly ConfigMap[]) => objects.map(({ metadata }) => metadata.name);
const names = Array.from({ length: 60 }, (_, index) => `c${String(index).padStart(2, '0')}`);

let namespace: string;
beforeAll(async () => {
  namespace = await cluster.createNamespace();
  await forEach(names, (name) =>
    cluster.create(configMaps, configMap(namespace, name, 'x', { half: name < 'c30' ? 'first' : 'second' })),
  );
});
afterAll(() => cluster.cleanUp());

describe('a resourceClient with a real API server', () => {
  it('lists in pages, by labels and fields', async () => {
    const listed = await settings.list({ namespace, limit: 7 });
    expect(namesOf(listed).filter((name) => name.startsWith('c'))).toEqual(names);
    expect(listed[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    const labelSelector = { matchLabels: { half: 'second' } };
    expect(namesOf(await settings.list({ namespace, labelSelector, limit: 7 }))).toEqual(names.slice(30));
    expect(namesOf(await settings.list({ namespace, fieldSelector: 'metadata.name=c07' }))).toEqual(['c07']);
    const pages = await lastValueFrom(settings.list$({ namespace, labelSelector, limit: 20 }).pipe(toArray()));
    expect(pages.map((page) => page.length)).toEqual([20, 10]);
  });

  it('distinguishes the errors of the server', async () => {
    expect(await settings.getOrUndefined(`${namespace}/none`)).toBeUndefined();
    expect(isNotFound(await failure(settings.get(`${namespace}/none`)))).toBe(true);
    expect(await settings.delete(`${namespace}/none`).then(undefined, ignoreNotFound)).toBeUndefined();
    const existing = await settings.get(`${namespace}/c00`);
    expect(isAlreadyExists(await failure(settings.create({ metadata: { namespace, name: 'c00' } })))).toBe(true);
    await settings.patch(existing, { data: { a: '1' } });
    expect(isConflict(await failure(settings.update({ ...existing, data: {} })))).toBe(true);
    const missing = { group: 'nothing.example.com', version: 'v1', plural: 'things', namespaced: true };
    expect(isNotFound(await failure(resourceClient(cluster.client, missing).getOrUndefined('a/b')))).toBe(true);
  });

  it('deletes a collection by labels, and deletes nothing in a dry run or with another uid', async () => {
    const labelSelector = 'half=first';
    await settings.deleteCollection({ namespace, labelSelector, dryRun: true });
    const preconditions = { uid: 'other' };
    expect(isConflict(await failure(settings.deleteCollection({ namespace, labelSelector, preconditions })))).toBe(
      true,
    );
    expect(await settings.list({ namespace, labelSelector })).toHaveLength(30);
    await settings.deleteCollection({ namespace, labelSelector, propagationPolicy: 'Background' });
    expect(await settings.list({ namespace, labelSelector })).toEqual([]);
    expect(await settings.list({ namespace, labelSelector: 'half=second' })).toHaveLength(30);
  });
});
