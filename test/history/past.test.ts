import fc from 'fast-check';
import { createIndexer, informer, type Indexer } from 'rx-informers';
import { collectionHistory, movableTime, readPast, recordPast, type CollectionHistory } from 'rx-informers/history';
import { metaNamespaceKey, watchEvent, type WatchEvent } from 'rx-informers/store';
import { virtualClock, type VirtualClock } from 'rx-informers/testing';
import { Subject } from 'rxjs';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';

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
    const { oldest, isComplete } = readPast(history, served.read({ before, size }));
    if (isComplete) return;
    if (parts > 1_000) throw new Error('the past has no end');
    before = oldest ?? before;
  }
}

describe('the past that another process has recorded', () => {
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
    readPast(recorded, served.read({ before: clock.now() + 1_000, size: 1e6 }));
    const changes = recorded.changesOf('a').map(({ version: { time }, changes: [found] }) => {
      return `${time} ${found!.type} ${JSON.stringify((found!.object.spec as { values: unknown }).values)}`;
    });
    expect(changes).toEqual(['2000 added ["1","2"]', '3000 updated ["1","3"]', '5100 updated ["5"]']);
  });

  it('moves a view that shows a time before the page was opened', () => {
    const clock = virtualClock({ now: 1_000 });
    const cluster = new Cluster(clock);
    const served = recordPast()(cluster.pods);
    cluster.write({ name: 'a', action: 'write', wait: 1_000, values: [] });
    clock.advance(1_000);
    const page = indexer(clock);
    page.replace(copy(cluster.pods.list()));
    const recorded = collectionHistory(page);
    const time = movableTime({ scheduler: clock });
    const view = recorded.view(time, { linger: 0 });
    view.connect();
    time.moveTo(1_500);
    expect(textOf(view.list())).toBe('a@1');
    readAll(recorded, served, 1e6);
    expect(view.list()).toEqual([]);
    time.moveTo(2_500);
    expect(textOf(view.list())).toBe('a@1');
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
    const { outline } = readPast(recorded, served.read({ before: clock.now() + 250, size: 1e6 }));
    expect(outline).toEqual({ since: 100_000, spans: [{ time: 130_000, changes: 1 }] });
    expect(recorded.outages.map(({ from, until }) => [from, until])).toEqual([[100_000, 130_000]]);
    expect(recorded.asOf(120_000)).toBe(100_000);
  });

  it('is empty for a process that records nothing', () => {
    const clock = virtualClock({ now: 1_000 });
    const recorded = collectionHistory(new Cluster(clock).pods);
    expect(readPast(recorded, '')).toEqual({
      outline: { since: undefined, spans: [] },
      oldest: undefined,
      isComplete: true,
    });
    expect(recorded.versions).toHaveLength(1);
  });
});

