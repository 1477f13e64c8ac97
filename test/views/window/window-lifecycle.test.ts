import fc from 'fast-check';
import { informer, pods, type Pod, listWatch } from 'rx-informers';
import { type WatchEvent, watchEvent, type Delta } from 'rx-informers/store';
import { aPod, createInMemoryApiServer, randomFromSeed } from 'rx-informers/testing';
import { window$, type WindowOptions, type SortColumn, type View } from 'rx-informers/views';
import { BehaviorSubject, Observable, of, Subject, take, VirtualTimeScheduler } from 'rxjs';
import { oracle } from './oracle.js';
import { aThing, groupOf, textOf, type Thing, nameOf, noThings, sizeOf, thingsOf } from './thing.js';

type Options = WindowOptions<Thing, 'group'>;

const { listed, modified } = watchEvent;

/** An informer without other users, and what happens to its source. */
function alone() {
  const events$ = new Subject<readonly WatchEvent<Thing>[]>();
  const sources = { open: 0, ever: 0 };
  const source = new Observable<readonly WatchEvent<Thing>[]>((subscriber) => {
    sources.open++;
    sources.ever++;
    subscriber.add(() => sources.open--);
    subscriber.add(events$.subscribe(subscriber));
  });
  const things = informer(source, { linger: 0, indexers: { group: groupOf } });
  const list = (): void => {
    events$.next([listed([aThing('a', { group: 'x' }), aThing('b', { group: 'y' })], '1')]);
  };
  return { events$, sources, things, list };
}

describe('window$ over an informer', () => {
  it('starts it, shows its list and its changes, and releases it on unsubscribe (G8)', () => {
    const { events$, sources, things, list } = alone();
    const texts: string[] = [];
    const shown = window$(things).subscribe((view) => texts.push(textOf(view)));
    expect(sources.open).toBe(1);
    list();
    events$.next([modified(aThing('c'))]);
    shown.unsubscribe();
    expect([texts, sources.open]).toEqual([['a b / 2', 'a b c / 3'], 0]);
  });

  it('switches between buckets without stopping it', () => {
    const { sources, things, list } = alone();
    const options$ = new BehaviorSubject<Options>({ index: ['group', 'x'] });
    const texts: string[] = [];
    const shown = window$(things, options$).subscribe((view) => texts.push(textOf(view)));
    list();
    options$.next({ index: ['group', 'y'] });
    options$.next({});
    expect([texts, sources]).toEqual([['a / 1', 'b / 1', 'a b / 2'], { open: 1, ever: 1 }]);
    shown.unsubscribe();
    expect(sources.open).toBe(0);
  });

  it('does not start it before there are options', () => {
    const { sources, things } = alone();
    const shown = window$(things, new Subject<Options>()).subscribe();
    expect(sources.ever).toBe(0);
    shown.unsubscribe();
  });

  it('completes when it is stopped, and unsubscribes from the options', () => {
    const { things, list } = alone();
    const options$ = new BehaviorSubject<Options>({});
    let isComplete = false;
    window$(things, options$).subscribe({ complete: () => (isComplete = true) });
    list();
    things.stop();
    expect([isComplete, options$.observed]).toEqual([true, false]);
  });

  it('G8: unsubscribes from informer and options when its subscriber unsubscribes, after any of them emitted', () => {
    const { sources, things, list } = alone();
    const options$ = new BehaviorSubject<Options>({});
    window$(things, options$).pipe(take(1)).subscribe();
    list();
    expect([sources.open, options$.observed]).toEqual([0, false]);
    const connection = things.connect();
    list();
    window$(things, options$).pipe(take(2)).subscribe();
    options$.next({ index: ['group', 'x'] });
    expect(options$.observed).toBe(false);
    connection.unsubscribe();
    expect(sources.open).toBe(0);
  });

  it('ignores synchronous options after its subscriber has unsubscribed', () => {
    const { sources, things, list } = alone();
    const connection = things.connect();
    list();
    window$(things, of<Options[]>({}, { index: ['group', 'x'] }, { index: ['group', 'y'] }))
      .pipe(take(1))
      .subscribe();
    connection.unsubscribe();
    expect(sources).toEqual({ open: 0, ever: 1 });
  });

  it('unsubscribes from both after an error of a filter (G8)', () => {
    const { sources, things, list } = alone();
    const options$ = new BehaviorSubject<Options>({
      where: () => {
        throw new Error('asked');
      },
    });
    const errors: unknown[] = [];
    window$(things, options$).subscribe({ error: (error) => errors.push(error) });
    list();
    expect([errors, sources.open, options$.observed]).toEqual([[new Error('asked')], 0, false]);
  });

  it('follows a server, through a connection that is cut', () => {
    const scheduler = new VirtualTimeScheduler(undefined, 60_000);
    const server = createInMemoryApiServer({ scheduler, random: randomFromSeed(1) });
    server.apply([aPod({ name: 'a', node: 'n1' }), aPod({ name: 'b', node: 'n2' }), aPod({ name: 'skipped' })]);
    const podInformer = informer(listWatch(server.client, pods, { scheduler, random: randomFromSeed(2) }), {
      scheduler,
    });
    const seen: string[] = [];
    const shown = window$(podInformer, {
      where: (pod: Pod) => pod.metadata.name !== 'skipped',
      sortBy: [{ value: (pod: Pod) => pod.spec?.nodeName, direction: 'descending' }],
      limit: 2,
    }).subscribe(({ keys, total }) => seen.push(`${keys.join(' ')} / ${total}`));
    const at = (time: number, act: () => void): void => {
      scheduler.schedule(act, time);
    };
    at(1000, () => {
      server.apply(aPod({ name: 'c', node: 'n3' }));
    });
    at(2000, () => {
      server.restart();
      server.apply(aPod({ name: 'd', node: 'n0' }));
    });
    at(59_000, () => {
      shown.unsubscribe();
    });
    scheduler.flush();
    expect(seen).toEqual(['default/b default/a / 2', 'default/c default/b / 3', 'default/c default/b / 4']);
  });
});

