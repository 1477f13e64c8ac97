import { informer, type Informer, mergeSources, type Source } from 'rx-informers';
import { overlay } from 'rx-informers/controller';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { defer, of, Subject } from 'rxjs';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { expectOutput } from '../support/unexpected-output.js';
import { busyScheduler, type BusyScheduler } from './support/busy-scheduler.js';

const { added, deleted, listed, modified } = watchEvent;

const COUNT = 20_000;
const manyPods = (version: number): Pod[] =>
  Array.from({ length: COUNT }, (_, number) =>
    aPod({ name: `p${number}`, uid: `u${number}`, version, node: `n${number % 10}` }),
  );

const last = aPod({ name: 'q', uid: 'q', version: 1 });

interface Setting {
  readonly source: Subject<WatchEvent<Pod>>;
  readonly scheduler: BusyScheduler;
  readonly pods: Informer<Pod, 'node'>;
}

function setting(milliseconds = 1): Setting {
  const source = new Subject<WatchEvent<Pod>>();
  const scheduler = busyScheduler(milliseconds);
  const pods = informer<Pod, 'node'>(source, { linger: 0, indexers: { node: byNode }, scheduler, freeze: false });
  return { source, scheduler, pods };
}

describe('a list of many thousand objects', () => {
  it('G3: becomes visible as one commit, although it is applied in slices', () => {
    const { source, scheduler, pods } = setting();
    const sizes: number[] = [];
    pods.byIndex$('node', 'n1').subscribe((bucket) => sizes.push(bucket.length));
    source.next(listed(manyPods(1), '1'));
    expect([pods.hasSynced, pods.list().length, sizes]).toEqual([false, 0, []]);
    const before: number[] = [];
    while (!pods.hasSynced) {
      before.push(pods.list().length + sizes.length);
      scheduler.runNext();
    }
    expect(before.length).toBeGreaterThan(5);
    expect(new Set(before)).toEqual(new Set([0]));
    expect(scheduler.pending).toBe(0);
    expect([pods.list().length, sizes]).toEqual([COUNT, [COUNT / 10]]);
  });

  it('G3: leaves the old content readable until it is applied, and then removes the missing objects', () => {
    const { source, scheduler, pods } = setting();
    pods.connect();
    source.next(listed([aPod({ name: 'old', version: 1, node: 'n1' })], '1'));
    expect(pods.keys()).toEqual(['old']);
    source.next(listed(manyPods(2), '2'));
    expect(pods.keys()).toEqual(['old']);
    scheduler.runAll();
    expect([pods.has('old'), pods.list().length]).toEqual([false, COUNT]);
  });

  it.each([
    { what: 'deletes all objects', next: [] },
    { what: 'replaces all objects', next: manyPods(2) },
    { what: 'changes nothing', next: manyPods(1) },
    { what: 'is not ordered', next: manyPods(2).reverse() },
  ])('does not block the event loop if it $what', ({ next }) => {
    const { source, scheduler, pods } = setting();
    pods.connect();
    source.next(listed(manyPods(1), '1'));
    scheduler.runAll();
    source.next(listed(next, '2'));
    let slices = 0;
    while (scheduler.pending > 0) {
      scheduler.runNext();
      slices++;
    }
    // At most eight times 512 objects at once.
    expect(slices).toBeGreaterThanOrEqual(Math.floor(COUNT / 512 / 8));
    expect(pods.list()).toHaveLength(next.length);
  });

  it('G1: is applied before the events that follow it', () => {
    const { source, scheduler, pods } = setting();
    const seen: string[] = [];
    pods.changes$.subscribe(({ reason, changes }) => seen.push(`${reason} ${changes.length}`));
    source.next(listed(manyPods(1), '1'));
    source.next(modified(aPod({ name: 'p7', uid: 'u7', version: 2, node: 'elsewhere' })));
    source.next(deleted(aPod({ name: 'p8', uid: 'u8', version: 3 })));
    source.next(added(aPod({ name: 'new', version: 4, node: 'elsewhere' })));
    expect(seen).toEqual([]);
    scheduler.runAll();
    expect(seen).toEqual([`initial ${COUNT}`, 'watch 1', 'watch 1', 'watch 1']);
    expect(pods.indexKeys('node', 'elsewhere')).toEqual(['new', 'p7']);
    expect(pods.has('p8')).toBe(false);
  });

  it('delays the status of the source until the data before it can be read', () => {
    expectOutput(/RXI_UNEXPECTED_SOURCE.*the source broke/);
    const { source, scheduler, pods } = setting();
    const states: string[] = [];
    pods.status$.subscribe(({ state }) => states.push(`${state} ${pods.snapshot.size}`));
    pods.connect();
    source.next({ type: 'STATUS', status: { state: 'listing', by: 'stream', received: 7 } });
    source.next(listed(manyPods(1), '1'));
    source.next({ type: 'STATUS', status: { state: 'watching', since: 0, resourceVersion: '1' } });
    source.error(new Error('the source broke'));
    expect(states).toEqual(['stopped 0', 'listing 0', 'listing 0']);
    while (pods.status.state !== 'backing-off') scheduler.runNext();
    expect(states.slice(3)).toEqual([`watching ${COUNT}`, `backing-off ${COUNT}`]);
    pods.stop();
  });

  it('delays completion until it has been emitted', () => {
    const { source, scheduler, pods } = setting();
    const seen: string[] = [];
    pods.changes$.subscribe({
      next: ({ changes }) => seen.push(`${changes.length}`),
      complete: () => seen.push('complete'),
    });
    source.next(listed(manyPods(1), '1'));
    source.complete();
    expect(seen).toEqual([]);
    scheduler.runAll();
    expect(seen).toEqual([`${COUNT}`, 'complete']);
  });

  it('G4: is read again if an object in it has no key, even if the source completed meanwhile', () => {
    const scheduler = busyScheduler();
    const all = manyPods(1);
    const lists = [listed([...all, { metadata: {} } as unknown as Pod], '1'), listed([...all, last], '2')];
    const pods = informer(
      defer(() => of(lists.shift()!)),
      { linger: 0, scheduler, freeze: false, onUnobservedError: () => undefined },
    );
    const seen: string[] = [];
    pods.changes$.subscribe({
      next: ({ reason, changes }) => seen.push(`${reason} ${changes.length}`),
      complete: () => seen.push('complete'),
    });
    scheduler.runAll();
    expect(seen).toEqual([`initial ${COUNT}`, 'relist 1', 'complete']);
  });

  it('G8: is dropped with the last subscriber, and leaves nothing scheduled', () => {
    const { source, scheduler, pods } = setting();
    const emitted: unknown[] = [];
    const subscription = pods.snapshot$.subscribe((snapshot) => emitted.push(snapshot));
    source.next(listed(manyPods(1), '1'));
    expect(scheduler.pending).toBe(1);
    subscription.unsubscribe();
    expect([scheduler.pending, emitted.length, pods.hasSynced]).toEqual([0, 0, false]);
    pods.connect();
    source.next(listed([aPod({ name: 'again', version: 1 })], '1'));
    expect(pods.keys()).toEqual(['again']);
  });

  it('S11: is contained in indexes that are added meanwhile', () => {
    const { source, scheduler, pods } = setting();
    pods.connect();
    source.next(listed(manyPods(1), '1'));
    expect(pods.hasSynced).toBe(false);
    const more = pods.addIndexers({ parity: (pod) => (Number(pod.metadata.name.slice(1)) % 2 === 0 ? 'even' : 'odd') });
    expect([more.byIndex('parity', 'odd').length, more.byIndex('node', 'n3').length]).toEqual([COUNT / 2, COUNT / 10]);
    source.next(added(aPod({ name: 'p1000001', version: 2 })));
    expect(more.byIndex('parity', 'odd').length).toBe(COUNT / 2 + 1);
    expect(scheduler.pending).toBe(0);
  });

  it('H4: does not delay a written object, which is shown at once', () => {
    const { source, scheduler } = setting();
    const overlaid = overlay(source);
    const pods = informer<Pod, 'node'>(overlaid, { indexers: { node: byNode }, scheduler, freeze: false, linger: 0 });
    pods.connect();
    source.next(listed(manyPods(1), '1'));
    source.next(modified(aPod({ name: 'p8', uid: 'u8', version: 2, node: 'elsewhere' })));
    expect(pods.hasSynced).toBe(false);
    overlaid.show(aPod({ name: 'p7', uid: 'u7', version: 3, node: 'elsewhere' }));
    expect([pods.list().length, pods.indexKeys('node', 'elsewhere')]).toEqual([COUNT, ['p7', 'p8']]);
    expect(scheduler.pending).toBe(0);
    overlaid.showDeleted(aPod({ name: 'p7', uid: 'u7', version: 3 }));
    expect(pods.indexKeys('node', 'elsewhere')).toEqual(['p8']);
    pods.stop();
  });

  it.each([
    ['merged', (overlaid: Source<Pod>) => mergeSources({ a: overlaid })],
    ['merged and overlaid again', (overlaid: Source<Pod>) => overlay(mergeSources({ a: overlaid }))],
  ])('H4: does not delay an object written to a source that is %s', (_name, combined) => {
    const { source, scheduler } = setting();
    const overlaid = overlay(source);
    const pods = informer<Pod, 'node'>(combined(overlaid), {
      indexers: { node: byNode },
      scheduler,
      freeze: false,
      linger: 0,
    });
    pods.connect();
    source.next(listed(manyPods(1), '1'));
    expect(pods.hasSynced).toBe(false);
    overlaid.show(aPod({ name: 'p7', uid: 'u7', version: 3, node: 'elsewhere' }));
    expect([pods.list().length, pods.indexKeys('node', 'elsewhere')]).toEqual([COUNT, ['p7']]);
    expect(scheduler.pending).toBe(0);
    pods.stop();
  });

  it.each([
    ['that is not merged', (overlaid: Source<Pod>) => overlaid],
    ['that is merged', (overlaid: Source<Pod>) => mergeSources({ a: overlaid })],
  ])('is not undone by an attempt at an object of an overlay %s', (_name, combined) => {
    const { source, scheduler } = setting();
    const overlaid = overlay(source);
    const pods = informer<Pod, 'node'>(combined(overlaid), {
      indexers: { node: byNode },
      scheduler,
      freeze: false,
      linger: 0,
    });
    pods.connect();
    source.next(listed([aPod({ name: 'p7', uid: 'u7', version: 1, node: 'n1' })], '1'));
    source.next(listed(manyPods(2), '2'));
    expect(pods.list().length).toBe(1);
    const ends = ['p7', 'p8'].map((key) =>
      overlaid.attempt(key, (pod) => ({ ...pod, spec: { ...pod.spec, nodeName: 'elsewhere' } })),
    );
    scheduler.runAll();
    expect(pods.indexKeys('node', 'elsewhere')).toEqual(['p7', 'p8']);
    for (const end of ends) end();
    expect(['p7', 'p8'].map((key) => pods.get(key)?.metadata.resourceVersion)).toEqual(['2', '2']);
    pods.stop();
  });

  it('is applied at once if it is short, regardless of the speed of the machine', () => {
    const { source, scheduler, pods } = setting(1_000);
    pods.connect();
    source.next(listed(manyPods(1).slice(0, 511), '1'));
    expect([pods.list().length, scheduler.pending]).toEqual([511, 0]);
  });

  it('G9: is applied at once in virtual time, which does not advance meanwhile', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer(source, { scheduler: { ...busyScheduler(), now: () => 0 }, freeze: false });
    pods.connect();
    source.next(listed(manyPods(1), '1'));
    expect(pods.list().length).toBe(COUNT);
  });
});
