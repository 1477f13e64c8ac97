import { createIndexer, type Indexer, type InformerError, addEventHandler } from 'rx-informers';
import { metaNamespaceKey } from 'rx-informers/store';
import { VirtualTimeScheduler } from 'rxjs';
import { a1, a2, aPod, b1, byNode, type Pod } from '../fixtures/pods.js';
import { textOfAll, textOfChanges } from '../informer/support/text.js';

const anIndexer = (): Indexer<Pod, 'node'> => createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode });
const nameless = { metadata: {}, spec: {} } as unknown as Pod;

function changesOf(indexer: Indexer<Pod, 'node'>): string[] {
  const seen: string[] = [];
  indexer.changes$.subscribe((set) => seen.push(textOfChanges(set)));
  return seen;
}

describe('createIndexer', () => {
  it('S1: add and update are the same upsert', () => {
    for (const upsert of ['add', 'update'] as const) {
      const indexer = anIndexer();
      const seen = changesOf(indexer);
      indexer[upsert](a1);
      indexer[upsert](a2);
      expect(seen).toEqual(['initial: added a@1', 'watch: updated a@1→a@2']);
    }
  });

  it('S1: deleting a missing object is no error and no change, by object or by key', () => {
    const indexer = anIndexer();
    indexer.replace([a1]);
    const seen = changesOf(indexer);
    indexer.delete(b1);
    indexer.delete('b');
    expect(seen).toEqual(['initial: added a@1']);
  });

  it('S1: a delete by object has that object as its final state, and a delete by key has the last known one', () => {
    const indexer = anIndexer();
    indexer.replace([a1, b1]);
    const seen = changesOf(indexer);
    indexer.delete(a2);
    indexer.delete('b');
    expect(seen.slice(1)).toEqual(['watch: deleted a@2', 'watch: tombstone b@1']);
  });

  it('S2: replace is one commit; of two objects with one key the last counts', () => {
    const indexer = anIndexer();
    indexer.add(b1);
    const seen = changesOf(indexer);
    indexer.replace([a1, a2], '7');
    expect(seen.slice(1)).toEqual(['relist: tombstone b@1, added a@2']);
    expect(indexer.snapshot.resourceVersion).toBe('7');
  });

  it('S2: a call with an object without a key throws, and the old content stays', () => {
    const indexer = anIndexer();
    indexer.replace([a1]);
    const before = indexer.snapshot;
    const calls: readonly (() => void)[] = [
      () => indexer.add(nameless),
      () => indexer.update(nameless),
      () => indexer.delete(nameless),
      () => indexer.replace([b1, nameless]),
    ];
    for (const call of calls) expect(call).toThrow(expect.objectContaining({ code: 'RXI_KEY', object: nameless }));
    expect(indexer.snapshot).toBe(before);
  });

  it.each([undefined, null, '', 7])('a key function that returns %p throws an RXI_KEY', (key) => {
    expect(() => createIndexer<Pod>(() => key as string).add(a1)).toThrow(expect.objectContaining({ code: 'RXI_KEY' }));
  });

  it('S7 ▲: an index function that throws leaves the object in the store, and its error is on errors$', () => {
    const indexer = createIndexer<Pod, 'node'>(metaNamespaceKey, {
      node: () => {
        throw new Error('no');
      },
    });
    const errors: InformerError[] = [];
    indexer.errors$.subscribe((error) => errors.push(error));
    indexer.add(a1);
    expect(indexer.list()).toEqual([a1]);
    expect(errors).toEqual([expect.objectContaining({ code: 'RXI_INDEX_FUNCTION', index: 'node', key: 'a' })]);
  });

  it('S13: apply is a transaction: many deltas, one commit, one round', () => {
    const indexer = anIndexer();
    indexer.replace([a1]);
    const seen = changesOf(indexer);
    const buckets: string[] = [];
    indexer.byIndex$('node', 'n2').subscribe((bucket) => buckets.push(textOfAll(bucket)));
    indexer.apply([
      { type: 'Deleted', key: 'a', object: a2, finalStateUnknown: false },
      { type: 'Added', key: 'b', object: b1 },
      { type: 'Added', key: 'c', object: aPod({ name: 'c', node: 'n2' }) },
    ]);
    expect(seen.slice(1)).toEqual(['watch: deleted a@2, added b@1, added c']);
    expect(buckets).toEqual(['nothing', 'b@1 c']);
  });

  it('an empty transaction does not count as synced, and creates no version', () => {
    const indexer = anIndexer();
    indexer.apply([]);
    expect([indexer.hasSynced, indexer.snapshot.version]).toEqual([false, 0]);
  });

  it('D4: resync emits every object again, and changes nothing', () => {
    const indexer = anIndexer();
    indexer.replace([a1, b1]);
    const before = indexer.snapshot;
    const seen = changesOf(indexer);
    const lists: string[] = [];
    const buckets: string[] = [];
    indexer.list$().subscribe((list) => lists.push(textOfAll(list)));
    indexer.byIndex$('node', 'n1').subscribe((bucket) => buckets.push(textOfAll(bucket)));
    indexer.resync();
    expect(seen.slice(1)).toEqual(['resync: updated a@1→a@1, updated b@1→b@1']);
    expect([lists, buckets]).toEqual([['a@1 b@1'], ['a@1']]);
    expect(indexer.snapshot.list()).toBe(before.list());
  });

  it('every read reflects a call when it returns, also inside a callback', () => {
    const indexer = anIndexer();
    const read: string[] = [];
    indexer.list$().subscribe((list) => {
      if (list.length === 1) {
        indexer.add(b1);
        read.push(textOfAll(indexer.list()), textOfAll(list));
      }
    });
    indexer.add(a1);
    expect(read).toEqual(['a@1 b@1', 'a@1']);
  });

  it('works with objects that are not Kubernetes objects', () => {
    const teams = createIndexer((service: { name: string; team: string }) => service.name, {
      team: ({ team }) => team,
    });
    teams.add({ name: 'login', team: 'red' });
    teams.add({ name: 'cart', team: 'red' });
    expect(teams.byIndex('team', 'red').map(({ name }) => name)).toEqual(['cart', 'login']);
  });

  it('S11 ▲: does not modify the given indexers, and later changes of them have no effect', () => {
    const input: Record<string, (pod: Pod) => string | undefined> = { node: byNode };
    const indexer = createIndexer<Pod, string>(metaNamespaceKey, input);
    indexer.addIndexers({ name: ({ metadata }) => metadata.name });
    input['late'] = byNode;
    expect(Object.keys(input)).toEqual(['node', 'late']);
    expect(Object.keys(indexer.indexers)).toEqual(['node', 'name']);
    expect(Object.isFrozen(indexer.indexers)).toBe(true);
  });

  it('resyncs its handlers on the given scheduler', () => {
    const scheduler = new VirtualTimeScheduler();
    const indexer = createIndexer<Pod>(metaNamespaceKey, {}, { scheduler });
    indexer.add(a1);
    const at: number[] = [];
    const registration = addEventHandler(indexer, { onUpdate: () => at.push(scheduler.now()) }, { resyncPeriod: 10 });
    scheduler.schedule(() => registration.unsubscribe(), 25);
    scheduler.flush();
    expect(at).toEqual([10, 20]);
  });

  it('freezes its objects, unless { freeze: false }', () => {
    const frozen = anIndexer();
    frozen.add(aPod());
    expect(Object.isFrozen(frozen.get('a')?.metadata)).toBe(true);
    const thawed = createIndexer<Pod>(metaNamespaceKey, {}, { freeze: false });
    thawed.add(aPod());
    expect(Object.isFrozen(thawed.get('a'))).toBe(false);
  });
});