/** Functions with an identity, so that histories give the same one twice. */
const filters = [
  undefined,
  (thing: Thing) => thing.size !== undefined,
  (thing: Thing) => (thing.size ?? 0) % 2 === 0,
  (thing: Thing) => thing.metadata.name.length < 3,
  () => false,
] as const;

const columns: readonly SortColumn<Thing>[] = [
  { value: sizeOf },
  { value: sizeOf, direction: 'descending' },
  { value: groupOf, direction: 'descending' },
  { value: nameOf, collator: new Intl.Collator('en', { numeric: true }) },
];

const name = fc.nat(39).map((n) => `t${n}`);

const thing = fc
  .record({
    name,
    group: fc.constantFrom('x', 'y'),
    size: fc.option(fc.nat(5), { nil: undefined }),
    app: fc.constantFrom('web', 'api', undefined),
  })
  .map(({ name: called, group, size, app }) =>
    aThing(called, { group, size, ...(app === undefined ? {} : { labels: { app } }) }),
  );

const delta: fc.Arbitrary<Delta<Thing>> = fc.oneof(
  { weight: 5, arbitrary: thing.map((object) => ({ type: 'Updated' as const, key: nameOf(object), object })) },
  {
    weight: 3,
    arbitrary: name.map((key) => ({ type: 'Deleted' as const, key, object: undefined, finalStateUnknown: true })),
  },
  { weight: 1, arbitrary: name.map((key) => ({ type: 'Sync' as const, key })) },
  {
    weight: 1,
    arbitrary: fc.array(thing, { maxLength: 40 }).map((things) => ({
      type: 'ReplacedAll' as const,
      items: things.map((object) => ({ key: nameOf(object), object })),
      resourceVersion: '1',
    })),
  },
);

const anOption: fc.Arbitrary<Options> = fc.oneof(
  fc.record({ offset: fc.nat(30) }),
  fc.record({ limit: fc.oneof(fc.nat(12), fc.constant(Infinity)) }),
  fc.record({ where: fc.constantFrom(...filters) }),
  fc.record({ sortBy: fc.array(fc.constantFrom(...columns), { maxLength: 3 }) }),
  fc.record({ selector: fc.constantFrom('', 'app', 'app=web', { matchLabels: { app: 'web' } }) }),
  fc.record({ index: fc.constantFrom(undefined, ['group', 'x'] as const, ['group', 'y'] as const) }),
);

const aStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ deltas: fc.array(delta, { minLength: 1, maxLength: 6 }) }) },
  { weight: 2, arbitrary: fc.record({ option: anOption }) },
);

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, position) => item === b[position]);

describe('window$', () => {
  it('shows after each commit and each change of options the same as sorting and filtering everything, and emits exactly when that differs', () => {
    fc.assert(
      fc.property(fc.array(thing, { maxLength: 60 }), fc.array(aStep, { maxLength: 25 }), (first, history) => {
        const things = thingsOf(...first);
        const options$ = new BehaviorSubject<Options>({});
        const seen: View<Thing>[] = [];
        window$(things, options$).subscribe((view) => seen.push(view));
        let expected = oracle(things.list(), options$.value);
        expect(seen).toEqual([expected]);
        for (const step of history) {
          const before = seen.length;
          if ('deltas' in step) things.apply(step.deltas);
          else options$.next({ ...options$.value, ...step.option });
          const next = oracle(things.list(), options$.value);
          const isOther = !isSame(next.rows, expected.rows) || next.total !== expected.total;
          expect(seen.length - before).toBe(isOther ? 1 : 0);
          const [previous, view] = [seen[before - 1]!, seen.at(-1)!];
          expect(view).toEqual(next);
          expect(view.rows === previous.rows).toBe(isSame(view.rows, previous.rows));
          expect(view.keys === previous.keys).toBe(isSame(view.keys, previous.keys));
          expected = next;
        }
      }),
      { numRuns: 50 },
    );
  });

  it('G1: shows a late subscriber the same as one from the beginning', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(delta, { maxLength: 6 }), { minLength: 1, maxLength: 12 }),
        anOption,
        (commits, options) => {
          const things = noThings();
          let early: View<Thing> | undefined;
          let late: View<Thing> | undefined;
          window$(things, options).subscribe((view) => (early = view));
          for (const deltas of commits) things.apply(deltas);
          window$(things, options).subscribe((view) => (late = view));
          expect(late).toEqual(early);
        },
      ),
      { numRuns: 20 },
    );
  });
});
