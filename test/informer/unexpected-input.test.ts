import { createIndexer, informer, type Informer, type InformerError, type Source } from 'rx-informers';
import { type WatchEvent, watchEvent, latestOnly, type Dedup } from 'rx-informers/store';
import { defer, Subject } from 'rxjs';
import { a1, a2, aPod, b1, byNode, type Pod } from '../fixtures/pods.js';
import { busyScheduler } from './support/busy-scheduler.js';
import { uncaughtErrorsOf } from './support/uncaught.js';

const { listed, modified } = watchEvent;

type Batch = readonly WatchEvent<Pod>[];

interface Setting {
  readonly source: Subject<Batch>;
  readonly pods: Informer<Pod, 'node'>;
  readonly errors: InformerError[];
  readonly subscriptions: () => number;
  readonly scheduler: ReturnType<typeof busyScheduler>;
}

/**
 * An informer on a clock that does nothing by itself, connected to a source that counts its
 * subscriptions.
 */
function setting(options: { readonly freeze?: boolean; readonly dedup?: Dedup } = {}): Setting {
  const source = new Subject<Batch>();
  const scheduler = busyScheduler();
  let subscriptions = 0;
  const counted: Source<Pod> = defer(() => {
    subscriptions++;
    return source;
  });
  const pods = informer<Pod, 'node'>(counted, {
    indexers: { node: byNode },
    scheduler,
    relistBackoff: () => 10,
    ...options,
  });
  const errors: InformerError[] = [];
  pods.errors$.subscribe((error) => errors.push(error));
  pods.connect();
  return { source, pods, errors, subscriptions: () => subscriptions, scheduler };
}

/** A pod that throws when its uid is read. */
function unreadable(name: string): Pod {
  const pod = { metadata: { name }, spec: {} };
  Object.defineProperty(pod.metadata, 'uid', {
    enumerable: true,
    get: () => {
      throw Object.create(null);
    },
  });
  return pod;
}

const emitted: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['undefined', undefined],
  ['a string', 'ADDED'],
  ['an event of unknown type', { type: 'REPLACED', object: a1 }],
  ['an event without a type', {}],
  ['a change without an object', { type: 'MODIFIED' }],
  ['a list without items', { type: 'LISTED', resourceVersion: '1' }],
  ['a status without a status', { type: 'STATUS' }],
  ['an error without an error', { type: 'ERROR' }],
];

describe.each(emitted)('G4: a source that emits %s', (_what, event) => {
  it('loses no other event of the batch, is reported on errors$, and is listed again', () => {
    const { source, pods, errors, subscriptions, scheduler } = setting();
    source.next([listed([a1, b1], '1')]);
    const uncaught = uncaughtErrorsOf(() => {
      source.next([modified(a2), event as WatchEvent<Pod>, modified(aPod({ name: 'c' }))]);
    });
    expect(uncaught).toEqual([]);
    expect(pods.keys()).toEqual(['a', 'b', 'c']);
    expect(pods.get('a')).toEqual(a2);
    expect(errors).toEqual([expect.objectContaining({ code: 'RXI_INVALID_EVENT', event, expected: false })]);
    scheduler.runAll();
    expect(subscriptions()).toBe(2);
    pods.stop();
  });

  it('is handled the same for a single event without a batch', () => {
    const { source, pods, errors } = setting();
    source.next([listed([a1], '1')]);
    expect(uncaughtErrorsOf(() => source.next(event as Batch))).toEqual([]);
    source.next([modified(a2)]);
    expect([errors.length, pods.get('a')]).toEqual([1, a2]);
    pods.stop();
  });
});

describe.each([true, false])('G4: an object that throws when it is read (freeze: %p)', (freeze) => {
  it.each([
    ['client-go', undefined],
    ['latestOnly', latestOnly],
  ] as const)('does not prevent other objects of its batch from being stored (dedup: %s)', (_mode, dedup) => {
    const { source, pods, errors } = setting({ freeze, ...(dedup && { dedup }) });
    source.next([listed([a1, aPod({ name: 'b', uid: 'u' })], '1')]);
    source.next([modified(unreadable('b')), modified(a2), modified(unreadable('b'))]);
    expect([pods.get('a'), pods.has('b'), errors]).toEqual([a2, true, []]);
    source.next([{ type: 'DELETED', object: unreadable('b') }, modified(aPod({ name: 'c' }))]);
    expect([pods.keys(), errors]).toEqual([['a', 'c'], []]);
    pods.stop();
  });
});

