import { createIndexer, informer, type Indexer } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey } from 'rx-informers/store';
import {
  aPod as aKubernetesPod,
  describeCollectionConformance,
  informerTest,
  virtualClock,
} from 'rx-informers/testing';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';
import { fedBy } from './support/conformance.js';
import { describeOracle, randomInput } from './support/oracle.js';
import { failsOn, randomPod, type Random } from './support/random.js';
import { expectSameWork } from './support/work.js';

const quiet = { linger: 0, onUnobservedError: () => undefined };

/** A pod with a number to order by, or a time. */
const at = (name: string, generation?: number): Pod => aPod({ name, ...(generation !== undefined && { generation }) });
const generationOf = (pod: Pod): number | undefined => pod.metadata.generation;

function indexerOf(...pods: readonly Pod[]): Indexer<Pod> {
  const indexer = createIndexer<Pod>(metaNamespaceKey, {}, { freeze: false });
  indexer.replace(pods);
  return indexer;
}

const manyPods = (size: number, generation: (number: number) => number): Pod[] =>
  Array.from({ length: size }, (_, number) => at(`pod-${number}`, generation(number)));

/** Collects what `changes$` emits after the state, as text. */
function changesOf(collection: Pick<Indexer<unknown>, 'changes$'>): string[] {
  const seen: string[] = [];
  collection.changes$.subscribe(({ reason, changes }) => {
    if (reason !== 'initial')
      seen.push(
        changes
          .map(({ type, key }) => `${type} ${key}`)
          .sort()
          .join(', '),
      );
  });
  return seen;
}

