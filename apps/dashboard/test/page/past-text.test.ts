import fc from 'fast-check';
import { createIndexer, informer, type Indexer } from 'rx-informers';
import { collectionHistory, type CollectionHistory } from 'rx-informers/history';
import { metaNamespaceKey, watchEvent, type WatchEvent } from 'rx-informers/store';
import { virtualClock, type VirtualClock } from 'rx-informers/testing';
import { Subject } from 'rxjs';
import { aPod, byNode, type Pod } from '../../../../test/fixtures/pods.js';
import { partOf, readPast, recordPast } from '../../page/history/past-text.js';

const indexer = (clock: VirtualClock): Indexer<Pod, 'node'> =>
  createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode }, { scheduler: clock });

/** The names and versions of all pods. */
const textOf = (pods: readonly Pod[]): string =>
  pods.map(({ metadata: { name, resourceVersion } }) => `${name}@${resourceVersion}`).join(' ');

interface Write {
  readonly name: string;
  readonly action: 'write' | 'delete' | 'replace';
  readonly wait: number;
  readonly values: readonly string[];
}

const write = fc.record<Write>({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  action: fc.constantFrom('write', 'write', 'write', 'delete', 'replace'),
  wait: fc.constantFrom(0, 1, 40, 100, 1_000),
  values: fc.array(fc.constantFrom('0', '1', '2', '3'), { maxLength: 4 }),
});

/** A collection, and what it contained after each write. */
class Cluster {
  readonly pods: Indexer<Pod, 'node'>;
  readonly states: { readonly time: number; readonly text: string }[] = [];
  #version = 0;
  #uids = 0;

  constructor(readonly clock: VirtualClock) {
    this.pods = indexer(clock);
    this.pods.replace([]);
    this.#note();
  }

