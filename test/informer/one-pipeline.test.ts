import fc from 'fast-check';
import { dedupDeltas, informer, reduceStore, toDeltas, type ChangeSet, type Snapshot } from 'rx-informers';
import { metaNamespaceKey, type Commit, type WatchEvent, watchEvent, latestOnly } from 'rx-informers/store';
import { virtualClock } from 'rx-informers/testing';
import { Subject } from 'rxjs';
import { unexpectedSourceError } from '../../src/sources/model/errors.js';
import { aPod, type Pod } from '../fixtures/pods.js';
import { expectOutput } from '../support/unexpected-output.js';

const { added, bookmark, deleted, listed, modified } = watchEvent;

type Batch = readonly WatchEvent<Pod>[];

/** Few names, uids, versions and nodes, so that most events concern an object that is there. */
const somePod = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c', 'unnamed'),
    uid: fc.constantFrom('1', '2'),
    version: fc.integer({ min: 1, max: 9 }),
    node: fc.constantFrom('n1', 'n2', 'broken'),
  })
  .map((parts) => aPod(parts));

const somePartition = fc.option(fc.constantFrom('east', 'west'), { nil: undefined });

const someEvent: fc.Arbitrary<WatchEvent<Pod>> = fc.oneof(
  { weight: 6, arbitrary: somePod.map(added) },
  { weight: 6, arbitrary: somePod.map(modified) },
  { weight: 8, arbitrary: somePod.map(deleted) },
  { weight: 2, arbitrary: fc.array(somePod, { maxLength: 4 }).map((pods) => listed(pods, '10')) },
  { weight: 1, arbitrary: fc.constant(bookmark('11')) },
  { weight: 1, arbitrary: fc.constant({ type: 'ERROR', error: unexpectedSourceError('lost') } as const) },
);

const someHistory: fc.Arbitrary<readonly Batch[]> = fc.array(
  fc.array(
    fc
      .tuple(someEvent, somePartition)
      .map(([event, partition]) => (partition === undefined ? event : { ...event, partition })),
    { minLength: 1, maxLength: 6 },
  ),
  { minLength: 1, maxLength: 12 },
);

const options = {
  keyOf: (pod: Pod) => (pod.metadata.name === 'unnamed' ? '' : metaNamespaceKey(pod)),
  indexers: {
    node: ({ spec }: Pod) => {
      if (spec.nodeName === 'broken') throw new Error('no index value');
      return spec.nodeName;
    },
  },
};

function contentOf(snapshot: Snapshot<Pod, 'node'>) {
  return {
    version: snapshot.version,
    resourceVersion: snapshot.resourceVersion,
    objects: snapshot.keys().map((key) => [key, snapshot.get(key)]),
    buckets: snapshot.indexValues('node').map((node) => [node, snapshot.indexKeys('node', node)]),
  };
}

/** The change set that a subscriber from the beginning receives for a commit. */
function announced(commit: Commit<Pod>, before: number): readonly ChangeSet<Pod>[] {
  if (commit.changes.length === 0 && commit.snapshot.version === before) return [];
  if (before > 0) return [{ reason: commit.reason, changes: commit.changes }];
  const { snapshot } = commit;
  const changes = snapshot.keys().map((key) => ({ type: 'added' as const, key, object: snapshot.get(key) as Pod }));
  return [{ reason: 'initial', changes }];
}

describe.each([
  ['client-go', 'client-go'],
  ['latestOnly', latestOnly],
] as const)('an informer and the operators toDeltas, dedupDeltas, reduceStore (%s)', (_mode, dedup) => {
  it('make the same commits, change sets and errors for any history', () => {
    // The lists of a history may change objects without new versions.
    expectOutput(/^informer: two lists in succession changed/);
    fc.assert(
      fc.property(someHistory, (history) => {
        const scheduler = virtualClock();
        const source$ = new Subject<Batch>();
        const pods = informer(source$, { ...options, dedup, scheduler });
        const sets: ChangeSet<Pod>[] = [];
        const errors: string[] = [];
        pods.errors$.subscribe((error) => errors.push(error.message));
        pods.changes$.subscribe((set) => sets.push(set));
        let commit: Commit<Pod, 'node'> | undefined;
        source$.pipe(toDeltas(options), dedupDeltas(dedup), reduceStore(options)).subscribe((next) => (commit = next));
        let snapshot = pods.snapshot;
        for (const batch of history) {
          commit = undefined;
          source$.next(batch);
          const made = commit as Commit<Pod, 'node'> | undefined;
          const expectedSets = made === undefined ? [] : announced(made, snapshot.version);
          snapshot = made?.snapshot ?? snapshot;
          expect(contentOf(pods.snapshot)).toEqual(contentOf(snapshot));
          expect(sets.splice(0)).toEqual(expectedSets);
          expect(errors.splice(0)).toEqual(made?.errors.map(({ message }) => message) ?? []);
        }
        pods.stop();
      }),
      { numRuns: 60 },
    );
  });
});
