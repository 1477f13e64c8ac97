import { jest } from '@jest/globals';
import { informer, type Informer, conflateChanges, addEventHandler } from 'rx-informers';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { informerTest } from 'rx-informers/testing';
import { map, NEVER, Subject } from 'rxjs';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { events } from '../fixtures/watch-events.js';
import { textOf, textOfAll, textOfChanges } from './support/text.js';

const { added, deleted, listed, modified } = watchEvent;

type Batch = readonly WatchEvent<Pod>[];

function running(): { readonly source: Subject<Batch>; readonly pods: Informer<Pod, 'node'> } {
  const source = new Subject<Batch>();
  const pods = informer(source, { indexers: { node: byNode } });
  pods.connect();
  return { source, pods };
}

/** Makes pods that record which of them were read. */
function countedReads() {
  let names = new Set<string>();
  const watched = (name: string, version: number, node: string): Pod =>
    new Proxy(aPod({ name, version, node }), {
      get(pod, property, receiver): unknown {
        names.add(name);
        return Reflect.get(pod, property, receiver);
      },
    });
  /** Returns the names of the pods that were read since the last call. */
  const read = (): ReadonlySet<string> => {
    const before = names;
    names = new Set();
    return before;
  };
  return { watched, read };
}

describe('G7: missed deletions are found', () => {
  it('at a relist, as tombstones with the last known object, before added objects', () => {
    const { source, pods } = running();
    const seen: string[] = [];
    pods.changes$.subscribe((set) => seen.push(textOfChanges(set)));
    source.next([listed([aPod({ name: 'a', version: 1 }), aPod({ name: 'b', version: 2 })])]);
    source.next([listed([aPod({ name: 'b', version: 3 }), aPod({ name: 'c', version: 4 })])]);
    expect(seen).toEqual(['initial: added a@1, added b@2', 'relist: tombstone a@1, updated b@2→b@3, added c@4']);
  });

  it('G1: an empty list counts as the initial state', () => {
    const { source, pods } = running();
    const seen: string[] = [];
    source.next([listed([aPod({ name: 'a', version: 1, node: 'n1' })])]);
    pods.byIndexChanges$('node', 'n1').subscribe((set) => seen.push(textOfChanges(set)));
    source.next([listed<Pod>([])]);
    expect(seen).toEqual(['initial: added a@1', 'relist: tombstone a@1']);
  });

  it('a received deletion carries the final state, in every stream', () => {
    const { source, pods } = running();
    const seen: string[] = [];
    source.next([listed([aPod({ name: 'a', version: 1, node: 'n1' })])]);
    pods.changes$.subscribe((set) => seen.push(textOfChanges(set)));
    pods.byIndexChanges$('node', 'n1').subscribe((set) => seen.push(textOfChanges(set)));
    source.next([deleted(aPod({ name: 'a', version: 9, node: 'n1' }))]);
    expect(seen.slice(2)).toEqual(['watch: deleted a@9', 'watch: deleted a@9']);
  });

  it.each(['watch', 'relist'])('D9 ▲: the same name with another uid is a deletion and an addition (%s)', (reason) => {
    const { source, pods } = running();
    const seen: string[] = [];
    source.next([listed([aPod({ uid: 'u1', version: 1, node: 'n1' })])]);
    pods.changes$.subscribe((set) => seen.push(textOfChanges(set)));
    pods.byIndexChanges$('node', 'n1').subscribe((set) => seen.push(textOfChanges(set)));
    const reborn = aPod({ uid: 'u2', version: 5, node: 'n1' });
    source.next([reason === 'watch' ? modified(reborn) : listed([reborn])]);
    expect(seen.slice(2)).toEqual([`${reason}: tombstone a@1, added a@5`, `${reason}: tombstone a@1, added a@5`]);
  });

  it('of two incarnations deleted in one batch, a bucket emits the deletion of the one it held', () => {
    const { source, pods } = running();
    const seen: string[] = [];
    source.next([listed([aPod({ uid: 'u1', version: 1, node: 'n1' })])]);
    pods.byIndexChanges$('node', 'n1').subscribe((set) => seen.push(textOfChanges(set)));
    source.next([
      deleted(aPod({ uid: 'u1', version: 2, node: 'n1' })),
      added(aPod({ uid: 'u2', version: 3, node: 'n1' })),
      deleted(aPod({ uid: 'u2', version: 4, node: 'n1' })),
    ]);
    expect(seen).toEqual(['initial: added a@1', 'watch: deleted a@2']);
  });

  it('D10: an object that leaves a bucket is emitted as it was in that bucket', () => {
    const { source, pods } = running();
    const seen: string[] = [];
    source.next([listed([aPod({ version: 1, node: 'n1' })])]);
    pods.byIndexChanges$('node', 'n1').subscribe((set) => seen.push(textOfChanges(set)));
    source.next([modified(aPod({ version: 2, node: 'n2' }))]);
    source.next([modified(aPod({ version: 3, node: 'n1' }))]);
    expect(seen).toEqual(['initial: added a@1', 'watch: deleted a@1', 'watch: added a@3']);
  });
});

