import fc from 'fast-check';
import { informer, type Informer } from 'rx-informers';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { map, Subject, take, type Observable } from 'rxjs';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';

const { deleted, listed, modified } = watchEvent;

type Batch = readonly WatchEvent<Pod>[];
type Pods = Informer<Pod, 'node'>;

/**
 * The pod `marker` is in every bucket and changes with every commit, so every stream can tell which
 * commit it shows.
 */
const marked = (commit: number): Pod => aPod({ name: 'marker', node: 'n1', version: commit, labels: { app: 'x' } });
const versionOf = (pods: readonly Pod[]): number =>
  Number(pods.find(({ metadata }) => metadata.name === 'marker')?.metadata.resourceVersion);

const streams: readonly (readonly [string, (pods: Pods) => Observable<number>])[] = [
  ['byIndex$', (pods) => pods.byIndex$('node', 'n1').pipe(map(versionOf))],
  [
    'byIndexChanges$',
    (pods) =>
      pods.byIndexChanges$('node', 'n1').pipe(map(({ changes }) => versionOf(changes.map(({ object }) => object)))),
  ],
  ['get$', (pods) => pods.get$('marker').pipe(map((pod) => Number(pod?.metadata.resourceVersion)))],
  ['list$', (pods) => pods.list$().pipe(map(versionOf))],
  ['list$(selector)', (pods) => pods.list$('app=x').pipe(map(versionOf))],
  ['index$', (pods) => pods.index$('node', marked(0)).pipe(map(versionOf))],
  ['select$', (pods) => pods.select$((snapshot) => versionOf(snapshot.byIndex('node', 'n1')))],
  ['snapshot$', (pods) => pods.snapshot$.pipe(map((snapshot) => versionOf(snapshot.list())))],
  ['changes$', (pods) => pods.changes$.pipe(map(({ changes }) => versionOf(changes.map(({ object }) => object))))],
];

describe('G3: atomic', () => {
  it('in every callback every stream shows the same commit, even if callbacks make commits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(streams.length - 1), { minLength: 2, maxLength: 8 }),
        fc.array(fc.boolean(), { minLength: 4, maxLength: 20 }),
        (order, feeds) => {
          const source = new Subject<WatchEvent<Pod>>();
          const pods: Pods = informer(source, { indexers: { node: byNode } });
          const shown: number[] = [];
          const torn: string[] = [];
          let commit = 0;
          let calls = 0;
          for (const number of order) {
            const [name, open] = streams[number] as (typeof streams)[number];
            open(pods).subscribe((version) => {
              for (const [other, openOther] of streams) {
                openOther(pods)
                  .pipe(take(1))
                  .subscribe((otherVersion) => {
                    if (otherVersion !== version) torn.push(`${name} ${version}, ${other} ${otherVersion}`);
                  });
              }
              shown.push(version);
              if (feeds[calls++] === true) source.next(modified(marked(++commit)));
            });
          }
          source.next(listed([marked(++commit)]));
          source.next(modified(marked(++commit)));
          expect(torn).toEqual([]);
          // Every subscriber receives every commit. No subscriber receives a commit before all have
          // received the one before it.
          expect(shown).toEqual(Array.from({ length: commit }, (_, each) => order.map(() => each + 1)).flat());
        },
      ),
    );
  });

  it('is complete or not visible at all, for each batch', () => {
    const source = new Subject<Batch>();
    const pods: Pods = informer(source, { indexers: { node: byNode } });
    const shown: string[] = [];
    const names = (list: readonly Pod[]): string => list.map(({ metadata }) => metadata.name).join('');
    pods.list$().subscribe((list) => shown.push(`list ${names(list)}`));
    pods.byIndex$('node', 'n1').subscribe((bucket) => shown.push(`n1 ${names(bucket)} of ${names(pods.list())}`));
    pods.byIndex$('node', 'n2').subscribe((bucket) => shown.push(`n2 ${names(bucket)} of ${names(pods.list())}`));
    const [a, b, c] = ['a', 'b', 'c'].map((name) => aPod({ name, node: 'n1' })) as [Pod, Pod, Pod];
    source.next([listed([a, b])]);
    shown.length = 0;
    source.next([deleted(a), modified(aPod({ name: 'b', node: 'n2' })), modified(c)]);
    expect(shown).toEqual(['list bc', 'n1 c of bc', 'n2 b of bc']);
  });

  it('G3: a relist is one commit, and until then the old content is read', () => {
    const source = new Subject<Batch>();
    const pods: Pods = informer(source, { indexers: { node: byNode } });
    const lists: string[] = [];
    pods.list$().subscribe((list) => lists.push(list.map(({ metadata }) => metadata.name).join('')));
    source.next([listed(['a', 'b'].map((name) => aPod({ name })))]);
    source.next([{ type: 'STATUS', status: { state: 'listing', by: 'pages', received: 1 } }]);
    expect(pods.keys()).toEqual(['a', 'b']);
    source.next([listed(['c', 'd'].map((name) => aPod({ name })))]);
    expect(lists).toEqual(['ab', 'cd']);
  });

  it('D6: the store is up to date before any subscriber is notified', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods: Pods = informer(source, { indexers: { node: byNode } });
    const read: (Pod | undefined)[] = [];
    pods.changes$.subscribe(() => read.push(pods.get('a')));
    source.next(listed([aPod()]));
    source.next(deleted(aPod()));
    expect(read).toEqual([aPod(), undefined]);
  });
});
