import fc from 'fast-check';
import {
  type WatchEvent,
  type Delta,
  batchToDeltas,
  collapseDeletions,
  emptySnapshot,
  type IndexedSnapshot,
  keepLatest,
  reduceDeltas,
} from 'rx-informers/store';
import { withoutSuperseded } from '../../src/sources/wire/peek.js';

interface Thing {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
}

type Step =
  | { readonly kind: 'write' | 'delete' | 'forget' | 'repeat'; readonly key: number }
  | { readonly kind: 'list'; readonly partition: number }
  | { readonly kind: 'bookmark'; readonly partition: number };

const PARTITIONS = ['east', 'west'];
const KEYS = ['east/a', 'east/b', 'west/a', 'west/b'];

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constantFrom('write', 'delete', 'forget', 'repeat'), key: fc.nat(3) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('list', 'bookmark'), partition: fc.nat(1) }) },
  ),
  { maxLength: 40 },
);

/**
 * What an API server says while `steps` happen: the history of a key is written, deleted, written
 * as another object, and so on.
 */
function history(all: readonly Step[]): readonly Delta<Thing>[] {
  const alive = new Map<string, Thing>();
  const lastDeletion = new Map<string, Delta<Thing>>();
  return all.flatMap((step, position): readonly Delta<Thing>[] => {
    const resourceVersion = String(position + 1);
    if (step.kind === 'bookmark')
      return [{ type: 'Bookmark', resourceVersion, partition: PARTITIONS[step.partition] ?? '' }];
    if (step.kind === 'list') {
      const partition = PARTITIONS[step.partition] ?? '';
      const items = [...alive].filter(([key]) => key.startsWith(partition)).map(([key, object]) => ({ key, object }));
      lastDeletion.clear();
      return [{ type: 'ReplacedAll', items, resourceVersion, partition }];
    }
    const key = KEYS[step.key] ?? '';
    const partition = key.split('/')[0] ?? '';
    const known = alive.get(key);
    if (step.kind === 'write') {
      const object = { metadata: { name: key, uid: known?.metadata.uid ?? `u${resourceVersion}`, resourceVersion } };
      alive.set(key, object);
      lastDeletion.delete(key);
      return [{ type: known ? 'Updated' : 'Added', key, object, partition }];
    }
    if (step.kind === 'repeat') return [lastDeletion.get(key) ?? []].flat();
    if (!known) return [];
    alive.delete(key);
    const deletion: Delta<Thing> = {
      type: 'Deleted',
      key,
      object: known,
      finalStateUnknown: step.kind === 'forget',
      partition,
    };
    lastDeletion.set(key, deletion);
    return [deletion];
  });
}

/**
 * Anything at all, in any order: objects of several incarnations under one key, and lists that miss
 * objects.
 */
const stepsIn = (partitions: readonly (string | undefined)[]) => {
  const key = fc.constantFrom('a', 'b');
  const uid = fc.constantFrom('old', 'new', undefined);
  const partition = fc.constantFrom(...partitions);
  const change = fc.record({ kind: fc.constantFrom('Updated', 'Deleted', 'Tombstone'), key, uid, partition });
  const listed = fc.uniqueArray(fc.record({ key, uid }), { selector: (item) => item.key });
  const list = fc.record({ kind: fc.constant('List'), listed, missing: fc.subarray(['a', 'b']), partition });
  const rest = fc.record({ kind: fc.constantFrom('Bookmark', 'Sync'), key, partition });
  return fc.array(
    fc.oneof({ weight: 6, arbitrary: change }, { weight: 2, arbitrary: list }, { weight: 1, arbitrary: rest }),
    { maxLength: 8 },
  );
};

/** A source has partitions, or it has none. */
const anyDeltas = fc
  .constantFrom<readonly (string | undefined)[]>([undefined], PARTITIONS)
  .chain((partitions) => fc.tuple(stepsIn(partitions), stepsIn(partitions)));

type AnyStep = ReturnType<typeof stepsIn> extends fc.Arbitrary<readonly (infer Step)[]> ? Step : never;

/** Each object has a version of its own, counted from `first`. */
function deltasOf(all: readonly AnyStep[], first: number): readonly Delta<Maybe>[] {
  let version = first;
  const object = ({ key, uid }: { readonly key: string; readonly uid: string | undefined }): Maybe => ({
    metadata: { name: key, ...(uid !== undefined && { uid }), resourceVersion: String(version++) },
  });
  return all.map((step): Delta<Maybe> => {
    const partition = step.partition === undefined ? {} : { partition: step.partition };
    const resourceVersion = String(version++);
    switch (step.kind) {
      case 'List': {
        const items = step.listed.map((item) => ({ key: item.key, object: object(item) }));
        return { type: 'ReplacedAll', items, missing: step.missing, resourceVersion, ...partition };
      }
      case 'Updated':
        return { type: 'Updated', key: step.key, object: object(step), ...partition };
      case 'Deleted':
        return { type: 'Deleted', key: step.key, object: object(step), finalStateUnknown: false, ...partition };
      case 'Tombstone': {
        const last = step.uid === undefined ? undefined : object(step);
        return { type: 'Deleted', key: step.key, object: last, finalStateUnknown: true, ...partition };
      }
      case 'Sync':
        return { type: 'Sync', key: step.key };
      case 'Bookmark':
        return { type: 'Bookmark', resourceVersion, ...partition };
    }
  });
}