describe('G9: time is injectable', () => {
  it('linger, relist backoff and resync use the given scheduler', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions, scheduler }) => {
      const source = cold('--L--#', events);
      const pods = informer(source, { scheduler, linger: 3, relistBackoff: () => 4 });
      const resyncs: number[] = [];
      addEventHandler(pods, { onUpdate: () => resyncs.push(scheduler.now()) }, { resyncPeriod: 5 });
      scheduler.schedule(() => pods.stop(), 12);
      expectObservable(pods.errors$.pipe(map(() => 'e'))).toBe('-----e');
      expectSubscriptions(source.subscriptions).toBe(['^----!', '---------^--!']);
      scheduler.schedule(() => expect(resyncs).toEqual([5, 5, 10, 10]), 30);
    });
  });
});

describe('G10: cost follows the change', () => {
  it('G10: a change reads the changed object and no other, with any subscriptions', () => {
    const { source, pods } = running();
    const { watched, read } = countedReads();
    const names = Array.from({ length: 100 }, (_, number) => `p${number}`);
    const emitted: string[] = [];
    for (const node of ['n0', 'n1', 'n2']) pods.byIndex$('node', node).subscribe(() => emitted.push(node));
    pods.list$().subscribe(() => emitted.push('list'));
    pods.changes$.subscribe(() => emitted.push('changes'));
    pods.indexValues$('node').subscribe(() => emitted.push('values'));
    source.next([listed(names.map((name, number) => watched(name, 1, `n${number % 10}`)))]);
    expect(read()).toEqual(new Set(names));
    emitted.length = 0;

    source.next([modified(watched('p0', 2, 'n0'))]);
    expect([...read()]).toEqual(['p0']);
    expect(emitted.sort()).toEqual(['changes', 'list', 'n0']);
    emitted.length = 0;

    source.next([modified(watched('p0', 3, 'n1')), deleted(watched('p12', 9, 'n2'))]);
    expect(read()).toEqual(new Set(['p0', 'p12']));
    expect(emitted.sort()).toEqual(['changes', 'list', 'n0', 'n1', 'n2']);
  });

  it('G10: a change calls an index function once, for the new object', () => {
    const indexed: string[] = [];
    const source = new Subject<Batch>();
    const indexPod = (pod: Pod): string | undefined => {
      indexed.push(textOf(pod));
      return pod.spec.nodeName;
    };
    const pods = informer(source, { indexers: { node: indexPod } });
    pods.byIndex$('node', 'n1').subscribe();
    source.next([listed(['a', 'b', 'c'].map((name) => aPod({ name, version: 1, node: 'n1' })))]);
    expect(indexed).toEqual(['a@1', 'b@1', 'c@1']);
    source.next([modified(aPod({ name: 'b', version: 2, node: 'n2' }))]);
    source.next([deleted(aPod({ name: 'c', version: 3, node: 'n1' }))]);
    expect(indexed.slice(3)).toEqual(['b@2']);
  });

  it('G10: one array is built for all subscribers of a bucket', () => {
    const { source, pods } = running();
    const shown = new Set<readonly Pod[]>();
    for (let count = 0; count < 50; count++) pods.byIndex$('node', 'n1').subscribe((bucket) => shown.add(bucket));
    source.next([listed([aPod({ version: 1, node: 'n1' })])]);
    source.next([modified(aPod({ version: 2, node: 'n1' }))]);
    expect(shown.size).toBe(2);
  });

  it('G10: when an object moves, its old and its new bucket are emitted, and no other', () => {
    const emitted: string[] = [];
    const { source, pods } = running();
    for (const node of ['n1', 'n2', 'n3', 'n4']) {
      pods.byIndex$('node', node).subscribe((shown) => emitted.push(`${node} ${textOfAll(shown)}`));
    }
    source.next([listed([aPod({ name: 'a', version: 1, node: 'n1' }), aPod({ name: 'b', version: 1, node: 'n3' })])]);
    emitted.length = 0;
    source.next([modified(aPod({ name: 'a', version: 2, node: 'n2' }))]);
    expect(emitted.sort()).toEqual(['n1 nothing', 'n2 a@2']);
  });

  it('a thousand subscribers of other keys and buckets are not called', () => {
    const { source, pods } = running();
    let calls = 0;
    source.next([listed([aPod({ version: 1, node: 'n1' })])]);
    for (let number = 0; number < 1_000; number++) {
      pods.byIndex$('node', `other-${number}`).subscribe(() => calls++);
      pods.get$(`other-${number}`).subscribe(() => calls++);
      pods.byIndexChanges$('node', `other-${number}`).subscribe(() => calls++);
    }
    expect(calls).toBe(3_000);
    source.next([modified(aPod({ version: 2, node: 'n1' }))]);
    expect(calls).toBe(3_000);
  });

  it('list$ with a selector reads the whole store once, and then only changed objects', () => {
    const { source, pods } = running();
    let looks = 0;
    const watched = (name: string, version: number): Pod => ({
      ...aPod({ name, version }),
      metadata: {
        name,
        resourceVersion: String(version),
        get labels() {
          looks++;
          return { app: 'x' };
        },
      },
    });
    source.next([listed(['a', 'b', 'c', 'd'].map((name) => watched(name, 1)))]);
    pods.list$('app=x').subscribe();
    const before = looks;
    source.next([modified(aPod({ name: 'e', version: 2 }))]);
    expect(looks).toBe(before);
  });
});

