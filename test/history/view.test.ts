import { createIndexer, informer, type Indexer } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { collectionHistory, movableTime, type CollectionHistory, type MovableTime } from 'rx-informers/history';
import { metaNamespaceKey } from 'rx-informers/store';
import { describeCollectionConformance, informerTest, virtualClock, type VirtualClock } from 'rx-informers/testing';
import type { Observable } from 'rxjs';
import { fedBy } from '../derived/support/conformance.js';
import { describeOracle, randomInput } from '../derived/support/oracle.js';
import { randomPod } from '../derived/support/random.js';
import { expectSameWork } from '../derived/support/work.js';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';

const quiet = { linger: 0, onUnobservedError: () => undefined } as const;

interface Recorded {
  readonly clock: VirtualClock;
  readonly pods: Indexer<Pod, 'node'>;
  readonly recorded: CollectionHistory<Pod, 'node'>;
  readonly time: MovableTime;
}

function recordedPods(...pods: readonly Pod[]): Recorded {
  const clock = virtualClock({ now: 1_000 });
  const store = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode }, { scheduler: clock });
  store.replace(pods);
  const recorded = collectionHistory(store, { every: 0 });
  return { clock, pods: store, recorded, time: movableTime({ scheduler: clock }) };
}

const versions = (collection: { list: () => readonly Pod[] }): string[] =>
  collection.list().map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);

