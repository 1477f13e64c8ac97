import { dedupDeltas } from 'rx-informers';
import { type DedupMode, type Delta, latestOnly } from 'rx-informers/store';
import { informerTest } from 'rx-informers/testing';
import { of, Subject } from 'rxjs';
import { unexpectedSourceError } from '../../src/sources/model/errors.js';
import { aPod, type Pod } from '../fixtures/pods.js';

type Batch = readonly Delta<Pod>[];

const first = aPod({ uid: 'u1', version: 1 });
const second = aPod({ uid: 'u1', version: 2 });
const reborn = aPod({ uid: 'u2', version: 3 });
const other = aPod({ name: 'b' });

const inKey = (key: string, object: Pod): { key: string; object: Pod } => ({ key, object });
const add = (object: Pod): Delta<Pod> => ({ type: 'Added', ...inKey(object.metadata.name, object) });
const update = (object: Pod): Delta<Pod> => ({ type: 'Updated', ...inKey(object.metadata.name, object) });
const remove = (object: Pod): Delta<Pod> => ({
  ...inKey(object.metadata.name, object),
  type: 'Deleted',
  finalStateUnknown: false,
});
const tombstone = (object: Pod): Delta<Pod> => ({
  ...inKey(object.metadata.name, object),
  type: 'Deleted',
  finalStateUnknown: true,
});
const list = (...objects: Pod[]): Delta<Pod> => ({
  type: 'ReplacedAll',
  items: objects.map((object) => inKey(object.metadata.name, object)),
  resourceVersion: '9',
});
const sync: Delta<Pod> = { type: 'Sync', key: 'a' };
const bookmark = (resourceVersion: string): Delta<Pod> => ({ type: 'Bookmark', resourceVersion });
const failed: Delta<Pod> = { type: 'Failed', error: unexpectedSourceError('boom') };
const inPartition = (partition: string, delta: Delta<Pod>): Delta<Pod> => ({ ...delta, partition }) as Delta<Pod>;

function dedup(mode: DedupMode | undefined, batch: Batch): Batch {
  let result: Batch = [];
  of(batch)
    .pipe(dedupDeltas(mode))
    .subscribe((deltas) => (result = deltas));
  return result;
}

/** [what, in, out]; without `out`, the same batch must be emitted. */
type Row = readonly [name: string, batch: Batch, kept?: Batch];

const complete = ([name, batch, kept = batch]: Row): [string, Batch, Batch] => [name, batch, kept];