interface Maybe {
  readonly metadata: { readonly name: string; readonly uid?: string; readonly resourceVersion: string };
}

/** Returns the content of a store, and what remains of it if a partition leaves. */
function contentOf(snapshot: IndexedSnapshot<Maybe, never>): readonly unknown[] {
  const left = PARTITIONS.map((partition) => {
    const nothing: Delta<Maybe> = { type: 'ReplacedAll', items: [], resourceVersion: '', partition };
    return reduceDeltas(snapshot, [nothing]).snapshot;
  });
  return [snapshot, ...left].map((store) =>
    store.keys().map((key) => [key, store.get(key), store.entry(key)?.partition]),
  );
}

const laws = [
  ['client-go', collapseDeletions],
  ['latest', keepLatest],
] as const;

describe.each(laws)('dedupDeltas(%s), for any history split at any place', (_mode, dedup) => {
  const anyCut = fc.tuple(steps, fc.nat(40), fc.nat(40));

  it('results in the same content of the store', () => {
    fc.assert(
      fc.property(anyCut, ([all, from, length]) => {
        const deltas = history(all);
        const before = reduceDeltas(emptySnapshot<Thing>(), deltas.slice(0, from)).snapshot;
        const batch = deltas.slice(from, from + length);
        expect(reduceDeltas(before, dedup(batch)).snapshot.list()).toEqual(reduceDeltas(before, batch).snapshot.list());
      }),
    );
  });

  it('results in the same content of any store, for any deltas', () => {
    fc.assert(
      fc.property(anyDeltas, ([earlier, later]) => {
        const before = reduceDeltas(emptySnapshot<Maybe>(), deltasOf(earlier, 1)).snapshot;
        const batch = deltasOf(later, 1_000);
        expect(contentOf(reduceDeltas(before, dedup(batch)).snapshot)).toEqual(
          contentOf(reduceDeltas(before, batch).snapshot),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('keeps a list that frees a key for another partition', () => {
    const object: Maybe = { metadata: { name: 'a', uid: 'old', resourceVersion: '1' } };
    const stored: Delta<Maybe> = { type: 'Updated', key: 'a', object, partition: 'east' };
    const before = reduceDeltas(emptySnapshot<Maybe>(), [stored]).snapshot;
    const list = (partition: string, items: readonly { key: string; object: Maybe }[]): Delta<Maybe> => ({
      type: 'ReplacedAll',
      items,
      resourceVersion: '2',
      partition,
    });
    const batch = [list('east', []), list('west', [{ key: 'a', object }]), list('east', [])];
    expect(contentOf(reduceDeltas(before, dedup(batch)).snapshot)).toEqual([
      [['a', object, 'west']],
      [['a', object, 'west']],
      [],
    ]);
  });

  it('drops nothing the second time, for any deltas', () => {
    fc.assert(
      fc.property(anyDeltas, ([all]) => {
        const once = dedup(deltasOf(all, 1));
        expect(dedup(once)).toBe(once);
      }),
      { numRuns: 150 },
    );
  });

  it('only drops deltas: never creates, modifies or moves one', () => {
    fc.assert(
      fc.property(anyCut, ([all, from, length]) => {
        const batch = history(all).slice(from, from + length);
        let position = -1;
        for (const delta of dedup(batch)) {
          position = batch.indexOf(delta, position + 1);
          expect(position).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  it('drops nothing the second time', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const once = dedup(history(all));
        expect(dedup(once)).toBe(once);
      }),
    );
  });
});

describe('the latest lines of one network read', () => {
  const change = fc.record({
    type: fc.constantFrom('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'),
    name: fc.constantFrom('a', 'b'),
    uid: fc.constantFrom('old', 'new', undefined),
  });

  it('result in the same content of any store as all lines, for any lines', () => {
    fc.assert(
      fc.property(anyDeltas, fc.array(change, { maxLength: 8 }), ([earlier], changes) => {
        const before = reduceDeltas(emptySnapshot<Maybe>(), deltasOf(earlier, 1)).snapshot;
        const lines = changes.map(({ type, name, uid }, place) => {
          const object = { metadata: { name, uid, resourceVersion: String(1_000 + place) } };
          return new TextEncoder().encode(JSON.stringify({ type, object }));
        });
        const content = (read: readonly Uint8Array[]): readonly unknown[] => {
          const events = read.map((line) => JSON.parse(new TextDecoder().decode(line)) as WatchEvent<Maybe>);
          const deltas = batchToDeltas(events, ({ metadata }) => metadata.name);
          return contentOf(reduceDeltas(before, keepLatest(deltas)).snapshot);
        };
        expect(content(withoutSuperseded(lines))).toEqual(content(lines));
      }),
      { numRuns: 300 },
    );
  });
});

describe('dedupDeltas(latest)', () => {
  it('leaves at most one upsert for each key', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const upserts = keepLatest(history(all)).flatMap((delta) =>
          delta.type === 'Added' || delta.type === 'Updated' ? [delta.key] : [],
        );
        expect(new Set(upserts).size).toBe(upserts.length);
      }),
    );
  });
});