describe('a view of a history', () => {
  it('follows the collection while the time is live', () => {
    const { pods, recorded, time } = recordedPods(aPod({ name: 'a', version: 1 }));
    const view = recorded.view(time, quiet);
    view.connect();
    pods.update(aPod({ name: 'b', version: 2 }));
    expect(versions(view)).toEqual(['a@1', 'b@2']);
    expect(view.get('b')).toBe(pods.get('b'));
  });

  it('shows the version of a time, stays there while the collection changes, and returns to live', () => {
    const { clock, pods, recorded, time } = recordedPods(aPod({ name: 'a', version: 1 }));
    const view = recorded.view(time, quiet);
    view.connect();
    clock.advance(1_000);
    pods.update(aPod({ name: 'a', version: 2 }));
    clock.advance(1_000);
    pods.delete('a');
    time.moveTo(2_500);
    expect(versions(view)).toEqual(['a@2']);
    pods.update(aPod({ name: 'c', version: 4 }));
    expect(versions(view)).toEqual(['a@2']);
    time.moveTo(new Date(1_999));
    expect(versions(view)).toEqual(['a@1']);
    time.moveTo(undefined);
    expect(versions(view)).toEqual(['c@4']);
  });

  it('shows the oldest version for an earlier time, and the newest for a later one', () => {
    const { clock, pods, recorded, time } = recordedPods(aPod({ name: 'a', version: 1 }));
    const view = recorded.view(time, quiet);
    view.connect();
    clock.advance(1_000);
    pods.update(aPod({ name: 'a', version: 2 }));
    time.moveTo(-1);
    expect(versions(view)).toEqual(['a@1']);
    time.moveTo(1e12);
    pods.update(aPod({ name: 'a', version: 3 }));
    expect(versions(view)).toEqual(['a@2']);
  });

  it('has the indexes of the collection, and its own', () => {
    const { clock, pods, recorded, time } = recordedPods(aPod({ name: 'a', node: 'n1' }));
    const view = recorded.view(time, { ...quiet, indexers: { app: (pod) => pod.metadata.labels?.['app'] } });
    view.connect();
    clock.advance(1_000);
    pods.update(aPod({ name: 'a', node: 'n2', labels: { app: 'x' } }));
    expect([view.indexValues('node'), view.indexValues('app')]).toEqual([['n2'], ['x']]);
    time.moveTo(1_500);
    expect([view.indexValues('node'), view.indexValues('app')]).toEqual([['n1'], []]);
  });

  it('a move emits only to the queries whose result differs (G2)', () => {
    const { clock, pods, recorded, time } = recordedPods(
      aPod({ name: 'a', node: 'n1' }),
      aPod({ name: 'b', node: 'n2' }),
    );
    const view = recorded.view(time, quiet);
    const seen: string[] = [];
    view.byIndex$('node', 'n1').subscribe((bucket) => seen.push(`n1: ${bucket.length}`));
    view.byIndex$('node', 'n2').subscribe((bucket) => seen.push(`n2: ${bucket.length}`));
    clock.advance(1_000);
    pods.delete('a');
    seen.length = 0;
    time.moveTo(1_500);
    expect(seen).toEqual(['n1: 1']);
  });

  it('all views of one time move in one announcement, together with their derived collections (G3, J1)', () => {
    const clock = virtualClock({ now: 1_000 });
    const pods = createIndexer<Pod>(metaNamespaceKey, {}, { scheduler: clock });
    const nodes = createIndexer<Pod>(metaNamespaceKey, {}, { scheduler: clock });
    pods.replace([aPod({ name: 'a', version: 1 })]);
    nodes.replace([aPod({ name: 'n', version: 1 })]);
    const time = movableTime({ scheduler: clock });
    const [shownPods, shownNodes] = [
      collectionHistory(pods).view(time, quiet),
      collectionHistory(nodes).view(time, quiet),
    ];
    const counted = derived.groupBy(shownPods, () => 'all', { pods: derived.count() }, quiet);
    clock.advance(1_000);
    pods.update(aPod({ name: 'b', version: 2 }));
    nodes.update(aPod({ name: 'n', version: 2 }));
    const seen: string[] = [];
    const note = (): void => {
      seen.push(`${versions(shownPods).join()} ${versions(shownNodes).join()} ${counted.get('all')?.pods}`);
    };
    for (const collection of [shownPods, shownNodes, counted]) collection.connect();
    for (const changes$ of [shownPods.changes$, shownNodes.changes$, counted.changes$] as Observable<unknown>[])
      changes$.subscribe(note);
    time.time$.subscribe(note);
    seen.length = 0;
    time.moveTo(1_500);
    time.moveTo(undefined);
    expect(new Set(seen.slice(0, 4))).toEqual(new Set(['a@1 n@1 1']));
    expect(new Set(seen.slice(4))).toEqual(new Set(['a@1,b@2 n@2 2']));
    expect(seen).toHaveLength(8);
  });

  it('keeps showing a version that was dropped meanwhile, and moves on from there', () => {
    const clock = virtualClock({ now: 1_000 });
    const pods = createIndexer<Pod>(metaNamespaceKey, {}, { scheduler: clock });
    pods.replace([aPod({ name: 'a', version: 1 }), aPod({ name: 'gone' })]);
    const recorded = collectionHistory(pods, { for: 1_000, every: 0 });
    const time = movableTime({ scheduler: clock });
    const view = recorded.view(time, quiet);
    view.connect();
    time.moveTo(1_000);
    for (let version = 2; version < 10; version++) {
      clock.advance(500);
      pods.replace([aPod({ name: 'a', version })]);
    }
    expect(recorded.oldest?.time).toBeGreaterThan(1_000);
    expect(versions(view)).toEqual(['a@1', 'gone@undefined']);
    time.moveTo(4_500);
    expect(versions(view)).toEqual(['a@8']);
    time.moveTo(undefined);
    expect(versions(view)).toEqual(['a@9']);
  });

  it('skips all but the first and the last of several moves during an announcement', () => {
    const { clock, pods, recorded, time } = recordedPods(aPod({ name: 'a', version: 1 }));
    for (let version = 2; version < 6; version++) {
      clock.advance(1_000);
      pods.update(aPod({ name: 'a', version }));
    }
    const view = recorded.view(time, quiet);
    const seen: string[] = [];
    view.get$('a').subscribe((pod) => {
      seen.push(String(pod?.metadata.resourceVersion));
      if (seen.length === 2) for (const moment of [2_500, 3_500, 4_500]) time.moveTo(moment);
    });
    time.moveTo(1_500);
    expect(seen).toEqual(['5', '1', '2', '4']);
    expect(time.time).toBe(4_500);
  });

  it('shows an informer at a changing time, in marble diagrams', () => {
    const [a, b, c] = [aPod({ name: 'a' }), aPod({ name: 'b' }), aPod({ name: 'c' })];
    informerTest({ a, b, c }, ({ source, hot, expectObjects }) => {
      const time = movableTime();
      const pods = informer(source('         L(a)-A(b)-A(c)---D(a)---------'));
      hot<number | undefined>('                        ---------------n--x-----y-----l', {
        n: 1,
        x: 7,
        y: 12,
        l: undefined,
      }).subscribe((moment) => {
        time.moveTo(moment);
      });
      const view = collectionHistory(pods, { every: 0 }).view(time, { linger: 0 });
      expectObjects(view.list$()).toBe('               a----(ab)-(abc)a--(ab)--(abc)-(bc)');
    });
  });

  it('moveTo throws RXI_INVALID_OPTION for an invalid time', () => {
    expect(() => {
      movableTime().moveTo(NaN);
    }).toThrow(errorWith('RXI_INVALID_OPTION'));
  });

  it('J5: a move costs the same regardless of the size of the collection', () => {
    const cost = expectSameWork((size, { options }) => {
      const clock = options.scheduler;
      const pods = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode }, { scheduler: clock });
      pods.replace(Array.from({ length: size }, (_, number) => aPod({ name: `pod-${number}`, node: 'n' })));
      const time = movableTime({ scheduler: clock });
      const view = collectionHistory(pods, { every: 0 }).view(time, options);
      view.connect();
      clock.advance(1_000);
      for (let number = 0; number < 10; number++) pods.update(aPod({ name: `pod-${number}`, node: 'n', version: 2 }));
      return () => {
        time.moveTo(clock.now() - 500);
      };
    });
    expect(cost['reads']).toBeLessThan(10 * 10);
  });

  describeOracle(
    'a view at a movable time',
    { pods: randomInput(randomPod) },
    ({ inputs: { pods }, options, clock }) => {
      // It stops and starts with its subscribers, as an informer does.
      const live = derived.filter(pods, () => true, options);
      const time = movableTime({ scheduler: clock });
      const recorded = collectionHistory(live, { every: 0, scheduler: clock, for: 2 ** 31 - 1 });
      const frames: { readonly time: number; readonly rows: ReadonlyMap<string, Pod> }[] = [];
      const frameOf = (moment: number): ReadonlyMap<string, Pod> =>
        (frames.findLast((frame) => frame.time <= moment) ?? frames[0])?.rows ?? new Map<string, Pod>();
      return {
        collection: recorded.view(time, options),
        act: ({ chance, nat }) => {
          const [first] = frames;
          time.moveTo(first === undefined || chance(0.3) ? undefined : first.time + nat(clock.now() - first.time));
        },
        expected: () => {
          const rows = new Map(pods.keys().map((key) => [key, pods.get(key) as Pod]));
          frames.push({ time: clock.now(), rows });
          clock.advance(1);
          return time.time === undefined ? rows : frameOf(time.time);
        },
      };
    },
  );

  describeCollectionConformance(
    () => {
      const pods = createIndexer<Pod>(metaNamespaceKey, {});
      return fedBy(pods, collectionHistory(pods).view(movableTime(), { ...quiet, indexers: { node: byNode } }));
    },
    { name: 'a view of a history' },
  );
});
