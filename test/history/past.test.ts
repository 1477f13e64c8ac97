import fc from 'fast-check';
import { createIndexer, informer, type Indexer } from 'rx-informers';
import { collectionHistory, movableTime, type EarlierVersion } from 'rx-informers/history';
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
  readonly states: { readonly time: number; readonly text: string; readonly pods: readonly Pod[] }[] = [];
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
    const pods = this.pods.list();
    const text = textOf(pods);
    if (text !== this.states.at(-1)?.text) this.states.push({ time: this.clock.now(), text, pods });
  }

  at(time: number): string {
    return (this.states.findLast((state) => state.time <= time) ?? this.states[0])!.text;
  }
}

/** The states of a cluster, each as the objects that differ in the next state. */
function earlierVersions({ states }: Cluster): readonly EarlierVersion<Pod>[] {
  return states.map(({ time, pods }, position) => {
    const byName = (all: readonly Pod[]): Map<string, Pod> => new Map(all.map((pod) => [pod.metadata.name, pod]));
    const [these, next] = [byName(pods), byName(states[position + 1]?.pods ?? pods)];
    const names = [...new Set([...these.keys(), ...next.keys()])].filter((name) => these.get(name) !== next.get(name));
    return { time, objects: new Map(names.map((name) => [name, these.get(name)])) };
  });
}

describe('versions that are added before the oldest one', () => {
  it('show each state that there was, after any history, in parts of any size', () => {
    fc.assert(
      fc.property(
        fc.array(write, { maxLength: 40 }),
        fc.array(write, { maxLength: 10 }),
        fc.integer({ min: 1, max: 50 }),
        (earlier, later, size) => {
          const clock = virtualClock({ now: 1_000 });
          const cluster = new Cluster(clock);
          for (const each of earlier) cluster.write(each);
          const versions = earlierVersions(cluster);
          clock.advance(3);
          // The history begins now.
          const recorded = collectionHistory(cluster.pods, { every: 0 });
          for (const each of later) cluster.write(each);
          for (let end = versions.length; end > 0; end -= size)
            recorded.prepend(versions.slice(Math.max(end - size, 0), end));
          for (const { time } of cluster.states)
            expect(textOf(recorded.at(time).list() as Pod[])).toBe(cluster.at(time));
          expect(recorded.oldest!.time).toBe(1_000);
          const numbers = recorded.versions.map(({ version }) => version);
          expect(numbers).toEqual(numbers.map((_, position) => numbers[0]! + position));
          // All changes together lead from the first state to the last one, in both directions.
          const all = recorded.diff(recorded.oldest!, recorded.newest!).changes.length;
          expect(recorded.diff(recorded.newest!, recorded.oldest!).changes).toHaveLength(all);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('move a view that shows a time before the oldest one', () => {
    const clock = virtualClock({ now: 1_000 });
    const cluster = new Cluster(clock);
    cluster.write({ name: 'a', action: 'write', wait: 1_000, values: [] });
    clock.advance(1_000);
    const recorded = collectionHistory(cluster.pods);
    const time = movableTime({ scheduler: clock });
    const view = recorded.view(time, { linger: 0 });
    view.connect();
    time.moveTo(1_500);
    expect(textOf(view.list())).toBe('a@1');
    recorded.prepend(earlierVersions(cluster));
    expect(view.list()).toEqual([]);
    time.moveTo(2_500);
    expect(textOf(view.list())).toBe('a@1');
  });

  it('are far away from the first checkpoint without a loss', () => {
    const clock = virtualClock({ now: 1_000 });
    const cluster = new Cluster(clock);
    for (let change = 0; change < 5_000; change++)
      cluster.write({ name: 'abcd'[change % 4]!, action: 'write', wait: 1, values: [String(change)] });
    const recorded = collectionHistory(cluster.pods);
    const versions = earlierVersions(cluster);
    for (let end = versions.length; end > 0; end -= 100) recorded.prepend(versions.slice(Math.max(end - 100, 0), end));
    for (const { time, text } of cluster.states.filter((_, position) => position % 97 === 0))
      expect(textOf(recorded.at(time).list() as Pod[])).toBe(text);
  });

  it('have outages of their own', () => {
    const clock = virtualClock({ now: 100_000 });
    const recorded = collectionHistory(new Cluster(clock).pods);
    const outage = { from: 60_000, until: 70_000, status: { state: 'reconnecting' } } as const;
    recorded.prepend([{ time: 50_000, objects: new Map([['a', aPod({ name: 'a' })]]) }], [outage]);
    expect(recorded.outages).toEqual([outage]);
    expect([recorded.asOf(65_000), recorded.asOf(75_000), recorded.asOf(40_000)]).toEqual([60_000, 75_000, undefined]);
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
          const text = textOf(recorded.at(version).list());
          // The oldest version began before its first state that is known here.
          expect(position === 0 ? text : states.at(-1)!.text).toBe(text);
          expect(position === 0 || isThinned || states.length === 1).toBe(true);
        }
        expect(textOf(recorded.at(clock.now()).list() as Pod[])).toBe(cluster.states.at(-1)!.text);
      }),
      { numRuns: 30 },
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
    const lengths = thinning.versions.slice(1, -1).map(({ time, isThinned = false }, position) => {
      const length = thinning.versions[position + 2]!.time - time;
      return isThinned ? length / (clock.now() - time) : 0;
    });
    expect(Math.max(...lengths)).toBeLessThan(0.2);
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

  it('contains none of these objects, neither in versions nor in views', () => {
    const clock = virtualClock({ now: 1_000 });
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer<Pod>(source, { linger: 0, scheduler: clock });
    const recorded = collectionHistory(pods);
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
