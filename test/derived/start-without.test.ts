import { createIndexer, informer, type Informer, type SourceStatus } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey, watchEvent, type WatchEvent } from 'rx-informers/store';
import { virtualClock } from 'rx-informers/testing';
import { Subject } from 'rxjs';
import { internalsOf } from '../../src/collections/log-collection.js';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';

const { listed, modified } = watchEvent;
const startWithout = ['forbidden', 'not-found'] as const;

function status(state: SourceStatus['state']): WatchEvent<Pod> {
  return { type: 'STATUS', status: { state, cause: new Error(state), attempt: 1, retryAt: 0 } as never };
}

/** Two informers whose sources the test drives, and collections over them in virtual time. */
function fed() {
  const clock = virtualClock();
  const options = { linger: 0, scheduler: clock, onUnobservedError: () => undefined };
  const input = (): { source: Subject<WatchEvent<Pod>>; pods: Informer<Pod, 'node'> } => {
    const source = new Subject<WatchEvent<Pod>>();
    return { source, pods: informer(source, { ...options, indexers: { node: byNode } }) };
  };
  return { clock, options, one: input(), two: input() };
}

function changesOf(collection: derived.DerivedCollection<unknown>): string[] {
  const seen: string[] = [];
  collection.changes$.subscribe(({ changes }) => seen.push(changes.map(({ type, key }) => `${type} ${key}`).join()));
  return seen;
}

describe('startWithout of derived collections', () => {
  const a = aPod({ name: 'a', node: 'n1' });
  const b = aPod({ name: 'b', node: 'n1' });

  it('delays the first rows by default while an input is forbidden (J4)', () => {
    const { options, one, two } = fed();
    const all = derived.union([one.pods, two.pods], options);
    const changes = changesOf(all);
    two.source.next(status('forbidden'));
    one.source.next(listed([a]));
    expect([all.hasSynced, changes]).toEqual([false, []]);
  });

  it.each(['before', 'after'])(
    'counts an input as synced and empty once it is forbidden, %s the others have listed; the status reports it',
    (order) => {
      const { options, one, two } = fed();
      const all = derived.union([one.pods, two.pods], { ...options, startWithout });
      const changes = changesOf(all);
      if (order === 'before') two.source.next(status('forbidden'));
      one.source.next(listed([a]));
      if (order === 'after') two.source.next(status('forbidden'));
      expect([all.hasSynced, all.status.state, changes]).toEqual([true, 'forbidden', ['added a']]);
      one.source.next(modified(b));
      expect(changes).toEqual(['added a', 'added b']);
    },
  );

  it('adds the objects of the input when it can be read, and keeps them when it is forbidden again', () => {
    const { options, one, two } = fed();
    const all = derived.union({ one: one.pods, two: two.pods }, { ...options, startWithout });
    const changes = changesOf(all);
    one.source.next(listed([a]));
    two.source.next(status('not-found'));
    two.source.next(status('listing'));
    expect(changes).toEqual(['added one/a']);
    two.source.next(listed([a, b]));
    expect(changes).toEqual(['added one/a', 'added two/a,added two/b']);
    two.source.next(status('forbidden'));
    expect([all.keys(), changes.length]).toEqual([['one/a', 'two/a', 'two/b'], 2]);
  });

  it('still waits for an input in a state that it does not list, and for one without a status', () => {
    const { options, one, two } = fed();
    const all = derived.union([one.pods, two.pods], { ...options, startWithout });
    all.connect();
    one.source.next(listed([a]));
    two.source.next(status('backing-off'));
    expect(all.hasSynced).toBe(false);
    two.source.next(listed([]));
    expect(all.hasSynced).toBe(true);
  });

  it('has rows at once if all inputs are forbidden, also when they were forbidden before it started', () => {
    const { options, one, two } = fed();
    one.pods.connect();
    two.pods.connect();
    for (const { source } of [one, two]) source.next(status('forbidden'));
    const all = derived.union([one.pods, two.pods], { ...options, startWithout });
    all.connect();
    expect([all.hasSynced, all.list()]).toEqual([true, []]);
  });

  it('lets a left join show its left objects without the right ones, and join them later in one commit', () => {
    const { options, one, two } = fed();
    const joined = derived.leftJoin(
      one.pods,
      two.pods,
      { on: 'node', select: (pod, node) => `${pod.metadata.name} on ${node === undefined ? 'no node' : 'a node'}` },
      { ...options, startWithout },
    );
    const seen: (readonly string[])[] = [];
    joined.list$().subscribe((rows) => seen.push(rows));
    two.source.next(status('forbidden'));
    one.source.next(listed([a, b]));
    two.source.next(listed([aPod({ name: 'n1' })]));
    expect(seen).toEqual([
      ['a on no node', 'b on no node'],
      ['a on a node', 'b on a node'],
    ]);
  });

  it('keeps an owner tree whole: one forbidden kind is missing, and its children are pending until it is read', () => {
    const { options, one, two } = fed();
    const owned = aPod({ name: 'pod', uid: 'pod' });
    const pod = { ...owned, metadata: { ...owned.metadata, ownerReferences: [{ uid: 'owner' }] } } as unknown as Pod;
    const tree = derived.ownerTree({ owners: one.pods, pods: two.pods }, { ...options, startWithout });
    tree.connect();
    two.source.next(listed([pod]));
    one.source.next(status('forbidden'));
    expect(tree.get('pod')?.edge).toBe('pending');
    one.source.next(listed([aPod({ name: 'owner', uid: 'owner' })]));
    expect(tree.get('pod')?.edge).toBe('owner');
  });

  it('waits for its inputs again in a new run', () => {
    const { options, one, two } = fed();
    const all = derived.union([one.pods, two.pods], { ...options, startWithout });
    const first = all.connect();
    two.source.next(status('forbidden'));
    one.source.next(listed([a]));
    expect(all.hasSynced).toBe(true);
    first.unsubscribe();
    const second = all.connect();
    one.source.next(listed([a]));
    expect(all.hasSynced).toBe(false);
    second.unsubscribe();
    expect(internalsOf(one.pods).log.dependents.size).toBe(0);
  });

  it('applies a list that arrives while the first rows are computed in slices', () => {
    const { clock, options, one } = fed();
    const many = createIndexer<Pod>(metaNamespaceKey, {}, options);
    many.replace(Array.from({ length: 20_000 }, (_, number) => aPod({ name: `pod-${number}` })));
    const late = new Subject<WatchEvent<Pod>>();
    const all = derived.union({ many, one: one.pods, late: informer(late, options) }, { ...options, startWithout });
    all.connect();
    one.source.next(status('forbidden'));
    late.next(status('forbidden'));
    one.source.next(listed([a]));
    late.next(listed([b]));
    clock.advance(1_000);
    expect([all.snapshot.size, all.has('one/a'), all.has('late/b')]).toEqual([20_002, true, true]);
  });

  it('does not end with an input that it started without, but with the last of its inputs', () => {
    const { options, one, two } = fed();
    const ended: string[] = [];
    const all = derived.union([one.pods, two.pods], { ...options, startWithout });
    all.list$().subscribe({ next: (rows) => ended.push(String(rows.length)), complete: () => ended.push('complete') });
    two.source.next(status('forbidden'));
    two.source.complete();
    one.source.next(listed([a]));
    expect(ended).toEqual(['1']);
    one.source.complete();
    expect(ended).toEqual(['1', 'complete']);
  });
});
