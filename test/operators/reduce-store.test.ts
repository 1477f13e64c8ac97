import { expectTypeOf } from 'expect-type';
import { reduceStore } from 'rx-informers';
import type { Commit, Delta } from 'rx-informers/store';
import { informerTest } from 'rx-informers/testing';
import { map, of, Subject, take, throwError, type Observable } from 'rxjs';
import { aPod, type Pod } from '../fixtures/pods.js';

const a = aPod({ name: 'a', version: 1, node: 'n1' });
const a2 = aPod({ name: 'a', version: 2, node: 'n2' });
const b = aPod({ name: 'b', version: 3, node: 'n1' });

const upsert = (object: Pod): Delta<Pod> => ({ type: 'Updated', key: object.metadata.name, object });
const list = (...objects: readonly Pod[]): Delta<Pod> => ({
  type: 'ReplacedAll',
  resourceVersion: '9',
  items: objects.map((object) => ({ key: object.metadata.name, object })),
});
const byNode = { node: (pod: Pod) => pod.spec.nodeName };

/** The content of a commit, as a value that marble diagrams can compare. */
const seen = ({ snapshot, reason, changes, errors }: Commit<Pod>) => ({
  reason,
  version: snapshot.version,
  keys: snapshot.keys(),
  changes: changes.map(({ type, key }) => `${type} ${key}`),
  errors: errors.length,
});

