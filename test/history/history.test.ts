import fc from 'fast-check';
import { createIndexer, informer, type ChangeSet, type Indexer } from 'rx-informers';
import { collectionHistory, type HistoryVersion } from 'rx-informers/history';
import { metaNamespaceKey, watchEvent, type WatchEvent } from 'rx-informers/store';
import { virtualClock, type VirtualClock } from 'rx-informers/testing';
import { defer, Subject, take, type Observable } from 'rxjs';
import { internalsOf } from '../../src/collections/log-collection.js';
import { randomOf, randomPod } from '../derived/support/random.js';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';

const podA = (version: number, status?: unknown): Pod => aPod({ name: 'a', uid: 'u', version, status });

function clockedPods(): { readonly clock: VirtualClock; readonly pods: Indexer<Pod, 'node'> } {
  const clock = virtualClock({ now: 1_000 });
  return { clock, pods: createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode }, { scheduler: clock }) };
}

const textOf = ({ reason, changes }: ChangeSet<Pod>): string => {
  const texts = changes.map((change) => {
    const version = `${change.key}@${change.object.metadata.resourceVersion}`;
    if (change.type !== 'updated') return `${change.type} ${version}`;
    return `updated ${change.key}@${change.previous.metadata.resourceVersion}→${version}`;
  });
  return `${reason}: ${texts.join(', ')}`;
};

