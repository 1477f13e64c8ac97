import { expectTypeOf } from 'expect-type';
import { toDeltas } from 'rx-informers';
import { partitionedKey, type WatchEvent, type Delta } from 'rx-informers/store';
import { informerTest } from 'rx-informers/testing';
import { of, Subject, type Observable } from 'rxjs';
import { unexpectedSourceError } from '../../src/sources/model/errors.js';
import { aPod, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';

const a = aPod({ name: 'a', namespace: 'web' });
const b = aPod({ name: 'b', namespace: 'web' });
const nameless = { metadata: { namespace: 'web' } } as unknown as Pod;
const watching: WatchEvent<Pod> = { type: 'STATUS', status: { state: 'watching', since: 0, resourceVersion: '1' } };

function deltasOf(batch: WatchEvent<Pod> | readonly WatchEvent<Pod>[], options = {}): readonly Delta<Pod>[][] {
  const batches: Delta<Pod>[][] = [];
  of(batch)
    .pipe(toDeltas<Pod>(options))
    .subscribe((deltas) => batches.push([...deltas]));
  return batches;
}

function fail(): never {
  throw new Error('not now');
}

describe('toDeltas', () => {
  it('turns a batch into a batch, and a single event into a batch of one', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const x: readonly WatchEvent<Pod>[] = [
        { type: 'ADDED', object: a },
        { type: 'MODIFIED', object: b },
      ];
      const y: WatchEvent<Pod> = { type: 'DELETED', object: a };
      const events = hot<WatchEvent<Pod> | readonly WatchEvent<Pod>[]>('-x-y-|', { x, y });
      const expected = '                                                -p-q-|';
      expectObservable(events.pipe(toDeltas())).toBe(expected, {
        p: [
          { type: 'Added', key: 'web/a', object: a },
          { type: 'Updated', key: 'web/b', object: b },
        ],
        q: [{ type: 'Deleted', key: 'web/a', object: a, finalStateUnknown: false }],
      });
      expectSubscriptions(events.subscriptions).toBe('^----!');
    });
  });

  it('D3, Q12: turns a list into one ReplacedAll, so it stays atomic', () => {
    expect(deltasOf({ type: 'LISTED', items: [a, b], resourceVersion: '7' })).toEqual([
      [
        {
          type: 'ReplacedAll',
          resourceVersion: '7',
          items: [
            { key: 'web/a', object: a },
            { key: 'web/b', object: b },
          ],
        },
      ],
    ]);
  });

  it('turns an empty list into an empty ReplacedAll, because that is news too', () => {
    expect(deltasOf({ type: 'LISTED', items: [], resourceVersion: '7' })).toEqual([
      [{ type: 'ReplacedAll', items: [], resourceVersion: '7' }],
    ]);
  });

  it('S2: keeps the last of two list items with one key', () => {
    const newer = aPod({ name: 'a', namespace: 'web', version: 2 });
    expect(deltasOf({ type: 'LISTED', items: [a, b, newer], resourceVersion: '7' })[0]).toMatchObject([
      { items: [{ key: 'web/a', object: newer }, { key: 'web/b' }] },
    ]);
  });

  it('G7: names the objects that exist but are missing from the list, so they are not treated as deleted', () => {
    const event: WatchEvent<Pod> = {
      type: 'LISTED',
      items: [a],
      missing: ['web/b', 'worker-1'],
      resourceVersion: '7',
      partition: 'east',
    };
    expect(deltasOf(event)).toMatchObject([[{ type: 'ReplacedAll', missing: ['web/b', 'worker-1'] }]]);
    expect(deltasOf(event, { keyOf: partitionedKey() })).toMatchObject([
      [{ type: 'ReplacedAll', missing: ['web/b', 'worker-1'] }],
    ]);
  });

  it('G7: treats an item whose key function throws as missing, not as deleted', () => {
    const keyOf = ({ metadata }: Pod): string => {
      if (metadata.name === 'b') throw new Error('no key for this one');
      return metadata.name;
    };
    expect(deltasOf({ type: 'LISTED', items: [a, b], resourceVersion: '7' }, { keyOf })).toMatchObject([
      [
        { type: 'ReplacedAll', items: [{ key: 'a' }], missing: ['web/b'] },
        { type: 'Failed', error: { code: 'RXI_KEY' } },
      ],
    ]);
  });

  it('G4: handles a list of 200,000 items without a key', () => {
    const items = Array.from({ length: 200_000 }, () => a);
    const keyOf = (): string => '';
    const { stackTraceLimit } = Error;
    // Stack traces are most of what so many errors cost.
    Error.stackTraceLimit = 0;
    const [deltas] = deltasOf({ type: 'LISTED', items, resourceVersion: '7' }, { keyOf });
    Error.stackTraceLimit = stackTraceLimit;
    expect(deltas?.length).toBe(200_001);
  });

  it.each([
    ['an object without a prototype', Object.create(null)],
    ['a symbol', Symbol('thrown')],
    ['an object whose toString throws', { toString: () => fail() }],
    ['an object whose message throws', Object.defineProperty({}, 'message', { get: () => fail() })],
    ['an array nested 100,000 levels deep', JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))],
    ['undefined', undefined],
  ])('G4: reports a key function that throws %s, and keeps the other objects', (_, thrown: unknown) => {
    const keyOf = (pod: Pod): string => {
      if (pod === b) throw thrown;
      return pod.metadata.name;
    };
    const [deltas] = deltasOf(
      [
        { type: 'ADDED', object: b },
        { type: 'ADDED', object: a },
      ],
      { keyOf },
    );
    expect(deltas?.map(({ type }) => type)).toEqual(['Failed', 'Added']);
    expect(deltas?.[0]).toHaveProperty('error.message', expect.stringContaining('cannot compute the key of web/b: '));
  });

  it('G4: reports an object that throws while it is read, and keeps the other objects', () => {
    const unreadable = Object.defineProperties({}, { kind: { get: fail }, metadata: { get: fail } }) as Pod;
    const [deltas] = deltasOf({ type: 'LISTED', items: [unreadable, a], resourceVersion: '7' });
    expect(deltas).toMatchObject([{ items: [{ key: 'web/a' }] }, { error: { code: 'RXI_KEY', object: unreadable } }]);
  });

  it('Q12: keeps the position of a bookmark', () => {
    expect(
      deltasOf([
        { type: 'BOOKMARK', resourceVersion: '5' },
        { type: 'ADDED', object: a },
      ])[0]?.map(({ type }) => type),
    ).toEqual(['Bookmark', 'Added']);
  });

  it('G4: passes an error of the source on as Failed', () => {
    const error = unexpectedSourceError('boom');
    expect(deltasOf({ type: 'ERROR', error })).toEqual([[{ type: 'Failed', error }]]);
  });

  it('drops statuses of the source, and emits no batch that becomes empty', () => {
    expect(deltasOf([watching])).toEqual([]);
    expect(deltasOf([])).toEqual([]);
    expect(deltasOf([watching, { type: 'ADDED', object: a }])).toEqual([[{ type: 'Added', key: 'web/a', object: a }]]);
  });

  it('keeps partitions, and passes them to the key function', () => {
    const partition = 'east';
    const batch: readonly WatchEvent<Pod>[] = [
      { type: 'ADDED', object: a, partition },
      { type: 'DELETED', object: a, partition },
      { type: 'LISTED', items: [b], resourceVersion: '7', partition },
      { type: 'BOOKMARK', resourceVersion: '8', partition },
    ];
    expect(deltasOf(batch, { keyOf: partitionedKey() })).toEqual([
      [
        { type: 'Added', key: 'east:web/a', object: a, partition },
        { type: 'Deleted', key: 'east:web/a', object: a, finalStateUnknown: false, partition },
        { type: 'ReplacedAll', items: [{ key: 'east:web/b', object: b }], resourceVersion: '7', partition },
        { type: 'Bookmark', resourceVersion: '8', partition },
      ],
    ]);
  });

  it.each(['ADDED', 'MODIFIED', 'DELETED'] as const)(
    'K3, G4: reports a %s object without a name, and continues with the others',
    (type) => {
      const [deltas] = deltasOf([
        { type, object: nameless },
        { type: 'ADDED', object: a },
      ]);
      expect(deltas).toEqual([
        { type: 'Failed', error: errorWith('RXI_KEY') },
        { type: 'Added', key: 'web/a', object: a },
      ]);
      expect(deltas?.[0]).toMatchObject({ error: { object: nameless, cause: errorWith('RXI_INVALID_OBJECT') } });
    },
  );

  it('K3, G4: reports a list item without a name, and keeps the other items', () => {
    expect(deltasOf({ type: 'LISTED', items: [nameless, a, nameless], resourceVersion: '7' })).toEqual([
      [
        { type: 'ReplacedAll', items: [{ key: 'web/a', object: a }], resourceVersion: '7' },
        { type: 'Failed', error: errorWith('RXI_KEY') },
        { type: 'Failed', error: errorWith('RXI_KEY') },
      ],
    ]);
  });

  it('K3: keeps the cause of a key function that throws', () => {
    const cause = new RangeError('no');
    const keyOf = (): string => {
      throw cause;
    };
    expect(deltasOf({ type: 'ADDED', object: a }, { keyOf })).toMatchObject([[{ type: 'Failed', error: { cause } }]]);
  });

  it.each([undefined, null, 7, '', {}])('reports a key function that returns %p', (key) => {
    const [deltas] = deltasOf({ type: 'ADDED', object: a }, { keyOf: () => key });
    expect(deltas).toMatchObject([{ type: 'Failed', error: { code: 'RXI_KEY', cause: expect.any(TypeError) } }]);
  });

  it('K3, K4: every deletion contains its key, so a consumer need not read the tombstone', () => {
    const [deltas] = deltasOf({ type: 'DELETED', object: a });
    expect(deltas).toMatchObject([{ type: 'Deleted', key: 'web/a', finalStateUnknown: false }]);
    expectTypeOf<Extract<Delta<Pod>, { type: 'Deleted' }>>().toHaveProperty('key').toEqualTypeOf<string>();
  });

  it('keeps the type of the objects in a pipe', () => {
    const events$: Observable<readonly WatchEvent<Pod>[]> = of([]);
    expectTypeOf(events$.pipe(toDeltas())).toEqualTypeOf<Observable<readonly Delta<Pod>[]>>();
    expectTypeOf(events$.pipe(toDeltas({ keyOf: (pod) => pod.metadata.name }))).toEqualTypeOf<
      Observable<readonly Delta<Pod>[]>
    >();
  });

  it('emits nothing for a source that completes at once', () => {
    informerTest(({ cold, expectObservable }) => {
      expectObservable(cold<WatchEvent<Pod>>('|').pipe(toDeltas())).toBe('|');
    });
  });

  it('passes an error on', () => {
    informerTest(({ cold, expectObservable }) => {
      expectObservable(cold<WatchEvent<Pod>>('--#').pipe(toDeltas())).toBe('--#');
    });
  });

  it('unsubscribes from its source when its subscriber unsubscribes', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const events = hot<WatchEvent<Pod>>('-x-x-x', { x: { type: 'BOOKMARK', resourceVersion: '5' } });
      const p = [{ type: 'Bookmark', resourceVersion: '5' }];
      expectObservable(events.pipe(toDeltas()), '^--!').toBe('-p', { p });
      expectSubscriptions(events.subscriptions).toBe('   ^--!');
    });
  });

  it('keeps the order if a subscriber makes the source emit during an emission', () => {
    const events = new Subject<WatchEvent<Pod>>();
    const types: string[] = [];
    events.pipe(toDeltas()).subscribe(([delta]) => {
      types.push(delta?.type ?? 'none');
      if (delta?.type === 'Added') events.next({ type: 'DELETED', object: a });
    });
    events.next({ type: 'ADDED', object: a });
    expect(types).toEqual(['Added', 'Deleted']);
  });
});