describe('G4: a key or index function', () => {
  it.each([
    ['a value without a string form', Object.create(null)],
    ['undefined', undefined],
    ['a symbol', Symbol('s')],
  ])('that throws %s affects only its own object', (_what, thrown) => {
    const source = new Subject<Batch>();
    const fail = (pod: Pod, result: string): string => {
      if (pod.metadata.name === 'bad') throw thrown;
      return result;
    };
    const names: string[] = [];
    for (const options of [
      { keyOf: (pod: Pod) => fail(pod, pod.metadata.name) },
      { indexers: { any: (pod: Pod) => fail(pod, 'all') } },
    ]) {
      const pods = informer<Pod, 'any'>(source, options);
      pods.errors$.subscribe(({ name }) => names.push(name));
      pods.connect();
      source.next([listed([a1, aPod({ name: 'bad' }), b1], '1')]);
      expect([pods.has('a'), pods.has('b')]).toEqual([true, true]);
      pods.stop();
    }
    expect(names).toEqual(['RXI_KEY', 'RXI_INDEX_FUNCTION']);
  });

  it('that adds indexes to its own informer, or writes to its own indexer, fails with an error', () => {
    const { source, pods, errors } = setting();
    pods.addIndexers({
      bad: (): string => {
        pods.addIndexers({ more: () => 'x' });
        return 'x';
      },
    });
    source.next([listed([a1], '1')]);
    expect([errors.map(({ name }) => name), pods.keys()]).toEqual([['RXI_INDEX_FUNCTION'], ['a']]);
    pods.stop();

    const indexer = createIndexer((pod: Pod) => pod.metadata.name, {
      bad: (pod) => {
        if (pod.metadata.name === 'a') indexer.add(b1);
        return 'x';
      },
    });
    const names: string[] = [];
    indexer.errors$.subscribe(({ name }) => names.push(name));
    indexer.add(a1);
    expect([names, indexer.keys()]).toEqual([['RXI_INDEX_FUNCTION'], ['a']]);
  });
});

it('G4: an error in a slice of a long list is reported, and the old content stays', () => {
  const { source, pods, errors, subscriptions, scheduler } = setting();
  source.next([listed([a1], '1')]);
  const many = Array.from({ length: 20_000 }, (_, number) => aPod({ name: `p${number}`, uid: 'u', version: 1 }));
  Object.defineProperty(many, 19_999, {
    get: () => {
      throw new Error('not readable');
    },
  });
  source.next([listed(many, '2'), modified(a2)]);
  expect(errors).toEqual([]);
  scheduler.runAll();
  expect([pods.get('a'), errors.map(({ name }) => name), subscriptions()]).toEqual([a2, ['RXI_INVALID_EVENT'], 2]);
  pods.stop();
});

it.each(['type', 'object', 'items'])(
  'G4: an event whose %s throws when it is read does not affect the others',
  (name) => {
    const { source, pods, errors } = setting();
    const event = { type: name === 'items' ? 'LISTED' : 'MODIFIED', resourceVersion: '1' };
    let reads = 0;
    Object.defineProperty(event, name, {
      get: () => {
        // The first read succeeds, as with an array.
        if (name === 'items' && reads++ === 0) return [];
        throw new Error('not readable');
      },
    });
    source.next([listed([a1], '1')]);
    const uncaught = uncaughtErrorsOf(() => {
      source.next([modified(a2), event as unknown as WatchEvent<Pod>, modified(b1)]);
    });
    expect([uncaught, pods.keys(), pods.get('a')]).toEqual([[], ['a', 'b'], a2]);
    expect(errors).toEqual([expect.objectContaining({ code: 'RXI_INVALID_EVENT', event })]);
    pods.stop();
  },
);

it('G3: a subscriber that throws does not prevent others from receiving a commit', () => {
  const { source, pods } = setting();
  const seen: number[] = [];
  pods.list$().subscribe(() => {
    throw new Error('a bug of this subscriber');
  });
  pods.list$().subscribe((list) => seen.push(list.length));
  const uncaught = uncaughtErrorsOf(() => {
    source.next([listed([a1], '1')]);
    source.next([modified(b1)]);
  });
  expect(seen).toEqual([1, 2]);
  expect(uncaught[0]).toEqual(new Error('a bug of this subscriber'));
  pods.stop();
});
