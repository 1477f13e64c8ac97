import { createIndexer, type InformerError } from 'rx-informers';
import { metaNamespaceKey } from 'rx-informers/store';
import type { Derivation } from '../../src/derived/core/derivation.js';
import { derivedCollection } from '../../src/derived/core/derived-collection.js';
import { aPod, type Pod } from '../fixtures/pods.js';

const quiet = { linger: 0, onUnobservedError: () => undefined };

/**
 * A collection of the names of pods, whose operator throws in a method while `isBroken` says so.
 */
function namesOf(pods: ReturnType<typeof aStore>, broken: Set<'fill' | 'update'>) {
  const derivation = (): Derivation<readonly [Pod], string> => ({
    *fill([objects], rows) {
      yield* [];
      if (broken.has('fill')) throw new Error('a defect in fill');
      objects.forEach(({ key, object }) => {
        rows.set(key, object.metadata.name);
      });
    },
    *update([{ current, keys }], rows) {
      yield* [];
      if (broken.has('update')) throw new Error('a defect in update');
      for (const key of keys) rows.set(key, current.get(key)?.metadata.name);
    },
  });
  return derivedCollection<readonly [Pod], string, never>({ operator: 'names', inputs: [pods], derivation }, quiet);
}

const aStore = (...objects: readonly Pod[]) => {
  const store = createIndexer<Pod>(metaNamespaceKey, {}, quiet);
  store.replace(objects);
  return store;
};

describe('J6: an operator that throws', () => {
  it('during the computation of the first rows is reported, does not affect the commit, and is retried at the next change', () => {
    const broken = new Set<'fill' | 'update'>(['fill']);
    const pods = aStore(aPod({ name: 'a' }));
    const names = namesOf(pods, broken);
    const errors: InformerError[] = [];
    names.errors$.subscribe((error) => errors.push(error));
    names.connect();
    expect(names.hasSynced).toBe(false);
    expect(errors).toMatchObject([{ code: 'RXI_DERIVED_ROW', handler: 'the operator' }]);

    broken.clear();
    pods.add(aPod({ name: 'b' }));
    expect(names.list()).toEqual(['a', 'b']);
  });

  it('at a change is reported, and all rows are computed again in the same round', () => {
    const broken = new Set<'fill' | 'update'>();
    const pods = aStore(aPod({ name: 'a' }));
    const names = namesOf(pods, broken);
    const errors: InformerError[] = [];
    names.errors$.subscribe((error) => errors.push(error));
    const seen: (readonly string[])[] = [];
    names.list$().subscribe((list) => seen.push(list));

    broken.add('update');
    pods.add(aPod({ name: 'b' }));
    pods.delete('a');
    expect(seen).toEqual([['a'], ['a', 'b'], ['b']]);
    expect(errors).toHaveLength(2);
  });

  it('also during the computation of all rows keeps its old rows until a change succeeds, and affects no other collection', () => {
    const broken = new Set<'fill' | 'update'>();
    const pods = aStore(aPod({ name: 'a' }));
    const names = namesOf(pods, broken);
    const sound = namesOf(pods, new Set());
    const changed = new Set<string>();
    names.changes$.subscribe(({ changes }) => {
      for (const { key } of changes) changed.add(key);
    });
    sound.connect();

    broken.add('fill').add('update');
    pods.add(aPod({ name: 'b' }));
    expect([names.list(), sound.list()]).toEqual([['a'], ['a', 'b']]);

    broken.clear();
    pods.add(aPod({ name: 'c' }));
    expect(names.list()).toEqual(['a', 'b', 'c']);
    expect([...changed].sort()).toEqual(['a', 'b', 'c']);
  });
});