describe('reduceStore', () => {
  it('G3: turns one batch into one commit, over everything that came before it', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const batches = hot<readonly Delta<Pod>[]>('-x-y-z-|', {
        x: [list(a, b)],
        y: [upsert(a2), { type: 'Deleted', key: 'b', object: b, finalStateUnknown: false }],
        z: [{ type: 'Sync', key: 'a' }],
      });
      const expected = '                          -p-q-r-|';
      expectObservable(batches.pipe(reduceStore(), mapSeen)).toBe(expected, {
        p: { reason: 'initial', version: 1, keys: ['a', 'b'], changes: ['added a', 'added b'], errors: 0 },
        q: { reason: 'watch', version: 2, keys: ['a'], changes: ['updated a', 'deleted b'], errors: 0 },
        r: { reason: 'resync', version: 2, keys: ['a'], changes: ['updated a'], errors: 0 },
      });
      expectSubscriptions(batches.subscriptions).toBe('^------!');
    });
  });

  it('emits a commit for a batch that changes nothing, with the existing version', () => {
    informerTest(({ cold, expectObservable }) => {
      const batches = cold<readonly Delta<Pod>[]>('xyz|', {
        x: [list(a)],
        y: [],
        z: [{ type: 'Bookmark', resourceVersion: '99' }],
      });
      const nothing = { reason: 'watch', version: 1, keys: ['a'], changes: [], errors: 0 };
      expectObservable(batches.pipe(reduceStore(), mapSeen)).toBe('pqr|', {
        p: { reason: 'initial', version: 1, keys: ['a'], changes: ['added a'], errors: 0 },
        q: nothing,
        r: nothing,
      });
    });
  });

  it('completes with its source, without a commit of its own', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const batches = cold<readonly Delta<Pod>[]>('---|');
      expectObservable(batches.pipe(reduceStore())).toBe('---|');
      expectSubscriptions(batches.subscriptions).toBe('^--!');
    });
  });

  it('passes an error on, after the commits before it', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const batches = cold<readonly Delta<Pod>[]>('-x-#', { x: [list()] }, new Error('broken'));
      expectObservable(batches.pipe(reduceStore(), mapSeen)).toBe(
        '-p-#',
        { p: { reason: 'initial', version: 1, keys: [], changes: [], errors: 0 } },
        new Error('broken'),
      );
      expectSubscriptions(batches.subscriptions).toBe('^--!');
    });
  });

  it('passes an immediate error on immediately', () => {
    informerTest(({ expectObservable }) => {
      expectObservable(throwError(() => new Error('broken')).pipe(reduceStore())).toBe(
        '#',
        undefined,
        new Error('broken'),
      );
    });
  });

  it('unsubscribes from its source when its subscriber unsubscribes', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const batches = hot<readonly Delta<Pod>[]>('-x-x-x-', { x: [list()] });
      const commits = batches.pipe(reduceStore(), mapSeen);
      const subscription = '                     --^-!';
      const expected = '                         ---p-';
      expectObservable(commits, subscription).toBe(expected, {
        p: { reason: 'initial', version: 1, keys: [], changes: [], errors: 0 },
      });
      expectSubscriptions(batches.subscriptions).toBe(subscription);
    });
  });

  it('unsubscribes from its source when a later operator completes', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const batches = hot<readonly Delta<Pod>[]>('-x-x-x-', { x: [list()] });
      const expected = '                          -(p|)';
      expectObservable(batches.pipe(reduceStore(), mapSeen, take(1))).toBe(expected, {
        p: { reason: 'initial', version: 1, keys: [], changes: [], errors: 0 },
      });
      expectSubscriptions(batches.subscriptions).toBe('^!');
    });
  });

  it('creates an empty store for each subscription', () => {
    informerTest(({ cold, expectObservable }) => {
      const commits = cold<readonly Delta<Pod>[]>('x|', { x: [upsert(a)] }).pipe(reduceStore(), mapSeen);
      const first = { reason: 'initial', version: 1, keys: ['a'], changes: ['added a'], errors: 0 };
      expectObservable(commits).toBe('p|', { p: first });
      expectObservable(commits, '--^').toBe('--p|', { p: first });
    });
  });

  it('applies a batch that a subscriber causes to the commit that the subscriber received', () => {
    const batches = new Subject<readonly Delta<Pod>[]>();
    const versions: number[] = [];
    batches.pipe(reduceStore()).subscribe(({ snapshot }) => {
      versions.push(snapshot.version);
      if (snapshot.version === 1) batches.next([upsert(b)]);
    });
    batches.next([upsert(a)]);
    batches.next([upsert(a2)]);
    expect(versions).toEqual([1, 2, 3]);
  });

  it('keeps the indexes of a given store', () => {
    const commits = commitsOf(of([upsert(a), upsert(b)], [upsert(a2)]).pipe(reduceStore({ indexers: byNode })));
    expect(commits.map(({ snapshot }) => snapshot.indexKeys('node', 'n1'))).toEqual([['a', 'b'], ['b']]);
    expect(commits[1]?.snapshot.byIndex('node', 'n2')).toEqual([a2]);
  });

  it('S7 ▲, G4: includes errors of an index function in the commit, and continues', () => {
    const picky = {
      name: (pod: Pod) => {
        if (pod.metadata.name === 'a') throw new Error('not this one');
        return pod.metadata.name;
      },
    };
    const commits = commitsOf(of([upsert(a)], [upsert(b)]).pipe(reduceStore({ indexers: picky })));
    expect(commits.map(({ errors }) => errors.map(({ message }) => message))).toEqual([
      [expect.stringContaining('not this one')],
      [],
    ]);
    expect(commits[1]?.snapshot.keys()).toEqual(['a', 'b']);
  });

  it('shares the structure of objects, and freezes them unless turned off', () => {
    const versions = () => [
      structuredClone(a),
      { ...structuredClone(a), metadata: { ...a.metadata, resourceVersion: '5' } },
    ];
    const last = (options: { readonly freeze?: boolean }) => {
      const [first, second] = commitsOf(of(...versions().map((pod) => [upsert(pod)])).pipe(reduceStore(options)));
      const [before, after] = [first?.snapshot.get('a'), second?.snapshot.get('a')];
      return { shares: before?.spec === after?.spec, frozen: Object.isFrozen(after) };
    };
    expect(last({})).toEqual({ shares: true, frozen: true });
    expect(last({ freeze: false })).toEqual({ shares: true, frozen: false });
  });

  it('infers the names of its indexes', () => {
    const commits = of<readonly Delta<Pod>[]>([]).pipe(reduceStore({ indexers: byNode }));
    expectTypeOf(commits).toEqualTypeOf<Observable<Commit<Pod, 'node'>>>();
  });
});

function mapSeen(commits: Observable<Commit<Pod>>): Observable<ReturnType<typeof seen>> {
  return commits.pipe(map(seen));
}

function commitsOf<I extends string>(commits$: Observable<Commit<Pod, I>>): readonly Commit<Pod, I>[] {
  const commits: Commit<Pod, I>[] = [];
  commits$.subscribe((commit) => commits.push(commit));
  return commits;
}