  write({ name, action, wait, values }: Write): void {
    this.clock.advance(wait);
    const known = this.pods.get(name);
    if (action === 'delete') this.pods.delete(name);
    else {
      const uid = known === undefined || action === 'replace' ? `u${++this.#uids}` : known.metadata.uid!;
      this.pods.update({ ...aPod({ name, uid, version: ++this.#version }), spec: { values, [`n${values[0]}`]: name } });
    }
    this.#note();
  }

  #note(): void {
    const text = textOf(this.pods.list());
    if (text !== this.states.at(-1)?.text) this.states.push({ time: this.clock.now(), text });
  }

  at(time: number): string {
    return (this.states.findLast((state) => state.time <= time) ?? this.states[0])!.text;
  }
}

/** Copies the content of a collection to another, as a port does. */
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

function readAll(
  history: CollectionHistory<Pod>,
  served: ReturnType<ReturnType<typeof recordPast>>,
  size: number,
): void {
  let before = history.oldest!.time + 250;
  for (let parts = 0; ; parts++) {
    const { oldest, isComplete } = readPast(history, partOf(served.read({ before, size })));
    if (isComplete) return;
    if (parts > 1_000) throw new Error('the past has no end');
    before = oldest ?? before;
  }
}

describe('the past that the shared worker has recorded', () => {
  it('is the same in a page as it was, after any history of writes', () => {
    fc.assert(
      fc.property(
        fc.array(write, { maxLength: 40 }),
        fc.array(write, { maxLength: 10 }),
        fc.constantFrom(1, 300, 1e6),
        (earlier, later, size) => {
          const clock = virtualClock({ now: 1_000 });
          const cluster = new Cluster(clock);
          const served = recordPast({ every: 0 })(cluster.pods);
          for (const each of earlier) cluster.write(each);
          clock.advance(3);
          const page = indexer(clock);
          page.replace(copy(cluster.pods.list()));
          const opened = clock.now();
          const recorded = collectionHistory(page, { every: 0 });
          for (const each of later) {
            cluster.write(each);
            page.replace(copy(cluster.pods.list()));
          }
          readAll(recorded, served, size);
          for (const { time } of cluster.states) {
            if (time > opened) continue;
            expect(textOf(recorded.at(time).list() as Pod[])).toBe(cluster.at(time));
          }
          expect(textOf(recorded.at(clock.now()).list() as Pod[])).toBe(textOf(page.list()));
          // Objects are whole, and not only their versions.
          const [first] = recorded.versions;
          const names = [...new Set([...earlier, ...later].map(({ name }) => name))];
          for (const name of names) {
            for (const { changes } of recorded.changesOf(name))
              for (const { object } of changes) expect(Object.keys(object.spec as object)).toContain('values');
          }
          expect(first?.time).toBe(cluster.states[0]!.time);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('has each change of an object once, with whole objects, also if the page had received it later', () => {
    const clock = virtualClock({ now: 1_000 });
    const cluster = new Cluster(clock);
    const served = recordPast({ every: 0 })(cluster.pods);
    const change = (values: readonly string[]): void => {
      cluster.write({ name: 'a', action: 'write', wait: 1_000, values });
    };
    change(['1', '2']);
    change(['1', '3']);
    const page = indexer(clock);
    page.replace(copy(cluster.pods.list()));
    const recorded = collectionHistory(page, { every: 0 });
    change(['1', '4']);
    change(['5']);
    clock.advance(100);
    page.replace(copy(cluster.pods.list()));
    readPast(recorded, partOf(served.read({ before: clock.now() + 1_000, size: 1e6 })));
    const changes = recorded.changesOf('a').map(({ version: { time }, changes: [found] }) => {
      return `${time} ${found!.type} ${JSON.stringify((found!.object.spec as { values: unknown }).values)}`;
    });
    expect(changes).toEqual(['2000 added ["1","2"]', '3000 updated ["1","3"]', '5100 updated ["5"]']);
  });

  it('knows its outages, and the number of its changes over time', () => {
    const clock = virtualClock({ now: 100_000 });
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer<Pod>(source, { linger: 0, scheduler: clock });
    const served = recordPast()(pods);
    pods.connect();
    source.next(watchEvent.listed([aPod({ name: 'a' })], '1'));
    source.next({ type: 'STATUS', status: { state: 'watching', since: 0, resourceVersion: '1' } });
    clock.advance(10_000);
    source.next({ type: 'STATUS', status: { state: 'reconnecting' } });
    clock.advance(20_000);
    source.next({ type: 'STATUS', status: { state: 'watching', since: 0, resourceVersion: '1' } });
    source.next(watchEvent.added(aPod({ name: 'b' })));
    clock.advance(10_000);
    const page = indexer(clock);
    page.replace(copy(pods.list()));
    const recorded = collectionHistory(page);
    const { outline } = readPast(recorded, partOf(served.read({ before: clock.now() + 250, size: 1e6 })));
    expect(outline).toEqual({ since: 100_000, spans: [{ time: 130_000, changes: 1 }] });
    expect(recorded.outages.map(({ from, until }) => [from, until])).toEqual([[100_000, 130_000]]);
    expect(recorded.asOf(120_000)).toBe(100_000);
  });

  it('is empty for a process that records nothing', () => {
    const clock = virtualClock({ now: 1_000 });
    const recorded = collectionHistory(new Cluster(clock).pods);
    expect(readPast(recorded, partOf(''))).toEqual({
      outline: { since: undefined, spans: [] },
      oldest: undefined,
      isComplete: true,
    });
    expect(recorded.versions).toHaveLength(1);
  });

  it('does not contain objects whose rights were withdrawn', () => {
    const clock = virtualClock({ now: 1_000 });
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer<Pod>(source, { linger: 0, scheduler: clock });
    const served = recordPast()(pods);
    pods.connect();
    source.next(watchEvent.listed([aPod({ name: 'withdrawn' })], '1'));
    clock.advance(1_000);
    source.next(watchEvent.added(aPod({ name: 'b' })));
    clock.advance(1_000);
    const read = (): string => served.read({ before: clock.now(), size: 1e6 });
    source.next(watchEvent.listed<Pod>([]));
    expect(read()).toContain('withdrawn');
    const status = { state: 'forbidden', until: 0, attempt: 1, cause: new Error('no') as never } as const;
    source.next({ type: 'STATUS', status });
    expect(read()).not.toContain('withdrawn');
  });
});
