import fc from 'fast-check';
import { informer, type Informer, type ChangeSet, createIndexer } from 'rx-informers';
import type { WatchEvent } from 'rx-informers/store';
import { Subject, type Observable } from 'rxjs';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { aHistory, byTag, stateAfter, type State } from './support/history.js';
import { Replica } from './support/replica.js';

type Batch = readonly WatchEvent<Pod>[];
type Pods = Informer<Pod, 'node' | 'tag'>;

/** Each stream with the part of the state that its subscribers hold. */
const changeStreams: readonly (readonly [string, (pods: Pods) => Observable<ChangeSet<Pod>>, (pod: Pod) => boolean])[] =
  [
    ['changes$', (pods) => pods.changes$, () => true],
    ['byIndexChanges$ of one value', (pods) => pods.byIndexChanges$('node', 'n1'), (pod) => byNode(pod) === 'n1'],
    ['byIndexChanges$ of many values', (pods) => pods.byIndexChanges$('tag', 'y'), (pod) => byTag(pod).includes('y')],
  ];

const podsOf = (source: Observable<Batch>): Pods => informer(source, { indexers: { node: byNode, tag: byTag } });
const contentOf = (state: State, belongs: (pod: Pod) => boolean): Record<string, Pod> =>
  Object.fromEntries([...state].filter(([, pod]) => belongs(pod)));

describe.each(changeStreams)('G1: state, then changes: %s', (_name, open, belongs) => {
  it('G1: a subscriber at any moment receives everything, and nothing twice', () => {
    fc.assert(
      fc.property(aHistory, fc.array(fc.nat(12), { minLength: 1, maxLength: 5 }), (history, positions) => {
        const source = new Subject<Batch>();
        const pods = podsOf(source);
        pods.connect();
        const replicas: Replica<Pod>[] = [];
        let state: State = new Map();
        history.forEach((batch, position) => {
          for (const _ of positions.filter((wanted) => wanted === position)) {
            const replica = new Replica<Pod>();
            replicas.push(replica);
            open(pods).subscribe(replica.apply);
          }
          source.next(batch);
          state = stateAfter(state, batch);
          for (const replica of replicas) {
            expect(replica.complaints).toEqual([]);
            expect(Object.fromEntries(replica.objects)).toEqual(contentOf(state, belongs));
          }
        });
      }),
    );
  });

  it('G1: a subscriber during an emission also does, while others write to the source', () => {
    fc.assert(
      fc.property(aHistory, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), (history, nested) => {
        const source = new Subject<Batch>();
        const pods = podsOf(source);
        const replicas: Replica<Pod>[] = [];
        const waiting = [...history];
        let round = 0;
        const join = (): void => {
          const replica = new Replica<Pod>();
          replicas.push(replica);
          open(pods).subscribe(replica.apply);
        };
        join();
        pods.changes$.subscribe(() => {
          join();
          if (nested[round++ % nested.length] === false) return;
          const next = waiting.shift();
          if (next) source.next(next);
          join();
        });
        join();
        for (let batch = waiting.shift(); batch; batch = waiting.shift()) source.next(batch);
        const state = history.reduce<State>(stateAfter, new Map());
        for (const replica of replicas) {
          expect(replica.complaints).toEqual([]);
          expect(Object.fromEntries(replica.objects)).toEqual(contentOf(state, belongs));
        }
      }),
    );
  });
});

it('G1: a subscriber that causes changes inside its first value receives them after it, one at a time', () => {
  const pods = createIndexer((pod: Pod) => pod.metadata.name);
  pods.replace([aPod({ name: 'a' }), aPod({ name: 'b' })]);
  const seen: string[] = [];
  pods.changes$.subscribe(({ reason, changes }) => {
    seen.push(`${reason} begins`);
    if (reason === 'initial') pods.delete('b');
    for (const { type, key } of changes) seen.push(`${type} ${key}`);
  });
  expect(seen).toEqual(['initial begins', 'added a', 'added b', 'watch begins', 'deleted b']);
});