describe('limit', () => {
  it('keeps the newest objects: an added object replaces the oldest one', () => {
    const pod = (name: string, minute: number) =>
      aKubernetesPod({ name, labels: { minute: String(minute).padStart(2, '0') } });
    const objects = { a: pod('a', 1), b: pod('b', 2), c: pod('c', 3), d: pod('d', 0) };
    informerTest(objects, ({ source, expectObjects }) => {
      const pods = informer(source('L(ab)-A(c)-A(d)-D(c)-D(b)|'));
      const newest = derived.limit(pods, { by: ({ metadata }) => metadata.labels?.['minute'], count: 2 });
      expectObjects(newest.list$()).toBe('(ab)--(bc)------(ab)-(ad)|');
    });
  });

  it('keeps the oldest objects on request: an added object replaces the newest one', () => {
    const pods = indexerOf(at('a', 3), at('b', 5), at('c', 4));
    const oldest = derived.limit(pods, { by: generationOf, count: 2, order: 'least' }, quiet);
    const connection = oldest.connect();
    expect(oldest.keys()).toEqual(['a', 'c']);
    pods.add(at('d', 1));
    expect(oldest.keys()).toEqual(['a', 'd']);
    pods.delete(at('d', 1));
    pods.add(at('0', 4));
    // Of equal values, the smaller key comes first.
    expect(oldest.keys()).toEqual(['0', 'a']);
    connection.unsubscribe();
  });

  it('refuses an order other than greatest and least', () => {
    const pods = indexerOf();
    expect(() => derived.limit(pods, { by: generationOf, count: 2, order: 'smallest' as 'least' })).toThrow(
      errorWith('RXI_INVALID_OPTION', { option: 'order', value: 'smallest' }),
    );
  });

  it('emits an update of a selected object, and nothing for an object that is not selected', () => {
    const pods = indexerOf(at('a', 1), at('b', 2), at('c', 3));
    const changes = changesOf(derived.limit(pods, { by: generationOf, count: 2 }, quiet));
    pods.update({ ...at('c', 3), status: 'ready' });
    pods.update({ ...at('a', 1), status: 'ready' });
    pods.update(at('c', 4));
    expect(changes).toEqual(['updated c', 'updated c']);
  });

  it('follows a value that changes: an object that is no longer among the first is replaced in one commit', () => {
    const pods = indexerOf(at('a', 1), at('b', 2), at('c', 3));
    const changes = changesOf(derived.limit(pods, { by: generationOf, count: 2 }, quiet));
    pods.update(at('c', 0));
    pods.update(at('a', 9));
    pods.replace([at('x', 1), at('y', 2), at('z', 3)]);
    expect(changes).toEqual(['added a, deleted c', 'updated a', 'added y, added z, deleted a, deleted b']);
  });

  it('selects all objects if there are fewer, none for 0, and no objects without a value', () => {
    const pods = indexerOf(at('a', 1), at('b'), at('c', 3));
    const keys = (count: number): readonly string[] => {
      const shown = derived.limit(pods, { by: generationOf, count }, quiet);
      shown.connect();
      return shown.keys();
    };
    expect([keys(0), keys(1), keys(2), keys(7)]).toEqual([[], ['c'], ['a', 'c'], ['a', 'c']]);
  });

  it.each([-1, 1.5, NaN, Infinity])('refuses %s objects', (count) => {
    expect(() => derived.limit(indexerOf(), { by: generationOf, count })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });

  it.each([
    ['NaN', NaN],
    ['a Date', new Date(0)],
    ['null', null],
    ['true', true],
  ])('J6: reports a value that is %s, with the key, and leaves the object out', (_what, value) => {
    const pods = indexerOf(at('a', 1), at('b', 2));
    const by = (pod: Pod): number | undefined => (pod.status === 'wrong' ? (value as never) : generationOf(pod));
    const shown = derived.limit(pods, { by, count: 1 }, { ...quiet, name: 'newest' });
    const errors: string[] = [];
    shown.errors$.subscribe((error) => errors.push(error.message));
    shown.connect();
    pods.update({ ...at('b', 2), status: 'wrong' });
    expect(shown.keys()).toEqual(['a']);
    expect(errors).toEqual([expect.stringContaining('newest: by failed for b, whose row is absent')]);
    pods.update(at('b', 2));
    expect(shown.keys()).toEqual(['b']);
  });

  it('J5: one change costs one call, regardless of the number of objects', () => {
    const cost = expectSameWork((size, { counted, options }) => {
      const pods = indexerOf(...manyPods(size, (number) => number));
      derived.limit(pods, { by: counted('by', generationOf), count: 10 }, options).connect();
      return () => {
        pods.delete(`pod-${size - 1}`);
        pods.update(at('pod-7', size));
        pods.update(at('pod-8', 8));
      };
    });
    expect(cost).toMatchObject({ by: 1 });
    expect(cost['reads']).toBeLessThan(30);
  });

  const ordered = (random: Random): Pod => {
    const pod = randomPod(random);
    return random.chance(0.1) ? pod : { ...pod, metadata: { ...pod.metadata, generation: random.nat(5) } };
  };
  const byGeneration = (pod: Pod): number | undefined => {
    failsOn(pod);
    return generationOf(pod);
  };

  describeOracle('limit', { pods: randomInput(ordered) }, ({ inputs: { pods }, options }) => ({
    collection: derived.limit(pods, { by: byGeneration, count: 2 }, { ...options, indexers: { node: byNode } }),
    expected: () => {
      const candidates = pods.list().filter((pod) => pod.status !== 'fails' && generationOf(pod) !== undefined);
      const rank = (pod: Pod): string => `${generationOf(pod)} ${pod.metadata.name}`;
      candidates.sort((a, b) => (rank(a) < rank(b) ? 1 : -1));
      return new Map(candidates.slice(0, 2).map((pod) => [pod.metadata.name, pod]));
    },
  }));

  describeOracle('limit to the least', { pods: randomInput(ordered) }, ({ inputs: { pods }, options }) => ({
    collection: derived.limit(
      pods,
      { by: byGeneration, count: 2, order: 'least' },
      { ...options, indexers: { node: byNode } },
    ),
    expected: () => {
      const candidates = pods.list().filter((pod) => pod.status !== 'fails' && generationOf(pod) !== undefined);
      const rank = (pod: Pod): string => `${generationOf(pod)} ${pod.metadata.name}`;
      candidates.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
      return new Map(candidates.slice(0, 2).map((pod) => [pod.metadata.name, pod]));
    },
  }));

  describeCollectionConformance(
    () => {
      const pods = createIndexer<Pod>(metaNamespaceKey, {}, quiet);
      const by = (pod: Pod): string => pod.metadata.name;
      const collection = derived.limit(pods, { by, count: 9 }, { ...quiet, indexers: { node: byNode } });
      return fedBy(pods, collection);
    },
    { name: 'limit' },
  );
});

describe('expireAfter', () => {
  it('keeps objects for a duration, starting at a time that the object contains', () => {
    const since = (name: string, second: number) => aKubernetesPod({ name, labels: { second: String(second) } });
    const objects = { a: since('a', 0), b: since('b', 4), B: since('b', 9) };
    informerTest(objects, ({ source, expectObjects, scheduler }) => {
      const pods = informer(source('L(ab)----M(B)'));
      const recent = derived.expireAfter(
        pods,
        { milliseconds: 8, since: ({ metadata }) => Number(metadata.labels?.['second']) },
        { scheduler },
      );
      expectObjects(recent.list$()).toBe('(ab)----bB-------()');
    });
  });

  it('J8: all objects that expire at one moment are one commit, by one timer', () => {
    const clock = virtualClock({ now: 1_000 });
    const pods = indexerOf(...manyPods(5_000, (number) => 1_000 + (number % 2)));
    const recent = derived.expireAfter(
      pods,
      { milliseconds: 60_000, since: generationOf },
      { ...quiet, scheduler: clock },
    );
    const sizes: number[] = [];
    recent.snapshot$.subscribe(({ size }) => sizes.push(size));
    expect([clock.timers, sizes]).toEqual([1, [5_000]]);
    clock.advance(59_999);
    expect(sizes).toEqual([5_000]);
    clock.advance(2);
    expect([clock.timers, sizes]).toEqual([0, [5_000, 2_500, 0]]);
  });

  it('never contains an object that has already expired when it arrives', () => {
    const clock = virtualClock({ now: 1_000 });
    const recent = derived.expireAfter(
      indexerOf(at('a', 899), at('b', 900), at('c', 901)),
      { milliseconds: 100, since: generationOf },
      { ...quiet, scheduler: clock },
    );
    recent.connect();
    expect([recent.keys(), clock.timers]).toEqual([['c'], 1]);
  });

  it('an update may extend the time, end it, or bring an object back', () => {
    const clock = virtualClock();
    const pods = indexerOf(at('a', 0));
    const recent = derived.expireAfter(
      pods,
      { milliseconds: 100, since: generationOf },
      { ...quiet, scheduler: clock },
    );
    const changes = changesOf(recent);
    clock.advance(50);
    pods.update(at('a', 50));
    clock.advance(99);
    pods.update(at('a', 49));
    pods.update(at('a', 149));
    clock.advance(100);
    expect(changes).toEqual(['updated a', 'deleted a', 'added a', 'deleted a']);
  });

  it('reads Kubernetes timestamps and Dates, and by default the creationTimestamp', () => {
    const clock = virtualClock({ now: Date.parse('2026-01-01T00:00:30Z') });
    const created = aKubernetesPod({ name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' } as never);
    const pods = createIndexer<typeof created>(metaNamespaceKey, {});
    pods.replace([{ ...created, metadata: { ...created.metadata, creationTimestamp: '2026-01-01T00:00:00Z' } }]);
    const keep = (since?: () => string | Date | undefined): derived.DerivedCollection<unknown> => {
      const kept = derived.expireAfter(pods, { milliseconds: 60_000, since }, { ...quiet, scheduler: clock });
      kept.connect();
      return kept;
    };
    const kept = [
      keep(),
      keep(() => '2026-01-01T00:00:20.500000Z'),
      keep(() => new Date('2026-01-01T00:01:00Z')),
      keep(() => undefined),
    ];
    const sizes = (): number[] => kept.map(({ snapshot }) => snapshot.size);
    expect(sizes()).toEqual([1, 1, 1, 1]);
    clock.advance(30_000);
    expect(sizes()).toEqual([0, 1, 1, 1]);
    clock.advance(20_500);
    expect(sizes()).toEqual([0, 0, 1, 1]);
    clock.advance(3_600_000);
    expect([sizes(), clock.timers]).toEqual([[0, 0, 0, 1], 0]);
  });

  it.each([
    ['a text that is not a time', 'yesterday'],
    ['NaN', NaN],
    ['an invalid Date', new Date('yesterday')],
    ['null', null],
    ['an object', {}],
  ])('J6: reports %s, with the key, and leaves the object out', (_what, nonsense) => {
    const clock = virtualClock();
    const recent = derived.expireAfter(
      indexerOf(at('a', 0), at('b')),
      { milliseconds: 100, since: (pod) => generationOf(pod) ?? (nonsense as never) },
      { ...quiet, scheduler: clock, name: 'recent' },
    );
    const errors: string[] = [];
    recent.errors$.subscribe((error) => errors.push(error.message));
    recent.connect();
    expect(recent.keys()).toEqual(['a']);
    expect(errors).toEqual([
      expect.stringMatching(/^recent: since failed for b, whose row is absent: .+ is not a time; return a Date/),
    ]);
  });

  it.each([-1, NaN])('refuses %s milliseconds', (milliseconds) => {
    expect(() => derived.expireAfter(indexerOf(), { milliseconds })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });

  it('J7: leaves no timer after the last subscriber has unsubscribed', () => {
    const clock = virtualClock();
    const recent = derived.expireAfter(
      indexerOf(at('a', 0)),
      { milliseconds: 100, since: generationOf },
      { ...quiet, scheduler: clock },
    );
    const connection = recent.connect();
    expect(clock.timers).toBe(1);
    connection.unsubscribe();
    expect(clock.timers).toBe(0);
  });

  it('J5: one change costs one call, regardless of the number of objects', () => {
    const cost = expectSameWork((size, { counted, options }) => {
      const pods = indexerOf(...manyPods(size, (number) => number));
      const since = counted('since', generationOf);
      derived.expireAfter(pods, { milliseconds: 1, since }, options).connect();
      return () => {
        pods.update(at('pod-7', 3));
      };
    });
    expect(cost).toMatchObject({ since: 1 });
  });

  const startedAt = (random: Random): Pod => {
    const pod = randomPod(random);
    if (random.chance(0.2)) return pod;
    return { ...pod, metadata: { ...pod.metadata, generation: 1_000_000 + random.nat(20) } };
  };
  const begin = (pod: Pod): number | undefined => {
    failsOn(pod);
    return generationOf(pod);
  };

  describeOracle('expireAfter', { pods: randomInput(startedAt) }, ({ inputs: { pods }, options, clock }) => ({
    collection: derived.expireAfter(
      pods,
      { milliseconds: 3, since: begin },
      { ...options, indexers: { node: byNode } },
    ),
    act: () => {
      clock.advance(1);
    },
    expected: () => {
      const kept = pods
        .list()
        .filter((pod) => pod.status !== 'fails' && (generationOf(pod) ?? Infinity) + 3 > clock.now());
      return new Map(kept.map((pod) => [pod.metadata.name, pod]));
    },
  }));

  describeCollectionConformance(
    () => {
      const pods = createIndexer<Pod>(metaNamespaceKey, {}, quiet);
      const collection = derived.expireAfter(pods, { milliseconds: 1 }, { ...quiet, indexers: { node: byNode } });
      return fedBy(pods, collection);
    },
    { name: 'expireAfter' },
  );
});
