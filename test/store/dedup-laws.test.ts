import fc from 'fast-check';
import { collapseDeletions } from '../../src/store/collapse-deletions.js';
import type { Delta } from '../../src/store/delta.js';
import { emptySnapshot } from '../../src/store/indexed-snapshot.js';
import { keepLatest } from '../../src/store/keep-latest.js';
import { reduce } from '../../src/store/reduce.js';

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

/** What an API server says while `steps` happen: the history of a key is written, deleted, written as another object, and so on. */
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

const laws = [
  ['client-go', collapseDeletions],
  ['latest', keepLatest],
] as const;

describe.each(laws)('dedupDeltas(%s), for any history and any place to cut it', (_mode, dedup) => {
  const anyCut = fc.tuple(steps, fc.nat(40), fc.nat(40));

  it('leaves the same content in the store', () => {
    fc.assert(
      fc.property(anyCut, ([all, from, length]) => {
        const deltas = history(all);
        const before = reduce(emptySnapshot<Thing>(), deltas.slice(0, from)).snapshot;
        const batch = deltas.slice(from, from + length);
        expect(reduce(before, dedup(batch)).snapshot.list()).toEqual(reduce(before, batch).snapshot.list());
      }),
    );
  });

  it('drops deltas only: never makes, changes or moves one', () => {
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
