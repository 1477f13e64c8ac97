import { createIndexer, informer, type Indexer, type Informer, type SourceStatus } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey, watchEvent, type WatchEvent } from 'rx-informers/store';
import { virtualClock, type VirtualClock } from 'rx-informers/testing';
import {
  BehaviorSubject,
  concat,
  defer,
  filter,
  NEVER,
  Observable,
  of,
  repeat,
  Subject,
  take,
  Subscription,
} from 'rxjs';
import { internalsOf } from '../../src/collections/log-collection.js';
import { a1, a2, aPod, b1, byNode, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';

const { listed, modified, deleted } = watchEvent;
const quiet = { onUnobservedError: () => undefined };
const root = (...objects: Pod[]): Indexer<Pod> => {
  const indexer = createIndexer<Pod>(metaNamespaceKey, {}, quiet);
  indexer.replace(objects);
  return indexer;
};

interface Fed {
  readonly source: Subject<WatchEvent<Pod>>;
  readonly pods: Informer<Pod, 'node'>;
}

function fed(clock: VirtualClock, linger = 0): Fed {
  const source = new Subject<WatchEvent<Pod>>();
  return { source, pods: informer(source, { ...quiet, linger, scheduler: clock, indexers: { node: byNode } }) };
}

const nameOf = ({ metadata: { name } }: Pod): string => name;

function inPairs(
  left: Informer<Pod, 'node'>,
  right: Informer<Pod, 'node'>,
  clock: VirtualClock,
): derived.DerivedCollection<string> {
  return derived.derive(
    left,
    { right },
    (pod, read) => `${nameOf(pod)} of ${read.right.byIndex('node', 'n1').length}`,
    {
      ...quiet,
      linger: 0,
      scheduler: clock,
    },
  );
}

function expectFree(...collections: Parameters<typeof internalsOf>[0][]): void {
  for (const collection of collections) {
    const { dependents, listeners } = internalsOf(collection).log;
    expect([dependents.size, listeners.all.length]).toEqual([0, 0]);
  }
}

describe('J4: a derived collection before and after its inputs have synced', () => {
  it('emits nothing before all inputs have synced, and then its rows, even if there are none', () => {
    const clock = virtualClock();
    const [left, right] = [fed(clock), fed(clock)];
    const rows = inPairs(left.pods, right.pods, clock);
    const sizes: number[] = [];
    rows.list$().subscribe((list) => sizes.push(list.length));
    left.source.next(listed([]));
    left.source.next(modified(a1));
    left.source.next(deleted(a1));
    expect([sizes, rows.hasSynced]).toEqual([[], false]);
    right.source.next(listed([]));
    expect([sizes, rows.hasSynced]).toEqual([[0], true]);
    left.source.next(modified(a1));
    expect([sizes, rows.list()]).toEqual([[0, 1], ['a of 0']]);
  });

  it('has its rows when subscribe returns if its sources list synchronously', () => {
    const clock = virtualClock();
    const at = (...pods: Pod[]): Informer<Pod, 'node'> =>
      informer(concat(of(listed(pods)), NEVER), { ...quiet, linger: 0, scheduler: clock, indexers: { node: byNode } });
    const rows = inPairs(at(a1, b1), at(a1), clock);
    const seen: unknown[] = [];
    rows.list$().subscribe((list) => seen.push(list));
    expect(seen).toEqual([['a of 1', 'b of 1']]);
  });

  it('has the status of its least healthy input, and emits each status once', () => {
    const clock = virtualClock();
    const [left, right] = [fed(clock), fed(clock)];
    const rows = inPairs(left.pods, right.pods, clock);
    const states: string[] = [];
    rows.status$.subscribe(({ state }) => states.push(state));
    const running = rows.connect();
    const watching = { type: 'STATUS', status: { state: 'watching', since: 0, resourceVersion: '1' } } as const;
    left.source.next(listed([a1]));
    right.source.next(listed([a1]));
    right.source.next({ type: 'STATUS', status: { state: 'forbidden', since: 0 } as unknown as SourceStatus });
    left.source.next({ type: 'STATUS', status: { state: 'reconnecting', since: 0 } as unknown as SourceStatus });
    right.source.next(watching);
    left.source.next(watching);
    running.unsubscribe();
    expect(states).toEqual(['stopped', 'listing', 'watching', 'forbidden', 'reconnecting', 'watching', 'stopped']);
    expect(rows.status.state).toBe('stopped');
  });

  it('whenSynced resolves when the last input has synced, and rejects if the collection is stopped before', async () => {
    const clock = virtualClock();
    const [left, right] = [fed(clock), fed(clock)];
    const rows = inPairs(left.pods, right.pods, clock);
    await expect(rows.whenSynced()).rejects.toThrow(errorWith('RXI_NOT_RUNNING'));
    rows.connect();
    const stopped = rows.whenSynced();
    right.pods.stop();
    await expect(stopped).rejects.toThrow(errorWith('RXI_NOT_RUNNING'));
    rows.connect();
    const synced = rows.whenSynced();
    left.source.next(listed([]));
    right.source.next(listed([]));
    await synced;
  });
});

describe('J7: the life cycle of a derived collection', () => {
  it('keeps its inputs running while it has a subscriber and while it lingers, and shares one computation', () => {
    const clock = virtualClock();
    const { source, pods } = fed(clock, 100);
    let calls = 0;
    const rows = derived.derive(pods, {}, (pod) => (calls++, nameOf(pod)), {
      ...quiet,
      linger: 1_000,
      scheduler: clock,
    });
    const first = rows.list$().subscribe();
    source.next(listed([a1, b1]));
    const second = rows.get$('a').subscribe();
    first.unsubscribe();
    second.unsubscribe();
    clock.advance(999);
    rows.list$().pipe(take(1)).subscribe();
    expect([calls, rows.isRunning, pods.isRunning]).toEqual([2, true, true]);
    clock.advance(1_000);
    expect([rows.isRunning, pods.isRunning, rows.snapshot.size]).toEqual([false, true, 0]);
    clock.advance(100);
    expect([pods.isRunning, source.observed, clock.timers]).toEqual([false, false, 0]);
    expectFree(pods, rows);
  });

  it('computes its rows again for the next subscriber', () => {
    const clock = virtualClock();
    const pods = root(a1);
    const rows = derived.derive(pods, {}, nameOf, { ...quiet, linger: 0, scheduler: clock });
    rows.connect().unsubscribe();
    pods.add(b1);
    const seen: unknown[] = [];
    rows.changes$.subscribe(({ reason, changes }) => seen.push([reason, changes.map(({ key }) => key)]));
    expect(seen).toEqual([['initial', ['a', 'b']]]);
  });

  it.each(['left', 'right'] as const)(
    'completes when its %s input is stopped, and unsubscribes from the other one',
    (side) => {
      const clock = virtualClock();
      const inputs = { left: fed(clock), right: fed(clock) };
      const rows = inPairs(inputs.left.pods, inputs.right.pods, clock);
      const above = derived.derive(rows, { pods: inputs.left.pods }, (row) => row, {
        ...quiet,
        linger: 0,
        scheduler: clock,
      });
      const seen: string[] = [];
      for (const [name, collection] of Object.entries({ rows, above })) {
        collection.list$().subscribe({
          next: (list) => seen.push(`${name} ${list.length}`),
          complete: () => seen.push(`${name} over`),
        });
      }
      inputs.left.source.next(listed([a1]));
      inputs.right.source.next(listed([a1]));
      inputs[side].pods.stop();
      expect(seen).toEqual(['rows 1', 'above 1', 'rows over', 'above over']);
      expect([rows.isRunning, above.isRunning, inputs.left.pods.isRunning, inputs.right.pods.isRunning]).toEqual([
        false,
        false,
        false,
        false,
      ]);
      expectFree(inputs.left.pods, inputs.right.pods, rows, above);
      expect(clock.timers).toBe(0);
    },
  );

  it('shows nothing of an input that is being stopped, even if the other input is written to meanwhile', () => {
    const clock = virtualClock();
    const { source, pods } = fed(clock);
    const others = root(b1);
    const rows = derived.derive(others, { pods }, (other, read) => [other, read.pods.get('a')], {
      ...quiet,
      linger: 0,
      scheduler: clock,
    });
    const above = derived.derive(rows, { others }, (row) => row, { ...quiet, linger: 0, scheduler: clock });
    const seen: unknown[] = [];
    pods.list$().subscribe({ complete: () => others.add(aPod({ name: 'b', version: 9 })) });
    above.get$('b').subscribe((row) => seen.push(row));
    source.next(listed([a1]));
    pods.stop();
    expect(seen).toEqual([[b1, a1]]);
  });

  it('starts again for a subscriber that subscribes again in its complete handler', () => {
    const clock = virtualClock();
    let lists = 0;
    const pods = informer(
      new Observable<WatchEvent<Pod>>((subscriber) => {
        subscriber.next(listed([aPod({ name: `list ${++lists}` })]));
      }),
      { ...quiet, linger: 0, scheduler: clock },
    );
    const one = derived.derive(pods, {}, nameOf, { ...quiet, linger: 0, scheduler: clock });
    const two = derived.derive(pods, {}, nameOf, { ...quiet, linger: 0, scheduler: clock });
    const seen: string[] = [];
    const open: Subscription[] = [];
    const again = (name: string, collection: derived.DerivedCollection<string>, times = 1): void => {
      open.push(
        collection.list$().subscribe({
          next: (list) => seen.push(`${name} ${list.join()}`),
          complete: () => {
            seen.push(`${name} over`);
            // The other one too: it belongs to the next run, and is not ended by this one.
            if (times > 0)
              for (const [which, each] of [
                ['one', one],
                ['two', two],
              ] as const)
                again(which, each, times - 1);
          },
        }),
      );
    };
    again('one', one);
    pods.stop();
    expect(seen).toEqual(['one list 1', 'one over', 'one list 2', 'two list 2']);
    expect([one.isRunning, two.isRunning]).toEqual([true, true]);
    open.forEach((subscription) => subscription.unsubscribe());
    expect([pods.isRunning, clock.timers]).toEqual([false, 0]);
    expectFree(pods, one, two);
  });

  it('is not ended by a stop of an input from before it was started again', () => {
    const clock = virtualClock();
    const pods = informer(concat(of(listed([a1])), NEVER), { ...quiet, linger: 0, scheduler: clock });
    const one = derived.derive(pods, {}, nameOf, { ...quiet, linger: 0, scheduler: clock });
    const two = derived.derive(pods, {}, nameOf, { ...quiet, linger: 0, scheduler: clock });
    const seen: string[] = [];
    const open = (run: string): Subscription =>
      two
        .list$()
        .subscribe({ next: (list) => seen.push(`${run} ${list.join()}`), complete: () => seen.push(`${run} over`) });
    let second: Subscription | undefined;
    one.list$().subscribe({
      complete: () => {
        first.unsubscribe();
        second = open('second');
      },
    });
    const first = open('first');
    pods.stop();
    expect([seen, two.isRunning]).toEqual([['first a', 'second a'], true]);
    second?.unsubscribe();
    expectFree(pods, one, two);
  });

  it('completes when all inputs have completed, after its last rows, which late subscribers receive too', () => {
    const clock = virtualClock();
    const [left, right] = [fed(clock), fed(clock)];
    const rows = inPairs(left.pods, right.pods, clock);
    const seen: string[] = [];
    const open = rows.list$().subscribe({ next: (list) => seen.push(list.join()), complete: () => seen.push('over') });
    const kept = rows.connect();
    left.source.next(listed([a1]));
    left.source.complete();
    right.source.next(listed([]));
    right.source.next(modified(a2));
    right.source.complete();
    rows
      .list$()
      .subscribe({ next: (list) => seen.push(`late ${list.join()}`), complete: () => seen.push('late over') });
    expect(seen).toEqual(['a of 0', 'a of 1', 'over', 'late a of 1', 'late over']);
    open.unsubscribe();
    kept.unsubscribe();
    expect([rows.isRunning, left.pods.isRunning, clock.timers]).toEqual([false, false, 0]);
  });

  it('completes without rows if an input completes that has never synced, because it will never have any', async () => {
    const clock = virtualClock();
    const [left, right] = [fed(clock), fed(clock)];
    const rows = inPairs(left.pods, right.pods, clock);
    const seen: string[] = [];
    rows.list$().subscribe({ next: () => seen.push('rows'), complete: () => seen.push('over') });
    const kept = rows.connect();
    const synced = rows.whenSynced();
    left.source.complete();
    expect(seen).toEqual(['over']);
    await expect(synced).rejects.toThrow(errorWith('RXI_NOT_RUNNING'));
    await expect(rows.whenSynced()).rejects.toThrow(errorWith('RXI_NOT_RUNNING'));
    kept.unsubscribe();
    expectFree(left.pods, right.pods, rows);
  });

  it('is stopped when it completes, so subscribers that wait for a restart do not subscribe again at once', () => {
    const clock = virtualClock();
    const [left, right] = [fed(clock), fed(clock)];
    const rows = inPairs(left.pods, right.pods, clock);
    let subscribed = 0;
    const throughRestarts$ = defer(() => {
      if (++subscribed > 10) throw new Error('it subscribes again and again');
      return rows.list$();
    }).pipe(repeat({ delay: () => rows.status$.pipe(filter(({ state }) => state !== 'stopped')) }));
    const following = [throughRestarts$.subscribe(), throughRestarts$.subscribe()];
    right.source.next(listed([a1]));
    left.source.complete();
    expect([rows.status.state, subscribed]).toEqual(['stopped', 2]);
    for (const each of following) each.unsubscribe();
    expectFree(left.pods, right.pods, rows);
    expect(clock.timers).toBe(0);
  });

  it('does not complete the next run if a subscriber of status$ starts it again when it completes', () => {
    const clock = virtualClock();
    const source = new Subject<WatchEvent<Pod>>();
    const sources: Observable<WatchEvent<Pod>>[] = [source, concat(of(listed([a1])), NEVER)];
    const pods = informer(
      defer(() => sources.shift() ?? NEVER),
      { ...quiet, linger: 0, scheduler: clock },
    );
    const names = derived.union([pods, root(b1)], { ...quiet, linger: 0 });
    const seen: string[] = [];
    const again = new Subscription();
    names.connect();
    names.status$.subscribe(({ state }) => {
      if (state !== 'stopped' || seen.length > 0) return;
      seen.push('stopped');
      names.stop();
      again.add(
        names
          .list$()
          .subscribe({ next: (list) => seen.push(list.map(nameOf).join()), complete: () => seen.push('over') }),
      );
    });
    source.complete();
    expect([seen, names.isRunning]).toEqual([['stopped', 'a,b'], true]);
    again.unsubscribe();
    expectFree(pods, names);
  });

  it('shows a restart of an input as a replacement: a relist, or a source that failed', () => {
    const clock = virtualClock();
    let source = new Subject<WatchEvent<Pod>>();
    const pods = informer(
      new Observable<WatchEvent<Pod>>((subscriber) => {
        source = new Subject();
        return source.subscribe(subscriber);
      }),
      { ...quiet, linger: 0, scheduler: clock },
    );
    const rows = derived.derive(pods, {}, nameOf, { ...quiet, linger: 0, scheduler: clock });
    const seen: unknown[] = [];
    rows.changes$.subscribe(({ reason, changes }) => {
      seen.push([
        reason,
        ...changes.map(
          (change) => `${change.type === 'deleted' && change.finalStateUnknown ? 'lost' : change.type} ${change.key}`,
        ),
      ]);
    });
    source.next(listed([a1, b1]));
    source.next(listed([b1]));
    const broken = source;
    source.error(new Error('down'));
    expect(rows.list()).toEqual(['b']);
    while (source === broken) clock.advance(1_000);
    source.next(listed([a1]));
    expect(seen).toEqual([
      ['initial', 'added a', 'added b'],
      ['relist', 'lost a'],
      ['relist', 'lost b', 'added a'],
    ]);
  });

  it('survives subscribers that unsubscribe, stop and join inside their first value and inside functions', () => {
    const clock = virtualClock();
    const pods = informer(concat(of(listed([a1, b1])), NEVER), { ...quiet, linger: 0, scheduler: clock });
    const other = root(a1);
    let act: () => void = () => undefined;
    const rows: derived.DerivedCollection<string> = derived.derive(pods, { other }, (pod) => (act(), nameOf(pod)), {
      ...quiet,
      linger: 0,
      scheduler: clock,
    });
    const above = derived.derive(rows, { pods }, (name) => name, { ...quiet, linger: 0, scheduler: clock });
    const acts: Record<string, () => void> = {
      leaves: () => above.list$().pipe(take(1)).subscribe(),
      'stops what it reads': () => above.list$().subscribe(() => above.stop()),
      'stops what that is derived from': () => above.list$().subscribe(() => rows.stop()),
      'stops the input': () => above.list$().subscribe(() => pods.stop()),
      'a function stops its own collection': () => {
        act = () => rows.stop();
        above.list$().subscribe();
        act = () => undefined;
        above.stop();
      },
      'a function subscribes to its own collection, and leaves': () => {
        act = () => rows.list$().subscribe().unsubscribe();
        above.list$().subscribe().unsubscribe();
        act = () => undefined;
      },
      'a function adds indexes to what it computes': () => {
        act = () => {
          if (!('late' in rows.indexers)) rows.addIndexers({ late: (row) => row });
        };
        const subscription = above.list$().subscribe();
        expect([above.list(), rows.byIndex('late', 'b')]).toEqual([['a', 'b'], ['b']]);
        act = () => undefined;
        subscription.unsubscribe();
      },
      'an input is stopped by a subscriber of its first value, while the collection opens': () => {
        const early = pods.list$().subscribe(() => above.stop());
        above.list$().subscribe();
        early.unsubscribe();
        above.stop();
      },
      'a subscriber of the status stops it while it opens': () => {
        const status = above.status$.subscribe(({ state }) => state !== 'stopped' && above.stop());
        above.list$().subscribe();
        status.unsubscribe();
        above.stop();
      },
    };
    for (const [name, run] of Object.entries(acts)) {
      run();
      expect([name, above.isRunning, rows.isRunning, pods.isRunning, clock.timers]).toEqual([
        name,
        false,
        false,
        false,
        0,
      ]);
      expectFree(pods, other, rows, above);
      const seen: unknown[] = [];
      above
        .list$()
        .pipe(take(1))
        .subscribe((list) => seen.push(list));
      expect([name, seen]).toEqual([name, [['a', 'b']]]);
    }
  });

  it('selects again for each value of a parameter, in one commit, and keeps the last selection if that fails', () => {
    const clock = virtualClock();
    const pods = root(a1, b1);
    const selection = new BehaviorSubject<string>('app=x');
    const rows = derived.filter(pods, selection, { ...quiet, linger: 0, scheduler: clock });
    const errors: unknown[] = [];
    rows.errors$.subscribe((error) => errors.push(error));
    const seen: unknown[] = [];
    const open = rows.changes$.subscribe(({ changes }) => seen.push(changes.map(({ type, key }) => `${type} ${key}`)));
    selection.next('app=y');
    selection.next('app in (x, y)');
    selection.next('!!');
    expect(seen).toEqual([['added a'], ['deleted a', 'added b'], ['added a']]);
    expect(errors).toHaveLength(1);
    open.unsubscribe();
    expect(selection.observed).toBe(false);
  });
});