describe('a history that takes too much memory', () => {
  it('joins old versions and marks them: each version is still a state that there was in its time', () => {
    fc.assert(
      fc.property(fc.array(write, { minLength: 20, maxLength: 120 }), (writes) => {
        const clock = virtualClock({ now: 1_000 });
        const cluster = new Cluster(clock);
        const recorded = collectionHistory(cluster.pods, { every: 0, bytes: 20_000, thinTo: 5_000 });
        for (const each of writes) {
          cluster.write({ ...each, wait: each.wait + 1 });
          expect(recorded.bytes).toBeLessThan(20_000 + 2_000);
        }
        const { versions } = recorded;
        for (const [position, version] of versions.entries()) {
          const { time, isThinned = false } = version;
          const end = versions[position + 1]?.time ?? Infinity;
          const states = cluster.states.filter((state) => state.time >= time && state.time < end);
          const text = textOf(recorded.at(version).list() as Pod[]);
          if (position > 0) expect(states.at(-1)!.text).toBe(text);
          if (position > 0 && !isThinned) expect(states).toHaveLength(1);
        }
        expect(textOf(recorded.at(clock.now()).list() as Pod[])).toBe(cluster.states.at(-1)!.text);
      }),
      { numRuns: 100 },
    );
  });

  it('reaches further back than one that only drops the oldest versions', () => {
    const clock = virtualClock({ now: 1_000 });
    const cluster = new Cluster(clock);
    const limits = { every: 0, bytes: 50_000, for: 1e9 };
    const dropping = collectionHistory(cluster.pods, limits);
    const thinning = collectionHistory(cluster.pods, { ...limits, thinTo: 60_000 });
    for (let change = 0; change < 1_000; change++)
      cluster.write({ name: 'a', action: 'write', wait: 1_000, values: [String(change)] });
    const ages = [dropping, thinning].map(({ oldest }) => clock.now() - oldest!.time);
    expect(ages[1]).toBeGreaterThan(ages[0]! * 5);
    expect(thinning.versions.some(({ isThinned }) => isThinned)).toBe(true);
    expect(dropping.versions.some(({ isThinned }) => isThinned)).toBe(false);
    // Each part is at most an eighth as long as it is old.
    for (const [position, { time, isThinned }] of thinning.versions.entries()) {
      const next = thinning.versions[position + 1];
      if (isThinned && position > 0 && next !== undefined)
        expect(next.time - time).toBeLessThan((clock.now() - time) / 8 + 2_000);
    }
  });

  it('keep drops what is beyond a smaller limit', () => {
    const clock = virtualClock({ now: 1_000 });
    const cluster = new Cluster(clock);
    const recorded = collectionHistory(cluster.pods, { for: 100_000 });
    for (let change = 0; change < 10; change++) cluster.write({ name: 'a', action: 'write', wait: 1_000, values: [] });
    recorded.keep({ for: 2_500 });
    expect(recorded.versions.map(({ time }) => time)).toEqual([8_000, 9_000, 10_000, 11_000]);
  });
});

describe('the history of objects whose rights were withdrawn', () => {
  const waiting = { state: 'forbidden', until: 0, attempt: 1, cause: new Error('no') as never } as const;

  it('contains none of these objects, in versions, views and the past of other processes', () => {
    const clock = virtualClock({ now: 1_000 });
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer<Pod>(source, { linger: 0, scheduler: clock });
    const [recorded, served] = [collectionHistory(pods), recordPast()(pods)];
    pods.connect();
    const time = movableTime({ scheduler: clock });
    const view = recorded.view(time, { linger: 0 });
    view.connect();
    source.next(watchEvent.listed([aPod({ name: 'secret' })], '1'));
    clock.advance(1_000);
    source.next(watchEvent.added(aPod({ name: 'b' })));
    clock.advance(1_000);
    time.moveTo(1_500);
    expect(view.keys()).toEqual(['secret']);
    source.next(watchEvent.listed<Pod>([]));
    source.next({ type: 'STATUS', status: waiting });
    expect(view.keys()).toEqual([]);
    expect(recorded.versions.map(({ changes }) => changes)).toEqual([0]);
    expect([recorded.at(0).size, recorded.changesOf('secret')]).toEqual([0, []]);
    expect(served.read({ before: 1e9, size: 1e6 })).not.toContain('secret');
    time.moveTo(1_200);
    expect(view.keys()).toEqual([]);

    clock.advance(1_000);
    source.next(watchEvent.listed([aPod({ name: 'again' })], '9'));
    expect(recorded.at(clock.now()).keys()).toEqual(['again']);
    time.moveTo(undefined);
    expect(view.keys()).toEqual(['again']);
  });

  it('still contains objects that were deleted, and objects of a connection that was lost', () => {
    const clock = virtualClock({ now: 1_000 });
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer<Pod>(source, { linger: 0, scheduler: clock });
    const recorded = collectionHistory(pods);
    pods.connect();
    source.next(watchEvent.listed([aPod({ name: 'a' })], '1'));
    clock.advance(1_000);
    source.next({ type: 'STATUS', status: waiting });
    source.next(watchEvent.deleted(aPod({ name: 'a' })));
    source.next({ type: 'STATUS', status: { state: 'reconnecting' } });
    expect(recorded.at(1_500).keys()).toEqual(['a']);
  });
});
