import fc from 'fast-check';
import type { Collection } from '../../../src/informer/collection.js';
import { aPod, type Pod } from './pod.js';
import { Replica } from './replica.js';
import { dataStreams } from './streams.js';
import { textOfAll, textOfChanges } from './text.js';
import { uncaughtErrorsOf } from './uncaught.js';

/** A collection, empty and not yet synced, with the means to change it: each call is one commit. */
export interface CollectionUnderTest {
  readonly collection: Collection<Pod, 'node'>;
  replace(pods: readonly Pod[]): void;
  upsert(pod: Pod): void;
  remove(pod: Pod): void;
}

const pod = (name: string, version: number, node = 'n1'): Pod =>
  aPod({ name, version, node, uid: `uid-${name}`, labels: { app: 'x' } });

/** What every kind of collection promises; run it on each. */
export function describeCollectionConformance(name: string, make: () => CollectionUnderTest): void {
  describe(`${name} is a Collection`, () => {
    it('starts empty and not synced, and says nothing before it is', () => {
      const { collection } = make();
      const seen: string[] = [];
      for (const [, open] of dataStreams) open(collection).subscribe((text) => seen.push(text));
      collection.synced$.subscribe(() => seen.push('synced'));
      expect([collection.hasSynced, collection.snapshot.size, collection.snapshot.version]).toEqual([false, 0, 0]);
      expect(seen).toEqual([]);
    });

    it('is synced by the first commit, even by one without an object', async () => {
      const { collection, replace } = make();
      const synced = collection.whenSynced();
      const seen: string[] = [];
      collection.synced$.subscribe({ next: () => seen.push('synced'), complete: () => seen.push('complete') });
      replace([]);
      replace([pod('a', 1)]);
      await synced;
      await collection.whenSynced();
      expect(collection.hasSynced).toBe(true);
      expect(seen).toEqual(['synced', 'complete']);
    });

    it.each(dataStreams)('%s: gives a subscriber before the data and one after it the same state', (_name, open) => {
      const { collection, replace, upsert } = make();
      const early: string[] = [];
      const late: string[] = [];
      open(collection).subscribe((text) => early.push(text));
      replace([pod('a', 1), pod('b', 1, 'n2')]);
      open(collection).subscribe((text) => late.push(text));
      expect(late).toEqual(early);
      upsert(pod('a', 2));
      upsert(pod('b', 2, 'n1'));
      expect(late).toEqual(early);
    });

    it.each(dataStreams)('%s: is silent for a subscriber that has left', (_name, open) => {
      const { collection, replace, upsert, remove } = make();
      const seen: string[] = [];
      const leaving = open(collection).subscribe((text) => seen.push(text));
      replace([pod('a', 1)]);
      leaving.unsubscribe();
      const before = seen.length;
      upsert(pod('a', 2));
      remove(pod('a', 3));
      replace([]);
      expect(seen).toHaveLength(before);
    });

    it.each(dataStreams)('%s: never lets a subscriber that throws keep anything from the others', (_name, open) => {
      const { collection, replace, upsert } = make();
      const calm: string[] = [];
      const undisturbed: string[] = [];
      open(collection).subscribe((text) => calm.push(text));
      const uncaught = uncaughtErrorsOf(() => {
        open(collection).subscribe(() => {
          throw new Error('mine alone');
        });
        open(collection).subscribe((text) => undisturbed.push(text));
        replace([pod('a', 1)]);
        upsert(pod('a', 2, 'n2'));
      });
      expect(uncaught.length).toBeGreaterThan(0);
      expect(undisturbed).toEqual(calm);
    });

    it('gives registrations that race with commits every event exactly once', () => {
      const { collection, replace, upsert, remove } = make();
      const replicas: Replica<Pod>[] = [];
      const register = (): void => {
        const replica = new Replica<Pod>();
        replicas.push(replica);
        collection.changes$.subscribe(replica.apply);
      };
      collection.changes$.subscribe(register);
      collection.list$().subscribe(register);
      collection.byIndex$('node', 'n1').subscribe(register);
      replace([pod('a', 1), pod('b', 1)]);
      upsert(pod('a', 2));
      remove(pod('b', 2));
      upsert(pod('c', 3));
      expect(replicas.flatMap(({ complaints }) => complaints)).toEqual([]);
      for (const replica of replicas) expect([...replica.held.values()]).toEqual(collection.snapshot.list());
      expect(replicas.length).toBeGreaterThan(9);
    });

    it('says what a replacement changed: deletions first, and nothing of what stayed', () => {
      const { collection, replace } = make();
      const seen: string[] = [];
      collection.changes$.subscribe((set) => seen.push(textOfChanges(set)));
      replace([pod('a', 1), pod('b', 1), pod('c', 1)]);
      replace([pod('b', 1), pod('c', 2), pod('d', 1)]);
      expect(seen).toEqual(['initial +a:1 +b:1 +c:1', 'relist †a:1 c:1→c:2 +d:1']);
    });

    it('keeps a version that somebody holds as it was', () => {
      const { collection, replace, upsert, remove } = make();
      replace([pod('a', 1), pod('b', 1)]);
      const held = collection.snapshot;
      upsert(pod('c', 1));
      remove(pod('a', 2));
      expect(textOfAll(held.list())).toBe('a:1 b:1');
      expect(textOfAll(held.byIndex('node', 'n1'))).toBe('a:1 b:1');
      expect(textOfAll(collection.snapshot.list())).toBe('b:1 c:1');
      expect(collection.snapshot.version).toBeGreaterThan(held.version);
    });

    it('gives no new version, and says nothing, where nothing changed', () => {
      const { collection, replace, upsert, remove } = make();
      const versions: number[] = [];
      const sets: string[] = [];
      collection.snapshot$.subscribe(({ version }) => versions.push(version));
      collection.changes$.subscribe((set) => sets.push(textOfChanges(set)));
      replace([pod('a', 1)]);
      upsert(pod('a', 1));
      remove(pod('z', 1));
      replace([pod('a', 1)]);
      expect([versions, sets]).toEqual([[1], ['initial +a:1']]);
    });

    it('agrees with a Map, whatever is done to it', () => {
      const name = fc.constantFrom('a', 'b', 'c');
      const node = fc.constantFrom('n1', 'n2');
      const operation = fc.oneof(
        fc.record({ type: fc.constant('upsert' as const), name, node }),
        fc.record({ type: fc.constant('remove' as const), name, node }),
        fc.record({ type: fc.constant('replace' as const), names: fc.uniqueArray(name), node }),
      );
      fc.assert(
        fc.property(fc.array(operation, { minLength: 1, maxLength: 15 }), (operations) => {
          const { collection, replace, upsert, remove } = make();
          const model = new Map<string, Pod>();
          const replica = new Replica<Pod>();
          let bucket: readonly Pod[] = [];
          let values: readonly string[] = [];
          collection.changes$.subscribe(replica.apply);
          collection.byIndex$('node', 'n1').subscribe((shown) => (bucket = shown));
          collection.indexValues$('node').subscribe((shown) => (values = shown));
          // A collection over several sources holds changes back until each of them has listed.
          replace([]);
          let version = 0;
          for (const each of operations) {
            version++;
            if (each.type === 'upsert') {
              const object = pod(each.name, version, each.node);
              model.set(each.name, object);
              upsert(object);
            } else if (each.type === 'remove') {
              model.delete(each.name);
              remove(pod(each.name, version, each.node));
            } else {
              const objects = each.names.map((one) => pod(one, version, each.node));
              model.clear();
              for (const object of objects) model.set(object.metadata.name, object);
              replace(objects);
            }
            const expected = [...model.keys()].sort().map((key) => model.get(key) as Pod);
            const inBucket = expected.filter(({ spec }) => spec.nodeName === 'n1');
            expect(collection.snapshot.list()).toEqual(expected);
            expect(collection.snapshot.byIndex('node', 'n1')).toEqual(inBucket);
            expect(bucket).toEqual(inBucket);
            expect(values).toEqual([...new Set(expected.map(({ spec }) => spec.nodeName))].sort());
            expect(Object.fromEntries(replica.held)).toEqual(Object.fromEntries(model));
          }
          expect(replica.complaints).toEqual([]);
        }),
      );
    });

    it('rejects whenSynced with the reason of its signal', async () => {
      const { collection } = make();
      const controller = new AbortController();
      const synced = collection.whenSynced({ signal: controller.signal });
      controller.abort(new Error('tired of waiting'));
      await expect(synced).rejects.toThrow('tired of waiting');
      await expect(collection.whenSynced({ signal: controller.signal })).rejects.toThrow('tired of waiting');
    });
  });
}