describe('dedupDeltas', () => {
  const real = remove(second);
  const inferred = tombstone(first);
  const newerInferred = tombstone(second);

  describe('client-go', () => {
    const rows: readonly Row[] = [
      ['keeps the newer deletion where the older one was inferred', [inferred, real], [real]],
      ['keeps the older deletion where its final state is known', [real, inferred], [real]],
      ['keeps the newer of two inferred deletions', [inferred, newerInferred], [newerInferred]],
      ['keeps the older of two seen deletions', [real, remove(first)], [real]],
      ['collapses three in a row to the most telling', [inferred, real, newerInferred], [real]],
      ['remembers what it kept, not what it dropped', [real, inferred, remove(first)], [real]],
      ['looks past the deltas of other keys', [inferred, add(other), real], [add(other), real]],
      ['keeps the place of what it keeps', [real, add(other), inferred], [real, add(other)]],
      ['collapses each key on its own', [real, remove(other), inferred, remove(other)], [real, remove(other)]],
      ['never collapses additions and updates', [add(first), update(second), update(second)]],
      ['never collapses a deletion and what follows it (#83810)', [real, add(reborn)]],
      ['never collapses a deletion and a resync (#83810)', [real, sync]],
      ['never collapses deletions with a creation between them', [real, add(first), remove(first)]],
      ['never collapses deletions with a resync between them', [real, sync, inferred]],
      ['never collapses across a list', [real, list(first), remove(second)]],
      ['never collapses deletions of two incarnations ▲', [remove(first), remove(reborn)]],
      ['never collapses deletions of two partitions', [inPartition('east', inferred), inPartition('west', real)]],
      ['never collapses bookmarks, lists and failures', [bookmark('1'), bookmark('2'), list(), list(), failed, failed]],
    ];
    it.each(rows.map(complete))("Q6: client-go's deduplication: %s", (_name, batch, kept) => {
      const result = dedup('client-go', batch);
      expect(result).toEqual(kept);
      expect(result === batch).toBe(kept === batch);
    });

    it('is the default of dedup', () => {
      expect(dedup(undefined, [add(first), inferred, real])).toEqual([add(first), real]);
    });

    it('reduces one delta object that is listed twice to one', () => {
      expect(dedup('client-go', [real, real])).toEqual([real]);
    });
  });

  describe('latest', () => {
    const missingA: Delta<Pod> = { type: 'ReplacedAll', items: [], missing: ['a'], resourceVersion: '9' };
    const rows: readonly Row[] = [
      ['keeps the last of several versions', [add(first), update(second)], [update(second)]],
      ['keeps an object and its deletion', [add(first), remove(second)]],
      ['keeps an object whose predecessor is deleted late', [add(reborn), remove(first)]],
      ['keeps an earlier list where a later one misses an object', [list(first), missingA]],
      ['keeps the most telling of repeated deletions', [inferred, real, newerInferred], [real]],
      ['takes a deletion back where the same object returns', [remove(first), add(second)], [add(second)]],
      ['keeps deletion and addition of another incarnation', [remove(first), add(reborn)]],
      [
        'keeps the deletion and the last version of another incarnation',
        [update(first), remove(second), add(reborn), update(reborn)],
        [remove(second), update(reborn)],
      ],
      [
        'keeps the place of the last delta, so that versions stay in order',
        [add(first), add(other), update(second)],
        [add(other), update(second)],
      ],
      [
        'drops everything before a list',
        [add(first), remove(other), bookmark('1'), list(), list(first)],
        [list(first)],
      ],
      ['keeps what comes after a list', [list(first), remove(second)]],
      [
        'keeps a deletion after a list, even of what was deleted before it',
        [real, list(first), remove(second)],
        [list(first), remove(second)],
      ],
      ['keeps everything before a list that misses an object', [update(second), add(other), missingA]],
      [
        'a list of one partition leaves the others alone',
        [inPartition('east', add(first)), inPartition('west', add(other)), inPartition('west', list())],
        [inPartition('east', add(first)), inPartition('west', list())],
      ],
      [
        'a list without a partition is about all of them',
        [inPartition('east', add(first)), inPartition('east', list()), inPartition('east', bookmark('1')), list()],
        [list()],
      ],
      ['keeps one key apart in two partitions', [inPartition('east', add(first)), inPartition('west', add(second))]],
      ['keeps the last bookmark', [bookmark('1'), add(first), bookmark('2')], [add(first), bookmark('2')]],
      [
        'keeps the last bookmark of each partition',
        [inPartition('east', bookmark('1')), inPartition('west', bookmark('2'))],
      ],
      [
        'G4: keeps every failure in its place',
        [failed, add(first), failed, list(), failed],
        [failed, failed, list(), failed],
      ],
      ['keeps resyncs', [sync, add(first), sync]],
      ['passes an empty batch', []],
    ];
    it.each(rows.map(complete))('dedup: latestOnly keeps the last delta: %s', (_name, batch, kept) => {
      const result = dedup(latestOnly, batch);
      expect(result).toEqual(kept);
      expect(result === batch).toBe(kept === batch);
    });
  });

  describe.each([
    ['client-go', 'client-go'],
    ['latestOnly', latestOnly],
  ] as const)('as an operator (%s)', (_name, mode) => {
    const batch: Batch = [inferred, real];

    it('deduplicates each batch separately, never across two', () => {
      informerTest(({ hot, expectObservable, expectSubscriptions }) => {
        const deltas = hot('-x-y-|', { x: batch, y: [inferred] });
        const expected = '  -p-q-|';
        expectObservable(deltas.pipe(dedupDeltas(mode))).toBe(expected, { p: [real], q: [inferred] });
        expectSubscriptions(deltas.subscriptions).toBe('^----!');
      });
    });

    it('completes with a source that emits nothing', () => {
      informerTest(({ cold, expectObservable }) => {
        expectObservable(cold<Batch>('--|').pipe(dedupDeltas(mode))).toBe('--|');
      });
    });

    it('passes an error on', () => {
      informerTest(({ cold, expectObservable }) => {
        expectObservable(cold<Batch>('-x#', { x: [] }).pipe(dedupDeltas(mode))).toBe('-x#', { x: [] });
      });
    });

    it('unsubscribes from its source when its subscriber unsubscribes', () => {
      informerTest(({ hot, expectObservable, expectSubscriptions }) => {
        const deltas = hot('-x-x-', { x: batch });
        expectObservable(deltas.pipe(dedupDeltas(mode)), '^-!').toBe('-p', { p: [real] });
        expectSubscriptions(deltas.subscriptions).toBe('           ^-!');
      });
    });

    it('keeps the order if a subscriber makes the source emit during an emission', () => {
      const deltas = new Subject<Batch>();
      const lengths: number[] = [];
      deltas.pipe(dedupDeltas(mode)).subscribe(({ length }) => {
        lengths.push(length);
        if (length === 1) deltas.next([]);
      });
      deltas.next(batch);
      expect(lengths).toEqual([1, 0]);
    });
  });
});
