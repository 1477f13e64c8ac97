import { createIndexer, type Indexer } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey } from 'rx-informers/store';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';
import { jumpingScheduler } from '../support/wall-clock.js';
import { anOwned, storeOf, type Owned } from './support/owned.js';

const quiet = { onUnobservedError: () => undefined };

/** Returns the types of the changes that a collection emits after its first content. */
function changesOf(collection: Pick<Indexer<unknown>, 'changes$'>): readonly string[] {
  const seen: string[] = [];
  collection.changes$.subscribe(({ reason, changes }) => {
    if (reason !== 'initial') seen.push(...changes.map(({ type, key }) => `${type} ${key}`));
  });
  return seen;
}

/** Deletes an object and creates an equal one, in one commit. */
function recreate<T extends object>(store: Indexer<T>, key: string): void {
  const object = store.get(key) as T;
  store.apply([
    { type: 'Deleted', key, object, finalStateUnknown: false },
    { type: 'Added', key, object: structuredClone(object) },
  ]);
}

describe('J3: equal rows are no change', () => {
  it('of filter, limit, union and expireAfter, when an object is replaced by an equal one', () => {
    const pods = createIndexer<Pod>(metaNamespaceKey);
    pods.replace([aPod({ name: 'a' }), aPod({ name: 'b' })]);
    const seen = [
      derived.filter(pods, () => true),
      derived.limit(pods, { by: ({ metadata }) => metadata.name, count: 5 }),
      derived.union([pods]),
      derived.expireAfter(pods, { milliseconds: 1_000 }),
    ].map(changesOf);
    recreate(pods, 'a');
    expect(seen).toEqual([[], [], [], []]);
  });

  it('of ownerTree, when an object is replaced by an equal one', () => {
    const owned: Indexer<Owned> = storeOf(anOwned('a'), anOwned('b', ['a']));
    const seen = changesOf(derived.ownerTree({ owned }));
    recreate(owned, 'b');
    expect(seen).toEqual([]);
  });

  it('of groupBy, when another object takes the place of an equal one in topK', () => {
    const images = createIndexer<{ readonly id: string; readonly image: string }>(({ id }) => id);
    images.replace([
      { id: 'a', image: 'x' },
      { id: 'b', image: 'x' },
    ]);
    const rows = derived.map(images, ({ image }) => ({ image }));
    const seen = changesOf(derived.groupBy(rows, () => 'all', { top: derived.topK(1, ({ image }) => image) }));
    images.delete('b');
    expect(seen).toEqual([]);
    images.update({ id: 'a', image: 'y' });
    expect(seen).toEqual(['updated all']);
  });
});

it('expireAfter: an expired object does not return when the clock is set back, and its next state counts', () => {
  const scheduler = jumpingScheduler();
  const pods = createIndexer<Pod>(metaNamespaceKey, {}, { scheduler });
  const at = (generation: number, node: string): Pod => aPod({ name: 'a', generation, node });
  const since = ({ metadata }: Pod): number => metadata.generation ?? 0;
  pods.add(at(0, 'n1'));
  pods.add(aPod({ name: 'b', generation: 90_000 }));
  const recent = derived.expireAfter(pods, { milliseconds: 10_000, since });
  recent.connect();
  expect(recent.keys()).toEqual(['a', 'b']);
  scheduler.jump(20_000);
  pods.update(at(0, 'n2'));
  expect(recent.keys()).toEqual(['b']);
  scheduler.jump(-20_000);
  pods.update(at(0, 'n3'));
  expect(recent.keys()).toEqual(['b']);
  pods.update(at(5_000, 'n3'));
  expect(recent.keys()).toEqual(['a', 'b']);
  recent.stop();
});

describe('a name that the library uses itself', () => {
  it('is refused as an aggregate of groupBy and as an index of ownerTree', () => {
    const pods = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode });
    expect(() => derived.groupBy(pods, 'node', { group: derived.count() })).toThrow(errorWith('RXI_INVALID_OPTION'));
    expect(() => derived.ownerTree({ pods }, { indexers: { owner: () => 'mine' } })).toThrow(
      errorWith('RXI_INDEXER_CONFLICT'),
    );
  });

  it('J6: is an error of the row as a field of selectorJoin', () => {
    const pods = createIndexer<Pod>(metaNamespaceKey);
    pods.add(aPod());
    const selected = derived.selectorJoin(
      pods,
      pods,
      { selector: () => ({}), within: 'cluster', select: () => ({ selectedBy: ['mine'] }) },
      quiet,
    );
    const errors: string[] = [];
    selected.errors$.subscribe(({ message }) => errors.push(message));
    selected.connect();
    expect([selected.list(), errors]).toEqual([[], [expect.stringContaining('must not return the field selectedBy')]]);
  });
});