describe('G11: bounded', () => {
  it('a slow subscriber with conflateChanges delays no other subscriber', () => {
    informerTest(({ hot, expectObservable }) => {
      const source = hot('L-A-M-O-N-D------', events);
      const pods = informer(source, { indexers: { node: byNode } });
      const slow = pods.changes$.pipe(conflateChanges({ every: 7 }), map(textOfChanges));
      expectObservable(slow, '^----------------!').toBe('-------p-------q', {
        p: 'initial: added a@3, added b@1',
        q: 'watch: updated b@1→b@2, deleted a@4',
      });
      expectObservable(pods.list$().pipe(map(textOfAll)), '^----------------!').toBe('p---q-r-s-t', {
        p: 'a@1 b@1',
        q: 'a@2 b@1',
        r: 'a@3 b@1',
        s: 'a@3 b@2',
        t: 'b@2',
      });
    });
  });

  it('G11: a subscriber that throws does not affect the others', () => {
    const uncaught: unknown[] = [];
    const { source, pods } = running();
    const seen: string[] = [];
    pods.list$().subscribe({
      next: () => {
        throw new Error('mine alone');
      },
    });
    pods.list$().subscribe((list) => seen.push(textOfAll(list)));
    jest.useFakeTimers();
    try {
      source.next([listed([aPod({ version: 1 })])]);
      source.next([modified(aPod({ version: 2 }))]);
      while (jest.getTimerCount() > 0) {
        try {
          jest.runOnlyPendingTimers();
        } catch (error) {
          uncaught.push(error);
        }
      }
    } finally {
      jest.useRealTimers();
    }
    expect(seen).toEqual(['a@1', 'a@2']);
    expect(uncaught.length).toBeGreaterThan(0);
  });
});

describe('G5: an informer never stops by itself', () => {
  it('waits for a source that emits nothing', () => {
    informerTest(({ expectObservable }) => {
      expectObservable(informer<Pod>(NEVER).list$(), '^ 10m !').toBe('-');
    });
  });
});
