import fc from 'fast-check';
import { informer, type Informer } from 'rx-informers';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { Subject, type Subscription } from 'rxjs';
import { a1, a2, a3, aPod, b1, b2, byNode, type Pod } from '../fixtures/pods.js';
import { aHistory, bucketOf, byTag, NODES, speaksOfContent, stateAfter, type State } from './support/history.js';

const { added, deleted, listed, modified } = watchEvent;

type Batch = readonly WatchEvent<Pod>[];
type Pods = Informer<Pod, 'node' | 'tag'>;

function running(): { readonly source: Subject<Batch>; readonly pods: Pods } {
  const source = new Subject<Batch>();
  const pods = informer(source, { indexers: { node: byNode, tag: byTag } });
  pods.connect();
  return { source, pods };
}

const buckets: readonly (readonly [index: 'node' | 'tag', value: string, belongs: (pod: Pod) => boolean])[] = [
  ...NODES.map((node) => ['node', node, (pod: Pod) => byNode(pod) === node] as const),
  ...['x', 'y', 'z'].map((tag) => ['tag', tag, (pod: Pod) => byTag(pod).includes(tag)] as const),
];

const areSame = (one: readonly Pod[] | undefined, other: readonly Pod[]): boolean =>
  one?.length === other.length && one.every((pod, position) => pod === other[position]);

describe('G2: byIndex$', () => {
  it('emits exactly when the content of its bucket changed, for any history', () => {
    fc.assert(
      fc.property(aHistory, (history) => {
        const { source, pods } = running();
        const emitted = buckets.map(() => 0);
        const shown: (readonly Pod[] | undefined)[] = [];
        buckets.forEach(([index, value], number) => {
          pods.byIndex$(index, value).subscribe((bucket) => {
            emitted[number] = (emitted[number] as number) + 1;
            shown[number] = bucket;
          });
        });
        const due = buckets.map(() => 0);
        const last: (readonly Pod[] | undefined)[] = buckets.map(() => undefined);
        let state: State = new Map();
        for (const batch of history) {
          source.next(batch);
          state = stateAfter(state, batch);
          buckets.forEach(([, , belongs], number) => {
            const bucket = bucketOf(state, belongs);
            if (last[number] === undefined ? speaksOfContent(batch) : !areSame(last[number], bucket)) {
              due[number] = (due[number] as number) + 1;
              last[number] = bucket;
            }
            expect(shown[number]).toEqual(last[number]);
          });
          expect(emitted).toEqual(due);
        }
      }),
    );
  });

  it('emits one array to all subscribers of a bucket, early and late, and reads return the same one', () => {
    fc.assert(
      fc.property(aHistory, (history) => {
        const { source, pods } = running();
        const shown: (readonly Pod[])[] = [];
        const subscriptions: Subscription[] = [];
        for (const batch of history) {
          const number = shown.length;
          subscriptions.push(pods.byIndex$('tag', 'y').subscribe((bucket) => (shown[number] = bucket)));
          source.next(batch);
          const read = pods.hasSynced ? [pods.byIndex('tag', 'y')] : [];
          expect(new Set([...shown, ...read]).size).toBe(read.length);
        }
      }),
    );
  });

  it('emits frozen arrays, in key order', () => {
    const { source, pods } = running();
    const shown: (readonly Pod[])[] = [];
    pods.byIndex$('node', 'n2').subscribe((bucket) => shown.push(bucket));
    source.next([listed([b1, a3])]);
    expect(shown).toEqual([[a3, b1]]);
    expect(Object.isFrozen(shown[0])).toBe(true);
    expect(() => (shown[0] as Pod[]).push(a1)).toThrow(TypeError);
  });

  it('is empty for a value that no object has, and is the same array everywhere meanwhile', () => {
    const { source, pods } = running();
    const shown: (readonly Pod[])[] = [];
    pods.byIndex$('node', 'none').subscribe((bucket) => shown.push(bucket));
    source.next([listed([a1])]);
    pods.byIndex$('node', 'neither').subscribe((bucket) => shown.push(bucket));
    expect(shown).toEqual([[], []]);
    expect(shown[0]).toBe(shown[1]);
  });

  const silences: readonly (readonly [string, Batch])[] = [
    ['an object of another bucket changed', [modified(b2)]],
    [
      'an object was added and deleted within one batch',
      [added(aPod({ name: 'c', node: 'n1' })), deleted(aPod({ name: 'c' }))],
    ],
    ['the same version was delivered again', [modified(a1)]],
    ['a relist found no difference', [listed([a1, b1], '9')]],
    ['a bookmark arrived', [{ type: 'BOOKMARK', resourceVersion: '9' }]],
    ['an unknown object was deleted', [deleted(aPod({ name: 'c', node: 'n1' }))]],
  ];
  it.each(silences)('emits nothing and keeps its array if %s', (_name, batch) => {
    const { source, pods } = running();
    const shown: (readonly Pod[])[] = [];
    source.next([listed([a1, b1])]);
    pods.byIndex$('node', 'n1').subscribe((bucket) => shown.push(bucket));
    source.next(batch);
    expect(shown).toEqual([[a1]]);
    expect(pods.byIndex('node', 'n1')).toBe(shown[0]);
  });

  const news: readonly (readonly [string, Batch, readonly Pod[]])[] = [
    [
      'an object entered the bucket',
      [modified(aPod({ name: 'b', version: 5, node: 'n1' }))],
      [a1, aPod({ name: 'b', version: 5, node: 'n1' })],
    ],
    ['an object left for another bucket', [modified(a3)], []],
    ['an object was deleted', [deleted(a2)], []],
    ['an object changed and stayed (S4 ▲)', [modified(a2)], [a2]],
    [
      'one object replaced another',
      [added(aPod({ name: 'a', uid: 'u2', version: 5, node: 'n1' }))],
      [aPod({ name: 'a', uid: 'u2', version: 5, node: 'n1' })],
    ],
  ];
  it.each(news)('emits once if %s', (_name, batch, bucket) => {
    const { source, pods } = running();
    const shown: (readonly Pod[])[] = [];
    source.next([listed([a1, b1])]);
    pods.byIndex$('node', 'n1').subscribe((each) => shown.push(each));
    source.next(batch);
    expect(shown).toEqual([[a1], bucket]);
  });

  it('is not affected by an index that is added while it is subscribed to', () => {
    const { source, pods } = running();
    const lists: (readonly Pod[])[] = [];
    const shown: (readonly Pod[])[] = [];
    source.next([listed([a1, b1])]);
    pods.byIndex$('node', 'n1').subscribe((bucket) => shown.push(bucket));
    pods.list$().subscribe((list) => lists.push(list));
    const wider = pods.addIndexers({ name: ({ metadata }) => metadata.name });
    source.next([{ type: 'BOOKMARK', resourceVersion: '9' }]);
    expect([shown.length, lists.length]).toEqual([1, 1]);
    expect(wider.byIndex('name', 'b')).toEqual([b1]);
    source.next([modified(a2)]);
    expect([shown.length, lists.length]).toEqual([2, 2]);
  });
});