describe('history', () => {
  it('has no version before the collection has synced, and then one', () => {
    const { pods } = clockedPods();
    const recorded = collectionHistory(pods);
    expect([recorded.versions, recorded.oldest, recorded.newest]).toEqual([[], undefined, undefined]);
    expect(recorded.at(1_000).list()).toEqual([]);
    expect(recorded.diff(0, 1_000).changes).toEqual([]);
    pods.replace([podA(1)]);
    expect(recorded.versions).toEqual([expect.objectContaining({ version: 1, time: 1_000, changes: 0 })]);
  });

  it('at returns the content of the collection at a time, with its indexes and its resourceVersion', () => {
    const { clock, pods } = clockedPods();
    pods.replace([aPod({ name: 'a', node: 'n1' })], '7');
    const recorded = collectionHistory(pods);
    clock.advance(1_000);
    pods.replace([aPod({ name: 'a', node: 'n2' }), aPod({ name: 'b', node: 'n1' })], '8');
    const before = recorded.at(1_999);
    expect([before.keys(), before.indexKeys('node', 'n1'), before.resourceVersion]).toEqual([['a'], ['a'], '7']);
    const after = recorded.at(new Date(2_000));
    expect([after.keys(), after.indexKeys('node', 'n1'), after.resourceVersion]).toEqual([['a', 'b'], ['b'], '8']);
    expect(after.get('b')).toBe(pods.get('b'));
  });

  it('at returns the oldest version for an earlier time', () => {
    const { pods } = clockedPods();
    pods.replace([podA(1)]);
    const recorded = collectionHistory(pods);
    expect(recorded.at(-1e9).keys()).toEqual(['a']);
    expect(recorded.at({ version: -5, time: 0, changes: 0 }).keys()).toEqual(['a']);
  });

  it('makes one version of the changes within 100 ms', () => {
    const { clock, pods } = clockedPods();
    pods.replace([]);
    const recorded = collectionHistory(pods);
    clock.advance(500);
    for (let version = 1; version <= 10; version++) {
      pods.update(podA(version));
      clock.advance(15);
    }
    expect(recorded.versions.map(({ time, changes }) => [time, changes])).toEqual([
      [1_000, 0],
      [1_500, 1],
      [1_605, 1],
    ]);
    expect(recorded.at(1_604).get('a')).toMatchObject(podA(7));
  });

  it('a version never changes once it was read', () => {
    const { pods } = clockedPods();
    pods.replace([podA(1)]);
    const recorded = collectionHistory(pods);
    const { newest } = recorded;
    pods.update(podA(2));
    expect(recorded.at(newest as HistoryVersion).get('a')).toMatchObject(podA(1));
    expect(recorded.at(1_000).get('a')).toMatchObject(podA(2));
  });

  it('diff returns the changes from one moment to another, in both directions', () => {
    const { clock, pods } = clockedPods();
    pods.replace([podA(1), aPod({ name: 'b', version: 1 }), aPod({ name: 'x', uid: 'u1', version: 1 })]);
    const recorded = collectionHistory(pods);
    clock.advance(1_000);
    pods.update(podA(2));
    pods.delete('b');
    clock.advance(1_000);
    pods.update(podA(3));
    pods.update(aPod({ name: 'c', version: 1 }));
    pods.update(aPod({ name: 'x', uid: 'u2', version: 2 }));
    pods.update(aPod({ name: 'brief', version: 1 }));
    pods.delete('brief');
    expect(textOf(recorded.diff(1_000, 3_000))).toBe(
      'watch: updated a@1→a@3, deleted b@1, added c@1, deleted x@1, added x@2',
    );
    expect(textOf(recorded.diff(3_000, 1_000))).toBe(
      'watch: updated a@3→a@1, added b@1, deleted c@1, deleted x@2, added x@1',
    );
    expect(recorded.diff(2_000, 2_000).changes).toEqual([]);
  });

  it('a resync, a bookmark and a relist without differences create no version', () => {
    const { clock, pods } = clockedPods();
    pods.replace([podA(1)]);
    const recorded = collectionHistory(pods, { every: 0 });
    clock.advance(1_000);
    pods.resync();
    pods.replace([podA(1)], '99');
    expect(recorded.versions).toHaveLength(1);
  });

  it('drops versions older than `for`, and keeps the one that was current then', () => {
    const { clock, pods } = clockedPods();
    pods.replace([podA(0)]);
    const recorded = collectionHistory(pods, { for: 3_500 });
    for (let version = 1; version <= 10; version++) {
      clock.advance(1_000);
      pods.update(podA(version));
    }
    expect(recorded.versions.map(({ time }) => time)).toEqual([7_000, 8_000, 9_000, 10_000, 11_000]);
    expect(recorded.oldest).toMatchObject({ changes: 0 });
    expect(recorded.at(7_500).get('a')).toMatchObject(podA(6));
    clock.advance(1e6);
    expect(recorded.versions.map(({ time }) => time)).toEqual([11_000]);
    expect(recorded.at(0).get('a')).toMatchObject(podA(10));
  });

  it('drops the oldest versions when it holds more than `bytes`, and always keeps the newest', () => {
    const { clock, pods } = clockedPods();
    pods.replace([podA(0, 'x'.repeat(1_000))]);
    const recorded = collectionHistory(pods, { bytes: 10_000 });
    for (let version = 1; version <= 100; version++) {
      clock.advance(1_000);
      pods.update(podA(version, String(version).repeat(1_000)));
      expect(recorded.bytes).toBeLessThanOrEqual(10_000 + 3_000);
    }
    expect(recorded.versions.length).toBeGreaterThan(2);
    expect(recorded.versions.length).toBeLessThan(10);
    expect(recorded.at(recorded.oldest as HistoryVersion).get('a')).toMatchObject({
      metadata: { resourceVersion: String(101 - recorded.versions.length) },
    });
    expect(collectionHistory(pods, { bytes: 0 }).versions).toHaveLength(1);
  });

  it('counts only the bytes that a change replaced', () => {
    const { clock, pods } = clockedPods();
    const big = {
      ...aPod({ name: 'a' }),
      spec: { values: Array.from({ length: 1_000 }, (_, number) => `v${number}`) },
    };
    pods.replace([big]);
    const recorded = collectionHistory(pods);
    clock.advance(1_000);
    pods.update({ ...big, status: 'ready' });
    expect(recorded.bytes).toBeLessThan(1_000);
    clock.advance(1_000);
    pods.delete('a');
    expect(recorded.bytes).toBeGreaterThan(10_000);
  });

  it('newest$ emits the newest version, and each new one', () => {
    const { clock, pods } = clockedPods();
    pods.replace([podA(1)]);
    const recorded = collectionHistory(pods);
    const seen: unknown[] = [];
    recorded.newest$.subscribe({ next: (newest) => seen.push(newest?.version), complete: () => seen.push('|') });
    clock.advance(1_000);
    pods.update(podA(2));
    pods.update(podA(3));
    recorded.stop();
    expect(seen).toEqual([1, 2, '|']);
  });

  it('does not start the collection; connect does', () => {
    const clock = virtualClock();
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer<Pod>(source, { linger: 0, scheduler: clock });
    const recorded = collectionHistory(pods);
    expect(pods.isRunning).toBe(false);
    const connection = recorded.connect();
    expect(pods.isRunning).toBe(true);
    connection.unsubscribe();
    expect(pods.isRunning).toBe(false);
  });

  it('continues after the collection was stopped and started again: changes in between are the next version', () => {
    const clock = virtualClock({ now: 1_000 });
    let source = new Subject<WatchEvent<Pod>>();
    const pods = informer<Pod>(
      defer(() => (source = new Subject())),
      { linger: 0, scheduler: clock },
    );
    const recorded = collectionHistory(pods);
    recorded.connect();
    source.next(watchEvent.listed([podA(1), aPod({ name: 'b', uid: 'b', version: 1 })], '1'));
    clock.advance(1_000);
    pods.stop();
    expect(recorded.at(clock.now()).keys()).toEqual(['a', 'b']);
    recorded.connect();
    source.next(watchEvent.listed([podA(2), aPod({ name: 'b', uid: 'b', version: 1 })], '2'));
    expect(textOf(recorded.diff(1_000, 2_000))).toBe('watch: updated a@1→a@2');
    expect(recorded.at(1_500).get('a')).toMatchObject(podA(1));
  });

  it('G8: stop leaves no listener at the collection, and no timer', () => {
    const { clock, pods } = clockedPods();
    pods.replace([podA(1)]);
    const recorded = collectionHistory(pods);
    const { dependents, listeners } = internalsOf(pods).log;
    expect(dependents.size).toBe(1);
    pods.update(podA(2));
    recorded.stop();
    expect([dependents.size, listeners.all.length, clock.timers]).toEqual([0, 0, 0]);
    expect([recorded.isRecording, recorded.versions, recorded.bytes]).toEqual([false, [], 0]);
    pods.update(podA(3));
    expect(recorded.versions).toEqual([]);
  });

  it.each([{ for: -1 }, { bytes: -1 }, { every: NaN }])('throws RXI_INVALID_OPTION for %j', (options) => {
    expect(() => collectionHistory(clockedPods().pods, options)).toThrow(errorWith('RXI_INVALID_OPTION'));
  });

  it('any version of a long history equals the content of the collection at that time, regardless of its age', () => {
    const { clock, pods } = clockedPods();
    const random = randomOf(17);
    const version = (number: number): Pod =>
      aPod({ name: `pod-${random.nat(200)}`, version: number, node: random.oneOf(['n1', 'n2', 'n3']) });
    pods.replace(Array.from({ length: 200 }, (_, number) => aPod({ name: `pod-${number}`, version: 1, node: 'n1' })));
    const recorded = collectionHistory(pods, { every: 20 });
    const read: { readonly time: number; readonly pods: ReadonlyMap<string, Pod> }[] = [];
    for (let number = 0; number < 25_000; number++) {
      pods.update(version(number));
      if (number % 1_000 === 999 && recorded.newest !== undefined) {
        read.push({ time: clock.now(), pods: new Map(pods.keys().map((key) => [key, pods.get(key) as Pod])) });
      }
      clock.advance(1);
    }
    for (const { time, pods: expected } of [...read].reverse()) expectCached(recorded.at(time), expected);
    for (const { time, pods: expected } of read) expectCached(recorded.at(time), expected);
    for (let count = 0; count < 20; count++) {
      const { time, pods: expected } = random.oneOf(read);
      expectCached(recorded.at(time), expected);
    }
  });

  it('changesOf returns the changes of one object, version by version', () => {
    const { clock, pods } = clockedPods();
    pods.replace([podA(1), aPod({ name: 'b' })]);
    const recorded = collectionHistory(pods);
    expect(recorded.newest).toMatchObject({ changes: 0 });
    clock.advance(1_000);
    pods.update(podA(2));
    clock.advance(1_000);
    pods.update(aPod({ name: 'b', version: 2 }));
    clock.advance(1_000);
    pods.update({ ...podA(3), metadata: { ...podA(3).metadata, uid: 'another' } });
    expect(
      recorded.changesOf('a').map(({ version, changes }) => [version.time, textOf({ reason: 'watch', changes })]),
    ).toEqual([
      [2_000, 'watch: updated a@1→a@2'],
      [4_000, 'watch: deleted a@2, added a@3'],
    ]);
    expect(recorded.changesOf('none')).toEqual([]);
  });

  it('any version equals the content of the collection, after random commits, regardless of what was dropped', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(), { minLength: 1, maxLength: 120, size: 'max' }),
        fc.constantFrom({}, { for: 60 }, { bytes: 6_000 }, { every: 0 }, { every: 0, for: 40 }),
        (seeds, limits) => {
          const { clock, pods } = clockedPods();
          const recorded = collectionHistory(pods, { every: 10, ...limits });
          /** The content of the collection while a version was the newest one. */
          const read = new Map<number, ReadonlyMap<string, Pod>>();
          for (const seed of seeds) {
            const random = randomOf(seed);
            const kind = random.nat(10);
            if (kind < 6) pods.update(randomPod(random));
            else if (kind < 8) pods.delete(random.oneOf([...pods.keys(), 'none']));
            else if (kind < 9) pods.replace(Array.from({ length: random.nat(6) }, () => randomPod(random)));
            else pods.resync();
            if (random.chance(0.5)) clock.advance(random.nat(8));
            if (!pods.hasSynced || random.chance(0.5)) continue;
            read.set(recorded.newest?.version ?? 0, new Map(pods.keys().map((key) => [key, pods.get(key) as Pod])));
            const stored = recorded.versions.filter(({ version }) => read.has(version));
            const [from, to] = [random.oneOf(stored), random.oneOf(stored)];
            expectCached(recorded.at(from), read.get(from.version));
            const applied = new Map(read.get(from.version));
            for (const change of recorded.diff(from, to).changes) {
              const before = change.type === 'updated' ? change.previous : undefined;
              expect([before ?? applied.get(change.key), before === change.object]).toEqual([
                applied.get(change.key),
                false,
              ]);
              if (change.type === 'deleted') applied.delete(change.key);
              else applied.set(change.key, change.object);
            }
            expect(new Map([...applied].sort())).toEqual(new Map([...(read.get(to.version) ?? [])].sort()));
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});

function expectCached(
  snapshot: ReturnType<ReturnType<typeof collectionHistory<Pod, 'node'>>['at']>,
  expected: ReadonlyMap<string, Pod> | undefined,
): void {
  expect(snapshot.keys()).toEqual([...(expected ?? new Map<string, Pod>()).keys()]);
  expect(snapshot.keys().filter((key) => snapshot.get(key) !== expected?.get(key))).toEqual([]);
  for (const node of ['n1', 'n2', 'n3']) {
    const keys = [...(expected ?? [])].filter(([, pod]) => pod.spec.nodeName === node).map(([key]) => key);
    expect(snapshot.indexKeys('node', node)).toEqual(keys);
  }
}

describe('changes$ of a history', () => {
  const recordedFor = (
    clock: VirtualClock,
    pods: Indexer<Pod, 'node'>,
  ): ReturnType<typeof collectionHistory<Pod, 'node'>> => {
    pods.replace([podA(1)]);
    const recorded = collectionHistory(pods);
    for (let version = 2; version <= 5; version++) {
      clock.advance(1_000);
      pods.update(podA(version));
    }
    return recorded;
  };
  const noted = (clock: VirtualClock, changes$: Observable<ChangeSet<Pod>>): string[] => {
    const seen: string[] = [];
    const began = clock.now();
    changes$.subscribe({
      next: (set) => seen.push(`${clock.now() - began}: ${textOf(set)}`),
      complete: () => seen.push(`${clock.now() - began}: |`),
    });
    return seen;
  };

  it('replays the changes at their original speed, beginning with the state', () => {
    const { clock, pods } = clockedPods();
    const recorded = recordedFor(clock, pods);
    const seen = noted(clock, recorded.changes$({ from: 2_500, to: 4_500 }));
    clock.advance(10_000);
    expect(seen).toEqual([
      '0: initial: added a@2',
      '500: watch: updated a@2→a@3',
      '1500: watch: updated a@3→a@4',
      '2000: |',
    ]);
    expect(clock.timers).toBe(0);
  });

  it('replays faster', () => {
    const { clock, pods } = clockedPods();
    const recorded = recordedFor(clock, pods);
    const seen = noted(clock, recorded.changes$({ from: 1_500, to: 4_500, speed: 10 }));
    clock.advance(10_000);
    expect(seen).toEqual([
      '0: initial: added a@1',
      '50: watch: updated a@1→a@2',
      '150: watch: updated a@2→a@3',
      '250: watch: updated a@3→a@4',
      '300: |',
    ]);
  });

  it('catches up, and continues live', () => {
    const { clock, pods } = clockedPods();
    const recorded = recordedFor(clock, pods);
    const seen = noted(clock, recorded.changes$({ from: 4_500, speed: 10 }));
    clock.advance(1_000);
    pods.update(podA(6));
    expect(seen).toEqual(['0: initial: added a@4', '50: watch: updated a@4→a@5', '1000: watch: updated a@5→a@6']);
    expect(clock.timers).toBe(0);
  });

  it('catches up with an end in the future, continues live, and completes at the end', () => {
    const { clock, pods } = clockedPods();
    const recorded = recordedFor(clock, pods);
    const seen = noted(clock, recorded.changes$({ from: 4_500, to: 8_000, speed: 10 }));
    clock.advance(1_000);
    expect(clock.timers).toBe(1);
    pods.update(podA(6));
    clock.advance(2_000);
    pods.update(podA(7));
    expect(seen).toEqual([
      '0: initial: added a@4',
      '50: watch: updated a@4→a@5',
      '1000: watch: updated a@5→a@6',
      '3000: |',
    ]);
    expect(clock.timers).toBe(0);
  });

  it('at the original speed stays behind, and replays what is recorded meanwhile', () => {
    const { clock, pods } = clockedPods();
    const recorded = recordedFor(clock, pods);
    const seen = noted(clock, recorded.changes$({ from: 4_500 }));
    clock.advance(200);
    pods.update(podA(6));
    clock.advance(1_000);
    expect(seen).toEqual(['0: initial: added a@4', '500: watch: updated a@4→a@5', '700: watch: updated a@5→a@6']);
  });

  it('G8: leaves no timer and no listener when its subscriber unsubscribes', () => {
    const { clock, pods } = clockedPods();
    const recorded = recordedFor(clock, pods);
    const { dependents, listeners } = internalsOf(pods).log;
    recorded.changes$({ from: 1_500 }).subscribe().unsubscribe();
    expect([clock.timers, dependents.size, listeners.all.length]).toEqual([0, 1, 0]);
  });

  it('G8: leaves no timer and no listener when its subscriber unsubscribes at the first value', () => {
    const { clock, pods } = clockedPods();
    const recorded = recordedFor(clock, pods);
    const { dependents, listeners } = internalsOf(pods).log;
    const seen = noted(clock, recorded.changes$({ from: 1_500 }).pipe(take(1)));
    expect([seen, clock.timers, dependents.size, listeners.all.length]).toEqual([
      ['0: initial: added a@1', '0: |'],
      0,
      1,
      0,
    ]);
  });

  it('completes after the state if the end is before the beginning', () => {
    const { clock, pods } = clockedPods();
    const recorded = recordedFor(clock, pods);
    const seen = noted(clock, recorded.changes$({ from: 4_500, to: 2_500 }));
    clock.advance(10_000);
    expect([seen, clock.timers]).toEqual([['0: initial: added a@4', '0: |'], 0]);
  });

  it.each([0, -1, NaN, Infinity])('throws RXI_INVALID_OPTION for a speed of %d', (speed) => {
    expect(() => collectionHistory(clockedPods().pods).changes$({ from: 0, speed })).toThrow(
      errorWith('RXI_INVALID_OPTION'),
    );
  });
});
